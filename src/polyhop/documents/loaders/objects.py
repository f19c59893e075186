"""Objects of JSON as text: the fields of a row in a line, and settings a line each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from polyhop.documents.loaders import fields
from polyhop.documents.loading import one_line

_STEP: Final = "  "
_LONGEST_LIST: Final = 100  # characters of values that stand on one line
_MOST_OBJECTS: Final = 100  # in a field; what has more of them is measured, and not written by anybody
_OF_AN_ID: Final = re.compile(r"(?:\A|[\W_]|(?<=[a-z]))(?:[Ii]d|ID)s?\Z")  # "id", "parent_id", "parentId"
_FOR_MACHINES: Final = re.compile(
    r"\w[\w+.-]*://\S+"  # an address
    r"|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}"  # a UUID, the hash of something
    r"|(?=\S*\d)(?=\S*[A-Za-z])[\w+/=-]{24,}"  # a token
)


def shown(value: object) -> str | None:
    """A scalar as clean text; None for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(str(value)) if isinstance(value, (str, int, float)) else None


def named(value: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The first scalar that says something in one of the fields; nothing where there is none."""
    return next((said for key in fields.bearing(tuple(value), names) if (said := shown(value[key]))), "")


def is_for_machines(name: str, said: str) -> bool:
    """Whether a value says nothing to people: an address, a hash, or an id of nothing but digits or letters."""
    if _OF_AN_ID.search(name):
        return not (any(map(str.isdigit, said)) and any(map(str.isalpha, said))) or bool(_FOR_MACHINES.fullmatch(said))
    return _FOR_MACHINES.fullmatch(said) is not None


def cells(value: Mapping[str, object]) -> dict[str, str]:
    """What the fields of an object say to people, by their names; of an object in one its own name, or its fields.

    The fields of several objects in one, such as the items of an agenda, have the number of theirs: "items 2 owner".
    """
    found: dict[str, str] = {}
    for key, item in value.items():
        name, items = one_line(key), item if isinstance(item, list) else [item]
        said = ", ".join(filter(None, map(_called, items)))
        if said and not is_for_machines(name, said):
            found[name] = said
        nameless = [one for one in items if isinstance(one, Mapping) and not _called(one)]
        for number, one in enumerate(nameless if len(nameless) <= _MOST_OBJECTS else (), start=1):
            within = f"{name} {number}" if len(nameless) > 1 else name
            found.update({f"{within} {inner}": told for inner, told in cells(one).items()})
    return found


def _called(item: object) -> str | None:
    return named(item, fields.NAMES) if isinstance(item, Mapping) else shown(item)


def outlined(value: Mapping[str, object]) -> str:
    """Settings as people write them: each on a line behind its name, below what it belongs to and farther in."""
    text: list[str] = []
    was_block = False
    for key, item in value.items():
        lines = list(_lines(one_line(key), item))
        is_block = len(lines) > 1
        text += ["", *lines] if text and (is_block or was_block) else lines
        was_block = is_block
    return "\n".join(text)


def _lines(name: str, item: object) -> Iterator[str]:
    """The lines of one setting; those of an empty one are none."""
    if isinstance(item, Mapping):
        inner = [line for key, one in item.items() for line in _lines(one_line(key), one)]
        yield from [f"{name}:", *(_STEP + line for line in inner)] if inner else ()
    elif isinstance(item, list):
        values = [said for one in item if (said := shown(one))]
        line = f"{name}: {', '.join(values)}"
        if values and len(values) == len(item) and len(line) <= _LONGEST_LIST:
            yield line
        elif items := [line for one in item for line in _item(one)]:
            yield from (f"{name}:", *(_STEP + line for line in items))
    elif said := shown(item):
        yield f"{name}: {said}"


def _item(item: object) -> Iterator[str]:
    """The lines of one in a list, behind a mark."""
    if isinstance(item, Mapping):
        lines = [line for key, one in item.items() for line in _lines(one_line(key), one)]
    elif isinstance(item, list):
        lines = [", ".join(said for one in item if (said := shown(one)))]
    else:
        lines = [shown(item) or ""]
    yield from (f"{_STEP if number else '- '}{line}" for number, line in enumerate(filter(None, lines)))
