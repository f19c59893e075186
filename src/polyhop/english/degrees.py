"""More and most of something: what a question compares things by, and how that is asked of each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from polyhop.english.options import split_options
from polyhop.english.question import Word, Words, asking_part, read_words, render
from polyhop.english.verbs import base_form, is_finite
from polyhop.english.words import ARTICLES, AUXILIARIES, BE, DO, HAVE, PREPOSITIONS, WH_WORDS, word_set

_POLES: Final = tuple(
    (large, small)
    for large, _, small in (
        pair.partition("/")
        for pair in word_set(
            "long/short large/small big/little tall high/low heavy/light deep/shallow wide/narrow broad thick/thin "
            "fast/slow old/young old/new expensive/cheap far/near far/close strong/weak warm/cold hot/cool loud/quiet "
            "late/early late/soon powerful populous great quick bright/dim busy steep"
        )
    )
)
NEUTRAL: Final = {pole: large for large, small in _POLES for pole in (large, small) if pole}
"""Adjectives that are measured, with the one by which that is asked: "how light" is "how heavy"."""

DIMENSIONS: Final = {
    "expensive": "price cost fee charge rate", "heavy": "weight mass", "long": "length duration", "tall": "height",
    "high": "height altitude elevation", "deep": "depth", "wide": "width breadth", "broad": "breadth width",
    "thick": "thickness", "old": "age", "fast": "speed", "quick": "speed", "large": "size area", "far": "distance",
    "strong": "strength", "powerful": "power", "hot": "temperature", "warm": "temperature", "populous": "population",
}  # fmt: skip
"""What is measured by an adjective, as columns are called that tell it: how expensive things are, their prices."""

_SMALL: Final = frozenset(small for _, small in _POLES)
_IRREGULAR: Final = {
    "more": ("much", True), "most": ("much", True), "less": ("much", False), "least": ("much", False),
    "fewer": ("many", False), "fewest": ("many", False), "further": ("far", True), "furthest": ("far", True),
    "farther": ("far", True), "farthest": ("far", True), "dearer": ("expensive", True), "dearest": ("expensive", True),
    "costlier": ("expensive", True), "costliest": ("expensive", True), "pricier": ("expensive", True),
}  # fmt: skip
_ASKING: Final = word_set("which what who whose where")
_PLURALS: Final = word_set("people men women children")
_RANGES: Final = word_set("large high great")  # of what is a number by itself: "a larger population"
_WITHOUT_FORMS: Final = word_set("expensive powerful populous far little")  # "more expensive", "farther", "less"
_DOUBLED: Final = re.compile(r"^[^aeiou]+[aeiou][^aeiouwxy]$")  # "big", "thin": their last letter is said twice


@dataclass(frozen=True, slots=True)
class Degree:
    """What things are compared by; ``asked`` has a gap for one of them: "How heavy is {}?"."""

    asked: str
    more: bool  # the one with more of it is asked for, rather than that with less
    most: bool  # of all there are, rather than of two
    noun: str = ""  # what the question calls the things: "berth"


def _forms() -> Iterator[tuple[str, tuple[str, bool]]]:
    """The comparatives and superlatives of adjectives that are measured, with these, and whether they mean more."""
    for adjective, neutral in NEUTRAL.items():
        if adjective in _WITHOUT_FORMS:
            continue
        stem = adjective.removesuffix("e")
        if adjective.endswith("y"):
            stem = f"{adjective[:-1]}i"
        elif _DOUBLED.search(adjective):
            stem += stem[-1]
        for ending in ("er", "est"):
            yield stem + ending, (neutral, adjective not in _SMALL)


FORMS: Final = {**dict(_forms()), **_IRREGULAR}
"""Comparatives and superlatives, with the adjective by which is asked, and whether they mean more of it."""


def asked_degree(question: str) -> Degree | None:
    """What a question that asks for the more or the most of something compares by; None for any other."""
    words = read_words(asking_part(question))
    options = split_options(words)
    return degree_in(words, most=True) if options is None else degree_in(options.frame, most=False)


def degree_in(frame: Words, *, most: bool) -> Degree | None:
    """What the words of a question compare by, without the options; ``most``: it offers none, and may mean all."""
    low = [word.low for word in frame]
    at = next((at for at, word in enumerate(low) if word in FORMS and low[at - 1] != "at"), None)  # "at least"
    if at is None or low[0] not in (_ASKING if most else _ASKING | BE | DO):
        return None
    adjective, more = FORMS[low[at]]
    end = at + 1
    if adjective == "much" and low[end : end + 1] and low[end] in NEUTRAL:
        adjective, more, end = NEUTRAL[low[end]], more == (low[end] not in _SMALL), end + 1
    asked = _asked(frame, at, end, adjective)
    if asked is None:
        return None
    noun = _noun(frame, at)
    of_two = bool(noun) and low[at - 1] in ("is", "was") and "than" not in low[at:]  # that there are: "is cheaper"
    most = most and (of_two or low[at].endswith("est") or low[at] in ("most", "least"))
    return Degree(asked, more, most, noun)


def degree_within(frame: Words) -> Degree | None:
    """What a question that begins with its verb compares by; it has the gap already: "does {} weigh more"."""
    low = [word.low for word in frame]
    apart = ARTICLES | {"at"}  # "at least"; "the thicker gloves" are told apart, and not compared
    at = next((at for at, word in enumerate(low) if at and word in FORMS and low[at - 1] not in apart), None)
    if at is None or low[at + 1 : at + 2] == ["than"]:
        return None
    adjective, more = FORMS[low[at]]
    ends = {"", *PREPOSITIONS}
    counts = takewhile(lambda word: word.low not in ends and not is_finite(word.low), frame[at + 1 :])
    counted = tuple(counts) if low[at] in _IRREGULAR else ()
    measured = f"{quantifier(counted)} {render(counted)}" if counted else adjective
    rest = frame[at + 1 + len(counted) :]
    return Degree(f"How {measured} {render((Word(low[0]), *frame[1:at], *rest))}?", more, most=False)


def _asked(frame: Words, at: int, end: int, adjective: str) -> str | None:
    """How much one thing has of it, as a question with a gap; None where no verb says what it does."""
    before = at - (frame[at - 1].low in ARTICLES)  # "costs the most"
    verb = _verb(frame, before)
    behind = frame[end + (end < len(frame) and frame[end].low in ARTICLES) :]
    if verb is None:
        return None
    said = frame[verb].low
    doing = tuple(word for word in frame[verb + 1 : before] if word.low != "for")  # "active for longer"
    whither = behind if behind and behind[0].low in ("to", "from") else ()
    if adjective == "much" and behind and behind[0].low == "often":
        adjective, whither = "often", behind[1:]
    if adjective in ("much", "many"):
        if said in BE or (behind and behind[0].low == "than"):
            return None  # "the most common", "more than 100 books"
        adjective, whither = f"{quantifier(behind)} {render(behind)}" if behind else adjective, ()
    elif said in HAVE and behind and not doing:
        asked = "What" if adjective in _RANGES else f"How {adjective}"
        return f"{asked} is the {render(behind)} of {{}}?"
    elif adjective == "far" and len(whither) < len(behind):
        return None  # "further north"
    if frame[0].low in BE | {"where"} and said in BE:  # "is lamp A3 or A4 cheaper?"
        return f"How {adjective} is {render((*doing, Word('{}'), *whither))}?"
    if said in BE or (said in HAVE and doing):
        return f"How {adjective} {said if doing else 'is'} {render((Word('{}'), *doing, *whither))}?"
    does = "does" if said.endswith("s") or base_form(said) == said else "did"
    return f"How {adjective} {does} {render((Word('{}'), Word(base_form(said)), *doing, *whither))}?"


def _verb(frame: Words, before: int) -> int | None:
    """Where the verb stands that says what a thing does, "has been" from its beginning; None where none can be it."""
    finite = [i for i in range(before) if frame[i].low not in WH_WORDS and is_finite(frame[i].low)]
    verb = finite[-1] if finite else before - 1
    while verb - 1 in finite and frame[verb - 1].low in AUXILIARIES:
        verb -= 1
    return None if verb < 1 - (frame[0].low in BE) or frame[verb].atomic else verb


def quantifier(noun: Words) -> str:
    """Whether what is counted stands in the plural: "how many pen names"."""
    last = [word.low for word in takewhile(lambda word: word.low not in PREPOSITIONS | {"per"}, noun)][-1:]
    return "many" if last and (last[0].endswith("s") or last[0] in _PLURALS) else "much"


def _noun(frame: Words, at: int) -> str:
    """What the things are called: behind the word that asks, or behind the superlative."""
    asked = frame[1:at] if frame[0].low in ("which", "what") else ()
    return _nominal(asked) or _nominal(frame[at + 1 :])


def _nominal(words: Words) -> str:
    ends = BE | DO | HAVE | PREPOSITIONS
    return render(takewhile(lambda word: word.kind != "mark" and word.low not in ends, words))
