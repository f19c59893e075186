"""What the client of OpenAI-compatible endpoints sends, in words a server takes, and what counts as an answer."""

from __future__ import annotations

from typing import Any

import pytest

from polyhop.errors import OutputInvalid, SettingError
from polyhop.models.dialect import Dialect
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Message
from polyhop.registry import configured
from tests.worlds.endpoint import Played, ask, client, refuses, says, serving

SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}, "required": ["name"]}


def test_endpoint_answers_with_text_and_cost() -> None:
    """The request is deterministic and not streamed; the key travels in the header only."""
    with (
        serving(says("Ada Brook")) as server,
        client(server, api_key="k-1", prompt_price=2, completion_price=4) as model,
    ):
        completion = ask(model, max_tokens=64)
    assert completion.text == "Ada Brook"
    assert (completion.cost.llm_calls, completion.cost.prompt_tokens, completion.cost.completion_tokens) == (1, 10, 5)
    assert completion.cost.money == pytest.approx(40e-6)
    assert completion.cost.seconds > 0
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == ["Bearer k-1"]
    assert server.requests == [
        {
            "model": "sage",
            "stream": False,
            "max_tokens": 64,
            "temperature": 0,
            "seed": 0,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Who built the Lantern Bridge?"},
            ],
        }
    ]


def test_endpoint_is_sent_the_parameters_that_are_set_and_no_others() -> None:
    said = {"temperature": 0.7, "top_p": 0.9, "seed": 3, "reasoning_effort": "low", "max_tokens": 40}
    for settings, sent in ((said, said), ({"temperature": None, "seed": None}, {"max_tokens": 9})):
        with serving(says("fine")) as server, client(server, **settings) as model:
            ask(model, max_tokens=9)
            assert {name: server.requests[0].get(name) for name in said} == {**dict.fromkeys(said), **sent}


@pytest.mark.parametrize("wrong", [{"temperature": -0.1}, {"top_p": 0.0}, {"top_p": 1.1}, {"max_tokens": 0}])
def test_endpoint_refuses_parameters_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        OpenAICompatible(base_url="http://localhost/v1", model="sage", **wrong)


def test_endpoint_is_named_after_model_and_host_and_hides_secrets() -> None:
    """Neither the key nor a password in the address shows in what is printed or stored."""
    model = OpenAICompatible(base_url="http://me:pw@gpu.lan:8000/v1/", model="sage", api_key="k-secret")
    assert model.name == "sage@gpu.lan:8000"
    assert "k-secret" not in repr(model)


@pytest.mark.parametrize("suffix", ["", "/", "/chat/completions", "/chat/completions/"])
def test_endpoint_accepts_its_address_in_any_usual_form(suffix: str) -> None:
    with serving(says("yes")) as server, OpenAICompatible(base_url=server.url + suffix, model="sage") as model:
        assert ask(model).text == "yes"
        assert server.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:11434"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "http://host/v1?key=k-9"},
        {"base_url": "http://host/v1#models"},
        {"model": " "},
        {"api_key": "schlüssel"},
        {"attempts": 0},
        {"timeout": 0},
        {"json_mode": "yaml"},
    ],
)
def test_endpoint_refuses_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        configured(OpenAICompatible, {"base_url": "http://localhost/v1", "model": "sage", **settings}, "language_model")


def test_endpoint_reads_settings_given_as_text() -> None:
    """What ``--set language_model.token_cap=5000`` hands over is text."""
    text = {"base_url": "http://localhost/v1", "model": "sage", "token_cap": "5000", "timeout": "9.5"}
    model = configured(OpenAICompatible, text, "language_model")
    assert (model.token_cap, model.timeout) == (5000, 9.5)


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_empty_answer_is_an_invalid_output(text: str | None) -> None:
    with serving(says(text)) as server, client(server) as model, pytest.raises(OutputInvalid, match="empty answer"):
        ask(model)
    assert model.meter.total.llm_calls == 1


def test_no_choice_at_a_price_is_an_empty_answer_that_is_counted() -> None:
    """As of services whose filter takes a finished answer away: the request is at fault, not the address."""
    filtered = Played(body=b'{"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}}')
    with serving(filtered) as server, client(server) as model, pytest.raises(OutputInvalid, match="empty answer"):
        ask(model)
    assert model.meter.total.tokens == 940


def test_answer_cut_off_at_the_limit_is_an_invalid_output() -> None:
    """It was paid for all the same."""
    cut_off = pytest.raises(OutputInvalid, match="cut off after 16 tokens")
    with serving(says("The bridge was", finish="length")) as server, client(server) as model, cut_off:
        ask(model, max_tokens=16)
    assert model.meter.total.completion_tokens == 5


def test_thinking_is_allowed_on_top_of_the_answer() -> None:
    with serving(says("yes")) as server, client(server, reasoning_tokens=1000) as model:
        ask(model, max_tokens=24)
    assert server.requests[0]["max_tokens"] == 1024


def test_schema_travels_as_strict_json_schema_without_what_strict_servers_refuse() -> None:
    with serving(says('{"name": "Ada"}')) as server, client(server) as model:
        ask(model, schema=SCHEMA)
    sent = server.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"]["properties"] == {"name": {"type": "string"}}


def test_what_an_answer_may_lack_is_asked_of_strict_servers_all_the_same() -> None:
    """They take no schema with a property that is not required."""
    inner = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    schema = {"type": "object", "properties": {"many": {"type": "array", "items": inner}}, "required": []}
    with serving(says("{}")) as server, client(server) as model:
        assert ask(model, schema=schema).text == "{}"
        sent = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert sent["required"] == ["many"]
    assert sent["properties"]["many"]["items"]["required"] == ["a", "b"]


def test_endpoint_that_rejects_response_format_is_asked_in_weaker_ways_and_remembered() -> None:
    """From schema to object to plain words, once; the next question starts where the first ended."""

    def script(request: dict[str, Any]) -> Played:
        unknown = "response_format" in request
        return refuses(400, "This response_format type is unavailable.") if unknown else says('{"name": "Ada"}')

    with serving(script) as server, client(server) as model:
        assert ask(model, schema=SCHEMA).text == '{"name": "Ada"}'
        kinds = [request.get("response_format", {}).get("type") for request in server.requests]
        assert kinds == ["json_schema", "json_object", None]
        assert "minLength" in server.requests[2]["messages"][0]["content"]
        ask(model, [Message("user", "And who paid for it?")], schema=SCHEMA)
        assert len(server.requests) == 4


def test_endpoint_that_fails_with_500_over_the_format_is_asked_in_weaker_ways() -> None:
    def script(request: dict[str, Any]) -> Played:
        return refuses(500, "failed to parse grammar") if "response_format" in request else says("{}")

    with serving(script) as server, client(server) as model:
        ask(model, schema=SCHEMA)
        assert len(server.requests) == 3


def test_endpoint_that_rejects_parameters_is_asked_without_them() -> None:
    """Newer models know max_completion_tokens only, and neither temperature nor seed."""

    def script(request: dict[str, Any]) -> Played:
        if "max_tokens" in request:
            return refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        for parameter in ("temperature", "seed"):
            if parameter in request:
                return refuses(400, f"Unsupported value: '{parameter}' does not support 0.")
        return says("fine")

    with serving(script) as server, client(server) as model:
        assert ask(model, max_tokens=9).text == "fine"
    assert len(server.requests) == 4
    assert server.requests[-1]["max_completion_tokens"] == 9


def test_dialect_gives_up_only_what_the_words_are_about() -> None:
    dialect = Dialect()
    assert dialect.after_refusal("The model is overloaded.", structured=True) is None
    assert dialect.after_refusal("response_format is not supported", structured=False) is None
    assert Dialect(json_mode="text").after_refusal("response_format is not supported", structured=True) is None
