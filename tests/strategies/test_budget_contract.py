"""A budget is a budget: whatever the strategy and whatever the model answers, no question takes more than it may.

The model is a server that plays along: it answers in the form that it is asked for, and every third answer is of no use
and has to be repaired.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import ModelMissing
from polyhop.models.accounting import estimated_tokens
from polyhop.types import Answer, Budget
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import EndpointServer, Played, says, serving
from tests.worlds.settings import QUICK

STRATEGIES = registry.names("strategies")


def obeying(schema: Mapping[str, Any], numbers: Iterator[int]) -> Any:
    """The plainest value that a schema allows."""
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {name: obeying(each, numbers) for name, each in schema["properties"].items()}
    if kind == "array":
        return [obeying(schema["items"], numbers)]
    return {"string": f"Who was Edda Marrish, number {next(numbers)}?", "boolean": False}.get(kind, 1)


def playing_along() -> Callable[[Mapping[str, Any]], Played]:
    """A script that keeps strategies asking; what it says took a hundred tokens for each that was asked."""
    turns, numbers = count(1), count()

    def script(request: Mapping[str, Any]) -> Played:
        prompt = sum(estimated_tokens(message["content"]) for message in request["messages"])
        usage = {"prompt_tokens": prompt, "completion_tokens": 60}
        if next(turns) % 3 == 0:
            return says("I would rather talk about the weather.", usage=usage)
        return says(json.dumps(obeying(request["response_format"]["json_schema"]["schema"], numbers)), usage=usage)

    return script


@contextmanager
def asked_with(
    budget: Budget, name: str, index: Path, patch: pytest.MonkeyPatch
) -> Iterator[tuple[Answer, EndpointServer]]:
    """What a strategy answers within a budget, and the server that it asked."""
    with serving(playing_along()) as server:
        patch.setenv("POLYHOP_BASE_URL", server.url)
        patch.setenv("POLYHOP_MODEL", "sage")
        prices = {"prompt_price": 1e6, "completion_price": 1e6, "attempts": 1, "cache": None}  # a token costs 1
        with Polyhop(index, settings=QUICK.above({"language_model": prices})) as engine:
            try:
                yield engine.ask(BRIDGE, strategy=name, budget=budget), server
            except ModelMissing as error:
                pytest.skip(f"{error} {error.remedy}")


@pytest.mark.parametrize("calls", [0, 1, 2, 5])
@pytest.mark.parametrize("name", STRATEGIES)
def test_no_more_calls_than_allowed(name: str, calls: int, world_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repairs are calls. Without any the question is answered without the model, and the answer says so."""
    with asked_with(Budget(llm_calls=calls), name, world_index, monkeypatch) as (answer, server):
        assert len(server.requests) <= calls
        assert answer.evidence.cost.llm_calls == len(server.requests)
        if calls == 0:
            assert answer.reader != "grounded"
            assert any("budget.llm_calls" in line for line in answer.evidence.left_out)


@pytest.mark.parametrize("tokens", [60, 300])
@pytest.mark.parametrize("name", STRATEGIES)
def test_no_prompt_shows_more_than_allowed(
    name: str, tokens: int, world_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of passages and findings: what the model is told to do comes on top. What had no room is named."""
    with asked_with(Budget(tokens=tokens), name, world_index, monkeypatch) as (answer, server):
        for request in server.requests:
            material = next(message for message in request["messages"] if message["role"] == "user")
            assert estimated_tokens(material["content"]) <= tokens
        shown = bool(answer.evidence.passages)  # a strategy that looks nothing up shows a prompt nothing
        assert any("budget.tokens" in line for line in answer.evidence.left_out) == shown


@pytest.mark.parametrize(("cap", "most"), [("llm_tokens", 4000), ("llm_tokens", 9000), ("money", 4000.0)])
@pytest.mark.parametrize("name", STRATEGIES)
def test_no_more_tokens_and_money_than_allowed(
    name: str, cap: str, most: float, world_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the whole question, and the reader has its part of it."""
    with asked_with(Budget(**{cap: most}), name, world_index, monkeypatch) as (answer, server):  # type: ignore[arg-type]
        spent = answer.evidence.cost
        assert (spent.tokens if cap == "llm_tokens" else spent.money) <= most
        assert len(server.requests) == spent.llm_calls >= 1
