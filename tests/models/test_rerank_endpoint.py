"""Rerankers behind an endpoint: both shapes, scores on one scale, and servers that answer badly."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import EndpointError, SettingError
from polyhop.models.choice import load_models
from polyhop.models.rerank_endpoint import RerankEndpoint
from polyhop.settings import Settings
from tests.worlds.endpoint import EndpointServer, Played, Script, in_turn, refuses, serving

QUESTION = "Who built the lighthouse of Varn?"
TEXTS = ("The lighthouse of Varn was built by Ilse Brandt.", "Goats.", "Varn lies by the sea.")
CHANCES = (0.9, 0.01, 0.5)


def answers(content: object, **more: Any) -> Played:
    return Played(body=json.dumps(content).encode(), headers={"Content-Type": "application/json"}, **more)


def results(*rows: tuple[Any, Any]) -> Played:
    """What the shape of documents is answered with."""
    return answers({"results": [{"index": index, "relevance_score": score} for index, score in rows]})


def knowing(request: dict[str, Any]) -> Played:
    """The chance of each text, best first, as such servers do."""
    chances = [CHANCES[TEXTS.index(text)] for text in request["documents"]]
    return results(*sorted(enumerate(chances), key=lambda row: -row[1]))


def in_texts(request: dict[str, Any]) -> Played:
    """A server that knows texts only, and gives raw scores where it is asked for these."""
    if "texts" not in request:
        return refuses(422, "Failed to deserialize the JSON body into the target type: missing field `texts`")
    assert request["raw_scores"]
    logits = [logit(CHANCES[TEXTS.index(text)]) for text in request["texts"]]
    return answers([{"index": index, "score": score} for index, score in enumerate(logits)][::-1])


def logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


@contextmanager
def reranker(script: Script | Played, **more: Any) -> Iterator[tuple[RerankEndpoint, EndpointServer]]:
    """A reranker that plays a script, and waits only milliseconds between attempts."""
    quick: dict[str, Any] = {"attempts": 1, "first_wait": 0.001, "longest_wait": 0.002}
    with serving(script) as server, RerankEndpoint(base_url=server.url, model="judge", **{**quick, **more}) as one:
        yield one, server


def test_documents_are_scored_in_their_order() -> None:
    """Whatever the order of the answer; probabilities become logits, on the scale of every reranker."""
    with reranker(knowing, api_key="secret") as (model, server):
        scores = model.score(QUESTION, TEXTS)
    assert scores.dtype == np.float32
    assert np.allclose(scores, list(map(logit, CHANCES)), atol=1e-5)
    assert server.requests == [
        {"model": "judge", "query": QUESTION, "documents": list(TEXTS), "top_n": 3, "return_documents": False}
    ]
    assert (server.paths, server.keys) == (["/v1/rerank"], ["Bearer secret"])


def test_a_server_that_wants_texts_is_asked_for_them_from_then_on() -> None:
    """And gives raw scores, which stay as they are."""
    with reranker(in_texts) as (model, server):
        for _ in range(2):
            assert np.allclose(model.score(QUESTION, TEXTS), list(map(logit, CHANCES)), atol=1e-5)
        assert ["texts" in request for request in server.requests] == [False, True, True]
    with reranker(in_texts, shape="texts") as (model, server):
        model.score(QUESTION, TEXTS)
        assert len(server.requests) == 1


def test_many_texts_are_asked_in_batches_side_by_side() -> None:
    def slow(request: dict[str, Any]) -> Played:
        played = results(*((place, float(text) / 100) for place, text in enumerate(request["documents"])))
        return Played(body=played.body, headers=played.headers, delay=0.05)

    with reranker(slow, batch=4, concurrency=3) as (model, server):
        scores = model.score(QUESTION, [str(number) for number in range(1, 20)])
    assert np.allclose(scores, [logit(number / 100) for number in range(1, 20)], atol=1e-4)
    assert sorted(len(request["documents"]) for request in server.requests) == [3, 4, 4, 4, 4]
    assert 1 < server.busiest <= 3


def test_no_texts_are_not_asked_about() -> None:
    with reranker(knowing) as (model, server):
        assert model.score(QUESTION, []).shape == (0,)
        assert server.requests == []


def test_logits_stay_as_they_are_where_the_server_gives_them() -> None:
    told = results((0, 7.5), (1, -9.25), (2, 0.5))
    with reranker(told, scores="logits") as (model, _):
        assert model.score(QUESTION, TEXTS).tolist() == [7.5, -9.25, 0.5]
    with reranker(told) as (model, _), pytest.raises(EndpointError, match=r"7\.5, which is no probability") as caught:
        model.score(QUESTION, TEXTS)
    assert "reranker.scores=logits" in caught.value.remedy


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_any_probabilities_become_finite_logits_in_the_same_order(chances: list[float]) -> None:
    """At most 11 either way, where a model is as sure as it can be."""
    model = RerankEndpoint(base_url="http://localhost:1")
    scores = [model._logit(chance) for chance in chances]
    assert all(-11.001 <= score <= 11.001 for score in scores)
    assert sorted(scores) == [score for _, score in sorted(zip(chances, scores, strict=True))]


@pytest.mark.parametrize(
    ("played", "said"),
    [
        (results((0, 0.9), (1, 0.1)), "2 scores, for 2 of 3 texts"),
        (results((0, 0.9), (1, 0.1), (2, 0.1), (3, 0.1)), "4 scores, for 3 of 3 texts"),
        (results((0, 0.9), (1, 0.1), (1, 0.2)), "3 scores, for 2 of 3 texts"),
        (results((0, 0.9), (1, 0.1), (7, 0.2)), "3 scores, for 2 of 3 texts"),
        (results((0, 0.9), (-1, 0.1), (1, 0.2)), "3 scores, for 2 of 3 texts"),
        (results((0, float("nan")), (1, 0.1), (2, 0.1)), "a score that is a number"),
        (results((0, float("inf")), (1, 0.1), (2, 0.1)), "a score that is a number"),
        (results((0, "0.9"), (1, 0.1), (2, 0.1)), "a score that is a number"),
        (results((0, True), (1, 0.1), (2, 0.1)), "a score that is a number"),
        (results((None, 0.9), (1, 0.1), (2, 0.1)), "a row without an index"),
        (answers({"results": [0.9, 0.1, 0.1]}), "a row without an index"),
        (answers({"choices": []}), "no list of scores"),
        (answers([]), "0 scores, for 0 of 3 texts"),
        (Played(body=b"<html>Welcome</html>"), "no list of scores but Welcome"),
    ],
)
def test_an_answer_that_does_not_score_each_text_once_is_told(played: Played, said: str) -> None:
    with reranker(played) as (model, _), pytest.raises(EndpointError, match=r"judge@127\.0\.0\.1") as caught:
        model.score(QUESTION, TEXTS)
    assert said in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_trouble_that_may_pass_is_waited_for(status: int) -> None:
    with reranker(in_turn(refuses(status, "busy"), knowing({"documents": TEXTS})), attempts=3) as (model, server):
        assert len(model.score(QUESTION, TEXTS)) == 3
        assert len(server.requests) == 2
    with reranker(refuses(status, "busy"), attempts=2) as (model, server), pytest.raises(EndpointError, match="vain"):
        model.score(QUESTION, TEXTS)
    assert len(server.requests) == 2


def test_a_server_that_is_too_slow_is_given_up() -> None:
    slow = Played(body=b"{}", delay=0.5)
    late = pytest.raises(EndpointError, match=r"no answer within 0\.05")
    with reranker(slow, timeout=0.05) as (model, _), late as caught:
        model.score(QUESTION, TEXTS)
    assert "raise reranker.timeout" in caught.value.remedy


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "POLYHOP_RERANKER_API_KEY"), (404, "/v1"), (413, "reranker.batch"), (422, "shape")]
)
def test_a_refusal_says_what_to_do_and_no_key(status: int, remedy: str) -> None:
    with (
        reranker(refuses(status, "no, secret"), api_key="secret") as (model, server),
        pytest.raises(EndpointError, match=r"said: no, \*\*\*") as caught,
    ):
        model.score(QUESTION, TEXTS)
    assert remedy in caught.value.remedy
    assert len(server.requests) == 1


def test_an_account_without_credit_is_not_asked_again() -> None:
    script = refuses(429, "no credit", code="insufficient_quota")
    with reranker(script, attempts=5) as (model, server), pytest.raises(EndpointError, match="no credit"):
        model.score(QUESTION, TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "change", ["base_url=localhost", "batch=0", "timeout=0", "scores=stars", "shape=round", "api_key=ключ"]
)
def test_settings_that_make_no_sense_are_refused(change: str) -> None:
    changes = ["models.reranker=endpoint", "reranker.base_url=http://localhost:1/v1", f"reranker.{change}"]
    with pytest.raises(SettingError, match=change.partition("=")[0]):
        assert load_models(Settings.read(None, changes)).reranker


def test_it_is_chosen_by_settings_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address from either; the key from the environment."""
    monkeypatch.setenv("POLYHOP_RERANKER_API_KEY", "secret")
    with serving(knowing) as server:
        monkeypatch.setenv("POLYHOP_RERANKER_URL", f"{server.url}/rerank")
        models = load_models(Settings.read(None, ["models.reranker=endpoint", "reranker.model=judge"]))
        assert np.argmax(models.reranker.score(QUESTION, TEXTS)) == 0
        assert server.keys == ["Bearer secret"]
        models.close()
    assert models.reranker.name.startswith("judge@127.0.0.1:")
    monkeypatch.delenv("POLYHOP_RERANKER_URL")
    with pytest.raises(SettingError, match="base_url"):
        assert load_models(Settings.read(None, ["models.reranker=endpoint"])).reranker
