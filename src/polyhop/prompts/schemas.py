"""The parts of JSON Schema that tasks say with what a reply has to look like; a type goes by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Schema = Mapping[str, Any]


def closed(**properties: str | Schema) -> Schema:
    """An object with all of these properties and no others; their order is that in which they are written."""
    return {
        "type": "object",
        "properties": {name: _typed(of) for name, of in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(of: str | Schema, **limits: int) -> Schema:
    """An array of such; ``limits`` such as ``maxItems``."""
    return {"type": "array", "items": _typed(of), **limits}


def some_text() -> Schema:
    """A text that says something."""
    return {"type": "string", "minLength": 1}


def one_of(options: Iterable[str]) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(options)}


def _typed(of: str | Schema) -> Schema:
    return {"type": of} if isinstance(of, str) else of
