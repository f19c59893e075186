"""How much of the supporting passages each strategy finds: the bench, retrieval only, kept as a small JSON file.

The same as ``polyhop eval DATA --split SPLIT --strategy A,B --retrieval-only``, without a row for each question in the
file, and with what must be reached. ``--read`` reads answers, too: EM, F1, accuracy, and abstention.

    python benchmarks/recall.py DATA --index DIR [--split dev] [--strategies A,B] [--read] [--limit N] [--json OUT]
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from measuring import Figures, beside_others, machine, show_load, show_verdicts, verdict
from rich.console import Console

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment, layers_of, prepare
from polyhop.evaluation.manifest import manifest, names_of
from polyhop.evaluation.reports.report import summary, write_json
from polyhop.evaluation.reports.terminal import render
from polyhop.reports import Progress
from polyhop.settings import Settings
from polyhop.strategies.strategy import split_names

STRATEGIES = "dense,bm25,hybrid,paths,translator,c2rag"
RESULTS = Path(__file__).parent / "results"
SAID_EVERY = 50  # questions
LIMITS = {  # recall@5 in percent on the dev questions, by data set and strategy
    "2wiki": {"dense": 61.0, "hybrid": 67.0, "paths": 90.0, "c2rag": 93.0},
    "hotpotqa": {"paths": 88.0},
}
ABSTENTION = {  # at least of the unanswerable questions left unanswered, at most of the others, in percent
    "lihua": {"qcg": (60.0, 10.0)},
}
RIVALS = {"qcg": ("dense", "d2q")}  # strategies that must be below one in recall@5


def judged(report: Figures, data: str) -> list[Figures]:
    """The figures that must reach something, and whether the translator is above hybrid."""
    found = {
        name: 100 * figures["recall@5"]
        for name, figures in report["strategies"].items()
        if figures["recall@5"] is not None
    }
    verdicts = [
        verdict(f"{name}, recall@5", found[name], limit, "%", at_least=True)
        for name, limit in LIMITS.get(data, {}).items()
        if name in found
    ]
    for name, others in RIVALS.items():
        for other in (other for other in others if {name, other} <= set(found)):
            what = f"{name}, recall@5, against {other}"
            verdicts.append(verdict(what, found[name], round(found[other], 2), "%", at_least=True))
    for name, (null, lost) in ABSTENTION.get(data, {}).items():
        figures = report["strategies"].get(name, {})
        if figures.get("lost") is not None:
            told = 100 * figures["abstained_on_null"]
            verdicts.append(verdict(f"{name}, null questions left unanswered", told, null, "%", at_least=True))
            verdicts.append(verdict(f"{name}, answerable questions lost", 100 * figures["lost"], lost, "%"))
    if {"translator", "hybrid"} <= set(found):
        what = "translator, recall@5, against hybrid"
        verdicts.append(verdict(what, found["translator"], round(found["hybrid"], 2), "%", at_least=True))
    return verdicts


def tell(step: Progress) -> None:
    """Say now and then how far it is."""
    if step.done and step.done % SAID_EVERY == 0:
        total = "" if step.total is None else f" of {step.total}"
        print(f"{step.stage}: {step.done}{total} {step.unit}", file=sys.stderr)


def main() -> None:
    """Run the bench, print its tables, and write the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--index", type=Path, required=True, help="the folder of its index; made where it is missing")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--strategies", default=STRATEGIES, help="separated by commas (%(default)s)")
    parser.add_argument("--read", action="store_true", help="read answers, too, and score them")
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="change a setting")
    parser.add_argument("--json", type=Path, help="where the figures go; by default into benchmarks/results")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    data, settings = Dataset.read(options.data, options.split), Settings.read(None, options.set)
    names = split_names(options.strategies)
    experiment = Experiment(
        strategies=names,
        budget=settings.budget,
        limit=options.limit,
        retrieval_only=not options.read,
        extra_metrics=("accuracy",) if options.read else (),
    )
    about = machine()
    with Polyhop(options.index, settings=settings) as engine, beside_others(about):
        prepare(engine, data, layers=layers_of(names, settings=settings), progress=tell)
        about["passages_by_layer"] = {layer.name: layer.done for layer in engine.status().layers}  # some grow
        run = experiment.run(engine, data, progress=tell)
        models = names_of(engine.models)
    report = summary(run, data, manifest(experiment, data, settings=engine.settings, models=models), records=False)
    name = data.folder.resolve().name
    verdicts = judged(report, name) if options.limit is None else []  # what must be reached is for all questions
    Console().print(render(report))
    show_load(about)
    show_verdicts(verdicts)
    place = options.json or RESULTS / f"recall-{name}-{options.split}.json"
    write_json(place, {"about": about, **report, "verdicts": verdicts})
    print(f"\nwritten: {place}", file=sys.stderr)


if __name__ == "__main__":
    main()
