"""The planner: which stretches of a question are to be asked first, as smaller questions, and whether it compares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from polyhop.models.cross_encoder import reranker_folder
from polyhop.models.question_spans import COMBINED, OFFSET, PlannerGraph, scores_of
from polyhop.planning.nesting import nested
from polyhop.ports import Floats
from polyhop.training import card, export
from polyhop.training.collection_plans import collection_plans
from polyhop.training.documents import document_files
from polyhop.training.encoder import Bert
from polyhop.training.graph import Head
from polyhop.training.loop import Course, by_length, half_precision, parameter_groups, tell_stage, tokens_sent
from polyhop.training.marked_plans import marked_plans
from polyhop.training.plan_windows import PlanWindow, PlanWindows, plan_windows
from polyhop.training.rows import READING
from polyhop.training.self_taught import UNLABELLED, self_taught
from polyhop.training.skeletons import SKELETONS, skeleton_plans
from polyhop.training.taught_plans import STEPS, taught_plans
from polyhop.training.trainer import Lesson, Trainer

HEADS: Final = (Head(name="edges", on="every token"), Head(name="shape", on="the first token"))
LAYERS: Final = 6  # of the start's twelve: questions are short, and the graph has to be small
EDGE: Final = 64  # numbers that say of a piece what it is as a first one, and as many as a last one
SHAPES: Final = 3
READ_AT_ONCE: Final = 32
MARKED: Final = 3  # times that questions come that somebody has marked: other labels are weak
UNIT: Final = "questions"
COURSE: Final = Course(rows=60_000, cooldown=15_000, tokens=1_200, pool=600, measured_every=6_000, patience=4)


class PlannerNetwork(nn.Module):
    """An encoder with a head on every piece (what it is as the edge of a stretch) and one on the first (the shape)."""

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.edges = nn.Linear(body.shape.width, 2 * EDGE)
        self.shape = nn.Linear(body.shape.width, SHAPES)

    def forward(self, ids: Any, mask: Any) -> tuple[Any, Any]:
        """Of shape (B, T, 2 * EDGE) and (B, 3)."""
        hidden = self.body(ids, mask, torch.zeros_like(ids))
        return self.edges(hidden), self.shape(hidden[:, 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBatch:
    """Windows of one batch, padded: ids and mask (B, T); which pairs of pieces frame words, and gold ones (B, T, T)."""

    ids: Any
    mask: Any
    framing: Any
    gold: Any
    shapes: Any
    told: Any

    @classmethod
    def of(cls, windows: Sequence[PlanWindow], device: Any) -> PlanBatch:
        """The windows, padded to the longest."""
        ids, mask, _ = tokens_sent([one.ids for one in windows], [len(one.ids) for one in windows], device)
        framing = torch.zeros(*ids.shape, ids.shape[1], dtype=torch.bool)
        gold = torch.zeros(*ids.shape, ids.shape[1])
        for row, window in enumerate(windows):
            pieces = window.pieces
            for place, first in enumerate(pieces.firsts):
                framing[row, first, list(pieces.lasts[place:])] = True
            for start, end in window.stretches:
                gold[row, pieces.firsts[start], pieces.lasts[end - 1]] = 1
        shapes = torch.tensor([window.shape for window in windows])
        told = torch.tensor([window.told for window in windows])
        return cls(**{name: value.to(device) for name, value in locals().items() if name in cls.__dataclass_fields__})


def losses(edges: Any, shape: Any, batch: PlanBatch) -> dict[str, Any]:
    """Two losses of (B, T, 2 * EDGE) and logits (B, 3).

    The shape's cross entropy; for the stretches of questions where they are known, the binary cross entropy of every
    pair of a first and a last piece, summed over a question, a mean over all.
    """
    edges = edges.float()
    scores = edges[..., :EDGE] @ edges[..., EDGE:].transpose(1, 2) / math.sqrt(EDGE) - OFFSET
    each = functional.binary_cross_entropy_with_logits(scores, batch.gold, reduction="none")
    counted = each * batch.framing * batch.told[:, None, None]
    return {
        "stretches": counted.sum() / len(batch.told),
        "shape": functional.cross_entropy(shape.float(), batch.shapes),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRead:
    """What was made of one question, beside what it is."""

    source: str
    exact: bool | None  # whether all stretches are as they are to be; None where nobody says which there are
    found: int  # stretches that are right
    said: int
    meant: int
    combined: bool  # whether it is told rightly whether things are compared


@dataclass(frozen=True, kw_only=True)
class PlannerTrainee:
    """The planner's network with its losses, and the questions kept aside."""

    network: PlannerNetwork
    aside: Sequence[PlanWindow]
    device: Any

    def groups(self) -> list[dict[str, Any]]:
        """Of the encoder and of both heads."""
        return parameter_groups(self.network.body, [self.network.edges, self.network.shape])

    def losses(self, batch: Sequence[PlanWindow]) -> dict[str, Any]:
        """Of stretches and shape."""
        padded = PlanBatch.of(batch, self.device)
        with half_precision(self.device):
            edges, shape = self.network(padded.ids, padded.mask)
        return losses(edges, shape, padded)

    def score(self) -> float:
        """The share of the questions kept aside whose plan is right, 0 to 100."""
        return figures(self.readings())["all"]["score"]

    def readings(self) -> list[PlanRead]:
        """What the network, which has to be in eval mode, makes of the questions kept aside."""
        found = []
        for windows in by_length(self.aside, READ_AT_ONCE):
            batch = PlanBatch.of(windows, self.device)
            with half_precision(self.device):
                logits = self.network(batch.ids, batch.mask)
            edges, shape = (value.float().cpu().numpy() for value in logits)
            found += [
                judged(window, scores_of(edges[row], window.pieces), shape[row]) for row, window in enumerate(windows)
            ]
        return found


def judged(window: PlanWindow, scores: Floats, shape: Floats) -> PlanRead:
    """Judge the logits of the stretches of a question's words, and those of its shape."""
    said = set(nested(scores, window.pieces.words))
    meant = set(window.stretches)
    return PlanRead(
        source=window.source,
        exact=said == meant if window.told else None,
        found=len(said & meant) if window.told else 0,
        said=len(said) if window.told else 0,
        meant=len(meant),
        combined=(int(np.argmax(shape)) == COMBINED) == (window.shape == COMBINED),
    )


def figures(readings: Iterable[PlanRead]) -> dict[str, dict[str, float]]:
    """For each source and for all: questions whose stretches are all right, F1 of stretches, comparisons told; 0-100.

    The score counts a question where both are right.
    """
    return card.figures_by(lambda one: one.source, readings, _figures)


def _figures(readings: Sequence[PlanRead]) -> dict[str, float]:
    told = [one.exact for one in readings if one.exact is not None]
    right = [one.combined and one.exact is not False for one in readings]
    table = {
        UNIT: float(len(readings)),
        "comparisons": 100 * sum(one.combined for one in readings) / max(1, len(readings)),
        "score": 100 * sum(right) / max(1, len(readings)),
    }
    if told:
        table["exact"] = 100 * sum(told) / len(told)
    if edges := sum(one.said + one.meant for one in readings):
        table["F1"] = 200 * sum(one.found for one in readings) / edges
    return table


@dataclass(frozen=True, kw_only=True)
class PlannerTrainer(Trainer):
    """Trains a planner; a finished one that is gone on from teaches as well."""

    name: ClassVar[str] = "planner"
    heads: ClassVar = HEADS

    course: Course = COURSE
    body: Callable[[], Bert] = partial(Bert.installed, LAYERS)  # what training starts from, its heads being new
    documents: Path | None = None  # a folder of documents with questions, whose collections have steps, besides
    marked: Sequence[Path] = ()  # files of questions with brackets around what is to be asked first, besides

    def lesson(self, device: Any) -> Lesson:
        """The questions that are taken apart."""
        windows = self._windows()
        network = self.started(PlannerNetwork(self.body())).to(device)
        names = (STEPS, READING, SKELETONS, *((UNLABELLED,) if self.start is not None else ()))
        files = [*(document_files(self.documents) if self.documents else ()), *self.marked]
        trainee = PlannerTrainee(network=network, aside=windows.aside, device=device)
        return Lesson(
            trainee=trainee,
            examples=windows.training,
            hashes=self.hashes(names, files),
            as_trained=lambda: figures(trainee.readings()),
            as_exported=lambda folder: figures(readings_of(folder, windows.aside)),
            told={
                "purpose": PURPOSE,
                "sources": card.origins((window.source, window.licence) for window in windows.training),
                "limits": LIMITS,
                "unit": UNIT,
                "columns": (UNIT, "exact", "F1", "comparisons", "score"),
                "explained": EXPLAINED,
            },
        )

    def _windows(self) -> PlanWindows:
        tell_stage(self.listener, "reading rows")
        plans = [*taught_plans(self.data, seed=self.course.seed), *skeleton_plans(self.data)]
        plans += collection_plans(self.documents) if self.documents is not None else []
        marked = [plan for file in self.marked for plan in marked_plans(file, self.data)]
        known = {plan.question.casefold() for plan in marked}
        plans = [plan for plan in plans if plan.question.casefold() not in known]
        tell_stage(self.listener, "finding steps in questions")
        windows = plan_windows(plans, reranker_folder() / export.TOKENIZER, seed=self.course.seed)
        told = plan_windows(marked, reranker_folder() / export.TOKENIZER, seed=self.course.seed)
        windows = PlanWindows((*windows.training, *told.training * MARKED), (*windows.aside, *told.aside))
        if self.start is None or self.marked:  # what somebody has marked teaches better than what a planner takes apart
            return windows
        tell_stage(self.listener, "taking questions apart")
        taught = self_taught(self.data, PlannerGraph(self.start), seed=self.course.seed)
        return replace(windows, training=(*windows.training, *taught))


def readings_of(folder: Path, windows: Sequence[PlanWindow]) -> list[PlanRead]:
    """What an exported graph makes of questions, each read alone, as it is later."""
    graph = PlannerGraph(folder)
    read = [(window, graph.reading(window.pieces)) for window in windows]
    return [judged(window, reading.stretches, reading.shape) for window, reading in read]


PURPOSE: Final = """\
Reads a question alone. For each pair of words: whether they frame the description of something that has to be found \
first, so that its answer takes the description's place. For the whole: whether it takes one step, a chain of them, or \
compares several things."""
EXPLAINED: Final = (
    "On questions that were kept aside, one in twenty. Exact is how often all descriptions are found and nothing else, "
    "F1 is over descriptions, comparisons is how often it is told rightly whether things are compared; the score "
    "counts a question where both are right. What the descriptions are was told from steps in words, by words that "
    "they share with the question: some of what counts as wrong is right, and the reverse."
)
LIMITS: Final = (
    "English only. Questions of at most 160 pieces.",
    "Most questions of several steps are about entities of Wikipedia.",
    "Only what stands in the question is found: a step that it leaves out is not added.",
    "What a comparison asks of each of the things compared is not told, only that it is one.",
)
