"""The questions about office documents fit the documents, and their answers can be judged side by side."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from polyhop.documents.loaders.html import HtmlLoader
from tests.worlds.scripts import benchmark

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OFFICE = BENCHMARKS / "office"
QUESTIONS = [json.loads(line) for line in (OFFICE / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()]


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def text_of(name: str) -> str:
    """The words of a document, of made files those of its source."""
    path, source = OFFICE / "documents" / name, OFFICE / "sources" / f"{name}.md"
    if path.suffix == ".html":
        return words(next(HtmlLoader().load(path, name)).text)
    return words((source if source.exists() else path).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def judging() -> Any:
    """The script, as a module."""
    return benchmark("judging")


@pytest.mark.parametrize("row", QUESTIONS, ids=[row["id"] for row in QUESTIONS])
def test_evidence_stands_in_the_documents_of_its_question(row: dict[str, Any]) -> None:
    texts = [text_of(name) for name in row["documents"]]
    assert [each for each in row["evidence"] if not any(words(each) in text for text in texts)] == []
    assert bool(row["evidence"]) == (row["answer"] is not None)


def test_the_page_says_how_many_questions_there_are_of_each_type() -> None:
    page = (OFFICE / "README.md").read_text(encoding="utf-8")
    said = {kind: int(number) for kind, number in re.findall(r"^\| `([\w/-]+)` \| (\d+) \|", page, re.MULTILINE)}
    assert said == Counter(row["type"] for row in QUESTIONS)
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS) == 60


def test_every_document_is_asked_about() -> None:
    files = {path.name for path in (OFFICE / "documents").iterdir()}
    assert files == {name for row in QUESTIONS for name in row["documents"]}
    made = {path.name.removesuffix(".md") for path in (OFFICE / "sources").iterdir()}
    assert made == {name for name in files if name.endswith((".pdf", ".docx"))}


def row(name: str, gold: str | None, answer: str | None, *quotations: str) -> dict[str, Any]:
    sure = None if answer is None else 0.5
    about = {"id": name, "type": "fact", "question": f"{name}?", "gold": gold, "answer": answer}
    return {**about, "confidence": sure, "quotations": quotations, "metrics": {"em": float(answer == gold)}}


def test_a_sheet_leaves_to_people_what_only_people_can_say(judging: Any) -> None:
    answers = [
        row("bay", "Quillmouth", "Quillmouth", "Fog lay on\nQuillmouth | and on the bay."),
        row("lamp", "Ada Brisk", "Ada, of the Brisks"),
        row("tax", "4 %", None, "The tax is not named."),
        row("king", None, "Olaf"),
        row("cat", None, None),
    ]
    text = "\n".join(judging.sheet({"rules": answers}, {}))
    names, rows = judging.rows_of(text)
    assert names == ["rules"]
    assert [each["verdict, rules"] for each in rows] == ["right", "?", "not answered", "wrong", "right"]
    assert rows[0]["quoted, rules"] == r"Fog lay on Quillmouth \| and on the bay."


def test_a_verdict_is_taken_over_for_the_same_answer_only(judging: Any) -> None:
    before, after = [row("lamp", "Ada Brisk", "Ada")], [row("lamp", "Ada Brisk", "Piet")]
    old = "\n".join(judging.sheet({"before": before}, {})).replace("| ? |", "| partly |")
    text = "\n".join(judging.sheet({"before": before, "after": after}, judging.judged(old)))
    assert [line[2:] for line in judging.counted(text) if line[0].endswith("all")] == [
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 1],
    ]


def test_a_word_that_is_no_verdict_is_refused(judging: Any) -> None:
    text = "\n".join(judging.sheet({"rules": [row("lamp", "Ada", "Piet")]}, {})).replace("| ? |", "| rihgt |")
    with pytest.raises(SystemExit, match="rihgt"):
        list(judging.counted(text))
