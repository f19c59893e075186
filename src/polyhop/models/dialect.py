"""What an OpenAI-compatible server understands: the request as it likes it, learnt from what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from polyhop.ports import Message

JsonMode = Literal["schema", "object", "text"]

OPTIONS = ("temperature", "top_p", "seed", "reasoning_effort")  # parameters that a server may not know
_WEAKER: Mapping[JsonMode, JsonMode] = {"schema": "object", "object": "text"}
_ABOUT_FORMAT = re.compile(
    r"response_?format|json_(?:schema|object)|structured.?output|guided|grammar|schema", re.IGNORECASE
)
_ABOUT_STREAMS = re.compile(r"\bstream", re.IGNORECASE)
_USAGE = "stream_options"  # asks for the tokens at the end of a stream
_UNPORTABLE = frozenset({"minLength"})  # strict servers refuse it; we check it ourselves

_IN_WORDS = """Answer with one JSON value and nothing before or after it. It has to obey this JSON Schema:
{schema}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a request is written: JSON mode, name of the token limit, parameters left out, whether replies stream."""

    json_mode: JsonMode = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    left_out: frozenset[str] = frozenset()
    streams: bool = True

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        max_tokens: int,
        schema: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        *,
        heard: bool = False,
    ) -> dict[str, Any]:
        """The request as plain JSON values; ``options``: parameters such as the temperature, None for unset.

        ``heard``: somebody listens to the reply, so that it is to be streamed.
        """
        content: dict[str, Any] = {"model": model, "stream": heard, self.limit: max_tokens}
        if heard and _USAGE not in self.left_out:
            content[_USAGE] = {"include_usage": True}
        content |= {key: value for key, value in options.items() if value is not None and key not in self.left_out}
        spoken = messages if schema is None or self.json_mode == "schema" else _with_schema(messages, schema)
        content["messages"] = [{"role": message.role, "content": message.content} for message in spoken]
        if schema is not None and self.json_mode == "schema":
            strict = {"name": "answer", "strict": True, "schema": _portable(schema)}
            content["response_format"] = {"type": "json_schema", "json_schema": strict}
        elif schema is not None and self.json_mode == "object":
            content["response_format"] = {"type": "json_object"}
        return content

    def after_refusal(self, words: str, *, structured: bool, heard: bool = False) -> Dialect | None:
        """What to try once the server has refused a request with these words; None where they are about something else.

        Each step gives something up for good, so that there are at most nine.
        """
        if self.limit == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        for parameter in (*OPTIONS, *([_USAGE] if heard else [])):
            if parameter not in self.left_out and re.search(rf"\b{parameter}\b", words):
                return replace(self, left_out=self.left_out | {parameter})
        if structured and self.json_mode in _WEAKER and _ABOUT_FORMAT.search(words):
            return replace(self, json_mode=_WEAKER[self.json_mode])
        if heard and _ABOUT_STREAMS.search(words):
            return replace(self, streams=False)
        return None


def _with_schema(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    wish = _IN_WORDS.format(schema=json.dumps(schema, ensure_ascii=False))
    if messages and messages[0].role == "system":
        return [Message("system", f"{messages[0].content}\n\n{wish}"), *messages[1:]]
    return [Message("system", wish), *messages]


def _portable(schema: Any) -> Any:
    """A schema as strict servers take it: they want every property to be required, also what we can do without."""
    if isinstance(schema, Mapping):
        portable = {key: _portable(value) for key, value in schema.items() if key not in _UNPORTABLE}
        if "required" in portable and isinstance(portable.get("properties"), dict):
            portable["required"] = list(portable["properties"])
        return portable
    return [_portable(item) for item in schema] if isinstance(schema, (list, tuple)) else schema
