"""Finding one's way in a graph: the entity that a name means, and how two of them hang together."""

from __future__ import annotations

from collections import deque

from polyhop.errors import EntityMissing
from polyhop.layers.read_graph import GraphEdge, ReadGraph

LOOKED = 20_000  # entities that are looked at for a path, at most
FAN_OUT = 400  # edges of an entity that are followed, at most


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
