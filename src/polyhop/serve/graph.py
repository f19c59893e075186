"""Routes for the graph: the neighbourhood of an entity, and the way between two."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from polyhop.errors import EntityMissing
from polyhop.layers.read_graph import GraphEdge, ReadGraph, read_graph
from polyhop.layers.view import View
from polyhop.serve.service import TheWorkspace

router = APIRouter(prefix="/v1/graph", tags=["graph"])

LOOKED = 20_000  # entities that are looked at for a path, at most
FAN_OUT = 400  # edges of an entity that are followed, at most
EntityName = Annotated[str, Query(min_length=1, max_length=300, examples=["Edda Marrish"])]


class GraphNode(BaseModel):
    """An entity."""

    id: str = Field(examples=["edda marrish"])
    name: str = Field(examples=["Edda Marrish"])


class GraphSentence(BaseModel):
    """The sentence that states an edge: characters of its document, half open."""

    passage: str
    document: str
    start: int
    end: int
    text: str


class GraphLink(BaseModel):
    """What a sentence says of two entities; `subject` and `object` are ids of nodes."""

    subject: str = Field(examples=["edda marrish"])
    relation: str = Field(examples=["was born in"])
    object: str = Field(examples=["pellingrove"])
    sentence: GraphSentence


class GraphTold(BaseModel):
    """Some entities and what is said of them."""

    nodes: list[GraphNode]
    edges: list[GraphLink] = Field(description="Around an entity, the surest first; of a path, in its order.")


@router.get("/entity")
def entity(workspace: TheWorkspace, name: EntityName, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> GraphTold:
    """What is said of an entity, each with the sentence that says it: `limit` edges at most."""
    with workspace.engine.view() as view:
        graph = read_graph(view)
        centre = entity_of(name, graph)
        return _told([centre], list(graph.edges(centre, limit)), graph, view)


@router.get("/path")
def path(workspace: TheWorkspace, start: Annotated[EntityName, Query(alias="from")], to: EntityName) -> GraphTold:
    """The fewest edges that lead from one entity to another; no edges where nothing does."""
    with workspace.engine.view() as view:
        graph = read_graph(view)
        first, last = entity_of(start, graph), entity_of(to, graph)
        return _told([first, last], path_between(first, last, graph), graph, view)


def _told(entities: Sequence[int], edges: Sequence[GraphEdge], graph: ReadGraph, view: View) -> GraphTold:
    ends = (end for edge in edges for end in (edge.subject, edge.object))
    known = {position: graph.entity(position) for position in dict.fromkeys([*entities, *ends])}
    numbers = list({edge.passage for edge in edges})
    passages = dict(zip(numbers, view.passages(numbers), strict=True))
    links = []
    for edge in edges:
        passage = passages[edge.passage]
        sentence = GraphSentence(
            passage=passage.id,
            document=passage.document_id,
            start=passage.start + edge.start,
            end=passage.start + edge.end,
            text=passage.text[edge.start : edge.end],
        )
        subject, other = known[edge.subject].key, known[edge.object].key
        links.append(GraphLink(subject=subject, relation=edge.relation, object=other, sentence=sentence))
    return GraphTold(nodes=[GraphNode(id=one.key, name=one.name) for one in known.values()], edges=links)


def entity_of(name: str, graph: ReadGraph) -> int:
    """The entity of a name. Raises EntityMissing, which offers what ``nearest`` finds."""
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
