"""Data sets, exports and settings as JSON: one object a line, one list of objects, or one object with settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from polyhop.documents.encoding import open_text, read_text
from polyhop.documents.loaders import fields
from polyhop.documents.loaders.message_lists import as_meant, conversation_in, members_beside
from polyhop.documents.loaders.objects import cells, named, outlined, shown
from polyhop.documents.loaders.source import refuse_installed
from polyhop.documents.loading import file_document, one_line, row_document, summed_up
from polyhop.documents.tables import pairs
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

_TEXTS = (*fields.TEXTS, *fields.TEXTS_AT_LAST)
_ALL_TEXTS = (*_TEXTS, *fields.DESCRIPTIONS)
_FEWEST = 2  # fields of a row without a text
_MOST_SETTINGS = 10_000  # lines


@dataclass(frozen=True, kw_only=True)
class JsonlLoader:
    """Reads one document an object. A bad line does not stop the others.

    The first field with something in it counts, however its name is spelled (``full_text``, ``Full Text``). An abstract
    stands before the text. Beside a text other fields become metadata; where there is none, or nothing but a
    description, they say what the object is, and are written out in a line. A file with one object without a text
    is read as settings, and one list of messages as a conversation.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")
    media_type: ClassVar[str] = "application/json"
    version: ClassVar[str] = "4"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The objects in order; without an id of its own a row is named by its number, from 1.

        Raises DocumentError for binary content, and for a .json file that is no object and no list of objects.
        """
        if path.suffix.lower() == ".json":
            yield from self._whole(_parsed(read_text(path)), uri, members_beside(path))
        else:
            yield from summed_up(self._lines(path, uri), uri, "rows")

    def _whole(self, value: object, uri: str, members: Mapping[str, str]) -> Iterator[Document | Skipped]:
        """What is one value: a list of objects, the only one in an object without a text, a single row, or settings."""
        title = ""
        if isinstance(value, Mapping):
            title = named(value, fields.TITLES)
            lists = [item for item in value.values() if _is_list_of_objects(item)]
            if _said(value, _TEXTS) is not None or (_text(value) is not None and _is_flat(value)):
                value = [value]
            elif len(lists) == 1 and (any(_text(item) is not None for item in lists[0]) or conversation_in(lists[0])):
                value = lists[0]
            elif len(chats := [item for item in lists if conversation_in(item)]) == 1:  # beside who takes part in it
                value = chats[0]
            else:
                yield self._settings(value, uri)
                return
        if not isinstance(value, list):
            raise DocumentError("is not a list of objects", remedy='Write [{"title": ..., "text": ...}, ...].')
        if chat := conversation_in(value, members):
            yield file_document(uri, chat, self.media_type, title=title)
            return
        items = (self._document(item, uri, row, f"item {row}") for row, item in enumerate(value, start=1))
        yield from summed_up(items, uri, "rows")

    def _settings(self, value: Mapping[str, object], uri: str) -> Document:
        name = PurePosixPath(uri).name
        refuse_installed(name)
        text = outlined(value)
        if text.count("\n") >= _MOST_SETTINGS:
            raise DocumentError(f"has more than {_MOST_SETTINGS:,} settings, for machines")
        return file_document(uri, text, self.media_type, title=name)

    def _lines(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
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
        text = _text(value)
        row_line = self._row_line(value) if not (_said(value, _TEXTS) or "").strip() else ""
        if text is None and not row_line:
            known = ", ".join(_ALL_TEXTS)
            return Skipped(f"{uri}#{row}", f"{place} has no text in any of the fields {known}")
        names = (*fields.IDS, *fields.TITLES, *_ALL_TEXTS, *fields.ABSTRACTS)
        taken = fields.bearing(tuple(value), names)
        return row_document(
            uri,
            row,
            f"{row_line}\n\n{fields.below_abstract(text or '', _said(value, fields.ABSTRACTS) or '')}",
            self.media_type,
            identity=named(value, fields.IDS),
            title=named(value, fields.TITLES) or (fields.first_name(cells(value).values()) if row_line else ""),
            metadata={one_line(key): said for key, item in value.items() if key not in taken and (said := shown(item))},
        )

    def _row_line(self, value: Mapping[str, object]) -> str:
        """What the short fields of an object say beside its description; nothing of one that asks a question."""
        keys = tuple(value)
        if fields.bearing(keys, fields.QUESTIONS):
            return ""
        texts = fields.bearing(keys, _ALL_TEXTS)
        others = cells({key: item for key, item in value.items() if key not in texts})
        if texts:
            others = {name: said for name, said in others.items() if len(said) <= fields.LONGEST_VALUE}
        return "; ".join(pairs(others.keys(), others.values())) if len(others) >= _FEWEST else ""


def _parsed(text: str) -> object:
    try:
        return json.loads(as_meant(text), strict=False)
    except (RecursionError, ValueError) as error:
        raise DocumentError(f"is not JSON ({error})") from error


def _text(value: Mapping[str, object]) -> str | None:
    return _said(value, _ALL_TEXTS)


def _is_flat(value: Mapping[str, object]) -> bool:
    return not any(isinstance(item, Mapping) or _is_list_of_objects(item) for item in value.values())


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _said(value: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first text that is not empty, else an empty one; None where none of the fields is a text."""
    texts = [text for key in fields.bearing(tuple(value), names) if (text := _prose(value[key])) is not None]
    return next((text for text in texts if text.strip()), texts[0] if texts else None)


def _prose(value: object) -> str | None:
    """A text, or a list of sentences as one text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(item.strip() for item in value)
    return value if isinstance(value, str) else None
