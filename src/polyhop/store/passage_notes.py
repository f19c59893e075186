"""What documents and passages know besides text and metadata: occasions, headings, sections, and where pages begin.

It lies beside the metadata of the document, under keys that no loader may use. So the format of the record stays what
it was, and a record without any is read like one that has them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from polyhop.types import THREAD, Document, Occasion, Passage

_OCCASIONS: Final = "polyhop:occasions"
_HEADINGS: Final = "polyhop:headings"
_SECTIONS: Final = "polyhop:sections"
_LAYOUT: Final = "polyhop:layout"
OCCASION_PATH: Final = f'$."{_OCCASIONS}"."'
"""Where the metadata of a document has the occasion of a passage: a path of SQL up to the passage's ordinal."""
HEADINGS_PATH: Final = f'$."{_HEADINGS}"."'
"""Where it has the headings of a passage: such a path, too."""
SECTION_PATH: Final = f'$."{_SECTIONS}"."'
"""Where it has the section of a passage: such a path, too."""
THREAD_PATH: Final = f'$."{THREAD}"'
"""Where it has the thread of a message: a path of SQL."""
PAGES_PATH: Final = f'$."{_LAYOUT}".pages'
"""Where it has the beginnings of pages: a path of SQL."""


class Parted(NamedTuple):
    """The metadata of a document by itself, where its pages begin, and where its headings stand."""

    metadata: dict[str, str]
    pages: tuple[int, ...]
    headings: tuple[tuple[int, int], ...]


def joined(document: Document, passages: Sequence[Passage]) -> str:
    """The metadata of a document with what it and its passages know besides, as JSON."""
    occasions = {
        str(passage.ordinal): {name: value for name, value in asdict(passage.occasion).items() if value}
        for passage in passages
        if passage.occasion is not None
    }
    headings = {str(passage.ordinal): passage.headings for passage in passages if passage.headings}
    sections = {str(passage.ordinal): passage.section for passage in passages if passage.section}
    layout = {name: value for name, value in (("pages", document.pages), ("headings", document.headings)) if value}
    besides = {_OCCASIONS: occasions, _HEADINGS: headings, _SECTIONS: sections, _LAYOUT: layout}
    return json.dumps({**document.metadata, **{key: known for key, known in besides.items() if known}}, sort_keys=True)


def parted(stored: str) -> Parted:
    """What ``joined`` put together, without what passages know."""
    metadata: dict[str, Any] = json.loads(stored)
    metadata.pop(_OCCASIONS, None)
    metadata.pop(_HEADINGS, None)
    metadata.pop(_SECTIONS, None)
    layout = metadata.pop(_LAYOUT, {})
    return Parted(metadata, tuple(layout.get("pages", ())), _ranges(layout.get("headings", ())))


def occasion_of(stored: str | None) -> Occasion | None:
    """The occasion of a passage as JSON has it, None where it has none."""
    return None if stored is None else Occasion(**json.loads(stored))


def headings_of(stored: str | None) -> tuple[tuple[int, int], ...]:
    """The headings of a passage as JSON has them; nothing where it has none."""
    return () if stored is None else _ranges(json.loads(stored))


def section_of(stored: str | None) -> tuple[str, ...]:
    """The section of a passage as JSON has it; nothing where it has none."""
    return () if stored is None else tuple(json.loads(stored))


def _ranges(stored: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in stored)


def thread_of(stored: str | None) -> str:
    """The thread of a passage; SQLite hands a text out as it is, Postgres in the marks of JSON."""
    return "" if stored is None else stored.strip('"')
