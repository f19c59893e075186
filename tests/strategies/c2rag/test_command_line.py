"""``polyhop ask --strategy c2rag``: hops with their marks, facts and places, and plans that are replayed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.worlds.c2rag import QUICK, MakeIndex
from tests.worlds.commands import Outcome, Run
from tests.worlds.documents import HARBOUR
from tests.worlds.ferries import recorded


@pytest.fixture
def ask(run: Run, index_of: MakeIndex) -> Callable[..., Outcome]:
    """Asks the index of the harbour in this process, by c2rag."""
    quick = [part for key, value in QUICK.items() for part in ("--set", f"strategies.c2rag.{key}={value}")]

    def command(question: str, *arguments: str | Path, strategy: str = "c2rag") -> Outcome:
        return run("ask", question, "--strategy", strategy, "--index", index_of(HARBOUR).path, *quick, *arguments)

    return command


def test_ask_shows_each_hop_with_its_mark_its_fact_and_its_sentence(ask: Callable[..., Outcome]) -> None:
    outcome = ask("Who founded the Tarn School?", "--trace")
    assert outcome.code == 0
    assert outcome.out.startswith("Piet Rook")
    lines = outcome.out.splitlines()
    place = lines.index("● hop 1: Who founded the Tarn School?")
    assert lines[place + 1] == "    tarn school  →  Piet Rook"
    assert lines[place + 2] == "    fact: tarn school -(was founded by)-> Piet Rook"
    assert lines[place + 3] == "    “The Tarn School was founded by Piet Rook in 1790.”"
    assert "tarn_school.txt [0:" in lines[place + 4]
    assert "strategy c2rag, reader trained" in outcome.out
    for line in ("Trace", "  plan by trained", "    ?person = Piet Rook"):
        assert line in lines


def test_json_has_placeholders_facts_and_their_exact_places(ask: Callable[..., Outcome]) -> None:
    outcome = ask("Who founded the Tarn School?", "--json")
    [hop] = outcome.json()["evidence"]["hops"]
    assert (hop["placeholder"], hop["found"], hop["status"]) == ("?person", "Piet Rook", "resolved")
    fact = hop["facts"][0]
    assert (fact["head"], fact["relation"], fact["tail"]) == ("tarn school", "was founded by", "Piet Rook")
    text = HARBOUR["tarn_school.txt"]
    assert text[fact["span"]["start"] : fact["span"]["end"]] == "The Tarn School was founded by Piet Rook in 1790."
    assert fact["passage_id"] in {passage["id"] for passage in hop["passages"]}
    assert outcome.json()["evidence"]["trail"][0] == "plan by trained"


def test_ask_exits_with_3_where_nothing_is_found(ask: Callable[..., Outcome]) -> None:
    outcome = ask("What is the capital of Mars?")
    assert outcome.code == 3
    assert outcome.out.startswith("Not found in these documents. What came closest:")
    assert "● hop" not in outcome.out


def test_ask_marks_what_text_gave_and_what_nothing_gave(ask: Callable[..., Outcome]) -> None:
    assert "◐ hop 1" in ask("Who founded the Tarn School?", strategy="c2rag(gamma=0.5)").out
    assert "○ hop 1" in ask("Who founded the Tarn School?", strategy="c2rag(gamma=0.5, reading.by=nobody)").out


def test_ask_replays_recorded_plans(ask: Callable[..., Outcome], tmp_path: Path) -> None:
    """In place of the planner, whatever the question would have become."""
    steps = (("Quillmouth", "lighthouse was built by", "?engineer"), ("?engineer", "studied at", "?school"))
    plans = recorded(tmp_path / "plans.jsonl", "Which school?", *steps)
    outcome = ask("Which school?", "--plans", plans, "--trace")
    assert "  plan by recorded" in outcome.out.splitlines()
    assert "    ?engineer = Ada Brisk" in outcome.out.splitlines()
    assert "hop 2: " in outcome.out
    assert "Tarn School" in outcome.out


@pytest.mark.parametrize(
    ("strategy", "file", "message", "remedy"),
    [
        ("c2rag", "none.jsonl", "There is no file of plans", ""),
        ("c2rag", "broken.jsonl", "line 1: not JSON", ""),
        ("c2rag(gama=1)", "plans.jsonl", "no setting 'gama'", "'gamma'"),
    ],
)
def test_plans_that_cannot_be_replayed_are_refused(
    ask: Callable[..., Outcome], tmp_path: Path, strategy: str, file: str, message: str, remedy: str
) -> None:
    recorded(tmp_path / "plans.jsonl", "Which school?", ("Quillmouth", "school", "?school"))
    (tmp_path / "broken.jsonl").write_text("{", encoding="utf-8")
    outcome = ask("Which school?", "--plans", tmp_path / file, strategy=strategy)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert remedy in outcome.err
