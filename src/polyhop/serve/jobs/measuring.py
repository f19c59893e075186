"""Measuring strategies on questions about a workspace's documents, as ``polyhop eval`` does on a data set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.manifest import manifest, names_of
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.unfinished import Unfinished
from polyhop.ports import LanguageModel
from polyhop.reading.reader import in_few_words
from polyhop.serve.jobs.reporting import Reporter
from polyhop.serve.jobs.work import WorkDone
from polyhop.settings import Settings

TOLD = ("made", "experiment", "dataset", "models", "versions")  # of the manifest: nothing of the server's machine


def measure(
    asked: Mapping[str, Any], index: Path, settings: Settings, model: LanguageModel | None, reporter: Reporter
) -> WorkDone:
    """The report of ``polyhop eval``. Each outcome is kept, so that a kill costs one question.

    Raises JobStopped, and what ``Polyhop.ask`` raises of every question.
    """
    dataset = dataset_of(asked["questions"])
    experiment = Experiment(strategies=tuple(asked["strategies"]), budget=settings.budget)
    settings = in_few_words(settings, model)
    with Polyhop(index, settings=settings, language_model=model) as engine:
        made = manifest(experiment, dataset, settings=settings, models=names_of(engine.models))
        unfinished = Unfinished.of(engine.path, made)
        run = experiment.run(engine, dataset, progress=reporter, models=engine.models, unfinished=unfinished)
    report = summary(_without_guesses(run, asked["questions"]), dataset, made)
    report["manifest"] = {name: made[name] for name in TOLD}
    unfinished.clear(run.records)
    return WorkDone(result=report)


def dataset_of(questions: Sequence[Mapping[str, Any]]) -> Dataset:
    """Questions as a data set without a corpus. An answer that is None: the documents do not tell it."""
    asked = tuple(
        Question(id=str(number), text=each["question"], answer=each.get("answer"))
        for number, each in enumerate(questions, start=1)
    )
    digest = hashlib.sha256(json.dumps(list(questions), sort_keys=True).encode()).hexdigest()
    return Dataset(folder=Path("questions"), split=None, questions=asked, passages=None, hashes={"questions": digest})


def _without_guesses(run: Run, questions: Sequence[Mapping[str, Any]]) -> Run:
    """The run with nothing measured on questions that came without an answer: nobody knows what is right."""
    unknown = {str(number) for number, each in enumerate(questions, start=1) if "answer" not in each}
    records = {
        name: tuple(
            replace(record, metrics=dict.fromkeys(record.metrics)) if record.question.id in unknown else record
            for record in done
        )
        for name, done in run.records.items()
    }
    return replace(run, records=records)
