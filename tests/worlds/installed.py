"""Packages that come and go while tests run, as they do in no process of anybody's."""

from __future__ import annotations

from polyhop import registry


def look_again() -> None:
    """Forget which components were found: the next to be asked for is looked for among what is installed then."""
    for kept in (registry._installed, registry._found, registry._warn_once):
        kept.cache_clear()
