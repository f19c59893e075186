"""The build plan: which passages each layer still lacks, extracted and committed chunk by chunk, then gathered."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from polyhop.executors.inline import Inline
from polyhop.executors.processes import Processes
from polyhop.layers.layer import Layer, fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.ports import Chunk, Executor, Failure, Rows
from polyhop.reports import LayerReport, Progress, ProgressListener
from polyhop.settings import Settings
from polyhop.store.record import Record

logger = logging.getLogger(__name__)

CHUNK = 50  # passages in one job and one transaction: what a kill can cost
FEW = 4 * CHUNK  # below this, starting worker processes costs more than it saves
USUAL_RATE = {"text": 60.0, "parsekg": 90.0}  # passages a second on two cores, until this index has its own measurement


@dataclass(frozen=True, kw_only=True)
class Builder:
    """Brings layers up to date with the record's passages; whatever was committed before is not done again."""

    record: Record
    folder: Path  # generations of all layers
    settings: Settings
    models: Models
    workers: int | None = None
    progress: ProgressListener | None = None

    def forecast(self, name: str, new: int, gone: int) -> LayerReport:
        """What bringing a layer up to date would do, with so many new passages and without so many old ones."""
        layer = layer_of(name, self.settings)
        stay = self.record.count_passages() - gone
        pending = min(self.record.count_pending(name, fingerprint(layer, self.models)), stay) + new
        rate = float(self.record.meta(f"rate:{name}") or USUAL_RATE.get(name, 50.0))
        return LayerReport(name=name, extracted=pending, reused=stay + new - pending, failed=0, seconds=pending / rate)

    @staticmethod
    def first_forecast(name: str, passages: int) -> LayerReport:
        """What making a layer of an index that does not exist yet would do."""
        seconds = passages / USUAL_RATE.get(name, 50.0)
        return LayerReport(name=name, extracted=passages, reused=0, failed=0, seconds=seconds)

    def bring_up_to_date(self, name: str) -> LayerReport:
        """Extract what a layer lacks, and gather it."""
        layer = layer_of(name, self.settings)
        mark = fingerprint(layer, self.models)
        began = time.monotonic()
        extracted, failed = self._extract(layer, mark)
        if extracted >= FEW:
            self.record.set_meta(f"rate:{name}", f"{extracted / (time.monotonic() - began):.1f}")
        self._tell(Progress(stage=f"gathering {name}", done=0, total=None, unit="passages"))
        self.gather(layer, mark)
        return LayerReport(
            name=name,
            extracted=extracted,
            reused=self.record.count_passages() - extracted - failed,
            failed=failed,
            seconds=time.monotonic() - began,
        )

    def gather(self, layer: Layer, mark: str) -> None:
        """Make a layer's rows searchable; what is unchanged stays as it is."""
        layer.gather(self.record, self.folder / layer.name, mark, self.models)

    def _extract(self, layer: Layer, mark: str) -> tuple[int, int]:
        total = self.record.count_pending(layer.name, mark)
        done = failed = 0
        if not total:
            return 0, 0
        chunks: list[list[int]] = []
        self._tell(Progress(stage=layer.name, done=0, total=total, unit="passages"))
        with self._executor(layer, total) as executor:
            for rows in executor.extract(layer.name, self.settings, self._chunks(layer, mark, chunks)):
                numbers = chunks.pop(0)
                failures = self._commit(layer.name, mark, numbers, rows)
                failed += failures
                done += len(numbers)
                self._tell(Progress(stage=layer.name, done=done, total=total, unit="passages"))
        return done - failed, failed

    def _chunks(self, layer: Layer, mark: str, handed_out: list[list[int]]) -> Iterator[Chunk]:
        marks = {name: fingerprint(layer_of(name, self.settings), self.models) for name in layer.reads}
        pending = self.record.pending(layer.name, mark)
        while chunk := list(islice(pending, CHUNK)):
            numbers = [number for number, _ in chunk]
            handed_out.append(numbers)
            rows = {name: self.record.payloads_of(name, numbers, below) for name, below in marks.items()}
            below = {name: [found.get(number) for number in numbers] for name, found in rows.items()}
            yield Chunk([passage for _, passage in chunk], below)

    def _commit(self, name: str, mark: str, numbers: Sequence[int], rows: Sequence[Rows]) -> int:
        made = [(number, row) for number, row in zip(numbers, rows, strict=True) if not isinstance(row, Failure)]
        lost = [(number, row.error) for number, row in zip(numbers, rows, strict=True) if isinstance(row, Failure)]
        with self.record.transaction():
            self.record.record_rows(name, mark, made)
            if lost:
                self.record.record_failures(name, mark, lost)
        return len(lost)

    def _executor(self, layer: Layer, total: int) -> Executor:
        workers = self.workers or _cores()
        if layer.runs == "threads" or total < FEW or workers == 1:
            return Inline(models=self.models)
        return Processes(workers=workers)

    def _tell(self, progress: Progress) -> None:
        if self.progress is not None:
            self.progress(progress)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
