"""A reranker with a time limit gives the same scores for what it comes to, and says what it did not come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyhop.engine import Polyhop
from polyhop.models.choice import Models
from polyhop.models.rerank_endpoint import RerankEndpoint
from polyhop.models.timed import AT_ONCE, WORST, Timed
from polyhop.ports import Floats
from polyhop.types import Budget
from tests.worlds.documents import BRIDGE

TEXTS = [f"Ada Brisk saw {number} gulls at Tarn Bay." for number in range(AT_ONCE + 3)]


def test_with_enough_time_nothing_changes(models: Models) -> None:
    timed = Timed(models.reranker, 600.0)
    scores = models.with_reranker(timed).reranker.score("Who saw 7 gulls?", TEXTS)
    assert scores.tolist() == models.reranker.score("Who saw 7 gulls?", TEXTS).tolist()
    assert timed.left == 0
    assert timed.name == models.reranker.name


def test_what_there_was_no_time_for_is_judged_worst_and_counted(models: Models) -> None:
    timed = Timed(models.reranker, 0.0)
    assert timed.score("Who saw 7 gulls?", TEXTS).tolist() == [WORST] * len(TEXTS)
    assert timed.left == len(TEXTS)


def test_a_served_reranker_gets_as_many_texts_as_it_takes_side_by_side() -> None:
    asked: list[int] = []

    class Endpoint(RerankEndpoint):
        def score(self, question: str, texts: Sequence[str]) -> Floats:
            asked.append(len(texts))
            return np.zeros(len(texts), np.float32)

    served = Endpoint(base_url="http://localhost/v1", batch=4, concurrency=3)
    assert len(Timed(served, 600.0).score("Who saw 7 gulls?", TEXTS * 2)) == len(TEXTS * 2)
    assert asked == [12, len(TEXTS * 2) - 12]


def test_the_trail_says_what_was_not_judged(engine: Polyhop) -> None:
    hurried = engine.ask(BRIDGE, strategy="paths", budget=Budget(seconds=1e-6)).evidence
    assert hurried.passages
    assert any("texts were not judged" in line for line in hurried.trail)
    patient = engine.ask(BRIDGE, strategy="paths", budget=Budget(seconds=600.0)).evidence
    assert patient.passages == engine.ask(BRIDGE, strategy="paths").evidence.passages
    assert not any("not judged" in line for line in patient.trail)
