"""The mixture is the same for the same seed, keeps contexts apart, and has questions that nothing answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from polyhop.models.cross_encoder import reranker_folder
from polyhop.training import mixture
from polyhop.training.mixture import Windows, mixed, share_of
from polyhop.training.neighbours import Neighbours
from polyhop.training.rows import KINDS, MultiHopRow, TrainingPassage, multi_hop_rows, reading_rows
from tests.worlds.rows import multi_hop, reading, write_rows


def windows(folder: Path, seed: int = 0) -> Windows:
    write_rows(folder, reading(), multi_hop())
    return mixed(reading_rows(folder), multi_hop_rows(folder), reranker_folder() / "tokenizer.json", seed=seed)


def test_the_same_seed_gives_the_same_windows(tmp_path: Path) -> None:
    assert windows(tmp_path) == windows(tmp_path)
    assert windows(tmp_path) != windows(tmp_path, seed=1)


def test_every_kind_and_both_files_are_in_it(tmp_path: Path) -> None:
    made = windows(tmp_path).training
    assert {KINDS[window.kind] for window in made} == set(KINDS)
    assert {window.source for window in made} == {"harbours/one", "lights", "multihop/hops"}


def test_some_spans_get_a_context_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "NOTHING_SHARES", {"span": 1.0})
    kinds = [KINDS[window.kind] for window in windows(tmp_path).training if window.source == "lights"]
    assert "span" not in kinds


def test_some_documents_lose_what_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "NOTHING_SHARES", {"span": 1.0})
    monkeypatch.setattr(mixture, "LOST_SHARES", {"lights": 1.0})
    monkeypatch.setattr(Neighbours, "near", lambda *_: [])
    assert "span" not in {KINDS[one.kind] for one in windows(tmp_path).training if one.source == "lights"}


def test_a_context_is_kept_aside_with_all_its_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    made = windows(tmp_path)
    assert len(made.aside) == 4 * 5 + 1  # Ostrand's four contexts, and its question of two hops


@pytest.mark.parametrize("most", [{"lights": 7}, {"harbours": 7}])
def test_sources_are_capped_by_name_and_by_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: Mapping[str, int]
) -> None:
    monkeypatch.setattr(mixture, "MOST_ROWS", most)
    made = windows(tmp_path)
    (name,) = most
    assert sum(window.source.startswith(name) for window in (*made.training, *made.aside)) == 7


def test_a_share_of_the_rows_keeps_all_that_is_kept_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "is_kept_aside", lambda text: "Ostrand" in text)
    rows = reading_rows(write_rows(tmp_path, reading(), multi_hop()))
    aside = [row for row in rows if "Ostrand" in row.context]
    half = share_of(rows, 0.5)
    assert aside == [row for row in half if "Ostrand" in row.context] == share_of(rows, 0)
    assert len(aside) < len(half) < len(rows)
    assert share_of(rows, 1) == rows


@pytest.mark.parametrize("answer", ["no", "yes"])
def test_a_question_for_a_yes_or_a_no_may_lose_what_it_rests_on(answer: str) -> None:
    """The letters of "no" stand in "north" and in "known", which says nothing about the answer."""
    tells = TrainingPassage(title="Ostrand", text="The northern pier of Ostrand is known to be closed.")
    others = [TrainingPassage(title=f"Pier {at}", text="Another pier is known there.") for at in range(6)]
    row = MultiHopRow(
        source="a", licence="CC0-1.0", question="Open?", answer=answer, positives=(tells,), negatives=tuple(others)
    )
    made = [mixture._among_passages(row, random.Random(seed), may_lose=True) for seed in range(60)]  # noqa: S311
    lost = [example for example in made if example is not None and example.kind == "none"]
    assert lost
    assert not any("northern" in part.text for example in lost for part in example.parts)
    assert None not in made
