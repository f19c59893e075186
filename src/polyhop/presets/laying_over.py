"""What a user says over a preset: both as nested mappings, as TOML gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

Tree = Mapping[str, Any]
MISSING: Final = object()


def laid_over(preset: Tree, own: Tree) -> dict[str, Any]:
    """Of each section the user's own settings, and the preset's for the rest.

    Settings for another component than the user chose would not fit it, and are left out: with ``planner.name=rules``
    those of a preset for another planner, with another ``models.embedder`` those in ``[embedder]``. What is no section
    stays, for whoever checks the whole.
    """
    kept = {section: content for section, content in preset.items() if not _is_for_another(section, preset, own)}
    return {**own, **{section: _united(content, own.get(section, {})) for section, content in kept.items()}}


def replaced(preset: Tree, settings: Tree) -> Iterator[str]:
    """What whole settings say otherwise than a preset, one line each, as ``--set`` would say it."""
    for path, value in _leaves(preset):
        found = _at(settings, path)
        if found is not MISSING and _written(found) != _written(value):
            yield f"{'.'.join(path)}={_written(found)} instead of {_written(value)}"


def _united(below: Any, above: Any) -> Any:
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    return {**below, **above, **{name: _united(below[name], above[name]) for name in below.keys() & above.keys()}}


def _is_for_another(section: str, preset: Tree, own: Tree) -> bool:
    for place, key in ((section, "name"), ("models", section)):
        chosen = _at(own, (place, key))
        if chosen is not MISSING and chosen != _at(preset, (place, key)):
            return True
    return False


def _leaves(tree: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _at(tree: Tree, path: tuple[str, ...]) -> object:
    """What stands at a path; of a strategy's setting what ``[strategy]`` puts on top of it."""
    if path[0] == "strategies" and path[2:] and (on_top := _at(tree, ("strategy", *path[2:]))) is not MISSING:
        return on_top
    found: Any = tree
    for name in path:
        found = found.get(name, MISSING) if isinstance(found, Mapping) else MISSING
    return found


def _written(value: object) -> str:
    """A value as it is written after ``--set``, so that both ways to give one compare."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value).lower()
