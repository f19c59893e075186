"""What the library hands back, written as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


class Serialisable:
    """What the library hands back: a dataclass that can be written as JSON, as the command line does with --json."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """All fields and public properties by their names, as plain data that ``json.dumps`` takes."""
        properties = [name for name, each in vars(type(self)).items() if isinstance(each, property)]
        return {name: _plain(getattr(self, name)) for name in (*field_names(self), *properties)}


def _plain(value: Any) -> Any:
    if isinstance(value, Serialisable):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in field_names(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def field_names(value: Any) -> list[str]:
    """The names of a dataclass's fields."""
    return [each.name for each in fields(value)]
