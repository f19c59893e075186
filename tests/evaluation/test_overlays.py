"""Overlays of damage: kept by name, fitting one generation of a graph, and made, listed and removed by a command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from polyhop.cli.main import polyhop
from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt, IndexMissing, OverlayStale, PolyhopError, UsageError
from polyhop.evaluation.robustness.corruption import corrupt
from polyhop.layers.facts import overlay as overlays
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, overlaid
from tests.worlds.coast import GRAPH, SHELF, damaged, embed, said
from tests.worlds.documents import HARBOUR, write

# --- kept overlays ----------------------------------------------------------------------------------------------------


def test_an_overlay_is_kept_and_read_again(tmp_path: Path) -> None:
    overlay = damaged("spurious", ratio=0.5, seed=3, around=["Fennick", "Orrel"])
    path = overlays.save(overlay, tmp_path, "bad-20")
    assert overlays.read(tmp_path, "bad-20") == overlay
    assert overlays.names(tmp_path) == ("bad-20",)
    assert [entry.name for entry in path.parent.iterdir()] == ["bad-20.json"]
    overlays.remove(tmp_path, "bad-20")
    assert overlays.names(tmp_path) == ()


def test_an_unknown_or_impossible_name_is_refused(tmp_path: Path) -> None:
    overlays.save(damaged("mis_bound"), tmp_path, "bad")
    for use in (overlays.read, overlays.remove):
        with pytest.raises(UsageError, match="no overlay 'bat'") as refused:
            use(tmp_path, "bat")
        assert "bad" in refused.value.remedy
        with pytest.raises(UsageError, match="cannot be the name"):
            use(tmp_path, "../bad")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 9}', '{"format": 1, "edits": [{}]}', "\0"])
def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path, content: str) -> None:
    path = overlays.save(damaged("mis_bound"), tmp_path, "bad")
    path.write_text(content, encoding="utf-8")
    with pytest.raises(IndexCorrupt, match="is no overlay"):
        overlays.read(tmp_path, "bad")


def test_an_overlay_fits_one_generation_only(tmp_path: Path) -> None:
    """Facts are numbered, so that an overlay over others would damage the wrong ones."""
    GRAPH.save(tmp_path / "one")
    live = np.arange(1, 9)
    graph = FactGraph.open(tmp_path / "one", live)
    overlay = corrupt(graph, SHELF, kind="spurious", ratio=0.5)
    assert overlay.generation == "one"
    assert len(overlaid(graph, overlay, embed).heads) == len(graph.heads)
    GRAPH.save(tmp_path / "two")
    with pytest.raises(OverlayStale, match="another state of the index") as stale:
        overlaid(FactGraph.open(tmp_path / "two", live), overlay, embed)
    assert isinstance(stale.value, PolyhopError)
    assert "polyhop corrupt" in stale.value.remedy


@pytest.mark.parametrize(("passage", "ordinal"), [(1, 99), (99, 0), (2, 1)])
def test_an_edit_of_a_fact_that_is_not_there_is_refused(passage: int, ordinal: int) -> None:
    fact = Worded("Quillmouth", "is a harbour on", "Sable Coast", "GPE", "LOC")
    edit = Edit(passage=passage, ordinal=ordinal, kind="mis_bound", before=fact, after=None)
    overlay = Overlay(kind="mis_bound", ratio=0.1, seed=0, generation="", pool=9, edits=(edit,))
    with pytest.raises(OverlayStale, match="not where it was"):
        overlaid(GRAPH, overlay, embed)


def test_an_overlaid_graph_can_be_saved_and_opened(tmp_path: Path) -> None:
    """It is a whole graph: every part fits the others."""
    changed = overlaid(GRAPH, damaged("incomplete"), embed)
    changed.save(tmp_path / "changed")
    assert said(FactGraph.open(tmp_path / "changed", np.arange(9))) == said(changed)


def test_passages_that_were_deleted_stay_deleted(tmp_path: Path) -> None:
    GRAPH.save(tmp_path / "one")
    graph = FactGraph.open(tmp_path / "one", np.array([1, 3, 4, 5]))  # Ada Brisk's is gone
    overlay = corrupt(graph, SHELF, kind="over_generalised", ratio=1.0)
    assert {edit.passage for edit in overlay.edits} == {1, 3, 4, 5}
    assert overlaid(graph, overlay, embed).facts_of(2).tolist() == []


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with facts; not to be changed."""
    folder = tmp_path_factory.mktemp("facts")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "harbour", HARBOUR), layers=("text", "parsekg", "facts"))
    return folder / "polyhop.index"


@pytest.fixture
def facts_index(made_index: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be changed at will."""
    return Path(shutil.copytree(made_index, tmp_path / "polyhop.index"))


def run(*arguments: str | Path) -> Iterable[str]:
    result = CliRunner().invoke(polyhop, ["corrupt", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.splitlines()


def test_the_command_makes_lists_and_removes_overlays(facts_index: Path) -> None:
    """It says how much it damaged and how to use it; the index's own facts stay as they are."""
    made = list(run("--kind", "spurious", "--ratio", "0.5", "--index", facts_index))
    assert made[0].startswith("spurious-50: ")
    assert made[-1] == "Use it with any command: --set layers.facts.overlay=spurious-50"
    assert sum(line.startswith("  - ") for line in made) == 5
    assert len(list(run("--kind", "spurious", "--seed", "7", "--name", "other", "--index", facts_index))) > 1
    assert [line.partition(":")[0] for line in run("--list", "--index", facts_index)] == ["other", "spurious-50"]
    assert list(run("--remove", "other", "--index", facts_index)) == ["Removed other."]
    assert overlays.names(facts_index) == ("spurious-50",)


def test_the_command_tells_an_index_without_overlays_from_none(facts_index: Path, tmp_path: Path) -> None:
    assert list(run("--list", "--index", facts_index)) == ["There are no overlays."]
    for option in (["--list"], ["--remove", "noisy"]):
        with pytest.raises(IndexMissing):
            run(*option, "--index", tmp_path / "none.index")


def test_the_command_damages_around_what_questions_need(facts_index: Path, tmp_path: Path) -> None:
    question = {"id": "1", "question": "Where was the builder born?", "answer": "Fennick"}
    question |= {"decomposition": [["Quillmouth", "built by", "Ada Brisk"]]}  # type: ignore[dict-item]
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "title": "", "text": "."}\n')
    (tmp_path / "questions_dev.jsonl").write_text(json.dumps(question) + "\n")
    shown = run(
        "--kind",
        "over_generalised",
        "--ratio",
        "1",
        "--index",
        facts_index,
        "--questions",
        tmp_path / "questions_dev.jsonl",
    )
    assert "around 2 names" in next(iter(shown))
    overlay = overlays.read(facts_index, "over_generalised-100")
    assert overlay.edits
    touched = [{edit.before.head.lower(), edit.before.tail.lower()} for edit in overlay.edits]
    assert all(ends & {"quillmouth", "ada brisk"} for ends in touched)


def test_the_command_refuses_what_it_cannot_do(facts_index: Path) -> None:
    for arguments, reason in (
        ((), "No kind"),
        (("--kind", "spurios"), "no kind of damage"),
        (("--kind", "spurious", "--editor", "model"), "none is configured"),
    ):
        with pytest.raises(UsageError, match=reason):
            run(*arguments, "--index", facts_index)
