"""The strategy that a request names, which may set what it likes, but open no file of the server."""

from __future__ import annotations

from polyhop import registry
from polyhop.errors import NotAllowed
from polyhop.strategies.strategy import parse_variant


def named(name: str) -> str:
    """A name as it may be used. Raises NotAllowed for a setting that names a file, UnknownComponent, UsageError."""
    base, own = parse_variant(name)
    for setting in registry.file_settings(registry.load("strategies", base)):
        if setting in own:
            raise NotAllowed(
                f"A request may not set {setting}, which names a file of the server.",
                remedy=f"Have the server started with: --set strategies.{base}.{setting}=FILE",
            )
    return name
