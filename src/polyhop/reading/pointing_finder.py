"""Candidates for the answer of a step, as the span model points at them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.indexes.folding import fold
from polyhop.models.choice import Models
from polyhop.reading.candidates import Candidate
from polyhop.reading.pointing import Pointed
from polyhop.reading.reader import Quote
from polyhop.reading.weighing import read_weighed
from polyhop.types import Passage


@dataclass(frozen=True, kw_only=True)
class PointingFinder:
    """Finds candidates with the span model, weighed, in the order of their chances."""

    least: float = 0.01  # of the chance: below, nothing is a candidate

    def candidates(
        self, question: str, passages: Sequence[Passage], models: Models, *, names: Sequence[str] = ()
    ) -> list[Candidate]:
        """Candidates, best first, each text once; ``names`` are in the question and need no more telling."""
        read = read_weighed(question, passages, models).found
        passed = {fold(name) for name in names}
        return [
            _candidate(one, one.quote)
            for one in read.answers
            if one.quote is not None and one.chance >= self.least and fold(one.text) not in passed
        ]


def _candidate(pointed: Pointed, quote: Quote) -> Candidate:
    """The model has weighed all that rules would: a candidate fits and is cued as much as it is likely."""
    return Candidate(
        text=pointed.text,
        passage=quote.passage,
        start=pointed.start,
        end=pointed.end,
        sentence_start=quote.start,
        sentence_end=quote.end,
        label="POINTED",
        score=math.log(pointed.chance),
        logit=0.0,
        fit=1.0,
        cue=1.0,
        chance=pointed.chance,
    )
