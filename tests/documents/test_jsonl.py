"""Rows of JSON are documents, one a line or in one list; bad ones are named and the rest is loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.documents.loaders.csv import CsvLoader
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from tests.worlds.loaded import documents, load, only


def test_jsonl_rows_are_whole_documents(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "title": "Orla mill",
        "text": "Built in 1742.",
        "year": 1742,
        "open": True,
        "tags": ["x"],
        "z": None,
    }
    document = only(JsonlLoader(), tmp_path / "corpus.jsonl", json.dumps(row) + "\n\n")
    assert (document.id, document.title, document.text) == ("7", "Orla mill", "Built in 1742.")
    assert document.metadata == {"year": "1742", "open": "true"}
    assert document.whole
    assert document.uri.endswith("corpus.jsonl#7")


def test_jsonl_bad_lines_are_named_and_the_rest_is_loaded(tmp_path: Path) -> None:
    lines = ['{"id": "a", "text": "one"}', '{"id": "b", "te', "[1]", '{"title": "no text"}', "[" * 100_000]
    items = load(JsonlLoader(), tmp_path / "corpus.jsonl", "\n".join([*lines, '{"id": "c", "text": "two"}']))
    assert [document.id for document in documents(items)] == ["a", "c"]
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert [item.uri.rpartition("#")[2] for item in skipped] == ["2", "3", "4", "5"]
    assert [item.reason.split(" is ")[0].split(" has ")[0][:6] for item in skipped] == [
        f"line {n}" for n in (2, 3, 4, 5)
    ]
    assert "not JSON" in skipped[0].reason


def test_jsonl_without_any_document_is_one_line_in_the_report(tmp_path: Path) -> None:
    """A file of questions, say, that lies beside the data set."""
    (item,) = load(JsonlLoader(), tmp_path / "questions.jsonl", '{"question": "Who?"}\n' * 40)
    assert isinstance(item, Skipped)
    assert "any of its 40 rows: line 1 has no text" in item.reason


def test_jsonl_text_is_clean_and_surrogates_do_not_survive(tmp_path: Path) -> None:
    line = '{"text": "tide\\u0000 \\ud800mill\\r\\nkept", "title": "a\\u2028b"}'
    document = only(JsonlLoader(), tmp_path / "corpus.jsonl", line)
    assert (document.text, document.title) == ("tide mill\nkept", "a b")


def test_jsonl_without_ids_is_numbered_by_line(tmp_path: Path) -> None:
    items = documents(
        load(JsonlLoader(), tmp_path / "corpus.ndjson", '{"text": "one"}\n{"text": ["two.", "three."]}\n')
    )
    assert [item.id.rpartition("#")[2] for item in items] == ["1", "2"]
    assert items[1].text == "two. three."
    assert items[1].title == "corpus 2"


@pytest.mark.parametrize("field", ["body", "content", "full_text", "Full Text", "articleBody", "page_content"])
def test_json_of_an_export_is_read_by_the_usual_names(tmp_path: Path, field: str) -> None:
    """As a site or a program writes it, with fields that are no text."""
    row = {"Title": "Orla mill", field: "Built in 1742.", "url": "https://orla.example/1", "published_at": "2031-02-04"}
    document = only(JsonlLoader(), tmp_path / "export.json", json.dumps([row]))
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert document.metadata == {"url": "https://orla.example/1", "published_at": "2031-02-04"}


def test_jsonl_fields_without_a_text_are_passed_over(tmp_path: Path) -> None:
    row = {"title": "", "headline": "Orla mill", "text": " ", "content": {"html": ""}, "body": "Built in 1742."}
    document = only(JsonlLoader(), tmp_path / "export.jsonl", json.dumps(row))
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert documents(load(JsonlLoader(), tmp_path / "a.jsonl", '{"text": ""}'))[0].text == ""


def test_an_abstract_stands_before_the_text(tmp_path: Path) -> None:
    """Unless the text begins with it, or there is nothing else."""
    texts = [{"body": "It has two wheels."}, {"body": "A mill. It has two wheels."}, {}, {"body": ""}]
    lines = "\n".join(json.dumps({"abstract": "A mill.", **text}) for text in texts)
    below, within, *alone = documents(load(JsonlLoader(), tmp_path / "papers.jsonl", lines))
    assert below.text == "A mill.\n\nIt has two wheels."
    assert within.text == "A mill. It has two wheels."
    assert {document.text for document in alone} == {"A mill."}
    table = "Abstract,Body\nA mill.,It has two wheels.\nA ferry.,\n"
    first, second = documents(load(CsvLoader(), tmp_path / "papers.csv", table))
    assert (first.text, second.text) == (below.text, "A ferry.")


def test_json_object_with_a_list_of_objects_is_that_list(tmp_path: Path) -> None:
    """As interfaces answer; where there are two lists, nobody knows which is meant, and all is read as it stands."""
    rows = [{"title": "Mill", "body": "Built in 1742."}, {"title": "Ferry", "body": "It crosses the Orla."}]
    answer = {"status": "ok", "total": 2, "articles": rows, "tags": ["a"]}
    found = documents(load(JsonlLoader(), tmp_path / "answer.json", json.dumps(answer)))
    assert [document.title for document in found] == ["Mill", "Ferry"]
    one = only(JsonlLoader(), tmp_path / "two.json", json.dumps({**answer, "others": rows}))
    assert one.text.count("Built in 1742.") == 2
    assert only(JsonlLoader(), tmp_path / "text.json", json.dumps({**answer, "text": "All."})).text == "All."


def test_json_list_is_read_like_lines(tmp_path: Path) -> None:
    items = load(JsonlLoader(), tmp_path / "corpus.json", '[{"id": "a", "text": "one"}, 5]')
    assert [document.id for document in documents(items)] == ["a"]
    assert isinstance(items[1], Skipped)
    assert items[1].reason == "item 2 is not an object"


@pytest.mark.parametrize("content", ["{", '"text"', "[" * 100_000])
def test_json_that_is_no_list_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(DocumentError):
        load(JsonlLoader(), tmp_path / "corpus.json", content)
