"""Runs several strategies over a data set under one budget."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from polyhop.documents.chunking import count_tokens
from polyhop.errors import (
    BudgetExceeded,
    EndpointError,
    ModelMissing,
    PolyhopError,
    SettingError,
    StoreError,
    UnknownComponent,
    UsageError,
)
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.metrics.metric import Metric, given_models, metric_named, spent
from polyhop.evaluation.outcome import HopOutcome, Outcome, QuestionRecord, plan_followed, steps_followed
from polyhop.evaluation.unfinished import Unfinished
from polyhop.evaluation.variants import Variant
from polyhop.models.choice import Models
from polyhop.reports import CostListener, IndexReport, Progress, ProgressListener
from polyhop.settings import Settings
from polyhop.strategies.strategy import layers_read, layers_wanted, strategy_of
from polyhop.types import Answer, Budget, Cost, Evidence

logger = logging.getLogger(__name__)

SKIPPED_TOLD: Final = 20  # documents that are left out, each with its reason

# The metrics that every experiment has, by name.
ANSWERS: Final = ("em", "f1")
EVIDENCE_BY_ID: Final = ("recall@2", "recall@5", "all@5")
EVIDENCE_IN_SENTENCES: Final = ("covered@5", "quoted", "held", "wrong")
ABSTENTION: Final = ("abstained", "abstained_on_null", "lost")

# Errors that every further question would meet again: the strategy is given up.
UNUSABLE = (StoreError, ModelMissing, SettingError, UnknownComponent)
UNWELCOME: Final = frozenset({401, 402, 403})  # statuses with which an endpoint says that it will not serve us


class Asks(Protocol):
    """What the bench asks of an engine; ``polyhop.Polyhop`` has it."""

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        budget: Budget | None = None,
        spent: CostListener | None = None,
    ) -> Answer:
        """The answer to a question; ``spent`` is told what it took, however it ends."""

    def search(
        self, question: str, *, k: int = 5, strategy: str | None = None, spent: CostListener | None = None
    ) -> Evidence:
        """The k best passages; likewise."""

    def strategy_for(self, name: str | None) -> str:
        """The strategy that would be used; raises where it cannot be."""


class Indexes(Protocol):
    """What preparing a data set asks of an engine; ``polyhop.Polyhop`` has it."""

    settings: Settings

    def index(
        self,
        *paths: str,
        layers: Sequence[str] = ...,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Index what is new or has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What an experiment found: by strategy, a record a question, in the order of the data set."""

    experiment: Experiment
    records: Mapping[str, tuple[QuestionRecord, ...]]
    stopped: Mapping[str, str] = field(default_factory=dict)  # strategies given up early, and why
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing is left that the same command would ask again: no question, and no error."""
        return not (self.interrupted or self.stopped or any(self._failed))

    @property
    def answered(self) -> bool:
        """Whether any question was asked without an error."""
        return not all(self._failed)

    @property
    def _failed(self) -> list[bool]:
        return [record.outcome.error is not None for done in self.records.values() for record in done]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Which strategies to compare, on how many questions, under which budget.

    A ranking is as long as the budget's passages where questions are read, so recall@5 needs a budget of 5 there.
    """

    strategies: tuple[str, ...]
    variants: tuple[Variant, ...] = ()  # measured after the strategies, each compared with the one it varies
    budget: Budget = Budget()
    min_hops: int | None = None  # only questions that are known to take so many; None: all
    limit: int | None = None  # the first of these questions; None: all
    seed: int = 0  # of the bootstrap
    retrieval_only: bool = False  # search without reading: much faster, and no answer is judged
    extra_metrics: tuple[str, ...] = ()  # names of registered metrics, such as recall@10, besides the standard ones

    def __post_init__(self) -> None:
        if not self.strategies:
            raise UsageError("No strategy was named.", remedy="Name one or more with --strategy a,b,c.")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"A limit of {self.limit} questions leaves nothing to measure.", remedy="Use 1 or more.")
        if self.seed < 0:
            raise UsageError(f"{self.seed} is no seed.", remedy="Use 0 or more.")

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that is measured, in the order of the tables."""
        return tuple(dict.fromkeys((*self.strategies, *(variant.name for variant in self.variants))))

    def questions(self, dataset: Dataset) -> tuple[Question, ...]:
        """The questions that are asked. Raises UsageError where there are none."""
        least = self.min_hops
        kept = [question for question in dataset.questions if least is None or question.takes(least)]
        if not kept:
            raise UsageError(
                f"{dataset.folder} has no question that is known to take {least} hops.",
                remedy="A question says it with the field 'hops' or 'decomposition', or with a type such as 3hop.",
            )
        return tuple(kept[: self.limit])

    def metrics(self, dataset: Dataset) -> tuple[Metric, ...]:
        """The standard metrics that fit a data set, then the extra ones.

        Raises UnknownComponent, SettingError, UsageError.
        """
        metrics = {metric.name: metric for metric in standard(dataset)}
        for metric in map(metric_named, dict.fromkeys(self.extra_metrics)):
            if metrics.setdefault(metric.name, metric) != metric:
                raise UsageError(
                    f"Two metrics have the name {metric.name!r}, under which a report can hold one.",
                    remedy="Leave one out, or measure it in a run of its own.",
                )
        return tuple(metrics.values())

    def run(
        self,
        engine: Asks,
        dataset: Dataset,
        *,
        progress: ProgressListener | None = None,
        models: Models | None = None,
        unfinished: Unfinished | None = None,
    ) -> Run:
        """Every strategy over every question, one after the other; ``models`` are for metrics that ask one.

        ``unfinished``: what an earlier run has done is taken from it, and each record is added to it as it comes.
        An error on one question is recorded and scores 0. An interruption (Ctrl-C) ends the run and keeps what is done.
        Raises what makes a strategy unusable (see ``UNUSABLE``) as long as nothing is done that would be lost.
        """
        metrics = self.metrics(dataset) if models is None else given_models(self.metrics(dataset), models)
        questions = self.questions(dataset)
        records: dict[str, list[QuestionRecord]] = {name: [] for name in self.names}
        stopped: dict[str, str] = {}
        interrupted = False
        for name in records:
            engine.strategy_for(name)  # so that a strategy that cannot run is refused before hours are spent
        try:
            for name, done in records.items():
                if models is not None:
                    models.forget()  # what the strategy before has read would make this one look fast
                try:
                    for question in questions:
                        record = None if unfinished is None else unfinished.record(name, question)
                        if record is None:
                            record = self._record(engine, name, question, metrics)
                            if unfinished is not None:
                                unfinished.add(name, record)
                        done.append(record)
                        if progress is not None:
                            progress(Progress(stage=name, done=len(done), total=len(questions), unit="questions"))
                except (*UNUSABLE, EndpointError) as error:
                    if not _ends_a_strategy(error) or not any(records.values()):
                        raise
                    logger.warning("%s stopped after %d questions: %s", name, len(done), _told(error))
                    stopped[name] = str(error)
        except KeyboardInterrupt:
            interrupted = True
        kept = {name: tuple(done) for name, done in records.items()}
        return Run(experiment=self, records=kept, stopped=stopped, interrupted=interrupted)

    def _record(self, engine: Asks, strategy: str, question: Question, metrics: Sequence[Metric]) -> QuestionRecord:
        start = time.perf_counter()
        costs: list[Cost] = []
        try:
            if self.retrieval_only:
                outcome = self._searched(engine, strategy, question, metrics, costs.append)
            else:
                outcome = self._asked(engine, strategy, question, costs.append)
        except Exception as error:
            if _ends_a_strategy(error):
                raise
            trace = None if isinstance(error, PolyhopError) else error  # ours say themselves what is wrong
            logger.warning("%s failed on question %s: %s", strategy, question.id, _told(error), exc_info=trace)
            seconds = time.perf_counter() - start
            told, cost = f"{type(error).__name__}: {error}", sum(costs, Cost())
            outcome = Outcome(read=not self.retrieval_only, seconds=seconds, cost=cost, error=told)
        before = spent(metrics)
        values = {metric.name: _judged(metric, question, outcome) for metric in metrics}
        after = spent(metrics)
        judging = after - before if after is not None and before is not None else None
        if outcome.error is not None:  # saying nothing because of an error is not a right abstention
            values = {
                metric.name: None if values[metric.name] is None else getattr(metric, "of_errors", 0.0)
                for metric in metrics
            }
        kept = replace(outcome, texts=())
        return QuestionRecord(question=question, outcome=kept, metrics=values, judging=judging)

    def _searched(
        self, engine: Asks, strategy: str, question: Question, metrics: Sequence[Metric], spent: CostListener
    ) -> Outcome:
        deep = max(self.budget.passages, *(getattr(metric, "k", 0) for metric in metrics))
        start = time.perf_counter()
        found = engine.search(question.text, k=deep, strategy=strategy, spent=spent)
        return replace(_found(found, time.perf_counter() - start), read=False)

    def _asked(self, engine: Asks, strategy: str, question: Question, spent: CostListener) -> Outcome:
        start = time.perf_counter()
        answer = engine.ask(question.text, strategy=strategy, budget=self.budget, spent=spent)
        return replace(
            _found(answer.evidence, time.perf_counter() - start),
            answer=answer.text,
            quotations=tuple(citation.quote for citation in answer.citations),
            confidence=answer.confidence,
        )


def _ends_a_strategy(error: Exception) -> bool:
    """Whether every further question would meet this error again."""
    return isinstance(error, UNUSABLE) or (isinstance(error, EndpointError) and error.status in UNWELCOME)


def _told(error: Exception) -> str:
    """What an error says, and what to do about it where it says that, too."""
    return " ".join(filter(None, (str(error) or type(error).__name__, getattr(error, "remedy", None))))


def _judged(metric: Metric, question: Question, outcome: Outcome) -> float | None:
    """What a metric says. Raises UsageError where it fails, or says what is no number."""
    try:
        value = metric(question, outcome)
        if value is None:
            return None
        if not math.isfinite(number := float(value)):
            raise ValueError(f"it says {value}")
    except PolyhopError:
        raise
    except Exception as error:
        raise UsageError(
            f"The metric {metric.name} failed on question {question.id}: {type(error).__name__}: {error}.",
            remedy="Mend it, or leave it out: what is done goes on where nothing else has changed.",
        ) from error
    return number


def standard(dataset: Dataset) -> tuple[Metric, ...]:
    """The metrics that fit what a data set tells of evidence: ids of its passages, sentences, or both."""
    in_sentences = dataset.passages is None or any(question.evidence for question in dataset.questions)
    by_id = () if dataset.passages is None else EVIDENCE_BY_ID
    names = (*ANSWERS, *by_id, *(EVIDENCE_IN_SENTENCES if in_sentences else ()), *ABSTENTION)
    return tuple(map(metric_named, names))


def prepare(
    engine: Indexes,
    dataset: Dataset,
    *,
    layers: Sequence[str] = ("text", "parsekg"),
    progress: ProgressListener | None = None,
) -> IndexReport:
    """Make or refresh the index of a data set: its documents as the settings cut them, or its corpus.

    Of a corpus one row is one passage, with its id, however long it is: from then on the engine cuts no row
    (``chunking.longest_row`` is none); rows that another engine has cut become whole again.

    Warns in the log of files that were skipped, and where the index then holds more or fewer passages than the corpus,
    since that bends recall. Raises BudgetExceeded where a cap stopped a layer half way.
    """
    if dataset.passages is not None:
        engine.settings = replace(engine.settings, chunking=replace(engine.settings.chunking, longest_row=None))
    report = engine.index(str(dataset.corpus), layers=layers, progress=progress)
    if report.stopped:
        raise BudgetExceeded(f"Half an index is not measured. {report.stopped}")
    for skipped in report.skipped[:SKIPPED_TOLD]:
        logger.warning("%s is left out: %s", skipped.uri, skipped.reason)
    if len(report.skipped) > SKIPPED_TOLD:
        logger.warning("%d more are left out.", len(report.skipped) - SKIPPED_TOLD)
    if dataset.passages is not None and report.passages != len(dataset.passages):
        logger.warning(
            "The index holds %d passages, %s has %d.", report.passages, dataset.corpus, len(dataset.passages)
        )
    return report


def layers_of(
    strategies: Sequence[str], also: Sequence[str] = (), *, settings: Settings | None = None
) -> tuple[str, ...]:
    """The layers that strategies read as they are configured, and ``also``, once each.

    Raises UnknownComponent, SettingError, UsageError.
    """
    configured = settings or Settings()
    chosen = [strategy_of(name, configured) for name in strategies]
    needed = (layer for one in chosen for layer in (*layers_read(one), *layers_wanted(one)))
    return tuple(dict.fromkeys((*needed, *also)))


def _found(evidence: Evidence, seconds: float) -> Outcome:
    """What was found so quickly for a question, each passage once."""
    ranked = {passage.id: f"{passage.title}\n{passage.text}" for passage in evidence.passages}
    return Outcome(
        ranking=tuple(ranked),
        texts=tuple(ranked.values()),
        context=sum(map(count_tokens, ranked.values())),
        seconds=seconds,
        cost=evidence.cost,
        hops=tuple(map(HopOutcome.of, evidence.hops)),
        plan=plan_followed(evidence),
        steps=steps_followed(evidence),
    )
