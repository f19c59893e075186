"""The table of contents of a plain text: numbered lines that follow one another, and that the text says again.

Its entries tell which lines are headings, and how deep they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from polyhop.documents.flow import HEADING, Mark
from polyhop.documents.loading import bare

_ENTRY: Final = re.compile(
    r"[ \t]{0,40}(?P<number>(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,5})\.?[ \t]{1,8}(?P<said>\S.{0,300})"
)
_CHAPTER: Final = re.compile(r"[^\W\d_]{2,20}\s(?=(?:\d{1,3}|[A-Z])\.\s)")  # "Chapter 1. The Mill"
_FEWEST: Final = 5  # entries
_SAID_AGAIN: Final = 0.75  # of these
_MOST_BETWEEN: Final = 2  # lines of the rest of a long one
_FURTHEST: Final = 2000  # lines: contents stand at the beginning
_MOST_RUNS: Final = 4  # that are looked for in what follows
_LONGEST_LABEL: Final = 40  # characters of the line above


class _Entry(NamedTuple):
    line: int
    number: str
    key: str  # its number and its letters

    @property
    def level(self) -> int:
        """How deep it is: 1 for a chapter."""
        return self.number.count(".") + 1


def without_contents(text: str) -> tuple[str, list[Mark]]:
    """A text without its table of contents, and the headings that this tells; as it is, and none, where it has none.

    Most entries have to be said again behind them, with their numbers and in their order: others are numbered, too.
    """
    lines = text.split("\n")
    for run in islice(_runs(lines[:_FURTHEST]), _MOST_RUNS):
        last = run[-1].line
        while last - run[-1].line < _MOST_BETWEEN and lines[last + 1 : last + 2] and _goes_on(lines[last + 1]):
            last += 1
        again = _said_again(run, lines[last + 1 :])
        if len(again) >= max(_FEWEST, _SAID_AGAIN * len(run)):
            first = _beginning(lines, run[0].line)
            left = [*lines[:first], *lines[last + 1 :]]
            return "\n".join(left), _marks(left, {first + at: entry for at, entry in again.items()})
    return text, []


def _runs(lines: Sequence[str]) -> Iterator[list[_Entry]]:
    """Entries with nothing but blank lines and the rest of long ones between them."""
    run: list[_Entry] = []
    seen: set[str] = set()  # an entry that comes again is the heading
    between = 0
    for number, line in enumerate(lines):
        entry = _entry(line, number)
        if entry is not None and entry.key not in seen:
            run.append(entry)
            seen.add(entry.key)
            between = 0
        elif run and line.strip():
            between += 1
            if entry is None and between <= _MOST_BETWEEN:
                continue
            if len(run) >= _FEWEST:
                yield run
            run, seen = [], set()
    if len(run) >= _FEWEST:
        yield run


def _entry(line: str, number: int) -> _Entry | None:
    found = _ENTRY.fullmatch(line)
    return None if found is None else _Entry(number, found["number"], bare(line))


def _said_again(run: Sequence[_Entry], lines: Sequence[str]) -> dict[int, _Entry]:
    """By their lines, the entries that are said again, in order; a chapter may have a word before its number."""
    waiting = {entry.key: at for at, entry in enumerate(run)}
    found: dict[int, _Entry] = {}
    least = 0
    for number, line in enumerate(lines):
        if len(line) > 400 or not line.strip():
            continue
        at = waiting.get(bare(_CHAPTER.sub("", line.strip(), count=1)), -1)
        if at >= least:
            found[number] = run[at]
            least = at + 1
    return found


def _goes_on(line: str) -> bool:
    """Whether a line is the rest of a long entry."""
    return bool(line.strip()) and line[0].isspace()


def _beginning(lines: Sequence[str], first: int) -> int:
    """Where contents begin that have their first entry there: with the short line that names them."""
    above = first - 1
    while above >= 0 and not lines[above].strip():
        above -= 1
    said = lines[above].strip() if above >= 0 else ""
    return above if said and len(said) <= _LONGEST_LABEL and said[-1].isalpha() else first


def _marks(lines: Sequence[str], headings: dict[int, _Entry]) -> list[Mark]:
    marks, at = [], 0
    for number, line in enumerate(lines):
        if number in headings:
            start = at + len(line) - len(line.lstrip())
            marks.append(Mark(start, at + len(line.rstrip()), HEADING, headings[number].level))
        at += len(line) + 1
    return marks
