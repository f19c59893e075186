"""A completion that an endpoint streams: server-sent events, put together to what they make as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from polyhop.models.heard import HeardEnough, ReplyListener
from polyhop.models.reply import Reply, json_in


@dataclass
class StreamedReply:
    """Takes the bytes of one reply as they arrive, and tells a listener the text in them.

    A reply that came whole passes as it is. What makes a stream is what it says, not its content type: each event is a
    line ``data: {...}``, and the last one says ``[DONE]`` (https://platform.openai.com/docs/api-reference/chat).
    """

    listener: ReplyListener
    text: str = ""  # all that was told
    done: bool = False  # whether the server has said that this is all
    thoughts: str = ""  # that the server tells apart from it; nobody hears them
    _line: bytearray = field(default_factory=bytearray, repr=False)
    _events: int = 0
    _garbled: bool = False  # a piece of the reply cannot be read
    _half: str = ""  # of a surrogate pair whose other half is to come
    _finish: str = ""
    _usage: Mapping[str, Any] = field(default_factory=dict)
    _error: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self._tell(self.listener.begins)

    @property
    def came(self) -> str:
        """What the model has written by now."""
        return self.thoughts + self.text

    def take(self, chunk: bytes) -> None:
        """Some more bytes of the reply. Raises HeardEnough where the listener raises something."""
        self._line += chunk
        if b"\n" not in chunk:
            return
        *lines, self._line = self._line.split(b"\n")
        for line in lines:
            self._event(bytes(line).strip())

    def whole(self, reply: Reply) -> Reply | None:
        """The reply as though it had come whole, once all of it was taken; None where the stream broke off."""
        self._event(bytes(self._line).strip())
        streams = reply.headers.get("content-type", "").startswith("text/event-stream")
        if not reply.ok or not (self._events or streams):
            return reply
        if self._error is not None:
            return Reply(reply.status, reply.headers, json.dumps({"error": self._error}).encode("ascii"))
        if self._garbled or not (self.done or self._finish):
            return None
        message = {"role": "assistant", "content": self.text + self._half, "reasoning_content": self.thoughts}
        content = {"choices": [{"finish_reason": self._finish, "message": message}], "usage": self._usage}
        return Reply(reply.status, reply.headers, json.dumps(content).encode("ascii"))

    def _event(self, line: bytes) -> None:
        """A line of the stream; those that are no data, as comments that keep a connection alive, say nothing."""
        if not line.startswith(b"data:"):
            return
        data = line.removeprefix(b"data:").strip()
        self._events += 1
        if data == b"[DONE]":
            self.done = True
            return
        try:
            content = json_in(data)
        except (ValueError, RecursionError):
            self._garbled |= data.startswith(b"{")  # else it says nothing, such as "ping"
            return
        if isinstance(content, dict):
            self._content(content)

    def _content(self, content: Mapping[str, Any]) -> None:
        error, usage = content.get("error"), content.get("usage")
        if error:
            self._error = error if isinstance(error, dict) else {"message": str(error)}
        if isinstance(usage, dict) and usage:
            self._usage = usage
        choices = content.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict):
            self._finish = str(first.get("finish_reason") or "") or self._finish
            delta = first.get("delta") or first.get("message")  # some servers close with the whole message
            if isinstance(delta, dict) and not (self.text and "delta" not in first):
                self.thoughts += thoughts_in(delta)
                self._hear(text_in(delta))

    def _hear(self, piece: str) -> None:
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        whole = joined_pairs(piece[: len(piece) - len(self._half)])
        if whole:
            self.text += whole
            self._tell(lambda: self.listener.hears(whole))

    def _tell(self, what: Callable[[], None]) -> None:
        try:
            what()
        except Exception as reason:
            raise HeardEnough(reason, self.text, self.came) from reason


def text_in(message: Mapping[str, Any]) -> str:
    """What a message, or a piece of one, says; some servers say it in parts."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def thoughts_in(message: Mapping[str, Any]) -> str:
    """What a message, or a piece of one, says of the model's thoughts in a field of their own, which has two names."""
    found = message.get("reasoning_content") or message.get("reasoning")
    return found if isinstance(found, str) else ""


def joined_pairs(text: str) -> str:
    """The text with the halves of surrogate pairs joined, and none alone: it could not be stored."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
