"""Questions over collections of documents, whose steps were written with them, as the planner is taught."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from polyhop.plans import REFERENCE
from polyhop.training.across_documents import SOURCE
from polyhop.training.documents import COLLECTION, document_files
from polyhop.training.rows import RowLine, row_lines
from polyhop.training.taught_plans import TaughtPlan


def collection_plans(folder: Path) -> list[TaughtPlan]:
    """The questions of all collections in a folder that have steps, and those that one document answers.

    Raises DatasetError with file and line.
    """
    lines = [(line, path.stem) for path in document_files(folder) for line in row_lines(path)]
    return [plan for line, name in lines if COLLECTION in line.fields for plan in _plans(line, name)]


def _plans(line: RowLine, name: str) -> Iterator[TaughtPlan]:
    for question in line.each("asked"):
        asked = " ".join(question.text("question").split())
        if question.fields.get("steps"):
            steps = _steps(question)
        elif len(question.fields.get("needs", ())) == 1:
            steps = (asked,)
        else:
            continue
        yield TaughtPlan(source=SOURCE + name, licence=line.text("licence"), question=asked, steps=steps)


def _steps(question: RowLine) -> tuple[str, ...]:
    """Its steps in words; none where the last one finds nothing itself, and weighs more than what one other found."""
    told: list[str] = []
    answer: object = ""
    for step in question.listed("steps"):
        match step:
            case [str(text), answer] if text.strip():
                told.append(" ".join(text.split()))
            case _:
                raise question.wrong(f"the step {step!r} is not a [text, answer]")
    compares = bool(told) and answer is None and len(set(REFERENCE.findall(told[-1]))) != 1
    return () if compares else tuple(told)
