"""Routes for questions: the answer, at once or hop by hop and word by word, and the best passages."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ConfigDict, Field

from polyhop import registry
from polyhop.errors import NotAllowed, TooLarge
from polyhop.planning.asked import checked
from polyhop.serve.answering import (
    Asked,
    Telling,
    ToldDraft,
    ToldHop,
    answered,
    charged,
    in_turn,
    streamed,
    thread_of,
    within_limits,
)
from polyhop.serve.errors import request_id_of, shape_in_stream
from polyhop.serve.requests import STREAM
from polyhop.serve.service import Service, TheService, TheWorkspace
from polyhop.strategies.strategy import parse_variant
from polyhop.types import Answer, Span
from polyhop.whereabouts import Whereabouts

router = APIRouter(prefix="/v1", tags=["asking"])

MOST = 100  # passages that one question may bring
QUESTION = "Where was the architect of Harrowmere Lighthouse born?"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # proxies pass each event on at once
Limit = Annotated[int | None, Field(ge=1, le=MOST, description="Passages at most; null: as the server is set.")]
StrategyName = Annotated[
    str | None,
    Field(
        examples=["auto", "paths(depth=30)"], max_length=500, description="See /v1/strategies; null: the best there is."
    ),
]


class TurnSaid(BaseModel):
    """A turn of the conversation before a question."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: str


class AskBody(BaseModel):
    """A question to the documents."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": QUESTION, "stream": False}]})

    question: str
    strategy: StrategyName = None
    limit: Limit = None
    history: list[TurnSaid] | None = Field(default=None, description="What was said before, oldest first.")
    stream: bool = Field(
        default=False,
        description="Send each hop as it is settled, and a draft as it is written, as server-sent events.",
    )


class SearchBody(BaseModel):
    """What passages are wanted for."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": QUESTION, "limit": 3}]})

    query: str
    strategy: StrategyName = None
    limit: Limit = None


class AnswerBody(BaseModel):
    """An answer with its evidence, as the library writes it."""

    id: str = Field(examples=["answer-1f0c2ab94e5d6c70"])
    answer: dict[str, Any] = Field(
        description="`Answer.to_dict()`: text, kind, confidence, citations, evidence and more.",
        examples=[{"text": "Pellingrove", "status": "answered", "kind": "value", "confidence": 0.83, "citations": []}],
    )


class Found(BaseModel):
    """The best passages for a query, best first."""

    passages: list[dict[str, Any]] = Field(
        description="`Passage.to_dict()`: id, document_id, title, text, start, end and score; and, as citations have "
        "them, `uri`, `page`, `line` and `where` it begins.",
        examples=[[{"id": "2e94-0", "uri": "documents/edda_marrish.md", "text": "Edda Marrish was ...", "score": 4.1}]],
    )


@router.post("/ask", response_model=AnswerBody, responses={200: {"content": {STREAM: {}}}})
async def ask(body: AskBody, service: TheService, workspace: TheWorkspace, request: Request) -> Response | AnswerBody:
    """Answer a question from the documents, or say that they do not answer it (`answer.status`).

    With `stream` the response is a stream of events: `started`, `hop` (as each is settled; a later one with the same
    `position` replaces it), `draft` (what a language model writes of the answer, not checked yet: from the character
    `start` on it reads as `text`), `answer`, `citation`, `done` with the whole answer, or `error`.
    """
    question = allowed(body.question, service)
    service.turns.check()
    strategy = await run_in_threadpool(
        workspace.engine.strategy_for, body.strategy and named(body.strategy)
    )  # errors before the first event
    thread = thread_of((turn.role, turn.content) for turn in body.history or ())
    asked = Asked(question=question, strategy=strategy, thread=thread, passages=body.limit)
    name = f"answer-{uuid.uuid4().hex[:16]}"
    if body.stream:
        told = _events(name, asked, await streamed(asked, workspace, service, request), request_id_of(request))
        return StreamingResponse(told, media_type=STREAM, headers=UNBUFFERED)
    answer = await answered(asked, workspace, service, request)
    return AnswerBody(id=name, answer=answer.to_dict())


@router.post("/search")
async def search(body: SearchBody, service: TheService, workspace: TheWorkspace, request: Request) -> Found:
    """The best passages for a query, with their scores and where they stand, without reading them."""
    query = allowed(body.query, service)
    strategy = body.strategy and named(body.strategy)
    most = body.limit or service.settings.budget.passages

    def work() -> list[dict[str, Any]]:
        budget, spent = within_limits(None, workspace, service), charged(workspace, service)
        with workspace.engine.view() as view:
            evidence = workspace.engine.search(query, k=most, strategy=strategy, budget=budget, spent=spent)
            found = evidence.passages
            return [{**each.to_dict(), **Whereabouts.of(Span.of(each), view.record).to_dict()} for each in found]

    return Found(passages=await in_turn(work, service, request))


def allowed(question: str, service: Service) -> str:
    """A question as it is asked, which is not longer than the server takes. Raises TooLarge, UsageError."""
    most = service.settings.server.question
    if len(question) > most:
        raise TooLarge(
            f"The question has {len(question):,} characters, more than {most:,}.",
            remedy="Ask what you want to know; what is to be read belongs into a document.",
        )
    return checked(question)


def named(name: str) -> str:
    """The strategy that a request names: it may set what it likes, but open no file of the server.

    Raises NotAllowed for a setting that names a file, UnknownComponent, UsageError.
    """
    base, own = parse_variant(name)
    for setting, field in registry.setting_fields(registry.load("strategies", base)).items():
        if setting in own and "file" in field.metadata:
            raise NotAllowed(
                f"A request may not set {setting}, which names a file of the server.",
                remedy=f"Have the server started with: --set strategies.{base}.{setting}=FILE",
            )
    return name


async def _events(name: str, asked: Asked, told: Telling, request_id: str) -> AsyncIterator[bytes]:
    """The stream of an answer."""
    try:
        async with aclosing(told):
            yield _event("started", {"id": name, "question": asked.question, "strategy": asked.strategy})
            async for each in told:
                if isinstance(each, ToldHop):
                    yield _event("hop", {**each.hop.to_dict(), "position": each.position})
                elif isinstance(each, ToldDraft):
                    yield _event("draft", {"start": each.start, "text": each.text})
                elif each is not None:
                    for event in _answer_events(name, each):
                        yield event
    except Exception as error:  # noqa: BLE001  # it is logged, and told within the stream
        yield _event("error", shape_in_stream(error, request_id))


def _answer_events(name: str, answer: Answer) -> list[bytes]:
    whole = answer.to_dict()
    told = ("text", "kind", "confidence", "confidence_kind", "grounded", "items", "status")
    short = {key: whole[key] for key in told}
    return [
        _event("answer", {"id": name, **short}),
        *(_event("citation", citation) for citation in whole["citations"]),
        _event("done", {"id": name, "answer": whole}),
    ]


def _event(kind: str, content: dict[str, Any]) -> bytes:
    return format_sse_event(event=kind, data_str=json.dumps(content, ensure_ascii=False))
