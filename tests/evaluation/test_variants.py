"""Ablations, sweeps and recorded plans: which strategies an experiment measures, and what its report makes of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import SettingError, UnknownComponent, UsageError
from polyhop.evaluation.experiment import layers_of
from polyhop.evaluation.sweep import Sweep, sweeps
from polyhop.evaluation.variants import Variant, variants
from polyhop.settings import Settings
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.installed import look_again

LADDER = '''
"""A strategy that another package brings: it binds the title of each of the nearest passages."""

from dataclasses import dataclass
from typing import ClassVar

from polyhop.types import Evidence, Hop


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """Climb down the ranking of BM25, one passage a rung."""

    gamma: float = 1.5  # a rung is sure as long as its number is not above it
    check: str = "on"

    needs: ClassVar[tuple[str, ...]] = ("text",)
    ablations = {"without the check": {"check": "off"}, "with one rung": {"gamma": 1}}

    def retrieve(self, question, over, budget):
        numbers, scores = over.text.lexical.search(question, 3)
        hops = [
            Hop(
                question=f"rung {rung}",
                status="resolved" if self.check == "off" or rung <= self.gamma else "unresolved",
                placeholder="?title",
                found=passage.title,
                passages=(passage,),
            )
            for rung, passage in enumerate(over.passages(numbers.tolist()), start=1)
        ]
        ranked = over.ranked(numbers.tolist(), scores.tolist(), budget.passages)
        plan = over.plan(question)
        return Evidence(question=question, strategy="ladder", passages=ranked, hops=tuple(hops), plan=plan)
'''


@pytest.fixture(autouse=True)
def _ladder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with a strategy that has ablations and placeholders."""
    site = tmp_path_factory.mktemp("site")
    write(site, {"ladder.py": LADDER})
    about = {"METADATA": "Metadata-Version: 2.1\nName: ladder\nVersion: 1.0\n"}
    write(site / "ladder-1.0.dist-info", about | {"entry_points.txt": "[polyhop.strategies]\nladder = ladder:Ladder\n"})
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    look_again()
    yield
    look_again()
    sys.modules.pop("ladder", None)


def named(found: tuple[Variant, ...]) -> list[str]:
    return [variant.name for variant in found]


def test_ablations_follow_the_strategies_that_declare_them() -> None:
    found = variants(["bm25", "ladder(gamma=2)"], ablations=True)
    assert found == (
        Variant(name="ladder(gamma=2, check=off)", of="ladder(gamma=2)", label="ladder(gamma=2): without the check"),
        Variant(name="ladder(gamma=1)", of="ladder(gamma=2)", label="ladder(gamma=2): with one rung"),
    )
    with pytest.raises(UsageError, match="no ablations"):
        variants(["bm25"], ablations=True)


def test_sweeps_are_a_grid_over_the_strategies_that_have_the_settings() -> None:
    found = variants(["bm25", "ladder"], sweeps=["gamma=1, 2", "check=on,fixed(0.5)"])
    assert named(found) == [
        "ladder(gamma=1, check=on)",
        "ladder(gamma=1, check=fixed(0.5))",
        "ladder(gamma=2, check=on)",
        "ladder(gamma=2, check=fixed(0.5))",
    ]
    assert {variant.of for variant in found} == {"ladder"}
    assert named(variants(["ladder"], ablations=True, sweeps=["gamma=1,2"])) == [
        "ladder(check=off)",
        "ladder(gamma=1)",
        "ladder(gamma=2)",
    ]


def test_a_variant_that_only_writes_out_what_is_set_anyway_is_left_out() -> None:
    """However a value is written, and whatever the settings of the strategy are."""
    grid = ["gamma=1,1.5,2", "check=on"]
    assert named(variants(["ladder"], sweeps=grid, settings=Settings())) == [
        "ladder(gamma=1, check=on)",
        "ladder(gamma=2, check=on)",
    ]
    two = Settings.from_mapping({"strategies": {"ladder": {"gamma": 2.0}}})
    assert named(variants(["ladder", "ladder(gamma=1.0)"], sweeps=["gamma=1,1.5,2"], settings=two)) == [
        "ladder(gamma=1.5)"
    ]
    assert named(variants(["ladder(check=off)"], ablations=True, settings=Settings())) == ["ladder(check=off, gamma=1)"]


@pytest.mark.parametrize("sweep", ["gamma", "gamma=", "=1,2", "gamma=,"])
def test_what_is_no_sweep_is_refused(sweep: str) -> None:
    with pytest.raises(UsageError, match="is no sweep") as caught:
        variants(["ladder"], sweeps=[sweep])
    assert "--sweep links=2,4,8" in caught.value.remedy


def test_a_sweep_of_an_unknown_setting_offers_the_nearest() -> None:
    with pytest.raises(SettingError) as caught:
        variants(["ladder", "bm25"], sweeps=["gama=1,2"])
    assert "Did you mean 'gamma'?" in caught.value.remedy
    with pytest.raises(SettingError, match="has all of the settings gamma, links"):
        variants(["ladder", "paths"], sweeps=["gamma=1,2", "links=1,2"])
    with pytest.raises(UsageError, match="sweeps a setting twice"):
        variants(["ladder"], sweeps=["gamma=1", "gamma=2"])


def test_the_layers_are_those_that_the_strategies_need() -> None:
    assert layers_of(["bm25", "ladder(gamma=1)"]) == ("text",)
    assert layers_of(["ladder", "paths(plan=false)"], ["text", "parsekg"]) == ("text", "parsekg")
    assert layers_of(["qcg(nodes=sentence)"]) == ("text",)
    assert layers_of(["qcg"], settings=Settings.from_mapping({"strategies": {"qcg": {"nodes": "sentence"}}})) == (
        "text",
    )
    with pytest.raises(UnknownComponent):
        layers_of(["lader"])


def swept(names: list[str], *sweeping: str, settings: Settings | None = None) -> dict[str, dict[str, list[Any]]]:
    """By "strategy over setting" and line, the values that a plot of these strategies has."""
    found = sweeps([*names, *named(variants(names, sweeps=sweeping))] if sweeping else names, settings)
    return {
        f"{sweep.strategy} over {sweep.setting}": {label: list(points) for label, points in sweep.lines.items()}
        for sweep in found
    }


def test_the_lines_of_a_plot_are_strategies_that_differ_in_one_number() -> None:
    names = ["ladder", *named(variants(["ladder"], sweeps=["check=on,off", "gamma=2,1"])), "paths(links=4)"]
    assert sweeps(names) == (
        Sweep(
            strategy="ladder",
            setting="gamma",
            lines={
                "check=on": {1.0: "ladder(check=on, gamma=1)", 1.5: "ladder", 2.0: "ladder(check=on, gamma=2)"},
                "check=off": {1.0: "ladder(check=off, gamma=1)", 2.0: "ladder(check=off, gamma=2)"},
            },
        ),
    )
    assert sweeps(["ladder", "ladder(gamma=1)", "ladder(check=on)"]) == ()  # one value written is no sweep
    assert [list(sweep.lines) for sweep in sweeps(["ladder(gamma=1)", "ladder(gamma=2)"])] == [["ladder"]]


def test_a_setting_that_is_a_word_has_bars_in_the_order_of_the_run() -> None:
    assert swept(["ladder"], "check=off,fixed") == {"ladder over check": {"ladder": ["on", "off", "fixed"]}}
    assert swept(["ladder"], "gamma=none,1") == {"ladder over gamma": {"ladder": ["1.5", "none", "1"]}}
    assert swept(["ladder(gamma=nan)", "ladder(gamma=1)"]) == {"ladder over gamma": {"ladder": ["nan", "1"]}}


def test_an_inner_setting_has_the_unchanged_strategy_as_a_point() -> None:
    assert swept(["c2rag"], "grounding.anchors=1,9") == {"c2rag over grounding.anchors": {"c2rag": [1, 3, 9]}}


def test_two_numbers_give_a_line_for_each_value_of_the_second() -> None:
    assert swept(["qcg(words=false)"], "hops=0,1,2", "k=2,3.0") == {
        "qcg(words=false) over hops": {"k=2": [0, 1, 2], "k=3": [0, 1, 2]}
    }


def test_all_ablations_of_a_strategy_are_drawn() -> None:
    """QCG-RAG's Figures 3 to 6; the unchanged strategy is a point of each."""
    names = ["qcg", *named(variants(["qcg"], ablations=True))]
    assert swept(names) == {
        "qcg over hops": {"k=2": [0, 1, 2], "k=3": [0, 1, 2]},
        "qcg over k": {"qcg": [1, 2, 3, 4, 5]},
        "qcg over alpha": {"qcg": [0.2, 0.4, 0.6, 0.8, 1.0]},
        "qcg over n": {"gamma=1": [5, 10, 15, 20], "gamma=1.5": [5, 10, 15, 20]},
        "qcg over nodes": {"qcg": ["question+answer", "question", "answer", "sentence"]},
    }


def test_what_a_name_leaves_out_is_what_the_settings_say() -> None:
    changed = Settings.from_mapping({"strategies": {"ladder": {"gamma": 4}}})
    assert swept(["ladder"], "gamma=1,2", settings=changed) == {"ladder over gamma": {"ladder": [1, 2, 4]}}
    assert swept(["gone", "gone(depth=1)", "gone(depth=2)"]) == {"gone over depth": {"gone": [1, 2]}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The harbour with two questions; one is taken apart into steps."""
    corpus: list[dict[str, Any]] = [
        {"id": name, "title": name.removesuffix(".txt"), "text": text} for name, text in HARBOUR.items()
    ]
    steps = [{"question": "Who built it?", "answer": "Ada_Brisk"}, {"question": "Where?", "answer": "Fennick"}]
    questions: list[dict[str, Any]] = [
        {"id": "q1", "question": HARBOUR_BRIDGE, "answer": "Fennick", "decomposition": steps}
        | {"supporting": ["quillmouth.txt", "ada_brisk.txt"]},
        {"id": "q2", "question": "Who founded the Tarn School?", "answer": "Piet Rook"},
    ]
    files = {"corpus.jsonl": corpus, "questions.jsonl": questions}
    return write(tmp_path / "data", {name: "\n".join(map(json.dumps, rows)) for name, rows in files.items()})


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """What a command printed, on either stream."""
    return "".join(capsys.readouterr())


Eval = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def evaluate(data: Path, tmp_path: Path) -> Eval:
    """Runs ``polyhop eval`` and gives its exit code and its JSON."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        out = tmp_path / "out.json"
        with pytest.raises(SystemExit) as done:
            main(["eval", str(data), "--retrieval-only", "--json", str(out), *arguments])
        return int(done.value.code or 0), json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}

    return run


def test_eval_measures_ablations_and_sweeps_in_one_table(evaluate: Eval, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = evaluate("--strategy", "bm25,ladder", "--ablations", "--sweep", "gamma=1,2")
    assert code == 0
    assert list(report["strategies"]) == ["bm25", "ladder", "ladder(check=off)", "ladder(gamma=1)", "ladder(gamma=2)"]
    against = {row["strategy"]: row["against"] for row in report["comparisons"]}
    assert against == {
        "ladder": "bm25",
        "ladder(check=off)": "ladder",
        "ladder(gamma=1)": "ladder",
        "ladder(gamma=2)": "ladder",
    }
    rates = {name: (figures.get("bindings") or {}).get("resolved") for name, figures in report["strategies"].items()}
    assert rates == {
        "bm25": None,
        "ladder": 1,
        "ladder(check=off)": 3,
        "ladder(gamma=1)": 1,
        "ladder(gamma=2)": 2,
    }
    assert [line for sweep in report["sweeps"] for line in sweep["lines"]["ladder"]] == [
        {"value": 1.0, "strategy": "ladder(gamma=1)"},
        {"value": 1.5, "strategy": "ladder"},
        {"value": 2.0, "strategy": "ladder(gamma=2)"},
    ]
    shown = capsys.readouterr().out
    for part in ("ladder: without the check", "Bindings", "Unsupported evidence by hop", "Difference from ladder"):
        assert part in shown


def test_eval_makes_the_layers_that_the_strategies_need(evaluate: Eval, data: Path) -> None:
    def layers() -> set[str]:
        with Polyhop(data / "polyhop.index") as engine:
            return {layer.name for layer in engine.status().layers}

    assert evaluate("--strategy", "bm25")[0] == 0
    assert layers() == {"text"}
    assert evaluate("--strategy", "bm25", "--layers", "parsekg")[0] == 0
    assert layers() == {"text", "parsekg"}


def test_eval_limits_questions_to_those_of_several_hops(evaluate: Eval, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = evaluate("--strategy", "bm25", "--min-hops", "2")
    assert [row["id"] for row in report["records"]["bm25"]] == ["q1"]
    assert report["manifest"]["experiment"]["min_hops"] == 2
    assert evaluate("--strategy", "bm25", "--min-hops", "3")[0] == 2
    assert "no question that is known to take 3 hops" in said(capsys)


def test_eval_takes_questions_apart_as_a_file_says(
    evaluate: Eval, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = tmp_path / "plans.jsonl"
    plans.write_text("", encoding="utf-8")
    code, report = evaluate("--strategy", "bm25,ladder(gamma=1)", "--plans", str(plans))
    assert code == 0
    assert report["manifest"]["settings"]["planner"] == {"name": "recorded", "file": str(plans)}
    assert evaluate("--strategy", "ladder", "--plans", str(tmp_path / "none"))[0] == 2
    assert "There is no file of plans" in said(capsys)


def test_eval_keeps_the_plans_that_are_made_and_takes_them_again(evaluate: Eval, tmp_path: Path) -> None:
    """The same passages come of it; a second run adds nothing to the file."""
    plans = tmp_path / "plans.jsonl"
    code, report = evaluate("--strategy", "paths", "--record-plans", str(plans))
    assert code == 0
    kept = [json.loads(line) for line in plans.read_text(encoding="utf-8").splitlines()]
    assert [row["planner"] for row in kept] == ["rules"] * len(report["records"]["paths"])
    again = evaluate("--strategy", "paths", "--plans", str(plans), "--record-plans", str(plans))[1]
    rankings = ([row["ranking"] for row in each["records"]["paths"]] for each in (report, again))
    assert next(rankings) == next(rankings)
    assert len(plans.read_text(encoding="utf-8").splitlines()) == len(kept)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "ladder(gama=1)"], "Did you mean 'gamma'?"),
        (["--strategy", "ladder", "--sweep", "gamma=low"], "strategies.ladder.gamma"),
        (["--strategy", "ladder("], "is not a strategy"),
        (["--strategy", " , "], "No strategy was named"),
        (["--strategy", "bm25", "--ablations"], "no ablations are declared"),
    ],
)
def test_eval_refuses_what_it_cannot_measure_before_it_indexes(
    evaluate: Eval, data: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(*arguments)[0] == 2
    assert message in said(capsys)
    assert not (data / "polyhop.index").exists()


def test_strategies_are_listed_with_their_ablations(capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(["strategies", *arguments])
        return capsys.readouterr().out

    assert "needs text; 2 ablations" in run()
    alone = run("ladder")
    for line in ("gamma = 1.5", "without the check: ladder(check=off)"):
        assert f"  {line}\n" in alone
    assert json.loads(run("ladder", "--json"))["ablations"] == {
        "without the check": {"check": "off"},
        "with one rung": {"gamma": 1},
    }
