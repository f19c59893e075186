"""The model that takes questions apart: an encoder of our own, trained to find descriptions within a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from polyhop.models.once import once
from polyhop.models.pieces import whole_tokenizer
from polyhop.models.question_pieces import MOST_PIECES, QuestionPieces, question_pieces
from polyhop.models.session import feed_of, open_session
from polyhop.models.weights import check_sizes, trained_folder
from polyhop.ports import Floats

OFFSET: Final = 3.0  # few stretches are descriptions: what is not learnt is none
OUTPUTS: Final = ("edges", "shape")
SINGLE, CHAIN, COMBINED = range(3)  # the order of the graph's second output


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReading:
    """What the model makes of a question of n words."""

    pieces: QuestionPieces
    stretches: Floats  # (n, n): how likely a first and a last word frame what is to be asked first, as logits
    shape: Floats  # (3,): how likely it takes one step, a chain of them, or compares: probabilities


class PlannerGraph:
    """The graph with its tokenizer. Raises ModelError for files that it cannot use."""

    def __init__(self, folder: Path) -> None:
        self._session = open_session(folder / "model.onnx", threads=1, gives=OUTPUTS)
        self.tokenizer = whole_tokenizer(folder / "tokenizer.json")

    def read(self, question: str) -> QuestionReading | None:
        """The reading of a question; None for what is too long to be one, or has no words."""
        pieces = question_pieces(self.tokenizer, question)
        if not pieces.words or len(pieces.ids) > MOST_PIECES:
            return None
        return self.reading(pieces)

    def reading(self, pieces: QuestionPieces) -> QuestionReading:
        """The reading of a question's pieces."""
        edges, shape = self._session.run(OUTPUTS, feed_of(pieces.ids, len(pieces.ids)))
        likely = np.exp(shape[0] - shape[0].max())
        return QuestionReading(
            pieces=pieces,
            stretches=scores_of(edges[0], pieces),
            shape=likely / likely.sum(),
        )


def scores_of(edges: Floats, pieces: QuestionPieces) -> Floats:
    """The logits of all stretches of words, from what each piece is as a first and as a last one."""
    width = edges.shape[1] // 2
    firsts, lasts = edges[list(pieces.firsts), :width], edges[list(pieces.lasts), width:]
    scores: Floats = firsts @ lasts.T / math.sqrt(width) - OFFSET
    return scores


def planner_graph(folder: str | None = None) -> PlannerGraph:
    """The model in a folder that training wrote, or the installed one. Raises ModelMissing, ModelError."""
    return _loaded(trained_folder(folder or None, "planner"))


@once
def _loaded(folder: Path) -> PlannerGraph:
    check_sizes(folder)
    return PlannerGraph(folder)
