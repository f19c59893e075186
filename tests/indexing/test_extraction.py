"""What layers share that make rows by rules or by a language model: parses, batches, failures and forecasts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyhop.indexing.build import Asking
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.layer import Layer
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.layers.questions.layer import QuestionsLayer
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Failure
from polyhop.types import Cost, Passage
from tests.worlds.documents import HARBOUR
from tests.worlds.endpoint import Played, says, serving

PASSAGES = [
    Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title="", text=text)
    for name, text in {**HARBOUR, "nothing.txt": "…"}.items()
]
Either = FactsLayer | QuestionsLayer
BY_RULES = [FactsLayer(), QuestionsLayer()]
BY_MODEL = [FactsLayer(extractor="language_model"), QuestionsLayer(generator="language_model")]

by_rules = pytest.mark.parametrize("layer", BY_RULES, ids=lambda layer: layer.name)
by_model = pytest.mark.parametrize("layer", BY_MODEL, ids=lambda layer: layer.name)


def silent(request: dict[str, Any]) -> Played:
    """A model that finds nothing in any passage; of questions it says so with an empty one."""
    if "pairs of a question" not in str(request["messages"][0]):
        return says('{"facts": []}')
    numbers = re.findall(r"<<<PASSAGE (\d)", request["messages"][1]["content"])
    return says(json.dumps({"pairs": [{"passage": int(n), "question": "", "answer": ""} for n in numbers]}))


@pytest.fixture
def asking(models: Models, tmp_path: Path) -> Iterator[Models]:
    """The default models beside a language model that allows two calls at once."""
    with (
        serving(silent) as server,
        OpenAICompatible(base_url=server.url, model="sage", concurrency=2, cache=str(tmp_path)) as model,
    ):
        yield models.with_language_model(model)


@by_rules
def test_a_stored_parse_spares_the_parser_and_changes_nothing(layer: Either, models: Models) -> None:
    parses = [row if isinstance(row, bytes) else None for row in ParseKGLayer().extract(PASSAGES, models, {})]
    alone = layer.extract(PASSAGES, models, {})
    assert layer.extract(PASSAGES, models, {"parsekg": parses}) == alone
    half = [parse if place % 2 else None for place, parse in enumerate(parses)]
    assert layer.extract(PASSAGES, models, {"parsekg": half}) == alone


@by_rules
def test_a_parse_that_is_damaged_fails_its_passage_only(layer: Either, models: Models) -> None:
    rows = layer.extract(PASSAGES[:2], models, {"parsekg": [b"not a parse", None]})
    assert [isinstance(row, bytes) for row in rows] == [False, True]


@by_rules
def test_rules_cost_nothing(layer: Either, models: Models) -> None:
    assert layer.asks(models) is None
    assert layer.forecast(PASSAGES, [10], models) == Cost()


@by_model
def test_as_many_passages_are_done_in_one_go_as_are_asked_about_at_once(layer: Either, asking: Models) -> None:
    assert isinstance(layer, Layer)
    assert isinstance(layer, Asking)
    assert layer.at_once(asking) == 2 * layer.passages_a_call


@by_model
def test_a_forecast_is_kept(layer: Either, asking: Models) -> None:
    """No call is left out of it; new passages come after those that are known."""
    forecast = layer.forecast(PASSAGES, [], asking)
    assert layer.forecast(PASSAGES[:1], [40] * layer.passages_a_call, asking).llm_calls == 2
    model = asking.language_model
    assert isinstance(model, OpenAICompatible)
    rows = layer.extract(PASSAGES, asking, {})
    assert all(isinstance(row, bytes) for row in rows)
    spent = model.meter.total
    assert 0 < spent.llm_calls <= forecast.llm_calls
    assert spent.tokens <= forecast.tokens
    assert layer.forecast(PASSAGES, [], asking) == Cost()  # the answers are kept


@by_model
def test_a_passage_that_the_model_cannot_do_fails_alone(layer: Either, models: Models) -> None:
    def stubborn(request: dict[str, Any]) -> Played:
        return says("no idea") if "Fennick is a town" in str(request["messages"][1]) else silent(request)

    with serving(stubborn) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        rows = layer.extract(PASSAGES, models.with_language_model(model), {})
    assert [isinstance(row, Failure) for row in rows] == ["Fennick is" in passage.text for passage in PASSAGES]
