"""``polyhop models convert``: from a folder of a hub to a translator that answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds.commands import Run
from tests.worlds.hub_models import llama, qwen2


def test_a_converted_model_translates(run: Run, tmp_path: Path, fresh_index: Path) -> None:
    source = qwen2().written(tmp_path / "tiny model")
    done = run("models", "convert", source, "--out", tmp_path / "tiny")
    assert done.code == 0, done.err
    assert f"--set models.translator=converted --set translator.folder={tmp_path / 'tiny'}" in done.out
    chosen = ("--set", "models.translator=converted", "--set", f"translator.folder={tmp_path / 'tiny'}")
    small = ("--set", "strategy.hops=1", "--set", "strategy.alpha=1", "--set", "strategy.beta=1")
    found = run(
        *("search", "Who was the architect of Harrowmere Lighthouse?", "--index", fresh_index),
        *("--strategy", "translator", *chosen, *small),
    )
    assert found.code == 0, found.err


def test_a_folder_is_named_after_the_model(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = llama().written(tmp_path / "Tiny-Llama")
    monkeypatch.chdir(tmp_path)
    assert "translator.folder=Tiny-Llama-float32" in run("models", "convert", source, "--precision", "float32").out
    assert "translator.folder=Tiny-Llama-8-bit" in run("models", "convert", source).out
    again = run("models", "convert", source)
    assert again.code == 2
    assert "is there already" in again.err


@pytest.mark.parametrize(
    ("gone", "code", "said"),
    [
        ("model.safetensors", 8, "has no weights"),
        ("tokenizer.json", 8, "has no tokenizer.json"),
        ("config.json", 8, "has no config.json"),
    ],
)
def test_what_is_missing_is_said(run: Run, tmp_path: Path, gone: str, code: int, said: str) -> None:
    (llama().written(tmp_path / "source") / gone).unlink()
    outcome = run("models", "convert", tmp_path / "source", "--out", tmp_path / "out")
    assert outcome.code == code
    assert said in outcome.err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_there_is_said(run: Run, tmp_path: Path) -> None:
    outcome = run("models", "convert", tmp_path / "nowhere")
    assert outcome.code == 2
    assert "There is no folder" in outcome.err
