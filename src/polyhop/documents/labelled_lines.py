"""Lines that begin with labels: the head of mail and of minutes, and fields that together tell of one thing.

Each line of a head says something of its own, and together they are no record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

# What programs for mail write before a sender and a subject, in six languages
SENDERS: Final = frozenset(("from", "von", "de", "da", "van"))
SUBJECTS: Final = frozenset(("subject", "betreff", "objet", "asunto", "oggetto", "onderwerp"))
# What stands before those who came to a meeting or did not, and what else the head of its minutes has
_ATTENDANCE: Final = frozenset(("present", "absent", "apologies", "in attendance", "attendees", "participants"))
_MEETING: Final = _ATTENDANCE | {
    *("date", "time", "place", "venue", "location", "chair", "chairman", "chairwoman", "chairperson", "in the chair"),
    *("secretary", "clerk", "minutes", "minute taker", "minutes taken by", "agenda"),
}
FIELD: Final = re.compile(r"[^\W\d_][^\n:;]{0,60}:(?:\s|$)")  # of a record: "Net price (EUR): 58.00"
_MARK: Final = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")  # of an item


def indent(line: str) -> int:
    """How much white space a line begins with."""
    return len(line) - len(line.lstrip())


def is_head(labels: AbstractSet[str]) -> bool:
    """Whether lines with these labels, in small letters, are the head of mail or of minutes."""
    is_mail = not SENDERS.isdisjoint(labels) and not SUBJECTS.isdisjoint(labels)
    return is_mail or (not _ATTENDANCE.isdisjoint(labels) and len(labels & _MEETING) > 1)


@dataclass(frozen=True, slots=True)
class _Field:
    """A line that begins with a label."""

    label: str
    column: int  # where it begins, with its mark
    is_item: bool  # whether it has a mark
    opens: bool  # whether what stands below it, farther in, is said of what it names


@dataclass(slots=True)
class _Record:
    """A record as far as its lines have been read."""

    first: int  # line
    bounded: bool  # whether it ends where a line stands as far out as the first one
    column: int
    labels: dict[str, int] = field(default_factory=dict)  # with the last line that each begins


def records_in(lines: Sequence[str]) -> list[int]:
    """For each of some lines between which none is blank, the first one of its record; -1 for a line in none.

    A record ends where a label is repeated. Indentation tells what belongs to which label: a record that begins with a
    label without a value, or with the mark of an item, has the lines that stand farther in than it; a label above its
    own lines is not cut off them, and of several such labels beside one another each begins a record.
    """
    fields = [_field(line, below) for line, below in pairwise([*lines, ""])]
    blocks = Counter(one.column for one in fields if one is not None and one.opens)
    found: list[int] = []
    record: _Record | None = None
    opened: list[tuple[int, int]] = []  # the columns and the lines of those labels that a line stands below
    for number, one in enumerate(fields):
        if one is None:
            record, opened = None, []
            found.append(-1)
            continue
        opened = [(column, at) for column, at in opened if column < one.column]
        if record is None or one.is_item or (one.column <= record.column and _ends(record, one, blocks)):
            record = _Record(number, one.opens or one.is_item, one.column)
        elif one.label in record.labels:
            last = record.labels[one.label]
            first = next((at for _, at in opened if at > last), number)
            labels = {label: at for label, at in record.labels.items() if at >= first}
            column = next((column for column, at in opened if at == first), one.column)
            record = _Record(first, one.opens or first < number, column, labels)
            found[first:] = [first] * (number - first)
        record.labels[one.label] = number
        found.append(record.first)
        if one.opens:
            opened.append((one.column, number))
    return found


def _ends(record: _Record, one: _Field, blocks: Mapping[int, int]) -> bool:
    """Whether a record ends before a field that stands as far out as its first; ``blocks``: how many a column has."""
    return record.bounded or (one.opens and blocks[one.column] > 1)


def _field(line: str, below: str) -> _Field | None:
    """A line with a label, if it is one; ``below``: the line after it."""
    mark, label = _label(line)
    if label is None:
        return None
    column = indent(line)
    is_empty = not line[label.end() :].strip()
    is_above = indent(below) > column and _label(below)[1] is not None
    return _Field(label[0].rstrip(), column, mark is not None, is_above and (is_empty or mark is not None))


def _label(line: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """The mark of an item and the label that a line begins with."""
    mark = _MARK.match(line)
    return mark, FIELD.match(line, mark.end() if mark else indent(line))
