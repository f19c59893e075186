"""The options that a question offers: what an "or" joins is told by a small model that was trained on questions.

For each way to cut options out of the question the model adds up what their signs are worth: the words that they begin
and end with, what stands before and behind them, and how alike they are. The same sum is made for offering nothing.
Signs are words of closed classes (articles, prepositions, verbs that ask ...) and the shapes of others, never other
words themselves. ``data/options.toml`` has what they are worth; ``benchmarks/fit_options.py`` fits it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from polyhop.english.listed_options import Split, as_name, options_listed
from polyhop.english.question import DOUBTING, LONGEST_QUESTION, OWNS, Word, Words, asking_part, read_words, render
from polyhop.english.tables import table
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, FUNCTION_WORDS, PREPOSITIONS, WH_WORDS, word_set

LONGEST: Final = 14  # words of an option
MOST_JOINING: Final = 6  # times that "or" is looked at
MOST_SHARED: Final = 5  # words behind the options that belong to each
_TOKEN: Final = re.compile(r"\w+(?:[-'’./&]\w+)*(?:(?<=s)['’])?|[^\w\s]")
_TELLING: Final = FUNCTION_WORDS | word_set("one ones either rather more most less least better each other true false")
_INSIDE: Final = PREPOSITIONS | WH_WORDS | AUXILIARIES | ARTICLES | {"verb"}  # what is told of the middle of an option
_ENDINGS: Final = ("ing", "ed", "ly", "er", "est", "s")
_ENDS: Final = frozenset({"END", "?"})
_DIVIDING: Final = frozenset({",", "or"})
_NEITHER: Final = frozenset({"not", "so", "no"})  # "or not", "or so": nothing is offered

OFFERING: Final = 0.5  # the least chance that a question offers what an "or" joins
_VERDICTS: Final = word_set("true false right wrong yes no correct incorrect")
GAP: Final = "{}"

Signs = frozenset[str]


class Cut(NamedTuple):
    """Where options stand among a question's tokens: one up to the "or", others before it where there are several."""

    start: int
    at: int  # where the "or" stands
    end: int
    several: bool = False  # commas, or others of it, divide what stands before the "or"


@dataclass(frozen=True, slots=True)
class Joined:
    """The options that an "or" joins, and what stands around them, as characters of the question."""

    question: str
    options: tuple[str, ...]  # two or more, each with what all of them share
    start: int
    end: int  # behind what they share
    chance: float  # that the question offers them, in [0, 1]

    @property
    def questions(self) -> tuple[str, ...]:
        """What is asked of each option alone."""
        return tuple(f"{self.question[: self.start]}{one}{self.question[self.end :]}" for one in self.options)


@dataclass(frozen=True)
class Tokens:
    """A question as words and marks."""

    text: str

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each stands in the text."""
        return [found.span() for found in _TOKEN.finditer(self.text)]

    @cached_property
    def words(self) -> list[str]:
        """Each as it is written."""
        return [self.text[start:end] for start, end in self.spans]

    @cached_property
    def classes(self) -> list[str]:
        """A word of a closed class or a mark as it is, of any other only its shape."""
        return [_class(word, first=at == 0) for at, word in enumerate(self.words)]

    @cached_property
    def end(self) -> int:
        """Behind the last one, but for the mark that ends the question."""
        return len(self.words) - (self.words[-1:] in (["?"], ["."], ["!"]))

    @cached_property
    def first_mark(self) -> int:
        """Which is the first that divides clauses; -1 where none does."""
        return next((at for at, word in enumerate(self.words) if word in ",:;"), -1)

    @cached_property
    def within_names(self) -> frozenset[int]:
        """Which stand behind the beginning of a name that is known as one."""
        found: set[int] = set()
        place = 0
        for word in read_words(self.text):
            start = self.text.find(word.text, place)
            if start >= 0:
                place = start + len(word.text)
                found |= {at for at, (begin, _) in enumerate(self.spans) if word.atomic and start < begin < place}
        return frozenset(found)

    def class_at(self, at: int) -> str:
        """The class of one, also where the question has ended or not yet begun."""
        return self.classes[at] if 0 <= at < len(self.classes) else "END"

    def cuts(self) -> Iterator[Cut]:
        """Each way to cut options out."""
        words = self.words
        places = range(1, self.end - 1)
        joining = (at for at in places if words[at].lower() == "or" and words[at + 1].lower() not in _NEITHER)
        for at in islice(joining, MOST_JOINING):
            for start in range(max(at - LONGEST, 0), at):
                for end in range(at + 2, min(at + LONGEST, self.end) + 1):
                    yield Cut(start, at, end)
                    if not _DIVIDING.isdisjoint(words[start + 1 : at - 1]):
                        yield Cut(start, at, end, several=True)

    def text_of(self, start: int, end: int) -> str:
        """The text from one to before another."""
        return self.text[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""


@lru_cache(maxsize=64)  # a planner, a reader and others ask for the options of one question
def joined(question: str) -> Joined | None:
    """What the likeliest options of a question are; None where no "or" joins anything."""
    tokens = Tokens(" ".join(question.split()))
    if "or" not in (word.lower() for word in tokens.words) or len(tokens.words) > LONGEST_QUESTION:
        return None
    cut = likeliest(tokens, _weights("cuts"))
    if cut is None:
        return None
    end = cut.end + likeliest_shared(tokens, cut, _weights("shared"))
    tail = f" {tokens.text_of(cut.end, end)}" if end > cut.end else ""
    options = tuple(f"{one}{tail}" for one in options_of(tokens, cut))
    if len({option.lower() for option in options}) < len(options):
        return None  # nothing is to be chosen
    chance = 1 / (1 + math.exp(-worth(signs_of_offering(tokens, cut), _weights("offering"))))
    return Joined(tokens.text, options, tokens.spans[cut.start][0], tokens.spans[end - 1][1], chance)


def likeliest(tokens: Tokens, weights: Mapping[str, float]) -> Cut | None:
    """The way to cut options out whose signs are worth most; None where there is none."""
    return max(tokens.cuts(), key=lambda cut: worth(signs_of_cut(tokens, cut), weights), default=None)


def likeliest_shared(tokens: Tokens, cut: Cut, weights: Mapping[str, float]) -> int:
    """How many words behind the options belong to each, as their signs have it."""
    return max(shared_counts(tokens, cut), key=lambda count: worth(signs_of_shared(tokens, cut, count), weights))


def options_of(tokens: Tokens, cut: Cut) -> tuple[str, ...]:
    """The options, without what they share."""
    return tuple(tokens.text_of(start, end) for start, end in _stretches(tokens, cut))


def signs_of_cut(tokens: Tokens, cut: Cut) -> Signs:
    """What tells whether these are the options: their ends, what is around them, and how alike they are."""
    start, at, end, _ = cut
    stretches = _stretches(tokens, cut)
    left = stretches[0][1]
    begins, closes = tokens.class_at(start), tokens.class_at(left - 1)
    begins_right, closes_right = tokens.class_at(at + 1), tokens.class_at(end - 1)
    before, behind = tokens.class_at(start - 1), tokens.class_at(end)
    lengths = left - start, end - at - 1
    signs = {
        f"before {before}", f"before {before} {begins}", f"begins {begins}", f"words {min(lengths[0], 8)}",
        f"behind {behind}", f"behind {closes_right} {behind}", f"closes {closes_right}", f"right {min(lengths[1], 8)}",
        f"both begin {begins} {begins_right}", f"both close {closes} {closes_right}",
        f"around {before} {behind}", f"longer {max(min(lengths[0] - lengths[1], 5), -5)}",
        f"asks {tokens.class_at(0)} {before}", f"asks {tokens.class_at(0)} {behind}",
        f"between {before} {begins_right}", f"as long {lengths[0] == lengths[1]} {behind}", f"several {len(stretches)}",
    }  # fmt: skip
    alike = {
        "same word": tokens.words[start].lower() == tokens.words[at + 1].lower(),
        "alike": begins == begins_right,
        "close alike": closes == closes_right,
        "as long": lengths[0] == lengths[1],
        "from the first mark to the end": behind in _ENDS and tokens.first_mark == start - 1,
        "begins within a name": start in tokens.within_names,
        "ends within a name": end in tokens.within_names,
        "or within a name": at in tokens.within_names,
        "divides a name": any(first in tokens.within_names for first, _ in stretches[1:-1]),
        "comma left": "," in tokens.words[start + 1 : at - 1],
        "or left": "or" in tokens.words[start + 1 : at - 1],
        "again": begins_right in FUNCTION_WORDS and begins_right in tokens.classes[start + 1 : at],
        "all alike": len({tokens.class_at(first) for first, _ in stretches}) == 1 and len(stretches) > 2,
    }
    signs |= {sign for sign, holds in alike.items() if holds}
    signs |= {f"left has {kind}" for kind in _kinds(tokens, start + 1, at)}
    signs |= {f"right has {kind}" for kind in _kinds(tokens, at + 2, end)}
    return frozenset(signs)


def signs_of_shared(tokens: Tokens, cut: Cut, count: int) -> Signs:
    """What tells whether so many words behind the options belong to each of them."""
    end = cut.end + count
    closes, first, behind = tokens.class_at(cut.end - 1), tokens.class_at(cut.end), tokens.class_at(end)
    asks = tokens.class_at(0)
    if not count:
        return frozenset({"none", f"none {closes} {first}", f"none {first}", f"none {closes}", f"none {asks} {first}"})
    return frozenset(
        {
            f"{count}", f"first {first}", f"first {closes} {first}", f"closes {closes}",
            f"last {tokens.class_at(end - 1)} {behind}", f"behind {behind}",
            f"begins {tokens.class_at(cut.start)} {count}", f"ends {behind} {count}",
            f"leaves {asks if cut.start == 1 else 'more'} {behind in _ENDS}",
            *(f"has {kind}" for kind in _kinds(tokens, cut.end + 1, end)),
        }
    )  # fmt: skip


def signs_of_offering(tokens: Tokens, cut: Cut) -> Signs:
    """What tells whether the question offers these to choose from, rather than to mean either."""
    start, at, end, several = cut
    begins, before, behind = tokens.class_at(0), tokens.class_at(start - 1), tokens.class_at(end)
    return frozenset({
        "always", f"asks {begins}", f"asks {begins} {tokens.class_at(1)}", f"before {before}", f"behind {behind}",
        f"asks {begins} before {before}", f"asks {begins} behind {behind}", f"right {tokens.class_at(at + 1)}",
        f"both {tokens.class_at(start)} {tokens.class_at(at + 1)}", f"several {several}",
        *(f"in front {one}" for one in tokens.classes[1:start]), *(f"afterwards {one}" for one in tokens.classes[end:]),
    })  # fmt: skip


def shared_counts(tokens: Tokens, cut: Cut) -> range:
    """How many words behind the options each may share."""
    return range(min(MOST_SHARED, tokens.end - cut.end) + 1)


def worth(signs: Signs, weights: Mapping[str, float]) -> float:
    """What signs are worth together."""
    return math.fsum(weights.get(sign, 0.0) for sign in signs)  # in any order the same


def _stretches(tokens: Tokens, cut: Cut) -> list[tuple[int, int]]:
    """Where each option stands."""
    left = cut.at - (tokens.words[cut.at - 1] == "," and cut.at - 1 > cut.start)
    divided = [at for at in range(cut.start + 1, left) if cut.several and tokens.words[at] in _DIVIDING]
    starts, ends = [cut.start, *(at + 1 for at in divided)], [*divided, left]
    return [*((start, end) for start, end in zip(starts, ends, strict=True) if end > start), (cut.at + 1, cut.end)]


def _kinds(tokens: Tokens, start: int, end: int) -> Iterator[str]:
    """What is told of the words in the middle of an option: those of closed classes, marks and verbs."""
    for at in range(start, end):
        one = tokens.classes[at]
        if one in _INSIDE or not one[0].isalnum():
            yield one


def _class(word: str, *, first: bool) -> str:
    low = word.lower()
    if word[0].isupper() and not first and low != "i":
        return "Name"
    if low in _TELLING or not word[0].isalnum():
        return low
    if any(character.isdigit() for character in word):
        return "0"
    if is_finite(low) or is_participle(low):
        return "verb"
    return f"-{next((ending for ending in _ENDINGS if low.endswith(ending)), '')}"


def _weights(name: str) -> Mapping[str, float]:
    weights: Mapping[str, float] = table("options")[name]
    return weights


# -- what is offered, around the model


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What a question for a yes or no joins, what is asked of each, and the question with a gap for them."""

    options: tuple[str, ...]  # two or more
    questions: tuple[str, ...]
    frame: Words
    offered: bool  # to choose from; otherwise a yes or no may answer the whole question: "may I bring cats or dogs?"


def choices(question: str) -> tuple[str, ...] | None:
    """The options that the question offers ("..., X or Y?"), as written; None if it offers none."""
    found = split_options(read_words(asking_part(question)))
    return None if found is None else tuple(option.text for option in found.options)


def split_options(words: Words) -> Split | None:
    """A question's options apart from its other words; None if it offers none."""
    found = joined(f"{render(words)}?")
    if found is None or found.chance < OFFERING or _is_of_circumstance(words, found):
        return options_listed(words)
    before, behind = _around(words, found.start, found.end)
    options = tuple(as_name(read_words(option)) for option in found.options)
    named = {option.text.lower(): option for option in options if option is not None}
    return Split((*before, *behind), tuple(named.values())) if len(named) == len(options) else None


def _is_of_circumstance(words: Words, found: Joined) -> bool:
    """Whether it is asked where or when both are: "where can I buy bread or milk?"; not "where is it, in A or B?"."""
    before = found.question[: found.start].lower().split()
    last = next((word[-1] for word in reversed(before) if word not in PREPOSITIONS), "")
    more = any(low.endswith("er") and one not in ARTICLES for one, low in pairwise(before))  # "where is it warmer in"
    return words[0].low in ("where", "when", "why", "how") and last not in ",:;-–—" and not more


def alternatives(question: str) -> Alternatives | None:
    """What a question for a yes or no joins with "or"; None where it joins nothing, or the verdicts themselves."""
    words = read_words(asking_part(question))
    if not words or words[0].low not in DOUBTING:
        return None
    found = joined(f"{render(words)}?")
    if found is None or found.start == 0 or _VERDICTS.issuperset(option.lower() for option in found.options):
        return None
    frame = read_words(f"{found.question[: found.start]}{GAP}{found.question[found.end :]}", [GAP])
    return Alternatives(found.options, found.questions, frame, offered=found.chance >= OFFERING)


def _around(words: Words, start: int, end: int) -> tuple[Words, Words]:
    """The words before and behind a stretch of their text, without the marks next to it."""
    before: list[Word] = []
    behind: list[Word] = []
    place = 0
    for word in words:
        place += place > 0 and word.kind != "mark"
        if place < start:
            before += _part(word, 0, start - place)
        if place + len(word.text) > end:
            behind += _part(word, max(end - place, 0), len(word.text))
        place += len(word.text)
    while before and before[-1].kind == "mark" and before[-1] != OWNS:
        before.pop()
    while behind and behind[0].kind == "mark":
        behind.pop(0)
    return tuple(before), tuple(behind)


def _part(word: Word, start: int, end: int) -> Words:
    text = word.text[start:end].strip()
    return (Word(text, word.kind),) if text else ()
