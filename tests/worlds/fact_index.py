"""An index of facts with nothing around it: a record, the layer, and what it gathers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.layer import FactsLayer, encode
from polyhop.layers.layer import fingerprint
from polyhop.models.choice import Models
from polyhop.settings import Chunking
from polyhop.store.port import Generation
from polyhop.store.record import Record
from polyhop.types import Fact
from tests.worlds.extraction import passage

TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "River Oar": "The River Oar rises near Fennick. It reaches the sea at Quillmouth, below the lighthouse.",
    "雨の町": "昨日、雨の町で灯台が建てられた。",
    "Nothing": "…",
}


PASSAGES = [passage(title, text) for title, text in TEXTS.items()]


@dataclass
class Index:
    """A record with the facts layer and nothing around it."""

    record: Record
    folder: Path
    models: Models
    layer: FactsLayer = FactsLayer()

    def put(
        self,
        titles: Sequence[str],
        facts: dict[str, list[Fact]] | None = None,
        rejected: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Store documents with what they state (given, or extracted), and gather."""
        mark = fingerprint(self.layer, self.models)
        for title in titles:
            document = file_document(f"/{title}.txt", TEXTS.get(title, "Korr."), "text/plain", title=title)
            passages = cut(document, Chunking())
            self.record.put(document, passages)
            numbers = self.record.numbers_by_id([one.id for one in passages])
            rows = self.layer.extract(passages, self.models, {}) if facts is None else [encode(facts[title], rejected)]
            payloads = [row for row in rows if isinstance(row, bytes)]
            self.record.record_rows(self.layer.name, mark, list(zip(numbers.values(), payloads, strict=True)))
        self.gather()

    def drop(self, *titles: str) -> None:
        """Remove documents, without gathering."""
        self.record.drop([row.id for row in self.record.documents() if row.title in titles])

    def gather(self) -> None:
        """Make the graph."""
        self.layer.gather(self.record, self.folder, fingerprint(self.layer, self.models), self.models)

    def open(self) -> FactGraph:
        """The graph."""
        return self.layer.open(self.record, self.folder, self.models)

    def current(self) -> Generation:
        """The generation that is served."""
        current = self.record.generation(self.layer.name)
        assert current is not None
        return current


@contextmanager
def index_at(place: Path, models: Models) -> Iterator[Index]:
    """Such an index in a folder of its own."""
    with Record.create_or_open(place) as record:
        yield Index(record, place / "generations" / "facts", models)
