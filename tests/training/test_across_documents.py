"""Questions over several documents of a collection: what they need, what stands beside it, and their steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.models.cross_encoder import reranker_folder
from polyhop.training.across_documents import across_rows
from polyhop.training.documents import document_rows
from polyhop.training.mixture import mixed
from polyhop.training.rows import KINDS, MultiHopRow

DOCUMENTS = [
    {"title": "Minutes of March", "text": "Three descalers were tried. Limoxal was picked."},
    {"title": "Limoxal data sheet", "text": "Keep Limoxal at 5 to 30 degrees."},
    {"title": "Brunox data sheet", "text": "Keep Brunox at 10 to 20 degrees."},
]
STORED: dict[str, Any] = {
    "question": "How warm may the descaler be kept that was picked in March?",
    "kind": "span",
    "answers": ["5 to 30 degrees"],
    "needs": [0, 1],
    "steps": [["Which descaler was picked in March?", "Limoxal"], ["How warm may #1 be kept?", "5 to 30 degrees"]],
}
COLD: dict[str, Any] = {"question": "Does the one picked keep below 0?", "kind": "no", "needs": [0, 1]}
PRICE: dict[str, Any] = {"question": "What does the descaler of March cost?", "kind": "none"}


def rows(folder: Path, *asked: object) -> list[MultiHopRow]:
    line = {"licence": "CC0-1.0", "documents": DOCUMENTS, "asked": list(asked)}
    (folder / "works.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return across_rows(folder)


def test_a_question_has_the_documents_it_needs_and_the_others_beside_it(tmp_path: Path) -> None:
    whole, cold, price = rows(tmp_path, {**STORED, "steps": []}, COLD, PRICE)
    assert [one.title for one in whole.positives] == ["Minutes of March", "Limoxal data sheet"]
    assert [one.title for one in whole.negatives] == ["Brunox data sheet"]
    assert (whole.answer, cold.answer, price.answer) == ("5 to 30 degrees", "no", "")
    assert price.positives == ()
    assert {row.source for row in (whole, cold, price)} == {"across/works"}


def test_its_steps_are_questions_of_their_own_among_all_documents(tmp_path: Path) -> None:
    _, picked, kept = rows(tmp_path, STORED)
    assert (picked.question, picked.answer) == ("Which descaler was picked in March?", "Limoxal")
    assert (kept.question, kept.source) == ("How warm may Limoxal be kept?", "steps/works")
    assert [one.title for one in kept.positives] == ["Limoxal data sheet"]
    assert len(kept.negatives) == 2


def test_a_question_of_one_step_is_asked_once(tmp_path: Path) -> None:
    assert len(rows(tmp_path, {**STORED, "steps": STORED["steps"][:1]})) == 1


def test_collections_are_no_documents(tmp_path: Path) -> None:
    rows(tmp_path, STORED)
    assert document_rows(tmp_path) == []


def test_what_no_document_tells_is_read_as_nothing(tmp_path: Path) -> None:
    made = mixed([], rows(tmp_path, STORED, COLD, PRICE), reranker_folder() / "tokenizer.json")
    kinds = {KINDS[one.kind] for one in (*made.training, *made.aside)}
    assert kinds == {"span", "no", "none"}


@pytest.mark.parametrize(
    "asked",
    [
        7,
        {**STORED, "needs": [0, 7]},
        {**STORED, "answers": ["60 degrees"]},
        {**STORED, "answers": []},
        {**STORED, "answers": "5 to 30 degrees"},
        {**STORED, "needs": 1},
        {**STORED, "kind": "maybe"},
        {**PRICE, "needs": [0]},
        {**STORED, "steps": "one"},
    ],
)
def test_a_question_that_does_not_hold_together_is_named_with_its_line(tmp_path: Path, asked: object) -> None:
    with pytest.raises(DatasetError, match="line 1"):
        rows(tmp_path, asked)
