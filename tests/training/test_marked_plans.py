"""Questions with brackets around what is to be asked first, as the planner is taught."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from polyhop.errors import DatasetError
from polyhop.training.marked_plans import marked_plans
from polyhop.training.taught_plans import TaughtPlan


def marked(folder: Path, question: str, kind: str = "chain") -> TaughtPlan:
    file = folder / "marked.jsonl"
    file.write_text(json.dumps({"licence": "CC0-1.0", "question": question, "kind": kind}), encoding="utf-8")
    [plan] = marked_plans(file, folder)
    return plan


def test_brackets_are_where_a_question_is_taken_apart(tmp_path: Path) -> None:
    plan = marked(tmp_path, "Who leads [the county where [the founder of Velm] was born]?")
    assert plan.question == "Who leads the county where the founder of Velm was born?"
    assert plan.marked is not None
    assert [plan.question[slice(*one)] for one in plan.marked] == [
        "the founder of Velm",
        "the county where the founder of Velm was born",
    ]
    assert (len(plan.steps), plan.combines, plan.source) == (3, False, "marked")


def test_what_is_compared_may_have_to_be_found_first(tmp_path: Path) -> None:
    assert marked(tmp_path, "Is [the founder of Velm] older than Ada Lund?", "compared").combines


def test_a_question_of_one_step_has_no_brackets(tmp_path: Path) -> None:
    assert marked(tmp_path, "Who founded Velm?", "one").marked == ()
    assert len(marked(tmp_path, "When was the firm founded for which Ada Lund worked?").steps) == 2


def test_of_what_belongs_to_others_only_the_places_are_kept(tmp_path: Path) -> None:
    question = "Who leads the county where the founder of Velm was born?"
    row = {"src": "riddles", "licence": "CC-BY-4.0", "question": question, "answer": ["Tom Harl"]}
    with gzip.open(tmp_path / "questions_unlabelled.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write(json.dumps(row))
    line = {"licence": "CC-BY-4.0", "kind": "chain", "sha1": hashlib.sha1(question.encode()).hexdigest()}  # noqa: S324
    file = tmp_path / "marked_riddles.jsonl"
    file.write_text(json.dumps({**line, "places": [[10, 55], [27, 46]]}), encoding="utf-8")
    [plan] = marked_plans(file, tmp_path)
    assert plan.marked is not None
    assert [question[slice(*one)] for one in plan.marked] == [
        "the founder of Velm",
        "the county where the founder of Velm was born",
    ]
    for wrong in ({**line, "places": [[10, 99]]}, {**line, "sha1": "0", "places": []}):
        file.write_text(json.dumps(wrong), encoding="utf-8")
        with pytest.raises(DatasetError, match=r"marked_riddles\.jsonl, line 1"):
            marked_plans(file, tmp_path)


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("Who leads [the county?", "chain", "not closed"),
        ("Who leads the county]?", "chain", "not opened"),
        ("Who leads [the county of Velm]?", "one", "has no brackets"),
        ("Who leads it?", "many", "kind is 'many'"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, question: str, kind: str, said: str) -> None:
    with pytest.raises(DatasetError, match=rf"marked\.jsonl, line 1.*{said}"):
        marked(tmp_path, question, kind)
