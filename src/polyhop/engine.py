"""Polyhop: the façade that the command line, the server and library users call."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self

from polyhop.answering import Answering
from polyhop.conversation.thread import NO_THREAD, Thread
from polyhop.documents.reading import given_path
from polyhop.errors import IndexCorrupt, IndexMissing, UsageError
from polyhop.indexing import remembered as making
from polyhop.indexing.build import asked_by
from polyhop.indexing.catching_up import CatchingUp
from polyhop.indexing.ingest import given
from polyhop.indexing.looking_ahead import Lookout
from polyhop.indexing.named_documents import NamedDocuments
from polyhop.indexing.remembered import GrownFacts, in_force, in_order
from polyhop.indexing.run import IndexRun, Input, entities
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.growth import Growth
from polyhop.layers.facts.merges import Merge, join_again, keep_apart, merges_of
from polyhop.layers.layer import OpenedLayer, layer_of, opened_layers
from polyhop.layers.view import HeldView, View
from polyhop.models.choice import Models, load_models
from polyhop.models.within import asked_within, left_out_by
from polyhop.planning.asked import checked
from polyhop.planning.planner import Planning
from polyhop.ports import LanguageModel
from polyhop.reading.drafts import DraftListener
from polyhop.reports import CostListener, HopListener, IndexReport, IndexStatus, ProgressListener, RemoveReport
from polyhop.settings import Settings
from polyhop.store.record import FileRecord, Record
from polyhop.strategies.strategy import default_strategy, unread, usable_strategy
from polyhop.types import Answer, Budget, Document, Evidence, Span

logger = logging.getLogger(__name__)

OPENINGS = 5  # times that layers are opened before they count as damaged


class Polyhop:
    """An index of documents, and the answers found in it.

    Safe to share between threads: of those that write, one follows the other. Opening is free: models and layers are
    loaded when first needed. Readers go on undisturbed while one process writes, and see what it gathered from their
    next question on.
    """

    def __init__(
        self,
        path: str | Path = "polyhop.index",
        *,
        settings: Settings | None = None,
        language_model: LanguageModel | None = None,  # instead of the configured one
        beside: bool = False,  # open what has changed, and take over what other machines have indexed, beside questions
    ) -> None:
        self.path = Path(path).expanduser().absolute()  # the same index when the current folder changes
        self.settings = (settings or Settings()).checked()
        self.planning = Planning(settings=self.settings)
        self._language_model = language_model
        self._catching_up = CatchingUp(beside=beside)
        self._lookout = Lookout(self._look_ahead) if beside else None
        self._models: Models | None = None
        self._record: Record | None = None
        self._opened: tuple[str, View] | None = None
        self._open_layers: dict[str, OpenedLayer] = {}  # of that view
        self._growth: Growth | None = None
        self._lock = threading.RLock()
        self._writing = threading.RLock()  # a listener that writes is told that somebody does, rather than to wait
        self._inside = HeldView()

    @property
    def models(self) -> Models:
        """The configured models, each loaded when first used."""
        with self._lock:
            if self._models is None:
                self._models = load_models(self.settings, self._language_model)
            return self._models

    def index(
        self,
        *paths: str | Path,
        layers: Sequence[str] | None = None,
        dry_run: bool = False,
        workers: int | None = None,
        wait: float = 0.0,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Bring the index up to date with files and folders, and its layers with the index.

        Only what changed is done; whatever an interrupted run committed is not done again. Documents whose files have
        vanished from a folder given here are removed. ``wait``: seconds to wait for a writer other than this engine.
        Where a cap of the language model is reached, what was done by then is made searchable, and the report says so
        (``stopped``).

        Layers are made as the index remembers it, except for settings that say otherwise
        (``indexing/remembered.py``). One that has only grown with questions is left as it is, unless it is named here.

        Raises UsageError, IndexLocked, StorageFull, ModelMissing, ModelMismatch, EndpointError and those of the store.
        """
        inputs = [given_path(path) for path in paths]
        run = self._run(layers, workers=workers, wait=wait, progress=progress)
        run.check()  # what is unknown is refused before anything is read
        run.check_inputs(inputs)
        return self._carried_out(run, lambda ingest: ingest.run(inputs), dry_run=dry_run)

    def add_text(
        self,
        text: str,
        uri: str,
        *,
        title: str = "",
        metadata: Mapping[str, str] | None = None,
        layers: Sequence[str] | None = None,
        wait: float = 0.0,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Index one text that is in no file, under a URI of your choice; the same URI again replaces it.

        Each call brings the layers up to date; ``add_documents`` does so once for many texts. Raises what it raises.
        """
        document = Document(id=uri, text=text, title=title, metadata=dict(metadata or {}))
        return self.add_documents([document], layers=layers, wait=wait, progress=progress)

    def add_documents(
        self,
        documents: Iterable[Document],
        *,
        layers: Sequence[str] | None = None,
        dry_run: bool = False,
        workers: int | None = None,
        wait: float = 0.0,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Index documents that are given as objects, and bring the layers up to date once.

        They are kept as files are: a document with a known id replaces that one, what did not change is not done again,
        and one that says what another says is skipped and named in the report. No call of ``index`` removes them;
        ``remove`` does, by their URI. Other arguments are those of ``index``.

        Raises UsageError for an id that is missing or given twice and DocumentError for a text that is empty or holds
        surrogates, in both cases before anything is stored; otherwise like ``index``.
        """
        ready = given(documents)
        run = self._run(layers, workers=workers, wait=wait, progress=progress)
        run.check()
        return self._carried_out(run, lambda ingest: ingest.add(ready), dry_run=dry_run)

    def _carried_out(self, run: IndexRun, read: Input, *, dry_run: bool) -> IndexReport:
        """What a run does or, dry, would do; what it makes worth writing is written when its changes are found."""
        if dry_run:
            return run.forecast(read)
        with self._writing:
            report = run.carry_out(read)
            run.merge()
        return report

    def _run(
        self,
        layers: Sequence[str] | None = (),
        *,
        workers: int | None = None,
        wait: float = 0.0,
        progress: ProgressListener | None = None,
    ) -> IndexRun:
        return IndexRun(
            path=self.path,
            settings=self.settings,
            models=self.models,
            layers=self.settings.index.layers if layers is None else layers,
            workers=workers,
            wait=wait,
            progress=progress,
        )

    def asking(self, *layers: str) -> tuple[str, ...]:
        """Those of the layers that ``index`` would bring up to date which ask a language model. Raises ModelMissing."""
        names, settings = list(layers), self.settings
        with suppress(IndexMissing), Record.open(self.path, self.settings.index.store) as record:
            names, settings = in_order(layers, record), in_force(record, self.settings)
        return tuple(name for name in names if asked_by(layer_of(name, settings), self.models) is not None)

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        budget: Budget | None = None,
        thread: Thread = NO_THREAD,
        told: HopListener | None = None,
        drafted: DraftListener | None = None,
        spent: CostListener | None = None,
    ) -> Answer:
        """Answer a question from the documents, or say that they do not answer it; after a thread, as it is meant.

        ``told``: is called with the place and the hop as each is settled, in this thread; one told later of the same
        place replaces it, so that in the end the hops of the evidence were told. ``drafted``: is called with what a
        language model writes of the answer, before it is checked: from which character on it reads so. What either
        raises ends the work. ``spent``: is called once with what the language model took, however the question ends.
        Raises UsageError for a question without words, IndexMissing, LayerMissing, ModelMissing and the others.
        """
        asked, limit = checked(question), budget or self.settings.budget
        with self.view() as whole, asked_within(self.models, limit, spent) as models:
            view = whole.of_question(models)
            answering = Answering(
                view=view, settings=self.settings, strategy=strategy, budget=limit, told=told, drafted=drafted
            )
            return replace(answering.answer(asked, thread), question=question)

    def search(
        self,
        question: str,
        *,
        k: int = 5,
        strategy: str | None = None,
        budget: Budget | None = None,
        spent: CostListener | None = None,
    ) -> Evidence:
        """The k best passages for a question, with the hops that led to them. Raises like ``ask``.

        What a strategy does for readers alone is left out, unless its name asks for it, as ``qcg(answerable=12)`` does.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}.")
        asked, began = checked(question), time.monotonic()
        limit = replace(budget or self.settings.budget, passages=k)
        with self.view() as whole, asked_within(self.models, limit, spent) as models:
            view = whole.of_question(models)
            name = unread(strategy or default_strategy(view, self.settings))
            evidence = Answering(view=view, settings=self.settings, strategy=name, budget=limit).evidence(asked, view)
        cost = replace(evidence.cost, seconds=time.monotonic() - began)
        return replace(evidence, cost=cost, left_out=(*evidence.left_out, *left_out_by(view.models)))

    def remove(self, *uris: str, wait: float = 0.0) -> RemoveReport:
        """Remove documents, by URI, path, folder or the name of only one file, with all that was derived from them.

        ``wait``: as for ``index``. Raises IndexMissing, IndexLocked and the other errors of the store.
        """
        with self._writing:
            with Record.open(self.path, self.settings.index.store) as record:
                named = NamedDocuments.of(uris, record)
            run = self._run(wait=wait)
            gone, passages = run.discard(named.uris.keys())
            run.merge()
        return named.report(set(gone), passages)

    def merges(self, *names: str) -> tuple[Merge, ...]:
        """The entities of the facts layer with spellings that could be kept apart (or those named), with the reasons.

        Raises UsageError for a name that names no entity, LayerMissing.
        """
        with self.view() as view:
            return merges_of(view.restricted(("facts",)).facts, view.record, names)

    def keep_apart(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Keep each spelling apart from the others of its entity, for good; the pairs of keys that are new.

        Raises UsageError for a name that was not merged with another, LayerMissing, IndexLocked.
        """
        with self._facts_changed() as (record, graph):
            return keep_apart(record, graph, names)

    def join_again(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Take back ``keep_apart``; the pairs of keys that are gone. Raises UsageError, LayerMissing, IndexLocked."""
        with self._facts_changed() as (record, _):
            return join_again(record, names)

    @contextmanager
    def _facts_changed(self) -> Iterator[tuple[Record, FactGraph]]:
        """The record to note a change in, and the graph as it is; afterwards the facts are gathered again."""
        with self.view() as view:
            view.restricted(("facts",))  # never create an index in order to change it, nor change what is not whole
        with self._writing, Record.create_or_open(self.path, self.settings.index.store) as record:
            builder = self._run().builder(record)
            layer = layer_of("facts", builder.settings)
            graph = layer.open(record, self.path / "generations" / layer.name, self.models)
            with record.transaction():
                yield record, graph
            current = record.generation(layer.name)
            if current is not None:
                builder.gather(layer, current.description["fingerprint"])

    def status(self) -> IndexStatus:
        """The state of the index: sizes, layers, models, and who is writing now."""
        with Record.open(self.path, self.settings.index.store) as record, record.snapshot():
            return IndexStatus(
                path=str(self.path),
                version=record.meta("polyhop") or "",
                documents=record.count_documents(),
                passages=record.count_passages(),
                entities=entities(record),
                bytes=record.size(),
                layers=making.statuses(record, self.settings, self.models),
                models=asdict(self.settings.models),
                writer=record.writer(),
            )

    def strategy_for(self, name: str | None) -> str:
        """The strategy that a question would be answered with: the one named, or the best that the layers allow.

        Raises what keeps it from answering any: UnknownComponent, SettingError, LayerMissing.
        """
        with self.view() as view:
            return usable_strategy(name, view, self.settings)

    def quote(self, span: Span) -> tuple[str, str, int | None]:
        """What a span says, its document's URI, and its page or None. Raises UsageError where there is no document."""
        with self.view() as view:
            document = view.record.document(span.document_id)
            return document.text[span.start : span.end], document.uri, view.record.page_of(span)

    def close(self) -> None:
        """Let go of files and models; the next call opens them again."""
        if self._lookout is not None:
            self._lookout.close()
        with self._lock:
            for opened in (self._catching_up, self._growth, self._record, self._models):  # each may need the next
                if opened is not None:
                    opened.close()
            self._growth, self._record, self._opened, self._models = None, None, None, None
            self._open_layers = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def view(self) -> Iterator[View]:
        """The index as it is now, in one consistent read; inside another view of the same thread, as it is there."""
        if self._inside.view is not None:
            yield self._inside.view
            return
        with self._lock:
            if self._record is None:
                self._record = Record.open(self.path, self.settings.index.store)
            record = self._record
            try:
                record.check()
            except IndexMissing:
                self.close()  # it may be made again under the same name
                raise
        for attempt in range(OPENINGS):
            with self._lock:
                self._catching_up.catch_up(self._run(), record)
            with record.snapshot():
                if attempt < OPENINGS - 1 and self._catching_up.lags(record):
                    continue  # another machine has gathered since
                try:
                    view = self._layers(record)
                except IndexCorrupt:
                    if attempt == OPENINGS - 1:
                        raise
                    continue  # most likely a writer has just replaced what this snapshot names: look again
                if self._lookout is not None and isinstance(record, FileRecord):  # in a database a look is a request
                    self._lookout.asked()
                with self._inside.held(view):
                    yield view
                return

    def _look_ahead(self) -> None:
        """Open what has changed since somebody asked, while nobody waits for it."""
        before = self._opened  # which is let go of behind the lock
        with self._lock:  # as long as it takes: who asks now would have to open the same
            if self._record is not None and self._opened is not None:
                with self._record.snapshot():
                    self._layers(self._record)
        del before

    def _layers(self, record: Record) -> View:
        """The layers' newest generations, each opened again only when it or the passages changed."""
        with self._lock:
            names = self._catching_up.served(record)
            state = f"{names} {record.state()}"
            if self._opened is not None and self._opened[0] == state:
                return self._opened[1]
            settings, folder = in_force(record, self.settings), self.path / "generations"
            self._open_layers = opened_layers(names, record, settings, folder, self.models, self._open_layers)
            layers = {name: opened.index for name, opened in self._open_layers.items()}
            if self._growth is None:
                self._growth = Growth(self.path, self.models, GrownFacts(self.settings, self.models))
            view = View(record=record, models=self.models, layers=layers, growing=self._growth, planning=self.planning)
            self._opened = (state, view)
            return view
