"""Questions over collections of documents, whose steps were written with them, as the planner is taught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polyhop.plans import REFERENCE
from polyhop.store.json_lines import RowLine
from polyhop.training.across_documents import SOURCE, collections_in
from polyhop.training.taught_plans import TaughtPlan, question_of, told_steps


def collection_plans(folder: Path) -> list[TaughtPlan]:
    """The questions of all collections in a folder that have steps, and those that one document answers.

    Raises DatasetError with file and line.
    """
    return [plan for line, name in collections_in(folder) for plan in _plans(line, name)]


def _plans(line: RowLine, name: str) -> Iterator[TaughtPlan]:
    for question in line.each("asked"):
        asked, told = question_of(question), told_steps(question)
        if told:
            steps = () if _compares(told) else tuple(step for step, _ in told)
        elif len(question.listed("needs", optional=True)) == 1:
            steps = (asked,)
        else:
            continue
        yield TaughtPlan(source=SOURCE + name, licence=line.text("licence"), question=asked, steps=steps)


def _compares(told: Sequence[tuple[str, str]]) -> bool:
    """Whether the last step finds nothing itself, and weighs more than what one other found."""
    last, answer = told[-1]
    return not answer and len(set(REFERENCE.findall(last))) != 1
