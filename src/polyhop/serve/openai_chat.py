"""Routes that OpenAI's clients call: strategies are models, and the assistant says the answer, with citations."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from polyhop import registry
from polyhop.errors import UsageError
from polyhop.serve.answering import Asked, Telling, ToldDraft, ToldHop, answered, streamed, thread_of
from polyhop.serve.asking import QUESTION, UNBUFFERED, allowed, named
from polyhop.serve.cited import CitedText, cited, draft_in_words, hop_in_words, uncited
from polyhop.serve.errors import openai_body, request_id_of, shape_in_stream
from polyhop.serve.requests import STREAM
from polyhop.serve.service import TheService, TheWorkspace
from polyhop.serve.uploads import shown
from polyhop.strategies.strategy import strategy_of
from polyhop.types import Answer

router = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])

PREFIX = "polyhop/"  # of the models' names


class TextInMessage(BaseModel):
    """A part of a message; only text can be asked."""

    type: Literal["text"]
    text: str


class RefusalInMessage(BaseModel):
    """A part of what an assistant said: it did not answer."""

    type: Literal["refusal"]
    refusal: str


PARTS = ("text", "refusal")  # the types of the parts that are read
MessagePart = Annotated[TextInMessage | RefusalInMessage, Field(discriminator="type")]


class ChatMessage(BaseModel):
    """A turn of the conversation. What systems and tools say is not used: answers come from the documents."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[MessagePart] | None = None  # none: the assistant called tools

    @field_validator("content", mode="before")
    @classmethod
    def _readable(cls, content: object) -> object:
        """What a message says, as it came. Raises PydanticCustomError, which names the parts that are read."""
        for part in content if isinstance(content, list) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            if kind not in PARTS:
                message = "a part of the type {kind} is not read, only those of the types {read}"
                told = {"kind": shown(str(kind)), "read": " and ".join(PARTS)}
                raise PydanticCustomError("part_not_read", message, told)
        return content

    @property
    def text(self) -> str:
        """What it says."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if isinstance(part, TextInMessage))


class StreamOptions(BaseModel):
    """What else a stream is to tell."""

    include_usage: bool | None = None


class AnswerForm(BaseModel):
    """The form that a client asks for."""

    type: str = "text"


class ChatBody(BaseModel):
    """A conversation that ends in a question. Settings of other models (temperature, seed ...) are not used.

    What would give the client something else than it waits for is refused: several choices, JSON, sound, calls of
    tools.
    """

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [{"model": "polyhop/auto", "messages": [{"role": "user", "content": QUESTION}]}]
        },
    )

    model: str = Field(max_length=500)
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    logprobs: bool | None = None
    response_format: AnswerForm | None = None
    tool_choice: str | dict[str, Any] | None = None
    function_call: str | dict[str, Any] | None = None  # what tool_choice was called before
    modalities: list[str] | None = None

    def check(self) -> None:
        """Raises UsageError for what cannot be given, where something else would look like it."""
        kept = {
            "n": self.n in (None, 1),
            "logprobs": not self.logprobs,
            "response_format": self.response_format is None or self.response_format.type == "text",
            "tool_choice": self.tool_choice in (None, "none", "auto"),
            "function_call": self.function_call in (None, "none", "auto"),
            "modalities": self.modalities in (None, ["text"]),
        }
        broken = [name for name, fine in kept.items() if not fine]
        if broken:
            raise UsageError(
                f"A question has one answer, in text; this cannot be asked for: {', '.join(broken)}.",
                remedy="Leave it out. POST /v1/ask gives an answer as JSON.",
            )


class ChatModel(BaseModel):
    """A strategy, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["polyhop"] = "polyhop"


class ChatModels(BaseModel):
    """The strategies, as models."""

    object: Literal["list"] = "list"
    data: list[ChatModel]


class Completed(BaseModel):
    """A chat completion in OpenAI's form."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int] = Field(description="Of the language model behind the strategies; zeros where there is none.")


@router.get("/models")
def models() -> ChatModels:
    """The strategies, each as a model."""
    return ChatModels(data=[ChatModel(id=PREFIX + name) for name in registry.working("strategies")])


@router.get("/models/{name:path}")
def model(name: str, service: TheService) -> ChatModel:
    """One strategy, as a model, also with settings: `polyhop/paths(depth=30)`."""
    strategy_of(named(name.removeprefix(PREFIX)), service.settings)
    return ChatModel(id=name)


@router.post("/chat/completions", response_model=Completed, responses={200: {"content": {STREAM: {}}}})
async def complete(
    body: ChatBody, service: TheService, workspace: TheWorkspace, request: Request
) -> Response | Completed:
    """Answer the last message of a conversation from the documents; the messages before it say what it means.

    Citations are in the text, and as annotations. A stream tells the hops as `reasoning_content`, and there also the
    draft that a language model writes: what is said as `content` cannot be taken back, and so it is checked before.
    """
    body.check()
    *before, last = body.messages
    if last.role != "user":
        raise UsageError("The last message is not the user's, so nothing is asked.")
    question = allowed(last.text, service)
    service.turns.check()
    strategy = await run_in_threadpool(workspace.engine.strategy_for, named(body.model.removeprefix(PREFIX)))
    asked = Asked(
        question=question,
        strategy=strategy,
        thread=thread_of(
            (turn.role, uncited(turn.text) if turn.role == "assistant" else turn.text)
            for turn in before
            if turn.role in ("user", "assistant")
        ),
    )
    serving = service.settings.server
    base_url = f"{serving.site or str(request.base_url.replace(path=''))}{serving.prefix}/"
    told = _Told(f"chatcmpl-{uuid.uuid4().hex[:16]}", body.model, base_url)
    if body.stream:
        usage = body.stream_options is not None and bool(body.stream_options.include_usage)
        events = await streamed(asked, workspace, service, request)
        chunks = _chunks(told, events, request_id_of(request), usage=usage)
        return StreamingResponse(chunks, media_type=STREAM, headers=UNBUFFERED)
    return Completed.model_validate(told.completion(await answered(asked, workspace, service, request)))


class _Told:
    """One completion, as it is told."""

    def __init__(self, name: str, model: str, base_url: str) -> None:
        self.frame = {"id": name, "created": int(time.time()), "model": model}
        self.base_url = base_url

    def completion(self, answer: Answer) -> dict[str, Any]:
        """The whole of it."""
        said = self.said(answer)
        message = {"role": "assistant", "content": said.text, "refusal": None, "annotations": said.annotations}
        choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
        return {**self.frame, "choices": [choice], "usage": _usage(answer)}

    def said(self, answer: Answer) -> CitedText:
        """The answer as text with its citations."""
        return cited(answer, self.base_url)

    def chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        """A piece of it."""
        choice = {"index": 0, "delta": dict(delta), "finish_reason": finish, "logprobs": None}
        return self.event({"choices": [choice]})

    def event(self, content: Mapping[str, Any]) -> bytes:
        """An event of the stream."""
        whole = {**self.frame, "object": "chat.completion.chunk", **content}
        return format_sse_event(data_str=json.dumps(whole, ensure_ascii=False))


async def _chunks(told: _Told, events: Telling, request_id: str, *, usage: bool) -> AsyncIterator[bytes]:
    lines: set[str] = set()  # a hop may be told again with nothing new
    try:
        async with aclosing(events):
            yield told.chunk({"role": "assistant", "content": ""})
            async for event in events:
                if event is None:
                    continue
                if isinstance(event, ToldHop):
                    line = hop_in_words(event.hop)
                    if line not in lines:
                        lines.add(line)
                        yield told.chunk({"reasoning_content": line + "\n"})
                    continue
                if isinstance(event, ToldDraft):
                    yield told.chunk({"reasoning_content": draft_in_words(event.start, event.text)})
                    continue
                said = told.said(event)
                yield told.chunk({"content": said.text})
                yield told.chunk({"annotations": said.annotations}, finish="stop")
                if usage:
                    yield told.event({"choices": [], "usage": _usage(event)})
    except Exception as error:  # noqa: BLE001  # it is logged, and told within the stream
        body = openai_body(shape_in_stream(error, request_id))
        yield format_sse_event(data_str=json.dumps(body, ensure_ascii=False))
    yield format_sse_event(data_str="[DONE]")


def _usage(answer: Answer) -> dict[str, int]:
    cost = answer.evidence.cost
    return {
        "prompt_tokens": cost.prompt_tokens,
        "completion_tokens": cost.completion_tokens,
        "total_tokens": cost.tokens,
    }
