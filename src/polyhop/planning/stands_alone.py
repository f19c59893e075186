"""Whether a step that was made out of a question can be asked by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from polyhop.english.question import Words, read_words
from polyhop.english.verbs import is_base, is_participle
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DO,
    FUNCTION_WORDS,
    HAVE,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    WH_WORDS,
    word_set,
)
from polyhop.planning.rules.clauses import RELATIVISERS, asks, finite_at, first_finite
from polyhop.plans import REFERENCE

_BEFORE_CLAUSES: Final = WH_WORDS | CONJUNCTIONS - word_set("and or but nor")
_SUBJECTS: Final = word_set("he she it")  # "they" may be people
_OTHERS: Final = word_set("hers theirs him them himself herself itself themselves")
_OPEN_RELATIVES: Final = word_set("who whom whose which that")


def asks_something(question: str) -> bool:
    """Whether a step asks, and says more than what it refers to: not so "were both of #1?" and "it is a play by #1?".

    What was taken apart wrongly leaves these behind, and "who came when #1?" and "who was #1 who came?".
    """
    words = read_words(question.rstrip("?"))
    if _states(words) or _picks_again(words):
        return False
    *before, last = ("", *(word.low for word in words))
    if last in AUXILIARIES and before[-1] in _OPEN_RELATIVES:
        return False  # "which release was named after that was?"
    if not REFERENCE.fullmatch(last):
        return True
    if len(before) == 3 and before[1] in ("when", "where") and before[2] in BE:
        return True  # "when was #1?", of an event
    owns = before[-1] in HAVE and before[1:-1] in (["who"], ["what"])
    helping = AUXILIARIES.intersection((before[-1], *before[1:2])) and FUNCTION_WORDS.issuperset(before[1:])
    helps = bool(helping) and not owns
    return not helps and before[-1] not in _BEFORE_CLAUSES


def _picks_again(words: Words) -> bool:
    """Whether a clause says which of several a reference stands for, which is one by then: "who was #1 who came?"."""
    return any(REFERENCE.fullmatch(one.text) and more.low in _OPEN_RELATIVES for one, more in pairwise(words))


def _states(words: Words) -> bool:
    """Whether words are a statement: they have a verb, and nothing in them asks or waits for an answer."""
    low = [word.low for word in words]
    asks_at_all = not WH_WORDS.isdisjoint(low)
    waits = low[-1:] and low[-1] in PREPOSITIONS
    begins = bool(low) and (low[0] in AUXILIARIES or is_base(low[0]))
    return not asks_at_all and not waits and not begins and first_finite(words, 1) is not None


def stands_alone(words: Words) -> bool:
    """Whether a question, as words, is whole and names what its pronouns stand for.

    Not so "who is the first head of her institute", "who is the same director", "what is Ada won titles in 1948" and
    "which #1 was a pupil", which cutting in a wrong place leaves behind.
    """
    low = [word.low for word in words]
    if not words or (low[0] in ("which", "what") and len(words) > 1 and words[1].kind == "step"):
        return False
    if "same" in low and "as" not in low[low.index("same") :] and low[0] in WH_WORDS:
        return False
    return _tells_of_whom(words) and not _is_clause(words) and not _asks_twice(words)


def describes(words: Words) -> bool:
    """Whether some words of a question can stand for a thing.

    A clause that says more of a noun elsewhere cannot, and what holds the question itself: "the song of what film".
    """
    start = 1 if len(words) > 1 and words[1].low in ("which", "whom", "whose") else 0
    relative = bool(words) and words[start].low in _OPEN_RELATIVES
    asked = (at for at in range(1, len(words)) if asks(words, at))
    return bool(words) and not relative and all(_tells_where(words, at) for at in asked)


def _tells_where(words: Words, at: int) -> bool:
    """Whether a clause begins with "which" and a preposition behind its noun: "the ship on which three people died"."""
    behind = words[at].low == "which" and words[at - 1].low in PREPOSITIONS - {"of"}
    return behind and words[0].low in ARTICLES and first_finite(words, at + 1) is not None


def _tells_of_whom(words: Words) -> bool:
    """Whether each pronoun has something before it that it may stand for."""
    for at, word in enumerate(words):
        if word.low not in _SUBJECTS | OWNERS | _OTHERS or any(one.atomic for one in words[:at]):
            continue
        verb = first_finite(words, 1, at)
        if word.low in _SUBJECTS or verb is None or words[verb].low in BE:
            return False
    return True


def _is_clause(words: Words) -> bool:
    """Whether "who is" or "what is" is asked of what is a clause and no noun."""
    if len(words) < 4 or words[0].low not in ("who", "what") or words[1].low not in BE:
        return False
    verb = next((at for at in range(3, len(words)) if finite_at(words, at) and not _qualifies(words, at)), None)
    if verb is None or any(word.low in RELATIVISERS for word in words[2:verb]):
        return False
    return not any(_begins_clause(words, at) for at in range(4, verb))


def _asks_twice(words: Words) -> bool:
    """Whether a second verb follows "did" that belongs to no clause: "which musician did the song was born"."""
    helpers = [at for at, word in enumerate(words) if word.low in AUXILIARIES]
    if len(helpers) < 2 or words[helpers[0]].low not in DO:
        return False
    first, second = helpers[:2]
    opens = any(word.low in RELATIVISERS | CONJUNCTIONS | {","} for word in words[first:second])
    return (
        words[second].low in BE and not opens and not any(_begins_clause(words, at) for at in range(first + 1, second))
    )


def _qualifies(words: Words, at: int) -> bool:
    """Whether what looks like a verb says what or how a thing is: "the match works", "the paid player", "called"."""
    low, behind = words[at].low, words[at + 1] if at + 1 < len(words) else None
    if is_participle(low):
        return behind is None or behind.low in PREPOSITIONS or not words[at - 1].atomic
    return low not in AUXILIARIES and (is_base(low) or (behind is None and not words[at - 1].atomic))


def _begins_clause(words: Words, at: int) -> bool:
    """Whether a clause begins behind its noun without a word of its own: "the city they fly to"."""
    before = words[at - 1]
    begins = words[at].atomic or words[at].low in ARTICLES | PRONOUNS
    return begins and before.kind == "word" and before.low not in FUNCTION_WORDS
