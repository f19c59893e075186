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


def test_triples_are_left_out_whose_relation_is_rare_a_code_nobody_knows_a_verb_or_has_several(tmp_path: Path) -> None:
    assert rows_of(tmp_path, *mothers(COMMON - 1)) == []
    for relation in ("P99999", "crosses", "one of the very many"):
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


def test_relations_are_named_that_have_codes_and_the_fullest_of_their_values_is_the_answer(tmp_path: Path) -> None:
    texts = [
        (f"Ida{number} died on 4 May 1901.", [[f"Ida{number}", "P570", "1901"], [f"Ida{number}", "P570", "4 May 1901"]])
        for number in range(COMMON)
    ]
    told = [row for row in rows_of(tmp_path, *texts) if row.kind == "span"]
    assert {row.question for row in told} <= {f"When did Ida{number} die?" for number in range(COMMON)}
    assert {text for row in told for text, _ in row.answers} == {"4 May 1901"}


def lives(count: int) -> list[tuple[str, list[list[str]]]]:
    """Texts of people with relations as codes, of which each of the last tells one less than the others."""
    return [
        (
            f"Ida{number} was born in Harl and taught Mara." + (f" Her husband was Orrin{number}." if number else ""),
            [
                [f"Ida{number}", "P19", "Harl"],
                [f"Ida{number}", "P27", "Mara"],
                *([[f"Ida{number}", "P26", f"Orrin{number}"]] if number else []),
            ],
        )
        for number in range(count)
    ]


def test_what_is_told_of_others_and_not_of_this_one_is_asked_for_and_has_no_answer(tmp_path: Path) -> None:
    untold = [row for row in rows_of(tmp_path, *lives(8)) if row.kind == "none"]
    assert [(row.question, row.answers) for row in untold] == [("Who is the spouse of Ida0?", ())]
    assert untold[0].context == "Ida0 was born in Harl and taught Mara."


def test_what_is_not_told_is_asked_for_only_where_all_that_is_told_has_codes(tmp_path: Path) -> None:
    named = {"P19": "birthPlace", "P27": "nationality", "P26": "spouse"}
    texts = [(text, [[head, named[code], tail] for head, code, tail in triples]) for text, triples in lives(COMMON + 1)]
    assert not [row for row in rows_of(tmp_path, *texts) if row.question == "Who is the spouse of Ida0?"]
