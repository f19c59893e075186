"""Beam search under a grammar: a model may only say what the grammar allows (KG-Translator, Eq. 4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyhop.indexes.ranking import best
from polyhop.ports import Beams, ConstrainedModel, Floats, Grammar


@dataclass(frozen=True, slots=True)
class Start:
    """One search among several that run in one batch: its grammar, and its row among the beams to begin from."""

    grammar: Grammar
    row: int
    means: Callable[[Any], Hashable] | None = None  # of what means the same at the end only the best is kept


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Something the model may have said: the grammar's state after it, and its log-probability."""

    tokens: tuple[int, ...]
    state: Any
    logprob: float
    row: int

    def score(self, penalty: float) -> float:
        """Log-probability over length to the power of ``penalty``: 0 favours short ones, 1 compares by token."""
        return self.logprob / float(max(len(self.tokens), 1) ** penalty)


@dataclass
class _Search:
    """One search under way."""

    start: Start
    penalty: float
    alive: list[Hypothesis]
    found: dict[Hashable, Hypothesis] = field(default_factory=dict)  # what is finished, by what it means

    @classmethod
    def of(cls, start: Start, penalty: float) -> _Search:
        return cls(start, penalty, [Hypothesis((), start.grammar.root(), 0.0, start.row)])

    @property
    def grammar(self) -> Grammar:
        return self.start.grammar

    @property
    def finished(self) -> list[Hypothesis]:
        """What was said to its end, best first."""
        return sorted(self.found.values(), key=lambda done: (-done.score(self.penalty), done.tokens))

    def finish(self, hypothesis: Hypothesis, end: float) -> None:
        """Keep a hypothesis that ends here, where the grammar lets it and nothing that means the same is better."""
        if not self.grammar.complete(hypothesis.state):
            return
        done = replace(hypothesis, logprob=hypothesis.logprob + end)
        meaning = done.tokens if self.start.means is None else self.start.means(done.state)
        known = self.found.get(meaning)
        if known is None or known.score(self.penalty) < done.score(self.penalty):
            self.found[meaning] = done

    def step(self, logprobs: Floats, width: int, end: int) -> None:
        """Finish what may end here, and continue the best of the rest, each by one allowed token."""
        candidates: list[tuple[float, int, Hypothesis]] = []
        for hypothesis in self.alive:
            row = logprobs[hypothesis.row]
            self.finish(hypothesis, float(row[end]))
            allowed = self.grammar.allowed(hypothesis.state)
            scores = row[allowed]
            for position in best(scores, width):
                total = hypothesis.logprob + float(scores[position])
                candidates.append((total, int(allowed[position]), hypothesis))
        candidates.sort(key=lambda item: -item[0])
        self.alive = [
            Hypothesis((*parent.tokens, token), self.grammar.advance(parent.state, token), total, parent.row)
            for total, token, parent in candidates[:width]
        ]

    def settled(self, width: int) -> bool:
        """Whether no living hypothesis, judged at its present length, is among the best ``width``: the usual stop."""
        if not self.alive:
            return True
        if len(self.found) < width:
            return False
        worst = self.finished[width - 1].score(self.penalty)
        return all(hypothesis.score(self.penalty) <= worst for hypothesis in self.alive)


def beam_search(
    model: ConstrainedModel,
    beams: Beams,
    starts: Sequence[Start],
    *,
    width: int,
    longest: int,
    end: int,
    penalty: float = 1.0,
) -> list[list[Hypothesis]]:
    """For each start the ``width`` best things its grammar allows, best first; fewer where it allows fewer.

    ``end`` is the token that closes what was said; it is scored but not among the tokens returned. All searches advance
    in one batch. A hypothesis that is still open after ``longest`` tokens counts only where its grammar lets it end.
    """
    searches = [_Search.of(start, penalty) for start in starts]
    for _ in range(longest):
        logprobs = beams.logprobs
        for search in searches:
            search.step(logprobs, width, end)
            if search.settled(width):
                search.alive = []
        living = [hypothesis for search in searches for hypothesis in search.alive]
        if not living:
            break
        parents = np.array([hypothesis.row for hypothesis in living], np.int64)
        tokens = np.array([[hypothesis.tokens[-1]] for hypothesis in living], np.int64)
        beams = model.extend(beams, parents, tokens)
        rows = iter(range(len(living)))
        for search in searches:
            search.alive = [Hypothesis(alive.tokens, alive.state, alive.logprob, next(rows)) for alive in search.alive]
    for search in searches:
        for hypothesis in search.alive:
            search.finish(hypothesis, float(beams.logprobs[hypothesis.row][end]))
    return [search.finished[:width] for search in searches]
