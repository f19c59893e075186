"""A run that was killed goes on where it stopped, and finds what it would have found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import StorageFull
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment
from polyhop.evaluation.manifest import manifest, names_of
from polyhop.evaluation.unfinished import FOLDER, Unfinished
from polyhop.settings import Settings
from polyhop.types import Answer, Budget
from tests.worlds.documents import HARBOUR

QUESTIONS = 30
PEOPLE = ("Ada Brisk", "the Tarn School", "Quillmouth", "Fennick")
Report = dict[str, Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set about the harbour."""
    folder = tmp_path / "data"
    folder.mkdir()
    passages = [{"id": name, "title": name.removesuffix(".txt"), "text": text} for name, text in HARBOUR.items()]
    asked = [
        {"id": f"q{number}", "question": f"What is told of {PEOPLE[number % 4]} on page {number}?", "answer": "Fennick"}
        for number in range(QUESTIONS)
    ]
    for name, rows in (("corpus", passages), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def arguments(data: Path, *more: str) -> list[str]:
    """The run as it is typed."""
    return ["eval", str(data), "--strategy", "bm25,hybrid", "--json", str(data / "out.json"), *more]


@pytest.fixture
def evaluated(data: Path) -> Callable[[], tuple[int, Report]]:
    """Carries a run out to its end."""

    def run() -> tuple[int, Report]:
        with pytest.raises(SystemExit) as left:
            main(arguments(data))
        assert isinstance(left.value.code, int)
        return left.value.code, json.loads((data / "out.json").read_text(encoding="utf-8"))

    return run


def kept(data: Path) -> list[bytes]:
    """The lines that a run has kept."""
    return [line for file in (data / "polyhop.index" / FOLDER).glob("*") for line in file.read_bytes().splitlines()]


def untimed(value: Any) -> Any:
    """A report without what the clock says."""
    if isinstance(value, dict):
        return {key: untimed(each) for key, each in value.items() if "seconds" not in key and key != "made"}
    return [untimed(each) for each in value] if isinstance(value, list) else value


class Interrupted(Polyhop):
    """An engine at which somebody presses Ctrl-C in the middle of a question."""

    left = 7

    def ask(self, question: str, **options: Any) -> Answer:
        """The answer, as long as nobody has."""
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().ask(question, **options)


def test_what_ctrl_c_left_undone_is_done_by_the_same_run(data: Path) -> None:
    """Nothing is asked twice, and a question that failed is asked again."""
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25", "hybrid"), limit=5)
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])
        made = manifest(experiment, dataset, settings=engine.settings, models=engine.status().models)
        unbroken = experiment.run(engine, dataset)
    with Interrupted(data / "an.index") as engine:
        first = experiment.run(engine, dataset, unfinished=Unfinished.of(engine.path, made))
        assert first.interrupted
        assert [len(records) for records in first.records.values()] == [5, 2]
        again = Unfinished.of(engine.path, made)
        assert len(again) == 7
        engine.left = 3
        second = experiment.run(engine, dataset, unfinished=again)
        assert not second.interrupted
    for name, records in unbroken.records.items():
        for one, other in zip(records, second.records[name], strict=True):
            assert (one.metrics, one.outcome.ranking, one.outcome.answer, one.outcome.hops) == (
                *(other.metrics, other.outcome.ranking, other.outcome.answer, other.outcome.hops),
            )
        assert second.records[name][:2] == first.records[name][:2]


def test_what_nobody_went_on_with_for_a_month_is_let_go_of(data: Path) -> None:
    """Once the index has changed nobody can: such files would stay for ever."""
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",), limit=1)
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])
        made = manifest(experiment, dataset, settings=engine.settings)
        old, new = (engine.path / FOLDER / f"{name}.jsonl" for name in ("old", "new"))
        old.parent.mkdir()
        for file, days in ((old, 31), (new, 29)):
            file.write_text("{}\n")
            os.utime(file, (0, time.time() - days * 86_400))
        Unfinished.of(engine.path, made)
    assert (old.exists(), new.exists()) == (False, True)


def test_another_index_or_other_settings_go_on_with_nothing(data: Path) -> None:
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",), limit=2)
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])

        def known(budget: int = 5, **settings: object) -> int:
            changed = Settings.from_mapping(settings) if settings else engine.settings
            made = manifest(Experiment(strategies=("bm25",), budget=Budget(passages=budget)), dataset, settings=changed)
            return len(Unfinished.of(engine.path, made))

        made = manifest(experiment, dataset, settings=engine.settings)
        experiment.run(engine, dataset, unfinished=Unfinished.of(engine.path, made))
        assert known() == 2
        assert known(budget=4) == 0
        assert known(strategies={"hybrid": {"depth": 9}}) == 0
        (data / "more.txt").write_text("Grebe Marsh lies behind Fennick.")
        engine.index(data / "more.txt", layers=["text"])
        assert known() == 0


def test_another_language_model_in_the_environment_goes_on_with_nothing(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings say "auto" of both."""
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",), limit=2, retrieval_only=True)
    monkeypatch.setenv("POLYHOP_BASE_URL", "http://127.0.0.1:9/v1")
    for model, known in (("heron", 0), ("heron", 2), ("osprey", 0)):
        monkeypatch.setenv("POLYHOP_MODEL", model)
        with Polyhop(data / "an.index") as engine:
            engine.index(dataset.corpus, layers=["text"])
            made = manifest(experiment, dataset, settings=engine.settings, models=names_of(engine.models))
            assert made["models"]["language_model"] == f"{model}@127.0.0.1:9"
            unfinished = Unfinished.of(engine.path, made)
            assert len(unfinished) == known
            experiment.run(engine, dataset, unfinished=unfinished)


def test_a_shorter_run_that_ends_leaves_what_a_longer_one_has_kept(
    data: Path, evaluated: Callable[[], tuple[int, Report]]
) -> None:
    """A look at a few questions in between does not cost the hours that were spent before it."""
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25", "hybrid"))
    evaluated()
    with Interrupted(data / "polyhop.index", settings=Settings.from_mapping({"chunking": {"longest_row": None}})) as it:
        it.left = QUESTIONS + 9
        made = manifest(experiment, dataset, settings=it.settings, models=names_of(it.models))
        experiment.run(it, dataset, models=it.models, unfinished=Unfinished.of(it.path, {**made, "run": 0}))
    assert len(kept(data)) == QUESTIONS + 9
    with pytest.raises(SystemExit) as left:
        main(["eval", str(data), "--strategy", "bm25", "--limit", "10"])
    assert left.value.code == 0
    assert len(kept(data)) == QUESTIONS - 10 + 9
    assert evaluated()[0] == 0
    assert kept(data) == []


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_run_that_was_killed_goes_on_and_ends_as_if_it_never_was(
    data: Path, evaluated: Callable[[], tuple[int, Report]], capsys: pytest.CaptureFixture[str]
) -> None:
    with subprocess.Popen([sys.executable, "-m", "polyhop.cli.main", *arguments(data)], stderr=subprocess.PIPE) as run:
        while run.poll() is None and len(kept(data)) < 3:
            time.sleep(0.002)
        run.kill()
    done = len(kept(data))
    assert done >= 3
    code, report = evaluated()
    assert code == 0
    assert "from a run that did not end, or not without errors; this one goes on." in capsys.readouterr().err
    assert kept(data) == []
    assert untimed(evaluated()[1]) == untimed(report)
    assert "this one goes on" not in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_told_before_anything_is_asked(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "in_the_way").touch()
    for option in ("--json", "--report"):
        with pytest.raises(SystemExit) as left:
            main(["eval", str(data), "--strategy", "bm25", option, str(data / "in_the_way" / "out")])
        assert left.value.code == StorageFull.exit_code
        assert "Choose a file in a folder that can be written." in capsys.readouterr().err
    assert not (data / "polyhop.index").exists()


def test_a_report_that_cannot_be_written_costs_no_outcome(
    data: Path, evaluated: Callable[[], tuple[int, Report]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as where the disk was filled by others while questions were asked."""
    monkeypatch.setattr("polyhop.evaluation.reports.report.check_place", lambda _: None)
    (data / "in_the_way").touch()
    with pytest.raises(SystemExit) as left:
        main(["eval", str(data), "--strategy", "bm25", "--json", str(data / "in_the_way" / "out.json")])
    assert left.value.code not in (0, 2)
    assert len(kept(data)) == QUESTIONS
    assert evaluated()[0] == 0
    assert kept(data) == []


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX here")
def test_reports_are_written_also_where_a_pager_is_left_before_the_tables_end(data: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    page = data / "out.html"
    command = arguments(data, "--retrieval-only", "--limit", "2", "--report", str(page))
    done = subprocess.run([sys.executable, "-m", "polyhop", *command], stdout=writing, check=False)
    os.close(writing)
    assert done.returncode == 0
    assert json.loads((data / "out.json").read_text(encoding="utf-8"))["records"]
    assert page.is_file()


def test_a_folder_as_a_report_is_refused_before_anything_is_asked(data: Path) -> None:
    with pytest.raises(SystemExit) as left:
        main(["eval", str(data), "--strategy", "bm25", "--report", str(data)])
    assert left.value.code == 2
    assert not (data / "polyhop.index").exists()


def test_one_file_for_both_reports_is_refused_before_anything_is_asked(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments(data, "--report", str(data / "." / "out.json")))
    assert left.value.code == 2
    assert "Name another file for one of them." in capsys.readouterr().err
    assert not (data / "polyhop.index").exists()


def test_what_was_asked_without_a_recording_is_asked_again_for_one(data: Path) -> None:
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",), limit=2)
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])
        made = manifest(experiment, dataset, settings=engine.settings)
        experiment.run(engine, dataset, unfinished=Unfinished.of(engine.path, made))
        assert len(Unfinished.of(engine.path, {**made, "recorded": []})) == 2
        assert len(Unfinished.of(engine.path, {**made, "recorded": ["replies.jsonl"]})) == 0


def test_code_that_adds_a_component_decides_too(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a strategy of one's own is mended in mid-run, what it found before is not what it finds now."""
    code = tmp_path / "of_our_own.py"
    code.write_text("depth = 1\n")
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",), limit=2)
    monkeypatch.setattr("polyhop.registry.sources", lambda: frozenset({code}))
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])
        made = manifest(experiment, dataset, settings=engine.settings)
        experiment.run(engine, dataset, unfinished=Unfinished.of(engine.path, made))
        assert len(Unfinished.of(engine.path, made)) == 2
        code.write_text("depth = 2\n")
        assert len(Unfinished.of(engine.path, made)) == 0


def test_a_setting_that_is_a_long_text_is_taken_for_no_file(data: Path) -> None:
    dataset, experiment = Dataset.read(data), Experiment(strategies=("bm25",))
    with Polyhop(data / "an.index") as engine:
        engine.index(dataset.corpus, layers=["text"])
        made = manifest(experiment, dataset, settings=engine.settings)
        told = {**made["settings"], "reader": {"told": "The heron stands in the reeds. " * 20}}
        assert len(Unfinished.of(engine.path, {**made, "settings": told})) == 0
