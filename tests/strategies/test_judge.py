"""What logits of a cross-encoder say of passages: which come first, and which are clearly about something else."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from polyhop.strategies.shared.judge import FAR_BELOW, SURE, UNLIKELY, best_first, may_tell, most_telling

LOGITS = st.dictionaries(st.integers(0, 50), st.floats(-11.5, 11.5), max_size=20)


def test_the_best_comes_first_and_ties_go_by_number() -> None:
    assert best_first([5, 3, 4], [0.5, 0.5, 2.0]) == [(4, 2.0), (3, 0.5), (5, 0.5)]


def test_what_is_clearly_about_something_else_is_left_out() -> None:
    """Which of such passages come first is chance: their logits lie close together."""
    assert may_tell({1: 9.1, 2: 7.3, 3: -1.4, 4: -6.0, 5: -10.9, 6: -11.0}) == [1, 2, 3]


def test_where_nothing_is_likely_what_is_nearest_stays() -> None:
    assert may_tell({1: -3.7, 2: -4.2, 3: -8.2, 4: -9.8}) == [1, 2, 3]
    assert may_tell({}) == []


def test_unlikely_is_one_chance_in_a_hundred() -> None:
    assert math.isclose(1 / (1 + math.exp(-UNLIKELY)), 0.01, rel_tol=0.01)


@given(LOGITS)
def test_what_is_left_out_is_unlikely_and_far_below_the_best(logits: dict[int, float]) -> None:
    kept = may_tell(logits)
    assert kept == [number for number in logits if number in kept]
    best = max(logits.values(), default=0.0)
    for number, logit in logits.items():
        assert (number in kept) == (logit >= UNLIKELY or logit >= best - FAR_BELOW)


def test_beside_a_sure_passage_what_is_far_below_it_is_left_out() -> None:
    """Without one, all that may tell stays."""
    assert most_telling({1: 9.1, 2: 7.3, 3: 3.0, 4: -1.4}) == [1, 2]
    assert most_telling({1: 4.5, 2: -0.6, 3: -6.0}) == [1, 2]
    assert most_telling({}) == []


@given(LOGITS)
def test_what_tells_most_is_a_part_of_what_may_tell(logits: dict[int, float]) -> None:
    most, all_of_them = most_telling(logits), may_tell(logits)
    assert most == [number for number in all_of_them if number in most]
    if max(logits.values(), default=0.0) < SURE:
        assert most == all_of_them
    assert bool(most) == bool(logits)
