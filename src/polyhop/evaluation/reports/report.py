"""The figures of an experiment, as JSON values, and how they are written down."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.english.numbers import counted
from polyhop.errors import StorageFull, UsageError
from polyhop.evaluation.bindings import bindings, gold_values, rightness
from polyhop.evaluation.calibration import calibrate, calibration_error, reliability
from polyhop.evaluation.clues import clue_figures
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Run
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.outcome import QuestionRecord
from polyhop.evaluation.plan_errors import plan_errors
from polyhop.evaluation.repeated import Spread, averaged, spreads
from polyhop.evaluation.reports.terminal import BINDINGS, CLUES
from polyhop.evaluation.significance import interval, paired_bootstrap
from polyhop.evaluation.sweep import Sweep, sweeps
from polyhop.evaluation.unsupported import unsupported
from polyhop.settings import Settings
from polyhop.store.whole_file import check_place, whole_file
from polyhop.types import Cost

UNTYPED = "untyped"
# By the first of these metrics that says something of a run, its answers are right: from which value on.
RIGHT = {"held": 1.0, "f1": 0.5}
COMPARED = ("em", "f1", "accuracy", "recall@2", "recall@5", "all@5", "covered@5", "quoted", "held", "wrong")
DIGITS = 6


def summary(
    run: Run, dataset: Dataset, manifest: Mapping[str, Any], *, again: Sequence[Run] = (), records: bool = True
) -> dict[str, Any]:
    """The report: manifest, figures by strategy, comparisons, sweeps, warnings, and each question.

    Strategies are compared with the first one, variants with the strategy that they vary. ``bindings`` and
    ``unsupported`` stand where hops bind placeholders and where hops have evidence. Metrics are means from 0 to 1 over
    the questions they apply to, None where there are none; ``passages`` that were found, ``context``, their tokens
    (KG-Translator, Table 3), ``llm_calls``, ``llm_tokens`` and ``money`` are means a question; ``seconds_*`` are
    percentiles of questions without an error. ``judging`` stands where metrics ask a language model: what that takes,
    means a question, which is no part of what strategies cost. ``reliability``: the answers given, in bins by
    confidence, and how many of each were right.

    ``again``: further runs of the same experiment. Figures are then means over all runs, and ``runs`` has each run's;
    what is said of hops and confidences, and the records, are of the first one.
    """
    seed, metrics = run.experiment.seed, [metric.name for metric in run.experiment.metrics(dataset)]
    settings = Settings.from_mapping(manifest.get("settings", {}))
    varied = {variant.name: {"label": variant.label, "of": variant.of} for variant in run.experiment.variants}
    asked = averaged(run, again) if again else run.records
    report: dict[str, Any] = {
        "manifest": dict(manifest),
        "strategies": {
            name: {
                **varied.get(name, {}),
                **_strategy(asked[name], metrics, seed),
                **_confidence(done),
                **_hop_figures(done),
                **({"stopped": run.stopped[name]} if name in run.stopped else {}),
            }
            for name, done in run.records.items()
        },
        "comparisons": _comparisons(replace(run, records=asked)),
        "sweeps": [_sweep(sweep) for sweep in sweeps(list(run.records), settings)],
        "warnings": _warnings(run, dataset, again),
        "interrupted": any(one.interrupted for one in (run, *again)),
    }
    if again:
        report["runs"] = _runs([run, *again], metrics)
    if records:
        report["records"] = {name: [_row(record) for record in done] for name, done in run.records.items()}
    return report


def check_places(*paths: Path | None) -> None:
    """Look whether reports can be written, before hours of questions are asked for them.

    Raises StorageFull, and UsageError where one would take the place of another.
    """
    given = [path.resolve() for path in paths if path is not None]
    if len(set(given)) < len(given):
        raise UsageError(f"Two reports cannot be one file, {given[0]}.", remedy="Name another file for one of them.")
    for path in paths:
        if path is not None:
            with _told(path):
                check_place(path)


def write(path: Path | str, text: str) -> None:
    """Write a text file whole or not at all. Raises StorageFull where the folder takes no file."""
    path = Path(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(text.encode("utf-8", "backslashreplace"))  # half a surrogate pair, as odd data have it


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What is wrong with a file, as an error with a remedy."""
    try:
        yield
    except OSError as error:
        raise StorageFull(
            f"{path} cannot be written: {error.strerror or error}.",
            remedy="Choose a file in a folder that can be written.",
        ) from error


def write_json(path: Path | str, report: Mapping[str, Any]) -> None:
    """Write the report as JSON, whole or not at all. Raises StorageFull."""
    write(path, json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _strategy(records: Sequence[QuestionRecord], metrics: Sequence[str], seed: int) -> dict[str, Any]:
    types, hops = _grouped(records, lambda record: record.question.type), _grouped(records, lambda r: r.question.hops)
    intervals = {name: interval(values, seed=seed) for name, values in _values(records, metrics).items()}
    return {
        **_figures(records, metrics),
        "intervals": {
            name: None if found is None else [_rounded(found.low), _rounded(found.high)]
            for name, found in intervals.items()
        },
        **_judging(records),
        "by_type": {name: _figures(group, metrics) for name, group in types.items()},
        **({"by_hops": {name: _figures(group, metrics) for name, group in hops.items()}} if hops else {}),
    }


def _runs(runs: Sequence[Run], metrics: Sequence[str]) -> dict[str, Any]:
    """How many runs there are, and by strategy and metric their mean, their standard deviation and each of them."""

    def row(spread: Spread) -> dict[str, Any]:
        values = [_rounded(value) for value in spread.values]
        return {"mean": _rounded(spread.mean), "deviation": _rounded(spread.deviation), "values": values}

    found = spreads(runs, metrics)
    by_strategy = {name: {metric: row(one) for metric, one in each.items()} for name, each in found.items()}
    return {"count": len(runs), "strategies": by_strategy}


def _hop_figures(records: Sequence[QuestionRecord]) -> dict[str, Any]:
    """``bindings`` and ``plans`` (C2RAG, Tables 7 and 8), ``unsupported`` (its Figure 3c), ``clues``: if any."""
    found: dict[str, Any] = {}
    if bound := bindings(records):
        found["bindings"] = _with_rates(bound, *BINDINGS)
    if plans := plan_errors(records):
        found["plans"] = _with_rates(plans, "plan_error_rate", "step_error_rate")
    if clues := clue_figures(records):
        found["clues"] = _with_rates(clues, *CLUES)
    if spread := unsupported(records):
        found["unsupported"] = [_with_rates(hop, "share") for hop in spread]
    return found


def _with_rates(counts: Any, *rates: str) -> dict[str, Any]:
    """The fields of a dataclass, and some of its properties."""
    return {**asdict(counts), **{name: _rounded(getattr(counts, name)) for name in rates}}


def _sweep(sweep: Sweep) -> dict[str, Any]:
    return {
        "strategy": sweep.strategy,
        "setting": sweep.setting,
        "lines": {
            label: [{"value": value, "strategy": name} for value, name in points.items()]
            for label, points in sweep.lines.items()
        },
    }


def _figures(records: Sequence[QuestionRecord], metrics: Sequence[str]) -> dict[str, Any]:
    outcomes = [outcome for record in records for outcome in (record.outcome, *record.again)]
    seconds = [outcome.seconds for outcome in outcomes if outcome.error is None]
    p50, p95 = np.percentile(seconds, [50, 95]).tolist() if seconds else (None, None)
    return {
        "n": len(records),
        **{name: _mean(values) for name, values in _values(records, metrics).items()},
        "passages": _mean([len(outcome.ranking) for outcome in outcomes]),
        "context": _mean([outcome.context for outcome in outcomes]),
        **_spent([outcome.cost for outcome in outcomes]),
        "seconds_p50": _rounded(p50),
        "seconds_p95": _rounded(p95),
        "errors": sum(outcome.error is not None for outcome in outcomes),
    }


def _spent(costs: Sequence[Cost]) -> dict[str, float | None]:
    """Means of what language models took."""
    return {
        "llm_calls": _mean([cost.llm_calls for cost in costs]),
        "llm_tokens": _mean([cost.tokens for cost in costs]),
        "money": _mean([cost.money for cost in costs]),
    }


def _judging(records: Sequence[QuestionRecord]) -> dict[str, Any]:
    """``judging``: what judging the answers took, where a language model judged them."""
    costs = [record.judging for record in records if record.judging is not None and record.outcome.read]
    return {"judging": _spent(costs)} if costs else {}


def _values(records: Sequence[QuestionRecord], metrics: Sequence[str]) -> dict[str, list[float]]:
    """By metric, its values where it applies."""
    return {name: [value for record in records if (value := record.metrics[name]) is not None] for name in metrics}


def _grouped(
    records: Iterable[QuestionRecord], kind: Callable[[QuestionRecord], str | None]
) -> dict[str, list[QuestionRecord]]:
    """Records by kind, sorted by its name; none where the data set names no kind at all."""
    groups: defaultdict[str, list[QuestionRecord]] = defaultdict(list)
    for record in records:
        groups[kind(record) or UNTYPED].append(record)
    return {} if set(groups) <= {UNTYPED} else dict(sorted(groups.items()))


def _confidence(records: Sequence[QuestionRecord]) -> dict[str, Any]:
    """``calibration``, the threshold to abstain below, and ``reliability``, whether a confidence means something.

    Both are of the answers given with a confidence, and None where there is none. Where no metric says anything of an
    answer, nobody knows what is right.
    """
    metric = next((name for name in RIGHT if any(record.metrics.get(name) is not None for record in records)), None)
    known = [record for record in records if any(value is not None for value in record.metrics.values())]
    read = [
        (confidence, (record.metrics[metric] or 0.0) >= RIGHT[metric], record.question.answerable)
        for record in known
        if metric is not None and record.outcome.answer is not None
        if (confidence := record.outcome.confidence) is not None
    ]
    if not read:
        return {"calibration": None, "reliability": None}
    confidences, correct, answerable = zip(*read, strict=True)
    curve = reliability(confidences, correct)
    error = _rounded(calibration_error(curve))
    chosen = calibrate(confidences, correct, answerable)
    found = {**{name: _rounded(value) for name, value in asdict(chosen).items()}, "threshold": chosen.threshold}
    return {
        "calibration": found | {"calibration_error": error, "answers": len(read)},
        "reliability": {
            "metric": metric,
            "answers": len(read),
            "right": sum(correct),
            "confidence": _mean(confidences),
            "error": error,
            "bins": [_with_rates(group, "confidence", "accuracy", "gap") for group in curve if group.count],
        },
    }


def _comparisons(run: Run) -> list[dict[str, Any]]:
    """Each strategy against the first one, or the one it varies, over the questions that both were asked."""
    first_of_all, *others = run.records
    varied = {variant.name: variant.of for variant in run.experiment.variants}
    found = []
    for name in others:
        reference = varied.get(name, first_of_all)
        reference = reference if reference in run.records else first_of_all
        # the same order: an interruption leaves a prefix
        both = list(zip(run.records[name], run.records[reference], strict=False))
        for metric in COMPARED:
            pairs = [(ours.metrics.get(metric), theirs.metrics.get(metric)) for ours, theirs in both]
            known = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
            if known:
                first, second = zip(*known, strict=True)
                result = paired_bootstrap(first, second, seed=run.experiment.seed)
                found.append(
                    {
                        "strategy": name,
                        "against": reference,
                        "metric": metric,
                        "n": len(known),
                        "difference": _rounded(result.difference),
                        "interval": [_rounded(result.interval.low), _rounded(result.interval.high)],
                        "p_value": _rounded(result.p_value),
                    }
                )
    return found


def _warnings(run: Run, dataset: Dataset, again: Sequence[Run]) -> list[str]:
    """What makes the figures less than they seem."""
    runs = (run, *again)
    warnings = [f"{name} stopped early: {reason}" for one in runs for name, reason in one.stopped.items()]
    if any(one.interrupted for one in runs):
        warnings.append("The run was interrupted: not every question was asked.")
    asked = {question.id for question in run.experiment.questions(dataset)}
    if unknown := {name: lacking for name, lacking in dataset.unknown_supporting.items() if name in asked}:
        passages = sum(map(len, unknown.values()))
        warnings.append(
            f"{counted(len(unknown), 'questions')} {'names' if len(unknown) == 1 else 'name'} "
            f"{counted(passages, 'supporting passages')} that the corpus lacks, "
            f"such as {next(iter(unknown.values()))[0]!r}: recall cannot reach 1."
        )
    warnings += [*_inapplicable(run, dataset), *_too_deep(run, dataset)]
    for name, records in ((name, records) for one in runs for name, records in one.records.items()):
        if failed := sum(record.outcome.error is not None for record in records):
            warnings.append(f"{name} failed on {failed} of {counted(len(records), 'questions')}; what fails scores 0.")
        if unjudged := sum(map(_unjudged, records)):
            warnings.append(
                f"{unjudged} of {len(records)} answers of {name} were not judged: accuracy is of the others."
            )
        found = {passage for record in records for passage in record.outcome.ranking}
        if dataset.passages is not None and (foreign := len(found - dataset.passages)):
            warnings.append(
                f"{name} found {counted(foreign, 'passages')} outside the corpus: the index holds other texts."
            )
    return warnings


def _inapplicable(run: Run, dataset: Dataset) -> Iterator[str]:
    """Metrics that were asked for and say nothing of any question, with the reason as far as they tell it."""
    extra = {metric_named(name).name for name in run.experiment.extra_metrics}
    for metric in run.experiment.metrics(dataset):
        values = [record.metrics[metric.name] for records in run.records.values() for record in records]
        if metric.name in extra and values and not any(value is not None for value in values):
            needs = getattr(metric, "needs", None)
            yield f"{metric.name} applies to none of the questions" + (f": it needs {needs}." if needs else ".")


def _too_deep(run: Run, dataset: Dataset) -> Iterator[str]:
    """Metrics that look deeper than rankings are where questions are read."""
    experiment = run.experiment
    most = experiment.budget.passages
    deep = [metric.name for metric in experiment.metrics(dataset) if getattr(metric, "k", 0) > most]
    judged = [name for name in deep if any(_values(done, [name])[name] for done in run.records.values())]
    if judged and not experiment.retrieval_only:
        yield (
            f"{', '.join(judged)}: rankings end after {counted(most, 'passages')}, as many as the reader may see "
            "(--passages); with --retrieval-only they are as long as is looked at."
        )


def _unjudged(record: QuestionRecord) -> bool:
    """Whether a judge was to say if an answer is right, and has not."""
    return record.outcome.read and "accuracy" in record.metrics and record.metrics["accuracy"] is None


def _row(record: QuestionRecord) -> dict[str, Any]:
    question, outcome = record.question, record.outcome
    return {
        "id": question.id,
        "type": question.type,
        "question": question.text,
        "answer": outcome.answer,
        "gold": question.answer,
        "aliases": list(question.aliases),
        "confidence": _rounded(outcome.confidence),
        "quotations": list(outcome.quotations),
        "ranking": list(outcome.ranking),
        "supporting": list(question.supporting),
        **({"evidence": list(question.evidence)} if question.evidence else {}),
        "hops": _hops(record),
        "seconds": _rounded(outcome.seconds),
        "llm_calls": outcome.cost.llm_calls,
        "llm_tokens": outcome.cost.tokens,
        **({} if record.judging is None else {"judge_tokens": record.judging.tokens}),
        "error": outcome.error,
        "metrics": {name: _rounded(value) for name, value in record.metrics.items()},
    }


def _hops(record: QuestionRecord) -> list[dict[str, Any]]:
    """Each hop, and whether it bound its placeholder to a gold value; None where that is not known."""
    hops, values = record.outcome.hops, gold_values(record.question)
    right = rightness(hops, values) if values else [None] * len(hops)
    return [{**asdict(hop), "right": good} for hop, good in zip(hops, right, strict=True)]


def _mean(values: Sequence[float]) -> float | None:
    return _rounded(sum(values) / len(values)) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
