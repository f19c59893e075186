"""Streams with a language model: the draft while it is written, then the answer as it was checked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import EndpointServer, Played, says, streamed
from tests.worlds.sage import sage
from tests.worlds.serving import Served, parsed, with_a_language_model

ASKED = {"question": BRIDGE, "strategy": "bm25", "stream": True}


@pytest.fixture(scope="module")
def served_with_model(world_index: Path) -> Iterator[tuple[Served, EndpointServer]]:
    """The world, served with a language model; not to be changed."""
    with with_a_language_model(world_index, sage) as both:
        yield both


@pytest.fixture
def served(served_with_model: tuple[Served, EndpointServer]) -> Served:
    """That server."""
    return served_with_model[0]


@pytest.fixture
def model(served_with_model: tuple[Served, EndpointServer]) -> Iterator[EndpointServer]:
    """That endpoint, which may play another script for the time of a test."""
    served_with_model[1].requests.clear()
    yield served_with_model[1]
    served_with_model[1].script = sage


def test_a_stream_tells_the_draft_and_then_the_answer(served: Served) -> None:
    events = served.events("/v1/ask", ASKED)
    kinds = list(dict.fromkeys(event.kind for event in events))
    assert kinds == ["started", "draft", "answer", "citation", "done"]
    draft = ""
    for event in events:
        if event.kind == "draft":
            draft = draft[: event.data["start"]] + event.data["text"]
    assert draft == events[-1].data["answer"]["text"] == "Pellingrove"


def test_an_answer_at_once_has_no_draft(served: Served, model: EndpointServer) -> None:
    other = "In which place was the architect of Harrowmere Lighthouse born?"  # what was kept would not be asked
    reply = served.client.post("/v1/ask", json={**ASKED, "question": other, "stream": False})
    assert reply.headers["content-type"].startswith("application/json")
    assert reply.json()["answer"]["text"] == "Pellingrove"
    assert len(model.requests) == 1


def test_for_openais_clients_a_draft_is_thought_and_only_what_was_checked_is_said(served: Served) -> None:
    asked: Any = {"model": "polyhop/bm25", "messages": [{"role": "user", "content": f"Please: {BRIDGE}"}]}
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        chunks = list(client.chat.completions.create(stream=True, **asked))
        whole = client.chat.completions.create(**asked)
    deltas = [chunk.choices[0].delta for chunk in chunks]
    thought = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas)
    assert thought.endswith("\nA draft, not checked yet: Pellingrove")
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content


def test_whoever_leaves_in_the_middle_of_a_draft_stops_the_model(served: Served, model: EndpointServer) -> None:
    """The endpoint says the first words, and the rest only when nobody listens any more."""
    gone, cut = threading.Event(), threading.Event()
    answer = {
        "support": [],
        "found": True,
        "shape": "text",
        "answer": [{"text": "She was born in " * 200, "support": []}],
    }
    whole = streamed(says(json.dumps(answer)), at=40)

    def go_on(number: int) -> None:
        if number > 6:
            time.sleep(0.1)  # else all of it is on its way before anybody can hang up
        assert number < 6 or gone.wait(30.0)

    def script(_: dict[str, Any]) -> Played:
        return replace(whole, go_on=go_on, cut_off=cut)

    model.script = script
    body = {**ASKED, "question": "Where, then, was the architect of Harrowmere Lighthouse born?"}
    with served.client.stream("POST", "/v1/ask", json=body) as response:
        assert any(event.kind == "draft" for event in parsed(response.iter_lines()))
    gone.set()
    assert cut.wait(30.0), "the connection to the endpoint is closed"
