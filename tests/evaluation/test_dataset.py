"""A data set is a folder with a corpus and questions."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import DatasetError
from polyhop.evaluation.dataset import Dataset
from polyhop.models.weights import sha256_of

CORPUS: list[dict[str, Any]] = [
    {"id": "p1", "title": "Velmora", "text": "Velmora was founded by Tessa Quill."},
    {"id": 2, "title": "Tessa Quill", "text": "Tessa Quill was born in Ostrand."},
]
QUESTION = {"id": "q1", "question": "Where was the founder of Velmora born?", "answer": "Ostrand"}


def write(folder: Path, name: str, rows: list[Any]) -> None:
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(folder: Path, *rows: Any, corpus: list[Any] | None = None) -> Dataset:
    write(folder, "corpus.jsonl", CORPUS if corpus is None else corpus)
    write(folder, "questions.jsonl", list(rows))
    return Dataset.read(folder)


def test_dataset_reads_questions_with_all_fields(tmp_path: Path) -> None:
    row = QUESTION | {"aliases": ["Ostrand Bay"], "type": "bridge", "supporting": ["p1", 2, "p1"], "hops": 2}
    dataset = read(tmp_path, row)
    (question,) = dataset.questions
    assert (question.id, question.text, question.type) == ("q1", QUESTION["question"], "bridge")
    assert question.references == ("Ostrand", "Ostrand Bay")
    assert question.supporting == ("p1", "2")
    assert (question.hops, question.extra) == ("2", {"hops": 2})
    assert dataset.passages == frozenset({"p1", "2"})
    assert dataset.corpus == tmp_path / "corpus.jsonl"


def test_a_number_of_hops_that_cannot_be_says_nothing(tmp_path: Path) -> None:
    (question,) = read(tmp_path, QUESTION | {"hops": "9" * 5000}).questions
    assert not question.takes(2)


@pytest.mark.parametrize(
    ("fields", "hops"),
    [
        ({}, None),
        ({"hops": 2, "type": "4hop1"}, "2"),
        ({"hops": 2.0}, "2"),
        ({"decomposition": [["a", "b", "c"], ["c", "d", "e"], ["e", "f", "g"]], "type": "2hop"}, "3"),
        ({"decomposition": "unusual", "type": "3hop1"}, "3"),
        ({"decomposition": [], "type": "4-hop"}, "4"),
        ({"type": "19th century"}, None),
        ({"type": "bridge"}, None),
    ],
)
def test_dataset_knows_how_many_hops_a_question_takes(tmp_path: Path, fields: dict[str, Any], hops: str | None) -> None:
    (question,) = read(tmp_path, QUESTION | fields).questions
    assert question.hops == hops
    assert question.takes(2) is (hops is not None)
    assert not question.takes(5)


@pytest.mark.parametrize(
    ("fields", "references"),
    [
        ({"answer": None}, ()),
        ({"answer": ""}, ()),
        ({"answer": "Insufficient information", "type": "Null"}, ()),
        ({"answer": "Insufficient information.", "type": "null_query"}, ()),
        ({"answer": 1874}, ("1874",)),
        ({"answer": 2.5, "aliases": None}, ("2.5",)),
        ({"answer": True}, ("yes",)),
        (
            {"answer": ["Ostrand", "Ostrand Bay"], "aliases": ["The Bay", "The Bay"]},
            ("Ostrand", "Ostrand Bay", "The Bay"),
        ),
    ],
)
def test_dataset_takes_answers_as_data_sets_write_them(
    tmp_path: Path, fields: dict[str, Any], references: tuple[str, ...]
) -> None:
    (question,) = read(tmp_path, QUESTION | fields).questions
    assert question.references == references
    assert question.answerable == bool(references)


def test_dataset_reads_the_split_that_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "corpus.jsonl", CORPUS)
    write(tmp_path, "questions_dev.jsonl", [QUESTION])
    assert Dataset.read(tmp_path, "dev").questions[0].id == "q1"
    with pytest.raises(DatasetError) as missing:
        Dataset.read(tmp_path)
    assert missing.value.remedy == "Choose one with --split: dev."


@pytest.mark.parametrize(
    ("split", "said"),
    [
        ("x", "questions_x.jsonl is a folder, not a file."),
        ("../questions_dev.jsonl", "has no file of a split '../questions_dev.jsonl'."),
        ("x.jsonl/../questions_dev", "has no file of a split 'x.jsonl/../questions_dev'."),
        ("x" * 300, "has no file of a split 'xxx"),  # no name of a file is that long
    ],
)
def test_a_split_is_a_name_and_no_path(tmp_path: Path, split: str, said: str) -> None:
    write(tmp_path, "corpus.jsonl", CORPUS)
    write(tmp_path, "questions_dev.jsonl", [QUESTION])
    (tmp_path / "questions_x.jsonl").mkdir()
    with pytest.raises(DatasetError, match=re.escape(said)) as refused:
        Dataset.read(tmp_path, split)
    assert refused.value.remedy == "Choose one with --split: dev."


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_what_is_not_there_is_no_file_of_questions(tmp_path: Path) -> None:
    write(tmp_path, "corpus.jsonl", CORPUS)
    (tmp_path / "questions.jsonl").symlink_to("fetched later")
    with pytest.raises(DatasetError, match=r"questions\.jsonl is no file that can be read\."):
        Dataset.read(tmp_path)


def test_dataset_passes_over_empty_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text("\ufeff" + json.dumps(CORPUS[0]) + "\n\n", encoding="utf-8")
    write(tmp_path, "questions.jsonl", [QUESTION])
    assert Dataset.read(tmp_path).passages == frozenset({"p1"})


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{oops", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ([1, 2], "an object was expected, not list"),
        (QUESTION | {"id": None}, "the id must be"),
        (QUESTION | {"id": True}, "the id must be"),
        (QUESTION, "the id 'q1' is used twice"),
        ({"id": "q2", "answer": "x"}, "the field 'question' is missing"),
        (QUESTION | {"id": "q2", "answer": {"text": "x"}}, "'answer' must be"),
        (QUESTION | {"id": "q2", "supporting": "p1"}, "'supporting' must be a list"),
        (QUESTION | {"id": "q2", "evidence": "He was."}, "'evidence' must be a list of sentences"),
        (QUESTION | {"id": "q2", "evidence": ["He was.", " "]}, "'evidence' must be a list of sentences"),
    ],
)
def test_dataset_names_the_line_that_is_wrong(tmp_path: Path, bad: Any, reason: str) -> None:
    with pytest.raises(DatasetError) as error:
        read(tmp_path, QUESTION, "", bad)
    assert f"questions.jsonl, line 3: {reason}" in str(error.value)


@pytest.mark.parametrize("indent", [None, 1])
def test_dataset_says_that_a_list_and_an_object_on_several_lines_are_no_rows(
    tmp_path: Path, indent: int | None
) -> None:
    write(tmp_path, "corpus.jsonl", CORPUS)
    (tmp_path / "questions.jsonl").write_text(json.dumps([QUESTION], indent=indent), encoding="utf-8")
    with pytest.raises(DatasetError, match="line 1: ") as refused:
        Dataset.read(tmp_path)
    assert refused.value.remedy == "Write one JSON object a line."


def test_dataset_names_the_corpus_line_that_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"corpus\.jsonl, line 2: the field 'text'"):
        read(tmp_path, QUESTION, corpus=[CORPUS[0], {"id": "p2"}])
    with pytest.raises(DatasetError, match="line 2: the id 'p1' is used twice"):
        read(tmp_path, QUESTION, corpus=[CORPUS[0], CORPUS[0]])


def test_dataset_refuses_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not a folder"):
        Dataset.read(tmp_path / "nowhere")
    write(tmp_path, "questions.jsonl", [QUESTION])
    with pytest.raises(DatasetError, match=r"has neither corpus\.jsonl nor a folder documents"):
        Dataset.read(tmp_path)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "picture.png").write_bytes(b"")
    with pytest.raises(DatasetError, match="has no file that can be read"):
        Dataset.read(tmp_path)
    with pytest.raises(DatasetError, match="has no questions"):
        read(tmp_path)
    (tmp_path / "questions.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(DatasetError, match=r"questions\.jsonl, line 1: not UTF-8, in byte 9"):
        Dataset.read(tmp_path)


def test_dataset_reads_documents_with_evidence_in_sentences(tmp_path: Path) -> None:
    (tmp_path / "documents" / "old").mkdir(parents=True)
    (tmp_path / "documents" / "velmora.txt").write_text(CORPUS[0]["text"], encoding="utf-8")
    (tmp_path / "documents" / "old" / "tessa.md").write_text("# Tessa Quill", encoding="utf-8")
    (tmp_path / "documents" / "picture.png").write_bytes(b"")
    told = ["Tessa Quill founded Velmora.", "She was born in Ostrand.", "Tessa Quill founded Velmora."]
    write(tmp_path, "questions_dev.jsonl", [QUESTION | {"evidence": told}, QUESTION | {"id": "q2", "answer": None}])
    dataset = Dataset.read(tmp_path, "dev")
    assert [question.evidence for question in dataset.questions] == [tuple(told[:2]), ()]
    assert [question.answerable for question in dataset.questions] == [True, False]
    assert dataset.passages is None
    assert dataset.corpus == tmp_path / "documents"
    assert list(dataset.hashes) == ["documents/old/tessa.md", "documents/velmora.txt", "questions_dev.jsonl"]
    before = dataset.sha256
    (tmp_path / "documents" / "old" / "tessa.md").write_text("# Tessa", encoding="utf-8")
    assert Dataset.read(tmp_path, "dev").sha256 != before


def test_dataset_leaves_out_a_document_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(file: Path) -> str:
        if file.name == "closed.txt":
            raise PermissionError(13, "Permission denied", str(file))
        return sha256_of(file)

    monkeypatch.setattr("polyhop.evaluation.dataset.sha256_of", digest)
    write(tmp_path, "questions.jsonl", [QUESTION])
    (tmp_path / "documents").mkdir()
    for name in ("closed.txt", "open.txt"):
        (tmp_path / "documents" / name).write_text("Tessa Quill was born in Ostrand.", encoding="utf-8")
    assert list(Dataset.read(tmp_path).hashes) == ["documents/open.txt", "questions.jsonl"]


def test_dataset_reads_the_corpus_where_there_are_documents_too(tmp_path: Path) -> None:
    """What a corpus was cut from may lie beside it."""
    (tmp_path / "documents").mkdir()
    dataset = read(tmp_path, QUESTION | {"supporting": ["p1"], "evidence": ["Tessa Quill founded Velmora."]})
    assert dataset.corpus == tmp_path / "corpus.jsonl"
    assert dataset.questions[0].evidence == ("Tessa Quill founded Velmora.",)


def test_dataset_refuses_passages_that_documents_do_not_have(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "velmora.txt").write_text("Velmora.", encoding="utf-8")
    write(tmp_path, "questions.jsonl", [QUESTION | {"supporting": ["p1"]}])
    with pytest.raises(DatasetError, match="line 1: 'supporting' names passages, but documents have none"):
        Dataset.read(tmp_path)


def test_dataset_reports_supporting_passages_that_the_corpus_lacks(tmp_path: Path) -> None:
    dataset = read(tmp_path, QUESTION | {"supporting": ["p1", "p9"]}, QUESTION | {"id": "q2", "supporting": ["p1"]})
    assert dataset.unknown_supporting == {"q1": ("p9",)}


def test_dataset_hash_changes_with_any_byte_of_corpus_or_questions(tmp_path: Path) -> None:
    hashes = {
        read(tmp_path, QUESTION).sha256,
        read(tmp_path, QUESTION).sha256,
        read(tmp_path, QUESTION | {"answer": "Velmora"}).sha256,
        read(tmp_path, QUESTION, corpus=CORPUS[:1]).sha256,
    }
    assert len(hashes) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_dataset_hash_takes_documents_whose_names_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    write(tmp_path, "questions.jsonl", [QUESTION])
    hashes = set()
    for name in (b"m\xfchle.txt", b"m\xf6hle.txt"):
        file = Path(os.fsdecode(os.fsencode(tmp_path / "documents") + b"/" + name))
        file.write_text("The mill.", encoding="utf-8")
        hashes.add(Dataset.read(tmp_path).sha256)
        file.unlink()
    assert len(hashes) == 2


def test_dataset_has_ids_as_the_index_keeps_them(tmp_path: Path) -> None:
    """Titles are used as ids, and have white space of all kinds."""
    corpus = [{"id": " The  Gull\n", "text": "The Gull sails."}]
    dataset = read(tmp_path, QUESTION | {"supporting": ["The \u00a0Gull"]}, corpus=corpus)
    assert dataset.passages == frozenset({"The Gull"})
    assert not dataset.unknown_supporting
    with pytest.raises(DatasetError, match="id must be"):
        read(tmp_path, QUESTION, corpus=[{"id": " \n", "text": "x"}])


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": None, "aliases": ["Ostrand"]},
        {"answer": "", "aliases": ["Ostrand"]},
        {"answer": "  "},
        {"answer": [" "]},
    ],
)
def test_dataset_takes_null_and_blank_for_no_answer(tmp_path: Path, answer: dict[str, Any]) -> None:
    assert not read(tmp_path, QUESTION | answer).questions[0].answerable
