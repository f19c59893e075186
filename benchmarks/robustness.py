"""How much is found when facts are wrong or missing (C2RAG, section 4.3 and Figure 3), measured on retrieval.

Facts around what the questions need are damaged by rule, at growing shares of them, and every strategy searches the
sound graph and each damaged one. With --by-hop also how much of each hop's evidence no gold evidence supports, with
C2RAG at all hops, from the second or the third hop on, and at none (Figure 3c), on questions of three hops or more.
Damaged graphs are in memory only: the index stays as it is, and its texts and models are opened once.

    python benchmarks/robustness.py DATA --index DIR [--strategies A,B] [--ratios 0.05,0.2] [--groups spurious,...]
                                    [--seeds 0,1] [--by-hop] [--split dev] [--limit N] [--json OUT]
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from measuring import Figures, beside_others, machine, show_load, show_table, show_verdicts, verdict

from polyhop.engine import Polyhop
from polyhop.errors import UsageError
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, layers_of, prepare
from polyhop.evaluation.manifest import manifest, names_of
from polyhop.evaluation.outcome import QuestionRecord
from polyhop.evaluation.reports.report import write_json
from polyhop.evaluation.robustness.corruption import corrupt, kinds_of, needed_names, undamaged
from polyhop.evaluation.significance import paired_bootstrap
from polyhop.evaluation.unsupported import unsupported
from polyhop.layers.facts.overlay import Overlay, overlaid
from polyhop.layers.view import View
from polyhop.reports import Progress
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.strategies.strategy import base_name, parse_variant, split_names, strategy_of, variant_name
from polyhop.types import Evidence

STRATEGIES = "c2rag,pagerank"
RATIOS = "0.05,0.1,0.15,0.2"
GROUPS = "spurious,incomplete"
METRICS = ("recall@2", "recall@5", "all@5")
JUDGED = "recall@5"
JUDGED_RATIO = 0.2
SHARE = 0.5  # of what pagerank loses, that c2rag may lose
RESULTS = Path(__file__).parent / "results"
SAID_EVERY = 20  # questions
LEAST_HOPS = 3  # of the questions of Figure 3c
UNCHECKED: Mapping[str, int] = {"all hops checked": 0, "from hop 2 on": 1, "from hop 3 on": 2, "no hop checked": -1}


@dataclass(frozen=True)
class Searched:
    """What the bench asks of an engine, of one view of an index, so that only its facts need be replaced."""

    view: View
    settings: Settings

    def search(self, question: str, *, k: int = 5, strategy: str | None = None, **_: object) -> Evidence:
        """The k best passages."""
        chosen = strategy_of(self.strategy_for(strategy), self.settings)
        budget = replace(self.settings.budget, passages=k)
        return chosen.retrieve(" ".join(question.split()), self.view.restricted(chosen.needs), budget)

    def strategy_for(self, name: str | None) -> str:
        """The strategy named. Raises UsageError where none is, and what building it raises."""
        if name is None:
            raise UsageError("No strategy was named.")
        strategy_of(name, self.settings)
        return name

    def ask(self, question: str, **_: object) -> NoReturn:
        """Nothing is read here."""
        raise UsageError(f"Only searches are measured here, so {question!r} is not answered.")

    def damaged(self, overlay: Overlay) -> Searched:
        """The same index with these edits made to its facts."""
        phrases = PhraseStore.open(self.view.record.folder, self.view.models.embedder)
        facts = overlaid(self.view.facts, overlay, phrases.vectors)
        return replace(self, view=replace(self.view, layers={**self.view.layers, "facts": facts}, kept={}))


@dataclass(kw_only=True)
class Findings:
    """What was measured by now."""

    sound: dict[str, tuple[QuestionRecord, ...]] = field(default_factory=dict)  # by strategy
    damaged: list[Figures] = field(default_factory=list)  # one for each group, ratio and strategy
    by_hop: list[Figures] = field(default_factory=list)  # one for each graph, control and hop

    def figures(self) -> Figures:
        """As JSON values."""
        sound = {name: means([records]) for name, records in self.sound.items()}
        return {"sound": sound, "damaged": self.damaged, "by_hop": self.by_hop}


def means(runs: Sequence[Sequence[QuestionRecord]]) -> dict[str, float | None]:
    """Each metric's mean over the questions that it applies to, and over the runs."""
    found: dict[str, float | None] = {}
    for metric in METRICS:
        values = [value for records in runs for record in records if (value := record.metrics[metric]) is not None]
        found[metric] = round(sum(values) / len(values), 4) if values else None
    return found


def losses(sound: Sequence[QuestionRecord], runs: Sequence[Sequence[QuestionRecord]]) -> dict[str, Figures]:
    """By metric, what the runs lose on average against the sound graph, with a 95 % interval over the questions."""
    lost = {}
    for metric in METRICS:
        asked = [place for place, record in enumerate(sound) if record.metrics[metric] is not None]
        if not asked:
            continue
        before = [float(sound[place].metrics[metric] or 0) for place in asked]
        after = [sum(float(run[place].metrics[metric] or 0) for run in runs) / len(runs) for place in asked]
        found = paired_bootstrap(before, after)
        low, high = found.interval.low, found.interval.high
        lost[metric] = {"loss": round(found.difference, 4), "interval": [round(low, 4), round(high, 4)]}
    return lost


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Which strategies search which graphs for which questions."""

    data: Dataset
    experiment: Experiment
    groups: tuple[str, ...]
    ratios: tuple[float, ...]
    seeds: tuple[int, ...]
    by_hop: bool

    def measure(self, engine: Searched) -> Iterator[Findings]:
        """What is found, again after each graph; the sound one comes first, then each group by growing ratio."""
        findings = Findings()
        say("the sound graph")
        findings.sound = self._run(engine, self.experiment)
        findings.by_hop += self._hops(engine, "sound")
        yield findings
        names = self._names(engine.view)
        for group in self.groups:
            for ratio in sorted(self.ratios):
                self._damage(engine, names, group, ratio, findings)
                yield findings

    def _damage(self, engine: Searched, names: Sequence[str], group: str, ratio: float, findings: Findings) -> None:
        runs, overlays = [], []
        for seed in self.seeds:
            overlay = corrupt(engine.view.facts, engine.view, kind=group, ratio=ratio, seed=seed, around=names)
            say(f"{group}, {ratio:.0%} of {overlay.pool} facts, seed {seed}: {len(overlay.edits)} damaged")
            damaged = engine.damaged(overlay)
            runs.append(self._run(damaged, self.experiment))
            overlays.append({"seed": seed, "pool": overlay.pool, "edits": len(overlay.edits), "kinds": overlay.kinds})
            if ratio == max(self.ratios) and seed == self.seeds[0]:
                findings.by_hop += self._hops(damaged, f"{group} {ratio:.0%}")
        for name in self.experiment.names:
            own = [run[name] for run in runs]
            findings.damaged.append(
                {
                    "group": group,
                    "ratio": ratio,
                    "strategy": name,
                    **means(own),
                    "losses": losses(findings.sound[name], own),
                    "overlays": overlays,
                }
            )

    def _run(self, engine: Searched, experiment: Experiment) -> dict[str, tuple[QuestionRecord, ...]]:
        run = experiment.run(engine, self.data, progress=tell)
        if run.interrupted or run.stopped:  # half a graph is not compared with a whole one
            raise SystemExit("; ".join(run.stopped.values()) or "interrupted")
        return dict(run.records)

    def _controls(self) -> dict[str, str]:
        """By what tables call it, C2RAG with its first hops unchecked."""
        base, own = parse_variant(first_of("c2rag", self.experiment.strategies) or "c2rag")
        return {
            label: variant_name(base, {**own, "unchecked": count} if count else own)
            for label, count in UNCHECKED.items()
        }

    def _spread(self) -> Experiment:
        return replace(self.experiment, strategies=tuple(self._controls().values()), min_hops=LEAST_HOPS)

    def _hops(self, engine: Searched, graph: str) -> list[Figures]:
        if not self.by_hop:
            return []
        records = self._run(engine, self._spread())
        return [
            {"graph": graph, "control": label, "strategy": name, **asdict(each), "share": round(each.share, 4)}
            for label, name in self._controls().items()
            for each in unsupported(records[name], min_hops=LEAST_HOPS)
        ]

    def _names(self, view: View) -> tuple[str, ...]:
        """What the questions need."""
        asked: dict[str, Question] = {each.id: each for each in self.experiment.questions(self.data)}
        if self.by_hop:
            asked |= {each.id: each for each in self._spread().questions(self.data)}
        numbers = view.record.numbers_by_id([passage for each in asked.values() for passage in each.supporting])
        names = needed_names(asked.values(), view, numbers)
        if not names:
            raise UsageError("The questions name neither supporting passages of this index nor a decomposition.")
        return names


def first_of(base: str, strategies: Sequence[str]) -> str | None:
    """The first of the strategies that is one of that name, whatever its settings."""
    return next((name for name in strategies if base_name(name) == base), None)


def judged(found: Findings, groups: Sequence[str], strategies: Sequence[str]) -> list[Figures]:
    """Whether c2rag loses at most half of what pagerank loses at 20 %; where pagerank loses nothing, nothing."""
    ours, theirs = first_of("c2rag", strategies), first_of("pagerank", strategies)
    lost = {
        (row["group"], row["strategy"]): 100 * row["losses"][JUDGED]["loss"]
        for row in found.damaged
        if row["ratio"] == JUDGED_RATIO and JUDGED in row["losses"]
    }
    return [
        verdict(
            f"{group} at {JUDGED_RATIO:.0%}: {ours} loses in {JUDGED} (half of {theirs}: {lost[group, theirs]:.2f})",
            lost[group, ours],
            round(SHARE * max(lost[group, theirs], 0.0), 3),
            "points",
        )
        for group in groups
        if (group, ours) in lost and (group, theirs) in lost
    ]


def show(found: Findings) -> None:
    """The tables: figures and losses by graph, then the unsupported share by hop."""
    heads = ("strategy", "graph", *METRICS, *(f"loss {name}" for name in METRICS), f"95 % of loss {JUDGED}")
    rows: list[list[object]] = []
    for name, records in found.sound.items():
        rows.append([name, "sound", *map(percent, means([records]).values()), *[None] * (len(METRICS) + 1)])
        for row in (row for row in found.damaged if row["strategy"] == name):
            lost = [row["losses"].get(metric, {}) for metric in METRICS]
            low, high = row["losses"].get(JUDGED, {}).get("interval", (0.0, 0.0))
            figures = [percent(row[metric]) for metric in METRICS]
            against = [percent(each.get("loss")) for each in lost]
            graph = f"{row['group']} {row['ratio']:.0%}"
            rows.append([name, graph, *figures, *against, f"{percent(low)} to {percent(high)}"])
    print()
    show_table(heads, rows)
    if found.by_hop:
        print(f"\nEvidence that no gold evidence supports, questions of {LEAST_HOPS} hops or more:\n")
        each = [
            [row["control"], row["graph"], row["hop"], row["questions"], row["passages"], percent(row["share"])]
            for row in found.by_hop
        ]
        show_table(("C2RAG", "graph", "hop", "questions", "passages", "unsupported"), each)


def percent(value: float | None) -> str:
    """A share in percent, one digit."""
    return "" if value is None else f"{100 * value:.1f}"


def say(text: str) -> None:
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def tell(step: Progress) -> None:
    """Say now and then how far it is."""
    if step.done and step.done % SAID_EVERY == 0:
        say(f"  {step.stage}: {step.done} {'' if step.total is None else f'of {step.total} '}{step.unit}")


def options_of() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--index", type=Path, required=True, help="the folder of its index; made where it is missing")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--strategies", default=STRATEGIES, help="separated by commas (%(default)s)")
    parser.add_argument("--groups", default=GROUPS, help="kinds of damage or groups of them (%(default)s)")
    parser.add_argument("--ratios", default=RATIOS, help="shares of the facts to damage (%(default)s)")
    parser.add_argument("--seeds", default="0", help="draws of the damage, whose figures are averaged (%(default)s)")
    parser.add_argument("--by-hop", action="store_true", help="also unsupported evidence by hop (Figure 3c)")
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="change a setting")
    parser.add_argument("--json", type=Path, help="where the figures go; by default into benchmarks/results")
    return parser.parse_args()


def listed(text: str) -> tuple[str, ...]:
    """What stands between commas, once each."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def main() -> None:
    """Measure graph after graph, keeping the figures after each, and print the tables."""
    options = options_of()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    data, settings = Dataset.read(options.data, options.split), undamaged(Settings.read(None, options.set))
    strategies, groups = split_names(options.strategies), listed(options.groups)
    for group in groups:
        kinds_of(group)
    experiment = Experiment(strategies=strategies, budget=settings.budget, limit=options.limit, retrieval_only=True)
    bench = Bench(
        data=data,
        experiment=experiment,
        groups=groups,
        ratios=tuple(map(float, listed(options.ratios))),
        seeds=tuple(map(int, listed(options.seeds))),
        by_hop=options.by_hop,
    )
    place = options.json or RESULTS / f"robustness-{data.folder.resolve().name}-{options.split}.json"
    about, found, verdicts = machine(), Findings(), list[Figures]()
    with Polyhop(options.index, settings=settings) as engine, beside_others(about):
        prepare(engine, data, layers=layers_of(strategies, ["text", "facts"]), progress=tell)
        made = manifest(experiment, data, settings=settings, models=names_of(engine.models))
        with engine.view() as view:
            for found in bench.measure(Searched(view, settings)):
                verdicts = judged(found, groups, strategies)
                write_json(place, {"about": about, "manifest": made, **found.figures(), "verdicts": verdicts})
    write_json(place, {"about": about, "manifest": made, **found.figures(), "verdicts": verdicts})  # with the load
    show(found)
    show_load(about)
    show_verdicts(verdicts)
    say(f"\nwritten: {place}")


if __name__ == "__main__":
    main()
