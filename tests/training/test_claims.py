"""Claims become questions for a yes or no, with the sentence that each rests on."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.training.claims import CLAIMS, asked, claim_rows, written
from polyhop.training.rows import ReadingRow

CLAIM: dict[str, Any] = {
    "src": "lights",
    "licence": "CC0-1.0",
    "claim": "The light of Ostrand was lit in 1830 .",
    "evidence": "It was lit in 1803 .",
    "sentences": ["Ostrand -LRB- a harbour -RRB- has a light .", "It was lit in 1803 ."],
    "gold": [1],
    "label": "REFUTES",
}
NOT_SAID: dict[str, Any] = {
    "src": "pairs",
    "licence": "CC0-1.0",
    "question": "Who built the light of Ostrand?",
    "passage": "The light of Ostrand was lit in 1803.",
    "label": 0,
}


def rows(folder: Path, *lines: Mapping[str, Any]) -> list[ReadingRow]:
    with gzip.open(folder / CLAIMS, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)
    return claim_rows(folder, seed=0)


def test_a_claim_is_a_question_with_the_sentence_it_rests_on(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, CLAIM)
    assert row.context == "Ostrand (a harbour) has a light. It was lit in 1803."
    assert (row.kind, row.source, row.answers) == ("no", "claims/lights", ())
    assert row.rests_on == (("It was lit in 1803.", row.context.index("It was")),)


def test_a_claim_without_its_page_rests_on_its_evidence(tmp_path: Path) -> None:
    missing: list[dict[str, Any]] = [{"sentences": []}, {"sentences": None, "gold": None}]
    for without in missing:
        (row,) = rows(tmp_path, {**CLAIM, **without, "label": "SUPPORTS"})
        assert (row.context, row.kind) == ("It was lit in 1803.", "yes")
        assert row.rests_on == ((row.context, 0),)


def test_a_sentence_that_does_not_answer_is_one_with_nothing_to_find(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, NOT_SAID, {**NOT_SAID, "label": 1})
    assert (row.kind, row.question, row.answers) == ("none", NOT_SAID["question"], ())


def test_a_folder_without_claims_has_none(tmp_path: Path) -> None:
    assert claim_rows(tmp_path, seed=0) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"label": "PERHAPS"}, "label is 'PERHAPS'"),
        ({"gold": [2]}, "gold is no list of places"),
        ({"sentences": [1]}, "sentences is no list of texts"),
        ({"claim": " "}, "claim is no text"),
    ],
)
def test_a_bad_claim_is_named_with_file_and_line(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(DatasetError, match=f"line 2: {complaint}"):
        rows(tmp_path, CLAIM, {**CLAIM, **change})


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("The light was lit in 1803.", "Was the light lit in 1803?"),
        ("Edda Marrish kept the light.", "Did Edda Marrish keep the light?"),
        ("Ostrand lies on a river.", "Does Ostrand lie on a river?"),
    ],
)
def test_the_verb_of_a_claim_goes_in_front(claim: str, question: str) -> None:
    assert question in {asked(claim, random.Random(seed)) for seed in range(20)}  # noqa: S311


@pytest.mark.parametrize("claim", ["Tom Harl is not a keeper.", "Tom Harl has two sons."])
def test_what_is_not_easily_turned_is_asked_as_it_stands(claim: str) -> None:
    for seed in range(20):
        question = asked(claim, random.Random(seed))  # noqa: S311
        assert claim.rstrip(".") in question
        assert question.endswith("?")


def test_tokens_of_a_treebank_are_written_as_people_do() -> None:
    assert written("He -LRB- `` Tom '' -RRB- did n't go , it 's said .") == "He (\"Tom\") didn't go, it's said."
