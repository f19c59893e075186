"""The relations that a statement with a gap speaks of: between the gap and each name, or between two names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from polyhop.english.question import OWNS, Word, Words, render
from polyhop.english.verbs import is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, BE, FUNCTION_WORDS, PREPOSITIONS, TITLE_NOUNS, is_demonym
from polyhop.planning.rules.clauses import ADVERBS, finite_at
from polyhop.planning.rules.statements import GAP, Statement, spoken

_LEADS_BACK: Final = frozenset({"of", "in", "for", "at", "to", "from"})


@dataclass(frozen=True, slots=True)
class Related:
    """A relation between two ends as they are written; None is what the step asks for."""

    head: str | None
    relation: str
    tail: str | None


def related(reading: Statement, most: int) -> tuple[Related, ...]:
    """The relations to all earlier answers and to the first ``most`` names, in the order of the statement.

    Where the statement names nothing, its description stands for a name. Never raises.
    """
    words = reading.words
    gap = next((at for at, word in enumerate(words) if word is GAP), None)
    ends = _ends(words, most)
    if gap is None:
        return tuple(_verified(words, ends))
    if not ends:
        return _described(words, gap)
    return tuple(_after(words, gap, end, ends) if end > gap else _before(words, gap, end, ends) for end in ends)


def _ends(words: Words, most: int) -> list[int]:
    """Where the ends stand: every reference, and as many names as still count, references counting too."""
    references = [at for at, word in enumerate(words) if word.kind == "step" and word is not GAP]
    names = [at for at, word in enumerate(words) if word.kind == "name" and not _qualifies(words, at)]
    free = [at for at in names if not _modifies(words, at)]
    names = free if free or references else names
    kept = names[: max(most - len(references), 0)]
    kept += [at for at in names if at not in kept and at - 2 in kept and words[at - 1].low == "and"]
    return sorted([*references, *kept])


def _modifies(words: Words, at: int) -> bool:
    """Whether a name stands before a noun as an adjective would: "the FA Cup match"."""
    following = words[at + 1] if at + 1 < len(words) else None
    if following is None or following.kind != "word" or following.low in FUNCTION_WORDS | ADVERBS:
        return False
    return not (finite_at(words, at + 1) or is_participle(following.low))


def _qualifies(words: Words, at: int) -> bool:
    """Whether a name only describes: "Danish" before a noun, "Norway" after "Oslo,"."""
    if at > 1 and words[at - 1].low == "," and words[at - 2].atomic and words[at - 2] is not GAP:
        return True
    following = words[at + 1] if at + 1 < len(words) else None
    return (
        is_demonym(words[at].text)
        and following is not None
        and following.kind == "word"
        and (following.low not in PREPOSITIONS | AUXILIARIES)
    )


def _after(words: Words, gap: int, end: int, ends: list[int]) -> Related:
    """The gap's relation to an end behind it; "is the R of X" is X's relation R."""
    between = words[gap + 1 : end]
    first = next(at for at in ends if at > gap)
    noun = _noun_of(between)
    if end == first and noun:
        behind = words[end + 1 :]
        owned = behind[1:] if behind[:1] == (OWNS,) else ()
        return Related(words[end].text, spoken(owned) or spoken(noun), None)
    if end == first and words[end + 1 : end + 2] == (OWNS,):
        between += words[end + 2 :]
    return Related(
        None,
        _joined(words[gap + 1 : first], words[_previous(words, end, ends) + 1 : end], end == first),
        words[end].text,
    )


def _noun_of(between: Words) -> Words:
    """R, where the words between are "is the R of" and perhaps an announcement such as "the film"."""
    while between and between[-1].low in TITLE_NOUNS | ARTICLES:
        between = between[:-1]
    if len(between) < 3 or between[0].low not in BE or between[-1].low not in _LEADS_BACK:
        return ()
    noun = between[1:-1]
    verbal = any(is_participle(word.low) or finite_at(between, at) for at, word in enumerate(noun, 1))
    plain = all(word.kind == "word" and word.low not in PREPOSITIONS for word in noun)
    nominal = noun[0].low in ARTICLES or not verbal
    return noun if plain and nominal and any(word.low not in ARTICLES for word in noun) else ()


def _before(words: Words, gap: int, end: int, ends: list[int]) -> Related:
    """An end's relation to the gap behind it; "the R of X is" and "X's R is" are X's relation R."""
    name = words[end].text
    following = min((at for at in ends if end < at < gap), default=gap)
    between = words[end + 1 : following]
    last = max(at for at in ends if at < gap)
    if between[:1] == (OWNS,):
        return Related(name, spoken(_nominal(between[1:])), None)
    said = _joined(between, words[last + 1 : gap], following == gap)
    if any(word.low not in BE | PREPOSITIONS | ARTICLES and word.kind == "word" for word in between):
        return Related(name, said, None)
    leading = words[_previous(words, end, ends) + 1 : end]
    if not any(word.kind == "word" and word.low not in ARTICLES | TITLE_NOUNS | PREPOSITIONS for word in leading):
        return Related(name, said, None)
    while leading[-1].low in TITLE_NOUNS | ARTICLES:
        leading = leading[:-1]
    return Related(name, spoken(leading[:-1] if leading[-1].low in _LEADS_BACK else leading), None)


def _nominal(words: Words) -> Words:
    """What is left of "R is in", R being what somebody has."""
    if any(is_participle(word.low) for word in words):
        return words
    kept = [word for word in words if word.low not in BE]
    while kept and kept[-1].low in PREPOSITIONS:
        kept.pop()
    return tuple(kept)


def _joined(verb: Words, own: Words, same: bool) -> str:
    """A verb and, for an end that does not stand next to it, the words before that end, or their own verb."""
    if same:
        return spoken(verb)
    own_verb = next((at for at in range(len(own)) if finite_at(own, at)), None)
    if own_verb is not None:
        return spoken(own[own_verb:])
    kept = list(verb)
    while kept and (kept[-1].low in PREPOSITIONS or kept[-1].kind == "mark"):
        kept.pop()
    return spoken((*kept, *own))


def _previous(words: Words, end: int, ends: list[int]) -> int:
    before = [at for at in ends if at < end] + [at for at, word in enumerate(words) if word is GAP and at < end]
    return max(before, default=-1)


def _verified(words: Words, ends: list[int]) -> Iterator[Related]:
    """What a question asks that wants yes or no: whether its first name stands in relation to the others."""
    if not ends:
        return
    first, *others = ends
    if others:
        verb = words[first + 1 : others[0]]
        for other in others:
            own = words[_previous(words, other, ends) + 1 : other]
            yield Related(words[first].text, _joined(verb, own, other == others[0]), words[other].text)
        return
    said = words[first + 1 :]
    verbs = next((at for at, word in enumerate(said) if not _verbal(said, at)), len(said))
    described = spoken(said[verbs:])
    yield Related(words[first].text, spoken(said[:verbs]) or "is", described or None)


def _verbal(words: Words, at: int) -> bool:
    low = words[at].low
    verb = finite_at(words, at) or is_participle(low) or (at == 0 and low.endswith("ed"))
    return verb or low in AUXILIARIES | PREPOSITIONS


def _described(words: Words, gap: int) -> tuple[Related, ...]:
    """The relation of the gap to a description in place of a name: "which king united the tribes"."""
    left, right = words[:gap], words[gap + 1 :]
    if len(left) > len(right):
        verb = next((at for at in range(1, len(left)) if finite_at(left, at)), len(left))
        return _if_said(Related(_phrase(left[:verb]), spoken(left[verb:]), None))
    verb = next((at for at in range(len(right)) if not _verbal(right, at)), len(right))
    return _if_said(Related(None, spoken(right[:verb]) or "is", _phrase(right[verb:])))


def _if_said(one: Related) -> tuple[Related, ...]:
    return (one,) if (one.head or one.tail) else ()


def _phrase(words: Words) -> str:
    kept: list[Word] = [word for word in words if word.kind != "mark"]
    while kept and kept[0].low in ARTICLES:
        kept.pop(0)
    return render(kept)
