"""Rows of a table or a data set are one passage each, unless they are as long as articles; for the bench, always."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.chunking import count_tokens, cut
from polyhop.documents.loading import row_document
from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment, layers_of, prepare
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Document
from tests.worlds.documents import write

SMALL = Chunking(tokens=40, overlap=8, longest_row=100)
WHOLE = replace(SMALL, longest_row=None)
FOG = " ".join(f"On day {n} fog lay on the bay, and no boat of the Sable Coast went out." for n in range(40))
LONG = f"{FOG} The bell of Quillmouth was cast by Ada Brisk. {FOG}"
SHORT = "Piet Rook keeps the ferry of Fennick."
CHAT = "\n".join(["Date: 4 February 2031", *(f"{'Ada' if n % 2 else 'Otto'}: I saw buoy {n}." for n in range(60))])
WRITTEN = [{"id": "bell", "title": "A bell", "text": LONG}, {"id": "ferry", "title": "A ferry", "text": SHORT}]


def row(text: str) -> Document:
    return row_document("/rows.jsonl", 7, text, "application/json", identity="row-7", title="Mill")


def words(number: int) -> str:
    """A text of so many tokens."""
    return " ".join(f"w{n % 10}" for n in range(number))


@given(st.integers(0, 160), st.integers(1, 160), st.integers(16, 80))
def test_a_row_is_cut_like_other_text_or_not_at_all(length: int, longest: int, tokens: int) -> None:
    """It stays whole where it is no longer than the setting says, and where it fits a passage anyway."""
    document, chunking = row(words(length)), Chunking(tokens=tokens, overlap=4, longest_row=longest)
    passages = cut(document, chunking)
    if length <= max(longest, tokens):
        assert [(one.id, one.text) for one in passages] == [("row-7", document.text)]
    else:
        assert passages == cut(replace(document, whole=False), chunking)
        assert max(count_tokens(one.text) for one in passages) <= tokens


def test_characters_are_not_tokens() -> None:
    text = "miller " * 100
    assert len(text) > 6 * 100
    assert len(cut(row(text), SMALL)) == 1


def test_without_a_limit_no_row_is_cut() -> None:
    assert [one.id for one in cut(row(LONG * 20), WHOLE)] == ["row-7"]


def test_rows_of_usual_length_are_whole_by_default() -> None:
    limit = Chunking().longest_row
    assert limit == 4096
    assert len(cut(row(words(limit)), Chunking())) == 1
    assert len(cut(row(words(limit + 1)), Chunking())) > 3


def test_a_long_row_that_is_a_conversation_is_cut_between_turns_and_keeps_its_day() -> None:
    passages = cut(row(CHAT), SMALL)
    assert len(passages) > 5
    assert {one.text.partition(":")[0] for one in passages[1:]} <= {"Ada", "Otto"}
    assert {one.occasion.day for one in passages[1:] if one.occasion} == {"20310204"}


def settings(chunking: Chunking = SMALL) -> Settings:
    return Settings(chunking=chunking)


Made = Callable[[Chunking], Polyhop]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set of one long row and one short one."""
    questions = [
        {"id": 1, "question": "Who cast the bell of Quillmouth?", "answer": "Ada Brisk", "supporting": ["bell"]},
        {"id": 2, "question": "Who keeps the ferry of Fennick?", "answer": "Piet Rook", "supporting": ["ferry"]},
    ]
    files = {
        f"{name}.jsonl": "".join(json.dumps(one) + "\n" for one in rows)
        for name, rows in (("corpus", WRITTEN), ("questions", questions))
    }
    return write(tmp_path / "data", files)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """Opens the one index of a test, for engines with different settings."""
    engines: list[Polyhop] = []

    def engine(chunking: Chunking = SMALL) -> Polyhop:
        engines.append(Polyhop(tmp_path / "an.index", settings=settings(chunking)))
        return engines[-1]

    yield engine
    for one in engines:
        one.close()


def rows_of(engine: Polyhop) -> dict[str, tuple[int, bytes]]:
    """By the id of each passage its number, and what the layer extracted from it."""
    with Record.open(engine.path) as record:
        numbers, rows = record.numbers().tolist(), dict(record.payloads("text"))
        return {one.id: (n, rows[n]) for n, one in zip(numbers, record.passages(numbers), strict=True)}


def test_a_citation_says_where_in_a_long_row(made: Made, data: Path) -> None:
    engine = made(SMALL)
    engine.index(data / "corpus.jsonl", layers=["text"])
    answer = engine.ask("Who cast the bell of Quillmouth?", strategy="bm25")
    said, uri, _ = engine.quote(span := answer.citations[0].span)
    assert said.endswith("was cast by Ada Brisk.")
    assert (LONG[span.start : span.end], f"{(data / 'corpus.jsonl').as_posix()}#bell") == (said, uri)
    assert count_tokens(answer.evidence.passages[0].text) <= SMALL.tokens


def test_a_row_goes_with_all_its_passages(made: Made, data: Path) -> None:
    engine = made(SMALL)
    report = engine.index(data / "corpus.jsonl", layers=["text"])
    assert (report.documents, report.added) == (2, 2)
    removed = engine.remove(f"{(data / 'corpus.jsonl').as_posix()}#bell")
    assert (removed.removed, removed.passages) == (("bell",), report.passages - 1)
    assert (engine.status().documents, engine.status().passages) == (1, 1)


def test_an_index_with_long_rows_that_are_whole_is_cut_on_the_next_run(made: Made, data: Path) -> None:
    """As the version before left them. Rows that are short keep their numbers and what was extracted from them."""
    made(WHOLE).index(data / "corpus.jsonl", layers=["text"])
    before = rows_of(made(WHOLE))
    assert before.keys() == {"bell", "ferry"}
    forecast = made(SMALL).index(data / "corpus.jsonl", layers=["text"], dry_run=True)
    report = made(SMALL).index(data / "corpus.jsonl", layers=["text"])
    after = rows_of(made(SMALL))
    assert after["ferry"] == before["ferry"]
    assert "bell" not in after
    for told in (forecast, report):
        assert (told.changed, told.unchanged) == (1, 1)
        assert (told.layers[0].extracted, told.layers[0].reused) == (len(after) - 1, 1)


def test_an_edit_of_a_long_row_leaves_its_other_passages_alone(made: Made, data: Path) -> None:
    made(SMALL).index(data / "corpus.jsonl", layers=["text"])
    before = rows_of(made(SMALL))
    edited = [{**WRITTEN[0], "text": LONG.replace("Ada Brisk", "Otto Fell")}, WRITTEN[1]]
    write(data, {"corpus.jsonl": "".join(json.dumps(one) + "\n" for one in edited)})
    forecast = made(SMALL).index(data / "corpus.jsonl", layers=["text"], dry_run=True)
    report = made(SMALL).index(data / "corpus.jsonl", layers=["text"])
    assert forecast.layers[0].extracted == report.layers[0].extracted
    after = rows_of(made(SMALL))
    kept = before.keys() & after.keys()
    assert len(kept) > len(before) // 2
    assert {before[key] == after[key] for key in kept} == {True}
    assert report.layers[0].extracted == len(after) - len(kept)


def ranked(engine: Polyhop, data: Dataset) -> Sequence[float | None]:
    """The share of supporting rows that the first five passages hold, by question."""
    experiment = Experiment(strategies=("bm25",), retrieval_only=True)
    return [one.metrics["recall@5"] for one in experiment.run(engine, data).records["bm25"]]


def test_the_bench_keeps_rows_whole_whatever_was_set_and_whoever_made_the_index(made: Made, data: Path) -> None:
    dataset = Dataset.read(data)
    made(SMALL).index(dataset.corpus, layers=["text"])
    cut_up = rows_of(made(SMALL))
    engine = made(SMALL)
    report = prepare(engine, dataset, layers=layers_of(["bm25"]))
    assert (report.changed, report.unchanged, report.passages) == (1, 1, 2)
    assert rows_of(engine).keys() == {"bell", "ferry"}
    assert rows_of(engine)["ferry"] == cut_up["ferry"]
    assert engine.settings == settings(WHOLE)
    assert ranked(engine, dataset) == [1.0, 1.0]
    again = prepare(made(SMALL), dataset, layers=layers_of(["bm25"]))
    assert (again.changed, again.unchanged, again.layers[0].extracted) == (0, 2, 0)


def test_an_index_of_the_bench_is_cut_where_it_is_indexed_for_use(made: Made, data: Path) -> None:
    """Unless that is told to keep rows whole as well: then nothing changes."""
    dataset = Dataset.read(data)
    prepare(made(SMALL), dataset, layers=["text"])
    kept = made(WHOLE).index(dataset.corpus, layers=["text"])
    assert (kept.changed, kept.unchanged, kept.layers[0].extracted) == (0, 2, 0)
    other = write(data.parent / "more", {"tarn.txt": "Lida Tarn painted the mill."})
    beside = made(SMALL).index(other, layers=["text"])
    assert (beside.added, beside.changed, beside.passages) == (1, 0, 3), "what is not named stays as it is"
    used = made(SMALL).index(dataset.corpus, layers=["text"])
    assert (used.changed, used.unchanged) == (1, 1)
    assert "bell" not in rows_of(made(SMALL))
