"""What JSON says beside texts: the short fields of a row, and settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.documents.loaders.csv import CsvLoader
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.documents.sentences import sentence_spans
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

TICKET = {
    "id": "ORL-12",
    "title": "Lamp is dark",
    "status": "open",
    "assignee": {"id": 4, "login": "una", "display_name": "Una Pell"},
    "labels": ["lamp", {"name": "pier"}],
    "due": "2031-02-04",
    "url": "https://tickets.example/ORL-12",
    "commit": "9f86d081884c7d659a2feaa0c55ad015",
    "parent_id": 31,
    "closed": None,
    "description": "The lamp on pier 4 is dark.",
}


def load(file: Path, value: object) -> Document | Skipped:
    file.write_text(json.dumps(value), encoding="utf-8")
    (item,) = JsonlLoader().load(file, file.as_posix())
    return item


def text_of(file: Path, value: object) -> str:
    item = load(file, value)
    assert isinstance(item, Document)
    return item.text


def test_short_fields_beside_a_description_stand_above_it_in_a_row(tmp_path: Path) -> None:
    """But for what only machines read: addresses, hashes and numbers of other rows."""
    row, _, told = text_of(tmp_path / "tickets.jsonl", TICKET).split("\n")
    assert row == (
        "id: ORL-12; title: Lamp is dark; status: open; assignee: Una Pell; labels: lamp, pier; due: 2031-02-04"
    )
    assert told == "The lamp on pier 4 is dark."


def test_objects_without_a_name_in_a_list_are_told_with_their_fields(tmp_path: Path) -> None:
    todo = [{"task": "Mend the weir", "owner": {"name": "Otto"}}, {"task": "Order oak", "due": "2031-05-20"}]
    meeting = {"title": "Weekly", "actions": todo, "place": [{"room": "loft"}], "people": [{"name": "Ada"}, "Otto"]}
    assert text_of(tmp_path / "meetings.jsonl", meeting) == (
        "title: Weekly; actions 1 task: Mend the weir; actions 1 owner: Otto; actions 2 task: Order oak; "
        "actions 2 due: 2031-05-20; place room: loft; people: Ada, Otto"
    )


@pytest.mark.parametrize("field", ["text", "content", "body", "passage", "article"])
def test_a_text_is_not_told_what_stands_beside_it(tmp_path: Path, field: str) -> None:
    """Data sets in bulk keep their texts as they are, whatever else their rows have."""
    row = {**TICKET, field: "Built in 1742."}
    assert text_of(tmp_path / "corpus.jsonl", row) == "Built in 1742."


def test_a_long_field_beside_a_description_stays_out_of_the_row(tmp_path: Path) -> None:
    row = {"title": "Lamp", "made": "Fennick", "note": "It was lit. " * 20, "summary": "Of brass."}
    assert text_of(tmp_path / "a.jsonl", row) == "title: Lamp; made: Fennick\n\nOf brass."


def test_a_row_without_a_text_is_written_out(tmp_path: Path) -> None:
    item = load(tmp_path / "boats.jsonl", {"id": "B-2", "owner": "Ned Fosse", "berth": {"quay": "North", "no": 7}})
    assert isinstance(item, Document)
    assert item.text == "id: B-2; owner: Ned Fosse; berth quay: North; berth no: 7"
    assert (item.id, item.title) == ("B-2", "B-2")


@pytest.mark.parametrize(
    "row",
    [
        {"title": "Lamp"},
        {"id": "q1", "question": "Who lit the lamp?", "answer": "Una Pell", "type": "bridge"},
        {"Query": "Who lit the lamp?", "answer": "Una Pell"},
    ],
)
def test_a_row_that_asks_or_says_nothing_is_left_out(tmp_path: Path, row: dict[str, str]) -> None:
    """Questions lie beside the data set that they are about."""
    item = load(tmp_path / "rows.jsonl", row)
    assert isinstance(item, Skipped)
    assert "has no text in any of the fields text, content" in item.reason


def test_settings_are_lines_below_what_they_belong_to(tmp_path: Path) -> None:
    settings = {
        "name": "tern-north",
        "home": "https://tern.example",
        "listen": {"bell": 7422, "tls": True, "proxy": None},
        "crew": [{"name": "Una Pell", "town": "Fennick"}, {"name": "Ned Fosse", "town": "Orla"}],
        "quays": ["North", "South"],
        "nothing": {},
    }
    item = load(tmp_path / "tern.json", settings)
    assert isinstance(item, Document)
    assert item.title == "tern.json"
    assert item.text == (
        "name: tern-north\nhome: https://tern.example\n\nlisten:\n  bell: 7422\n  tls: true\n\n"
        "crew:\n  - name: Una Pell\n    town: Fennick\n  - name: Ned Fosse\n    town: Orla\n\nquays: North, South"
    )
    said = [item.text[start:end] for start, end in sentence_spans(item.text)]
    assert "listen:\n  bell: 7422\n  tls: true" in said
    assert "- name: Ned Fosse\n    town: Orla" in said


def test_settings_with_a_description_are_settings(tmp_path: Path) -> None:
    text = text_of(tmp_path / "package.json", {"name": "tern", "description": "Rings.", "needs": {"bell": "^2.1"}})
    assert text == "name: tern\ndescription: Rings.\n\nneeds:\n  bell: ^2.1"


@pytest.mark.parametrize(
    ("name", "reason"), [("package-lock.json", "what was installed"), ("words.json", "more than 10,000 settings")]
)
def test_settings_that_machines_write_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        load(tmp_path / name, {"words": {f"word {n}": n for n in range(10_000)}})


def test_an_id_that_people_say_stands_in_the_row_of_a_table_too(tmp_path: Path) -> None:
    table = tmp_path / "tickets.csv"
    table.write_text("id,title,status\nORL-12,Lamp is dark,open\n13,Bell is cracked,done\nx,Gate,done\n")
    rows = [item.text for item in CsvLoader().load(table, table.as_posix()) if isinstance(item, Document)]
    assert rows == [
        "id: ORL-12; title: Lamp is dark; status: open",
        "title: Bell is cracked; status: done",
        "title: Gate; status: done",
    ]
