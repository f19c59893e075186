"""The language that manual pages are written in (roff): its lines as requests and text, and its escapes as letters.

What draws, measures or computes is left out. Of conditions, that of output to a terminal holds; macros that a page
defines for itself are not carried out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_REQUEST: Final = re.compile(r"[.'][ \t]*(?P<name>[^\s\\\"]{1,40})?(?P<rest>[^\n]*)")
_ARGUMENT: Final = re.compile(r"\"(?P<quoted>(?:[^\"]|\"\")*)\"?|(?P<bare>(?:\\.|[^\s\\])+)")
_COMMENT: Final = re.compile(r"(?<!\\)\\[\"#].*")
_CONDITION: Final = re.compile(
    r"(?P<not>!?)(?:(?P<kind>[nteo])(?=[\s\\.'])|(?P<groff>\\n\(\.g)|'[^']*'[^']*'|\S+)[ \t]*"
)
_ESCAPE: Final = re.compile(
    r"\\(?:"
    r"[fFmMRkgY](?:\[[^\]\n]{0,80}\]|\(..|.)"  # fonts, colours
    r"|s(?:[+-]?\d{1,2}|\([+-]?\d\d|\[[^\]\n]{0,80}\]|'[^'\n]{0,200}')"  # sizes
    r"|[hvwXbDlLNoxZ]'[^'\n]{0,200}'|n(?:\[[^\]\n]{0,80}\]|[+-]?\(..|.)"  # movements and numbers
    r"|\*(?:\[(?P<string>[^\]\n]{0,80})\]|\((?P<two>..)|(?P<one>.))"
    r"|\[(?P<long>[^\]\n]{0,80})\]|\((?P<short>..)|(?P<letter>.))"
)
_LETTERS: Final = {
    "-": "-", "e": "\\", "\\": "\\", "'": "'", "`": "`", " ": " ", "~": " ", "0": " ", "t": "\t", ".": ".", "E": "\\",
}  # fmt: skip
_NAMED: Final = {
    "aq": "'", "dq": '"', "cq": "'", "oq": "'", "lq": '"', "rq": '"', "Lq": '"', "Rq": '"', "bu": "\u2022",
    "em": "\u2014", "en": "\u2013", "hy": "-", "rs": "\\", "ti": "~", "ha": "^", "co": "\u00a9", "rg": "\u00ae",
    "mu": "\u00d7", "<=": "\u2264", ">=": "\u2265", "!=": "\u2260", "->": "\u2192", "<-": "\u2190", "+-": "\u00b1",
    "de": "\u00b0", "ga": "`", "aa": "\u00b4", "sh": "#", "ba": "|", "or": "|", "sl": "/", "pl": "+", "mi": "-",
    "eq": "=", "**": "*", "Fo": "\u00ab", "Fc": "\u00bb", "ss": "\u00df", "lB": "[", "rB": "]", "lC": "{", "rC": "}",
    "la": "<", "ra": ">", "at": "@", "Do": "$", "sc": "\u00a7", "Eu": "\u20ac", "Po": "\u00a3", "tm": "\u2122",
    "r?": "\u00bf", "r!": "\u00a1", "AE": "\u00c6", "ae": "\u00e6", "/o": "\u00f8", "/O": "\u00d8", "oa": "\u00e5",
    "oA": "\u00c5",
}  # fmt: skip
_ACCENTS: Final = {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327"}
_STRINGS: Final = {  # that man(7), and pages made from Perl, define
    "Aq": "'", "lq": '"', "rq": '"', 'L"': '"', 'R"': '"', "R": "\u00ae", "Tm": "\u2122", "--": "\u2014", "C+": "C++",
}  # fmt: skip
_UNICODE: Final = re.compile(r"u([0-9A-Fa-f]{4,6})")
_MOST_CONDITIONS: Final = 20  # before what stands in one line


class RoffLine(NamedTuple):
    """A line of a page: a request with what stands behind it, or text, whose request has no name."""

    request: str
    text: str
    arguments: tuple[str, ...] = ()


class Roff:
    """Reads a page line by line; what its strings stand for is known from where they are defined."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._strings = dict(_STRINGS)
        self._at = 0
        self._held: list[bool] = []  # of the conditions that an alternative may follow, the last one first

    def __iter__(self) -> Iterator[RoffLine]:
        """Requests and text in order; comments, definitions and what a condition excludes are left out."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            yield from self._read(line)

    def letters(self, text: str) -> str:
        """A text with letters for its escapes."""
        return _ESCAPE.sub(self._letter, text) if "\\" in text else text

    def _read(self, line: str) -> Iterator[RoffLine]:
        for _ in range(_MOST_CONDITIONS):
            if line[:1] not in (".", "'"):
                break
            found = _REQUEST.fullmatch(line)
            name = (found["name"] or "") if found else ""
            rest = _COMMENT.sub("", found["rest"]).strip() if found else ""
            if name in ("if", "ie"):
                condition = _CONDITION.match(rest)
                holds = condition is not None and _holds(condition)
                if name == "ie":
                    self._held.append(holds)
                line = self._branch(rest[condition.end() :] if condition else "", holds=holds)
            elif name == "el":
                line = self._branch(rest, holds=bool(self._held) and not self._held.pop())
            else:
                yield from self._request(name, rest)
                return
            if not line:
                return
        said = _COMMENT.sub("", line)
        if said.strip() not in ("\\}", ""):
            yield RoffLine("", said.replace("\\}", ""))
        elif not line.strip():
            yield RoffLine("sp", "")

    def _request(self, name: str, rest: str) -> Iterator[RoffLine]:
        if name in ("de", "de1", "am", "ig"):
            self._skip_definition()
        elif name in ("ds", "as"):
            key, _, value = rest.partition(" ")
            self._strings[key] = value.strip().removeprefix('"')
        elif name:
            yield RoffLine(name, rest, tuple(arguments(rest)))

    def _branch(self, rest: str, *, holds: bool) -> str:
        """What stands behind a condition that holds; a block in braces is read on there, and else passed over."""
        if rest.startswith("\\{"):
            if not holds:
                self._skip_block(rest)
            rest = rest[2:].lstrip("\\ \t")
        return rest.strip() if holds else ""

    def _skip_block(self, opened: str) -> None:
        depth = opened.count("\\{") - opened.count("\\}")
        while depth > 0 and self._at < len(self._lines):
            depth += self._lines[self._at].count("\\{") - self._lines[self._at].count("\\}")
            self._at += 1

    def _skip_definition(self) -> None:
        while self._at < len(self._lines) and self._lines[self._at].rstrip() not in ("..", "'.."):
            self._at += 1
        self._at += 1

    def _letter(self, found: re.Match[str]) -> str:
        string = found["string"] or found["two"] or found["one"]
        if string is not None:
            return _ESCAPE.sub(_plain_letter, self._strings.get(string, ""))
        return _plain_letter(found)


def arguments(rest: str) -> list[str]:
    """What stands behind a request, parted by spaces outside of quotation marks."""
    return [
        found["quoted"].replace('""', '"') if found["quoted"] is not None else found["bare"]
        for found in _ARGUMENT.finditer(rest)
    ]


def _holds(condition: re.Match[str]) -> bool:
    holds = condition["kind"] in ("n", "o") or condition["groff"] is not None
    return holds != bool(condition["not"])


def _plain_letter(found: re.Match[str]) -> str:
    name = found["long"] or found["short"]
    if name is None:
        return _LETTERS.get(found["letter"] or "", "")
    unicode = _UNICODE.fullmatch(name)
    if unicode:
        return chr(min(int(unicode[1], 16), 0x10FFFF))
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return name[1] + _ACCENTS[name[0]]
    return _NAMED.get(name, "")
