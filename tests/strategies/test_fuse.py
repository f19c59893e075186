"""Fusing the rankings by vectors and by words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.strategies.shared.fuse import fused, naming_versions, score_fusion
from tests.worlds.documents import write

rankings = st.lists(
    st.dictionaries(st.integers(0, 20), st.integers(0, 30).map(float), min_size=1, max_size=8).map(
        lambda scores: tuple(zip(*sorted(scores.items(), key=lambda item: -item[1]), strict=True))
    ),
    min_size=1,
    max_size=3,
)


def test_scores_are_fused_from_the_best_to_the_last_of_each_ranking() -> None:
    near, worded = ([1, 2, 3], [0.9, 0.8, 0.5]), ([3, 4, 1], [12.0, 6.0, 2.0])
    assert score_fusion([near, worded], depth=3) == [(1, 0.5), (3, 0.5), (2, pytest.approx(0.375)), (4, 0.2)]


def test_what_is_far_ahead_in_one_ranking_stays_ahead() -> None:
    """By ranks alone, what both rankings have at their ends comes before what one has at its top."""
    near = ([1, *range(10, 20)], [0.9, *(0.3 - at / 100 for at in range(10))])
    worded = ([2, *range(10, 20)], [9.0, *(3.0 - at / 10 for at in range(10))])
    assert [number for number, _ in score_fusion([near, worded], depth=11)][:2] == [1, 2]


def test_a_ranking_that_ends_early_does_not_set_its_last_to_nothing() -> None:
    assert score_fusion([([1, 2], [8.0, 6.0])], depth=10) == [(1, 1.0), (2, 0.75)]


def test_equal_scores_are_worth_the_same_and_nothing_is_fused_of_nothing() -> None:
    assert score_fusion([([5, 4], [2.0, 2.0])], depth=2) == [(4, 1.0), (5, 1.0)]
    assert score_fusion([([], []), ([], [])], depth=3) == []


@given(rankings, st.integers(1, 10))
def test_fused_scores_lie_between_0_and_1_and_fall(
    each: list[tuple[tuple[int, ...], tuple[float, ...]]], depth: int
) -> None:
    found = score_fusion(each, depth)
    assert {number for number, _ in found} == {number for numbers, _ in each for number in numbers}
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 + 1e-9 for score in scores)


@given(rankings, st.integers(1, 10))
def test_a_ranking_by_itself_keeps_its_order(each: list[tuple[tuple[int, ...], tuple[float, ...]]], depth: int) -> None:
    numbers, scores = each[0]
    by_score = dict(zip(numbers, scores, strict=True))
    found = [by_score[number] for number, _ in score_fusion([(numbers, scores)], depth)]
    assert found == sorted(found, reverse=True)


def test_the_passage_of_the_version_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    """To vectors and to words its neighbours are as near: they say the same of other numbers."""
    sections = [
        f"## 2.{minor}.{patch} - 2031-0{patch}-{minor + 10}\n\n" + f"* The gate of sluice {patch} opens again.\n" * 12
        for minor in range(9, 0, -1)
        for patch in range(9, 0, -1)
    ]
    files = {"tide_changes.md": "# Changelog\n\n" + "\n".join(sections)}
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "documents", files), layers=("text",))
        with engine.view() as view:
            for version in ("2.3.7", "2.7.3", "2.1.1"):
                (number, _), *_ = fused(f"When was Tide {version} released?", view, 5)
                assert f"## {version} " in view.passages([number])[0].text
            assert naming_versions("When was Tide 2.3.77 released?", view, 5) == []
