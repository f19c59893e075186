"""The same experiment several times: what a language model leaves to chance shows in how far the runs differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from statistics import fmean, stdev

from polyhop import registry
from polyhop.evaluation.experiment import Run
from polyhop.evaluation.outcome import QuestionRecord
from polyhop.models.choice import NONE
from polyhop.settings import AUTO, Settings

ENDPOINT = "openai"  # the language model that "auto" stands for
SEED = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A figure in each of several runs, in their order."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the runs."""
        return fmean(self.values)

    @property
    def deviation(self) -> float:
        """The standard deviation of a run (with n - 1 below the fraction); 0 for a single one."""
        return stdev(self.values) if len(self.values) > 1 else 0.0


def settings_of_run(settings: Settings, number: int) -> Settings:
    """The settings of one of several runs, from 0: each has another seed, where the language model takes one.

    Models without a seed, and no model, are asked the same again.
    """
    chosen = settings.models.language_model
    if number == 0 or chosen == NONE:
        return settings
    model = registry.load("language_models", ENDPOINT if chosen == AUTO else chosen.partition(":")[0])
    seeds = [field.default for field in dataclasses.fields(model) if field.name == SEED]
    if not seeds:
        return settings
    own = settings.of("language_model")
    first = own.get(SEED, seeds[0])
    seed = number + (0 if first in (None, "none") else int(str(first)))
    return replace(settings, components={**settings.components, "language_model": {**own, SEED: seed}})


def averaged(first: Run, again: Sequence[Run]) -> Mapping[str, tuple[QuestionRecord, ...]]:
    """By strategy, the first run's records, each with the means of its metrics over all runs, and the other outcomes.

    A run that ended early counts for the questions that it asked.
    """
    return {
        name: tuple(
            _together([record for record in same if record is not None])
            for same in zip_longest(*(run.records.get(name, ()) for run in (first, *again)))
        )
        for name in first.records
    }


def spreads(runs: Sequence[Run], metrics: Sequence[str]) -> dict[str, dict[str, Spread]]:
    """By strategy and metric, the means of all runs in which the metric applies to any question."""
    return {
        name: {metric: Spread(values=values) for metric in metrics if (values := tuple(_means(runs, name, metric)))}
        for name in runs[0].records
    }


def _means(runs: Sequence[Run], strategy: str, metric: str) -> Iterator[float]:
    for run in runs:
        values = [value for record in run.records.get(strategy, ()) if (value := record.metrics[metric]) is not None]
        if values:
            yield fmean(values)


def _together(same: Sequence[QuestionRecord]) -> QuestionRecord:
    """The records of one question in several runs as one."""
    first, *others = same
    known = {name: [value for one in same if (value := one.metrics[name]) is not None] for name in first.metrics}
    means = {name: fmean(values) if values else None for name, values in known.items()}
    return replace(first, metrics=means, again=tuple(one.outcome for one in others))
