"""The order of what vectors and words found: by their fused scores and by the cross-encoder's, half of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from polyhop import Polyhop
from polyhop.layers.view import View
from polyhop.strategies.baselines.hybrid import Hybrid
from polyhop.strategies.shared.fuse import fused, reranked
from polyhop.strategies.shared.judge import judge
from polyhop.types import Budget
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE


@pytest.fixture(scope="module")
def view(index_of: Callable[..., Polyhop]) -> Iterator[View]:
    with index_of(HARBOUR).view() as view:
        yield view


def from_0_to_1(scores: Sequence[float]) -> list[float]:
    """Scores from the worst to the best."""
    return [(score - min(scores)) / (max(scores) - min(scores)) for score in scores]


def test_half_of_the_order_is_the_cross_encoders(view: View) -> None:
    ranking = fused(HARBOUR_BRIDGE, view, 4)
    numbers, scores = zip(*ranking, strict=True)
    both = zip(from_0_to_1(scores), from_0_to_1(judge(HARBOUR_BRIDGE, numbers, view)), strict=True)
    expected = {number: pytest.approx((one + other) / 2) for number, (one, other) in zip(numbers, both, strict=True)}
    found = reranked(HARBOUR_BRIDGE, ranking, view)
    assert dict(found) == expected
    assert [score for _, score in found] == sorted(dict(found).values(), reverse=True)


def test_what_is_first_by_both_is_surely_first(view: View) -> None:
    question = "Who built the lighthouse of Quillmouth?"
    best = Hybrid().retrieve(question, view, Budget()).passages[0]
    assert best == Hybrid(rerank=False).retrieve(question, view, Budget()).passages[0]
    assert best.score == 1.0


def test_nothing_and_a_single_passage_have_an_order(view: View) -> None:
    assert reranked(HARBOUR_BRIDGE, [], view) == []
    alone = fused(HARBOUR_BRIDGE, view, 1)[:1]
    assert reranked(HARBOUR_BRIDGE, alone, view) == [(alone[0][0], 1.0)]
