"""One run that brings an index up to date: inputs into the record, layers after it, and a report of what was done."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhop.errors import IndexMissing
from polyhop.indexes.segments import discard_damaged
from polyhop.indexing import remembered as making
from polyhop.indexing.build import Builder
from polyhop.indexing.ingest import Ingest, Tally
from polyhop.indexing.readiness import check_indexing, note_chunking
from polyhop.indexing.remembered import in_force, in_order
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.reports import IndexReport, LayerReport, ProgressListener
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Cost

Input = Callable[[Ingest], Tally]
"""What is to be indexed: it hands files or documents to the ingest."""


@dataclass(frozen=True, kw_only=True)
class IndexRun:
    """Brings an index and its layers up to date with an input, or forecasts what that would take."""

    path: Path
    settings: Settings
    models: Models
    layers: Sequence[str]
    workers: int | None = None
    wait: float = 0.0  # seconds to wait for another writer
    progress: ProgressListener | None = None

    def check(self) -> None:
        """Refuse layers that cannot be made before anything is read. Raises like ``Polyhop.index``."""
        check_indexing(self.settings, self.models)
        try:
            with Record.open(self.path) as record:
                making.check(self.builder(record), in_order(self.layers, record), self.settings)
        except IndexMissing:
            for name in self.layers:
                fingerprint(layer_of(name, self.settings), self.models)

    def carry_out(self, read: Input) -> IndexReport:
        """Store what is new or changed in the input, and bring the layers up to date once."""
        began = time.monotonic()
        with Record.create_or_open(self.path, wait=self.wait) as record:
            builder, names = self.builder(record), in_order(self.layers, record)
            making.check(builder, names, self.settings)  # another writer may have changed them while this one waited
            discard_damaged(self.path, besides=builder.folder)
            tally = read(Ingest(record=record, chunking=self.settings.chunking, progress=self.progress))
            note_chunking(record, self.settings)
            reports = tuple(making.bring_up_to_date(builder, name, self.settings) for name in names)
            if tally.gone_passages:
                making.let_go(builder)
            return _report(record, tally, reports, dry_run=False, began=began)

    def forecast(self, read: Input) -> IndexReport:
        """What ``carry_out`` would do, and at most cost; nothing is changed."""
        began = time.monotonic()
        try:
            record = Record.open(self.path)
        except IndexMissing:
            tally = read(Ingest(record=None, chunking=self.settings.chunking, dry_run=True, progress=self.progress))
            first = (Builder.first_forecast(name, tally.new, self.settings, self.models) for name in self.layers)
            return _report(None, tally, tuple(first), dry_run=True, began=began)
        with record:
            tally = read(Ingest(record=record, chunking=self.settings.chunking, dry_run=True, progress=self.progress))
            builder, names = self.builder(record), in_order(self.layers, record)
            new, gone = tally.new, tally.gone_passages
            reports = tuple(making.forecast(builder, name, new, gone, self.settings) for name in names)
            return _report(record, tally, reports, dry_run=True, began=began)

    def discard(self, ids: Collection[str]) -> tuple[Sequence[str], int]:
        """Remove documents by their ids, with all that was derived from them; which there were, and their passages.

        Nothing is extracted. Raises IndexMissing, IndexLocked and the other errors of the store.
        """
        Record.open(self.path).close()  # never create an index in order to remove from it
        with Record.create_or_open(self.path, wait=self.wait) as record:
            tally = Ingest(record=record, chunking=self.settings.chunking).discard(ids)
            builder = self.builder(record)
            for name in record.layers():
                current = record.generation(name)
                if current is not None:
                    builder.gather(layer_of(name, builder.settings), current.description["fingerprint"])
        return sorted(tally.gone), tally.gone_passages

    def builder(self, record: Record) -> Builder:
        """What makes the layers of a record, with the settings that are in force there."""
        return Builder(
            record=record,
            folder=self.path / "generations",
            settings=in_force(record, self.settings),
            models=self.models,
            workers=self.workers,
            progress=self.progress,
        )


def entities(record: Record) -> int:
    """How many entities the parsekg layer has; 0 where there is none."""
    current = record.generation("parsekg")
    return int(current.description["entities"]) if current else 0


def _report(
    record: Record | None, tally: Tally, layers: tuple[LayerReport, ...], *, dry_run: bool, began: float
) -> IndexReport:
    return IndexReport(
        dry_run=dry_run,
        added=tally.added,
        changed=tally.changed,
        unchanged=tally.unchanged,
        removed=tally.removed,
        duplicates=tally.duplicates,
        skipped=tuple(tally.skipped),
        documents=record.count_documents() if record else 0,
        passages=record.count_passages() if record else 0,
        entities=entities(record) if record else 0,
        layers=layers,
        seconds=time.monotonic() - began,
        cost=sum((layer.cost for layer in layers), Cost()),
    )
