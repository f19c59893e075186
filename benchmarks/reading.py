"""How well the reader reads: answers from the passages that hold them, and some beside, so that search plays no part.

    python benchmarks/reading.py DATA --split dev --questions 50

DATA is a folder with ``corpus.jsonl`` and ``questions_SPLIT.jsonl``. Each question is asked of its supporting passages
and of those most like it besides, in an order of their own, and planned as ``ask`` plans it. Exact match and F1 are
those of ``polyhop eval``, by type of question; wrong is what was given and has no word of the answer.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from measuring import Figures, machine, save, show_table

from polyhop import Settings
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.metrics.exact_match import exact_match
from polyhop.evaluation.metrics.f1 import f1
from polyhop.indexes.lexical import Lexical, build
from polyhop.models.choice import Models
from polyhop.planning.planner import Planning
from polyhop.reading.reader import reader_of
from polyhop.types import Evidence, Passage

ALL = "all"


def corpus(folder: Path) -> list[Passage]:
    """The rows of a corpus as passages."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Passage(
            id=row["id"],
            document_id=row["id"],
            ordinal=0,
            start=0,
            end=len(row["text"]),
            title=row.get("title", ""),
            text=row["text"],
        )
        for row in rows
    ]


def beside(question: Question, passages: Mapping[str, Passage], lexical: Lexical, count: int) -> list[Passage]:
    """The supporting passages and so many of those most like the question."""
    ids = list(passages)
    found, _ = lexical.search(question.text, count + len(question.supporting))
    others = [ids[number] for number in found.tolist() if ids[number] not in question.supporting]
    return [passages[one] for one in (*question.supporting, *others[:count])]


def outcomes(
    questions: Sequence[Question], passages: Sequence[Passage], count: int, settings: Settings, rng: random.Random
) -> Iterator[Figures]:
    """What is read of each question."""
    numbers = np.arange(len(passages))
    lexical = Lexical.of([build(numbers, [f"{one.title} {one.text}" for one in passages])], numbers)
    by_id = {one.id: one for one in passages}
    models = Models(settings)
    _, reader = reader_of(settings, models)
    planning = Planning(settings=settings)
    for question in questions:
        shown = beside(question, by_id, lexical, count)
        rng.shuffle(shown)
        plan = planning.plan(question.text, (), None)
        evidence = Evidence(question=question.text, strategy="gold", passages=tuple(shown), plan=plan)
        reading = reader.read(question.text, evidence, models)
        answer = reading.text or ""
        yield {
            "id": question.id,
            "type": question.type or "",
            "answer": reading.text,
            "gold": question.answer,
            "confidence": reading.confidence,
            "em": exact_match(answer, question.references),
            "f1": f1(answer, question.references),
        }


def by_type(found: Sequence[Figures]) -> dict[str, Figures]:
    """The figures of each type of question, in percent, and of all."""
    groups: dict[str, list[Figures]] = defaultdict(list)
    for one in found:
        groups[one["type"]].append(one)
        groups[ALL].append(one)
    return {name: _summed(ours) for name, ours in sorted(groups.items())}


def _summed(ours: Sequence[Figures]) -> Figures:
    share = 100 / len(ours)
    return {
        "questions": len(ours),
        "EM": share * sum(one["em"] for one in ours),
        "F1": share * sum(one["f1"] for one in ours),
        "wrong": share * sum(one["answer"] is not None and not one["f1"] for one in ours),
        "none": share * sum(one["answer"] is None for one in ours),
    }


def main() -> None:
    """Read, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--beside", type=int, default=3, help="passages that do not answer")
    parser.add_argument("--planner", default="rules")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311
    dataset = Dataset.read(options.data, options.split)
    asked = [one for one in dataset.questions if one.supporting and one.answerable]
    chosen = rng.sample(asked, min(options.questions, len(asked)))
    settings = Settings().above({"planner": {"name": options.planner}})
    found = list(outcomes(chosen, corpus(options.data), options.beside, settings, rng))
    figures = by_type(found)
    show_table(
        ["type", "questions", "EM", "F1", "wrong", "none"], [[name, *one.values()] for name, one in figures.items()]
    )
    about = {
        **machine(),
        "data": dataset.sha256,
        "split": options.split,
        "beside": options.beside,
        "seed": options.seed,
    }
    save(options.json, {**about, "planner": options.planner}, {"by type": figures, "questions": found})


if __name__ == "__main__":
    main()
