"""The mixture is the same for the same seed, keeps contexts apart, and has questions that nothing answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from polyhop.models.cross_encoder import reranker_folder
from polyhop.training import mixture
from polyhop.training.mixture import Windows, mixed, share_of
from polyhop.training.neighbours import Neighbours
from polyhop.training.rows import KINDS, multi_hop_rows, reading_rows
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
