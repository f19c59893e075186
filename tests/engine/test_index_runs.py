"""Runs of indexing through the engine: dry ones that tell the truth, layers and models that change, and progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import ModelMismatch, SettingError, UnknownComponent
from polyhop.indexing import build, remembered
from polyhop.reports import Progress
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.documents import GREBE, HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.indexed import counts, extracted, titles
from tests.worlds.machine import needs
from tests.worlds.settings import QUICK


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))  # those come and go with readers
    }


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"new.txt": "Something new under the sun."},
        {"fennick.txt": "Fennick is a ruin."},
        {"fennick.txt": None},
        {"fennick.txt": None, "moved.txt": HARBOUR["fennick.txt"]},
        {"copy.md": GREBE, "copy2.md": GREBE},
        {"rows.csv": "id,title,text\na,A,first\nb,B,second\n"},
        {"bad.jsonl": '{"id": "x", "text": "fine"}\nnonsense\n'},
    ],
    ids=repr,
)
def test_a_dry_run_forecasts_what_then_happens_and_changes_nothing(
    harbour_engine: Polyhop, harbour: Path, change: Mapping[str, str | None]
) -> None:
    for name, text in change.items():
        if text is None:
            (harbour / name).unlink()
        else:
            write(harbour, {name: text})
    before = contents(harbour_engine.path)
    forecast = harbour_engine.index(harbour, dry_run=True)
    assert contents(harbour_engine.path) == before
    report = harbour_engine.index(harbour)
    assert forecast.dry_run
    assert not report.dry_run
    assert counts(forecast) == counts(report)
    assert forecast.skipped == report.skipped
    assert extracted(forecast) == extracted(report)
    assert [layer.reused for layer in forecast.layers] == [layer.reused for layer in report.layers]
    assert all(layer.seconds >= 0 for layer in forecast.layers)


def test_a_dry_run_without_an_index_makes_none(tmp_path: Path, harbour: Path) -> None:
    write(harbour, {"copy.md": GREBE, "copy2.md": GREBE})
    with Polyhop(tmp_path / "no.index", settings=QUICK) as engine:
        forecast = engine.index(harbour, dry_run=True)
        assert not (tmp_path / "no.index").exists()
        report = engine.index(harbour)
    assert counts(forecast) == counts(report) == {"added": 5, "duplicates": 1}
    assert extracted(forecast) == extracted(report)
    assert forecast.skipped == report.skipped


def test_a_very_slow_run_is_followed_by_a_forecast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As slow as one passage in hours, too, which earlier versions noted as none a second."""
    clock = count(step=9999.0)
    monkeypatch.setattr(build, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(build, "FEW", 1)
    folder = write(tmp_path / "docs", {"mill.txt": "The mill grinds rye."})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder, layers=["text"])
        write(folder, {"weir.txt": "The weir holds the Oar."})
        assert engine.index(folder, dry_run=True).layers[0].seconds == pytest.approx(9999, rel=0.01)
        with Record.create_or_open(engine.path) as record:
            record.set_meta("rate:text", "0.0")
        assert engine.index(folder, dry_run=True).layers[0].seconds > 0


def test_a_dry_run_after_other_chunking_knows_that_all_is_to_be_done_again(
    harbour_engine: Polyhop, harbour: Path
) -> None:
    settings = replace(QUICK, chunking=replace(QUICK.chunking, tokens=16, overlap=0))
    with Polyhop(harbour_engine.path, settings=settings) as engine:
        forecast = engine.index(harbour, dry_run=True)
        report = engine.index(harbour)
    assert counts(forecast) == counts(report) == {"changed": 4}
    assert extracted(forecast) == extracted(report)
    assert report.passages > 4


def test_another_embedder_is_refused_until_the_index_is_embedded_again(harbour_engine: Polyhop, harbour: Path) -> None:
    """Vectors of two models are never mixed."""
    needs("minilm")
    with Polyhop(harbour_engine.path, settings=QUICK.with_models(embedder="minilm")) as engine:
        with pytest.raises(ModelMismatch, match="configured") as caught:
            engine.ask(HARBOUR_BRIDGE)
        assert "polyhop index PATH... --set models.embedder=minilm" in caught.value.remedy
        assert {layer.name: layer.stale for layer in engine.status().layers} == {"text": 4, "parsekg": 0}
        forecast = engine.index(harbour, dry_run=True)
        report = engine.index(harbour)
        assert extracted(forecast) == extracted(report) == {"text": 4, "parsekg": 0}
        assert titles(engine, strategy="dense")
    with pytest.raises(ModelMismatch):
        harbour_engine.search(HARBOUR_BRIDGE)


def test_removing_while_another_embedder_is_configured_mixes_nothing(harbour_engine: Polyhop) -> None:
    with Polyhop(harbour_engine.path, settings=QUICK.with_models(embedder="minilm")) as engine:
        assert engine.remove("fennick.txt").passages == 1
        with pytest.raises(ModelMismatch):
            engine.search(HARBOUR_BRIDGE)
    assert "fennick" not in titles(harbour_engine, strategy="dense")


def test_layers_that_the_index_has_are_kept_fresh_though_not_asked_for(harbour_engine: Polyhop, harbour: Path) -> None:
    write(harbour, {"new.txt": "The Grebe Marsh lies behind Fennick."})
    report = harbour_engine.index(harbour, layers=["text"])
    assert extracted(report) == {"text": 1, "parsekg": 1}


def test_a_layer_can_be_added_later(tmp_path: Path, harbour: Path) -> None:
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        assert extracted(engine.index(harbour, layers=["text"])) == {"text": 4}
        assert engine.strategy_for(None) == "auto"
        assert extracted(engine.index(harbour)) == {"text": 0, "parsekg": 4}


def test_status_counts_what_is_there(harbour_engine: Polyhop) -> None:
    status = harbour_engine.status()
    assert (status.documents, status.passages) == (4, 4)
    assert {layer.name: (layer.done, layer.stale, layer.failed, layer.missing) for layer in status.layers} == {
        "text": (4, 0, 0, 0),
        "parsekg": (4, 0, 0, 0),
    }
    assert status.writer is None
    assert status.bytes == sum(path.stat().st_size for path in harbour_engine.path.rglob("*") if path.is_file())
    assert status.models["embedder"] == "bge-small"
    assert status.version
    assert Path(status.path) == harbour_engine.path.absolute()


def test_a_layer_that_nobody_has_installed_any_more_breaks_nothing(tmp_path: Path) -> None:
    """It stays as it is, for whoever has it again."""
    folder = write(tmp_path / "docs", {"mill.txt": "The mill grinds rye.", "weir.txt": "The weir holds the Oar."})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder, layers=["text"])
        with Record.create_or_open(engine.path) as record:
            record.record_rows("sonnets", "made by hand", [(number, b"row") for number in record.numbers().tolist()])
            record.set_generation("sonnets", "first", {"fingerprint": "made by hand"})
        assert engine.remove("weir.txt").missing == ()
        assert [layer.name for layer in engine.status().layers] == ["text"]
        with Record.open(engine.path) as record:
            assert remembered.up_to_date(record) == ["text"]
            assert len(dict(record.payloads("sonnets"))) == 1


@pytest.mark.parametrize(
    ("settings", "layers", "error", "remedy"),
    [
        ({}, ["txt"], UnknownComponent, "'text'"),
        ({"layers": {"parsekg": {"title": True}}}, ["parsekg"], SettingError, "'titles'"),
        ({"models": {"embedder": "minlm"}}, ["text"], UnknownComponent, "'minilm'"),
    ],
)
def test_a_mistake_is_told_with_the_nearest_name_before_anything_is_read(
    tmp_path: Path, harbour: Path, settings: dict[str, Any], layers: list[str], error: type[Exception], remedy: str
) -> None:
    chosen = Settings.from_mapping(settings)  # those that nothing has are refused when the index is opened
    with pytest.raises(error) as caught, Polyhop(tmp_path / "no.index", settings=chosen) as engine:
        engine.index(harbour, layers=layers)
    assert remedy in getattr(caught.value, "remedy", "")
    assert not (tmp_path / "no.index").exists()


def test_progress_is_told_stage_by_stage_and_ends_complete(tmp_path: Path, harbour: Path) -> None:
    steps: list[Progress] = []
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(harbour, progress=steps.append)
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["reading", "text", "gathering text", "parsekg", "gathering parsekg"]
    last = {step.stage: step for step in steps}
    assert (last["reading"].done, last["reading"].unit) == (4, "documents")
    assert (last["text"].done, last["text"].total, last["text"].unit) == (4, 4, "passages")


def test_a_listener_that_raises_stops_the_run_and_loses_nothing(tmp_path: Path, harbour: Path) -> None:
    class Enough(Exception):
        pass

    def stop(step: Progress) -> None:
        if step.stage == "gathering text":
            raise Enough

    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        with pytest.raises(Enough):
            engine.index(harbour, progress=stop)
        assert extracted(engine.index(harbour)) == {"text": 0, "parsekg": 4}
