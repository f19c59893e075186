"""How far confidences can be trusted, and below which one to say "not found"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.errors import UsageError


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold: abstain where the confidence is below it."""

    threshold: float
    abstained_on_null: float  # share of the unanswerable questions that it abstains on; 0 without any
    lost: float  # share of the right answers to answerable questions that it gives up; 0 without any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Answers of similar confidence, and how many of them were right."""

    low: float  # confidences above it; the first bin has its own lower end too
    high: float  # up to it
    count: int
    right: int  # how many of them
    confidence: float  # mean; 0 in an empty bin

    @property
    def accuracy(self) -> float:
        """The share that was right; 0 in an empty bin."""
        return self.right / max(1, self.count)

    @property
    def gap(self) -> float:
        """How far the mean confidence is from the share that was right."""
        return abs(self.accuracy - self.confidence)


def calibrate(
    confidences: Sequence[float], correct: Sequence[bool], answerable: Sequence[bool], max_lost: float = 0.1
) -> Calibration:
    """The lowest threshold among those that abstain on most unanswerable questions and lose at most ``max_lost``.

    ``correct`` says of each answerable question whether the answer was right (for the others it is not looked at).
    The threshold stands half-way between the confidences that it separates. Raises UsageError for unequal lengths.
    """
    if not len(confidences) == len(correct) == len(answerable):
        raise UsageError("Calibration needs one confidence, one 'correct' and one 'answerable' a question.")
    rows = sorted(zip(confidences, correct, answerable, strict=True))
    nulls = sum(not gold for _, _, gold in rows)
    right = sum(good and gold for _, good, gold in rows)
    best = Calibration(0.0, 0.0, 0.0)
    dropped_nulls = dropped_right = 0
    for number, (confidence, good, gold) in enumerate(rows):
        dropped_nulls += not gold
        dropped_right += good and gold
        if dropped_right and dropped_right / right > max_lost:
            break
        above = rows[number + 1][0] if number + 1 < len(rows) else None
        share = dropped_nulls / nulls if nulls else 0.0
        if above != confidence and share > best.abstained_on_null:
            best = Calibration(_between(confidence, above), share, dropped_right / right if right else 0.0)
    return best


def _between(below: float, above: float | None) -> float:
    """A threshold that abstains at ``below`` and not at ``above``."""
    if above is None:
        return math.nextafter(below, math.inf)
    middle = (below + above) / 2
    return middle if below < middle else above  # neighbouring numbers have nothing between them


def reliability(confidences: Sequence[float], correct: Sequence[bool], bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """The reliability diagram: bins of equal width over confidences from 0 to 1.

    Guo et al. 2017, equations 1 and 2 (bin m holds confidences in ((m-1)/M, m/M]).
    """
    members: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for confidence, good in zip(confidences, correct, strict=True):
        members[min(bins - 1, max(0, math.ceil(confidence * bins) - 1))].append((confidence, good))
    return tuple(
        ReliabilityBin(
            low=number / bins,
            high=(number + 1) / bins,
            count=len(group),
            right=sum(good for _, good in group),
            confidence=math.fsum(confidence for confidence, _ in group) / max(1, len(group)),
        )
        for number, group in enumerate(members)
    )


def calibration_error(curve: Sequence[ReliabilityBin]) -> float:
    """Expected calibration error, 0 to 1: Guo et al. 2017, equation 3; 0 without answers."""
    total = sum(group.count for group in curve)
    return sum(group.count * group.gap for group in curve) / max(1, total)
