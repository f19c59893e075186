"""The code that cuts has a version: an index that an earlier one cut is cut again, and keeps what was paid for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.documents import chunking
from polyhop.documents.loaders.eml import EmlLoader
from polyhop.documents.loaders.gz import GzipLoader
from polyhop.documents.loaders.mbox import MboxLoader
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.loading import Loader, file_document, version_of
from polyhop.documents.reading import Source, fingerprint_file
from polyhop.engine import Polyhop
from polyhop.indexing import ingest
from polyhop.indexing.ingest import Ingest
from polyhop.reports import IndexReport
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Document, Occasion, Passage
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer, Played, says, serving

WHO = ("Ada Brisk", "Otto Fell")
CHAT = "\n".join(
    ["Date: 4 February 2031", *(f"{WHO[n % 2]}: I landed at buoy {n}. Then I went on to the mill." for n in range(90))]
)
EXPORT = "\n".join(
    f"03/{n:02}/2031, 17:30 - {WHO[n % 2]}: I painted part {n}. The canoe needs a name." for n in range(1, 30)
)
PROSE = "\n\n".join(f"Keeper {n} sailed the Grey Tern past the buoy. It took {n} days." for n in range(60))
TEXTS = {
    "chat.txt": CHAT,
    "export.txt": EXPORT,
    "prose.txt": PROSE,
    "log.txt": "\n".join(["--- Day changed 2031-02-04", *(f"[23:{n:02}] <ada> Buoy {n} is lit." for n in range(60))]),
    "chinese.txt": "丽娜修好了潮汐磨坊。它在奥拉河上！" * 20,
    "word.txt": "x" * 900,
}


def test_whoever_changes_how_documents_are_cut_raises_the_version() -> None:
    """Otherwise the files of an index that exists would stay as they were cut."""
    found = []
    for name, text in TEXTS.items():
        document = Document(id=name, uri=name, title=name, text=text, media_type="text/plain", sha256="0")
        for tokens, overlap in ((16, 4), (80, 20), (512, 64)):
            passages = [
                *chunking.cut(document, Chunking(tokens=tokens, overlap=overlap)),
                *chunking.cut(replace(document, whole=True), Chunking(tokens=tokens, overlap=overlap, longest_row=300)),
            ]
            found += [(one.start, one.end, asdict(one.occasion) if one.occasion else None) for one in passages]
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]
    assert (chunking.CODE_VERSION, digest) == ("4", "5ae831d3bb339d00")


def knowing(request: Mapping[str, Any]) -> Played:
    """An endpoint that finds one fact in each passage."""
    shown = re.findall(r"<<<PASSAGE (\d+) [0-9a-f]+>>>\nTitle: .*\n\n(.*)", request["messages"][1]["content"])
    facts = [
        {"passage": int(n), "head": words[0], "relation": "begins", "tail": words[2], "evidence": line}
        for n, line in shown
        if len(words := line.split()) > 2
    ]
    return says(json.dumps({"facts": facts}))


@dataclass
class Place:
    """Documents, an index of them, and an endpoint that is paid."""

    folder: Path
    server: EndpointServer

    def index(self, *, dry_run: bool = False) -> IndexReport:
        """One run over the documents, with the layer of facts."""
        changes = {
            "models.language_model": "openai",
            "language_model.base_url": self.server.url,
            "language_model.model": "sage",
            "layers.facts.extractor": "language_model",
            "chunking.tokens": 128,
            "chunking.overlap": 0,
        }
        chosen = Settings.read(None, [f"{key}={value}" for key, value in changes.items()])
        with Polyhop(self.folder / "an.index", settings=chosen) as engine:
            return engine.index(self.folder / "docs", layers=["facts"], dry_run=dry_run)

    def passages(self) -> dict[str, tuple[Passage, int, bytes]]:
        """What the index has, by id: a passage, its number and the row that was paid for."""
        with Record.open(self.folder / "an.index") as record:
            numbers, rows = record.numbers().tolist(), dict(record.payloads("facts"))
            return {one.id: (one, n, rows[n]) for n, one in zip(numbers, record.passages(numbers), strict=True)}

    def shown(self) -> str:
        """All that the endpoint was sent, and forget it."""
        sent = "\n".join(str(request["messages"][1]["content"]) for request in self.server.requests)
        self.server.requests.clear()
        return sent


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An index as the version before conversations were recognised left it."""
    write(tmp_path / "docs", {name: TEXTS[name] for name in ("chat.txt", "export.txt", "prose.txt")})
    with serving(knowing) as server, pytest.MonkeyPatch.context() as before:

        def stamp(self: Ingest, source: Source) -> str:
            content = [fingerprint_file(source.path), asdict(self.chunking)]
            return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

        before.setattr(chunking, "transcript_of", lambda _: None)  # all text was prose
        before.setattr(Ingest, "_stamp", stamp)
        here = Place(tmp_path, server)
        here.index()
        before.undo()
        yield here


def test_an_index_of_the_version_before_is_cut_again_and_keeps_what_was_paid_for(place: Place) -> None:
    before = place.passages()
    assert len(before) > 20
    assert {one.occasion for one, *_ in before.values()} == {None}
    place.shown()
    forecast, report, after = place.index(dry_run=True), place.index(), place.passages()
    kept = before.keys() & after.keys()
    assert {before[key][1:] == after[key][1:] for key in kept} == {True}, "numbers and rows stay"
    assert {key for key, (one, *_) in before.items() if one.title == "prose"} < kept, "some of a chat stay, too"
    paid = place.shown()
    new = [one for key, (one, *_) in after.items() if key not in kept]
    assert new
    assert all(one.text in paid for one in new)
    assert not [one.text for one, *_ in map(after.__getitem__, kept) if one.text in paid], "nothing is paid for again"
    for told in (forecast, report):
        assert (told.changed, told.unchanged) == (2, 1)
        assert (told.layers[0].extracted, told.layers[0].reused) == (len(new), len(kept))


def test_an_index_of_the_version_before_learns_the_days_of_its_chats(place: Place) -> None:
    """Those of passages that stay as they were, too."""
    before = place.passages().keys()
    place.index()
    later = {key: one for key, (one, *_) in place.passages().items() if one.title == "chat" and one.ordinal}
    assert {one.occasion for one in later.values()} == {Occasion(day="20310204")}
    assert before & later.keys()


def test_files_that_were_cut_by_this_version_are_not_read_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.index()
    place.shown()
    with monkeypatch.context() as here:
        here.setattr(ingest, "cut", None)
        again = place.index()
    assert (again.changed, again.unchanged, again.layers[0].extracted) == (0, 3, 0)
    monkeypatch.setattr(ingest, "CODE_VERSION", "3")
    later = place.index()
    assert (later.changed, later.unchanged, later.layers[0].extracted) == (0, 3, 0)
    assert place.shown() == ""


def test_a_file_is_read_again_once_its_loader_reads_more_of_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made of text that stays as it was stays too."""
    place.index()
    place.shown()
    read: list[str] = []

    def load(self: TextLoader, path: Path, uri: str) -> Iterator[Document]:
        read.append(path.name)
        text = path.read_text()
        yield file_document(uri, text.upper() if path.name == "prose.txt" else text, "text/plain", title=path.stem)

    monkeypatch.setattr(TextLoader, "load", load)
    assert (place.index().unchanged, read) == (3, [])
    monkeypatch.setattr(TextLoader, "version", "next")
    later = place.index()
    assert (later.changed, later.unchanged, read) == (1, 2, ["chat.txt", "export.txt", "prose.txt"])
    assert later.layers[0].reused > 0
    assert "landed at buoy" not in place.shown()


@pytest.mark.parametrize("loader", [GzipLoader, EmlLoader, MboxLoader])
def test_what_hands_files_on_is_read_again_once_another_loader_reads_more(
    loader: Callable[[], Loader], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version_of(loader())
    assert version_of(loader()) == before
    monkeypatch.setattr(TextLoader, "version", "next")
    assert version_of(loader()) != before
