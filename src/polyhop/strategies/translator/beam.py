"""Beam search under a grammar: a model may only say what the grammar allows (KG-Translator, Eq. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyhop.indexes.ranking import best
from polyhop.ports import Beams, ConstrainedModel, Floats, Grammar


@dataclass(frozen=True, slots=True)
class Start:
    """One search among several that run in one batch: its grammar, and its row among the beams to begin from."""

    grammar: Grammar
    row: int


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

    grammar: Grammar
    alive: list[Hypothesis]
    finished: list[Hypothesis]

    def step(self, logprobs: Floats, width: int, end: int) -> None:
        """Finish what may end here, and continue the best of the rest, each by one allowed token."""
        candidates: list[tuple[float, int, Hypothesis]] = []
        for hypothesis in self.alive:
            row = logprobs[hypothesis.row]
            if self.grammar.complete(hypothesis.state):
                ended = hypothesis.logprob + float(row[end])
                self.finished.append(Hypothesis(hypothesis.tokens, hypothesis.state, ended, hypothesis.row))
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

    def settled(self, width: int, penalty: float) -> bool:
        """Whether no living hypothesis, judged at its present length, is among the best ``width``: the usual stop."""
        if not self.alive:
            return True
        if len(self.finished) < width:
            return False
        worst = sorted((done.score(penalty) for done in self.finished), reverse=True)[width - 1]
        return all(hypothesis.score(penalty) <= worst for hypothesis in self.alive)


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
    searches = [_Search(start.grammar, [Hypothesis((), start.grammar.root(), 0.0, start.row)], []) for start in starts]
    for _ in range(longest):
        logprobs = beams.logprobs
        for search in searches:
            search.step(logprobs, width, end)
            if search.settled(width, penalty):
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
            if search.grammar.complete(hypothesis.state):
                ended = hypothesis.logprob + float(beams.logprobs[hypothesis.row][end])
                search.finished.append(Hypothesis(hypothesis.tokens, hypothesis.state, ended, hypothesis.row))
    return [
        sorted(search.finished, key=lambda done: (-done.score(penalty), done.tokens))[:width] for search in searches
    ]
