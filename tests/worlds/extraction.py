"""Passages with the facts that they state, and a language model that knows these facts."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from polyhop.errors import ModelError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Completion, Message
from polyhop.types import Cost, Passage
from tests.worlds.endpoint import EndpointServer, Played, Script, says, serving

TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "Fennick": "Fennick is a town on the River Oar. It is known for its glass and its late trains.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "River Oar": "The River Oar rises above Fennick. It was bridged by Piet Rook.",
}

KNOWN = {
    "Quillmouth": [("lighthouse", "was built by", "Ada Brisk", "Its lighthouse was built by Ada Brisk")],
    "Ada Brisk": [("Ada Brisk", "was born in", "Fennick", "She was born in Fennick")],
    "Fennick": [("Fennick", "lies on", "River Oar", "Fennick is a town on the River Oar")],
    "Tarn School": [("The Tarn School", "was founded by", "Piet Rook", "The Tarn School was founded by Piet Rook")],
    "River Oar": [("River Oar", "was bridged by", "Piet Rook", "It was bridged by Piet Rook")],
}


def passage(title: str, text: str) -> Passage:
    """A passage that is its own document."""
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


PASSAGES = [passage(title, text) for title, text in TEXTS.items()]


def item(head: str, relation: str, tail: str, evidence: str, number: int = 1) -> dict[str, object]:
    """A fact as the model writes it."""
    return {"passage": number, "head": head, "relation": relation, "tail": tail, "evidence": evidence}


def titles_in(request: Mapping[str, Any]) -> list[str]:
    """The titles of the passages that a request shows, in the order of their numbers."""
    prompt = request["messages"][1]["content"]
    return re.findall(r"<<<PASSAGE \d+ [0-9a-f]+>>>\nTitle: (.*)\n", prompt)


def known_of(request: Mapping[str, Any]) -> str:
    """The facts above that the passages of a request state, as JSON."""
    titles = enumerate(titles_in(request), 1)
    return json.dumps({"facts": [item(*one, number) for number, title in titles for one in KNOWN[title]]})


def knowing(spoilt: Mapping[str, Played] = {}) -> Script:
    """A model that knows the facts above; where a spoilt passage is in the prompt, it answers as given there."""

    def script(request: Mapping[str, Any]) -> Played:
        answers = [spoilt[title] for title in titles_in(request) if title in spoilt]
        return answers[0] if answers else says(known_of(request))

    return script


@contextmanager
def model_that(script: Script | Played, **settings: Any) -> Iterator[tuple[OpenAICompatible, EndpointServer]]:
    """A model that plays a script, and waits only milliseconds between attempts."""
    quick: dict[str, Any] = {"first_wait": 0.001, "longest_wait": 0.002, "attempts": 2, "concurrency": 1}
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", **{**quick, **settings}) as one:
        yield one, server


@dataclass
class Plain:
    """A model that knows nothing of concurrency, caps or forecasts, and reads no long prompts."""

    name: str = "plain"
    longest: int = 100_000
    threads: set[str] = field(default_factory=set)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """An empty list of facts."""
        if len(messages[-1].content) > self.longest:
            raise ModelError("The conversation is too long.")
        self.threads.add(threading.current_thread().name)
        return Completion('{"facts": []}', Cost(llm_calls=1))
