"""Finds the stretches of a question that its steps stand for, by the words that they share.

Weak labels: a step such as "Green >> spouse" shares few words with "the wife of the Green performer". So the words that
questions use for a relation are counted first (``Wordings``); then the best nested stretches are searched for, each
word belonging to the innermost stretch around it. Where a step has nothing in common with its stretch, the question is
left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from polyhop.english.described import PlacedWord, means_something, placed_words
from polyhop.english.words import WH_WORDS
from polyhop.training.stretch_costs import cost
from polyhop.training.taught_plans import RELATION, TaughtPlan

Stretch = tuple[int, int]  # of words, the end behind the last one
Stems = frozenset[str]

MOST_WORDS: Final = 60
STEM: Final = 5  # letters by which words are compared
SEEN_OFTEN, LIFTED, MOST_WORDINGS = 3, 2.5, 25  # a word for a relation: rows with both, times as often as elsewhere
NAMED, SAID, WORDED = 1.5, 1.0, 0.6  # what a word counts that a step has: in a name, otherwise, or for its relation
LEAST: Final = 0.6  # of what a step has to have in common with its stretch

TRIED: Final = 40  # of the best stretches of a step
DEAREST: Final = 1.1  # what may speak against a stretch


@dataclass(frozen=True)
class Wordings:
    """Stems of the words that questions use for each relation."""

    of: Mapping[str, Stems]

    @classmethod
    def counted(cls, plans: Iterable[TaughtPlan]) -> Wordings:
        """From how much more often a word stands in questions with a relation than in all."""
        overall: Counter[str] = Counter()
        beside: dict[str, Counter[str]] = {}
        rows: Counter[str] = Counter()
        total = 0
        for plan in plans:
            words = {stem(word.text) for word in placed_words(plan.question) if means_something(word.text)}
            words -= {one for step in plan.steps for one in stems(_head(step))}
            overall.update(words)
            total += 1
            for relation in {_relation(step) for step in plan.steps} - {""}:
                beside.setdefault(relation, Counter()).update(words)
                rows[relation] += 1
        found: dict[str, Stems] = {}
        for relation, counts in beside.items():
            lifts = {
                word: count / rows[relation] * total / overall[word]
                for word, count in counts.items()
                if count >= SEEN_OFTEN
            }
            best = sorted((word for word in lifts if lifts[word] >= LIFTED), key=lambda word: (-lifts[word], word))
            found[relation] = frozenset(best[:MOST_WORDINGS])
        return cls(found)


@dataclass(frozen=True)
class Aligned:
    """A question's words, and the stretch of each step but the last."""

    words: tuple[PlacedWord, ...]
    stretches: tuple[Stretch, ...]


def aligned(plan: TaughtPlan, wordings: Wordings) -> Aligned | None:
    """The stretches that a plan's steps stand for; None where they cannot be told."""
    words = placed_words(plan.question)
    if len(words) > MOST_WORDS or not words:
        return None
    if len(plan.steps) == 1:
        return Aligned(words, ())
    uses = Counter(one for references in plan.refers_to for one in references)
    if any(uses[place] != 1 for place in range(len(plan.steps) - 1)):
        return None
    found = _Search(words, plan, wordings).best()
    return None if found is None else Aligned(words, found)


Placed = tuple[int, Stretch]  # a step and its stretch


@dataclass(frozen=True, slots=True)
class _Nest:
    """The best that was found for a stretch: what it counts, and the stretches of the steps that its own builds on."""

    score: float
    inner: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class _Search:
    """The best nested stretches, by dynamic programming from the innermost steps outwards."""

    words: tuple[PlacedWord, ...]
    plan: TaughtPlan
    wordings: Wordings

    @cached_property
    def counted(self) -> list[list[float]]:
        """For each step, what each word counts that it has."""
        return [self._counted(step) for step in self.plan.steps]

    def _counted(self, step: str) -> list[float]:
        head, relation = stems(_head(step)), _relation(step)
        said = stems(relation)
        worded = self.wordings.of.get(relation, frozenset())
        found = []
        for word in self.words:
            one = stem(word.text)
            if not means_something(word.text):
                found.append(0.0)
            elif one in head:
                found.append(NAMED if relation or word.text[:1].isupper() else SAID)
            else:
                found.append(SAID if one in said else WORDED if one in worded else 0.0)
        return found

    def _gained(self, step: int) -> list[float]:
        """What the words before each place count for a step, less half of what they count for another one."""
        others = [row for place, row in enumerate(self.counted) if place != step]
        sums = [0.0]
        for at, own in enumerate(self.counted[step]):
            sums.append(sums[-1] + own - 0.5 * max(row[at] for row in others))
        return sums

    @cached_property
    def edges(self) -> dict[Stretch, float]:
        """The stretches that may be described things, and what speaks against each of them."""
        length = len(self.words)
        pairs = [
            (start, end) for start in range(length) for end in range(start + 1, length + 1) if end - start < length
        ]
        costs = ((pair, cost(self.words, *pair)) for pair in pairs)
        return {pair: against for pair, against in costs if against is not None}

    def best(self) -> tuple[Stretch, ...] | None:
        """The best stretches; None where a step would have nothing in common with its own."""
        last = len(self.plan.steps) - 1
        whole = (0, len(self.words))
        tables: list[dict[Stretch, _Nest]] = []
        for step, references in enumerate(self.plan.refers_to):
            sums = self._gained(step)
            table: dict[Stretch, _Nest] = {}
            for stretch, against in ({whole: 0.0} if step == last else self.edges).items():
                inner = _inner(stretch, [(one, tables[one]) for one in references], sums)
                if inner is not None:
                    own = sums[stretch[1]] - sums[stretch[0]] - against
                    table[stretch] = _Nest(inner.score + own, inner.inner)
            tables.append(table)
        found: dict[int, Stretch] = {}
        ahead: list[Placed] = [(last, whole)] if whole in tables[last] else []
        while ahead:
            step, stretch = ahead.pop()
            found[step] = stretch
            ahead += tables[step][stretch].inner
        placed = tuple(found[step] for step in range(last)) if found else ()
        return placed if placed and self._holds(placed) else None

    def _holds(self, stretches: Sequence[Stretch]) -> bool:
        """Whether each step has words of its own, and the last one something left to ask."""
        spans = [*stretches, (0, len(self.words))]
        for step, (start, end) in enumerate(spans):
            inner = [spans[one] for one in self.plan.refers_to[step]]
            left = [at for at in range(start, end) if not any(a <= at < b for a, b in inner)]
            said = [self.words[at].text for at in left]
            if not any(means_something(word) or word.lower() in WH_WORDS for word in said):
                return False
            if step == len(stretches):
                break
            described = any(word[:1].islower() and means_something(word) for word in said)
            own = sum(self.counted[step][at] for at in left)
            if not described or own < LEAST or self.edges[start, end] > DEAREST:
                return False
        return True


def _inner(stretch: Stretch, tables: Sequence[tuple[int, dict[Stretch, _Nest]]], sums: Sequence[float]) -> _Nest | None:
    """The best stretches within one for the steps that its own builds on; None where there are none, or more than two.

    Their words no longer count for the step around them.
    """
    ranked = [_ranked(stretch, step, table, sums) for step, table in tables]
    if not all(ranked) or len(ranked) > 2:
        return None
    if len(ranked) < 2:
        return _Nest(ranked[0][0][0], (ranked[0][0][1],)) if ranked else _Nest(0.0)
    pairs = [
        (score + other, (one, second))
        for score, one in ranked[0]
        for other, second in ranked[1]
        if one[1][1] <= second[1][0] or second[1][1] <= one[1][0]
    ]
    return _Nest(*max(pairs)) if pairs else None


def _ranked(
    stretch: Stretch, step: int, table: dict[Stretch, _Nest], sums: Sequence[float]
) -> list[tuple[float, Placed]]:
    ours = [
        (nest.score - (sums[end] - sums[start]), (step, (start, end)))
        for (start, end), nest in table.items()
        if stretch[0] <= start and end <= stretch[1] and end - start < stretch[1] - stretch[0]
    ]
    return sorted(ours, reverse=True)[:TRIED]


def stem(word: str) -> str:
    """The beginning of a word without accents and case."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))[:STEM]


def stems(text: str) -> Stems:
    """The stems of the words of a text that mean something."""
    return frozenset(stem(word) for word in re.findall(r"\w+", text) if means_something(word))


def _head(step: str) -> str:
    return step.partition(RELATION)[0]


def _relation(step: str) -> str:
    return step.partition(RELATION)[2]
