"""The small results that the methods of a record hand back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Change = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document without its text: what listing and comparing needs."""

    id: str
    uri: str
    title: str
    sha256: str
    stamp: str  # the caller's mark of the file's state when it was read, e.g. size and time
    media_type: str
    passages: int


class Generation(NamedTuple):
    """The searchable structure that a layer currently serves: its folder's name, and what the layer says about it."""

    name: str
    description: dict[str, Any]
