"""What the lists of components say can be typed."""

from __future__ import annotations

import pytest

from polyhop import registry
from polyhop.cli.components import about
from polyhop.registry import Kind


@pytest.mark.parametrize("kind", ["strategies", "planners", "readers"])
def test_defaults_are_listed_as_settings_take_them(kind: Kind) -> None:
    """Whoever copies one behind ``--set`` has changed nothing: none, true, and lists with commas."""
    for name in set(registry.working(kind)) - {"recorded"}:  # that planner has to be given a file
        listed = {setting: registry.written(value) for setting, value in about(kind, name)["settings"].items()}
        assert registry.build(kind, name, listed) == registry.build(kind, name)
    assert registry.written(("one", "two")) == "one,two"
