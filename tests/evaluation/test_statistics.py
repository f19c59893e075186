"""Confidence intervals, comparisons and calibration."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.evaluation.calibration import calibrate, calibration_error, reliability
from polyhop.evaluation.significance import Interval, interval, paired_bootstrap

FRACTIONS = st.floats(0, 1)
ROWS = st.lists(st.tuples(FRACTIONS, st.booleans(), st.booleans()), max_size=30)


@given(st.lists(FRACTIONS, min_size=1, max_size=30))
def test_interval_lies_within_the_values_and_repeats_under_a_seed(values: list[float]) -> None:
    found = interval(values, resamples=100, seed=3)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == interval(values, resamples=100, seed=3)


def test_interval_is_as_wide_as_theory_says() -> None:
    """Of a proportion p over n questions: p ± 1.96 √(p(1-p)/n)."""
    found = interval([1.0] * 300 + [0.0] * 700, resamples=4000)
    assert found is not None
    assert found.low == pytest.approx(0.3 - 1.96 * (0.21 / 1000) ** 0.5, abs=0.004)
    assert found.high == pytest.approx(0.3 + 1.96 * (0.21 / 1000) ** 0.5, abs=0.004)


def test_interval_of_nothing_is_none_and_of_one_value_is_that_value() -> None:
    assert interval([]) is None
    assert interval([0.5]) == Interval(0.5, 0.5)


def test_paired_bootstrap_tells_a_difference_from_noise() -> None:
    dice = random.Random(1)  # noqa: S311
    base = [float(dice.random() < 0.5) for _ in range(400)]
    noise = [value if dice.random() < 0.9 else 1 - value for value in base]
    better = [1.0 if dice.random() < 0.3 else value for value in base]
    clear = paired_bootstrap(better, base)
    assert clear.p_value < 0.01
    assert 0 < clear.interval.low < clear.difference < clear.interval.high
    assert paired_bootstrap(noise, base).p_value > 0.01
    assert paired_bootstrap(base, base).p_value == 1.0


@given(st.lists(st.tuples(FRACTIONS, FRACTIONS), min_size=1, max_size=20))
def test_paired_bootstrap_turns_its_sign_with_its_arguments(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    there, back = paired_bootstrap(first, second, resamples=50), paired_bootstrap(second, first, resamples=50)
    assert there.difference == -back.difference
    assert there.p_value == back.p_value
    assert 0 < there.p_value <= 1


def test_paired_bootstrap_refuses_what_cannot_be_paired() -> None:
    with pytest.raises(UsageError):
        paired_bootstrap([1.0], [1.0, 0.0])
    with pytest.raises(UsageError):
        paired_bootstrap([], [])


def test_bootstrap_of_2000_questions_is_fast() -> None:
    start = time.perf_counter()
    for _ in range(5):
        interval([0.0, 1.0] * 1000)
    assert time.perf_counter() - start < 1.0


def naive_calibration(rows: list[tuple[float, bool, bool]], max_lost: float) -> float:
    """The best share of unanswerable questions caught, by trying every threshold."""
    nulls = [confidence for confidence, _, gold in rows if not gold]
    right = [confidence for confidence, good, gold in rows if gold and good]
    best = 0.0
    for threshold in [confidence for confidence, _, _ in rows] + [2.0]:
        lost = sum(confidence < threshold for confidence in right)
        if nulls and (not right or lost / len(right) <= max_lost):
            best = max(best, sum(confidence < threshold for confidence in nulls) / len(nulls))
    return best


@given(ROWS, FRACTIONS)
def test_calibrate_catches_as_much_as_any_threshold_and_reports_what_it_does(
    rows: list[tuple[float, bool, bool]], max_lost: float
) -> None:
    confidences, correct, answerable = ([row[column] for row in rows] for column in range(3))
    found = calibrate(confidences, [bool(value) for value in correct], [bool(value) for value in answerable], max_lost)
    nulls = [confidence < found.threshold for confidence, _, gold in rows if not gold]
    right = [confidence < found.threshold for confidence, good, gold in rows if gold and good]
    assert found.abstained_on_null == pytest.approx(sum(nulls) / max(1, len(nulls)))
    assert found.lost == pytest.approx(sum(right) / max(1, len(right)))
    assert found.lost <= max_lost
    assert found.abstained_on_null == pytest.approx(naive_calibration(rows, max_lost))


def test_calibrate_stands_half_way_between_what_it_separates() -> None:
    found = calibrate([0.1, 0.3, 0.5, 0.9], [False, False, True, True], [False, False, True, True])
    assert (found.threshold, found.abstained_on_null, found.lost) == (0.4, 1.0, 0.0)


def test_calibrate_abstains_on_nothing_without_unanswerable_questions() -> None:
    assert calibrate([0.2, 0.8], [False, True], [True, True]).threshold == 0.0
    assert calibrate([], [], []).threshold == 0.0
    with pytest.raises(UsageError):
        calibrate([0.5], [True], [])


@given(st.lists(st.tuples(FRACTIONS, st.booleans()), max_size=40), st.integers(1, 20))
def test_reliability_counts_every_answer_once_in_its_bin(answers: list[tuple[float, bool]], bins: int) -> None:
    curve = reliability([confidence for confidence, _ in answers], [good for _, good in answers], bins)
    assert sum(group.count for group in curve) == len(answers)
    assert all(group.low - 1e-9 <= group.confidence <= group.high + 1e-9 for group in curve if group.count)
    assert 0.0 <= calibration_error(curve) <= 1.0 + 1e-9


def test_calibration_error_is_the_gap_between_confidence_and_accuracy() -> None:
    perfect = reliability([0.75] * 4, [True, True, True, False])
    boastful = reliability([0.9] * 10, [True] * 5 + [False] * 5)
    assert calibration_error(perfect) == pytest.approx(0.0)
    assert calibration_error(boastful) == pytest.approx(0.4)
