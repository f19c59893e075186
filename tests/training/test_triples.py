"""Texts with triples: what their rows ask for, where the answer stands, and what has none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from polyhop.errors import DatasetError
from polyhop.training.rows import ReadingRow, is_kept_aside
from polyhop.training.triples import COMMON, TRIPLES, triple_rows


def rows_of(folder: Path, *texts: tuple[str, list[list[str]]], seed: int = 0) -> list[ReadingRow]:
    """The rows of some texts, each with its triples."""
    with gzip.open(folder / TRIPLES, "wt", encoding="utf-8") as stream:
        for text, triples in texts:
            stream.write(json.dumps({"src": "made-up", "licence": "CC0", "text": text, "triples": triples}) + "\n")
    return triple_rows(folder, seed=seed)


def mothers(count: int = COMMON) -> list[tuple[str, list[list[str]]]]:
    """Texts that each tell who somebody's mother is."""
    return [
        (f"Ida{number} is the daughter of Mara{number}.", [[f"Ida{number}", "mother", f"Mara{number}"]])
        for number in range(count)
    ]


def test_triples_are_asked_for_by_their_relation_and_the_answer_stands_in_the_context(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, *mothers(60))
    assert {row.kind for row in rows} == {"span", "none"}
    for row in rows:
        number = row.question.removeprefix("Who is the mother of Ida").removesuffix("?")
        assert number.isdigit()
        assert row.context
        for text, start in row.answers:
            assert text == f"Mara{number}"
            assert row.context.startswith(text, start)
        assert row.answers or f"Ida{number} " not in row.context


def test_triples_of_texts_that_are_kept_aside_stand_beside_their_like_only(tmp_path: Path) -> None:
    for row in rows_of(tmp_path, *mothers(400)):
        assert len({is_kept_aside(text) for text in row.context.split("\n")}) == 1


def test_triples_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    assert rows_of(tmp_path, *mothers(), seed=1) == rows_of(tmp_path, *mothers(), seed=1)
    assert rows_of(tmp_path, *mothers(), seed=1) != rows_of(tmp_path, *mothers(), seed=2)


def test_triples_are_left_out_whose_relation_is_rare_a_code_or_a_verb_or_has_several_values(tmp_path: Path) -> None:
    assert rows_of(tmp_path, *mothers(COMMON - 1)) == []
    for relation in ("P25", "crosses", "one of the very many"):
        assert rows_of(tmp_path, *((text, [[head, relation, tail]]) for text, [[head, _, tail]] in mothers())) == []
    several = [(f"{text} So is Lin.", [*triples, [triples[0][0], "mother", "Lin"]]) for text, triples in mothers()]
    assert rows_of(tmp_path, *several) == []


def test_triples_are_left_out_whose_ends_the_text_does_not_name(tmp_path: Path) -> None:
    assert rows_of(tmp_path, *((text, [[head, "mother", "Vesna"]]) for text, [[head, _, _]] in mothers())) == []


def test_names_of_graphs_are_written_as_people_do(tmp_path: Path) -> None:
    texts = [
        (f"The Old Mill {number} lies in Harl.", [[f"The_Old_Mill_{number}_(mill)", "locationTown", "Harl"]])
        for number in range(COMMON)
    ]
    asked = {row.question for row in rows_of(tmp_path, *texts)}
    assert asked <= {
        question
        for number in range(COMMON)
        for question in (
            f"What is the location town of The Old Mill {number}?",
            f"What is The Old Mill {number}'s location town?",
        )
    }


def test_without_triples_there_are_no_rows(tmp_path: Path) -> None:
    assert triple_rows(tmp_path, seed=0) == []


@pytest.mark.parametrize("triples", ["no list", [["Ida", "mother"]], [["Ida", "mother", 3]]])
def test_a_bad_triple_is_told_with_its_line(tmp_path: Path, triples: object) -> None:
    with pytest.raises(DatasetError, match=r"triples\.jsonl\.gz, line 1"):
        rows_of(tmp_path, ("Ida is here.", triples))  # type: ignore[arg-type]
