"""How sure a figure, and a difference between two strategies, is: the bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError

CONFIDENCE = 0.95  # that the mean lies within an interval
CELLS = 1_000_000  # drawn at once: bounds the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the mean lies with CONFIDENCE, by the percentile bootstrap."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """The mean of the first strategy minus that of the second, over the same questions."""

    difference: float
    interval: Interval
    p_value: float  # two-sided, of no difference


def interval(values: Sequence[float], *, resamples: int = 1000, seed: int = 0) -> Interval | None:
    """The confidence interval of the mean; None without values.

    Efron and Tibshirani 1993, section 13.3 (percentile interval).
    """
    if not values:
        return None
    means = _resampled_means(np.asarray(values, dtype=np.float64), resamples, seed)
    return _percentiles(means)


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, resamples: int = 1000, seed: int = 0
) -> PairedComparison:
    """Compare two strategies question by question, resampling the questions.

    The p value is that of the shifted differences (Efron and Tibshirani 1993, algorithm 16.2, two-sided).
    Raises UsageError where the two are not of the same length, or empty.
    """
    if len(first) != len(second) or not first:
        raise UsageError(
            f"{len(first)} and {len(second)} values cannot be paired.", remedy="Compare runs over the same questions."
        )
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    means = _resampled_means(differences, resamples, seed)
    observed = float(differences.mean())
    rounding = 1e-12  # sums of the same numbers in another order
    as_far = int(np.count_nonzero(np.abs(means - observed) >= abs(observed) - rounding))
    return PairedComparison(
        difference=observed,
        interval=_percentiles(means),
        p_value=(1 + as_far) / (resamples + 1),
    )


def _resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """The means of samples with replacement, float64 of shape (resamples,)."""
    generator = np.random.default_rng(seed)
    return np.concatenate(
        [
            values[generator.integers(len(values), size=(rows, len(values)), dtype=np.int32)].mean(axis=1)
            for rows in _portions(resamples, len(values))
        ]
    )


def _portions(resamples: int, size: int) -> Iterator[int]:
    portion = max(1, CELLS // size)
    for start in range(0, resamples, portion):
        yield min(portion, resamples - start)


def _percentiles(means: NDArray[np.float64]) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))
