"""Questions that nobody has taken apart, as a finished planner takes them apart.

The questions are known to take several steps, so that a planner learns from them which words lead on. Those in which
the finished one finds nothing teach nothing, and are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from polyhop.models.question_spans import CHAIN, COMBINED, PlannerGraph
from polyhop.planning.nesting import nested
from polyhop.store.json_lines import rows
from polyhop.training.plan_windows import PlanWindow
from polyhop.training.taught_plans import TaughtPlan

UNLABELLED: Final = "questions_unlabelled.jsonl.gz"
MOST: Final = 10_000
LEAST: Final = 0.43  # how likely a description has to be for it to be taught


def self_taught(folder: Path, teacher: PlannerGraph, *, seed: int = 0) -> Iterator[PlanWindow]:
    """Windows of some questions that take several steps. Raises DatasetError with file and line."""
    if not (folder / UNLABELLED).exists():
        return
    plans = [
        TaughtPlan(
            source=line.text("src"),
            licence=line.text("licence", "license"),
            question=" ".join(line.text("question").split()),
            steps=(),
        )
        for line in rows(folder / UNLABELLED)
    ]
    plans = [plan for plan in plans if not plan.is_kept_aside]
    for plan in random.Random(seed).sample(plans, min(MOST, len(plans))):  # noqa: S311
        read = teacher.read(plan.question)
        if read is None or read.shape[COMBINED] > 0.5:
            continue
        stretches = nested(read.stretches, read.pieces.words, likely=LEAST)
        if stretches:
            yield PlanWindow(
                source=plan.source, licence=plan.licence, pieces=read.pieces, stretches=stretches, shape=CHAIN
            )
