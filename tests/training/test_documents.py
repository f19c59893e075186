"""Documents with questions become rows, each answer with the places where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from polyhop.errors import DatasetError
from polyhop.models.cross_encoder import reranker_folder
from polyhop.training.documents import document_rows
from polyhop.training.mixture import TIMES, mixed
from polyhop.training.rows import KINDS, ReadingRow, is_kept_aside

TOKENIZER = reranker_folder() / "tokenizer.json"
WORDS = Tokenizer.from_file(str(TOKENIZER))
RULES = (
    "Keys of the boat house\n- Members get a key for 15 kr.\n- Guests row with a member; guests of 15 or less wear a "
    "vest.\nThe slip freezes over. So the boats come in by 1 November."
)


def asked(question: str, kind: str, *answers: str, rests_on: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"question": question, "kind": kind, "answers": list(answers), "rests_on": list(rests_on)}


QUESTIONS = (
    asked("what does a key cost", "span", "15 kr"),
    asked(
        "From what age on may guests go without a vest?", "span", "15", rests_on=("guests of 15 or less wear a vest",)
    ),
    asked("Who may row?", "span", "Members", "Guests"),
    asked("My sister, not a member, wants to row alone. Can she?", "no", rests_on=("Guests row with a member",)),
    asked("What does a vest cost?", "none"),
)


def rows(folder: Path, *questions: dict[str, Any], text: str = RULES) -> list[ReadingRow]:
    line = {"licence": "CC0-1.0", "title": "Boat house", "text": text, "asked": list(questions)}
    (folder / "clubs.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    return document_rows(folder)


def test_a_document_gives_a_row_for_each_question(tmp_path: Path) -> None:
    key, age, members, alone, vest = rows(tmp_path, *QUESTIONS)
    assert {row.source for row in (key, age)} == {"documents/clubs"}
    assert key.title == "Boat house"
    assert key.answers == (("15 kr", RULES.index("15 kr")),)
    assert [text for text, _ in members.answers] == ["Members", "Guests"]
    assert alone.kind == "no"
    assert alone.rests_on == (("Guests row with a member", RULES.index("Guests row")),)
    assert (vest.kind, vest.answers) == ("none", ())


def test_a_conversation_says_that_it_is_one(tmp_path: Path) -> None:
    assert not any(row.spoken for row in rows(tmp_path, *QUESTIONS))
    line = {"licence": "CC0-1.0", "title": "Slip", "text": "Ada: Is it ice?\nTom: Not yet.", "spoken": True}
    line["asked"] = [asked("Does the slip have ice?", "no", rests_on=("Tom: Not yet.",))]
    (tmp_path / "clubs.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert [row.spoken for row in document_rows(tmp_path)] == [True]


def test_an_answer_counts_where_it_rests_on_something_only_there(tmp_path: Path) -> None:
    _, age, *_ = rows(tmp_path, *QUESTIONS)
    assert age.answers == (("15", RULES.index("15 or less")),)


@pytest.mark.parametrize(
    "question",
    [
        asked("What does a vest cost?", "span"),
        asked("What does a key cost?", "span", "16 kr"),
        asked("May guests row?", "yes"),
        asked("May guests row?", "perhaps", rests_on=("Guests row with a member",)),
    ],
)
def test_a_question_that_its_text_does_not_bear_out_is_refused(tmp_path: Path, question: dict[str, Any]) -> None:
    with pytest.raises(DatasetError, match=r"clubs\.jsonl, line 1"):
        rows(tmp_path, question)


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        document_rows(tmp_path)


def test_lines_that_stand_alone_are_headings_where_no_answer_stands_in_them(tmp_path: Path) -> None:
    text = "Slip\n\nIt freezes over.\n\nPrices\n\nKey | 15 kr\n\nWho rows\n\nMembers do, and their guests.\n\nAda"
    freezes, who = rows(tmp_path, asked("What freezes?", "span", "Slip"), asked("Who?", "span", "Members"), text=text)
    assert [text[start:end] for start, end in freezes.headings] == ["Prices", "Who rows"]
    assert [text[start:end] for start, end in who.headings] == ["Slip", "Prices", "Who rows"]


def test_documents_are_read_several_times_with_their_titles(tmp_path: Path) -> None:
    text = next(f"{RULES} Since {year}." for year in range(1900, 2000) if not is_kept_aside(f"{RULES} Since {year}."))
    made = mixed(rows(tmp_path, QUESTIONS[0], text=text), [], TOKENIZER)
    assert len(made.training) == TIMES["documents"]
    window = next(window for window in made.training if window.spans)
    answering = window.allowed.index(True)
    told = WORDS.decode(list(window.ids[window.asked : answering]))
    assert told == "boat house : keys of the boat house"
    assert all(window.allowed[answering:-1])


def test_the_documents_that_the_reader_learns_from_are_sound() -> None:
    folder = Path(__file__).parents[2] / "weights" / "documents"
    read, unread = document_rows(folder), document_rows(folder / "unread")
    assert {row.kind for row in read} == {row.kind for row in unread} == set(KINDS)
    assert not {row.context for row in read} & {row.context for row in unread}
    assert all(len(row.question) < 300 for row in (*read, *unread))
