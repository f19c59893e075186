"""The entities of an index and what is said between them, each with its sentence, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from polyhop.errors import LayerMissing
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.view import View
from polyhop.types import Serialisable

GraphLayer = Literal["facts", "parsekg"]
_AT_ONCE: Final = 256  # edges whose passages are fetched together
_PAIRS: Final = 50  # of entities that one sentence of parsekg links, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedEntity(Serialisable):
    """An entity of the graph."""

    id: int
    name: str
    aliases: tuple[str, ...]
    label: str  # the parser's type, or TITLE; empty where it is unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLink(Serialisable):
    """What a sentence says between two entities; offsets are the document's, half open."""

    subject: int
    relation: str
    object: int
    sentence: str
    document: str
    source: str  # the document's URI
    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Stated:
    subject: int
    relation: str
    object: int
    place: tuple[int, int, int]  # passage number, start and end in the passage


@dataclass(frozen=True, slots=True)
class LinkedGraph:
    """The graph of a layer, to be read as often as is wanted while the view is open."""

    view: View
    layer: GraphLayer
    most: int | None = None  # links, at most; None: all

    @classmethod
    def of(cls, view: View, layer: GraphLayer | None = None, most: int | None = None) -> LinkedGraph:
        """The graph of the layer named, or of facts where the index has them, else of parsekg. Raises LayerMissing."""
        chosen = layer or ("facts" if "facts" in view.layers else "parsekg")
        if chosen not in view.layers:
            raise LayerMissing(
                f"This index has no layer {chosen!r}.",
                remedy=f"Make it with: polyhop index PATH... --layers text,{chosen}",
            )
        return cls(view.restricted((chosen,)), chosen, most)

    def entities(self) -> Iterator[LinkedEntity]:
        """The entities that a link has at an end, by their ids."""
        ends = {end for stated in self._stated() for end in (stated.subject, stated.object)}
        graph = self.view.facts if self.layer == "facts" else self.view.kg
        for position in sorted(ends):
            entity = graph.entity(position)
            yield LinkedEntity(id=position, name=entity.name, aliases=entity.aliases, label=entity.label)

    def links(self) -> Iterator[StatedLink]:
        """All links, in the order of the passages."""
        waiting = iter(self._stated())
        while batch := list(islice(waiting, _AT_ONCE)):
            numbers = sorted({stated.place[0] for stated in batch})
            passages = dict(zip(numbers, self.view.passages(numbers), strict=True))
            sources = {one.document_id: self.view.record.row(one.document_id).uri for one in passages.values()}
            for stated in batch:
                number, start, end = stated.place
                passage = passages[number]
                yield StatedLink(
                    subject=stated.subject,
                    relation=stated.relation,
                    object=stated.object,
                    sentence=passage.text[start:end],
                    document=passage.document_id,
                    source=sources[passage.document_id],
                    passage=passage.id,
                    start=passage.start + start,
                    end=passage.start + end,
                )

    def cut(self) -> bool:
        """Whether there are more links than may be told."""
        return self.most is not None and next(islice(self._all(), self.most, None), None) is not None

    def _stated(self) -> Iterable[_Stated]:
        return islice(self._all(), self.most)

    def _all(self) -> Iterator[_Stated]:
        return _facts(self.view.facts) if self.layer == "facts" else _sentences(self.view.kg)


def _facts(graph: FactGraph) -> Iterator[_Stated]:
    for fact in range(len(graph.heads)):
        if graph.alive[graph.rows[fact]]:
            relation = graph.relations[int(graph.relation_ids[fact])]
            yield _Stated(int(graph.heads[fact]), relation, int(graph.tails[fact]), graph.place(fact))


def _sentences(graph: ParseKG) -> Iterator[_Stated]:
    for sentence in range(len(graph.hyperrelations)):
        if not graph.alive[graph.sentence_rows[sentence]]:
            continue
        relation = " ".join(graph.hyperrelations[sentence].replace("##", "…").split())
        heads, tails = graph.heads.of(sentence).tolist(), graph.tails.of(sentence).tolist()
        pairs = ((head, tail) for head in heads for tail in tails if head != tail)
        for head, tail in islice(pairs, _PAIRS):
            yield _Stated(head, relation, tail, graph.place(sentence))
