"""Data sets and exports as JSON: one object a line, or one list of objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.encoding import open_text, read_text
from polyhop.documents.loaders import fields
from polyhop.documents.loading import one_line, row_document, summed_up
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document


@dataclass(frozen=True, kw_only=True)
class JsonlLoader:
    """Reads one document an object; fields that are no text become metadata. A bad line does not stop the others.

    The first field with something in it counts, however its name is spelled (``full_text``, ``Full Text``). An abstract
    stands before the text.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")
    media_type: ClassVar[str] = "application/json"

    id_fields: tuple[str, ...] = fields.IDS
    title_fields: tuple[str, ...] = fields.TITLES
    text_fields: tuple[str, ...] = (*fields.TEXTS, *fields.TEXTS_AT_LAST)
    abstract_fields: tuple[str, ...] = fields.ABSTRACTS

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The objects in order; without an id of its own a row is named by its number, from 1.

        Raises DocumentError for binary content, and for a .json file that is no list of objects.
        """
        yield from summed_up(self._items(path, uri), uri, "rows")

    def _items(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        if path.suffix.lower() == ".json":
            for row, value in enumerate(_listed(read_text(path), self.text_fields), start=1):
                yield self._document(value, uri, row, f"item {row}")
            return
        with open_text(path) as stream:
            for row, line in enumerate(stream, start=1):
                if line.strip():
                    yield self._line(line, uri, row)

    def _line(self, line: str, uri: str, row: int) -> Document | Skipped:
        try:
            value = json.loads(line, strict=False)
        except json.JSONDecodeError as error:
            return Skipped(f"{uri}#{row}", f"line {row} is not JSON: {error.msg} at character {error.colno}")
        except (RecursionError, ValueError) as error:
            return Skipped(f"{uri}#{row}", f"line {row} cannot be read: {error}")
        return self._document(value, uri, row, f"line {row}")

    def _document(self, value: object, uri: str, row: int, place: str) -> Document | Skipped:
        if not isinstance(value, Mapping):
            return Skipped(f"{uri}#{row}", f"{place} is not an object")
        text = _said(value, self.text_fields)
        if text is None:
            known = ", ".join(self.text_fields)
            return Skipped(f"{uri}#{row}", f"{place} has no text in any of the fields {known}")
        named = (*self.id_fields, *self.title_fields, *self.text_fields, *self.abstract_fields)
        taken = fields.bearing(tuple(value), named)
        return row_document(
            uri,
            row,
            fields.below_abstract(text, _said(value, self.abstract_fields) or ""),
            self.media_type,
            identity=_named(value, self.id_fields),
            title=_named(value, self.title_fields),
            metadata={
                one_line(key): shown for key, item in value.items() if key not in taken and (shown := _scalar(item))
            },
        )


def _listed(text: str, text_fields: tuple[str, ...]) -> Iterable[object]:
    """The objects in a .json file: a list, the only list of objects in an object without text, or a single object."""
    try:
        value = json.loads(text, strict=False)
    except (RecursionError, ValueError) as error:
        raise DocumentError(f"is not JSON ({error})") from error
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping):
        lists = [item for item in value.values() if _is_list_of_objects(item)]
        return lists[0] if len(lists) == 1 and _said(value, text_fields) is None else [value]
    raise DocumentError("is not a list of objects", remedy='Write [{"title": ..., "text": ...}, ...].')


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _said(value: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first text that is not empty, else an empty one; None where none of the fields is a text."""
    texts = [text for key in fields.bearing(tuple(value), names) if (text := _prose(value[key])) is not None]
    return next((text for text in texts if text.strip()), texts[0] if texts else None)


def _named(value: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The first name or number in one of the fields; nothing where there is none."""
    return next((shown for key in fields.bearing(tuple(value), names) if (shown := _scalar(value[key]))), "")


def _prose(value: object) -> str | None:
    """A text, or a list of sentences as one text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(item.strip() for item in value)
    return value if isinstance(value, str) else None


def _scalar(value: object) -> str | None:
    """A scalar as clean text; None for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(str(value)) if isinstance(value, (str, int, float)) else None
