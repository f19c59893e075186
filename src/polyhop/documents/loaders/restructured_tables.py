"""Tables of reStructuredText that are written as lists or as CSV below a directive."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from textwrap import dedent
from typing import Final

from polyhop.documents.labelled_lines import indent
from polyhop.documents.tables import rows_as_lines, typed_cell

_DIRECTIVE: Final = re.compile(r"(?P<kind>list|csv)-table::(?:[ \t]+(?P<title>\S.*))?")
_OPTION: Final = re.compile(r"\s+:(?P<name>[\w-]+):(?:[ \t]+(?P<said>\S.*))?")
_ROW: Final = re.compile(r"(?P<mark>[-*+][ \t]+)[-*+](?:[ \t]+(?P<said>.*))?")  # with its first cell
_SIGNS: Final = {"tab": "\t", "space": " "}  # that part values, by name


def table_lines(said: str, below: Sequence[str]) -> list[str] | None:
    """The rows that a directive holds, below its title; None where it holds none, or none that can be told.

    ``said``: the directive's first line without its dots.
    """
    directive = _DIRECTIVE.fullmatch(said.rstrip())
    if directive is None:
        return None
    above = list(takewhile(lambda line: _OPTION.match(line) is not None, below))
    options = {found["name"]: found["said"] or "" for line in above if (found := _OPTION.match(line))}
    content = dedent("\n".join(below[len(above) :]).expandtabs()).strip("\n").split("\n")
    rows = _listed(content) if directive["kind"] == "list" else _parted(content, options)
    named = options.get("header-rows", "")
    heads = (int(named) if named.isdecimal() else 0) + ("header" in options)
    cells = [[typed_cell(text, heading=number < heads) for text in row] for number, row in enumerate(rows)]
    lines = rows_as_lines(cells) if cells else []
    title = directive["title"]
    return [*([title, ""] if title else []), *lines] if lines else None


def _listed(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a list of lists; nothing where it is none."""
    rows: list[list[str]] = []
    column = 0  # where the marks of cells stand
    for line in filter(str.strip, lines):
        begins = _ROW.fullmatch(line)
        if begins:
            rows.append([(begins["said"] or "").strip()])
            column = len(begins["mark"])
        elif rows and indent(line) == column and line[column] in "-*+" and not line[column + 1 : column + 2].strip():
            rows[-1].append(line[column + 1 :].strip())
        elif rows and indent(line) > column:
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
        else:
            return []
    return rows


def _parted(lines: Sequence[str], options: Mapping[str, str]) -> list[list[str]]:
    """The rows of values that commas part, or what an option says; nothing where they cannot be told."""
    sign = options.get("delim", ",")
    head = [options["header"]] if "header" in options else []
    try:
        rows = list(csv.reader([*head, *lines], delimiter=_SIGNS.get(sign, sign), skipinitialspace=True))
    except (csv.Error, TypeError, ValueError):  # the last two: what parts them is no sign that can
        return []
    return [row for row in rows if any(row)] if any(map(str.strip, lines)) else []
