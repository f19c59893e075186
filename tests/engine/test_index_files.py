"""Indexing files through the engine: only what changed is done, nothing vanished stays, and no text counts twice."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import UsageError
from polyhop.types import Span
from tests.worlds.documents import GREBE, HARBOUR, write
from tests.worlds.indexed import counts, extracted, titles
from tests.worlds.settings import QUICK


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
