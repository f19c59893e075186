"""The steps of questions as questions of their own, among the passages that their question was asked of.

A plan's steps are what the reader is asked most, and its passages are what search finds for the whole question. Steps
in words and passages come from two files, which the question joins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from polyhop.plans import REFERENCE
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.rows import MultiHopRow, TrainingPassage, occurrences
from polyhop.training.taught_plans import RELATION, STEPS
from polyhop.training.together import long_words
from polyhop.training.triples import asked_for

SOURCE: Final = "steps/"

Step = tuple[str, str]  # what it asks, and its answer


def step_rows(folder: Path, asked: Sequence[MultiHopRow]) -> list[MultiHopRow]:
    """The steps of ``decompositions.jsonl`` whose questions are among those asked; none where that file is not there.

    Raises DatasetError with file and line.
    """
    path = folder / STEPS
    if not path.exists():
        return []
    by_question: dict[str, list[MultiHopRow]] = defaultdict(list)
    for row in asked:
        by_question[_key(row.question)].append(row)
    made: dict[tuple[str, str], MultiHopRow] = {}
    for line in rows(path):
        for whole in by_question.get(_key(line.text("question")), ()):
            for step in steps_of(line):
                found = among(step, whole)
                if found is not None:
                    made.setdefault(step, found)
    return list(made.values())


def _key(question: str) -> str:
    return " ".join(question.lower().split())


def steps_of(line: RowLine) -> Iterator[Step]:
    """The steps whose answers are told, with the answers of those before them written in."""
    answers: dict[int, str] = {}
    for number, step in enumerate(line.listed("steps"), start=1):
        match step:
            case [str(text), str(answer)] if answer.strip():
                answers[number] = answer.strip()
                written = _written(text, answers)
                if written:
                    yield _worded(written), answer.strip()
            case [str(), *_]:
                pass
            case _:
                raise line.wrong(f"{step!r} is no step")


def _written(text: str, answers: Mapping[int, str]) -> str:
    """A step with answers in place of what it refers to; nothing where one is not told."""
    numbers = {int(number) for number in REFERENCE.findall(text)}
    if not numbers <= set(answers):
        return ""
    return " ".join(REFERENCE.sub(lambda match: answers[int(match[1])], text).split()).replace(" ?", "?")


def _worded(step: str) -> str:
    head, _, relation = step.partition(RELATION)
    named = relation.replace("_", " ").strip()
    return asked_for(head.strip(), named) if named else step


def among(step: Step, whole: MultiHopRow) -> MultiHopRow | None:
    """The step with the passage that answers it, likest to its question, and those that do not hold the answer."""
    question, answer = step
    holding = [passage for passage in whole.positives if occurrences(passage.text, answer)]
    if not holding:
        return None
    asked = long_words(question)
    best = max(holding, key=lambda one: len(asked & long_words(f"{one.title} {one.text}")))
    others = [one for one in (*whole.positives, *whole.negatives) if not _holds(one, answer)]
    source = SOURCE + whole.source
    return replace(whole, source=source, question=question, answer=answer, positives=(best,), negatives=tuple(others))


def _holds(passage: TrainingPassage, answer: str) -> bool:
    return answer.lower() in passage.text.lower()
