"""The entities of an index and what is said between them, each with its sentence, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from polyhop.layers.read_graph import GraphEdge, GraphLayer, ReadGraph, read_graph
from polyhop.layers.view import View
from polyhop.serialisable import Serialisable

_AT_ONCE: Final = 256  # edges whose passages are fetched together


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
class LinkedGraph:
    """The graph of a layer, to be read as often as is wanted while the view is open."""

    view: View
    graph: ReadGraph
    most: int | None = None  # links, at most; None: all

    @classmethod
    def of(cls, view: View, layer: GraphLayer | None = None, most: int | None = None) -> LinkedGraph:
        """The graph of the layer named, or of facts where the index has them, else of parsekg. Raises LayerMissing."""
        return cls(view, read_graph(view, layer), most)

    def entities(self) -> Iterator[LinkedEntity]:
        """The entities that a link has at an end, by their ids."""
        ends = {end for stated in self._stated() for end in (stated.subject, stated.object)}
        for position in sorted(ends):
            entity = self.graph.entity(position)
            yield LinkedEntity(id=position, name=entity.name, aliases=entity.aliases, label=entity.label)

    def links(self) -> Iterator[StatedLink]:
        """All links, in the order of the passages."""
        waiting = iter(self._stated())
        while batch := list(islice(waiting, _AT_ONCE)):
            numbers = sorted({stated.passage for stated in batch})
            passages = dict(zip(numbers, self.view.passages(numbers), strict=True))
            sources = {one.document_id: self.view.record.row(one.document_id).uri for one in passages.values()}
            for stated in batch:
                passage = passages[stated.passage]
                yield StatedLink(
                    subject=stated.subject,
                    relation=stated.relation,
                    object=stated.object,
                    sentence=passage.text[stated.start : stated.end],
                    document=passage.document_id,
                    source=sources[passage.document_id],
                    passage=passage.id,
                    start=passage.start + stated.start,
                    end=passage.start + stated.end,
                )

    def cut(self) -> bool:
        """Whether there are more links than may be told."""
        return self.most is not None and next(islice(self.graph.stated(), self.most, None), None) is not None

    def _stated(self) -> Iterator[GraphEdge]:
        return islice(self.graph.stated(), self.most)
