"""What a metric is, and how one is asked for by name: ``f1``, ``recall@10``."""

from __future__ import annotations

from typing import Protocol, cast

from polyhop import registry
from polyhop.errors import UsageError
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import Outcome


class Metric(Protocol):
    """Judges one outcome; a strategy's figure is the mean over the questions that the metric applies to."""

    @property
    def name(self) -> str:
        """Its key in reports, such as ``recall@5``."""

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """A number from 0 to 1, higher for more of what it measures; None where it does not apply."""


def metric_named(specification: str) -> Metric:
    """A registered metric from ``NAME`` or ``NAME@K``, where K sets its field ``k``.

    Raises UnknownComponent, SettingError, and UsageError for a K that is not a whole number above 0.
    """
    name, at, depth = specification.partition("@")
    if at and not (depth.isdecimal() and int(depth) > 0):
        raise UsageError(f"{specification!r} is not a metric.", remedy="Write a depth after the @, as in recall@5.")
    return cast(Metric, registry.build("metrics", name, {"k": int(depth)} if at else {}))
