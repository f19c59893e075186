"""The benchmark that grows a corpus by passages of other data sets asks the same questions of each size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.scripts import benchmark

SCALING = benchmark("quality_scaling")


def written(folder: Path, passages: dict[str, str], questions: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    rows = [{"id": one, "title": text.split()[0], "text": text} for one, text in passages.items()]
    for name, lines in (("corpus", rows), ("questions_dev", questions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    ferries = {f"p{number}": f"Gull {number} is a ferry." for number in range(6)}
    asked = {"id": "q1", "question": "Which ferry?", "answer": "Gull 3", "supporting": ["p3"], "context": ["p5", "p3"]}
    more: dict[str, Any] = {"id": "q2", "question": "What else?", "answer": None, "supporting": []}
    towns = {**{f"t{number}": f"Velm {number} is a town." for number in range(5)}, "t9": ferries["p3"]}
    town = {"id": "q1", "question": "Which town?", "answer": "Velm 1", "supporting": ["t1", "t9"]}
    return [written(tmp_path / "ferries", ferries, [asked, more]), written(tmp_path / "towns", towns, [town])]


def test_what_questions_come_with_is_in_every_size_and_no_passage_is_there_twice(folders: list[Path]) -> None:
    """A passage of two data sets is supporting under the one id that it has left."""
    merged = SCALING.merged(folders, "dev", None, 0, first_only=False)
    ids = [row.id for row in merged.rows]
    assert merged.least == 3
    assert set(ids[: merged.least]) == {"ferries-p3", "ferries-p5", "towns-t1"}
    assert len(ids) == len({(row.title, row.text) for row in merged.rows}) == 11
    assert [question["supporting"] for question in merged.questions] == [["ferries-p3"], [], ["towns-t1", "ferries-p3"]]


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(folders: list[Path], tmp_path: Path) -> None:
    merged = SCALING.merged(folders, "dev", 1, 7, first_only=True)
    small = merged.write(tmp_path / "small", merged.least)
    large = merged.write(tmp_path / "large", 8)
    assert merged == SCALING.merged(folders, "dev", 1, 7, first_only=True)
    assert (small.folder / "corpus.jsonl").read_text() == "".join(
        (large.folder / "corpus.jsonl").read_text().splitlines(keepends=True)[: merged.least]
    )
    assert [question.id for question in large.questions] == ["ferries-q1"]
    assert large.unknown_supporting == {}


def test_each_strategy_is_a_line_over_the_sizes() -> None:
    found = [
        {"passages": size, "strategies": {"bm25": {"recall@2": 0.5, "recall@5": share, "all@5": 0.1, "seconds": 0.2}}}
        for size, share in ((10, 0.9), (100, 0.7))
    ]
    assert SCALING.rows_of(found)[1] == ["bm25", 100, 50.0, 70.0, 10.0, 200.0]
    assert "bm25: 10: 90.0, 100: 70.0" in SCALING.chart(found)
    assert SCALING.page(found, {"questions": 2, "data": "a<b", "seed": 0}).count("<svg") == 3
