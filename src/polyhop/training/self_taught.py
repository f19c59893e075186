"""Questions that nobody has taken apart, as a finished planner and the rules of grammar together take them apart.

The questions are known to take several steps, so that a planner learns from them which words lead on. What both find is
right more often than what either does; what neither finds teaches nothing, and such questions are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from polyhop.models.question_spans import CHAIN, COMBINED, PlannerGraph
from polyhop.planning.by_rules import ByRules
from polyhop.planning.nesting import nested
from polyhop.store.json_lines import rows
from polyhop.training.plan_alignment import Wordings, aligned
from polyhop.training.plan_windows import PlanWindow
from polyhop.training.taught_plans import TaughtPlan

UNLABELLED: Final = "questions_unlabelled.jsonl.gz"
MOST: Final = 10_000
TRUSTED: Final = 2.5  # what the rules add to the logit of a stretch that they find, too
LEAST: Final = 0.43  # what makes a stretch of it then


def self_taught(folder: Path, teacher: PlannerGraph, wordings: Wordings, *, seed: int = 0) -> Iterator[PlanWindow]:
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
        scores = read.stretches.copy()
        rules = tuple(step.question for step in ByRules().plan(plan.question, [], None).steps)
        found = aligned(replace(plan, steps=rules), wordings) if len(rules) > 1 else None
        if found is not None and len(found.words) == len(read.pieces.words):
            for start, end in found.stretches:
                scores[start, end - 1] += TRUSTED
        stretches = nested(scores, read.pieces.words, likely=LEAST)
        if stretches:
            yield PlanWindow(
                source=plan.source, licence=plan.licence, pieces=read.pieces, stretches=stretches, shape=CHAIN
            )
