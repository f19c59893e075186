"""Questions whose steps somebody has written down, as rows of data sets have them, and questions of one step."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyhop.english.words import KINSHIP_PATHS
from polyhop.plans import REFERENCE, named_steps
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.rows import READING, is_kept_aside

log = logging.getLogger(__name__)

STEPS: Final = "decompositions.jsonl"
SINGLE_SOURCES: Final[Mapping[str, int]] = {"squad1": 1_500, "qamr": 700, "squadshifts": 700, "narrativeqa": 500}
"""Of reading rows, how many questions of what begins so are taught as questions of one step."""

READ: Final = ("2wiki", "break", "musique")  # what begins the names of sources, by which it is told how they say steps

_RETURN: Final = re.compile(r"^\s*return\b\s*", re.IGNORECASE)
_NARROWS: Final = re.compile(r"#\d+\s+(?:that|which|who|whose|where|when|in|on|at|from|of|with|by|for|besides?)\b")
_ARITHMETIC: Final = frozenset(
    {"sum", "difference", "average", "highest", "lowest", "earliest", "latest", "largest", "smallest", "count"}
)
RELATION: Final = " >> "  # between a name and what is asked of it, in rows of musique


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtPlan:
    """A question, and its steps in words, in which ``#1`` stands for the answer to the first of them."""

    source: str
    licence: str
    question: str
    steps: tuple[str, ...]  # none: it compares or combines what several things are asked for
    marked: tuple[tuple[int, int], ...] | None = None  # the characters of each step but the last, where it is told
    combines: bool = False  # it compares or combines, and ``marked`` are what has to be found before that

    @property
    def refers_to(self) -> tuple[tuple[int, ...], ...]:
        """Of each step, the earlier steps that it builds on."""
        return tuple(named_steps(step, place) for place, step in enumerate(self.steps))

    @property
    def is_kept_aside(self) -> bool:
        """Whether it is for measuring only."""
        return is_kept_aside(self.question.casefold())


def taught_plans(folder: Path, *, seed: int = 0) -> list[TaughtPlan]:
    """The plans of ``decompositions.jsonl`` whose steps follow one another, and questions of one step.

    Steps that compare, calculate or count are left out with their questions: no stretch of the question says them.
    Raises DatasetError with file and line.
    """
    lines = list(rows(folder / STEPS))
    found = [plan for line in lines for plan in _taught(line)]
    if unread := [line.text("src") for line in lines if not line.text("src").startswith(READ)]:
        log.warning(
            "%s: rows left out, because how their src says steps is not known, such as %r: %s of %s. Where steps are "
            "questions that name the answers of earlier ones (#1), let src begin with musique, as in musiqueours.",
            *(folder / STEPS, unread[0], f"{len(unread):,}", f"{len(lines):,}"),
        )
    if (folder / READING).exists():
        found += _single(folder / READING, seed)
    return list({plan.question.casefold(): plan for plan in found}.values())


def _taught(line: RowLine) -> Iterator[TaughtPlan]:
    source, steps = line.text("src"), told_steps(line)
    told: Sequence[str] | None = None
    if source.startswith("2wiki"):
        told = [question_of(line)] if _hides_steps(question_of(line)) else _followed(steps)
    elif source.startswith("break"):
        told = _merged([_RETURN.sub("", step) for step, _ in steps])
    elif source.startswith("musique"):
        told = [step for step, _ in steps]
    if told is not None:
        licence = line.text("licence", "license")
        yield TaughtPlan(source=source, licence=licence, question=question_of(line), steps=tuple(told))


def question_of(line: RowLine) -> str:
    """What is asked, on one line. Raises DatasetError."""
    return " ".join(line.text("question").split())


def told_steps(line: RowLine) -> list[tuple[str, str]]:
    """Each step with its answer, which may not be known. Raises DatasetError for one that is no text."""
    found = []
    for step in line.listed("steps", optional=True):
        match step:
            case [str(text), answer] if text.strip():
                found.append((" ".join(text.split()), answer if isinstance(answer, str) else ""))
            case _:
                raise line.wrong(f"the step {step!r} is not a [text, answer]")
    return found


def _hides_steps(question: str) -> bool:
    """Whether steps stand in one word, such as "grandfather", that is taken apart without a model."""
    return any(re.search(rf"\b{relation}\b", question.lower()) for relation in KINSHIP_PATHS)


def _followed(steps: Sequence[tuple[str, str]]) -> list[str]:
    """Triples of which each begins with what the one before it found, as steps that refer to it.

    Nothing where several are asked about beside one another: they are compared.
    """
    told: list[str] = []
    for place, (step, _) in enumerate(steps):
        head, _, relation = step.partition(RELATION)
        if place:
            if head != steps[place - 1][1]:
                return []
            step = f"#{place}{RELATION}{relation}"
        told.append(step)
    return told


def _merged(steps: Sequence[str]) -> list[str] | None:
    """Steps, each that only narrows down the one before it being put into it; none where they are compared.

    None where one does arithmetic.
    """
    if len(steps) > 2 and _compares(steps[-1]) and not any(_computes(step) for step in steps[:-1]):
        return []
    if any(_computes(step) for step in steps):
        return None
    told: list[str] = []
    of: list[int] = []  # where each of the given steps went
    for place, step in enumerate(steps):
        references = [int(number) - 1 for number in REFERENCE.findall(step)]
        if any(one >= place for one in references):
            return None
        if references == [place - 1] and _NARROWS.match(step) and of[-1] == len(told) - 1:
            told[-1] += " " + REFERENCE.sub("", step).strip()
            of.append(len(told) - 1)
            continue
        told.append(REFERENCE.sub(lambda found: f"#{of[int(found[1]) - 1] + 1}", step))
        of.append(len(told) - 1)
    return told


def _compares(step: str) -> bool:
    words = re.findall(r"[#\w]+", step.lower())
    return len(set(REFERENCE.findall(step))) > 1 and words[:1] in (["if"], ["which"])


def _computes(step: str) -> bool:
    words = re.findall(r"[#\w]+", step.lower())
    if not _ARITHMETIC.isdisjoint(words):
        return True
    return len(set(REFERENCE.findall(step))) > 1 or words[:1] in (["if"], ["which"]) or words[:2] == ["number", "of"]


def _single(path: Path, seed: int) -> list[TaughtPlan]:
    """Some of the questions that one passage answers."""
    by_source: dict[str, list[TaughtPlan]] = {name: [] for name in SINGLE_SOURCES}
    for line in rows(path):
        source = line.text("src")
        name = source.split("/")[0]
        if name in by_source:
            question = question_of(line)
            licence = line.text("licence", "license")
            by_source[name].append(TaughtPlan(source=source, licence=licence, question=question, steps=(question,)))
    rng = random.Random(seed)  # noqa: S311
    return [
        plan for name, plans in by_source.items() for plan in rng.sample(plans, min(SINGLE_SOURCES[name], len(plans)))
    ]
