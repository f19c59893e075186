"""The files of MultiHop-RAG, invented here in their form, become a data set that the bench reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyhop.documents.chunking import count_tokens
from polyhop.evaluation.dataset import Dataset, Question
from tests.worlds.scripts import benchmark

FOG = "Fog lay on the bay of Quillmouth for most of that week, and no boat went out. "
LAMP = "The lamp of Quillmouth was lit by Ada Brisk in 1841."
KEEPER = "Its keeper was “Old” Piet Rook, who came from Fennick."
GLASS = "The glass of the lamp was blown at the works of Fennick."


def article(place: str, source: str, body: str) -> dict[str, Any]:
    return {
        "title": f"On the lamp {place}",
        "author": "N. N.",
        "source": source,
        "published_at": "2031-10-01T10:00:00+00:00",
        "category": "harbours",
        "url": f"https://news.example/{place}",
        "body": body,
    }


def evidence(place: str, fact: str) -> dict[str, Any]:
    return {**article(place, "", ""), "fact": fact}


ARTICLES = [
    article("one", "Harbour News", f"{LAMP} {FOG * 300}\n\n{KEEPER}"),
    article("two", "The Fennick Post", GLASS),
]
QUESTIONS = [
    {
        "query": "Who kept the lamp that the Harbour News says Ada Brisk lit, and where was its glass blown?",
        "answer": "Piet Rook",
        "question_type": "inference_query",
        "evidence_list": [
            evidence("one", LAMP),
            evidence("one", 'Its keeper was "Old" Piet\nRook, who came from Fennick.'),
            evidence("two", GLASS),
        ],
    },
    {
        "query": "Do both papers write of glass?",
        "answer": "No",
        "question_type": "comparison_query",
        "evidence_list": [evidence("two", GLASS), evidence("one", "This is in no paper.")],
    },
    {
        "query": "What did the lamp cost?",
        "answer": "Insufficient information.",
        "question_type": "null_query",
        "evidence_list": [],
    },
]


@pytest.fixture
def script() -> Any:
    """The script, as a module."""
    return benchmark("multihop_rag")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with the two files."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "corpus.json").write_text(json.dumps(ARTICLES), encoding="utf-8")
    (folder / "MultiHopRAG.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    return folder


def run(script: Any, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr("sys.argv", ["multihop_rag.py", *map(str, arguments)])
    script.main()


@pytest.fixture
def made(script: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """The data set that the script makes, as the bench reads it."""
    run(script, monkeypatch, source, tmp_path / "made")
    return Dataset.read(tmp_path / "made")


def rows(made: Dataset) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.corpus.read_text(encoding="utf-8").splitlines()]


def test_articles_are_cut_and_every_passage_says_who_wrote_it_when(made: Dataset) -> None:
    first = [row for row in rows(made) if row["url"].endswith("/one")]
    assert len(first) > 3
    assert all(row["text"].startswith("Harbour News, 2031-10-01\n\n") for row in first)
    assert all(count_tokens(row["text"]) <= 1200 for row in first), "five of them are read whole, in 6,000 tokens"
    assert {row["title"] for row in first} == {"On the lamp one"}
    assert made.passages is not None
    assert len(made.passages) == len(first) + 1


def test_passages_that_hold_a_fact_are_supporting(made: Dataset) -> None:
    """However white space and quotation marks are written."""
    text = {row["id"]: row["text"] for row in rows(made)}
    question: Question = made.questions[0]
    assert [next(fact for fact in (LAMP, KEEPER, GLASS) if fact in text[one]) for one in question.supporting] == [
        LAMP,
        KEEPER,
        GLASS,
    ]
    assert (question.answer, question.type, question.hops) == ("Piet Rook", "inference_query", "3")


def test_a_null_query_has_no_answer(made: Dataset) -> None:
    assert [question.answerable for question in made.questions] == [True, True, False]
    assert made.questions[2].supporting == ()


def test_facts_that_are_nowhere_are_counted(
    script: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(script, monkeypatch, source, tmp_path / "made", "--tokens", 512, "--overlap", 0)
    said = capsys.readouterr().out
    assert "2 articles in 14 passages; 3 questions, 1 without an answer; facts that no passage holds" in said
    assert said.endswith("named for them: 1.\n")
    [second] = [one for one in Dataset.read(tmp_path / "made").questions if one.answer == "No"]
    assert len(second.supporting) == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("corpus.json", None, "corpus.json cannot be read: No such file"),
        ("corpus.json", "[", "corpus.json is not JSON"),
        ("MultiHopRAG.json", "{}", "MultiHopRAG.json is not a list of objects"),
        ("MultiHopRAG.json", '[{"query": "Who?"}]', "MultiHopRAG.json, item 1 has no field 'answer'"),
        ("corpus.json", "[5]", "corpus.json, item 1 has no field 'title'"),
    ],
)
def test_files_of_another_form_are_refused(
    script: Any, source: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | None, said: str
) -> None:
    if content is None:
        (source / name).unlink()
    else:
        (source / name).write_text(content, encoding="utf-8")
    with pytest.raises(SystemExit, match=said):
        run(script, monkeypatch, source, source / "made")
    assert not (source / "made").exists()
