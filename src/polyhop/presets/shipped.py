"""The presets that come with Polyhop, by name: ``qcg/lihua`` is the file ``qcg/lihua.toml`` beside this one.

A preset is a settings file like ``polyhop.toml``. What it departs from its paper in is said in its comments.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from polyhop.errors import UnknownComponent, nearest

FOLDER = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The names of all presets, sorted."""
    return tuple(sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.toml")))


def text_of(name: str) -> str:
    """The file of a preset as it stands, comments and all. Raises UnknownComponent."""
    if name not in (known := names()):
        raise UnknownComponent(f"There is no preset named {name!r}.", remedy=nearest(name, known))
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def about(name: str) -> str:
    """What a preset is, in a sentence: the first line of its file. Raises UnknownComponent."""
    return text_of(name).partition("\n")[0].removeprefix("#").strip()


@cache
def content(name: str) -> dict[str, Any]:
    """The settings of a preset, as nested mappings that are not to be changed. Raises UnknownComponent."""
    return tomllib.loads(text_of(name))
