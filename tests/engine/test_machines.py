"""Two machines and one record in Postgres: each has a folder, and none answers from what is out of date."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.cli.serve import _note
from polyhop.engine import Polyhop
from polyhop.errors import IndexMissing
from polyhop.indexing.run import IndexRun
from polyhop.serve.engines import Engines
from polyhop.serve.places import Places
from polyhop.settings import Indexing, Settings
from polyhop.store.record import Record
from polyhop.types import Document
from tests.worlds.commands import Run
from tests.worlds.documents import HARBOUR
from tests.worlds.postgres import Server
from tests.worlds.settings import QUICK

LIGHT = Document(id="light", title="Skerry Light", text="Skerry Light is a lighthouse. It was built by Olaf Trench.")


@pytest.fixture
def machines(postgres: Server, tmp_path: Path) -> Iterator[tuple[Polyhop, Polyhop]]:
    """Engines over one record, the first of which has indexed the harbour."""
    settings = replace(QUICK, index=Indexing(store=postgres.address()))
    documents = [Document(id=name, text=text) for name, text in HARBOUR.items()]
    with Polyhop(tmp_path / "here", settings=settings) as here, Polyhop(tmp_path / "there", settings=settings) as there:
        here.add_documents(documents)
        yield here, there


def generations(engine: Polyhop) -> set[Path]:
    return {path for path in (engine.path / "generations").rglob("*") if path.is_file()}


def texts(engine: Polyhop, question: str, strategy: str) -> list[str]:
    return [passage.text for passage in engine.search(question, k=3, strategy=strategy).passages]


@pytest.mark.parametrize("strategy", ["hybrid", "paths"])
def test_another_machine_answers_from_the_same_rows(machines: tuple[Polyhop, Polyhop], strategy: str) -> None:
    here, there = machines
    question = "Who built the lighthouse of Quillmouth?"
    assert texts(there, question, strategy) == texts(here, question, strategy) != []
    made = {path: path.stat().st_mtime_ns for path in generations(there)}
    texts(there, question, strategy)
    assert {path: path.stat().st_mtime_ns for path in generations(there)} == made  # gathered once


def test_what_one_machine_changes_the_other_finds(machines: tuple[Polyhop, Polyhop]) -> None:
    here, there = machines
    for engine in machines:
        assert not any("Trench" in text for text in texts(engine, "Who built Skerry Light?", "paths"))
    there.add_documents([LIGHT])
    for engine in machines:
        assert "Trench" in texts(engine, "Who built Skerry Light?", "paths")[0]
        assert "Trench" in texts(engine, "Who built Skerry Light?", "bm25")[0]
    here.remove("light")
    for engine in (there, here):
        assert not any("Trench" in text for text in texts(engine, "Who built Skerry Light?", "bm25"))
        assert not any(b"Trench" in path.read_bytes() for path in generations(engine))


def test_what_another_machine_gathers_while_this_one_catches_up_is_gathered_too(
    machines: tuple[Polyhop, Polyhop], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machines
    there.add_documents([LIGHT])
    catch_up, later = IndexRun.catch_up, [Document(id="inn", text="The Mole Inn was built by Ada Kern.")]

    def meanwhile(run: IndexRun, record: Record) -> None:
        catch_up(run, record)
        if later:
            there.add_documents([later.pop()])

    monkeypatch.setattr(IndexRun, "catch_up", meanwhile)
    assert "Kern" in texts(here, "Who built the Mole Inn?", "bm25")[0]


def test_an_unchanged_index_is_gathered_nowhere(machines: tuple[Polyhop, Polyhop]) -> None:
    here, there = machines
    texts(there, "lighthouse", "bm25")
    report = there.add_documents([Document(id=name, text=text) for name, text in HARBOUR.items()])
    assert [layer.extracted for layer in report.layers] == [0, 0]
    before = {path: path.stat().st_mtime_ns for path in generations(here)}
    texts(here, "lighthouse", "bm25")
    assert {path: path.stat().st_mtime_ns for path in generations(here)} == before


def test_a_folder_that_was_lost_is_gathered_anew(machines: tuple[Polyhop, Polyhop], tmp_path: Path) -> None:
    here, _ = machines
    expected = texts(here, "lighthouse", "bm25")
    with Polyhop(tmp_path / "new", settings=here.settings) as new:
        assert texts(new, "lighthouse", "bm25") == expected
        assert new.status().passages == here.status().passages


def test_commands_take_the_address_once(run: Run, postgres: Server, harbour: Path, tmp_path: Path) -> None:
    store = ("--store", postgres.address())
    run("index", harbour, "--index", tmp_path / "here", "--layers", "text", *store)
    assert run("status", "--index", tmp_path / "here").code == 0
    assert run("status", "--index", tmp_path / "there").code == IndexMissing.exit_code
    found = run("search", "lighthouse", "--strategy", "bm25", "--index", tmp_path / "there", *store)
    assert found.code == 0
    assert "lighthouse" in found.out.lower()
    assert run("doctor", "--deep", "--index", tmp_path / "there").out.count("every row can be read") == 1
    assert not (tmp_path / "here" / "record.sqlite").exists()


def test_answers_do_not_tell_where_they_are_kept(machines: tuple[Polyhop, Polyhop]) -> None:
    manifest = machines[0].ask("Who built the lighthouse?").manifest
    assert "postgresql" not in str(manifest)
    assert "postgresql" not in repr(machines[0].settings)


def test_each_workspace_has_a_name_of_its_own(tmp_path: Path) -> None:
    settings = Settings(index=Indexing(store="postgresql:///db"))
    places = Places(workspaces=tmp_path)
    stores = [places.within(settings, places.make(name)).index.store for name in ("red", "blue")]
    assert stores == ["postgresql:///db#red", "postgresql:///db#blue"]
    assert Places(tmp_path / "index").within(settings, Places(tmp_path / "index").place()) == settings
    assert os.listdir(tmp_path / "red") == ["files"]  # noqa: PTH208


@pytest.mark.parametrize(("store", "is_said"), [(None, True), ("postgresql:///db", False)])
def test_a_server_says_that_there_is_no_index_only_where_no_database_may_have_one(
    tmp_path: Path, store: str | None, is_said: bool
) -> None:
    """The folder of a machine is made by its first question."""
    folder = tmp_path / "index"
    assert bool(_note(folder, Engines(folder, settings=Settings(index=Indexing(store=store))))) is is_said
