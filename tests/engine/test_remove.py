"""Removing documents through the engine: by whatever names them, from every layer, until they are indexed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexMissing
from tests.worlds.documents import write
from tests.worlds.indexed import counts, titles
from tests.worlds.settings import QUICK


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


def test_a_removed_document_comes_back_with_the_next_indexing(rows_engine: Polyhop) -> None:
    rows_engine.remove("rows.jsonl#r1")
    report = rows_engine.index(rows_engine.path.parent / "docs")
    assert counts(report)["added"] == 1
    assert rows_engine.status().documents == 5
