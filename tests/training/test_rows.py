"""Rows are read as their files have them, and a bad one is named with its file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.training.rows import OCCURRENCES, is_kept_aside, multi_hop_rows, occurrences, reading_rows
from tests.worlds.rows import multi_hop, reading, write_rows


def test_rows_are_read_in_order(tmp_path: Path) -> None:
    write_rows(tmp_path, reading(), multi_hop())
    rows = reading_rows(tmp_path)
    assert len(rows) == len(reading())
    assert rows[0].answers[0][0] == reading()[0]["answers"][0][0]
    assert {row.kind for row in rows} == {"none", "span", "yes", "no"}
    assert multi_hop_rows(tmp_path)[0].positives[0].title == "Harrowmere"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"question": " "}, "question is no text, or blank"),
        ({"context": None}, "context is no text, or blank"),
        ({"kind": "maybe"}, "kind is 'maybe', and none of none, span, yes, no"),
        ({"answers": []}, "answers is no list, or not filled for spans alone"),
        ({"answers": [["Nobody", 0]]}, "is not a [text, start] of the context"),
        ({"answers": ["Nobody"]}, "is not a [text, start] of the context"),
    ],
)
def test_a_bad_row_is_named_with_file_and_line(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    rows = [reading()[0], {**reading()[1], **change}]
    write_rows(tmp_path, rows, multi_hop())
    with pytest.raises(DatasetError) as raised:
        reading_rows(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / 'reading.jsonl.gz'}, line 2: ")
    assert complaint in str(raised.value)


def test_a_passage_without_a_text_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path, reading(), [{**multi_hop()[0], "positives": [{"title": "Harrowmere"}]}])
    with pytest.raises(DatasetError, match="line 1: positives holds something that is no passage"):
        multi_hop_rows(tmp_path)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path, reading(), [])
    (tmp_path / "reader_reranker.jsonl").write_text('{"src": "hops"\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="line 1: not JSON"):
        multi_hop_rows(tmp_path)


def test_a_mark_before_the_first_line_is_passed_over(tmp_path: Path) -> None:
    """As spreadsheets and editors of Windows put it before files that they save as UTF-8."""
    write_rows(tmp_path, [], multi_hop())
    file = tmp_path / "reader_reranker.jsonl"
    rows = multi_hop_rows(tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert multi_hop_rows(tmp_path) == rows


def test_a_line_in_another_encoding_is_named(tmp_path: Path) -> None:
    write_rows(tmp_path, [], multi_hop())
    file = tmp_path / "reader_reranker.jsonl"
    file.write_bytes(file.read_bytes().replace(b"\n", b'\n{"src": "M\xfchle"}\n', 1))
    with pytest.raises(DatasetError, match=r"reader_reranker\.jsonl, line 2: not UTF-8, in byte 11") as raised:
        multi_hop_rows(tmp_path)
    assert raised.value.remedy == "Save the file as UTF-8."


def test_a_file_that_is_missing_or_torn_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"reading\.jsonl\.gz cannot be read"):
        reading_rows(tmp_path)
    write_rows(tmp_path, reading(), multi_hop())
    whole = (tmp_path / "reading.jsonl.gz").read_bytes()
    (tmp_path / "reading.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetError, match=r"reading\.jsonl\.gz cannot be read"):
        reading_rows(tmp_path)


def test_one_text_in_twenty_is_kept_aside() -> None:
    kept = sum(is_kept_aside(f"context {number}") for number in range(4000))
    assert 150 < kept < 250
    assert is_kept_aside("a" * 200 + "b") == is_kept_aside("a" * 200 + "c")


def test_the_first_few_places_of_an_answer_count() -> None:
    assert occurrences("pier, piers and pier; " * 9, "pier") == [0, 16, 22, 38][:OCCURRENCES]


def test_a_cut_emoji_is_no_obstacle() -> None:
    assert is_kept_aside("a cut emoji \ud83d") in (True, False)
