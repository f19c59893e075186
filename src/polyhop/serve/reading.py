"""Routes that read: what the index holds, how it can be asked, and its documents."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from polyhop import __version__, registry
from polyhop.errors import UsageError
from polyhop.serve.safe_messages import without_folders
from polyhop.serve.service import TheService, TheWorkspace
from polyhop.strategies.strategy import layers_read, strategy_of
from polyhop.types import Document, Span
from polyhop.whereabouts import Whereabouts

router = APIRouter(prefix="/v1", tags=["reading"])

LONGEST = 1_000_000  # characters of a document in one response; ``start`` and ``end`` cut others


class Status(BaseModel):
    """The state of an index: sizes, layers, models, and who is writing now."""

    model_config = ConfigDict(extra="allow")

    workspace: str
    version: str = Field(description="Of the server.")
    documents: int
    passages: int
    entities: int
    bytes: int
    layers: list[dict[str, Any]]
    models: dict[str, str]
    writer: str | None


class StrategyRow(BaseModel):
    """A way to find evidence."""

    name: str
    description: str
    needs: list[str] = Field(description="The layers that it reads.")
    ready: bool = Field(description="Whether the index has them.")
    missing: list[str]


class DocumentEntry(BaseModel):
    """A document in a list."""

    id: str = Field(examples=["f49046e53e517e65"])
    title: str = Field(examples=["Edda Marrish"])
    source: str = Field(
        examples=["documents/edda_marrish.md"], description="Where it comes from: a file, or a row of one."
    )
    passages: int
    bytes: int = Field(description="Of its text, in UTF-8.")
    type: str = Field(examples=["application/pdf"])


class DocumentList(BaseModel):
    """A page of the documents."""

    documents: list[DocumentEntry]
    next: str | None = Field(description="To be given as `after` for the next page; null on the last.")


class PassageStretch(BaseModel):
    """A passage in its document: characters of its text, half open."""

    id: str
    start: int
    end: int


class PageStretch(BaseModel):
    """A page of a document: characters of its text, half open."""

    page: int = Field(description="From 1.")
    start: int
    end: int


class DocumentText(BaseModel):
    """A document's text, or a stretch of it, with its passages and pages."""

    id: str
    title: str
    source: str
    type: str
    text: str
    start: int = Field(description="Where `text` begins in the document.")
    end: int
    length: int = Field(description="Characters of the whole document.")
    passages: list[PassageStretch] = Field(description="Those that overlap `text`; offsets are the document's.")
    pages: list[PageStretch] | None = Field(description="Null where the document has none.")
    where: str = Field(description="Where `at` lies, in words.", examples=["page 3", "slide 2", "line 12"])


@router.get("/status")
def status(workspace: TheWorkspace) -> Status:
    """What the index holds and how fresh it is."""
    told = workspace.engine.status().to_dict()
    del told["path"], told["models"]["cache"]  # names on the server's disk
    told["writer"] = told["writer"] and without_folders(told["writer"])
    return Status(**{**told, "workspace": workspace.name, "version": __version__})


@router.get("/strategies")
def strategies(service: TheService, workspace: TheWorkspace) -> list[StrategyRow]:
    """The ways to find evidence, and which of them this index allows."""
    with workspace.engine.view() as view:
        there = set(view.layers)
    rows = []
    for name in registry.working("strategies"):
        needs = layers_read(strategy_of(name, service.settings))
        missing = [layer for layer in needs if layer not in there]
        about = (registry.load("strategies", name).__doc__ or "").strip().partition("\n")[0]
        rows.append(StrategyRow(name=name, description=about, needs=list(needs), ready=not missing, missing=missing))
    return rows


@router.get("/documents")
def documents(
    workspace: TheWorkspace,
    prefix: Annotated[str, Query(description="What `source` begins with.")] = "",
    after: Annotated[str, Query(pattern="^[0-9]{0,18}$", description="`next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> DocumentList:
    """The documents of the index, in the order they were first added."""
    with workspace.engine.view() as view:
        rows, ended = view.record.listed(beginning=prefix, after=int(after or 0), most=limit)
        entries = [
            DocumentEntry(
                id=row.id,
                title=row.title,
                source=row.uri,
                passages=row.passages,
                bytes=view.record.size_of(row.id),
                type=row.media_type,
            )
            for row in rows
        ]
    return DocumentList(documents=entries, next=None if ended is None else str(ended))


@router.get("/documents/{document_id:path}")
def document(
    workspace: TheWorkspace,
    document_id: str,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
    at: Annotated[int | None, Query(ge=0, lt=2**62, description="A character that `where` is to tell of.")] = None,
) -> DocumentText:
    """A document's text, or characters `start` to `end` of it (at most a million at once)."""
    with workspace.engine.view() as view:
        found = view.record.document(document_id)
        stretches = view.record.stretches(document_id)
        where = "" if at is None else Whereabouts.of(Span(document_id, at, at + 1), view.record).where
    length = len(found.text)
    last = min(length, start + LONGEST, length if end is None else end)
    if start > last:
        trouble = f"it ends before it begins (at {end})" if start <= length else f"the document has {length} characters"
        raise UsageError(f"There is no stretch from character {start} on: {trouble}.")
    return DocumentText(
        id=found.id,
        title=found.title,
        source=found.uri,
        type=found.media_type,
        text=found.text[start:last],
        start=start,
        end=last,
        length=length,
        passages=[PassageStretch(id=key, start=at, end=to) for key, at, to in stretches if at < last and start < to],
        pages=pages_of(found),
        where=where,
    )


def pages_of(found: Document) -> list[PageStretch] | None:
    """The pages of a document that has pages."""
    if not found.pages:
        return None
    stretches = zip(found.pages, (*found.pages[1:], len(found.text)), strict=True)
    return [PageStretch(page=number, start=at, end=to) for number, (at, to) in enumerate(stretches, start=1)]
