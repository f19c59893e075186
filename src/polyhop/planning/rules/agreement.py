"""Yes/no questions whether two things agree: "Are X and Y in the same country?", "Are both X and Y operas?"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from polyhop.english.question import Word, Words, plain, render
from polyhop.english.verbs import is_participle, past_of, third_of_base
from polyhop.english.words import ARTICLES, DO, HAVE, PREPOSITIONS, ROLES, TITLE_NOUNS, names_person, word_set
from polyhop.planning.rules.clauses import finite_at
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.measure import Measure, as_singular
from polyhop.plans import Combination, Plan, Step

_MUTUAL: Final = word_set(
    "related married divorced engaged friends siblings brothers sisters cousins twins spouses lovers partners allies "
    "colleagues rivals opponents enemies neighbours neighbors acquainted identical alike twinned meet met share shared"
)
"""What two are or do to one another; with "to", "with" or "of" behind it, what each is to somebody else."""
_TO_SOMEBODY: Final = frozenset({"to", "with", "of"})


def agreement(words: Words, known: Sequence[Step]) -> Plan | None:
    """Do two things agree? "Are X and Y in the same country?", "Are both X and Y operas?"."""
    words, doer = _without_doer(words)
    found = _pair(words)
    if found is None:
        return None
    left, own, right, rest = found
    head = words[1 : next(i for i, word in enumerate(words) if word.atomic)]
    draft = PlanDraft([*known])
    noun = tuple(Word(_singular(word.low)) for word in head if word.low in TITLE_NOUNS)
    roles = _roles(head, own, rest)
    things: list[Words] = [
        (draft.relation(plain(role), (*noun[:1], name)),) if role else (name,)
        for role, name in zip(roles, (left, right), strict=True)
    ]
    measure = doer or _shared_measure(words[0], rest) or _predicate(words[0], rest)
    if measure is None or (measure.comparator == "both" and _is_mutual(words, rest)):
        return None
    operands = tuple(measure.ask(thing, draft) for thing in things)
    return draft.plan(
        "comparison", Combination(comparator=measure.comparator, operands=operands, options=(left.text, right.text))
    )


def _without_doer(words: Words) -> tuple[Words, Measure | None]:
    """The two things alone where one has to have done something to both: "did the same firm build X and Y?"."""
    first = next((at for at, word in enumerate(words) if word.atomic), 0)
    end = next((at for at in range(first, 0, -1) if words[at - 1].low not in ARTICLES), 0)
    same = [word.low for word in words[1:3]] == ["the", "same"]
    if words[0].low not in DO or not same or end < 5 or words[-1].kind == "word":
        return words, None
    verb = words[end - 1].low
    did = past_of(verb) if words[0].low == "did" else third_of_base(verb)
    noun = words[3 : end - 1]
    measure = Measure((*plain("which"), *noun, *plain(did)), (), "same", render(noun))
    return (words[0], *words[end:]), measure


def _roles(head: Words, own: Words, rest: Words) -> tuple[str, str]:
    """What is compared of two names: of both the same ("the directors of X and Y"), or of each its own.

    Nothing where they are compared themselves. ``own``: the words before the second name, "the author of".
    """
    shared, first, second = _shared_role(head, rest), _held(head), _held(own)
    if not second:
        return shared, shared
    is_role = second in ROLES or names_person(second) or bool(shared)
    return shared or (first if names_person(first) else ""), second if is_role else ""


def _held(before: Words) -> str:
    """The noun by which a name is spoken of: "mayor" of "the mayor of Kent"."""
    of = next((at for at in range(len(before) - 1, 0, -1) if before[at].low not in ARTICLES), 0)
    return _singular(before[of - 1].low) if of and before[of].low == "of" else ""


def _shared_role(head: Words, rest: Words) -> str:
    """The role that both hold: "the directors of X and Y", "do X and Y have directors"."""
    had = tuple(takewhile(lambda word: word.low != "same", rest))  # "have the same teacher" asks for the teacher
    holders = head if any(word.low == "of" for word in head) else had if any(word.low in HAVE for word in rest) else ()
    return next((_singular(word.low) for word in holders if _singular(word.low) in ROLES), "")


def _singular(noun: str) -> str:
    if noun == "series":
        return noun
    return noun.removesuffix("s") if len(noun) > 3 and not noun.endswith("ss") else noun


def _pair(words: Words) -> tuple[Word, Words, Word, Words] | None:
    """The two names of a yes/no question, the second behind the words before it, and what is said of them."""
    for at in range(2, len(words) - 1):
        if words[at].low == "and" and (words[at - 1].atomic or (words[at - 1].low == "," and words[at - 2].atomic)):
            right = next((i for i in range(at + 1, min(at + 7, len(words))) if words[i].atomic), None)
            if right is None or any(finite_at(words, i) for i in range(at + 1, right)):
                continue
            return _listed(words, at), words[at + 1 : right], words[right], _trimmed(words[0], words[right + 1 :])
    same = next((i for i, word in enumerate(words) if word.low == "same"), None)
    if (
        same is None
        or not any(word.atomic for word in words[1:same])
        or not words[-1].atomic
        or words[-2].low not in ("as", "with")
    ):
        return None
    first = next(i for i, word in enumerate(words) if word.atomic)
    return words[first], (), words[-1], _trimmed(words[0], words[first + 1 : -2])


def _listed(words: Words, middle: int) -> Word:
    """The name before the "and", with what a comma adds to it: "are both St John's School, York and ..."."""
    end = middle if words[middle - 1].atomic else middle - 1
    start = end - 1
    while start > 2 and words[start - 1].low == "," and words[start - 2].kind == "name":
        start -= 2
    return Word(render(words[start:end]), "name") if start < end - 1 else words[end - 1]


def _trimmed(helper: Word, rest: Words) -> Words:
    """What is said of two names, without the noun that says what they are; behind "do", "play" is what they do."""
    nouns = {noun for noun in TITLE_NOUNS if helper.low not in DO or noun.endswith("s")}
    kept = list(rest)
    while kept and (kept[0].kind == "mark" or kept[0].low in nouns | {"both", "too", "either"}):
        kept.pop(0)
    return tuple(word for word in kept if word.low != "both")


def _shared_measure(helper: Word, rest: Words) -> Measure | None:
    """What has to be equal: "located in the same country" asks in which country each is located."""
    same = next((i for i, word in enumerate(rest) if word.low in ("same", "similar", "shared")), None)
    if same is None or same + 1 >= len(rest):
        return None
    noun = plain(*(word.low for word in rest[same + 1 :]))
    verb = next((word.low for word in rest[:same] if is_participle(word.low) and word.low != "shared"), "")
    name = " ".join(word.low for word in noun)
    if noun[0].low in ("nationality", "citizenship"):
        return Measure(plain("what", "is", "the", "nationality", "of"), (), "same", "nationality")
    preposition = next((w for w in reversed(rest[:same]) if w.low in PREPOSITIONS), None)
    if helper.low in DO and preposition not in (None, rest[0]) and rest[0].low not in HAVE:
        did = "did" if helper.low == "did" else "does"
        done = tuple(word for word in rest[:same] if word is not preposition and word.low not in ARTICLES)
        return Measure((preposition, *plain("which"), *noun, *plain(did)), done, "same", name)
    if verb and preposition is not None:
        if noun[0].low in ("place", "location"):
            return Measure(plain("where", "was"), plain(verb), "same", "place")
        is_or_was = "is" if verb in ("located", "based", "situated", "headquartered") else "was"
        return Measure((preposition, *plain("which"), *noun, *plain(is_or_was)), plain(verb), "same", name)
    if preposition is not None and preposition.low != "of":
        if preposition.low == "from" or noun[0].low in ("country", "nation"):
            return Measure(plain("which") + noun + plain("is"), plain("from"), "same", name)
        return Measure((preposition, *plain("which"), *noun, *plain("is")), (), "same", name)
    asks = "who" if names_person(noun[0].low) else "what"
    return Measure(plain(asks, "is", "the") + noun + plain("of"), (), "same", name)


def _predicate(helper: Word, rest: Words) -> Measure | None:
    if not rest:
        return None
    low = helper.low
    singular = "has" if low == "have" else as_singular(plain(low))[0].text
    return Measure(plain(singular), rest, "both", "")


def _is_mutual(words: Words, rest: Words) -> bool:
    """Whether two do something to one another, "were X and Y married?", so that it cannot be asked of each alone."""
    lows = [word.low for word in rest]
    if any(both in " ".join(lows) for both in ("each other", "one another")):
        return True
    several = "together" in lows or (not _MUTUAL.isdisjoint(lows) and _TO_SOMEBODY.isdisjoint(lows))
    return several and all(word.low != "both" for word in words)
