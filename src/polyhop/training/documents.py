"""Documents as people keep them, with questions as people ask them, as rows.

Rows of reading comprehension are about encyclopaedias and come from their own words. Offices, workshops and households
have rules, minutes, chats and tables, and ask in words of their own: why, how, whether they may, and for lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from polyhop.errors import DatasetError
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.rows import KINDS, ReadingRow, occurrences

SOURCE: Final = "documents/"
COLLECTION: Final = "documents"  # the field of a line that holds several (``across_documents.py``)
_SUFFIX: Final = ".jsonl"

_WORDS: Final = 8  # of a heading, at most
_BEGINS = re.compile(r"[#A-Z0-9]")
_WORD = re.compile(r"[^\W\d_]{2}")
_OTHERWISE = re.compile(r"[.?!,;]$|[|\t]| {3}|: \S|\u201d|\"")  # sentences, rows of tables, fields, speech

Places = tuple[tuple[str, int], ...]  # texts, and where each stands
Headings = tuple[tuple[int, int], ...]


def document_files(folder: Path) -> list[Path]:
    """The files of rows in a folder, in order. Raises DatasetError where there is none."""
    files = sorted(folder.glob(f"*{_SUFFIX}"))
    if not files:
        raise DatasetError(f"{folder} has no file that ends in {_SUFFIX}.", remedy="Name a folder of documents.")
    return files


def document_rows(folder: Path) -> list[ReadingRow]:
    """The rows of all documents in a folder; a file's name is their source. Raises DatasetError with file and line."""
    lines = [(line, path.stem) for path in document_files(folder) for line in rows(path)]
    return [row for line, name in lines if COLLECTION not in line.fields for row in _rows(line, name)]


def _rows(line: RowLine, name: str) -> Iterator[ReadingRow]:
    text, title, licence = line.text("text"), line.text("title"), line.text("licence")
    spoken = line.fields.get("spoken") is True
    headings = () if spoken else headings_in(text)
    for question in line.each("asked"):
        kind = next((one for one in KINDS if one == question.fields.get("kind")), None)
        answers, rests_on = _places(question, "answers", text), _places(question, "rests_on", text)
        if kind is None or bool(answers) != (kind == "span") or (kind in ("yes", "no") and not rests_on):
            raise line.wrong(f"{question.fields!r}: spans alone have answers, and a yes or no rests on something")
        yield ReadingRow(
            source=SOURCE + name,
            licence=licence,
            question=question.text("question"),
            title=title,
            context=text,
            answers=_within(answers, rests_on),
            kind=kind,
            rests_on=() if answers else rests_on,
            spoken=spoken,
            headings=_without(headings, answers or rests_on),
        )


def _places(line: RowLine, name: str, text: str) -> Places:
    """Texts with every place where one stands by itself."""
    said: Any = line.fields.get(name, [])
    found: list[tuple[str, int]] = []
    for one in said if isinstance(said, list) else [said]:
        starts = occurrences(text, one) if isinstance(one, str) and one.strip() else []
        if not starts:
            raise line.wrong(f"{one!r} in {name} does not stand in the text")
        found += [(one, start) for start in starts]
    return tuple(found)


def _without(headings: Headings, places: Places) -> Headings:
    """The headings that none of the places touches."""
    return tuple(
        (start, end) for start, end in headings if all(at >= end or at + len(said) <= start for said, at in places)
    )


def _within(places: Places, stretches: Places) -> Places:
    """The places that lie in one of the stretches; all where none does."""
    inside = [(text, at) for text, at in places if any(start <= at < start + len(said) for said, start in stretches)]
    return tuple(inside) or places


def headings_in(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each line that stands alone above others and is no sentence, as a heading does.

    Loaders tell headings by a format's marks; documents that were written to be learnt from have none. Of 2,199 lines
    found so in them, 44 hold an answer.
    """
    found = []
    at, before = 0, ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        said = line.strip()
        alone = not before and number + 1 < len(lines)
        if said and alone and _is_heading(said):
            start = at + line.index(said)
            found.append((start, start + len(said)))
        at, before = at + len(line) + 1, said
    return tuple(found)


def _is_heading(said: str) -> bool:
    return bool(
        len(said.split()) <= _WORDS and _BEGINS.match(said) and _WORD.search(said) and not _OTHERWISE.search(said)
    )
