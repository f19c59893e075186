"""Questions with the stretches that are to be found in them, as the planner is trained on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyhop.models.pieces import whole_tokenizer
from polyhop.models.question_pieces import MOST_PIECES, QuestionPieces, question_pieces
from polyhop.models.question_spans import CHAIN, COMBINED, SINGLE
from polyhop.planning.nesting import Stretch
from polyhop.training.plan_alignment import Aligned, Wordings, aligned
from polyhop.training.rows import TrainingSplit
from polyhop.training.taught_plans import TaughtPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWindow:
    """One question as pieces, with the stretches of its words that its steps stand for."""

    source: str
    licence: str
    pieces: QuestionPieces
    stretches: tuple[Stretch, ...]
    shape: int
    told: bool = True  # whether it is known which stretches there are: where steps compare, they are not looked for

    @property
    def ids(self) -> tuple[int, ...]:
        """Its pieces."""
        return self.pieces.ids


PlanWindows = TrainingSplit[PlanWindow]


def plan_windows(plans: Sequence[TaughtPlan], tokenizer: Path, *, seed: int = 0) -> PlanWindows:
    """The windows of all plans whose steps can be found in their questions, in an order of their own."""
    read = whole_tokenizer(tokenizer)
    wordings = Wordings.counted(plan for plan in plans if not plan.is_kept_aside)
    found = ((_window(plan, question_pieces(read, plan.question), wordings), plan.is_kept_aside) for plan in plans)
    made = [(window, kept) for window, kept in found if window is not None]
    return PlanWindows.of(made, random.Random(seed))  # noqa: S311


def _window(plan: TaughtPlan, pieces: QuestionPieces, wordings: Wordings) -> PlanWindow | None:
    if len(pieces.ids) > MOST_PIECES or not pieces.words:
        return None
    window = PlanWindow(source=plan.source, licence=plan.licence, pieces=pieces, stretches=(), shape=COMBINED)
    if not plan.steps:
        return replace(window, told=False)
    places = _places(aligned(plan, wordings)) if plan.marked is None else plan.marked
    if places is None:
        return None
    at = {word.start: place for place, word in enumerate(pieces.words)}
    ends = {word.end: place + 1 for place, word in enumerate(pieces.words)}
    if not all(start in at and end in ends for start, end in places):
        return None  # a word that the encoder knows no pieces of stands at an edge
    stretches = sorted((at[start], ends[end]) for start, end in places)
    shape = COMBINED if plan.combines else CHAIN if len(plan.steps) > 1 else SINGLE
    return replace(window, stretches=tuple(stretches), shape=shape)


def _places(found: Aligned | None) -> tuple[tuple[int, int], ...] | None:
    """The characters of each stretch."""
    if found is None:
        return None
    return tuple((found.words[start].start, found.words[end - 1].end) for start, end in found.stretches)
