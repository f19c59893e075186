"""Lines of calendars (iCalendar) and contacts (vCard): a name, parameters and a value, within parts that begin and end.

RFC 5545 and RFC 6350; of vCard 2.1 also what was written as quoted-printable.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from polyhop.documents.encoding import clean, decode
from polyhop.documents.loading import one_line
from polyhop.errors import DocumentError

_FOLD: Final = re.compile(rb"\r?\n[ \t]")  # before letters are read: some programs fold within one
_SOFT_BREAK: Final = re.compile(rb"=\r?\n")
_QUOTED_LINE: Final = re.compile(rb"^[^:\r\n]*QUOTED-PRINTABLE[^:\r\n]*:(?:.*=\r?\n)*", re.IGNORECASE | re.MULTILINE)
_LINE: Final = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;(?:[^;:\"]|\"[^\"]*\")*)*):(.*)")
_GROUP: Final = re.compile(r"([\w-]+)\.")
_PARAMETER: Final = re.compile(r";(?:([\w-]+)=)?((?:[^;\"]|\"[^\"]*\")*)")
_ESCAPED: Final = re.compile(r"\\(.)")
_HEAD: Final = 1 << 16  # bytes within which the first part begins: other files may be large
_MOST_PARTS: Final = 8  # within one another


class ContentLine(NamedTuple):
    """A line: its parameters, and its value as it is written; ``group``: what lines share that belong together."""

    parameters: Mapping[str, str]
    value: str
    group: str = ""

    @property
    def text(self) -> str:
        """The value as people read it, with its line breaks."""
        return _unescaped(self.value).strip()

    @property
    def line(self) -> str:
        """The value as people read it, on one line."""
        return one_line(self.text)

    @property
    def components(self) -> list[str]:
        """The parts of a value that has several, such as an address, each on one line."""
        return [one_line(_unescaped(part)) for part in re.split(r"(?<!\\);", self.value)]


@dataclass(slots=True)
class Component:
    """An event, a contact or the like, with its lines by their names in capitals and the parts within it."""

    name: str
    lines: dict[str, list[ContentLine]] = field(default_factory=dict)
    inner: list[Component] = field(default_factory=list)

    def first(self, name: str) -> ContentLine | None:
        """The first line of that name, if there is one that says something."""
        return next((line for line in self.lines.get(name, ()) if line.value.strip()), None)

    def all(self, name: str) -> list[ContentLine]:
        """The lines of that name that say something."""
        return [line for line in self.lines.get(name, ()) if line.value.strip()]

    def said(self, name: str) -> str:
        """What the first line of that name says, on one line; empty where there is none."""
        line = self.first(name)
        return line.line if line else ""


def components(path: Path, name: str) -> list[Component]:
    """The outermost parts of that name in a file, whole ones only. Raises DocumentError where there is none."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
        data = head + stream.read() if f"BEGIN:{name}".encode() in head.upper() else b""  # not that of genes, say
    data = _QUOTED_LINE.sub(lambda found: _SOFT_BREAK.sub(b"", found[0]), data)
    found = [part for part in _read(decode(_FOLD.sub(b"", data))) if part.name == name]
    if not found:
        raise DocumentError(f"has nothing from BEGIN:{name} to END:{name}", remedy="Export it again.")
    return found


def _read(text: str) -> Iterator[Component]:
    """The parts that are outermost, where they end; what is in no part, or too deep, is passed over."""
    opened: list[Component] = []
    for written in text.split("\n"):
        found = _LINE.fullmatch(written.strip())
        if found is None:
            continue
        name, value = found[1].upper(), found[3]
        if name == "BEGIN":
            opened.append(Component(value.strip().upper()))
        elif name == "END" and opened:
            ended = opened.pop()
            if not opened:
                yield ended
            elif len(opened) < _MOST_PARTS:
                opened[-1].inner.append(ended)
        elif opened:
            opened[-1].lines.setdefault(name, []).append(_line(written, found[2], value))


def _line(written: str, parameters: str, value: str) -> ContentLine:
    group = _GROUP.match(written.strip())
    given: dict[str, str] = {}
    for found in _PARAMETER.finditer(parameters):
        name, said = (found[1] or "TYPE").upper(), found[2].replace('"', "")  # vCard 2.1 leaves TYPE out
        given[name] = f"{given[name]},{said}" if name in given else said
    is_quoted = "QUOTED-PRINTABLE" in (given.get("ENCODING", "") + given.get("TYPE", "")).upper()
    if is_quoted:
        value = decode(quopri.decodestring(value.encode("utf-8")), given.get("CHARSET"))
    return ContentLine(given, value, group[1] if group else "")


def _unescaped(value: str) -> str:
    return clean(_ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value))
