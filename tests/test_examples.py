"""The example corpus is complete, agrees with itself, and answers the questions that come with it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import kreuzberg
import pypdfium2
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
CORPUS = EXAMPLES / "corpus"
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
CHAINS = [question for question in QUESTIONS if question["type"] in {"bridge", "nested", "single"}]
ROWS = {".csv", ".jsonl"}
WITHOUT_ARTICLE = {"q16": "Silas Wetherane", "q25": "Wil Corrigal"}  # bridges that no article is about
RECORDS = ("Letter from ", "Minutes of ")  # they are about others; nobody writes about them


def pdf_text(path: Path) -> str:
    """The text of all pages of a PDF, as pdfium reads it."""
    with pypdfium2.PdfDocument(path) as document:
        texts = []
        for page in document:
            textpage = page.get_textpage()
            texts.append(textpage.get_text_bounded())
            textpage.close()
            page.close()
    return " ".join(texts)


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a csv or jsonl file: id, title and text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if path.suffix == ".csv" else [json.loads(line) for line in file]


def plain(text: str) -> str:
    """Text on one line, without Markdown's signs."""
    return " ".join(re.sub(r"[*#]", " ", text).split()).replace(" ,", ",").replace(" .", ".")


@cache
def documents() -> dict[str, tuple[str, str]]:
    """Title and text of every document, by file name; rows are ``file#id``."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(CORPUS.iterdir()):
        if path.suffix in ROWS:
            found |= {f"{path.name}#{row['id']}": (row["title"], f"{row['title']} {row['text']}") for row in rows(path)}
            continue
        if path.suffix == ".pdf":
            text = pdf_text(path)
        elif path.suffix in {".docx", ".html"}:
            text = kreuzberg.extract_file_sync(str(path)).content
        else:
            text = path.read_text(encoding="utf-8")
        title = text.splitlines()[0].lstrip("# ").strip()
        found[path.name] = (title, plain(text))
    return found


def source_of(name: str) -> str:
    """The source text of a made document, on one line, without heading signs."""
    return plain((EXAMPLES / "sources" / f"{name}.txt").read_text(encoding="utf-8"))


MADE = sorted(path.name for path in CORPUS.iterdir() if path.suffix in {".pdf", ".docx"})


def test_corpus_has_every_format() -> None:
    """About sixty files, in all formats that are indexed."""
    formats = Counter(path.suffix for path in CORPUS.iterdir())
    assert formats == {".txt": 16, ".md": 19, ".html": 11, ".pdf": 8, ".docx": 9, ".csv": 1, ".jsonl": 1}
    assert all(len(rows(path)) == 10 for path in CORPUS.iterdir() if path.suffix in ROWS)


def test_generator_makes_the_committed_files_byte_for_byte(tmp_path: Path) -> None:
    """What is committed is what the sources say, whoever makes it."""
    script = EXAMPLES / "make_binary_documents.py"
    subprocess.run([sys.executable, str(script), "--output", str(tmp_path)], check=True, capture_output=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == MADE
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (CORPUS / name).read_bytes(), name


@pytest.mark.parametrize("name", MADE)
def test_made_document_says_its_source_to_real_readers(name: str) -> None:
    """Every word comes out, in order and once; the PDFs are read by a second reader as well."""
    assert documents()[name][1] == source_of(name)
    result = kreuzberg.extract_file_sync(str(CORPUS / name))
    assert source_of(name) in plain(result.content)
    assert result.metadata["title"] == documents()[name][0]


@pytest.mark.parametrize("name", [name for name in MADE if name.endswith(".pdf")])
def test_pdf_has_several_pages_and_its_title(name: str) -> None:
    """Citations have more than one page to tell apart."""
    with pypdfium2.PdfDocument(CORPUS / name) as document:
        assert len(document) >= 2
        assert document.get_metadata_dict()["Title"] == documents()[name][0]


def test_documents_are_short() -> None:
    """Files have 80 to 350 words; rows may be shorter."""
    lengths = {name: len(text.split()) for name, (_, text) in documents().items() if "#" not in name}
    assert {name: length for name, length in lengths.items() if not 80 <= length <= 350} == {}


def test_titles_are_unique_and_named_elsewhere() -> None:
    """No article dangles: each subject is named in another document."""
    titles = [title for title, _ in documents().values()]
    assert len(set(titles)) == len(titles)
    for name, (title, _) in documents().items():
        if title.startswith(RECORDS) or name.startswith("museum_objects.csv"):
            continue
        others = (text for other, (_, text) in documents().items() if other != name)
        assert any(title.casefold() in text.casefold() for text in others), title


def test_html_and_plain_texts_begin_with_their_titles() -> None:
    """The title stands where each format keeps it."""
    for path in CORPUS.iterdir():
        if path.suffix == ".html":
            source = path.read_text(encoding="utf-8")
            assert re.findall(r"<title>(.+)</title>", source) == re.findall(r"<h1>(.+)</h1>", source), path
        elif path.suffix in {".txt", ".md"}:
            first, second = path.read_text(encoding="utf-8").splitlines()[:2]
            assert first.strip("# ")
            assert not second, path
            assert first.startswith("# ") == (path.suffix == ".md"), path


def test_birthplaces_and_life_spans_agree_everywhere() -> None:
    """A person is born in one place and in one year, whichever document says it."""
    places, years = defaultdict(set), defaultdict(set)
    person = r"([A-Z][a-z]+ [A-Z][a-z]+)"
    for _, text in documents().values():
        for name, place in re.findall(person + r" was born in ([A-Z][a-z]+(?: [A-Z][a-z]+)?)", text):
            places[name].add(place)
        for name, born, died in re.findall(person + r" \((\d{4})[-–](\d{4})\)", text):
            years[name].add((int(born), int(died)))
    assert len(places) >= 25
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
    assert {name: found for name, found in years.items() if len(found) > 1} == {}
    assert all(died - born > 40 for found in years.values() for born, died in found)


def test_questions_are_sixty_of_six_types() -> None:
    """Ids and questions are unique; hops count the documents to be read."""
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS) == 60
    assert len({question["question"] for question in QUESTIONS}) == 60
    types = Counter(question["type"] for question in QUESTIONS)
    assert types == {
        "bridge": 19,
        "nested": 12,
        "comparison": 10,
        "unanswerable": 7,
        "single": 6,
        "intersection": 6,
    }
    assert {question["hops"] for question in QUESTIONS} == {0, 1, 2, 3, 4}
    assert all(question["hops"] == len(question["supporting"]) for question in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_supporting_documents_exist(question: dict[str, Any]) -> None:
    """Every hop has a document; a question without an answer has none."""
    assert set(question["supporting"]) <= set(documents())
    assert (question["answer"] is None) == (question["type"] == "unanswerable") == (not question["supporting"])


@pytest.mark.parametrize("question", CHAINS, ids=lambda question: question["id"])
def test_chain_leads_from_document_to_document_to_the_answer(question: dict[str, Any]) -> None:
    """Each document names the subject of the next, and the last one says the answer."""
    names = question["supporting"]
    for name, following in pairwise(names):
        link = WITHOUT_ARTICLE.get(question["id"], documents()[following][0])
        assert link in documents()[name][1], (name, following)
        assert link in documents()[following][1], (name, following)
    assert question["answer"] in documents()[names[-1]][1]


@pytest.mark.parametrize(
    "question", [one for one in QUESTIONS if one["type"] in {"comparison", "intersection"}], ids=lambda one: one["id"]
)
def test_other_answers_are_named_by_their_documents(question: dict[str, Any]) -> None:
    """A comparison is answered by one of its sides, or by yes or no; an intersection by a name in both documents."""
    answer, texts = question["answer"], [documents()[name][1] for name in question["supporting"]]
    assert len(answer.split()) <= 4
    if question["type"] == "intersection":
        assert all(answer in text for text in texts)
    else:
        assert answer in {"yes", "no"} or any(answer in text for text in texts)


def test_unknown_entities_are_unknown() -> None:
    """The aqueduct of the last kind of question is named in no document."""
    assert not any("Belverine" in text for _, text in documents().values())


def test_demo_questions_are_three_of_the_sixty() -> None:
    """Two hops, three hops and a comparison."""
    lines = (EXAMPLES / "demo_questions.txt").read_text(encoding="utf-8").splitlines()
    by_text = {question["question"]: question for question in QUESTIONS}
    asked = [(by_text[line]["type"], by_text[line]["hops"]) for line in lines]
    assert asked == [("bridge", 2), ("nested", 3), ("comparison", 2)]


@pytest.mark.parametrize(
    ("questions", "kept"),
    [(EXAMPLES, CORPUS), (EXAMPLES.parent / "benchmarks" / "office", EXAMPLES.parent / "benchmarks/office/documents")],
)
def test_further_questions_name_documents_that_are_there(questions: Path, kept: Path) -> None:
    rows = [json.loads(line) for line in (questions / "questions_more.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == len(rows)
    named = {name for row in rows for name in row.get("supporting", row.get("documents"))}
    assert named <= {path.name for path in kept.iterdir()}
    assert all(row["answer"] is None for row in rows if row["type"] == "none")
