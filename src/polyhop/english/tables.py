"""The tables of words that come with the package, as files in ``data``; each is read once, when it is needed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """The table in ``data/NAME.toml``."""
    return tomllib.loads((files(__package__) / "data" / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of the list in ``data/NAME.txt``, but for comments."""
    text = (files(__package__) / "data" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
