"""Questions over HTTP: the answer that the library gives, at once or hop by hop, and the best passages."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served, serving


def test_an_answer_is_that_of_the_library(client: httpx.Client, engine: Polyhop) -> None:
    response = client.post("/v1/ask", json={"question": BRIDGE, "strategy": "paths", "limit": 4})
    assert response.status_code == 200
    told, expected = response.json(), engine.ask(BRIDGE, strategy="paths").to_dict()
    assert told["id"].startswith("answer-")
    assert told["answer"]["text"] == expected["text"] == "Pellingrove"
    assert told["answer"]["citations"] == expected["citations"]
    assert told["answer"]["evidence"]["hops"] == json.loads(json.dumps(expected["evidence"]["hops"]))
    assert len(told["answer"]["evidence"]["passages"]) == 4


@pytest.mark.parametrize("strategy", registry.names("strategies"))
def test_a_stream_tells_the_hops_and_then_the_same_answer(served: Served, strategy: str) -> None:
    events = served.events("/v1/ask", {"question": BRIDGE, "strategy": strategy, "stream": True})
    kinds = list(dict.fromkeys(event.kind for event in events))
    answer = events[-1].data["answer"]
    assert [kind for kind in ("started", "hop", "answer", "citation", "done") if kind in kinds] == kinds
    assert events[0].data == {"id": events[-1].data["id"], "question": BRIDGE, "strategy": strategy}
    hops = {event.data.pop("position"): event.data for event in events if event.kind == "hop"}
    assert hops == dict(enumerate(answer["evidence"]["hops"])), "the last one told of a place holds"
    assert [event.data for event in events if event.kind == "citation"] == answer["citations"]
    short = next(event.data for event in events if event.kind == "answer")
    assert short == {"id": events[-1].data["id"]} | {key: answer[key] for key in short if key != "id"}
    once = served.client.post("/v1/ask", json={"question": BRIDGE, "strategy": strategy}).json()["answer"]
    assert (once["text"], once["citations"]) == (answer["text"], answer["citations"])


def test_the_best_passages_can_be_had_without_an_answer(client: httpx.Client, engine: Polyhop) -> None:
    found = client.post("/v1/search", json={"query": BRIDGE, "strategy": "hybrid", "limit": 3}).json()["passages"]
    expected = engine.search(BRIDGE, k=3, strategy="hybrid").passages
    assert [passage["id"] for passage in found] == [passage.id for passage in expected]
    assert [passage["score"] for passage in found] == [passage.score for passage in expected]


def test_a_passage_says_where_it_stands_as_a_citation_does(client: httpx.Client) -> None:
    wanted = {"query": "the Academy of Asperlow", "strategy": "bm25", "limit": 5}
    passages = client.post("/v1/search", json=wanted).json()["passages"]
    passage = next(each for each in passages if Path(each["uri"]).name == "academy_of_asperlow.pdf")
    assert (passage["page"], passage["line"], passage["where"]) == (1, None, "page 1")


def test_what_the_documents_do_not_say_is_no_error(client: httpx.Client) -> None:
    answer = client.post("/v1/ask", json={"question": "How deep is the Mariana Trench?"}).json()["answer"]
    assert (answer["status"], answer["text"]) == ("not found", None)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("content", "status", "kind"),
    [
        ({"question": "?!"}, 400, "usage_error"),
        ({"question": BRIDGE, "strategy": "pahts"}, 404, "unknown_component"),
        ({"question": BRIDGE, "strategy": "paths(depth=many)"}, 400, "setting_error"),
        ({"question": BRIDGE, "limit": 0}, 422, "invalid_request"),
        ({"question": BRIDGE, "colour": "red"}, 422, "invalid_request"),
        ({}, 422, "invalid_request"),
        ({"question": "why " * 250_000}, 413, "too_large"),
        ({"question": "why " * 1_000_000}, 413, "too_large"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_streamed(
    client: httpx.Client, content: dict[str, object], status: int, kind: str, stream: bool
) -> None:
    response = client.post("/v1/ask", json={**content, "stream": stream})
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (status, kind)
    assert error["message"]
    assert error["request_id"] == response.headers["x-request-id"]
    assert len(response.text) < 2000, "what was sent is not sent back"


@pytest.mark.parametrize("stream", [False, True])
def test_a_missing_layer_is_told_before_anything_is_streamed(harbour: Path, tmp_path: Path, stream: bool) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(harbour, layers=["text"])
    with serving(tmp_path / "an.index") as served:
        asked = served.client.post("/v1/ask", json={"question": BRIDGE, "strategy": "paths", "stream": stream})
        chat = {"model": "polyhop/paths", "messages": [{"role": "user", "content": BRIDGE}], "stream": stream}
        for response in (asked, served.client.post("/v1/chat/completions", json=chat)):
            error = response.json()["error"]
            assert (response.status_code, error["type"]) == (409, "layer_missing")
            assert error["remedy"] == "Make it with: polyhop index PATH... --layers text,parsekg"


@pytest.mark.parametrize("stream", [False, True])
def test_half_a_character_is_asked_as_a_question_mark(served: Served, stream: bool) -> None:
    half = "Who drew \ud800 Harrowmere Lighthouse?"
    before = [{"role": "user", "content": half}, {"role": "assistant", "content": half}]
    body = {"question": "And where was she \ud800 born?", "strategy": "bm25", "history": before, "stream": stream}
    headers = {"Content-Type": "application/json"}
    response = served.client.post("/v1/ask", content=json.dumps(body), headers=headers)
    assert response.status_code == 200
    assert "And where was she ? born?" in response.text
    assert "event: error" not in response.text
