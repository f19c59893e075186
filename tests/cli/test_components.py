"""What the lists of components say can be typed."""

from __future__ import annotations

import pytest

from polyhop import registry
from polyhop.cli.components import about
from polyhop.registry import Kind
from tests.worlds.commands import Run


@pytest.mark.parametrize("kind", ["strategies", "planners", "readers"])
def test_defaults_are_listed_as_settings_take_them(kind: Kind) -> None:
    """Whoever copies one behind ``--set`` has changed nothing: none, true, and lists with commas."""
    for name in set(registry.working(kind)) - {"recorded"}:  # that planner has to be given a file
        listed = {setting: registry.written(value) for setting, value in about(kind, name)["settings"].items()}
        assert registry.build(kind, name, listed) == registry.build(kind, name)
    assert registry.written(("one", "two")) == "one,two"


@pytest.mark.parametrize("command", ["strategies", "planners", "readers"])
def test_what_a_component_does_is_told_without_marks(run: Run, command: str) -> None:
    assert "`" not in run(command).out


def test_a_setting_that_has_to_be_given_is_listed_so(run: Run) -> None:
    assert "file (required), prefer=" in run("planners").out
    (recorded,) = [row for row in run("planners", "--json").json() if row["name"] == "recorded"]
    assert recorded["required"] == ["file"]
