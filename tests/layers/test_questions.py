"""The questions layer: pairs are borne out by their passage, whoever wrote them, and strategies find them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.errors import ModelMissing
from polyhop.indexing.build import Asking
from polyhop.layers.questions.layer import QuestionsLayer, decode, encode, fault_of
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.reports import LayerReport
from polyhop.settings import Settings
from polyhop.types import GeneratedQuestion
from tests.worlds.endpoint import Played, says, serving
from tests.worlds.extraction import passage
from tests.worlds.question_graphs import TEXTS, answered, index_at, pair

PASSAGES = [passage(title, text) for title, text in TEXTS.items()]
BRISK = PASSAGES[1]


some_pair = st.builds(pair, st.text(), st.text(), st.integers(0, 50), st.integers(51, 99))


@given(st.lists(some_pair, max_size=5), st.dictionaries(st.sampled_from(["answer", "span"]), st.integers(1, 9)))
def test_a_row_gives_its_pairs_back(pairs: list[GeneratedQuestion], rejected: dict[str, int]) -> None:
    assert decode(encode(pairs, rejected)) == (pairs, rejected)


def test_generated_answers_stand_where_they_say(models: Models) -> None:
    found = []
    for one, row in zip(PASSAGES, QuestionsLayer().extract(PASSAGES, models, {}), strict=True):
        assert isinstance(row, bytes)
        for made in decode(row)[0]:
            assert made.answer == one.text[made.start : made.end]
            found.append((made.question, made.answer))
    assert any("born" in question and answer == "Fennick" for question, answer in found)
    assert any("lighthouse" in question and "Ada Brisk" in answer for question, answer in found)


def test_no_passage_has_more_pairs_than_were_asked_for(models: Models) -> None:
    rows = QuestionsLayer(per_passage=1).extract(PASSAGES, models, {})
    assert {len(decode(row)[0]) for row in rows if isinstance(row, bytes)} == {0, 1}


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (answered("Where was Ada Brisk born?", "Fennick"), None),
        (pair("What did she learn there?", "studied engineer", 0, 9), None),  # words of the passage, but no stretch
        (pair("Who was she?", "ADA  brisk", 0, 9), None),
        (answered("?!", "Fennick"), "question"),
        (pair("Where?", "Fennick", 5, 5), "span"),
        (pair("Where?", "Fennick", 5, 500), "span"),
        (pair("Where?", "Paris"), "answer"),
        (pair("Where?", "…"), "answer"),
    ],
    ids=[
        *("it stands there", "its words stand there", "it stands there in capitals", "a question without words"),
        *("an empty place", "a place behind the end", "it does not stand there", "an answer without words"),
    ],
)
def test_a_pair_has_to_be_borne_out_by_its_passage(made: GeneratedQuestion, fault: str | None) -> None:
    assert fault_of(made, BRISK) == fault


def test_an_answer_in_a_script_without_spaces_stands_in_its_passage() -> None:
    rain = PASSAGES[4]
    assert fault_of(answered("何が建てられた?", "灯台", rain.text), rain) is None
    assert fault_of(pair("何が建てられた?", "塔", 0, 5), rain) == "answer"


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [("per_passage", 0), ("per_passage", 1 << 21), ("passages_a_call", 0), ("tokens_a_call", 0), ("max_tokens", 0)],
)
def test_settings_that_make_no_sense_are_refused(setting: str, wrong: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        QuestionsLayer(**{setting: wrong})  # type: ignore[arg-type]


def test_a_language_model_that_is_not_configured_is_missing(models: Models) -> None:
    with pytest.raises(ModelMissing, match="none is configured") as caught:
        QuestionsLayer(generator="language_model").made_with(models)
    assert "POLYHOP_BASE_URL" in caught.value.remedy


def test_a_language_model_writes_where_that_is_asked_for(models: Models) -> None:
    """What its passages do not bear out and what it asks twice is counted and not kept."""
    told = [
        (2, "Where was Ada Brisk born?", "Fennick"),
        (2, "where was Ada Brisk born", "in Fennick"),
        (2, "Who taught Ada Brisk?", "Olga Mund"),
        (1, "Who built the lighthouse of Quillmouth?", "Ada Brisk"),
    ]
    answer = [{"passage": number, "question": question, "answer": given} for number, question, given in told]
    layer = QuestionsLayer(generator="language_model", per_passage=5)
    with (
        serving(says(json.dumps({"pairs": answer}))) as server,
        OpenAICompatible(base_url=server.url, model="sage", concurrency=2) as one,
    ):
        asking = models.with_language_model(one)
        assert isinstance(layer, Asking)
        assert layer.asks(asking) is one
        assert layer.at_once(asking) == 6
        assert layer.forecast(PASSAGES[:2], [], asking).llm_calls == 1
        assert layer.forecast([], [40] * 7, asking).llm_calls == 3
        rows = layer.extract(PASSAGES[:2], asking, {})
        others = (QuestionsLayer(generator="language_model"), QuestionsLayer(), QuestionsLayer(per_passage=5))
        marks = [each.made_with(asking) for each in (layer, *others)]
        assert len(server.requests) == 2  # asked once more for what its passage does not say, it says the same
    harbour, brisk = (decode(row) for row in rows if isinstance(row, bytes))
    assert [(made.question, made.answer) for made in harbour[0]] == [told[3][1:]]
    assert brisk == ([answered(*told[0][1:])], {"answer": 2, "duplicate": 3})
    assert len(set(marks)) == 4


def test_a_cap_ends_a_run_in_good_order_and_the_next_pays_for_the_rest_only(tmp_path: Path) -> None:
    """Six passages, two a call, one call at a time: three calls, of which the cap lets two pass."""
    towns = ("Fennick", "Low Ness", "Oar Falls", "Tarn Bay", "Grebe Marsh", "Asper Point")
    rows = ({"id": town, "title": town, "text": f"Ada Brisk landed at {town} in May."} for town in towns)
    documents = tmp_path / "landings.jsonl"
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def knowing(request: Mapping[str, Any]) -> Played:
        shown = re.findall(r"<<<PASSAGE (\d+) [0-9a-f]+>>>\nTitle: (.*)\n", request["messages"][1]["content"])
        pairs = [{"passage": int(n), "question": f"Who landed at {t}?", "answer": "Ada Brisk"} for n, t in shown]
        return says(json.dumps({"pairs": pairs}))

    def run(**more: object) -> LayerReport:
        changes = {**{f"language_model.{key}": value for key, value in (endpoint | more).items()}, **layer}
        settings = Settings.read(None, [f"{key}={value}" for key, value in changes.items()])
        with Polyhop(tmp_path / "an.index", settings=settings) as engine:
            (report,) = engine.index(documents, layers=["questions"]).layers
            with engine.view() as view:
                assert len(view.restricted(("questions",)).questions) == 6 - report.left
        return report

    layer = {
        "models.language_model": "openai",
        "layers.questions.generator": "language_model",
        "layers.questions.passages_a_call": 2,
    }
    with serving(knowing) as server:
        endpoint: dict[str, object] = {"base_url": server.url, "model": "sage", "concurrency": 1}
        endpoint["cache"] = tmp_path / "cache"
        stopped = run(call_cap=2)
        assert (stopped.extracted, stopped.left, stopped.cost.llm_calls) == (4, 2, 2)
        rest = run()
        assert (rest.extracted, rest.reused, rest.left) == (2, 4, 0)
        assert len(server.requests) == 3


def test_strategies_find_the_graph_in_their_view(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put(*TEXTS)
        index.build()
        view = View(record=index.record, models=models, layers={"questions": index.open()})
        nodes, _ = view.questions.search(view.vector("Where was Ada Brisk born?"), 1)
        assert view.questions.question(int(nodes[0])).answer == "Fennick"
        sentences = view.once("questions sentence", lambda: view.questions.variant("sentence"))
        nodes, _ = sentences.search(view.vector("glass and late trains"), 1)
        assert sentences.question(int(nodes[0])).answer == "It is known for its glass and its late trains."
