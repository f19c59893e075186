"""How well the reader reads: answers from the passages that hold them, and some beside, so that search plays no part.

    python benchmarks/reading.py DATA --split dev --questions 50
    python benchmarks/reading.py weights/documents --questions 200

DATA is a folder with ``corpus.jsonl`` and ``questions_SPLIT.jsonl``, or one of documents with questions, as ``polyhop
train reader --documents`` takes it; of these, only those that training keeps aside are asked about (``--all``: all of
them). Each question is asked of its supporting passages and of those most like it besides, in an order of their own,
and planned as ``ask`` plans it. Exact match and F1 are those of ``polyhop eval``, by type of question; wrong is what
was given and has no word of the answer, or where there is none.
"""

from __future__ import annotations

import argparse
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
from polyhop.models.weights import sha256_of
from polyhop.planning.planner import Planning
from polyhop.reading.reader import reader_of
from polyhop.store import json_lines
from polyhop.training.across_documents import SOURCE as ACROSS
from polyhop.training.across_documents import across_rows
from polyhop.training.documents import document_files, document_rows
from polyhop.training.rows import is_kept_aside
from polyhop.types import Evidence, Passage

ALL = "all"


def passage(name: str, title: str, text: str) -> Passage:
    """A text as the only passage of a document."""
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=title, text=text)


def corpus(folder: Path) -> list[Passage]:
    """The rows of a corpus as passages."""
    lines = json_lines.rows(folder / "corpus.jsonl")
    return [passage(line.text("id"), line.fields.get("title", ""), line.text("text")) for line in lines]


def written(folder: Path, *, every: bool) -> tuple[list[Question], list[Passage]]:
    """The questions about documents, those kept aside or all, and the documents.

    Those over a collection are of the type ``across``, and kept aside by their own words, as in training.
    """
    rows = document_rows(folder)
    across = [row for row in across_rows(folder) if row.source.startswith(ACROSS)]
    told = [(row.title, row.context) for row in rows]
    told += [(one.title, one.text) for row in across for one in (*row.positives, *row.negatives)]
    names = {text: str(number) for number, text in enumerate(dict.fromkeys(text for _, text in told))}
    titles = {text: title for title, text in told}
    questions = [
        Question(
            id=str(number),
            text=row.question,
            answer=row.answers[0][0] if row.answers else None if row.kind == "none" else row.kind,
            aliases=tuple(text for text, _ in row.answers[1:]),
            type=row.kind,
            supporting=(names[row.context],),
        )
        for number, row in enumerate(rows)
        if every or is_kept_aside(row.context)
    ]
    questions += [
        Question(
            id=f"across {number}",
            text=row.question,
            answer=row.answer or None,
            aliases=(),
            type="across" if row.answer else "none",
            supporting=tuple(names[one.text] for one in row.positives),
        )
        for number, row in enumerate(across)
        if every or is_kept_aside(row.question)
    ]
    return questions, [passage(name, titles[text], text) for text, name in names.items()]


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
            "wrong": reading.text is not None and not f1(answer, question.references),
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
        "wrong": share * sum(one["wrong"] for one in ours),
        "none": share * sum(one["answer"] is None for one in ours),
    }


def main() -> None:
    """Read, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--all", action="store_true", help="also documents that training does not keep aside")
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--beside", type=int, default=3, help="passages that do not answer")
    parser.add_argument("--planner", default="auto")
    parser.add_argument("--span-model", type=Path, help="folder of another reader that was trained")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311
    if (options.data / "corpus.jsonl").exists():
        dataset = Dataset.read(options.data, options.split)
        passages, data = corpus(options.data), dataset.sha256
        asked = [one for one in dataset.questions if one.supporting and one.answerable]
    else:
        asked, passages = written(options.data, every=options.all)
        data = ", ".join(sha256_of(file) for file in document_files(options.data))
    chosen = rng.sample(asked, min(options.questions, len(asked)))
    weights = {"folder": str(options.span_model)} if options.span_model else {}
    settings = Settings().above({"planner": {"name": options.planner}, "span_model": weights})
    found = list(outcomes(chosen, passages, options.beside, settings, rng))
    figures = by_type(found)
    show_table(
        ["type", "questions", "EM", "F1", "wrong", "none"], [[name, *one.values()] for name, one in figures.items()]
    )
    chosen_by = {name: getattr(options, name) for name in ("split", "all", "beside", "planner", "seed")}
    chosen_by["span_model"] = options.span_model and sha256_of(options.span_model / "model.onnx")
    save(options.json, {**machine(), "data": data, **chosen_by}, {"by type": figures, "questions": found})


if __name__ == "__main__":
    main()
