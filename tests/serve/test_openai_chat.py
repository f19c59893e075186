"""The routes for OpenAI's clients, called with OpenAI's own client."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from polyhop import registry
from polyhop.conversation.thread import Thread
from polyhop.engine import Polyhop
from polyhop.errors import SettingError
from polyhop.serve.answering import thread_of
from polyhop.serve.cited import uncited
from polyhop.serve.keys import KeyRing
from polyhop.serve.places import Places
from polyhop.settings import Settings
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served, serving

ASKED = [{"role": "user", "content": BRIDGE}]


def complete(assistant: openai.OpenAI, **options: Any) -> Any:
    """What the client makes of a completion; its types depend on options that some tests give as variables."""
    create: Any = assistant.chat.completions.create
    return create(**options)


@pytest.fixture
def assistant(served: Served) -> Iterator[openai.OpenAI]:
    """OpenAI's client, which knows nothing of Polyhop."""
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_strategies_are_models(assistant: openai.OpenAI) -> None:
    assert [model.id for model in assistant.models.list()] == [
        f"polyhop/{name}" for name in registry.names("strategies")
    ]


def test_a_model_can_be_looked_up(assistant: openai.OpenAI) -> None:
    for name in ("polyhop/auto", "polyhop/paths(depth=30)"):
        assert assistant.models.retrieve(name).id == name
    with pytest.raises(openai.NotFoundError, match="no strategy named 'gpt'"):
        assistant.models.retrieve("gpt")


def test_a_conversation_goes_on_from_answers_as_they_were_said(assistant: openai.OpenAI) -> None:
    """Clients send back what they were told, citations and all; and what tools said, which is not used."""
    conversation: list[Any] = []
    for question, expected in (
        ("Who designed Harrowmere Lighthouse?", "Edda Marrish"),
        ("Where was she born?", "Pell"),
    ):
        conversation.append({"role": "user", "content": question})
        said = complete(assistant, model="polyhop/auto", messages=conversation).choices[0].message.content
        assert said.startswith(expected)
        assert "[1] “" in said
        conversation += [{"role": "assistant", "content": said}, {"role": "tool", "tool_call_id": "1", "content": "x"}]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Edda Marrish [1] [2]\n\n[1] “She drew it.” (Edda Marrish)\n[2] “Hers.” (Mill)", "Edda Marrish"),
        ("- rye [1]\n- oats [2]\n\n[1] “Rye.” (Mill)\n[2] “Oats.” (Mill)", "rye, oats"),
        ("Not found in these documents. What came closest: [1]\n\n[1] “Rye.” (Mill)", None),
        ("Not found in these documents.", None),
        ("In 1309", "In 1309"),
        ("See [a]: it is oak.", "See [a]: it is oak."),
    ],
)
def test_an_answer_is_known_again_without_its_citations(said: str, answer: str | None) -> None:
    assert uncited(said) == answer


def test_an_answer_is_known_again_at_once_however_many_lines_it_has() -> None:
    began = time.monotonic()
    assert uncited("\n" * 1_000_000 + "Edda Marrish") == "Edda Marrish"
    assert time.monotonic() - began < 5


def test_the_answer_comes_with_citations_that_lead_to_what_they_quote(
    assistant: openai.OpenAI, served: Served, engine: Polyhop
) -> None:
    completion = complete(assistant, model="polyhop/paths", messages=ASKED, temperature=0.3)
    message, expected = completion.choices[0].message, engine.ask(BRIDGE, strategy="paths")
    assert completion.choices[0].finish_reason == "stop"
    assert message.content is not None
    assert message.content.startswith(f"{expected.text} [1]")
    assert message.annotations is not None
    assert len(message.annotations) == len(expected.citations) > 0
    for annotation, citation in zip(message.annotations, expected.citations, strict=True):
        told = annotation.url_citation
        assert message.content[told.start_index : told.end_index].strip("[]").isdigit()
        assert told.title == citation.title
        assert served.client.get(told.url).json()["text"] == citation.quote
        assert " ".join(citation.quote.split())[:100] in message.content
    assert completion.usage is not None
    assert completion.usage.total_tokens == 0, "no language model was asked"


def test_behind_a_proxys_path_links_begin_with_it(world_index: Path) -> None:
    with serving(world_index, prefix="/poly") as served:
        body = {"model": "polyhop/bm25", "messages": ASKED}
        message = served.client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]
        urls = [each["url_citation"]["url"] for each in message["annotations"]]
        assert urls
        assert all(url.startswith(f"{served.url}/poly/v1/documents/") for url in urls)
        moved = served.client.get("/v1/status/?x=1")
        assert (moved.status_code, moved.headers["location"]) == (307, f"{served.url}/poly/v1/status?x=1")
        assert served.client.get("/openapi.json").json()["servers"] == [{"url": "/poly"}]


def test_behind_a_proxy_links_lead_to_its_site_and_everybody_needs_a_key(world_index: Path, tmp_path: Path) -> None:
    index = tmp_path / "polyhop.index"
    shutil.copytree(world_index, index)
    with serving(index, prefix="/poly", site="https://poly.example") as served, KeyRing(Places(index).keys) as keys:
        assert served.client.get("/v1/status").status_code == 401, "a proxy's requests come from this machine, too"
        written, _ = keys.add("Ada")
        headers = {"Authorization": f"Bearer {written}", "Origin": "https://poly.example"}
        body = {"model": "polyhop/bm25", "messages": ASKED}
        for host in ("poly.example", "127.0.0.1"):  # a proxy passes the name on, or does not
            told = served.client.post("/v1/chat/completions", json=body, headers={**headers, "Host": host}).json()
            urls = [each["url_citation"]["url"] for each in told["choices"][0]["message"]["annotations"]]
            assert urls
            assert all(url.startswith("https://poly.example/poly/v1/documents/") for url in urls)
        moved = served.client.get("/v1/status/?x=1", headers=headers)
        assert moved.headers["location"] == "https://poly.example/poly/v1/status?x=1"
        other = served.client.get("/v1/status", headers={**headers, "Origin": "https://other.example"})
        assert other.status_code == 403


@pytest.mark.parametrize("site", ["poly.example", "https://poly.example/", "ftp://poly.example", "https://"])
def test_a_site_that_is_no_scheme_and_host_is_refused(site: str) -> None:
    with pytest.raises(SettingError, match="site must be a scheme and a host"):
        Settings.from_mapping({"server": {"site": site}})


@pytest.mark.parametrize("prefix", ["poly", "/poly/", "/", "//other.example", "/a b"])
def test_a_prefix_that_is_no_path_is_refused(prefix: str) -> None:
    with pytest.raises(SettingError, match="prefix must be a path"):
        Settings.from_mapping({"server": {"prefix": prefix}})


def test_turns_without_text_and_options_without_value_are_let_pass(assistant: openai.OpenAI) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    turns = [
        {"role": "user", "content": "Who designed Harrowmere Lighthouse?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not say."}]},
        *ASKED,
    ]
    completion = complete(assistant, model="polyhop/bm25", messages=turns, stream=None)
    assert completion.choices[0].message.content
    options = {"stream": True, "stream_options": {"include_usage": None}}
    chunks = list(complete(assistant, model="polyhop/bm25", messages=turns, **options))
    assert all(chunk.usage is None for chunk in chunks)


@pytest.mark.parametrize(
    "wanted",
    [
        {"n": 2},
        {"logprobs": True},
        {"response_format": {"type": "json_object"}},
        {"tools": [{"type": "function", "function": {"name": "look"}}], "tool_choice": "required"},
        {"functions": [{"name": "look"}], "function_call": {"name": "look"}},
        {"modalities": ["text", "audio"]},
    ],
)
def test_what_cannot_be_given_is_refused(assistant: openai.OpenAI, wanted: dict[str, Any]) -> None:
    with pytest.raises(openai.BadRequestError, match=f"cannot be asked for: {list(wanted)[-1]}") as refused:
        complete(assistant, model="polyhop/bm25", messages=ASKED, **wanted)
    assert "POST /v1/ask" in refused.value.response.json()["error"]["remedy"]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            {"type": "image_url", "image_url": {"url": "data:,"}},
            "a part of the type 'image_url' is not read, only those",
        ),
        ({"text": "Who?"}, "a part of the type 'None' is not read, only those of the types text and refusal"),
        ({"type": "x" * 5000}, "xxx...' is not read"),
        ({"type": "text"}, "messages.0.content.0.text.text: Field required"),
    ],
)
def test_a_part_that_is_not_read_is_refused_with_those_that_are(
    assistant: openai.OpenAI, part: dict[str, Any], message: str
) -> None:
    turn = {"role": "user", "content": [part, {"type": "text", "text": "Who?"}]}
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        complete(assistant, model="polyhop/bm25", messages=[turn])
    told = refused.value.response.json()["error"]["message"]
    assert message in told
    assert "[" not in told, "names of the code"
    assert len(told) < 300


def test_what_changes_nothing_is_let_pass(assistant: openai.OpenAI) -> None:
    wanted = {"n": 1, "response_format": {"type": "text"}, "tool_choice": "auto", "seed": 7, "logprobs": False}
    assert complete(assistant, model="polyhop/bm25", messages=ASKED, **wanted).choices[0].message.content


def test_a_stream_says_the_same(assistant: openai.OpenAI) -> None:
    whole = complete(assistant, model="polyhop/stepchain", messages=ASKED)
    stream = complete(
        assistant,
        model="polyhop/stepchain",
        messages=ASKED,
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert any("reasoning_content" in (delta.model_extra or {}) for delta in deltas), "the hops"
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_stream_tells_each_hop_once_and_in_words(assistant: openai.OpenAI) -> None:
    asked = [{"role": "user", "content": "Which is older, Harrowmere Lighthouse or the Long Bridge?"}]
    deltas = [
        chunk.choices[0].delta for chunk in complete(assistant, model="polyhop/auto", messages=asked, stream=True)
    ]
    told = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas).splitlines()
    assert len(told) == len(set(told)) > 0
    assert "How old is the Long Bridge? → 1297" in told
    assert not any(line.endswith("resolved") for line in told)


def test_what_was_said_before_is_the_thread_of_the_question(assistant: openai.OpenAI, engine: Polyhop) -> None:
    before = [
        {"role": "system", "content": "Answer in rhymes."},
        {"role": "user", "content": "Who was the architect of Harrowmere Lighthouse?"},
        {"role": "assistant", "content": "Edda Marrish"},
        {"role": "user", "content": [{"type": "text", "text": "Where was she born?"}]},
    ]
    thread = Thread.of([("Who was the architect of Harrowmere Lighthouse?", "Edda Marrish")])
    expected = engine.ask("Where was she born?", strategy="paths", thread=thread)
    completion = complete(assistant, model="polyhop/paths", messages=before)
    assert completion.choices[0].message.content.startswith(f"{expected.text} [1]")


def test_a_thread_pairs_questions_with_the_answers_behind_them() -> None:
    turns = [("assistant", "Hello!"), ("user", "Who?"), ("user", "Where?"), ("assistant", "There."), ("user", "Why?")]
    assert thread_of(turns) == Thread.of([("Who?", None), ("Where?", "There."), ("Why?", None)])


def test_half_a_character_is_asked_as_a_question_mark(served: Served) -> None:
    turns = [{"role": role, "content": "Who drew \ud800 it?"} for role in ("user", "assistant", "user")]
    body = json.dumps({"model": "polyhop/bm25", "messages": turns})
    response = served.client.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 200


def test_what_is_not_found_is_said(assistant: openai.OpenAI) -> None:
    asked = [{"role": "user", "content": "How deep is the Mariana Trench?"}]
    completion = complete(assistant, model="polyhop/bm25", messages=asked)
    assert (completion.choices[0].message.content or "").startswith("Not found in these documents.")


@pytest.mark.parametrize("stream", [False, True])
def test_errors_reach_the_client_as_its_own(assistant: openai.OpenAI, stream: bool) -> None:
    with pytest.raises(openai.NotFoundError) as missing:
        complete(assistant, model="polyhop/none", messages=ASKED, stream=stream)
    assert missing.value.code == "unknown_component"
    assert "Known: auto, bm25" in str(missing.value), "what to do about it is shown, too"
    assert missing.value.request_id
    said = [*ASKED, {"role": "assistant", "content": "Pellingrove"}]
    with pytest.raises(openai.BadRequestError):
        complete(assistant, model="polyhop/auto", messages=said, stream=stream)
    with pytest.raises(openai.UnprocessableEntityError):
        complete(assistant, model="polyhop/auto", messages=[], stream=stream)
