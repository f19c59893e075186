"""Facts that grow: a passage's facts are extracted when a question first pulls it in, and kept for all that follow.

StepChain, section 3.5: a global index of text only, and a graph that grows with what questions retrieve. The rows are
those of the facts layer: same extractor, same checks, same ledger.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from polyhop.errors import BudgetExceeded, IndexCorrupt, IndexLocked, PolyhopError, StorageFull
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.layer import FactsLayer, decode
from polyhop.layers.facts.patch import numbers_in
from polyhop.layers.facts.stated import Stated
from polyhop.models.choice import Models
from polyhop.models.tallied import Tallied
from polyhop.ports import Failure, Floats, Ints, LanguageModel, Rows
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.store.spending import note_spent, spent_on
from polyhop.types import Cost, Fact, Passage

logger = logging.getLogger(__name__)

META = "grown:facts"  # key of the record's meta: changes with every commit
CHUNK = 50  # passages extracted and committed at once where no language model is asked
PATIENCE = 3.0  # seconds to wait for another writer
LEAST = 200  # passages that are worth gathering
LOOKS = 5  # at a generation that another process replaces meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What a pull gives: the facts of the passages that have some now, and why others have none."""

    facts: Mapping[int, tuple[Fact, ...]]  # by passage number, for every passage that has rows now
    extracted: int  # passages extracted in this call
    failed: Mapping[int, str]  # passage number -> why it has none; an old failure is not tried again by a question
    left: tuple[int, ...]  # passages not tried, because nothing more may be asked or nothing can be added
    note: str  # why some were left, "" where none


class Shared(NamedTuple):
    """What all questions found, taken at one moment: no passage is in both parts."""

    gathered: FactGraph | None
    recent: Sequence[Stated]  # the same object as long as nothing changes


class Manner(NamedTuple):
    """How the facts of an index are made, and whether a question may add to them."""

    layer: FactsLayer
    mark: str  # fingerprint of the rows that are read and added; "": there are none
    below: Mapping[str, str]  # by layer, the fingerprint of the rows that extraction reads
    obstacle: str = ""  # why nothing can be added


class Memory(Protocol):
    """What an index remembers of how its layers are made (``making.GrownFacts``)."""

    def manner(self, record: Record) -> Manner:
        """How its facts are made now. Raises SettingError, UnknownComponent."""

    def remember(self, record: Record, manner: Manner) -> None:
        """Note that facts have grown in this manner, unless the whole layer was made in it."""


class _Moment(NamedTuple):
    """What was shared when the index was in a state."""

    state: str
    mark: str  # fingerprint of the rows
    shared: Shared


class _Found(NamedTuple):
    """What is there of some passages."""

    rows: dict[int, bytes]
    failed: dict[int, str]
    lacking: list[int]  # in the order asked for; passages that were removed are in none of these


class Growth:
    """The facts of an index as far as questions have pulled them in. One per engine; threads may share it.

    It reads the record by itself, as it is at the moment and not as a question's snapshot has it. What cannot be
    committed, because another process writes for long or the disk is full or read-only, stays in memory, serves all
    further pulls, and is committed with the next pull that can.
    """

    def __init__(self, folder: Path, models: Models, memory: Memory) -> None:
        self._folder = folder.absolute()
        self._generations = self._folder / "generations" / FactsLayer.name
        self._models, self._memory = models, memory
        self._lock = threading.RLock()  # of what follows, held for moments
        self._record: Record | None = None
        self._phrases: PhraseStore | None = None
        self._unsaved: dict[int, tuple[str, Rows]] = {}  # passage number -> fingerprint and rows
        self._unbilled = Cost()
        self._saving = threading.Lock()
        self._patience = PATIENCE
        self._sharing = threading.Lock()
        self._shared = _Moment("", "", Shared(None, ()))
        self._opened: tuple[str, FactGraph | None] = ("", None)

    def pull(self, numbers: Sequence[int], *, model: LanguageModel | None = None) -> Pulled:
        """The facts of passages; those that never were tried are extracted now, first come first.

        ``model`` stands in for the configured language model: the same one, with limits. Where it raises
        BudgetExceeded, what was answered by then is committed, and the rest is left. Raises ModelMissing and
        EndpointError, once what was done is committed, and the errors of reading the store.
        """
        record = self._reader()
        wanted = list(dict.fromkeys(int(number) for number in numbers))
        manner = self._memory.manner(record)
        found = self._look(record, manner, wanted)
        extracted, note = 0, ""
        if found.lacking and not manner.obstacle:
            extracted, note = self._grow(record, manner, found.lacking, model)
            found = self._look(record, manner, wanted)
            if extracted and self._patience:
                self._consolidate(record, manner)
        if found.lacking:
            note = note or manner.obstacle or "How facts are made was changed meanwhile."
        return Pulled(
            facts={number: tuple(decode(rows)[0]) for number, rows in found.rows.items()},
            extracted=extracted,
            failed=found.failed,
            left=tuple(found.lacking),
            note=note if found.lacking else "",
        )

    def shared(self) -> Shared:
        """The newest generation of the layer, opened once, and what has grown since: kept until more is committed.

        Raises ModelMismatch, IndexCorrupt, OverlayStale.
        """
        record = self._reader()
        with self._sharing:
            for _ in range(LOOKS - 1):
                with suppress(IndexCorrupt):  # most likely a writer has just replaced what this snapshot names
                    return self._share(record)
            return self._share(record)

    def vectors(self, phrases: Sequence[str]) -> Floats:
        """Unit vectors of phrases, float32 of shape (len(phrases), dimensions), each made once for the index."""
        with self._lock:
            if self._phrases is None:
                self._phrases = PhraseStore.open(self._folder, self._models.embedder)
        return self._phrases.vectors(phrases)

    def close(self) -> None:
        """Commit what could not be committed before, if that is possible now, and let go of files."""
        with self._lock:
            record = self._record
        if record is not None:
            try:
                self._save(record)
            except PolyhopError as error:  # the index may be gone, and its files are let go of all the same
                logger.warning("Facts cannot be stored any more: %s", error)
            finally:
                record.close()
        if self._unsaved:
            logger.warning("Facts are lost that could not be stored; passages: %s", sorted(self._unsaved))

    def _reader(self) -> Record:
        with self._lock:
            if self._record is None:
                self._record = Record.open(self._folder)
            return self._record

    def _look(self, record: Record, manner: Manner, numbers: Sequence[int]) -> _Found:
        with self._lock:  # first, because what leaves it is in the record by then
            unsaved = {number: self._unsaved[number] for number in numbers if number in self._unsaved}
        layer, mark = manner.layer.name, manner.mark
        rows = record.payloads_of(layer, numbers, mark)
        failed = record.failures_of(layer, numbers, mark)
        there = record.present([number for number in numbers if number not in rows and number not in failed])
        for number, (own, made) in unsaved.items():
            if own != mark or number not in there:
                continue
            if isinstance(made, Failure):
                failed[number] = made.error
            else:
                rows[number] = made
        found = {number: rows[number] for number in numbers if number in rows}
        return _Found(found, failed, [number for number in there if number not in rows and number not in failed])

    # --- extracting ---------------------------------------------------------------------------------------------------

    def _grow(
        self, record: Record, manner: Manner, lacking: Sequence[int], model: LanguageModel | None
    ) -> tuple[int, str]:
        """Extract passages chunk by chunk: how many, and why it ended before all was done."""
        asked = manner.layer.asks(self._models)
        tallied = None if asked is None else Tallied(model or asked)
        models = self._models if tallied is None else self._models.with_language_model(tallied)
        size = CHUNK if tallied is None else manner.layer.at_once(models)
        extracted, billed = 0, Cost()
        for start in range(0, len(lacking), size):
            chunk = lacking[start : start + size]
            with record.held(chunk):  # others that want these passages wait, and then find them done
                passages = record.present(self._look(record, manner, chunk).lacking)
                if not passages:
                    continue
                rows, trouble = self._rows(record, manner, passages, models, tallied)
                cost = Cost() if tallied is None else tallied.cost
                self._keep(manner.mark, rows, cost - billed)
                billed, extracted = cost, extracted + sum(not isinstance(made, Failure) for made in rows.values())
                self._save(record)
            if isinstance(trouble, BudgetExceeded):
                return extracted, f"{trouble} {trouble.remedy}".strip()
            if trouble is not None:
                raise trouble
        return extracted, ""

    def _rows(
        self,
        record: Record,
        manner: Manner,
        passages: Mapping[int, Passage],
        models: Models,
        tallied: Tallied | None,
    ) -> tuple[Mapping[int, Rows], PolyhopError | None]:
        """The rows of passages by number, or of those that there are answers for, and then why not of all."""
        numbers, texts = list(passages), [passage.for_layers() for passage in passages.values()]
        stored = {name: record.payloads_of(name, numbers, mark) for name, mark in manner.below.items()}
        below = {name: [found.get(number) for number in numbers] for name, found in stored.items()}
        try:
            return dict(zip(numbers, manner.layer.extract(texts, models, below), strict=True)), None
        except PolyhopError as error:
            trouble = error
        if tallied is None:
            return {}, trouble
        made = _answered(manner.layer, texts, models.with_language_model(tallied.again))
        return {numbers[place]: row for place, row in made.items()}, trouble

    # --- committing ---------------------------------------------------------------------------------------------------

    def _keep(self, mark: str, rows: Mapping[int, Rows], cost: Cost) -> None:
        with self._lock:
            self._unsaved.update((number, (mark, made)) for number, made in rows.items())
            self._unbilled += cost

    def _save(self, record: Record) -> None:
        """Commit what is in memory, if that is possible now. Raises IndexMissing where the index is gone."""
        with self._saving:
            with self._lock:
                batch, cost = dict(self._unsaved), self._unbilled
            if not batch and cost == Cost():
                return
            record.check()  # never create an index in order to change it
            try:
                with Record.create_or_open(self._folder, wait=self._patience) as writer, writer.transaction():
                    self._store(writer, batch, cost)
            except (IndexLocked, StorageFull) as error:
                log = logger.warning if self._patience else logger.debug
                log("Facts that were extracted stay in memory until they can be stored: %s", str(error))
                self._patience = 0.0  # one wait is enough as long as nothing changes
                return
            self._patience = PATIENCE
            with self._lock:
                self._unbilled = Cost() if self._unbilled == cost else self._unbilled - cost
                for number in batch:
                    del self._unsaved[number]

    def _store(self, writer: Record, batch: Mapping[int, tuple[str, Rows]], cost: Cost) -> None:
        manner = self._memory.manner(writer)
        layer, mark = manner.layer.name, manner.mark
        fits = {number: rows for number, (own, rows) in batch.items() if own == mark and not manner.obstacle}
        if len(fits) < len(batch):
            rest = sorted(batch.keys() - fits.keys())
            logger.warning("Facts are made in another way by now, so those of passages %s are not stored.", rest)
        done = writer.payloads_of(layer, list(fits), mark).keys()
        new = [(number, rows) for number, rows in fits.items() if number not in done]
        writer.record_rows(layer, mark, [(number, rows) for number, rows in new if not isinstance(rows, Failure)])
        writer.record_failures(layer, mark, [(number, rows.error) for number, rows in new if isinstance(rows, Failure)])
        if fits:
            self._memory.remember(writer, manner)
        if cost != Cost():
            note_spent(writer, layer, spent_on(writer, layer) + cost)
        writer.set_meta(META, str(int(writer.meta(META) or "0") + 1))

    # --- sharing ------------------------------------------------------------------------------------------------------

    def _share(self, record: Record) -> Shared:
        with self._lock:  # before the snapshot, because what leaves it is in the record by then
            unsaved = dict(self._unsaved)
        with record.snapshot():
            manner = self._memory.manner(record)
            state = f"{record.state()} {manner}"
            moment = f"{state} {record.meta(META)} {sorted(unsaved)}"
            if self._shared.state != moment:
                mine = {number: made for number, (mark, made) in unsaved.items() if mark == manner.mark}
                graph = self._graph(record, manner, state)
                shared = Shared(graph, self._recent(record, manner, graph, mine))
                self._shared = _Moment(moment, manner.mark, shared)
        return self._shared.shared

    def _graph(self, record: Record, manner: Manner, state: str) -> FactGraph | None:
        """The newest generation, opened again only when it or the passages changed."""
        if self._generation(record, manner) is None:
            return None
        if self._opened[0] != state:
            self._opened = state, manner.layer.open(record, self._generations, self._models)
        return self._opened[1]

    @staticmethod
    def _generation(record: Record, manner: Manner) -> str | None:
        """The name of the newest generation, if it was made in this manner."""
        current = record.generation(manner.layer.name)
        return current.name if current is not None and current.description.get("fingerprint") == manner.mark else None

    def _recent(
        self, record: Record, manner: Manner, graph: FactGraph | None, unsaved: Mapping[int, Rows]
    ) -> Sequence[Stated]:
        """What is not gathered; only what was not read before is read. The rows of a number never change."""
        before = self._shared.shared.recent if self._shared.mark == manner.mark else ()
        known = {stated[0]: stated for stated in before}
        there = record.present(list(unsaved))
        rows = {number: made for number, made in unsaved.items() if number in there and not isinstance(made, Failure)}
        done = np.union1d(record.done(manner.layer.name, manner.mark), np.array(list(rows), np.int64))
        numbers = (done if graph is None else np.setdiff1d(done, graph.numbers)).tolist()
        new = [number for number in numbers if number not in known]
        rows |= record.payloads_of(manner.layer.name, new, manner.mark)
        passages = record.present(new)
        known.update((number, (number, passages[number], decode(rows[number])[0])) for number in new)
        now = tuple(known[number] for number in numbers)
        return before if [stated[0] for stated in before] == numbers else now

    def _consolidate(self, record: Record, manner: Manner) -> None:
        """Gather the layer where much has grown since it last was, unless somebody writes.

        Gathering takes time for every passage there is. As it waits until half as many again have grown, a passage is
        gathered a number of times that does not grow with the index: three on average.
        """
        layer = manner.layer
        gathered = self._gathered_numbers(record, manner)
        new = np.setdiff1d(record.done(layer.name, manner.mark), gathered)
        if len(new) <= max(LEAST, len(gathered) // 2) or not self._saving.acquire(blocking=False):
            return
        try:
            with Record.create_or_open(self._folder) as writer:
                now = self._memory.manner(writer)
                if now.mark == manner.mark and not now.obstacle:
                    now.layer.gather(writer, self._generations, now.mark, self._models)
        except (IndexLocked, StorageFull) as error:
            logger.info("facts: not gathered now: %s", error)
        finally:
            self._saving.release()

    def _gathered_numbers(self, record: Record, manner: Manner) -> Ints:
        name = self._generation(record, manner)
        with suppress(IndexCorrupt):  # damaged: it is written again
            if name is not None:
                return numbers_in(self._generations / name)
        return np.empty(0, np.int64)


def _answered(layer: FactsLayer, texts: Sequence[Passage], models: Models) -> Mapping[int, Rows]:
    """The rows that a model gives which only repeats its answers, by the places of the passages."""
    made: dict[int, Rows] = {}
    alone = ([place] for place in range(len(texts)))  # so is asked again what a call for several left undone
    for places in (*layer.calls(texts), *alone):
        if places[0] not in made:
            with suppress(PolyhopError):  # calls ran side by side: later ones may be answered
                rows = layer.extract([texts[place] for place in places], models, {})
                made.update(zip(places, rows, strict=True))
    return made
