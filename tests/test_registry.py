"""The registry: names, the nearest name for a typing error, and settings checked against a component's fields."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop import registry
from polyhop.errors import ComponentBroken, SettingError, UnknownComponent
from polyhop.registry import Kind, configured, dotted, fitted, setting_names
from tests.worlds.commands import Run
from tests.worlds.installed import look_again

KINDS: tuple[Kind, ...] = get_args(Kind)
COMPONENTS = [(kind, name) for kind in KINDS for name in registry.names(kind)]


@pytest.mark.parametrize(("kind", "name"), COMPONENTS, ids=lambda item: str(item))
def test_every_registered_component_loads_and_is_a_documented_dataclass(kind: Kind, name: str) -> None:
    component = registry.load(kind, name)
    assert (component.__doc__ or "").strip()
    assert is_dataclass(component) or kind == "metrics"


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_sorted_and_there_are_some(kind: Kind) -> None:
    names = registry.names(kind)
    assert names == tuple(sorted(names))
    assert names


@pytest.mark.parametrize(
    ("kind", "name", "message", "remedy"),
    [
        ("strategies", "path", "There is no strategy named 'path'", "Did you mean 'paths'?"),
        ("layers", "txt", "There is no layer named 'txt'", "Did you mean 'text'?"),
        ("language_models", "gpt", "There is no language model named 'gpt'", "Known: "),
        ("constrained_models", "smolm2", "There is no constrained model", "Did you mean 'smollm2'?"),
        ("embedders", "", "There is no embedder named ''", "Known: bge-small"),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_offered(kind: Kind, name: str, message: str, remedy: str) -> None:
    with pytest.raises(UnknownComponent) as caught:
        registry.load(kind, name)
    assert message in str(caught.value)
    assert remedy in caught.value.remedy


@dataclass(frozen=True, kw_only=True)
class Kettle:
    """A component with a field of every type that settings have."""

    litres: float = 1.5
    cups: int = 6
    whistles: bool = True
    colour: Literal["red", "blue"] = "red"
    lid: str | None = None
    limit: float | None = None
    words: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        if self.cups < 1:
            raise ValueError("cups must be at least 1")


@dataclass(frozen=True, kw_only=True)
class Stove:
    """A component with a step of its own."""

    burners: int = 4
    kettle: Kettle = Kettle()


@dataclass(frozen=True, kw_only=True)
class Oven:
    """A component that has to be told something."""

    fuel: str


def test_a_setting_that_has_to_be_told_is_named() -> None:
    with pytest.raises(SettingError, match=r"kitchen\.oven needs to be told: fuel") as caught:
        configured(Oven, {}, "kitchen.oven")
    assert caught.value.remedy == "Set kitchen.oven.fuel."


def test_settings_of_a_step_are_named_in_full_or_stand_in_a_section_of_their_own() -> None:
    laid = {**dotted({"burners": 2, "kettle": {"cups": 3, "words": ["a"]}}), "kettle.cups": "5"}
    assert laid == {"burners": 2, "kettle.cups": "5", "kettle.words": ["a"]}
    assert configured(Stove, laid, "stove") == Stove(burners=2, kettle=Kettle(cups=5, words=("a",)))
    assert configured(Stove, {"kettle": Kettle(cups=1)}, "stove").kettle.cups == 1
    assert setting_names(Stove)[:3] == ("burners", "kettle.litres", "kettle.cups")


@pytest.mark.parametrize(
    ("settings", "message", "remedy"),
    [
        ({"kettle.cup": 1}, "stove.kettle has no setting 'cup'", "'cups'"),
        ({"kettle": 3}, "stove.kettle has settings of its own, and cannot be 3", "kettle.cups"),
        ({"kettle": {"cups": 0}}, "stove.kettle: cups must be at least 1", ""),
        ({"burners.left": 1}, "stove has no setting 'burners.left'", "'burners'"),
        ({"cups": 1}, "stove has no setting 'cups'", "'kettle.cups'"),
    ],
)
def test_settings_of_a_step_that_do_not_fit_are_refused(settings: dict[str, Any], message: str, remedy: str) -> None:
    with pytest.raises(SettingError) as caught:
        configured(Stove, settings, "stove")
    assert message in str(caught.value)
    assert remedy in caught.value.remedy


def kettle(**settings: object) -> Kettle:
    made: Kettle = configured(Kettle, settings, "kettle")
    return made


def test_text_from_the_command_line_becomes_what_a_field_declares() -> None:
    made = kettle(
        litres="2", cups="4", whistles="off", colour="blue", lid="glass", limit="none", words="a, b,c", sizes="1,2"
    )
    assert made == Kettle(
        litres=2.0,
        cups=4,
        whistles=False,
        colour="blue",
        lid="glass",
        limit=None,
        words=("a", "b", "c"),
        sizes=(1, 2),
    )


def test_values_of_a_file_fit_as_they_are() -> None:
    made = kettle(litres=2, cups=4.0, whistles=False, words=["a"], sizes=[3])
    assert (made.litres, made.cups, made.whistles, made.words, made.sizes) == (2.0, 4, False, ("a",), (3,))
    assert isinstance(made.cups, int)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"litre": 1}, "kettle has no setting 'litre'"),
        ({"litres": "hot"}, "kettle.litres takes a value of type float, not 'hot'"),
        ({"litres": "nan"}, "kettle.litres"),
        ({"cups": True}, "kettle.cups"),
        ({"cups": "1.5"}, "kettle.cups"),
        ({"cups": 10**400}, "kettle.cups takes a value of type int"),
        ({"cups": 0}, "kettle: cups must be at least 1"),
        ({"whistles": "perhaps"}, "kettle.whistles takes a value of type bool"),
        ({"whistles": 1}, "kettle.whistles"),
        ({"colour": "read"}, "kettle.colour cannot be 'read'"),
        ({"lid": 3}, "kettle.lid cannot be 3"),
        ({"words": 3}, "kettle.words takes a list"),
        ({"sizes": "1,x"}, "kettle.sizes"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        configured(Kettle, settings, "kettle")
    assert message in str(caught.value)


def test_the_nearest_setting_and_choice_are_offered() -> None:
    with pytest.raises(SettingError) as caught:
        kettle(litre=1)
    assert "Did you mean 'litres'?" in caught.value.remedy
    with pytest.raises(SettingError) as caught:
        kettle(colour="read")
    assert "Did you mean 'red'?" in caught.value.remedy


@given(st.integers(-(2**53), 2**53))
def test_an_integer_survives_being_text(value: int) -> None:
    assert fitted(str(value), int, "key") == value


@given(st.floats(allow_nan=False))
def test_a_number_survives_being_text(value: float) -> None:
    assert fitted(repr(value), float, "key") == value


@given(st.text(), st.sampled_from([int, float, bool, int | None, tuple[int, ...], Literal["a", "b"]]))
def test_any_text_fits_or_is_refused(text: str, hint: Any) -> None:
    """Whatever a user types, it is a value of the declared type or a SettingError, never another error."""
    try:
        value = fitted(text, hint, "key")
    except SettingError:
        return
    assert fitted(value, hint, "key") == value


PLUGIN = '''
"""A strategy that another package brings."""

from dataclasses import dataclass
from typing import ClassVar

from polyhop.types import Evidence


@dataclass(frozen=True, kw_only=True)
class Shortest:
    """Rank nothing, quickly."""

    patience: int = 3

    needs: ClassVar[tuple[str, ...]] = ("text",)

    def retrieve(self, question, over, budget):
        return Evidence(question=question, strategy="shortest", passages=(), trail=(f"patience {self.patience}",))
'''


BROKEN = """from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Useless:
    \"\"\"Finds nothing, since it cannot be asked.\"\"\"

    needs = ()


class Plain:
    \"\"\"Is a class like any other.\"\"\"


class Paths(Plain):
    \"\"\"Would like to stand in the place of the strategy that is there.\"\"\"
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package is installed of which nothing can be used."""
    (tmp_path / "exploding.py").write_text("raise RuntimeError('the wrong day')\n")
    (tmp_path / "unusable.py").write_text(BROKEN)
    about = tmp_path / "unusable-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: unusable\nVersion: 1.0\n")
    strategies = {"useless": "Useless", "plain": "Plain", "vanished": "Vanished", "paths": "Paths"}
    lines = [f"{name} = unusable:{value}" for name, value in strategies.items()]
    points = ["[polyhop.strategies]", "exploding = exploding:Any", *lines, "[polyhop.loaders]", "odd = exploding:Any"]
    (about / "entry_points.txt").write_text("\n".join(points) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    look_again()
    yield
    monkeypatch.undo()
    look_again()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("exploding", "cannot be loaded: RuntimeError: the wrong day"),
        ("vanished", "cannot be loaded: AttributeError"),
        ("plain", "is no dataclass"),
        ("useless", "lacks retrieve"),
    ],
)
@pytest.mark.usefixtures("broken")
def test_what_cannot_be_used_is_named_with_its_package(name: str, why: str) -> None:
    with pytest.raises(ComponentBroken) as caught:
        registry.build("strategies", name)
    assert f"The strategy {name!r} of the package unusable {why}" in str(caught.value)
    assert "pip uninstall unusable" in caught.value.remedy


@pytest.mark.usefixtures("broken")
def test_a_package_that_is_broken_breaks_nothing_else(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Strategies are listed and documents indexed all the same, and what is wrong is said."""
    listed = {row["name"] for row in run("strategies", "--json").json()}
    assert "bm25" in listed
    assert not listed & {"exploding", "vanished", "plain", "useless"}
    (tmp_path / "notes.txt").write_text("Ada Brisk built the lighthouse.")
    assert run("index", tmp_path / "notes.txt", "--layers", "text", "--index", tmp_path / "an.index").code == 0
    assert "The loader 'odd' of the package unusable cannot be loaded" in caplog.text


@pytest.mark.usefixtures("broken")
def test_no_package_takes_the_name_of_what_polyhop_brings(caplog: pytest.LogCaptureFixture) -> None:
    assert registry.load("strategies", "paths").__module__ == "polyhop.strategies.paths.strategy"
    assert "The strategy 'paths' of the package unusable is left out: polyhop has one of that name." in caplog.text


def test_a_component_of_another_package_enters_by_the_same_door(tmp_path: Path, world_index: Path) -> None:
    """An entry point is all it takes: it is listed, chosen, configured and run like the built-in ones."""
    (tmp_path / "plugin.py").write_text(PLUGIN)
    about = tmp_path / "plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[polyhop.strategies]\nshortest = plugin:Shortest\n")
    command = [sys.executable, "-m", "polyhop.cli.main"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*arguments: str) -> Any:
        done = subprocess.run([*command, *arguments], env=environment, capture_output=True, check=True)
        return json.loads(done.stdout)

    listed = {row["name"]: row for row in run("strategies", "--json")}
    assert listed["shortest"]["about"] == "Rank nothing, quickly."
    found = run(
        "search", "x", "--strategy", "shortest", "--set", "strategy.patience=7", "--json", "--index", str(world_index)
    )
    assert found["trail"] == ["patience 7"]
