"""The commands with a language model behind an endpoint: how its answers are shown, recorded and replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worlds.commands import Run
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer, Played, in_turn, refuses, says, serving

ROWS = [
    {"id": "gull", "title": "Gull", "text": "The Gull is a ferry. It was built by Ada Brook in 1892."},
    {"id": "brook", "title": "Ada Brook", "text": "Ada Brook was a shipwright. She was born in Velm."},
]
ASKED = {"id": "q", "question": "Who built the Gull?", "answer": "Ada Brook", "supporting": ["gull"]}
BUILT = {"passage": 1, "quote": "It was built by Ada Brook in 1892."}
BRIEF = json.dumps({"support": [BUILT], "found": True, "answer": "Ada Brook"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set of one question."""
    rows = "\n".join(map(json.dumps, ROWS))
    return write(tmp_path / "data", {"corpus.jsonl": rows, "questions.jsonl": json.dumps(ASKED)})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An endpoint that is configured, and knows who built the Gull."""
    with serving(says(BRIEF)) as server:
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        monkeypatch.setenv("POLYHOP_MODEL", "sage")
        yield server


def test_several_runs_ask_with_seeds_of_their_own_and_tell_how_far_they_differ(
    data: Path, server: EndpointServer, tmp_path: Path, run: Run
) -> None:
    """A model that knows it in two of three runs; a recording holds one run only."""
    wrong = json.dumps({"support": [BUILT], "found": True, "answer": "Otto Reed"})
    server.script = in_turn(says(BRIEF), says(wrong), says(BRIEF))
    made = tmp_path / "runs.json"
    best = ("--set", "reader.stance=best")
    outcome = run("eval", data, "--strategy", "bm25", "--runs", "3", "--json", made, *best)
    assert outcome.code == 0, outcome.err
    assert [request["seed"] for request in server.requests] == [0, 1, 2]
    report = json.loads(made.read_text())
    assert report["runs"]["strategies"]["bm25"]["em"]["values"] == [1.0, 0.0, 1.0]
    assert report["strategies"]["bm25"]["em"] == pytest.approx(2 / 3, abs=1e-6)
    assert report["manifest"]["runs"] == 3
    assert "66.7 ± 57.7" in outcome.out
    assert not list((data / "polyhop.index" / "evaluations").glob("*"))
    refused = run("eval", data, "--strategy", "bm25", "--runs", "2", "--record", tmp_path / "replies.jsonl")
    assert refused.code == 2
    assert "one run" in refused.err


def test_what_was_recorded_is_replayed_without_an_endpoint(
    data: Path, server: EndpointServer, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same answers at the same cost. What was not recorded is named, and ends the run."""
    replies, first, second = (tmp_path / name for name in ("replies.jsonl", "first.json", "second.json"))
    outcome = run("eval", data, "--strategy", "bm25", "--record", replies, "--json", first)
    assert outcome.code == 0, outcome.err
    assert "as few words as possible: a name" in server.requests[0]["messages"][0]["content"]
    monkeypatch.delenv("POLYHOP_BASE_URL")
    monkeypatch.delenv("POLYHOP_MODEL")
    assert run("eval", data, "--strategy", "bm25", "--replay", replies, "--json", second).code == 0
    assert len(server.requests) == 1
    for file in (first, second):
        found = json.loads(file.read_text())["strategies"]["bm25"]
        assert (found["f1"], found["llm_calls"], found["llm_tokens"]) == (1.0, 1, 15)
    write(data, {"questions.jsonl": json.dumps({**ASKED, "question": "Who launched the Gull?"})})
    outcome = run("eval", data, "--strategy", "bm25", "--replay", replies)
    assert outcome.code == 8
    assert "has no reply to the request" in outcome.err
    assert "Who launched the Gull?" in outcome.err


def test_recording_needs_a_model_and_is_not_replaying(data: Path, tmp_path: Path, run: Run) -> None:
    outcome = run("eval", data, "--record", tmp_path / "replies.jsonl")
    assert (outcome.code, "POLYHOP_BASE_URL" in outcome.err) == (8, True)
    outcome = run("eval", data, "--record", tmp_path / "a.jsonl", "--replay", tmp_path / "b.jsonl")
    assert (outcome.code, "not both" in outcome.err) == (2, True)


def test_what_no_quotation_bears_out_is_marked(data: Path, server: EndpointServer, tmp_path: Path, run: Run) -> None:
    index = tmp_path / "polyhop.index"
    assert run("index", data / "corpus.jsonl", "--index", index, "--layers", "text").code == 0
    guess = {"support": [], "found": False, "answer": "Tom Hale"}
    text = [{"text": "Ada Brook built the Gull.", "support": [1]}, {"text": "Tom Hale paid for it.", "support": []}]
    told = {"support": [BUILT], "found": True, "shape": "text", "answer": text}
    server.script = in_turn(*(says(json.dumps(said)) for said in (guess, guess, told)))
    ask = ("ask", "Who built the Gull?", "--strategy", "bm25", "--index", index, "--set", "language_model.cache=none")
    assert run(*ask).code == 3
    outcome = run(*ask, "--set", "reader.stance=best")
    assert outcome.code == 0
    assert "Tom Hale [?]   10% sure   not grounded" in outcome.out
    outcome = run(*ask)
    assert "Ada Brook built the Gull.\nTom Hale paid for it. [?]   50% quoted" in outcome.out
    answer = json.loads(run(*ask, "--json").out)
    assert answer["grounded"] is False
    assert [len(item["citations"]) for item in answer["items"]] == [1, 0]


def test_what_the_budget_left_out_is_shown(data: Path, server: EndpointServer, tmp_path: Path, run: Run) -> None:
    index = tmp_path / "polyhop.index"
    assert run("index", data / "corpus.jsonl", "--index", index, "--layers", "text").code == 0
    ask = ("ask", "Who built the Gull?", "--strategy", "bm25", "--index", index, "--set", "budget.llm_calls=0")
    outcome = run(*ask)
    assert "The budget left out: 1 request to the language model, for want of budget.llm_calls" in outcome.out
    assert server.requests == []


def test_a_model_that_cannot_answer_in_form_is_no_silence_of_the_documents(
    server: EndpointServer, run: Run, world_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Our own reader reads instead, and whoever asked is told whose fault that is, also where it finds nothing."""
    server.script = in_turn(says("I am afraid that I only speak in prose."))
    for question, code in (("Who designed Harrowmere Lighthouse?", 0), ("What is the capital of Mars?", 3)):
        caplog.clear()
        assert run("ask", question, "--strategy", "bm25", "--index", world_index).code == code
        assert "sage@127.0.0.1" in caplog.text
        assert "did not answer in the form that was asked for" in caplog.text


def lists(*names: str) -> Played:
    """The models of an endpoint, as ``GET /models`` has them."""
    rows = [{"id": name, "object": "model"} for name in names]
    return Played(body=json.dumps({"object": "list", "data": rows}).encode())


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (lists("sage", "fool"), 0, "which answers"),
        (lists("fool"), 0, "lists others: fool"),
        (refuses(404, "no such route"), 0, "lists no models"),
        (refuses(401, "no such key"), 1, "Set POLYHOP_API_KEY"),
        (refuses(500, "out of order"), 0, "lists no models"),
        (refuses(502, "out of order"), 1, "out of order"),
        (Played(body=b"<p>Log in to go on"), 1, "OpenAI-compatible API"),
        (Played(body=b"{}", hang_up=True), 1, "cannot be reached"),
    ],
)
def test_doctor_asks_the_endpoint_for_its_models(
    server: EndpointServer, run: Run, world_index: Path, reply: Played, code: int, said: str
) -> None:
    """Which costs nothing: errors of endpoints send people to it."""
    server.script = in_turn(reply)
    outcome = run("doctor", "--index", world_index)
    assert said in outcome.out
    assert outcome.code == code
    assert server.paths == ["/v1/models"]


def test_doctor_has_no_remedy_for_what_is_fine(run: Run, world_index: Path) -> None:
    checks = {check["check"]: check for check in run("doctor", "--json", "--index", world_index).json()}
    assert checks["index"]["remedy"] == ""
