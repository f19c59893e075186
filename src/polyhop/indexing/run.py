"""One run that brings an index up to date: inputs into the record, layers after it, and a report of what was done."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import filelock

from polyhop.documents.reading import find, is_missing
from polyhop.errors import IndexCorrupt, IndexMissing, PolyhopError, StoreUnreachable, UsageError
from polyhop.indexes.segments import discard_damaged
from polyhop.indexing import remembered as making
from polyhop.indexing.build import Builder, asked_by
from polyhop.indexing.ingest import Ingest, Tally, not_gone
from polyhop.indexing.readiness import check_indexing, note_chunking
from polyhop.indexing.remembered import in_force, in_order
from polyhop.indexing.shared_generations import SharedGenerations
from polyhop.layers.layer import Merging, fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.reports import IndexReport, LayerReport, Progress, ProgressListener
from polyhop.settings import Settings
from polyhop.store.object_store import ObjectStore
from polyhop.store.place import place_of
from polyhop.store.record import Record
from polyhop.types import Cost

logger = logging.getLogger(__name__)

OBJECTS = "objects"  # the fact about an index that has the address of its object store
MERGING = "merging.lock"
PATIENCE = 30.0  # seconds to wait for a process that does on this machine what catching up or merging does

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
        self._check_objects()
        try:
            with self._opened() as record:
                making.check(self.builder(record), in_order(self.layers, record), self.settings)
        except IndexMissing:
            for name in self.layers:
                fingerprint(layer_of(name, self.settings), self.models)

    def check_inputs(self, paths: Sequence[Path]) -> None:
        """Refuse a path where there is nothing, unless the index has met what was there, and files of the index itself.

        Raises UsageError.
        """
        own = next((path for path in paths if self._is_own(path)), None)
        if own is not None:
            raise UsageError(
                f"{own} belongs to the index, out of which nothing is read.",
                remedy="Name other documents, or another --index, such as a new folder within this one.",
            )
        if any(map(is_missing, paths)):
            with suppress(IndexMissing), self._opened() as record:
                paths = not_gone(paths, record)
        find(paths)

    def _is_own(self, path: Path) -> bool:
        """Whether a path leads to the folder of the index or into it, by whatever links."""
        try:
            place = path.resolve()
            return any(folder.samefile(self.path) for folder in (place, *place.parents) if folder.exists())
        except (OSError, RuntimeError):  # there is no index yet, or links lead in a circle
            return False

    def carry_out(self, read: Input) -> IndexReport:
        """Store what is new or changed in the input, and bring the layers up to date once."""
        began = time.monotonic()
        with self._to_write() as record:
            builder, names = self.builder(record), in_order(self.layers, record)
            making.check(builder, names, self.settings)  # another writer may have changed them while this one waited
            discard_damaged(self.path, besides=builder.folder)
            tally = read(Ingest(record=record, chunking=self.settings.chunking, progress=self.progress))
            note_chunking(record, self.settings)
            reports = tuple(making.bring_up_to_date(builder, name, self.settings) for name in names)
            if tally.gone_passages:
                making.let_go(builder)
            self._push(record)
            return _report(record, tally, reports, dry_run=False, began=began)

    def forecast(self, read: Input) -> IndexReport:
        """What ``carry_out`` would do, and at most cost; nothing is changed."""
        began = time.monotonic()
        try:
            record = self._opened()
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
        self._opened().close()  # never create an index in order to remove from it
        with self._to_write() as record:
            tally = Ingest(record=record, chunking=self.settings.chunking).discard(ids)
            builder, names = self.builder(record), making.installed(record)
            for name in names:
                current = record.generation(name)
                if current is not None:
                    builder.gather(layer_of(name, builder.settings), current.description["fingerprint"])
            _gather_here(builder, {name: mark for name, mark in record.behind().items() if name in names})
            self._push(record)
        return sorted(tally.gone), tally.gone_passages

    def merge(self) -> None:
        """Write what is worth writing once changes are found; whoever reads or writes meanwhile does not wait for it.

        Nothing is lost where it cannot be done, or is killed: what is there serves on, and the next one does it.
        """
        try:
            with (
                suppress(IndexMissing, filelock.Timeout),  # nothing is there, or another process does it
                self._opened() as record,
                filelock.FileLock(self.path / MERGING, timeout=0),
            ):
                self._merge(self.builder(record))
        except PolyhopError as error:
            logger.warning("The index at %s is not merged for now: %s %s", self.path, error, error.remedy)

    def _merge(self, reading: Builder) -> None:
        for name in making.installed(reading.record):
            layer, current = layer_of(name, reading.settings), reading.record.generation(name)
            if not isinstance(layer, Merging) or current is None:
                continue
            mark = current.description["fingerprint"]
            begun = partial(self._say_merging, name)
            while layer.merge(reading.record, reading.folder / name, mark, self.models, begun):
                with Record.create_or_open(self.path, self.settings.index.store, wait=PATIENCE) as record:
                    self.builder(record).gather(layer, mark)
                    self._push(record)

    def _say_merging(self, layer: str) -> None:
        if self.progress is not None:
            stage = f"merging {layer}: all changes can be asked already"
            self.progress(Progress(stage=stage, done=0, total=None, unit="passages"))

    def catch_up(self, reader: Record) -> None:
        """Gather in this machine's folder what was gathered in others since. Raises IndexLocked, StorageFull."""
        if not making.behind(reader):
            return
        with Record.catching_up(self.path, self.settings.index.store, wait=PATIENCE) as record:
            behind, shared = making.behind(record), self._shared(record)
            pulled = {name for name in behind if shared is not None and _pulled(shared, name)}
            left = {name: mark for name, mark in behind.items() if name not in pulled}
            for name in (*pulled, *_gather_here(self.builder(record), left)):
                record.caught_up(name)

    def _check_objects(self) -> None:
        """Refuse an object store that could not be used, or by nobody. Raises UsageError."""
        address = self.settings.index.objects
        if address is None:
            return
        ObjectStore(address)
        if place_of(self.path, self.settings.index.store) is None:
            raise UsageError(
                f"The index at {self.path} has its record in its folder, and shares nothing.",
                remedy="Leave --objects out, or index into a database with --store.",
            )

    def _push(self, record: Record) -> None:
        """Have readers on other machines find what was gathered, where there is an object store."""
        chosen = self.settings.index.objects
        shared = self._shared(record)
        if shared is not None:
            for name in making.whole(record):
                if not shared.push(name):
                    logger.info("%s: is not pushed: other machines gather it", name)
        if chosen is not None and record.identity and record.meta(OBJECTS) != chosen:
            record.set_meta(OBJECTS, chosen)  # now that it is one to which things can be pushed

    def _shared(self, record: Record) -> SharedGenerations | None:
        """The generations of an index in the object store that is named here, or by who wrote to it last."""
        address = self.settings.index.objects or record.meta(OBJECTS)
        if not address or not record.identity:
            return None
        grace = timedelta(hours=self.settings.index.grace)
        store = ObjectStore(address.rstrip("/"))
        return SharedGenerations(objects=store, record=record, folder=self.path / "generations", grace=grace)

    def _opened(self) -> Record:
        return Record.open(self.path, self.settings.index.store)

    def _to_write(self) -> Record:
        return Record.create_or_open(self.path, self.settings.index.store, wait=self.wait)

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


def _pulled(shared: SharedGenerations, name: str) -> bool:
    """Whether a layer could be taken over; where it cannot, it is gathered, which takes longer and gives the same."""
    try:
        return shared.pull(name)
    except (StoreUnreachable, IndexCorrupt) as error:
        logger.warning("%s: is gathered here, because it cannot be pulled: %s %s", name, error, error.remedy)
        return False


def _gather_here(builder: Builder, behind: Mapping[str, str]) -> list[str]:
    """Gather layers that are behind, by name with their fingerprints; those that could be without asking to be paid."""
    gathered = []
    for name, mark in behind.items():
        layer = layer_of(name, builder.settings)
        if getattr(layer, "pays_to_gather", False) and asked_by(layer, builder.models) is not None:
            logger.warning("Layer %s was made elsewhere, with a language model: polyhop index makes it here.", name)
            continue
        logger.info("%s: gathering what another machine has indexed", name)
        builder.gather(layer, mark)
        gathered.append(name)
    return gathered


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
