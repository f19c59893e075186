"""Routes that look after the graph: what was merged and why, keeping names apart, its health, and it as a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Annotated, Any, Literal, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from polyhop.evaluation.robustness.health import health as health_of
from polyhop.exports.formats import PAGE_LINKS, WRITERS
from polyhop.exports.linked import LinkedGraph
from polyhop.serve.answering import in_turn
from polyhop.serve.service import TheService, TheWorkspace
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.strategies.strategy import strategy_of

router = APIRouter(prefix="/v1/graph", tags=["graph"])

MEDIA_TYPES = {"graphml": "application/graphml+xml", "jsonl": "application/jsonl", "html": "text/html"}
PIECE = 1 << 16  # bytes sent at a time
SANDBOX = {"Content-Security-Policy": "sandbox"}  # it is a file to be kept, not a page of this server


class Merged(BaseModel):
    """Entities that were made of several spellings."""

    merges: list[dict[str, Any]] = Field(
        description="The least certain first; each with `name` and `spellings`: `name`, `reason`, `passages`, `titles`."
    )
    count: int = Field(description="Of all of them, also those that `limit` leaves out.")


class NamesMeant(BaseModel):
    """Spellings of an entity."""

    model_config = ConfigDict(extra="forbid")

    names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=300)]],
        Field(min_length=1, max_length=50, examples=[["Old Patience"]]),
    ]


class NamePairs(BaseModel):
    """Pairs of names that were kept apart, or joined again; none where they were so before."""

    pairs: list[tuple[str, str]] = Field(examples=[[["old patience", "patience harrow"]]])


class GraphHealth(BaseModel):
    """How sound the graph of facts is, as `polyhop health` says it."""

    model_config = ConfigDict(extra="allow")

    index: dict[str, Any] = Field(description="How large it is.")
    symptoms: list[dict[str, Any]] = Field(description="What looks wrong, how often, with examples.")
    behaviour: list[dict[str, Any]] = Field(description="How its own two-hop chains are found again.")


@router.get("/merges")
def merges(
    workspace: TheWorkspace,
    name: Annotated[str | None, Query(max_length=300, description="Only the entity of this name.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Merged:
    """Which spellings count as one name, and why."""
    found = workspace.engine.merges(*([name] if name else []))
    return Merged(merges=[merge.to_dict() for merge in found[:limit]], count=len(found))


@router.post("/merges/undo")
def undo(body: NamesMeant, workspace: TheWorkspace) -> NamePairs:
    """Keep each name apart from the other spellings of its entity, for good."""
    return NamePairs(pairs=list(workspace.engine.keep_apart(*body.names)))


@router.post("/merges/redo")
def redo(body: NamesMeant, workspace: TheWorkspace) -> NamePairs:
    """Take back what was undone for each name."""
    return NamePairs(pairs=list(workspace.engine.join_again(*body.names)))


@router.get("/health")
async def health(
    service: TheService, workspace: TheWorkspace, request: Request, chains: Annotated[int, Query(ge=0, le=10)] = 5
) -> GraphHealth:
    """What looks wrong with the graph of facts, and how `chains` two-hop chains drawn from it are found again."""

    def work() -> dict[str, Any]:
        strategy = cast("C2RAG", strategy_of("c2rag", service.settings))
        with workspace.engine.view() as view:
            return health_of(view, chains=chains, strategy=strategy)

    return GraphHealth(**await in_turn(work, service, request))


@router.get(
    "/export", response_class=Response, responses={200: {"content": {kind: {} for kind in MEDIA_TYPES.values()}}}
)
async def export(
    service: TheService,
    workspace: TheWorkspace,
    request: Request,
    format_: Annotated[Literal["graphml", "jsonl", "html"], Query(alias="format")] = "jsonl",
    layer: Annotated[Literal["facts", "parsekg"] | None, Query(description="The default: facts, if any.")] = None,
    limit: Annotated[int | None, Query(ge=1, le=2**31, description="Links, at most.")] = None,
) -> Response:
    """The graph as a file, as `polyhop export` writes it: GraphML, JSON lines, or one page that works offline."""
    most = limit or (PAGE_LINKS if format_ == "html" else None)

    def work() -> IO[bytes]:
        with workspace.engine.view() as view, ExitStack() as undo:
            pieces = WRITERS[format_](LinkedGraph.of(view, layer, most))
            written = undo.enter_context(tempfile.TemporaryFile())
            for piece in pieces:
                written.write(piece.encode("utf-8", errors="replace"))
            written.seek(0)
            undo.pop_all()  # it is closed when it has been sent
            return written

    found = await in_turn(work, service, request)
    headers = {"Content-Disposition": f'attachment; filename="graph.{format_}"', **SANDBOX}
    return StreamingResponse(_sent(found), media_type=MEDIA_TYPES[format_], headers=headers)


def _sent(written: IO[bytes]) -> Iterator[bytes]:
    with written:
        while piece := written.read(PIECE):
            yield piece
