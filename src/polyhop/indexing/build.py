"""The build plan: which passages each layer still lacks, extracted and committed chunk by chunk, then gathered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, runtime_checkable

from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.indexing.executors.inline import Inline
from polyhop.indexing.executors.processes import Processes
from polyhop.indexing.memory import allowed
from polyhop.layers.generations import contents_of
from polyhop.layers.layer import Layer, fingerprint, layer_of
from polyhop.models.accounting import Meter
from polyhop.models.choice import Models
from polyhop.models.session import available_cores
from polyhop.models.side_by_side import concurrency_of
from polyhop.ports import Chunk, Executor, Failure, LanguageModel, Rows
from polyhop.reports import LayerReport, Progress, ProgressListener
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.store.spending import Billed, spent_on
from polyhop.types import Cost, Passage

CHUNK = 50  # passages in one job and one transaction: what a kill can cost
FEW = 4 * CHUNK  # below this, starting worker processes costs more than it saves
# Passages a second on two cores, until this index has its own measurement.
USUAL_RATE = {"text": 60.0, "parsekg": 90.0, "facts": 400.0, "tree": 65.0, "questions": 45.0}
SECONDS_A_CALL = 10.0  # of a language model, until this index has its own measurement


@runtime_checkable
class Asking(Protocol):
    """A layer that may have a language model do its work, which may cost money."""

    def asks(self, models: Models) -> LanguageModel | None:
        """The model that it asks, None where it asks none. Raises ModelMissing."""

    def at_once(self, models: Models) -> int:
        """Passages to do in one go: few, because a cap or an error in the middle loses their rows."""

    def forecast(self, passages: Sequence[Passage], new: Sequence[int], models: Models) -> Cost:
        """The most that doing these passages in one go would cost, and after them new ones of so many tokens."""


def asked_by(layer: Layer, models: Models) -> LanguageModel | None:
    """The language model that a layer asks, if it asks one. Raises ModelMissing."""
    return layer.asks(models) if isinstance(layer, Asking) else None


@dataclass(frozen=True, kw_only=True)
class Builder:
    """Brings layers up to date with the record's passages; whatever was committed before is not done again."""

    record: Record
    folder: Path  # generations of all layers
    settings: Settings
    models: Models
    workers: int | None = None
    progress: ProgressListener | None = None

    def forecast(self, name: str, new: Sequence[int], gone: int) -> LayerReport:
        """What bringing a layer up to date would do, with new passages of so many tokens and without so many old ones.

        Raises ModelMissing.
        """
        layer = layer_of(name, self.settings)
        mark = fingerprint(layer, self.models)
        stay = self.record.count_passages() - gone
        pending = min(self.record.count_pending(name, mark), stay) + len(new)
        measured = float(self.record.meta(f"rate:{name}") or 0)  # 0, too, where earlier versions noted a very slow one
        cost, seconds = Cost(), pending / (measured or USUAL_RATE.get(name, 50.0))
        asking = _asking(layer, self.models)
        if asking is not None:
            untried, failed = self._pending(layer, mark)
            cost = _most(asking, self.models, untried, new) + _most(asking, self.models, failed)
            seconds = _seconds(cost, asking, self.models, spent_on(self.record, name))
        reused = stay + len(new) - pending
        return LayerReport(name=name, extracted=pending, reused=reused, failed=0, seconds=seconds, cost=cost)

    @staticmethod
    def first_forecast(name: str, new: Sequence[int], settings: Settings, models: Models) -> LayerReport:
        """What making a layer of an index that does not exist yet would do, of passages of so many tokens."""
        layer = layer_of(name, settings)
        cost, seconds = Cost(), len(new) / USUAL_RATE.get(name, 50.0)
        asking = _asking(layer, models)
        if asking is not None:
            cost = _most(asking, models, iter(()), new)
            seconds = _seconds(cost, asking, models, Cost())
        return LayerReport(name=name, extracted=len(new), reused=0, failed=0, seconds=seconds, cost=cost)

    def bring_up_to_date(self, name: str) -> LayerReport:
        """Extract what a layer lacks, and gather it; where a cap is reached, what was done by then is gathered.

        Raises EndpointError, which says how much was done, and the other errors of models and of the store.
        """
        layer = layer_of(name, self.settings)
        mark = fingerprint(layer, self.models)
        model = asked_by(layer, self.models)
        before, began = _spent(model), time.monotonic()
        total = self.record.count_pending(name, mark)
        progress = _Done()
        try:
            self._extract(layer, mark, total, model, progress)
        except BudgetExceeded as error:
            progress.stopped = f"{error} {error.remedy}".strip()
        except EndpointError as error:
            kept = f"Layer {name}: {progress.passages} of {total} passages were done before and are stored."
            raise EndpointError(f"{_sentence(error)} {kept}", remedy=error.remedy, status=error.status) from error
        extracted = progress.passages - progress.failed
        if extracted >= FEW and model is None:
            self.record.set_meta(f"rate:{name}", f"{extracted / (time.monotonic() - began):.3g}")
        self.record.settle(name, mark)
        self._tell(Progress(stage=f"gathering {name}", done=0, total=None, unit="passages"))
        self.gather(layer, mark)
        return LayerReport(
            name=name,
            extracted=extracted,
            reused=self.record.count_passages() - total,
            failed=progress.failed,
            seconds=time.monotonic() - began,
            cost=_spent(model) - before,
            stopped=progress.stopped,
            left=total - progress.passages,
            contents=contents_of(self.record, name),
        )

    def gather(self, layer: Layer, mark: str) -> None:
        """Make a layer's rows searchable; what is unchanged stays as it is."""
        layer.gather(self.record, self.folder / layer.name, mark, self.models, allowed(self.settings.index))

    def _extract(self, layer: Layer, mark: str, total: int, model: LanguageModel | None, progress: _Done) -> None:
        if not total:
            return
        chunks: list[list[int]] = []
        self._tell(Progress(stage=layer.name, done=0, total=total, unit="passages"))
        with self._executor(layer, total, model) as executor:
            for rows in executor.extract(layer.name, self.settings, self._chunks(layer, mark, chunks)):
                numbers = chunks.pop(0)
                progress.failed += self._commit(layer.name, mark, numbers, rows)
                progress.passages += len(numbers)
                self._tell(Progress(stage=layer.name, done=progress.passages, total=total, unit="passages"))

    def _chunks(self, layer: Layer, mark: str, handed_out: list[list[int]]) -> Iterator[Chunk]:
        marks = {name: fingerprint(layer_of(name, self.settings), self.models) for name in layer.reads}
        asking = _asking(layer, self.models)
        size = CHUNK if asking is None else asking.at_once(self.models)
        for pending in self._pending(layer, mark):
            while chunk := list(islice(pending, size)):
                numbers = [number for number, _ in chunk]
                handed_out.append(numbers)
                rows = {name: self.record.payloads_of(name, numbers, own) for name, own in marks.items()}
                below = {name: [found.get(number) for number in numbers] for name, found in rows.items()}
                yield Chunk([passage for _, passage in chunk], below)

    def _pending(self, layer: Layer, mark: str) -> tuple[Iterator[tuple[int, Passage]], Iterator[tuple[int, Passage]]]:
        """Passages that were not tried yet, and then those that failed.

        They never share a chunk: a run that was stopped goes on with the chunk at which it was stopped, whatever had
        failed before it, and a language model is asked what it was asked then.
        """
        seen: set[int] = set()
        dated = bool(getattr(layer, "dated", False))

        def untried() -> Iterator[tuple[int, Passage]]:
            for number, passage in self.record.pending(layer.name, mark, retry_failed=False, dated=dated):
                seen.add(number)
                yield number, passage

        failed = self.record.pending(layer.name, mark, dated=dated)
        return untried(), (item for item in failed if item[0] not in seen)

    def _commit(self, name: str, mark: str, numbers: Sequence[int], rows: Sequence[Rows]) -> int:
        made = [(number, row) for number, row in zip(numbers, rows, strict=True) if not isinstance(row, Failure)]
        lost = [(number, row.error) for number, row in zip(numbers, rows, strict=True) if isinstance(row, Failure)]
        with self.record.transaction():
            self.record.record_rows(name, mark, made)
            if lost:
                self.record.record_failures(name, mark, lost)
        return len(lost)

    def _executor(self, layer: Layer, total: int, asked: LanguageModel | None) -> Executor:
        workers, index = self.workers or available_cores(), self.settings.index
        if index.executor == "ray" and total >= FEW and asked is None:
            from polyhop.indexing.executors.cluster import Cluster  # an extra

            return Cluster(address=index.cluster, workers=self.workers)
        if asked is not None:  # one meter counts all calls
            return Inline(models=self.models.with_language_model(Billed(asked, self.record, layer.name)))
        if layer.runs == "threads" or total < FEW or workers == 1:
            return Inline(models=self.models)
        return Processes(workers=workers)

    def _tell(self, progress: Progress) -> None:
        if self.progress is not None:
            self.progress(progress)


@dataclass
class _Done:
    """How far the extraction of a layer has come."""

    passages: int = 0
    failed: int = 0  # of them
    stopped: str = ""


def _spent(model: LanguageModel | None) -> Cost:
    """What was spent on a language model by now; nothing where it does not count."""
    meter: Meter | None = getattr(model, "meter", None)
    return meter.total if meter is not None else Cost()


def _asking(layer: Layer, models: Models) -> Asking | None:
    """The layer as one that asks a language model, None where it asks none."""
    return layer if isinstance(layer, Asking) and layer.asks(models) is not None else None


def _most(layer: Asking, models: Models, pending: Iterator[tuple[int, Passage]], new: Sequence[int] = ()) -> Cost:
    """The most that pending passages would cost, and after them new ones of so many tokens, in chunks."""
    size, sizes, cost = layer.at_once(models), iter(new), Cost()
    while True:
        passages = [passage for _, passage in islice(pending, size)]
        added = list(islice(sizes, size - len(passages)))
        if not passages and not added:
            return cost
        cost += layer.forecast(passages, added, models)


def _seconds(cost: Cost, layer: Asking, models: Models, known: Cost) -> float:
    """How long the calls of a forecast may take, if they are like those that are known."""
    each = known.seconds / known.llm_calls if known.llm_calls else SECONDS_A_CALL
    model = layer.asks(models)
    return cost.llm_calls * each / (1 if model is None else concurrency_of(model))


def _sentence(error: Exception) -> str:
    """What an error says, ended so that another sentence can follow: it may quote a server that ends in none."""
    said = str(error).rstrip()
    return said if said.endswith((".", "!", "?")) else f"{said}."
