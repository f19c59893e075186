"""A benchmark's question may have paragraphs of its own: C2RAG then looks at these alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.errors import UsageError
from polyhop.layers.view import View
from polyhop.strategies.c2rag.own_paragraphs import OwnParagraphs
from tests.worlds.c2rag import GROUNDING, KEEPER, RECOVERY, Retrieve, constraint, numbered, titles
from tests.worlds.ferries import CHAIN


def own_paragraphs(path: Path, question: str, *ids: str) -> str:
    path.write_text(json.dumps({"question": question, "context": ids}), encoding="utf-8")
    return str(path)


def test_closed_recovery_reads_the_questions_own_paragraphs(retrieve: Retrieve, tmp_path: Path) -> None:
    """As the paper does on benchmarks that supply them: an open search would find the page."""
    own = own_paragraphs(tmp_path / "own", CHAIN, "Hallow", "Velm")
    [closed] = retrieve(KEEPER, **{"recovery.paragraphs": own}).hops
    assert set(titles(closed)) == {"Hallow", "Velm"}
    assert closed.found != "Mina Stroud"
    strangers = own_paragraphs(tmp_path / "strangers", CHAIN, "not here")
    [nothing] = retrieve(KEEPER, **{"recovery.paragraphs": strangers}).hops
    assert (nothing.status, nothing.passages, nothing.sentences) == ("unresolved", (), ())


def test_closed_recovery_shows_no_other_paragraphs_for_values_it_suspects(retrieve: Retrieve, tmp_path: Path) -> None:
    """The graph suspects the Gull, whose passage is not the question's own."""
    own = own_paragraphs(tmp_path / "own", CHAIN, "Hallow", "Velm")
    [closed] = retrieve(("Oster", "keeper", "?keeper"), **{"recovery.paragraphs": own}).hops
    assert set(titles(closed)) <= {"Hallow", "Velm"}


def test_the_graph_of_a_question_with_own_paragraphs_has_the_facts_of_these_alone(
    retrieve: Retrieve, tmp_path: Path
) -> None:
    """The Gull's page says who built it; a question whose paragraphs it is none of does not know."""
    builder = ("Gull", "was built by", "?builder")
    for own, status in ((("Gull", "Velm"), "resolved"), (("Hallow", "Velm"), "unresolved")):
        file = own_paragraphs(tmp_path / f"of {own[0]}", CHAIN, *own)
        closed = {"recovery.paragraphs": file, "reading.by": "nobody"}
        [checked], [unchecked] = (retrieve(builder, **closed, **more).hops for more in ({}, {"unchecked": -1}))
        assert checked.status == status
        assert bool(checked.facts) == (status == "resolved")
        assert unchecked.facts
        assert {fact.passage_id for hop in (checked, unchecked) for fact in hop.facts} <= set(own)


def test_recovery_among_own_paragraphs_needs_a_file_that_has_the_question(retrieve: Retrieve, tmp_path: Path) -> None:
    other = own_paragraphs(tmp_path / "own", "Another question?", "Hallow")
    for file, message in ((other, "No paragraphs are given"), (str(tmp_path / "none"), "cannot be read")):
        with pytest.raises(UsageError, match=message):
            retrieve(KEEPER, **{"recovery.paragraphs": file})


def test_closed_recovery_reads_a_questions_own_paragraphs_alone(over: View) -> None:
    pattern = GROUNDING.pattern(constraint("Gull", "was built by", "?x"), {}, over)
    own = [numbered(over, "Velm"), numbered(over, "Hallow")]
    assert {number for number, _ in RECOVERY.passages("?", pattern, over, among=own)} == set(own)
    assert RECOVERY.passages("?", pattern, over, among=[]) == []


def test_own_paragraphs_are_found_by_the_question(tmp_path: Path) -> None:
    """Spacing aside; a file of questions serves as it is."""
    rows = [{"question": "Who  built it?", "context": ["a", 7], "answer": "x"}, {"question": "No context?"}]
    file = tmp_path / "own.jsonl"
    file.write_text("\ufeff" + "\n\n".join(json.dumps(row) for row in rows) + "\r\n", encoding="utf-8")
    own = OwnParagraphs.read(file)
    assert own.of(" Who built it? ") == ("a", "7")
    for missing in ("No context?", "Never asked?"):
        with pytest.raises(UsageError, match="No paragraphs are given") as caught:
            own.of(missing)
        assert "recovery.paragraphs" in caught.value.remedy


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        '"text"',
        "7",
        '{"context": []}',
        '{"question": 7}',
        '{"question": "Who?", "context": "abc"}',
        "[" * 9999,
    ],
)
def test_rows_that_are_no_questions_are_reported_with_their_line(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text('{"question": "Who?", "context": ["a"]}\n\n' + bad + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"own\.jsonl, line 3"):
        OwnParagraphs.read(file)


def test_files_of_paragraphs_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xff"}')
    for file in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            OwnParagraphs.read(file)
    with pytest.raises(UsageError, match=r"latin\.jsonl, line 1: not UTF-8"):
        OwnParagraphs.read(tmp_path / "latin.jsonl")
