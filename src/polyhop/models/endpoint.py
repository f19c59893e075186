"""A language model behind an OpenAI-compatible HTTP endpoint: OpenAI, Ollama, vLLM, llama.cpp and many others."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.models.accounting import Meter, Prices, Request, WastedOutput, estimated_prompt, estimated_tokens
from polyhop.models.cache import CachedResponse, ResponseCache, cache_key
from polyhop.models.dialect import OPTIONS, Dialect, JsonMode
from polyhop.models.heard import HeardEnough, ReplyListener
from polyhop.models.repetition import GoesRound, StopsCircles
from polyhop.models.reply import Reply
from polyhop.models.streamed_reply import StreamedReply, joined_pairs, text_in, thoughts_in
from polyhop.models.transport import Served
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.types import Cost

log = logging.getLogger(__name__)

_REFUSALS = frozenset({400, 404, 415, 422, 500, 501})  # with these, servers say which part of a request they cannot do
_NO_MODEL = 404  # no model of that name, or no such address: never about the stream
_UNWELCOME = frozenset({401, 402, 403})  # with these they say that they do not want to serve us
_OVERFLOW = re.compile(
    r"context.{0,30}(length|window|size|limit)|n_ctx|prompt is too long|too many (input )?tokens", re.IGNORECASE
)
_MOST_TOKENS = 1_000_000_000  # of one call: who tells more has not counted
_CIRCLES = "circles"  # how a reply ended that we ended, since it said the same again and again
_NOTEWORTHY_PROMPT = 1000  # tokens: a server that read less than half of so much has cut the prompt


@dataclass(frozen=True, kw_only=True)
class OpenAICompatible(Served):
    """A model served over ``POST base_url/chat/completions``, by default at temperature 0 with a fixed seed.

    Threads may share it. ``meter`` tells what was spent; paid answers are kept in ``cache``, a folder, before they are
    used. Waits are seconds; prices are for a million tokens; a cap of None is no cap, and of ``temperature``,
    ``top_p``, ``seed`` and ``reasoning_effort`` only what is set is sent.
    """

    path: ClassVar[str] = "/chat/completions"
    example: ClassVar[str] = "http://localhost:11434/v1"
    section: ClassVar[str] = "language_model"

    model: str  # its name there
    timeout: float = 120.0  # for one answer; five times as long while it is being written; twice as long the next time
    attempts: int = 10  # of a request, at most; four where nothing has ever answered
    patience: float = 300.0  # no attempt begins later than this after the first
    json_mode: JsonMode = "schema"  # how JSON is asked for; where the server refuses, in the next of these ways
    temperature: float | None = 0.0  # 0: the likeliest words
    top_p: float | None = None  # share of the likeliest words that are drawn from
    seed: int | None = 0  # with the same one a server that can do so draws the same
    reasoning_effort: str | None = None  # such as low, medium or high, where the model knows it
    max_tokens: int | None = None  # of each answer, instead of what the task allows
    reasoning_tokens: int = 0  # allowed on top of each answer: what a model spends on thinking before it answers
    max_context: int | None = None  # tokens; None where unknown
    prompt_price: float = 0.0  # of what is sent
    completion_price: float = 0.0  # of what is written
    call_cap: int | None = None  # requests
    token_cap: int | None = None  # of prompts and answers together
    money_cap: float | None = None  # at these prices
    cache: str | None = None  # the folder that answers are kept in (where unset, the one of the models); none: nowhere
    meter: Meter = field(init=False, repr=False, compare=False)
    _cache: ResponseCache | None = field(init=False, repr=False, compare=False)
    _learnt: _Learnt = field(init=False, repr=False, compare=False)
    _listener: ReplyListener | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_settings(self)
        self._have(
            meter=Meter(calls=self.call_cap, tokens=self.token_cap, money=self.money_cap),
            _cache=ResponseCache(self.cache) if self.cache else None,
            _learnt=_Learnt(Dialect(json_mode=self.json_mode)),
        )

    @property
    def name(self) -> str:
        """Model and host, as in ``qwen3:8b@localhost:11434``."""
        return f"{self.model}@{super().name}"

    @property
    def prices(self) -> Prices:
        """What a million tokens cost."""
        return Prices(prompt=self.prompt_price, completion=self.completion_price)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """One completion. With ``schema`` the server is asked for JSON that obeys it.

        Raises EndpointError, BudgetExceeded, and OutputInvalid: an empty answer, or one cut off, by the server at
        ``max_tokens`` or by us where it goes round in circles.
        """
        request = Request(messages=tuple(messages), max_tokens=max_tokens, schema=schema)
        key = self._key(request)
        if self._cache is None:
            return self._paid(request)
        kept = self._cache.get(key)
        if kept is None:
            with self._cache.after_others(key):
                kept = self._cache.get(key)
                if kept is None:
                    return self._paid(request, key)
        return self._usable(kept, request, Cost())

    def steady(self) -> LanguageModel:
        """The same endpoint, which takes the likeliest words: what is judged twice is to be judged alike."""
        if not self.temperature and self.top_p is None:
            return self
        likeliest = copy(self)  # which shares the meter, the cache and the connections
        likeliest._have(temperature=None if self.temperature is None else 0.0, top_p=None)
        return likeliest

    def heard_by(self, listener: ReplyListener) -> LanguageModel:
        """The same endpoint, which tells a listener what it writes; ``complete`` then raises HeardEnough, too."""
        heard = copy(self)  # as above
        heard._have(_listener=listener)
        return heard

    def _paid(self, request: Request, key: bytes = b"") -> Completion:
        """What the server makes of a request, and kept under the key before it is used."""
        expected = self.most(request)
        if self.max_context is not None and expected.tokens > self.max_context:
            said = f"about {expected.tokens:,} tokens do not fit into the {self.max_context:,} of max_context"
            raise self._overflow(said)
        with self._slots, self.meter.holding(expected) as hold:
            began = time.monotonic()

            def cost_of(text: str) -> Cost:
                return self.prices.of(expected.prompt_tokens, estimated_tokens(text))

            try:
                reply = self._ask(request, lambda text: self.meter.repeat(hold, cost_of(text)))
                response = self._read(reply, expected)
            except HeardEnough as enough:
                hold.spent = cost_of(enough.came)
                enough.cost = hold.broken + hold.spent
                if not isinstance(enough.reason, GoesRound):
                    raise
                tokens = expected.prompt_tokens, hold.spent.completion_tokens
                response = CachedResponse(enough.text, _CIRCLES, *tokens)
            except (EndpointError, BudgetExceeded) as error:
                error.cost = hold.broken
                raise
            hold.spent = self.prices.of(
                response.prompt_tokens, response.completion_tokens, seconds=time.monotonic() - began
            )
            if self._cache and (response.text.strip() or response.finish == "length"):
                self._cache.put(key, self.name, response)
        return self._usable(response, request, hold.broken + hold.spent)

    def listed(self) -> tuple[str, ...] | None:
        """The models that the server says it has, None where it has no such list; asked once, and costs nothing.

        Raises EndpointError where nobody answers, the key is refused, or it is a server of another kind.
        """
        reply = self._transport.look(f"{self.base_url}/models")
        if reply.status in _UNWELCOME or (reply.status >= 500 and reply.status not in _REFUSALS):
            raise self._refused(reply)
        content = reply.json()
        if reply.ok and content is None:
            raise self._no_api(reply, "a list of models")
        rows = content.get("data") if isinstance(content, dict) else None
        return tuple(str(row.get("id")) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else None

    def forecast(self, requests: Iterable[Request]) -> Cost:
        """The most that requests would cost now; those whose answers are kept cost nothing."""
        unknown = (one for one in requests if not (self._cache and self._cache.get(self._key(one))))
        return sum(map(self.most, unknown), Cost())

    def close(self) -> None:
        """Close the connections and the cache; the next use opens them again."""
        super().close()
        if self._cache:
            self._cache.close()

    def _key(self, request: Request) -> bytes:
        turns = [[message.role, message.content] for message in request.messages]
        limits = [self._longest(request), self.reasoning_tokens, self.seed, self.json_mode]
        others = [self.temperature, self.top_p, self.reasoning_effort]
        unusual = [others] if others != [0.0, None, None] else []
        return cache_key(1, self.base_url, self.model, turns, request.schema, limits, *unusual)

    @property
    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in OPTIONS}

    def _longest(self, request: Request) -> int:
        return request.max_tokens if self.max_tokens is None else self.max_tokens

    def most(self, request: Request) -> Cost:
        """The most that one request may cost: its prompt, and all that the model may think and write."""
        prompt = estimated_prompt(request.messages, request.schema)
        return self.prices.of(prompt, self._longest(request) + self.reasoning_tokens)

    def _ask(self, request: Request, broken: Callable[[str], None]) -> Reply:
        allowed = self._longest(request) + self.reasoning_tokens
        structured = request.schema is not None
        listener: ReplyListener | None = StopsCircles(self._listener) if structured else self._listener
        while True:
            dialect = self._learnt.dialect
            heard = listener is not None and dialect.streams
            arriving = partial(StreamedReply, listener) if listener is not None and heard else None
            body = dialect.body(self.model, request.messages, allowed, request.schema, self._options, heard=heard)
            unproven = heard and not self._learnt.has_streamed  # what is refused may be the stream
            final = partial(self._is_final, unproven=unproven)
            reply = self._transport.post(json.dumps(body).encode("ascii"), final, arriving, broken)
            if reply.ok:
                self._learnt.has_streamed |= heard
                return reply
            if reply.status in _REFUSALS and not _OVERFLOW.search(reply.words):
                easier = dialect.after_refusal(reply.words, structured=structured, heard=heard)
                if self._learnt.replaced(dialect, easier):
                    log.info("%s refused a part of the request and is asked without it: %s", self.name, reply.told)
                    continue
                if unproven and reply.status != _NO_MODEL:  # not explained: this once it is asked for a whole reply
                    listener = None
                    continue
            raise self._refused(reply)

    def _is_final(self, reply: Reply, *, unproven: bool) -> bool:
        """Whether there is no use in repeating a request that failed in a way that usually passes."""
        if reply.status == 429:
            return reply.no_credit
        if reply.status not in _REFUSALS:
            return False
        easier = self._learnt.dialect.after_refusal(reply.words, structured=True)
        return unproven or easier is not None or _OVERFLOW.search(reply.words) is not None

    def _refused(self, reply: Reply) -> EndpointError:
        if _OVERFLOW.search(reply.words):
            return self._overflow(reply.told)
        remedies = {
            401: "Set POLYHOP_API_KEY to a key that this endpoint accepts.",
            402: "The endpoint wants to be paid: check the account's credit.",
            403: "Set POLYHOP_API_KEY to a key that may use this model.",
            404: f"Check that the endpoint serves a model named {self.model!r} and that its address ends as in .../v1.",
            413: "Ask about fewer or shorter passages.",
        }
        if 300 <= reply.status < 400:
            leads = reply.headers.get("location", "it does not say")
            remedies[reply.status] = f"Set the address to where it leads: {leads}."
        return self._refusal(reply, remedies)

    def _overflow(self, words: str) -> EndpointError:
        return EndpointError(
            f"The prompt is too long for {self.name}: {words}",
            remedy="Lower budget.tokens or budget.passages, or serve the model with a larger context window "
            "(Ollama: OLLAMA_CONTEXT_LENGTH).",
            status=413,
        )

    def _no_api(self, reply: Reply, wanted: str = "a completion") -> EndpointError:
        kind = reply.headers.get("content-type", "no content type").partition(";")[0]
        return EndpointError(
            f"{self.name} did not answer with {wanted} but with {kind}: {reply.told[:200]}",
            remedy="Check that its address is that of an OpenAI-compatible API, which often ends in /v1.",
            status=reply.status,
        )

    def _read(self, reply: Reply, expected: Cost) -> CachedResponse:
        content = reply.json()
        choices = content.get("choices") if isinstance(content, dict) else None
        usage = content.get("usage") if isinstance(content, dict) else None
        counts = usage if isinstance(usage, dict) else {}
        prompt_tokens, completion_tokens = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
        if choices == [] and prompt_tokens is not None:  # what a filter leaves of an answer that is paid for
            choices = [{"message": {}}]
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if not isinstance(first, dict) or not isinstance(message, dict):
            raise self._no_api(reply)
        text = joined_pairs(text_in(message))
        if prompt_tokens is None or completion_tokens is None:
            self._learnt.warn_once(
                "usage", f"{self.name} does not say how many tokens it used: counted as a quarter of the bytes."
            )
        elif prompt_tokens < expected.prompt_tokens / 2 and expected.prompt_tokens > _NOTEWORTHY_PROMPT:
            self._learnt.warn_once(
                "window",
                f"{self.name} read {prompt_tokens:,} tokens of a prompt of about {expected.prompt_tokens:,}: its "
                "context window may be too small (Ollama: OLLAMA_CONTEXT_LENGTH).",
            )
        return CachedResponse(
            text=text,
            finish=str(first.get("finish_reason") or ""),
            prompt_tokens=expected.prompt_tokens if prompt_tokens is None else prompt_tokens,
            completion_tokens=_estimated(message) if completion_tokens is None else completion_tokens,
        )

    def _usable(self, response: CachedResponse, request: Request, cost: Cost) -> Completion:
        if response.finish == _CIRCLES:
            said = f"{self.name} said the same again and again, and was stopped."
            raise WastedOutput(said, text=response.text, cost=cost, remedy="Use a larger model.")
        if response.finish == "length":
            raise WastedOutput(
                f"{self.name} was cut off after {self._longest(request) + self.reasoning_tokens:,} tokens.",
                text=response.text,
                cost=cost,
                remedy="If the model thinks before it answers, raise language_model.reasoning_tokens.",
            )
        if not response.text.strip():
            reason = f" (it ended with {response.finish!r})" if response.finish else ""
            raise WastedOutput(f"{self.name} gave an empty answer{reason}.", cost=cost, remedy="Try another model.")
        return Completion(response.text, cost)


class _Learnt:
    """What an endpoint has taught us so far; threads share it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.has_streamed = False  # or has granted that it would
        self._lock = threading.Lock()
        self._warned: set[str] = set()

    def replaced(self, refused: Dialect, easier: Dialect | None) -> bool:
        """Give up what was refused, unless another thread has already; whether it is worth asking again."""
        with self._lock:
            if self.dialect == refused and easier is not None:
                self.dialect = easier
            return self.dialect != refused

    def warn_once(self, subject: str, message: str) -> None:
        """Log a warning the first time that a subject comes up."""
        with self._lock:
            if subject not in self._warned:
                log.warning("%s", message)
            self._warned.add(subject)


def _check_settings(endpoint: OpenAICompatible) -> None:
    if not endpoint.model.strip():
        raise ValueError("model must not be empty")
    if (endpoint.temperature or 0) < 0 or not 0 < (1 if endpoint.top_p is None else endpoint.top_p) <= 1:
        raise ValueError("temperature must be at least 0, and top_p more than 0 and at most 1")
    if endpoint.max_tokens is not None and endpoint.max_tokens < 1:
        raise ValueError("max_tokens must be at least 1, or none")


def _estimated(message: Mapping[str, Any]) -> int:
    """About how many tokens a model wrote, with its thoughts."""
    return estimated_tokens(thoughts_in(message) + text_in(message))


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    """How many tokens a server counted; None where it did not: some say 0 then, or before they begin."""
    number = usage.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _MOST_TOKENS else None
