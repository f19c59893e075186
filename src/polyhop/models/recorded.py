"""Every request to a language model and every reply, kept in a file; and a model that replies from such a file.

A line of the file is one request with its reply: ``{"model": ..., "messages": [[role, content], ...], "schema": ...,
"max_tokens": ..., "text": ..., "fault": ..., "cost": {...}, "prices": {...}, "beyond": ...}``. The last two say what a
request may cost at most, so that budgets refuse the same requests again; ``beyond`` is how many tokens the model may
write more than it is asked for, because it thinks.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from polyhop.errors import DatasetError, ModelMissing, UsageError
from polyhop.models.accounting import Prices, Request, WastedOutput, estimated_prompt
from polyhop.models.around import Around
from polyhop.models.cache import cache_key
from polyhop.models.heard import ReplyListener, heard_by
from polyhop.models.steady import steady
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.store import json_lines
from polyhop.types import Cost

_QUESTION: Final = re.compile(r"<<<QUESTION \w+>>>\n(.*?)\n<<<END", re.DOTALL)
_SHOWN: Final = 80  # characters of a request by which it is named


class NotRecorded(ModelMissing):
    """A request that a recording does not have."""


class Recorder(Around):
    """Passes requests on, and adds each of them with its reply to a file. Threads may share it."""

    def __init__(self, model: LanguageModel, file: Path) -> None:
        """Raises UsageError for a file that cannot be written."""
        super().__init__(model)
        self._file = file
        self._lock = threading.Lock()
        try:
            json_lines.append(file, [])
        except OSError as error:
            raise UsageError(f"Replies cannot be kept in {file}: {error}.") from error

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """What the model answers. Raises what it raises; an answer that is of no use is a reply like others."""
        request = Request(messages=messages, max_tokens=max_tokens, schema=schema)
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
        except WastedOutput as wasted:
            self._add(request, wasted.text, wasted.cost, fault=str(wasted))
            raise
        self._add(request, completion.text, completion.cost)
        return completion

    def steady(self) -> LanguageModel:
        """The same recording of a model that leaves nothing to chance, where it can be told so."""
        recorded = copy(self)
        recorded.model = steady(self.model)
        return recorded

    def heard_by(self, listener: ReplyListener) -> LanguageModel:
        """The same recording, with somebody who listens to the replies: a line holds the whole of one all the same."""
        heard = copy(self)
        heard.model = heard_by(self.model, listener)
        return heard

    def _add(self, request: Request, text: str, cost: Cost, fault: str = "") -> None:
        line = {
            "model": self.name,
            "messages": [[one.role, one.content] for one in request.messages],
            "schema": request.schema,
            "max_tokens": request.max_tokens,
            "text": text,
            "fault": fault,
            "cost": asdict(cost),
            "prices": asdict(self.prices),
            "beyond": self.most(request).completion_tokens - request.max_tokens,
        }
        with self._lock:
            json_lines.append(self._file, [line])


class Replay:
    """Replies as a recording has it, and to nothing else.

    Where one request was made several times, its replies come in their order, and the last of them from then on: the
    later ones may have cost nothing, because the first was kept.
    """

    def __init__(self, file: Path) -> None:
        """Raises UsageError for a file that cannot be read or is no recording."""
        self._file = file
        self._replies: dict[bytes, list[Mapping[str, Any]]] = {}
        self._lock = threading.Lock()
        self._beyond = 0
        self.prices = Prices()
        self.name = "nobody"
        self.missing: list[str] = []
        try:
            for line in [row.fields for row in json_lines.rows(file, appended=True)]:
                self.name = line["model"]
                messages = [Message(role, content) for role, content in line["messages"]]
                self._replies.setdefault(_key(messages, line["schema"]), []).append(line)
                self.prices, self._beyond = Prices(**line.get("prices", {})), line.get("beyond", 0)
        except (DatasetError, ValueError, KeyError, TypeError) as error:
            why = str(error).removesuffix(".")
            raise UsageError(
                f"{file} is no recording that can be read: {why}.", remedy="Make one with: polyhop eval --record FILE"
            ) from error

    def most(self, request: Request) -> Cost:
        """The most that one request may have cost when it was recorded."""
        return self.prices.of(estimated_prompt(request.messages, request.schema), request.max_tokens + self._beyond)

    def check(self) -> None:
        """Raises NotRecorded where a reply was missing, however the asker got on without it."""
        if self.missing:
            raise self._not_recorded(self.missing[0])

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The reply that was recorded. Raises NotRecorded, and WastedOutput where that was what came of it."""
        line = self._next(_key(messages, schema))
        if line is None:
            self.missing.append(_named(messages))
            raise self._not_recorded(self.missing[-1])
        cost = Cost(**line["cost"])
        if line["fault"]:
            raise WastedOutput(line["fault"], text=line["text"], cost=cost)
        return Completion(line["text"], cost)

    def _next(self, key: bytes) -> Mapping[str, Any] | None:
        with self._lock:
            lines = self._replies.get(key, [])
            return lines.pop(0) if len(lines) > 1 else lines[0] if lines else None

    def _not_recorded(self, request: str) -> NotRecorded:
        return NotRecorded(
            f"{self._file} has no reply to the request {request}",
            remedy="Record it anew with --record: prompts, settings or documents are not those of the recording.",
        )


def _key(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> bytes:
    return cache_key([[one.role, one.content] for one in messages], schema)


def _named(messages: Sequence[Message]) -> str:
    """A request in a line: what is asked for, and about which question."""
    task = " ".join(messages[0].content.split())[:_SHOWN]
    asked = _QUESTION.search(messages[-1].content)
    return f"“{task} …”" + (f" about “{' '.join(asked[1].split())[:_SHOWN]}”" if asked else "")
