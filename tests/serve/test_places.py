"""Workspaces: where they are, and that no name leads anywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError, WorkspaceMissing
from polyhop.serve.places import Places
from polyhop.settings import Settings

TRICKS = (
    *("..", ".", "/", "a/b", "../legal", "legal/../finance", "..\\legal", "/etc", "C:", "c:\\", "~", "~root", "\0"),
    *(
        "legal\0",
        "Legal",
        "LEGAL",
        " legal",
        "legal ",
        "legal.",
        ".legal",
        "-legal",
        "con",
        "nul",
        "com1",
        "lpt9",
        "aux",
    ),
    *("l\u0435gal", "\ufe4fegal", "%2e%2e", "$HOME", "legal\n", "legal;rm", "file:///etc", "a" * 64, "\u202elagel"),
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    places = Places(workspaces=tmp_path / "root")
    for name in ("legal", "finance"):
        places.make(name)
    return places


def test_workspaces_have_a_folder_each(places: Places, tmp_path: Path) -> None:
    legal, finance = places.place("legal"), places.place("finance")
    assert places.names() == ["finance", "legal"]
    assert legal.index == tmp_path / "root" / "legal" / "polyhop.index"
    assert legal.folder != finance.folder
    assert {legal.queue.parent, legal.files.parent} == {legal.folder}
    assert places.keys.parent == tmp_path / "root"


def test_a_server_without_workspaces_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissing, match="no workspace yet") as told:
        Places(workspaces=tmp_path / "root").place()
    assert told.value.remedy == 'Make one with: POST /v1/workspaces {"name": "default"}'


def test_the_default_workspace_is_the_only_one_or_the_one_so_called(places: Places) -> None:
    with pytest.raises(WorkspaceMissing):
        places.place()
    places.make("default")
    assert places.place().name == "default"


def test_an_index_alone_is_the_default_workspace(tmp_path: Path) -> None:
    places = Places(tmp_path / "polyhop.index")
    place = places.make("default")
    assert places.names() == ["default"]
    assert place == places.place() == places.place("default")
    assert place.index == tmp_path / "polyhop.index"
    assert place.folder == place.index / "server"
    with pytest.raises(UsageError, match="a single index"):
        places.make("legal")
    with pytest.raises(WorkspaceMissing):
        places.place("legal")


@pytest.mark.parametrize("name", TRICKS)
def test_no_trick_names_a_workspace(places: Places, tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(WorkspaceMissing):
        places.place(name)
    with pytest.raises(UsageError, match="cannot be the name of a workspace"):
        places.make(name)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("store", "name"), [("db", "pg_notes"), ("db#of-all", "a" * 60)])
def test_a_name_that_the_database_cannot_have_is_refused_before_there_is_a_folder(
    places: Places, store: str, name: str
) -> None:
    before = places.names()
    with pytest.raises(UsageError, match="cannot be called"):
        places.make(name, Settings.read(None, [f"index.store=postgresql://host/{store}"]))
    assert places.names() == before


@given(st.text(max_size=70))
def test_every_name_stays_within_the_folder_or_is_refused(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root = tmp_path_factory.getbasetemp() / "every"
    places = Places(workspaces=root)
    try:
        place = places.make(name)
    except UsageError:
        return
    assert place.folder.resolve().parent == root.resolve()
    assert places.place(name) == place


def test_what_else_lies_in_the_folder_is_no_workspace(places: Places, tmp_path: Path) -> None:
    (tmp_path / "root" / "keys.sqlite").write_bytes(b"")
    (tmp_path / "root" / "notes").write_bytes(b"")
    (tmp_path / "root" / ".hidden").mkdir()
    (tmp_path / "root" / "Upper").mkdir()
    assert places.names() == ["finance", "legal"]
