"""Small collections of documents, with questions that take several of them, as rows.

A line of a folder of documents holds one document, or a whole collection: papers of one place that speak of the same
things in different words. What the other documents of a collection say is near the answer, and is not it. Each step of
a question is a question of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from polyhop.store.json_lines import RowLine, rows
from polyhop.training.documents import COLLECTION, document_files
from polyhop.training.rows import KINDS, MultiHopRow, TrainingPassage, occurrences
from polyhop.training.step_rows import among, steps_of

SOURCE: Final = "across/"


def across_rows(folder: Path) -> list[MultiHopRow]:
    """The questions of all collections in a folder, and their steps. Raises DatasetError with file and line."""
    return [row for line, name in collections_in(folder) for row in _rows(line, name)]


def collections_in(folder: Path) -> Iterator[tuple[RowLine, str]]:
    """The lines of a folder that hold a collection, each with the name of its file. Raises DatasetError."""
    lines = ((line, path.stem) for path in document_files(folder) for line in rows(path))
    return ((line, name) for line, name in lines if COLLECTION in line.fields)


def _rows(line: RowLine, name: str) -> Iterator[MultiHopRow]:
    documents = [_document(line, one) for one in line.listed(COLLECTION)]
    for question in line.each("asked"):
        whole = _asked(question, documents, line.text("licence"), name)
        yield whole
        if "steps" in question.fields and whole.positives:
            everything = replace(whole, source=name, positives=tuple(documents), negatives=())
            steps = list(steps_of(question))
            yield from (row for step in steps if len(steps) > 1 and (row := among(step, everything)) is not None)


def _asked(line: RowLine, documents: Sequence[TrainingPassage], licence: str, name: str) -> MultiHopRow:
    kind = line.fields.get("kind")
    needs = [number for number in line.listed("needs", optional=True) if isinstance(number, int)]
    answers = [text for text in line.listed("answers", optional=True) if isinstance(text, str)]
    if kind not in KINDS or bool(answers) != (kind == "span") or bool(needs) == (kind == "none"):
        raise line.wrong(f"{line.fields!r}: spans alone have answers, and all but none need documents")
    if not all(0 <= number < len(documents) for number in needs):
        raise line.wrong(f"needs {needs} are not numbers of its {len(documents)} documents")
    positives = tuple(documents[number] for number in needs)
    held = next((text for text in answers if any(occurrences(one.text, text) for one in positives)), None)
    if answers and held is None:
        raise line.wrong(f"{answers!r} do not stand in the documents that are needed")
    return MultiHopRow(
        source=SOURCE + name,
        licence=licence,
        question=line.text("question"),
        answer=held or ("" if kind == "none" else str(kind)),
        positives=positives,
        negatives=tuple(one for one in documents if one not in positives and not (held and held in one.text)),
    )


def _document(line: RowLine, fields: object) -> TrainingPassage:
    match fields:
        case {"title": str(title), "text": str(text)} if text.strip():
            return TrainingPassage(title=title, text=text)
    raise line.wrong(f"{fields!r} is no document with title and text")
