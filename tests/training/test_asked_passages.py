"""Questions with passages: steps with earlier answers written in, questions as a whole, and of one hop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyhop.training.asked_passages import AskedPassage, asked_passages
from polyhop.training.rows import is_kept_aside
from polyhop.training.step_rows import SOURCE
from tests.worlds.rows import multi_hop, reading, write_rows

KEEPER = "Where was the keeper of Harrowmere born?"


def steps(*of_harrowmere: Any) -> list[dict[str, Any]]:
    row = {"src": "harbours", "license": "CC0-1.0", "question": KEEPER, "steps": list(of_harrowmere)}
    return [row, {**row, "question": "Who is not known?", "steps": [["Who is it?", "Edda Marrish"]]}]


def found(tmp_path: Path, *of_harrowmere: Any, whole: bool = False) -> list[AskedPassage]:
    folder = write_rows(tmp_path, [], multi_hop())
    (folder / "reading.jsonl.gz").unlink()
    lines = "".join(json.dumps(row) + "\n" for row in steps(*of_harrowmere))
    (folder / "decompositions.jsonl").write_text(lines, encoding="utf-8")
    return asked_passages(folder, whole=whole)


def test_a_step_is_asked_of_the_passage_that_answers_it(tmp_path: Path) -> None:
    rows = found(tmp_path, ["Harrowmere >> keeper", "Edda Marrish"], ["Where was #1 born?", "Velmouth"])
    assert {row.question for row in rows} == {"What is the keeper of Harrowmere?", "Where was Edda Marrish born?"}
    by_title = {row.title: row for row in rows}
    assert by_title["Harrowmere"].answer == "Edda Marrish"
    assert by_title["Edda Marrish"].answer == "Velmouth"
    for row in rows:
        assert row.text[row.start : row.end] == row.answer
        assert row.source == f"{SOURCE}hops"
        assert row.aside == is_kept_aside(row.text)


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("Harrowmere >> place_of_birth", "Where was Harrowmere born?"),
        ("Harrowmere >> famous lamp", "What is the famous lamp of Harrowmere?"),
        ("Harrowmere >> owned by", "What is Harrowmere owned by?"),
        ("Who kept the light of Harrowmere ?", "Who kept the light of Harrowmere?"),
    ],
)
def test_a_relation_is_put_as_a_question(tmp_path: Path, asked: str, question: str) -> None:
    assert [row.question for row in found(tmp_path, [asked, "Edda Marrish"])] == [question]


@pytest.mark.parametrize(
    "step",
    [
        ["Harrowmere >> keeper", "Nobody"],  # no passage says so
        ["#2 >> keeper", "Edda Marrish"],  # what it refers to is not known
        ["Harrowmere >> keeper", None],
    ],
)
def test_a_step_without_its_answer_in_a_passage_is_left_out(tmp_path: Path, step: Any) -> None:
    assert not found(tmp_path, step)


def test_a_question_of_several_hops_is_asked_of_each_of_its_passages(tmp_path: Path) -> None:
    rows = found(tmp_path, ["Harrowmere >> keeper", None], whole=True)
    ours = [row for row in rows if row.question == KEEPER]
    assert {row.title for row in ours} == {"Harrowmere", "Edda Marrish"}
    assert {row.answer for row in ours} == {""}
    assert len({row.aside for row in ours}) == 1, "its passages are kept aside together"


def test_questions_of_one_hop_are_those_that_a_passage_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyhop.training.asked_passages.READ", {"harbours": 5})
    folder = write_rows(tmp_path, reading(), [])
    (folder / "reader_reranker.jsonl").unlink()
    rows = asked_passages(folder)
    assert len(rows) == 5
    assert all(row.source == "harbours/one" and row.text[row.start : row.end] == row.answer for row in rows)


def test_the_seed_decides_the_order_and_nothing_else_does(tmp_path: Path) -> None:
    folder = write_rows(tmp_path, [], multi_hop())
    (folder / "reading.jsonl.gz").unlink()
    assert asked_passages(folder) == asked_passages(folder)
    other = asked_passages(folder, seed=1)
    assert other != asked_passages(folder)
    assert {row.text for row in other} == {row.text for row in asked_passages(folder)}
