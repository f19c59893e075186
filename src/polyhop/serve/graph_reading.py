"""The graph of an index as a server tells it: what is said of an entity, and how two of them hang together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from polyhop.errors import EntityMissing, LayerMissing
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.view import View
from polyhop.ports import Ints

LOOKED = 20_000  # entities that are looked at for a path, at most
FAN_OUT = 400  # edges of an entity that are followed, at most
CLOSE = 5  # names that are offered for one that nobody knows


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


class ReadGraph(Protocol):
    """Entities by positions, and the edges of each."""

    def find(self, name: str) -> int | None:
        """The entity that a name names."""

    def nearest(self, name: str) -> list[str]:
        """Names that share most words with one."""

    def name(self, entity: int) -> str:
        """What an entity is called most."""

    def key(self, entity: int) -> str:
        """What an entity is known by."""

    def edges(self, entity: int, most: int) -> Iterable[GraphEdge]:
        """At most so many edges of an entity, the surest first."""


@dataclass(frozen=True)
class FactsRead:
    """The graph of facts."""

    graph: FactGraph

    def find(self, name: str) -> int | None:
        """The entity that a name names."""
        return self.graph.find(name)

    def nearest(self, name: str) -> list[str]:
        """Names that share most words with one."""
        return [self.name(entity) for entity, _ in self.graph.anchors(name, CLOSE)]

    def name(self, entity: int) -> str:
        """What an entity is called most."""
        return self.graph.entity(entity).name

    def key(self, entity: int) -> str:
        """What an entity is known by."""
        return self.graph.entity(entity).key

    def edges(self, entity: int, most: int) -> Iterator[GraphEdge]:
        """At most so many facts of an entity, the surest first."""
        facts = self.graph.touching([entity])
        for fact in facts[(-self.graph.confidences[facts]).argsort(kind="stable")][:most].tolist():
            number, start, end = self.graph.place(fact)
            relation = self.graph.relations[int(self.graph.relation_ids[fact])]
            ends = int(self.graph.heads[fact]), int(self.graph.tails[fact])
            yield GraphEdge(ends[0], relation, ends[1], number, start, end)


@dataclass(frozen=True)
class SentencesRead:
    """Sentences between named entities, where an index has no facts: the sentence, masked, is the relation."""

    graph: ParseKG

    def find(self, name: str) -> int | None:
        """The entity that a name names."""
        return self.graph.find(name)

    def nearest(self, name: str) -> list[str]:
        """The names that occur in one that nobody knows."""
        return [self.name(entity) for entity in self.graph.named_in(name)[:CLOSE]]

    def name(self, entity: int) -> str:
        """What an entity is called most."""
        return self.graph.entity(entity).name

    def key(self, entity: int) -> str:
        """What an entity is known by."""
        return self.graph.entity(entity).key

    def edges(self, entity: int, most: int) -> Iterator[GraphEdge]:
        """At most so many pairs with an entity, in the order of the sentences."""
        return islice(self._pairs(entity), most)

    def _pairs(self, entity: int) -> Iterator[GraphEdge]:
        for sentence in self._live(self.graph.out.of(entity)):
            yield from (self._edge(entity, sentence, tail) for tail in self.graph.tails.of(sentence).tolist())
        for sentence in self._live(self.graph.into.of(entity)):
            yield from (self._edge(head, sentence, entity) for head in self.graph.heads.of(sentence).tolist())

    def _live(self, sentences: Ints) -> list[int]:
        """Those whose passages are there."""
        live: list[int] = sentences[self.graph.alive[self.graph.sentence_rows[sentences]]].tolist()
        return live

    def _edge(self, head: int, sentence: int, tail: int) -> GraphEdge:
        relation = " ".join(self.graph.hyperrelations[sentence].replace("##", "…").split())
        return GraphEdge(head, relation, tail, *self.graph.place(sentence))


def graph_of(view: View) -> ReadGraph:
    """The graph of an index: of facts where it has them, or of sentences. Raises LayerMissing where it has neither."""
    if "facts" in view.layers:
        return FactsRead(view.facts)
    if "parsekg" in view.layers:
        return SentencesRead(view.kg)
    raise LayerMissing(
        "This index has no graph.", remedy="Make one with: polyhop index PATH... --layers text,parsekg,facts"
    )


def entity_of(name: str, graph: ReadGraph) -> int:
    """The entity of a name. Raises EntityMissing, which offers the nearest names."""
    found = graph.find(name)
    if found is None:
        near = graph.nearest(name)
        raise EntityMissing(
            "Nothing is known of an entity of this name.", remedy=f"Known: {', '.join(near)}." if near else None
        )
    return found


def path_between(start: int, goal: int, graph: ReadGraph) -> list[GraphEdge]:
    """The fewest edges that lead from one entity to another, whichever way they point; none where nothing does.

    At most LOOKED entities are looked at, and FAN_OUT edges of each.
    """
    came: dict[int, tuple[int, GraphEdge] | None] = {start: None}
    ahead = deque([start])
    while ahead and goal not in came and len(came) < LOOKED:
        entity = ahead.popleft()
        for edge in graph.edges(entity, FAN_OUT):
            other = edge.other(entity)
            if other not in came:
                came[other] = (entity, edge)
                ahead.append(other)
    path: list[GraphEdge] = []
    step = came.get(goal)
    while step is not None:
        path.append(step[1])
        step = came[step[0]]
    return path[::-1]
