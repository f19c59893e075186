"""What the planner learns from the steps of questions over collections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.training.collection_plans import collection_plans
from polyhop.training.taught_plans import TaughtPlan

DOCUMENTS = [
    {"title": "The Wend", "text": "The Wend is 80 km long."},
    {"title": "The Ilm", "text": "The Ilm is 90 km."},
]


def plans(folder: Path, *asked: dict[str, Any]) -> list[TaughtPlan]:
    line = {"licence": "CC0-1.0", "documents": DOCUMENTS, "asked": list(asked)}
    alone = {"licence": "CC0-1.0", "title": "A note", "text": "Nothing.", "asked": []}
    rows = "".join(json.dumps(one) + "\n" for one in (line, alone))
    (folder / "rivers.jsonl").write_text(rows, encoding="utf-8")
    return collection_plans(folder)


def test_a_chain_keeps_its_steps(tmp_path: Path) -> None:
    steps = [["Which river passes Pell?", "Wend"], ["How long is #1?", "80 km"]]
    [plan] = plans(tmp_path, {"question": "How long is the river  of Pell?", "needs": [0, 1], "steps": steps})
    assert plan.steps == ("Which river passes Pell?", "How long is #1?")
    assert (plan.question, plan.source) == ("How long is the river of Pell?", "across/rivers")
    assert plan.refers_to == ((), (0,))


@pytest.mark.parametrize("last", ["Which is more, #1 or #2?", "Which is more?"])
def test_a_last_step_that_weighs_two_others_compares(tmp_path: Path, last: str) -> None:
    steps = [["How long is the Wend?", "80 km"], ["How long is the Ilm?", "90 km"], [last, None]]
    [plan] = plans(tmp_path, {"question": "Which is longer, the Wend or the Ilm?", "needs": [0, 1], "steps": steps})
    assert plan.steps == ()


def test_a_last_step_that_weighs_one_thing_is_a_step(tmp_path: Path) -> None:
    steps = [["Which river passes Pell?", "Wend"], ["Is #1 longer than 50 km?", None]]
    [plan] = plans(tmp_path, {"question": "Is the river of Pell longer than 50 km?", "needs": [0], "steps": steps})
    assert len(plan.steps) == 2


def test_questions_of_one_document_take_one_step_and_others_without_steps_teach_nothing(tmp_path: Path) -> None:
    asked = {"question": "How long is the Wend?", "needs": [0]}
    [plan] = plans(
        tmp_path, asked, {"question": "Who sails there?"}, {"question": "Which?", "needs": [0, 1], "steps": []}
    )
    assert plan.steps == ("How long is the Wend?",)


def test_a_step_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"rivers\.jsonl, line 1: the step \['who'\]"):
        plans(tmp_path, {"question": "Who?", "needs": [0, 1], "steps": [["who"]]})
