"""The steps of questions as rows of their own: what each asks, which passage answers it, and which do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.training.rows import MultiHopRow, TrainingPassage
from polyhop.training.step_rows import step_rows
from polyhop.training.taught_plans import STEPS

LIGHT = TrainingPassage(title="Ostrand light", text="The light of Ostrand was kept by Edda Marrish.")
KEEPER = TrainingPassage(title="Edda Marrish", text="Edda Marrish was born in Velm.")
OTHER = TrainingPassage(title="Tom Harl", text="Tom Harl was born in Quillhaven.")
WHOLE = MultiHopRow(
    source="hops",
    licence="CC0-1.0",
    question="Where was the keeper of the Ostrand light born?",
    answer="Velm",
    positives=(LIGHT, KEEPER),
    negatives=(OTHER,),
)


def rows(folder: Path, *steps: object, question: str = WHOLE.question) -> list[MultiHopRow]:
    line: dict[str, Any] = {"src": "hops", "question": question, "steps": list(steps)}
    (folder / STEPS).write_text(json.dumps(line) + "\n", encoding="utf-8")
    return step_rows(folder, [WHOLE])


def test_each_step_is_asked_with_the_answers_before_it_among_the_passages_of_the_question(tmp_path: Path) -> None:
    first, second = rows(tmp_path, ["Who kept the Ostrand light?", "Edda Marrish"], ["Where was #1 born?", "Velm"])
    assert (first.question, first.answer, first.positives) == (
        "Who kept the Ostrand light?",
        "Edda Marrish",
        (LIGHT,),
    )
    assert (second.question, second.positives) == ("Where was Edda Marrish born?", (KEEPER,))
    assert set(second.negatives) == {LIGHT, OTHER}


def test_a_passage_that_holds_the_answer_too_is_no_negative(tmp_path: Path) -> None:
    (first,) = rows(tmp_path, ["Who kept the Ostrand light?", "Edda Marrish"])
    assert set(first.negatives) == {OTHER}


def test_relations_are_asked_for_in_words(tmp_path: Path) -> None:
    (asked,) = rows(tmp_path, ["Edda Marrish >> place of birth", "Velm"])
    assert "Edda Marrish" in asked.question
    assert asked.question.endswith("?")
    assert ">>" not in asked.question


def test_steps_are_left_out_without_an_answer_a_reference_or_a_passage(tmp_path: Path) -> None:
    assert rows(tmp_path, ["Who kept the light?", None], ["Where was #1 born?", "Velm"]) == []
    assert rows(tmp_path, ["Who kept the Ostrand light?", "Nobody at all"]) == []
    assert rows(tmp_path, ["Where was she born?", "Velm"], question="Another question?") == []


def test_no_file_gives_no_rows(tmp_path: Path) -> None:
    assert step_rows(tmp_path, [WHOLE]) == []


@pytest.mark.parametrize("step", [7, "Who kept the light?", [], [1, "Velm"]])
def test_a_step_that_is_no_step_is_named_with_its_line(tmp_path: Path, step: object) -> None:
    with pytest.raises(DatasetError, match="line 1"):
        rows(tmp_path, step)
