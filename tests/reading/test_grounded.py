"""The reader that asks a language model, and believes what stands in the passages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import pytest

from polyhop.errors import UsageError
from polyhop.models.choice import Models, load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import LanguageModel
from polyhop.reading.grounded import Grounded
from polyhop.reading.reader import Reading
from polyhop.settings import ModelChoice as Chosen
from polyhop.settings import Settings
from polyhop.types import Evidence, Passage
from tests.worlds.endpoint import says, serving

QUESTION = "Where was the builder of the ferry Gull born?"
GULL = "The Gull is a ferry. It was built by Ada Brook in 1892."
BROOK = "Ada Brook was a shipwright. She was born in Velm."


@dataclass(frozen=True)
class OnlyLanguageModel:
    """Models of which a grounded reader needs one."""

    language_model: LanguageModel


def evidence() -> Evidence:
    """Two passages that together answer the question."""
    passages = (
        Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)
        for title, text in (("Gull", GULL), ("Ada Brook", BROOK))
    )
    return Evidence(question=QUESTION, strategy="dense", passages=tuple(passages))


@contextmanager
def models_saying(answer: str, found: bool, *quotes: tuple[int, str]) -> Iterator[Models]:
    """Models whose language model is a server that gives this answer."""
    support = [{"passage": number, "quote": quote} for number, quote in quotes]
    with (
        serving(says(json.dumps({"support": support, "found": found, "answer": answer}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        yield cast(Models, OnlyLanguageModel(model))


def read(answer: str, found: bool, *quotes: tuple[int, str]) -> Reading:
    with models_saying(answer, found, *quotes) as models:
        return Grounded().read(QUESTION, evidence(), models)


def test_read_gives_the_answer_with_its_quotations() -> None:
    reading = read("Velm", True, (1, "It was built by Ada Brook in 1892."), (2, "She was born in Velm."))
    assert reading.text == "Velm"
    assert [quote.passage.text[quote.start : quote.end] for quote in reading.quotes] == [
        "It was built by Ada Brook in 1892.",
        "She was born in Velm.",
    ]
    assert reading.confidence == 1.0
    assert reading.cost.llm_calls == 1


def test_confidence_is_the_share_of_genuine_quotations() -> None:
    reading = read("Velm", True, (2, "She was born in Velm."), (1, "The Gull was launched in Velm."))
    assert reading.text == "Velm"
    assert reading.confidence == 0.5


def test_read_abstains_where_nothing_is_grounded() -> None:
    """An answer from the model's own memory is no answer from the documents."""
    assert read("Paris", True, (1, "Ada Brook was born in Paris.")).text is None
    assert read("Paris", True).text is None


def test_read_abstains_where_the_model_does() -> None:
    reading = read("", False)
    assert reading.text is None
    assert reading.note


def test_read_shows_what_the_strategy_concluded() -> None:
    """And believes the passages."""
    concluded = replace(evidence(), synthesis="Ada Brook built the Gull; she comes from Ossby.")
    answer = {"support": [{"passage": 1, "quote": "she comes from Ossby"}], "found": True, "answer": "Ossby"}
    with serving(says(json.dumps(answer))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        reading = Grounded().read(QUESTION, concluded, cast(Models, OnlyLanguageModel(model)))
        assert concluded.synthesis in server.requests[0]["messages"][1]["content"]
    assert (reading.text, reading.quotes) == (None, ())


def test_read_needs_a_language_model() -> None:
    models = load_models(Settings(models=Chosen(language_model="none")))
    with pytest.raises(UsageError, match="needs a language model"):
        Grounded().read(QUESTION, evidence(), models)
