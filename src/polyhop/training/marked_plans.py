"""Questions in which somebody has put brackets around what has to be asked first, as the planner is taught.

In "Who leads [the county where [the founder of Velm] was born]?" each bracket becomes a question of its own, the
innermost first, and its answer takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from polyhop.store.json_lines import RowLine, rows
from polyhop.training.taught_plans import TaughtPlan, question_of

ONE, CHAIN, COMPARED = "one", "chain", "compared"
KINDS: Final = (ONE, CHAIN, COMPARED)
_ENDS: Final[Mapping[str, int]] = {"[": 1, "]": -1}


def marked_plans(file: Path) -> list[TaughtPlan]:
    """The questions of a file, a JSON line each. Raises DatasetError with file and line."""
    return [_plan(line, file.stem) for line in rows(file)]


def _plan(line: RowLine, source: str) -> TaughtPlan:
    kind = line.text("kind")
    if kind not in KINDS:
        raise line.wrong(f"kind is {kind!r}, and not one of {', '.join(KINDS)}")
    question, marked = _read(line)
    if kind == ONE and marked:
        raise line.wrong("what is asked in one step has no brackets")
    steps = 1 if kind == ONE else max(2, len(marked) + 1)  # a description whose words stand apart has no bracket
    return TaughtPlan(
        source=source,
        licence=line.text("licence"),
        question=question,
        steps=(question,) * steps,
        marked=marked,
        combines=kind == COMPARED,
    )


def _read(line: RowLine) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The question without brackets, and the characters of each of them, innermost first."""
    text = ""
    opened: list[int] = []
    marked: list[tuple[int, int]] = []
    for letter in question_of(line):
        if letter not in _ENDS:
            text += letter
        elif letter == "[":
            opened.append(len(text))
        elif opened:
            marked.append((opened.pop(), len(text)))
        else:
            raise line.wrong("a bracket is closed that was not opened")
    if opened:
        raise line.wrong("a bracket is not closed")
    return text, tuple(marked)
