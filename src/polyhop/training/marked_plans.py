"""Questions in which somebody has put brackets around what has to be asked first, as the planner is taught.

In "Who leads [the county where [the founder of Velm] was born]?" each bracket becomes a question of its own, the
innermost first, and its answer takes its place. Of questions that belong to somebody else a file has only where the
brackets stand, and the sha1 of the question as the rows of unlabelled questions have it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from polyhop.store.json_lines import RowLine, rows
from polyhop.training.self_taught import UNLABELLED
from polyhop.training.taught_plans import TaughtPlan, question_of

ONE, CHAIN, COMPARED = "one", "chain", "compared"
KINDS: Final = (ONE, CHAIN, COMPARED)
_ENDS: Final[Mapping[str, int]] = {"[": 1, "]": -1}


Marked = tuple[str, tuple[tuple[int, int], ...]]  # a question and the characters of each bracket, innermost first


def marked_plans(file: Path, data: Path) -> list[TaughtPlan]:
    """The questions of a file, a JSON line each; ``data`` has the rows of those of which it has only the places.

    Raises DatasetError with file and line.
    """
    lines = list(rows(file))
    told: dict[str, str] = {}
    if any("sha1" in line.fields for line in lines):
        asked = (question_of(line) for line in rows(data / UNLABELLED))
        told = {hashlib.sha1(one.encode(), usedforsecurity=False).hexdigest(): one for one in asked}
    return [_plan(line, file.stem, _placed(line, told) if "sha1" in line.fields else _read(line)) for line in lines]


def _plan(line: RowLine, source: str, read: Marked) -> TaughtPlan:
    question, marked = read
    kind = line.text("kind")
    if kind not in KINDS:
        raise line.wrong(f"kind is {kind!r}, and not one of {', '.join(KINDS)}")
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


def _placed(line: RowLine, told: Mapping[str, str]) -> Marked:
    question = told.get(line.text("sha1"))
    if question is None:
        raise line.wrong(f"{UNLABELLED} has no question of this sha1")
    places = []
    for place in line.listed("places"):
        match place:
            case [int(start), int(end)] if 0 <= start < end <= len(question):
                places.append((start, end))
            case _:
                raise line.wrong(f"{place!r} is no place in its question")
    return question, tuple(sorted(places, key=lambda one: one[1] - one[0]))


def _read(line: RowLine) -> Marked:
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
