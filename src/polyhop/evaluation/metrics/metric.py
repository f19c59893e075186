"""What a metric is, and how one is asked for by name: ``f1``, ``recall@10``, ``accuracy(judge=language_model)``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, Self, TypeVar, cast, runtime_checkable

from polyhop import registry
from polyhop.errors import BudgetExceeded, ModelError, ModelMissing, UsageError
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import Outcome
from polyhop.models.choice import Models
from polyhop.models.steady import steady
from polyhop.models.tallied import Counted
from polyhop.ports import LanguageModel
from polyhop.strategies.strategy import parse_variant
from polyhop.types import Cost

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Metric(Protocol):
    """Judges one outcome; a strategy's figure is the mean over the questions that the metric applies to.

    Where a question ended in an error, its figure is ``of_errors``, which is 0.0 unless the metric has it otherwise.
    """

    @property
    def name(self) -> str:
        """Its key in reports, such as ``recall@5``."""

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """A number from 0 to 1, higher for more of what it measures; None where it does not apply."""


@runtime_checkable
class WithModels(Protocol):
    """A metric that may need a model in order to judge."""

    def with_models(self, models: Models) -> Metric:
        """The metric as it judges. Raises ModelMissing."""


@runtime_checkable
class Paid(Protocol):
    """A metric that may ask a language model, which may cost money."""

    @property
    def cost(self) -> Cost | None:
        """What all its calls have cost so far; None where it asks none."""


@dataclass(frozen=True, kw_only=True)
class JudgedByModel:
    """What metrics that ask a language model share: they have to be given it, and count what all verdicts cost."""

    task: ClassVar[str]  # what the model does, such as ``judge plans``
    otherwise: ClassVar[str] = "leave the metric out"  # what to do where there is none
    given: Counted | None = field(default=None, init=False, repr=False, compare=False)

    def with_models(self, models: Models) -> Metric:
        """The metric with the language model that judges. Raises ModelMissing."""
        return cast(Metric, self.judged_by(models.language_model_for(self.task, otherwise=self.otherwise)))

    def judged_by(self, model: LanguageModel) -> Self:
        """The metric with this model, which judges at temperature 0 however it answers (QCG-RAG, section 4.1)."""
        judging = replace(self)
        object.__setattr__(judging, "given", Counted(steady(model)))
        return judging

    @property
    def asked(self) -> Counted:
        """The model that judges. Raises ModelMissing where none was given."""
        if self.given is None:
            raise ModelMissing("A metric that asks a language model has to be given it.", remedy="Call with_models.")
        return self.given

    def verdict(self, ask: Callable[[], T], what: str) -> T | None:
        """What asking the model gives; None where it gives no verdict, with a warning of what is not judged."""
        try:
            return ask()
        except (ModelError, BudgetExceeded) as error:
            logger.warning("%s is not judged: %s", what, error)
            return None

    @property
    def cost(self) -> Cost | None:
        """What all verdicts have cost so far, also those that were of no use; None where no model was given."""
        return None if self.given is None else self.given.cost


def of_answer(question: Question, outcome: Outcome, rightness: Callable[[str, Sequence[str]], float]) -> float | None:
    """How right an answer is by the references, and abstaining exactly where nothing answers; None where none was read.

    The rule for unanswerable questions is that of SQuAD 2.0 (Rajpurkar et al. 2018, section 5).
    """
    if not outcome.read:
        return None
    if outcome.answer is None or not question.answerable:
        return float(outcome.answer is None and not question.answerable)
    return rightness(outcome.answer, question.references)


def spent(metrics: Iterable[Metric]) -> Cost | None:
    """What metrics have cost so far; None where none of them asks a language model."""
    costs = [metric.cost for metric in metrics if isinstance(metric, Paid)]
    paid = [cost for cost in costs if cost is not None]
    return sum(paid, Cost()) if paid else None


def metric_named(specification: str) -> Metric:
    """A registered metric from ``NAME``, ``NAME@K``, where K sets its field ``k``, or ``NAME(setting=value)``.

    Raises UnknownComponent, SettingError, and UsageError for a K that is not a whole number above 0.
    """
    name, at, depth = specification.partition("@")
    if at and "(" not in specification:
        if not depth.isdecimal():
            raise UsageError(f"{specification!r} is not a metric.", remedy="Write a depth after the @, as in recall@5.")
        settings: Mapping[str, object] = {"k": int(depth)}
    else:
        name, settings = parse_variant(specification)
    metric = registry.build("metrics", name, settings)
    if getattr(metric, "k", 1) < 1:
        raise UsageError(f"{specification!r} looks at no passage.", remedy="Its depth is 1 or more.")
    return cast(Metric, metric)


def given_models(metrics: Iterable[Metric], models: Models) -> tuple[Metric, ...]:
    """The metrics, those that may need a model with it. Raises ModelMissing."""
    return tuple(metric.with_models(models) if isinstance(metric, WithModels) else metric for metric in metrics)
