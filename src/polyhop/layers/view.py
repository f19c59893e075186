"""What a strategy may look at: the layers it declared, the passages, and the models."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from polyhop.errors import LayerMissing
from polyhop.indexes.ranking import Ranked
from polyhop.layers.hops_told import HopsTold
from polyhop.layers.looked_up import LookedUp
from polyhop.planning.planner import RULES, Planning
from polyhop.ports import Floats
from polyhop.types import Passage

if TYPE_CHECKING:  # what a layer opens is the layer's own: a view hands it on, and loads none that nobody asked for
    from polyhop.layers.facts.graph import FactGraph
    from polyhop.layers.facts.growth import Growth
    from polyhop.layers.parsekg.graph import ParseKG
    from polyhop.layers.questions.graph import QuestionGraph
    from polyhop.layers.text.layer import TextIndex
    from polyhop.layers.tree.index import TreeIndex
    from polyhop.models.choice import Models
    from polyhop.models.within import Within
    from polyhop.plans import Plan
    from polyhop.reports import HopListener
    from polyhop.store.record import Record

T = TypeVar("T")
MOST_NAMES = 40  # that a question is looked through for: one that names more is a text


@dataclass(frozen=True, kw_only=True)
class View:
    """An index as one strategy sees it, at one moment."""

    record: Record
    models: Models
    layers: Mapping[str, Any]
    growing: Growth | None = field(default=None, repr=False, compare=False)  # None: nothing can be extracted on demand
    planning: Planning = field(default_factory=Planning)
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what strategies derived, shared
    hops_told: HopsTold = field(default_factory=HopsTold, repr=False, compare=False)  # of this question
    looked_up: LookedUp | None = field(default=None, repr=False, compare=False)  # None: nothing is kept
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Something derived from the layers that is worth keeping as long as they do not change."""
        with self.lock:
            if name not in self.kept:
                self.kept[name] = make()
            return cast("T", self.kept[name])

    def of_question(self, models: Models, told: HopListener | None = None) -> View:
        """The same index for one question, which these models read; what it looks up is kept as long as it takes."""
        return replace(self, models=models, hops_told=HopsTold(told), looked_up=LookedUp())

    def restricted(self, needs: Iterable[str]) -> View:
        """The same index with only these layers. Raises LayerMissing."""
        return replace(self, layers={name: self._layer(name) for name in needs})

    def _layer(self, name: str) -> Any:
        if name not in self.layers:
            command = f"polyhop index PATH... --layers {','.join([*self.layers, name])}"
            if (writer := self.record.writer()) is not None:  # it may be about to come
                raise LayerMissing(
                    f"This index has no {name} layer, or not yet: it is being written to by {writer}.",
                    remedy=f"Ask again when that is done. If it is not there then, make it with: {command}",
                )
            passages, missing = self.record.count_passages(), self.record.layer_status(name, "").missing
            if missing < passages:  # grown on demand, or begun by a run that was interrupted
                raise LayerMissing(
                    f"This index has no whole {name} layer: "
                    f"{passages - missing:,} of {passages:,} passages were read for it so far.",
                    remedy=f"Make it with: {command}",
                )
            raise LayerMissing(f"This index has no {name} layer.", remedy=f"Make it with: {command}")
        return self.layers[name]

    @property
    def text(self) -> TextIndex:
        """Dense vectors and BM25."""
        return cast("TextIndex", self._layer("text"))

    @property
    def kg(self) -> ParseKG:
        """Sentences between named entities."""
        return cast("ParseKG", self._layer("parsekg"))

    @property
    def facts(self) -> FactGraph:
        """Triples with the sentences that state them."""
        return cast("FactGraph", self._layer("facts"))

    @property
    def tree(self) -> TreeIndex:
        """Summaries of passages, and of summaries."""
        return cast("TreeIndex", self._layer("tree"))

    @property
    def questions(self) -> QuestionGraph:
        """What passages can be asked, with the answers."""
        return cast("QuestionGraph", self._layer("questions"))

    @property
    def growth(self) -> Growth:
        """Facts of passages, extracted on demand. Raises LayerMissing where the engine did not make this view."""
        if self.growing is None:
            raise LayerMissing(
                "Facts cannot be extracted on demand here.", remedy="Ask through the engine, which knows how to."
            )
        return self.growing

    def names_in(self, question: str) -> list[str]:
        """The names in a question that a layer of this view knows: of entities or, where there are none, titles.

        At most MOST_NAMES, in the order of the question.
        """
        if "parsekg" in self.layers:
            return [self.kg.entity(entity).name for entity in self.kg.named_in(question)[:MOST_NAMES]]
        if "facts" in self.layers:
            return [self.facts.entity(entity).name for entity in self.facts.named_in(question)[:MOST_NAMES]]
        if "text" in self.layers:
            return [title for title, _ in self.text.titles.named_in(question, careful=False)[:MOST_NAMES]]
        return []

    def plan(self, question: str, model: Within | None = None, *, prefer: str = RULES) -> Plan:
        """The question taken apart, by the planner that the settings name (see ``Planning.plan``).

        ``model``: what may be asked for it. Raises UnknownComponent, SettingError, UsageError, EndpointError.
        """
        return self.planning.plan(question, self.names_in(question), model, prefer=prefer)

    def vector(self, question: str) -> Floats:
        """The unit vector of a question, float32 of shape (dimensions,)."""
        vector: Floats = self.vectors([question])[0]
        return vector

    def vectors(self, questions: Sequence[str]) -> Floats:
        """The unit vectors of questions, float32 of shape (len(questions), dimensions)."""
        return self._look_ups().embedded(questions, self.models.embedder.embed_questions)

    def nearest(self, queries: Floats, k: int) -> list[Ranked]:
        """The ``k`` passages nearest to each of some vectors, which are compared together."""
        return self._look_ups().nearest(queries, k, self.text.vectors)

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """Passages by number, in the order given."""
        return self._look_ups().passages(numbers, self.record.passages)

    def _look_ups(self) -> LookedUp:
        return self.looked_up or LookedUp()

    def ranked(self, numbers: Sequence[int], scores: Sequence[float], k: int) -> tuple[Passage, ...]:
        """The first k passages with their scores."""
        passages = self.passages([int(number) for number in numbers[:k]])
        return tuple(replace(passage, score=float(score)) for passage, score in zip(passages, scores[:k], strict=True))


class HeldView(threading.local):
    """The view that a thread holds, if any: files that it names may be gone, so that nobody could open them again."""

    view: View | None = None

    @contextmanager
    def held(self, view: View) -> Iterator[None]:
        """Hold a view meanwhile."""
        self.view = view
        try:
            yield
        finally:
            self.view = None
