"""One step of a plan as a statement with a gap: "In which state was X formed?" becomes "X was formed in ...".

From the statement the relations of the names in it to what fills the gap can be read off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from polyhop.english.question import OWNS, Word, Words, plain, read_words, render
from polyhop.english.verbs import is_base, is_participle, past_of, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DO,
    FUNCTION_WORDS,
    KIN,
    ORGANISATIONS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    ROLES,
    TITLE_NOUNS,
    WH_WORDS,
    WORKS,
    is_demonym,
    word_set,
)
from polyhop.planning.rules.clauses import ADVERBS, asks, finite_at, first_finite
from polyhop.plans import REFERENCE

GAP: Final = Word("?", "step")
"""What the step asks for."""

_NOUNS: Final = KIN | ORGANISATIONS | PEOPLE | PLACES | ROLES | WORKS
_KINDS: Final = word_set("name title kind type sort")
_RANKS: Final = word_set("first second third fourth fifth last next most least only same main former full")
_TRIMMED: Final = ARTICLES | CONJUNCTIONS | TITLE_NOUNS | {",", ";", ":", "also", "both"}


@dataclass(frozen=True, slots=True)
class Statement:
    """A step as a statement; where it asks for something, ``GAP`` stands in it, and ``noun`` says what that is."""

    words: Words
    noun: str = ""
    asked: str = ""  # the wh-word, "" for a step that asks yes or no
    answer: str = ""  # a name that the step itself gives as its answer: "X is a sequel of Y, which film?"


def read_step(question: str, names: Sequence[str]) -> Words:
    """The words of a step, references and the given names being single words."""
    words = read_words(question, names)
    return tuple(Word(word.text, "step") if REFERENCE.fullmatch(word.text) else word for word in words)


def stated(words: Words) -> Statement:
    """The step as a statement. Never raises."""
    asked = next((at for at, word in enumerate(words) if word.low in WH_WORDS and _asks_here(words, at)), None)
    if asked is None:
        return Statement(_declared(words) if words and words[0].low in AUXILIARIES else words)
    end, noun = _asked_noun(words, asked)
    low = words[asked].low
    start = asked - (asked > 0 and words[asked - 1].low in PREPOSITIONS and _fronted(words, asked))
    before, rest = words[:start], words[end:]
    preposition = plain(*(word.low for word in words[start:asked]))
    if low == "whose":
        return Statement((*before, GAP, OWNS, *plain(*noun.split()), *rest), "", low)
    if before and before[-1].low != ",":
        itself = len(before) == 2 and before[0].atomic and before[1].low in BE and not (preposition or rest)
        return (
            Statement((), noun, low, before[0].text)
            if itself
            else Statement((*before, *preposition, GAP, *rest), noun, low)
        )
    context = tuple(Word(word.low) if word.low in PREPOSITIONS else word for word in before[:-1])
    if context and context[-1].atomic and not rest and first_finite(context, 1) is not None:
        return Statement(context, noun, low, context[-1].text)
    noun = noun or _predicated(rest)
    if _inverts(rest, who=low in ("who", "whom")):
        return Statement((*_declared(rest), *_placed(preposition, low, rest), GAP, *context), noun, low)
    return Statement((GAP, *rest, *context), noun, low)


def _predicated(rest: Words) -> str:
    """The noun of "is the R of X"."""
    if len(rest) < 3 or rest[0].low not in BE or rest[1].low not in ARTICLES:
        return ""
    noun = list(takewhile(lambda word: word.kind == "word" and word.low not in FUNCTION_WORDS, rest[2:]))
    return kind_of(word.low for word in noun) if not any(is_participle(word.low) for word in noun) else ""


def kind_of(words: Iterable[str]) -> str:
    """A kind of thing in one or two words of its noun phrase: "sports team" of "the second biggest sports team"."""
    kept = [word for word in words if not word.endswith("est") and word not in _RANKS]
    return " ".join(kept[-2:])


def _asks_here(words: Words, at: int) -> bool:
    return at == 0 or asks(words, at) or words[at - 1].low in PREPOSITIONS | BE or words[at - 1].low == ","


def _fronted(words: Words, asked: int) -> bool:
    return asked == 1 or words[asked - 2].low == ","


def _asked_noun(words: Words, asked: int) -> tuple[int, str]:
    """Where the phrase that asks ends, and its noun: "which Danish painter" is a painter."""
    low, at = words[asked].low, asked + 1
    if low == "how":
        measure = words[at].low if at < len(words) else ""
        if measure not in ("many", "much"):
            return (at + 1, measure) if measure and measure not in FUNCTION_WORDS else (at, "")
        at += 1
    elif low not in ("which", "what", "whose"):
        return at, ""
    start = at
    while at < len(words) and _of_noun_phrase(words, at, start):
        at += 1
    if words[at - 1].low in _KINDS and at > start and words[at : at + 1] == plain("of"):
        inner = at + 1 + (at + 1 < len(words) and words[at + 1].low in ARTICLES)
        stop = inner
        while stop < len(words) and _of_noun_phrase(words, stop, inner):
            stop += 1
        at, start = (stop, inner) if stop > inner else (at, start)
    tail = takewhile(lambda word: word.kind == "word", reversed(words[start:at]))
    return at, kind_of(reversed([word.low for word in tail]))


def _of_noun_phrase(words: Words, at: int, start: int) -> bool:
    word = words[at]
    if word.kind == "name":
        following = words[at + 1] if at + 1 < len(words) else None
        return following is not None and following.kind in ("word", "name") and _of_noun_phrase(words, at + 1, start)
    if word.kind != "word" or word.low in FUNCTION_WORDS | ADVERBS - {"first", "last", "best"}:
        return False
    verbal = finite_at(words, at) or is_participle(word.low) or word.low.endswith("ed")
    if not verbal:
        return True
    after = words[at + 1] if at + 1 < len(words) else None
    if after is None or after.atomic or after.low in FUNCTION_WORDS:
        return word.low in _NOUNS and (after is None or after.low not in ARTICLES or not finite_at(words, at))
    return at == start or word.low in _NOUNS


def _inverts(rest: Words, *, who: bool) -> bool:
    """Whether a helping verb stands before its subject: "was X born", "did X die"."""
    if len(rest) < 2 or rest[0].low not in AUXILIARIES:
        return False
    if rest[0].low in DO:
        return True
    after = rest[1]
    if after.atomic:
        return True
    if after.low in ARTICLES:
        return not (who and rest[0].low in BE)
    if after.kind != "word" or after.low in FUNCTION_WORDS | ADVERBS or is_participle(after.low):
        return False
    return len(rest) < 3 or rest[0].low not in BE or rest[2].low not in PREPOSITIONS  # "is home to" has no subject


def _placed(preposition: Words, low: str, rest: Words) -> Words:
    """The preposition before the gap: the one in front of the question, or what "where" and "when" stand for."""
    if preposition or rest[-1].low in PREPOSITIONS:
        return () if rest[-1].low in PREPOSITIONS else preposition
    return plain("in") if low in ("where", "when") else ()


def _declared(rest: Words) -> Words:
    """Words that begin with a helping verb, their subject first: "did X die" becomes "X died"."""
    helper, words = rest[0], rest[1:]
    if helper.low in DO:
        verbs = [at for sure in (True, False) for at in range(1, len(words)) if _bare_verb(words, at, sure=sure)]
        verb = verbs[0] if verbs else None
        if verb is None:
            return words
        inflected = past_of(words[verb].low) if helper.low == "did" else third_of_base(words[verb].low)
        return (*words[:verb], Word(inflected), *words[verb + 1 :])
    end = _subject_end(words)
    return (*words[:end], Word(helper.low), *words[end:])


def _bare_verb(words: Words, at: int, *, sure: bool) -> bool:
    before = words[at - 1]
    if words[at].kind != "word" or words[at].low in FUNCTION_WORDS or before.low in ARTICLES | PREPOSITIONS:
        return False
    return is_base(words[at].low) if sure else before.atomic


def _subject_end(words: Words) -> int:
    """Where the subject ends that a question begins with: after its first name and what hangs on it."""
    end = next((at + 1 for at, word in enumerate(words) if word.atomic), None)
    verb = next((at for at in range(1, len(words)) if is_participle(words[at].low)), None)
    if end is None or (verb is not None and verb < end and words[verb - 1].kind == "word"):
        end = verb if verb is not None else first_finite(words, 1)
    if end is None:
        return len(words)
    while end < len(words) and words[end] == OWNS:
        end += 1
        while end < len(words) and words[end].kind == "word" and words[end].low not in FUNCTION_WORDS:
            if is_participle(words[end].low):
                break
            end += 1
    return end


def spoken(words: Words) -> str:
    """Words of a relation as text, without articles, conjunctions and announcements at its ends."""
    kept = [word for word in words if word.text]
    while kept and kept[0].low in _TRIMMED and kept[0] != OWNS:
        kept.pop(0)
    while kept and (kept[-1].low in _TRIMMED or kept[-1].kind == "mark"):
        announced = kept.pop().low in TITLE_NOUNS
        while announced and kept and is_demonym(kept[-1].text):
            kept.pop()
    return render(word for word in kept if word.kind != "mark" and word.low not in ("the", "a", "an"))
