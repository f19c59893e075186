"""Machines that share a record share what was gathered, too: one pushes it, the others pull it instead of gathering."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt, StorageFull, StoreUnreachable, UsageError
from polyhop.indexes import digests
from polyhop.indexing.build import Builder
from polyhop.indexing.shared_generations import SharedGenerations
from polyhop.layers.parsekg import translation
from polyhop.settings import Settings
from polyhop.store.object_store import ObjectStore
from polyhop.store.record import Record
from polyhop.types import Document
from tests.worlds.machine import may_mount, posix, small_disk
from tests.worlds.postgres import Server

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'polyhop[postgres]'")
pytest.importorskip("obstore", reason="obstore is not installed: pip install 'polyhop[s3]'")
LAYERS = ("text", "parsekg")
TEXTS = {
    "quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "fennick": "Fennick is a town on the River Oar. It is known for its glass and its late trains.",
}
LATER = {"oar": "The River Oar rises in the Marl Hills, far above Fennick, and reaches the sea at Quillmouth."}


@dataclass(frozen=True)
class Fleet:
    """Machines with a folder each, over one record and one object store."""

    place: Path
    store: str
    objects: str

    def machine(self, name: str, *, beside: bool = False, grace: float = 24.0) -> Polyhop:
        """The index as one machine has it."""
        chosen = ["index.store=" + self.store, f"index.grace={grace}"]
        settings = Settings.read(None, chosen)
        return Polyhop(self.place / name, settings=settings, beside=beside)

    def index(self, name: str, texts: dict[str, str], *, grace: float = 24.0) -> None:
        """Index documents on a machine, and push."""
        settings = Settings.read(
            None, ["index.store=" + self.store, "index.objects=" + self.objects, f"index.grace={grace}"]
        )
        with Polyhop(self.place / name, settings=settings) as engine:
            engine.add_documents([Document(id=key, text=text) for key, text in texts.items()])

    def refused(self, name: str, texts: dict[str, str]) -> None:
        """Index documents on a machine whose object store takes nothing."""
        with pytest.raises(StoreUnreachable) as caught:
            self.index(name, texts)
        assert caught.value.remedy

    def files(self, name: str) -> dict[str, bytes]:
        """What a machine has of all generations."""
        home = self.place / name / "generations"
        found = (path for path in home.rglob("*") if path.is_file() and path.name != "seen.json")
        return {path.relative_to(home).as_posix(): path.read_bytes() for path in found}

    def stored(self) -> set[str]:
        """The keys of all objects."""
        return {each.key for each in ObjectStore(self.objects).listed("")}


@pytest.fixture
def fleet(postgres: Server, objects: str, tmp_path: Path) -> Fleet:
    return Fleet(tmp_path / "fleet", postgres.address(), objects)


@pytest.fixture
def never_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gathers from here on fails."""

    def refuse(*_: object) -> None:
        raise AssertionError("a layer is gathered")

    monkeypatch.setattr(Builder, "gather", refuse)


def found(engine: Polyhop, question: str) -> list[str]:
    return [passage.document_id for passage in engine.search(question, k=1, strategy="hybrid").passages]


def test_what_one_machine_gathered_another_takes_over(fleet: Fleet, request: pytest.FixtureRequest) -> None:
    """Byte for byte, without gathering anything; and after a change it fetches what is new."""
    fleet.index("a", TEXTS)
    with fleet.machine("b") as reader:
        with Record.open(fleet.place / "a") as record:
            assert not record.behind()
        request.getfixturevalue("never_gathers")
        assert found(reader, "Who built the lighthouse?") == ["quillmouth"]
        assert fleet.files("b") == fleet.files("a")


def test_a_change_is_taken_over_too(fleet: Fleet, request: pytest.FixtureRequest) -> None:
    fleet.index("a", TEXTS)
    with fleet.machine("b") as reader:
        assert found(reader, "Where does the River Oar rise?") != ["oar"]
        fleet.index("a", LATER)
        request.getfixturevalue("never_gathers")
        assert found(reader, "Where does the River Oar rise?") == ["oar"]
        assert fleet.files("b") == fleet.files("a")


def test_the_translators_tokens_come_with_their_segments(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no machine has to make them for its first question."""
    monkeypatch.setattr(translation, "FEW", 0)
    for texts in (TEXTS, LATER):
        fleet.index("a", texts)
        with fleet.machine("b") as reader:
            assert found(reader, "Who built the lighthouse?") == ["quillmouth"]
            assert any("/tokens-" in path for path in fleet.files("b"))
            assert fleet.files("b") == fleet.files("a")


def test_a_server_answers_from_what_it_has_until_it_has_taken_over(fleet: Fleet) -> None:
    """And never shows what was removed meanwhile."""
    fleet.index("a", TEXTS)
    with fleet.machine("b", beside=True) as server:
        assert found(server, "Where is Fennick?") == ["fennick"]
        fleet.index("a", LATER)
        with fleet.machine("a") as writer:
            writer.remove("fennick")
        until = time.monotonic() + 60
        while (answer := found(server, "Where does the River Oar rise?")) != ["oar"]:
            assert "fennick" not in answer
            assert time.monotonic() < until
            time.sleep(0.05)


def shared(fleet: Fleet, record: Record, name: str, grace: float = 24.0) -> SharedGenerations:
    folder = fleet.place / name / "generations"
    return SharedGenerations(
        objects=ObjectStore(fleet.objects), record=record, folder=folder, grace=timedelta(hours=grace)
    )


def test_what_nobody_can_ask_for_any_more_is_deleted(fleet: Fleet) -> None:
    """Only after the grace time, by whoever pushes next; what is current stays, and so does what others keep there."""
    fleet.index("a", TEXTS)
    ObjectStore(fleet.objects).put("of-others/thing", b"x")
    first = fleet.stored()
    fleet.index("a", LATER)
    assert first < fleet.stored()  # within the grace time
    fleet.index("a", {"marl": "The Marl Hills are low and wooded."}, grace=0.0)
    last = fleet.stored()
    assert "of-others/thing" in last
    assert first - last
    with fleet.machine("c") as reader:
        assert found(reader, "What are the Marl Hills?") == ["marl"]


def test_pushing_again_stores_what_is_missing(fleet: Fleet) -> None:
    fleet.index("a", TEXTS)
    before = fleet.stored()
    ObjectStore(fleet.objects).delete(sorted(before)[::3])
    fleet.index("a", {})
    assert fleet.stored() == before


@pytest.mark.parametrize("harm", ["wrong", "missing", "unreachable"])
def test_what_cannot_be_pulled_is_gathered(fleet: Fleet, harm: str, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning that says why: answers are the same, and nothing is lost."""
    fleet.index("a", TEXTS)
    store = ObjectStore(fleet.objects)
    for key in sorted(fleet.stored()):
        if harm == "wrong" and "/files/" in key:
            store.put(key, bytes(len(store.read(key))))
        elif harm == "missing":
            store.delete([key])
    with fleet.machine("b") as reader:
        if harm == "unreachable":
            with Record.create_or_open(fleet.place / "a") as record:
                record.set_meta("objects", "file:///proc/nowhere")
        assert found(reader, "Who built the lighthouse?") == ["quillmouth"]
    assert "is gathered here, because it cannot be pulled" in caplog.text
    assert {"wrong": "is damaged", "missing": "has no", "unreachable": "cannot be used"}[harm] in caplog.text


KILLED = """
import os, signal, sys
from datetime import timedelta
from pathlib import Path
from polyhop.indexing.shared_generations import SharedGenerations
from polyhop.store.object_store import ObjectStore
from polyhop.store.record import Record

what, store, objects, folder, most = sys.argv[1:]
left = int(most)

class Deadly(ObjectStore):
    def die(self):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def put(self, key, content):
        self.die()
        super().put(key, content)

    def fetch(self, key, target):
        found = super().fetch(key, target)
        self.die()
        return found

opened = Record.create_or_open(folder, store) if what == "push" else Record.catching_up(folder, store)
with opened as record:
    shared = SharedGenerations(
        objects=Deadly(objects), record=record, folder=Path(folder) / "generations", grace=timedelta(hours=24)
    )
    for layer in ("text", "parsekg"):
        getattr(shared, what)(layer)
        if what == "pull":
            record.caught_up(layer)
print("done")
"""


def killed(fleet: Fleet, what: str, name: str, most: int) -> bool:
    """Push or pull in another process that dies after so many objects; whether it came to its end."""
    command = [sys.executable, "-c", KILLED, what, fleet.store, fleet.objects, str(fleet.place / name), str(most)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == 0


@posix
def test_whoever_is_killed_while_pushing_leaves_readers_what_they_had(fleet: Fleet) -> None:
    """Until the next push has come to its end: then it is that of a push that nobody killed."""
    settings = Settings.read(None, ["index.store=" + fleet.store])
    with Polyhop(fleet.place / "a", settings=settings) as engine:
        engine.add_documents([Document(id=key, text=text) for key, text in TEXTS.items()])
    deaths = 0
    for most in (0, 1, 3, 1000):
        if not killed(fleet, "push", "a", most):
            deaths += 1
            with Record.open(fleet.place / "a") as record:
                assert record.pushed("parsekg") is None
    assert deaths >= 3
    with Record.catching_up(fleet.place / "b", fleet.store) as record:
        assert all(shared(fleet, record, "b").pull(layer) for layer in LAYERS)
    assert fleet.files("b") == fleet.files("a")


@posix
def test_whoever_is_killed_while_pulling_goes_on_where_it_stopped(fleet: Fleet) -> None:
    fleet.index("a", TEXTS)
    deaths = 0
    while not killed(fleet, "pull", "b", 1):
        deaths += 1
        assert deaths < 12
        with Record.open(fleet.place / "b", fleet.store) as record:
            current = record.generation("parsekg")
            assert current is None
    assert deaths >= 2
    with fleet.machine("b") as reader:
        assert found(reader, "Who built the lighthouse?") == ["quillmouth"]
    assert fleet.files("b") == fleet.files("a")


def test_a_damaged_file_is_not_pushed(fleet: Fleet) -> None:
    fleet.index("a", TEXTS)
    (part,) = (fleet.place / "a" / "generations" / "text").glob(f"*/{digests.PACKED}")
    part.write_bytes(bytes(len(part.read_bytes())))
    store = ObjectStore(fleet.objects)
    store.delete(sorted(fleet.stored()))
    with Record.create_or_open(fleet.place / "a", fleet.store) as record:
        with pytest.raises(IndexCorrupt, match="is damaged"):
            shared(fleet, record, "a").push("text")
        assert not any("/lists/" in key for key in fleet.stored())
    fleet.index("a", {})  # gathers it again, and pushes that
    with fleet.machine("b") as reader:
        assert found(reader, "Who built the lighthouse?") == ["quillmouth"]


@may_mount
def test_a_full_disk_while_pulling_is_told_and_the_next_pull_goes_on(fleet: Fleet) -> None:
    fleet.index("a", TEXTS)
    fleet.place.joinpath("b").mkdir()
    with small_disk(fleet.place / "b" / "generations", kibibytes=20) as disk:
        with Record.catching_up(fleet.place / "b", fleet.store) as record:
            with pytest.raises(StorageFull) as caught:
                [shared(fleet, record, "b").pull(layer) for layer in LAYERS]
            assert caught.value.remedy
            subprocess.run(["mount", "-o", "remount,size=10000k", str(disk)], check=True)
            assert all(shared(fleet, record, "b").pull(layer) for layer in LAYERS)
        assert fleet.files("b") == fleet.files("a")


def test_a_store_that_cannot_be_reached_is_told_by_who_indexes_and_loses_nothing(fleet: Fleet) -> None:
    settings = Settings.read(None, ["index.store=" + fleet.store, "index.objects=file:///proc/nowhere"])
    documents = [Document(id=key, text=text) for key, text in TEXTS.items()]
    with Polyhop(fleet.place / "a", settings=settings) as engine, pytest.raises(StoreUnreachable) as caught:
        engine.add_documents(documents)
    assert caught.value.remedy
    fleet.index("a", {})
    with fleet.machine("b") as reader:
        assert found(reader, "Who built the lighthouse?") == ["quillmouth"]


def test_an_address_that_takes_nothing_does_not_take_the_place_of_the_one_before(fleet: Fleet) -> None:
    """A bucket with a slip in its name, say: the next run pushes to the store that was there, and names none."""
    fleet.index("a", TEXTS)
    replace(fleet, objects="file:///proc/nowhere").refused("a", LATER)
    with fleet.machine("a") as engine:
        engine.add_documents([Document(id="mill", text="The mill stands in Fennick.")])
    with Record.open(fleet.place / "a", fleet.store) as record:
        assert record.meta("objects") == fleet.objects
    with fleet.machine("b") as reader:
        assert found(reader, "Where does the River Oar rise?") == ["oar"]


def test_an_index_without_a_database_shares_nothing(tmp_path: Path) -> None:
    settings = Settings.read(None, [f"index.objects=file://{tmp_path}/objects"])
    with Polyhop(tmp_path / "index", settings=settings) as engine, pytest.raises(UsageError, match="shares nothing"):
        engine.add_documents([Document(id="brisk", text=TEXTS["brisk"])])
    assert not (tmp_path / "index").exists()


def test_a_list_that_leads_out_of_the_folder_is_refused(fleet: Fleet) -> None:
    """Whoever can write to the bucket cannot write elsewhere on the machines that read it."""
    fleet.index("a", TEXTS)
    store = ObjectStore(fleet.objects)
    with Record.create_or_open(fleet.place / "a", fleet.store) as record:
        pushed = record.pushed("text")
        assert pushed is not None
        content = json.dumps({"format": 1, "layer": "text", "files": {"a/../../../evil.npy": [1, "0" * 32]}}).encode()
        name = hashlib.sha256(content).hexdigest()
        store.put(f"{record.identity}/text/lists/{name}", content)
        record.set_pushed("text", pushed.name, {**pushed.description, "list": name})
    with Record.catching_up(fleet.place / "b", fleet.store) as record, pytest.raises(IndexCorrupt, match="another"):
        shared(fleet, record, "b").pull("text")
