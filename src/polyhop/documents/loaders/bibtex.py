"""The language of BibTeX and BibLaTeX: entries with their fields, and names of people, still as LaTeX has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from polyhop.english.dates import MONTHS

_ENTRY: Final = re.compile(r"(?:^|(?<=\}))[ \t]*@[ \t]*([A-Za-z]+)\s*[{(]", re.MULTILINE)
_FIELD: Final = re.compile(r"[\s,]*([A-Za-z][\w:+.-]*)\s*=\s*")
_KEY: Final = re.compile(r"\s*([^\s,{}=]+)\s*(?:,|[})]?\s*$)")
_WORD: Final = re.compile(r"[^\s,#{}\"()]+")
_AND_SO_ON: Final = re.compile(r"\s*#\s*")
_SIGN: Final = re.compile(r'[{}"]')
_BETWEEN_NAMES: Final = re.compile(r"\s+and\s+", re.IGNORECASE)
_COMMA: Final = re.compile(r"\s*,\s*")
_SPACE: Final = re.compile(r"[\s~]+")
_YEAR: Final = re.compile(r"\d{4}")
_NO_ENTRIES: Final = frozenset(("comment", "preamble"))
_FEW: Final = 2  # authors that are called by name; of more the first one is


class Entry(NamedTuple):
    """What somebody cites: its kind, by which key, and its fields, up to what is damaged."""

    kind: str
    key: str
    fields: Mapping[str, str]


class Person(NamedTuple):
    """Somebody's name in two parts; of an institution all of it is the last one."""

    first: str
    last: str


def entries(text: str) -> Iterator[Entry]:
    """The entries in their order, with abbreviations put in and what they take over from others."""
    known: dict[str, str] = {month[:3].lower(): month for month in MONTHS}
    found: list[Entry] = []
    begins = [*_ENTRY.finditer(text)]
    ends = [*(begin.start() for begin in begins[1:]), len(text)]
    for begin, end in zip(begins, ends, strict=False):
        kind = begin[1].lower()
        body = text[begin.end() : end]
        if kind == "string":
            known.update(_fields(body, 0, known))
        elif kind not in _NO_ENTRIES and (key := _KEY.match(body)):
            found.append(Entry(kind, key[1], dict(_fields(body, key.end(), known))))
    by_key = {entry.key.casefold(): entry for entry in found}
    for entry in found:
        parent = by_key.get(entry.fields.get("crossref", "").casefold())
        yield entry if parent is None else entry._replace(fields=_with_parent(entry.fields, parent.fields))


def people(value: str) -> list[Person]:
    """The people of a field, in their order; what stands for others is somebody called ``others``."""
    return [_person(name) for name in _parted(value, _BETWEEN_NAMES) if name]


def called(entry: Entry) -> str:
    """How a text calls an entry, as LaTeX: "Strauch and Kettleby(2030)"; empty where nobody wrote it."""
    names = [person.last for person in people(entry.fields.get("author") or entry.fields.get("editor") or "")]
    if not names:
        return ""
    few = len(names) <= _FEW and "others" not in names
    year = year_of(entry)
    return (" and ".join(names) if few else f"{names[0]} et al.") + (f"({year})" if year else "")


def year_of(entry: Entry) -> str:
    """The year of an entry; empty where it has none."""
    year = _YEAR.search(entry.fields.get("year", "")) or _YEAR.search(entry.fields.get("date", ""))
    return year[0] if year else ""


def _fields(body: str, at: int, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names of fields in small letters, with their values, up to the end or to what is damaged."""
    while field := _FIELD.match(body, at):
        pieces: list[str] = []
        at = field.end()
        while (value := _value(body, at, known)) is not None:
            piece, at = value
            pieces.append(piece)
            more = _AND_SO_ON.match(body, at)
            if not more:
                break
            at = more.end()
        if not pieces:
            return
        yield field[1].lower(), " ".join("".join(pieces).split())


def _value(body: str, at: int, known: Mapping[str, str]) -> tuple[str, int] | None:
    """One value and where it ends: within braces or quotation marks, a number, or an abbreviation that is known."""
    closing = {"{": "}", '"': '"'}.get(body[at : at + 1])
    if closing:
        end = _end(body, at + 1, closing)
        return None if end is None else (body[at + 1 : end], end + 1)
    word = _WORD.match(body, at)
    return (known.get(word[0].lower(), word[0]), word.end()) if word else None


def _end(body: str, at: int, closing: str) -> int | None:
    """Where a brace or a quotation mark stands that is in no braces."""
    depth = 0
    for sign in _SIGN.finditer(body, at):
        if sign[0] == closing and not depth:
            return sign.start()
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
    return None


def _with_parent(own: Mapping[str, str], parent: Mapping[str, str]) -> dict[str, str]:
    """An entry's fields with those of the book or the proceedings that it is in, whose title is that of the whole."""
    whole = {"booktitle": parent["title"]} if "title" in parent else {}
    return {**{name: value for name, value in parent.items() if name != "author"}, **whole, **own}


def _person(name: str) -> Person:
    parts = _parted(name, _COMMA)
    if len(parts) > 1:
        return Person(" ".join(parts[:0:-1]), parts[0])
    words = _parted(name, _SPACE)
    small = next((at for at, word in enumerate(words[:-1]) if word[:1].islower()), len(words) - 1)  # "van", "de la"
    return Person(" ".join(words[:small]), " ".join(words[small:]))


def _parted(text: str, mark: re.Pattern[str]) -> list[str]:
    """The parts of a text between marks that are in no braces."""
    parts: list[str] = []
    begun = depth = 0
    for sign in re.finditer(rf"[{{}}]|{mark.pattern}", text.strip(), mark.flags):
        if sign[0] in "{}":
            depth += 1 if sign[0] == "{" else -1
        elif depth <= 0:
            parts.append(text.strip()[begun : sign.start()])
            begun = sign.end()
    return [*parts, text.strip()[begun:]]
