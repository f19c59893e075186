"""Polyhop answers questions whose answer is spread over several documents, and shows every hop.

The names below are the public interface; they are imported when first used, so that ``import polyhop`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncPolyhop",
    "Budget",
    "Citation",
    "Document",
    "Evidence",
    "Hop",
    "IndexReport",
    "IndexStatus",
    "Passage",
    "Polyhop",
    "PolyhopError",
    "Settings",
    "Span",
    "Thread",
]

if TYPE_CHECKING:
    from polyhop.asynchronous import AsyncPolyhop
    from polyhop.conversation.thread import Thread
    from polyhop.engine import Polyhop
    from polyhop.errors import PolyhopError
    from polyhop.reports import IndexReport, IndexStatus
    from polyhop.settings import Settings
    from polyhop.types import Answer, Budget, Citation, Document, Evidence, Hop, Passage, Span

_HOMES = {
    "polyhop.asynchronous": ("AsyncPolyhop",),
    "polyhop.conversation.thread": ("Thread",),
    "polyhop.engine": ("Polyhop",),
    "polyhop.errors": ("PolyhopError",),
    "polyhop.reports": ("IndexReport", "IndexStatus"),
    "polyhop.settings": ("Settings",),
    "polyhop.types": ("Answer", "Budget", "Citation", "Document", "Evidence", "Hop", "Passage", "Span"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    import importlib

    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'polyhop' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
