"""Indexing through the engine: only what changed is done, nothing vanished stays, and a dry run tells the truth."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexMissing, ModelMismatch, SettingError, UnknownComponent, UsageError
from polyhop.indexing import build, remembered
from polyhop.reports import IndexReport, Progress
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Span
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.machine import needs
from tests.worlds.settings import QUICK


def extracted(report: IndexReport) -> dict[str, int]:
    return {layer.name: layer.extracted for layer in report.layers}


def counts(report: IndexReport) -> dict[str, int]:
    """What happened to the documents, without what did not."""
    names = ("added", "changed", "unchanged", "removed", "duplicates")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def titles(engine: Polyhop, question: str = HARBOUR_BRIDGE, strategy: str = "bm25") -> list[str]:
    return [passage.title for passage in engine.search(question, k=20, strategy=strategy).passages]


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))  # those come and go with readers
    }


def test_the_first_run_adds_everything(tmp_path: Path, harbour: Path) -> None:
    with Polyhop(tmp_path / "new.index", settings=QUICK) as engine:
        report = engine.index(harbour)
        assert counts(report) == {"added": 4}
        assert extracted(report) == {"text": 4, "parsekg": 4}
        assert (report.documents, report.passages, report.skipped, report.dry_run) == (4, 4, (), False)
        assert report.entities > 4
        assert report.seconds > 0
        assert report.cost.tokens == 0


def test_the_same_folder_again_does_nothing(harbour_engine: Polyhop, harbour: Path) -> None:
    report = harbour_engine.index(harbour)
    assert counts(report) == {"unchanged": 4}
    assert extracted(report) == {"text": 0, "parsekg": 0}
    assert [layer.reused for layer in report.layers] == [4, 4]


def test_touching_a_file_reads_it_again_but_derives_nothing_again(harbour_engine: Polyhop, harbour: Path) -> None:
    os.utime(harbour / "fennick.txt", (1, 1))
    report = harbour_engine.index(harbour)
    assert counts(report) == {"unchanged": 4}
    assert extracted(report) == {"text": 0, "parsekg": 0}


def test_a_changed_file_redoes_only_itself(harbour_engine: Polyhop, harbour: Path) -> None:
    write(harbour, {"fennick.txt": "Fennick is a ruin by the Grebe Marsh."})
    report = harbour_engine.index(harbour)
    assert counts(report) == {"changed": 1, "unchanged": 3}
    assert extracted(report) == {"text": 1, "parsekg": 1}
    assert titles(harbour_engine, "Grebe Marsh") == ["fennick"]
    assert titles(harbour_engine, "late trains glass") == []


def test_of_a_long_file_only_the_changed_passages_are_redone(tmp_path: Path) -> None:
    seen = random.Random(7)  # noqa: S311
    days = [f"Day {seen.randint(1, 999)}: {seen.randint(1, 999)} gulls." for _ in range(360)]
    folder = write(tmp_path / "docs", {"log.txt": " ".join(days)})
    settings = replace(QUICK, chunking=replace(QUICK.chunking, tokens=128, overlap=0))
    with Polyhop(tmp_path / "an.index", settings=settings) as engine:
        first = engine.index(folder)
        days[120] = "Then the pier burned down, and nobody counted for a week."
        write(folder, {"log.txt": " ".join(days)})
        report = engine.index(folder)
    assert first.passages > 15
    assert counts(report) == {"changed": 1}
    assert 1 <= extracted(report)["text"] <= 4
    assert extracted(report)["text"] + report.layers[0].reused == report.passages


@pytest.mark.parametrize("strategy", ["bm25", "dense", "hybrid", "paths"])
def test_a_deleted_file_disappears_from_every_layer(harbour_engine: Polyhop, harbour: Path, strategy: str) -> None:
    (harbour / "ada_brisk.txt").unlink()
    assert counts(harbour_engine.index(harbour)) == {"removed": 1, "unchanged": 3}
    assert "ada brisk" not in titles(harbour_engine, "Who was Ada Brisk?", strategy)
    assert [layer.done for layer in harbour_engine.status().layers] == [3, 3]
    answer = harbour_engine.ask("Where was Ada Brisk born?", strategy=strategy)
    assert all("ada_brisk" not in citation.uri for citation in answer.citations)


def test_an_emptied_file_disappears_and_is_named(harbour_engine: Polyhop, harbour: Path) -> None:
    (harbour / "fennick.txt").write_bytes(b"")
    report = harbour_engine.index(harbour)
    assert counts(report) == {"removed": 1, "unchanged": 3}
    assert [(Path(skipped.uri).name, skipped.reason) for skipped in report.skipped] == [("fennick.txt", "is empty")]


def test_a_deleted_folder_can_be_indexed_no_more_but_its_parent_can(harbour_engine: Polyhop, harbour: Path) -> None:
    shutil.rmtree(harbour)
    with pytest.raises(UsageError, match="There is no file or folder"):
        harbour_engine.index(harbour)
    harbour.mkdir()
    assert counts(harbour_engine.index(harbour)) == {"removed": 4}
    assert titles(harbour_engine) == []


def test_the_folder_of_the_index_itself_is_refused_before_anything_is_made_there(tmp_path: Path) -> None:
    (tmp_path / "bell.txt").write_text("Ada Brisk cast the bell.")
    with Polyhop(tmp_path) as engine, pytest.raises(UsageError, match="belongs to the index"):
        engine.index(tmp_path / ".")
    assert [path.name for path in tmp_path.iterdir()] == ["bell.txt"]


@pytest.mark.parametrize("named", ["polyhop.index", "polyhop.index/generations", "link"])
def test_what_belongs_to_the_index_is_not_indexed(tmp_path: Path, named: str) -> None:
    (tmp_path / "bell.txt").write_text("Ada Brisk cast the bell.")
    (tmp_path / "link").symlink_to(tmp_path / "polyhop.index" / "generations")
    with Polyhop(tmp_path / "polyhop.index") as engine:
        engine.index(tmp_path / "bell.txt", layers=("text",))
        with pytest.raises(UsageError, match="belongs to the index"):
            engine.index(tmp_path / named, layers=("text",))
        assert engine.status().documents == 1


@pytest.mark.parametrize("dry_run", [False, True])
def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, harbour: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    """It is what a variable of a shell says that was never set."""
    monkeypatch.chdir(harbour)
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        with pytest.raises(UsageError, match="There is no file or folder ''"):
            engine.index(harbour, "", dry_run=dry_run)
        assert not engine.path.exists()


def test_an_engine_stays_at_its_index_when_the_current_folder_changes(
    tmp_path: Path, harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with Polyhop("an.index", settings=QUICK) as engine:
        engine.index(harbour, layers=("text",))
        monkeypatch.chdir(elsewhere)
        engine.add_text("A gull is a bird of the coast.", "gull", layers=("text",))
        assert engine.status().documents == 5
        assert engine.search("gull", strategy="bm25").passages
    assert not list(elsewhere.iterdir())


def test_a_file_that_is_named_and_gone_is_removed(harbour_engine: Polyhop, harbour: Path) -> None:
    (harbour / "fennick.txt").unlink()
    assert counts(harbour_engine.index(harbour / "fennick.txt", dry_run=True)) == {"removed": 1}
    assert counts(harbour_engine.index(harbour / "fennick.txt")) == {"removed": 1}
    with pytest.raises(UsageError, match="There is no file or folder"):
        harbour_engine.index(harbour, harbour / "feNnick.txt")


def test_documents_from_elsewhere_stay(harbour_engine: Polyhop, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"gull.txt": "The gull is a bird of the Sable Coast."})
    assert counts(harbour_engine.index(other)) == {"added": 1}
    assert harbour_engine.status().documents == 5
    (other / "gull.txt").unlink()
    assert counts(harbour_engine.index(other)) == {"removed": 1}
    assert harbour_engine.status().documents == 4


def test_a_renamed_file_is_found_under_its_new_name_only(harbour_engine: Polyhop, harbour: Path) -> None:
    (harbour / "fennick.txt").rename(harbour / "old_fennick.txt")
    assert counts(harbour_engine.index(harbour)) == {"added": 1, "removed": 1, "unchanged": 3}
    assert titles(harbour_engine, "late trains glass") == ["old fennick"]


def test_a_moved_file_with_a_title_of_its_own_is_not_its_own_duplicate(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": "# The Grebe\n\nThe grebe dives in the Oar."})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder)
        (folder / "sub").mkdir()
        (folder / "a.md").rename(folder / "sub" / "a.md")
        assert counts(engine.index(folder)) == {"added": 1, "removed": 1}
        found = engine.search("grebe", strategy="bm25").passages
        assert [passage.title for passage in found] == ["The Grebe"]
        assert engine.status().documents == 1


def test_a_file_of_rows_may_move_there_and_back(tmp_path: Path) -> None:
    """Rows have ids of their own, so that they move with their file; its old place is not remembered as read."""
    folder = write(tmp_path / "docs", {"x.jsonl": '{"id": "r1", "title": "Grebe", "text": "The grebe dives."}\n'})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder)
        for old, new in (("x", "y"), ("y", "x"), ("x", "y")):
            (folder / f"{old}.jsonl").rename(folder / f"{new}.jsonl")
            engine.index(folder)
            assert titles(engine, "grebe") == ["Grebe"]
            citation = engine.search("grebe", strategy="bm25").passages[0]
            assert citation.id == "r1"


def test_rows_that_vanish_from_a_file_vanish_from_the_index(tmp_path: Path) -> None:
    rows = [f'{{"id": "r{number}", "title": "Row {number}", "text": "bird number {number}"}}\n' for number in range(4)]
    folder = write(tmp_path / "docs", {"x.jsonl": "".join(rows)})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        assert counts(engine.index(folder)) == {"added": 4}
        write(folder, {"x.jsonl": "".join(rows[:1] + rows[2:])})
        report = engine.index(folder)
        assert counts(report) == {"unchanged": 3, "removed": 1}
        assert extracted(report) == {"text": 0, "parsekg": 0}
        assert sorted(titles(engine, "bird")) == ["Row 0", "Row 2", "Row 3"]


GREBE = "# The Grebe\n\nThe grebe dives in the Oar."


def test_the_same_text_twice_counts_once(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": GREBE, "b.md": GREBE, "c.md": "# Gull\n\nThe gull does not dive."})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        report = engine.index(folder)
        assert counts(report) == {"added": 2, "duplicates": 1}
        assert [Path(skipped.uri).name for skipped in report.skipped] == ["b.md"]
        assert "has the same text as" in report.skipped[0].reason
        assert report.skipped[0].reason.endswith("a.md")
        assert titles(engine, "grebe") == ["The Grebe"]
        again = engine.index(folder)
        assert counts(again) == {"unchanged": 2, "duplicates": 1}, "it is still there, and still said"


def test_a_duplicate_takes_over_when_the_original_goes(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": GREBE, "b.md": GREBE})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder)
        (folder / "a.md").unlink()
        assert counts(engine.index(folder)) == {"added": 1, "removed": 1}
        assert engine.status().documents == 1
        (passage,) = engine.search("grebe", strategy="bm25").passages
        _, uri, _ = engine.quote(Span(passage.document_id, 0, 1))
        assert Path(uri).name == "b.md"


def test_a_duplicate_that_comes_later_is_refused_too(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"b.md": GREBE})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder)
        write(folder, {"a.md": GREBE})
        assert counts(engine.index(folder)) == {"unchanged": 1, "duplicates": 1}


def test_a_number_sign_in_a_path_is_part_of_the_path(tmp_path: Path) -> None:
    """Rows are named ``file#row``, but "C# notes/a#1.md" is a file."""
    row = '{"id": "r1", "title": "Grebe", "text": "The grebe dives."}\n'
    folder = write(tmp_path / "C# notes", {"a#1.md": GREBE, "x#y.jsonl": row, "b.md": GREBE})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        assert counts(engine.index(folder)) == {"added": 2, "duplicates": 1}
        assert counts(engine.index(folder)) == {"unchanged": 2, "duplicates": 1}
        (folder / "a#1.md").unlink()
        assert counts(engine.index(folder)) == {"added": 1, "removed": 1, "unchanged": 1}
        assert len(engine.remove("x#y.jsonl#r1").removed) == 1
        assert counts(engine.index(folder)) == {"added": 1, "unchanged": 1}


def test_the_index_does_not_index_itself(tmp_path: Path) -> None:
    """``polyhop index .`` is what everybody types, with polyhop.index in the same folder."""
    folder = write(tmp_path / "docs", HARBOUR)
    with Polyhop(folder / "polyhop.index", settings=QUICK) as engine:
        assert counts(engine.index(folder)) == {"added": 4}
        report = engine.index(folder)
        assert counts(report) == {"unchanged": 4}
        assert report.skipped == ()
        assert engine.index(folder, dry_run=True).skipped == ()


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


@pytest.fixture
def rows_engine(tmp_path: Path) -> Any:
    rows = "".join(f'{{"id": "r{n}", "title": "Row {n}", "text": "bird {n}"}}\n' for n in range(3))
    folder = write(tmp_path / "docs", {"rows.jsonl": rows, "gull.txt": "A gull.", "sub/gull.md": "# Two\n\nGulls."})
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(folder)
        yield engine


@pytest.mark.parametrize(
    ("uri", "removed"),
    [
        ("gull.txt", 1),
        ("sub/gull.md", 1),
        ("rows.jsonl", 3),
        ("rows.jsonl#r1", 1),
        ("{folder}/gull.txt", 1),
        ("{folder}/rows.jsonl", 3),
        ("{folder}/rows.jsonl#r2", 1),
    ],
)
def test_documents_are_removed_by_name_path_row_or_uri(rows_engine: Polyhop, uri: str, removed: int) -> None:
    folder = rows_engine.path.parent / "docs"
    report = rows_engine.remove(uri.format(folder=folder))
    assert (len(report.removed), report.passages, report.missing) == (removed, removed, ())
    status = rows_engine.status()
    assert status.documents == 5 - removed
    assert [(layer.done, layer.missing) for layer in status.layers] == [(5 - removed, 0)] * 2
    assert len(titles(rows_engine, "bird gull gulls row two", "dense")) == 5 - removed


def test_names_that_are_not_in_the_index_are_said(rows_engine: Polyhop) -> None:
    report = rows_engine.remove("gull.txt", "swan.txt", "ull.txt", "rows.jsonl#r9")
    assert report.missing == ("swan.txt", "ull.txt", "rows.jsonl#r9")
    assert len(report.removed) == 1


def test_nothing_is_removed_from_an_index_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing), Polyhop(tmp_path / "no.index") as engine:
        engine.remove("gull.txt")
    assert not (tmp_path / "no.index").exists()


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


def test_a_removed_document_comes_back_with_the_next_indexing(rows_engine: Polyhop) -> None:
    rows_engine.remove("rows.jsonl#r1")
    report = rows_engine.index(rows_engine.path.parent / "docs")
    assert counts(report)["added"] == 1
    assert rows_engine.status().documents == 5


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
