"""``polyhop train``: what it needs, what it refuses, and how it is stopped."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from polyhop.cli.train import stop_asked
from polyhop.training import extra
from tests.worlds.commands import Run
from tests.worlds.machine import needs
from tests.worlds.rows import multi_hop, reading, write_rows


@pytest.mark.parametrize("model", ["reader", "planner", "reranker"])
def test_without_the_extra_it_says_what_to_install(
    model: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "NEEDED", ("torch_that_nobody_has",))
    done = run("train", model, "--data", tmp_path, "--out", tmp_path)
    assert done.code == 8
    assert "Training needs the extra 'train'" in done.err
    assert "pip install 'polyhop[train]'" in done.err


@pytest.mark.parametrize("model", ["reader", "planner", "reranker", "translator"])
def test_a_folder_that_takes_no_checkpoint_is_told_before_rows_are_read(
    model: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "NEEDED", ())
    (tmp_path / "out").write_text("a file, and no folder")
    done = run("train", model, "--data", tmp_path / "rows", "--out", tmp_path / "out")
    assert done.code == 7
    assert "takes no checkpoint" in done.err
    assert "Choose an --out that can be written." in done.err


def test_a_start_that_is_no_model_is_told_before_rows_are_read(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")
    done = run("train", "planner", "--data", tmp_path / "rows", "--out", tmp_path / "out", "--start", tmp_path)
    assert done.code == 8
    assert "holds no planner: there is no manifest.json" in done.err


def test_a_bad_row_ends_it_with_file_and_line(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")
    data = write_rows(tmp_path / "rows", [{**reading()[0], "kind": "maybe"}], multi_hop())
    done = run("train", "reader", "--data", data, "--out", tmp_path / "out")
    assert done.code == 2
    assert "reading.jsonl.gz, line 1: kind is 'maybe'" in done.err


def test_what_decides_about_windows_is_refused_where_they_are_made(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")
    made = ("train", "reader", "--windows", tmp_path / "windows.npz", "--out", tmp_path / "out")
    done = run(*made, "--share", 0.5, "--tables", 0)
    assert done.code == 2
    assert "--tables, --share would change nothing" in done.err
    assert "--prepare" in done.err


def test_clues_of_the_translator_can_be_written_for_other_trainers(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra 'train' (torch, 200 MB)")
    needs("smollm2")
    data = write_rows(tmp_path / "rows", [], multi_hop())
    words = ("train", "translator", "--data", data, "--out", tmp_path / "out", "--export-rows", tmp_path / "rows.json")
    done = run(*words)
    assert done.code == 0
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert f"holds {len(rows)} clues" in done.out
    assert all("@@" in row["output"] for row in rows)
    assert not (tmp_path / "out" / "translator").exists()


def test_the_first_interruption_asks_and_the_second_insists(capsys: pytest.CaptureFixture[str]) -> None:
    with stop_asked() as stopped:
        assert not stopped()
        signal.raise_signal(signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert "Stopping behind what is under way" in capsys.readouterr().err
