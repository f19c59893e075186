"""The graph of an index, of facts or of sentences, as those read it who show it: entities, and edges with a place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal

from polyhop.errors import LayerMissing
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.view import View
from polyhop.types import Entity

GraphLayer = Literal["facts", "parsekg"]
CLOSE = 5  # names that are offered for one that nobody knows
PAIRS = 50  # of entities that one sentence joins in the whole graph, at most


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relation between two entities, by their positions, with where a passage states it."""

    subject: int
    relation: str
    object: int
    passage: int  # its number
    start: int  # of the sentence, in the passage
    end: int

    def other(self, entity: int) -> int:
        """The end that is not the entity."""
        return self.object if entity == self.subject else self.subject


@dataclass(frozen=True)
class ReadGraph(ABC):
    """Entities by their positions, and what is said of them."""

    graph: FactGraph | ParseKG

    def find(self, name: str) -> int | None:
        """The entity that a name names."""
        return self.graph.find(name)

    def entity(self, position: int) -> Entity:
        """An entity: what it is known by, and what it is called."""
        return self.graph.entity(position)

    @abstractmethod
    def nearest(self, name: str) -> list[str]:
        """Names that are close to one that nobody knows."""

    @abstractmethod
    def edges(self, entity: int, most: int) -> Iterator[GraphEdge]:
        """At most so many edges of an entity."""

    @abstractmethod
    def stated(self) -> Iterator[GraphEdge]:
        """All edges, in the order of the passages."""


@dataclass(frozen=True)
class FactsRead(ReadGraph):
    """The graph of facts."""

    graph: FactGraph

    def nearest(self, name: str) -> list[str]:
        """Names that share most words with one."""
        return [self.entity(position).name for position, _ in self.graph.anchors(name, CLOSE)]

    def edges(self, entity: int, most: int) -> Iterator[GraphEdge]:
        """At most so many facts of an entity, the surest first."""
        facts = self.graph.touching([entity])
        return map(self._edge, facts[(-self.graph.confidences[facts]).argsort(kind="stable")][:most].tolist())

    def stated(self) -> Iterator[GraphEdge]:
        """All facts whose passages are there."""
        alive = self.graph.alive[self.graph.rows]
        return map(self._edge, alive.nonzero()[0].tolist())

    def _edge(self, fact: int) -> GraphEdge:
        relation = self.graph.relations[int(self.graph.relation_ids[fact])]
        ends = int(self.graph.heads[fact]), int(self.graph.tails[fact])
        return GraphEdge(ends[0], relation, ends[1], *self.graph.place(fact))


@dataclass(frozen=True)
class SentencesRead(ReadGraph):
    """Sentences between named entities, where an index has no facts: the sentence, masked, is the relation."""

    graph: ParseKG

    def nearest(self, name: str) -> list[str]:
        """The names that occur in one that nobody knows."""
        return [self.entity(position).name for position in self.graph.named_in(name)[:CLOSE]]

    def edges(self, entity: int, most: int) -> Iterator[GraphEdge]:
        """At most so many pairs with an entity, in the order of the sentences."""
        return islice(self._pairs(entity), most)

    def stated(self) -> Iterator[GraphEdge]:
        """The pairs of all sentences, so many of each at most."""
        for sentence in self.graph.sentences():
            heads, tails = (ends.of(sentence) for ends in (self.graph.heads, self.graph.tails))
            pairs = ((head, tail) for head, tail in product(heads, tails) if head != tail)
            yield from (self._edge(head, sentence, tail) for head, tail in islice(pairs, PAIRS))

    def _pairs(self, entity: int) -> Iterator[GraphEdge]:
        for sentence in self.graph.out.of(entity).tolist():
            tails = self.graph.tails.of(sentence)
            yield from (self._edge(entity, sentence, tail) for tail in tails if tail != entity)
        for sentence in self.graph.into.of(entity).tolist():
            heads = self.graph.heads.of(sentence)
            yield from (self._edge(head, sentence, entity) for head in heads if head != entity)

    def _edge(self, head: int, sentence: int, tail: int) -> GraphEdge:
        relation = " ".join(self.graph.hyperrelation(sentence).replace("##", "…").split())
        return GraphEdge(head, relation, tail, *self.graph.place(sentence))


def read_graph(view: View, layer: GraphLayer | None = None) -> ReadGraph:
    """The graph of the layer named, or of facts where the index has them, else of sentences. Raises LayerMissing."""
    if layer is None and not view.layers.keys() & {"facts", "parsekg"}:
        raise LayerMissing(
            "This index has no layer facts or parsekg, and so no graph.",
            remedy="Make it with: polyhop index PATH... --layers text,parsekg,facts",
        )
    chosen = layer or ("facts" if "facts" in view.layers else "parsekg")
    return FactsRead(view.facts) if chosen == "facts" else SentencesRead(view.kg)
