"""What layers say of themselves: how much they found, in how many passages, and what their checks rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from polyhop.cli.index import contents_in_words
from polyhop.cli.main import polyhop
from polyhop.engine import Polyhop
from polyhop.reports import Contents
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.endpoint import Played, says, serving
from tests.worlds.settings import QUICK

LANDINGS = {
    "Fennick": "Ada Brisk landed at Fennick in May.",
    "Tarn Bay": "Otto Fell landed at Tarn Bay in June.",
    "Low Ness": "Nobody landed at Low Ness.",
}
FOUND = "2 questions in 2 of 3 passages; rejected: duplicate 3, answer 1"


def knowing(request: Mapping[str, Any]) -> Played:
    """An endpoint that asks some things twice and answers one with what is not there.

    It says that nothing can be asked of Low Ness, and has no more to ask when it is asked once more.
    """
    if len(request["messages"]) > 2:
        return says(json.dumps({"pairs": []}))
    nothing = {"question": "", "answer": ""}
    pairs = []
    for number, title, who in re.findall(
        r"<<<PASSAGE (\d+) [0-9a-f]+>>>\nTitle: (.*)\n\n(\w+ \w+)", request["messages"][1]["content"]
    ):
        pair = {"passage": int(number), "question": f"Who landed at {title}?", "answer": who}
        wrong = pair | {"question": f"Who never landed at {title}?", "answer": "Piet Rook"}
        pairs += {"Fennick": [pair, wrong, pair, pair], "Tarn Bay": [pair, pair]}.get(title, [pair | nothing])
    return says(json.dumps({"pairs": pairs}))


Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs commands over an index of landings, whose questions a language model writes."""
    rows = [{"id": title, "title": title, "text": text} for title, text in LANDINGS.items()]
    documents = tmp_path / "landings.jsonl"
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with serving(knowing) as server:
        changes = {
            "models.language_model": "openai",
            "language_model.base_url": server.url,
            "language_model.model": "sage",
            "language_model.cache": tmp_path / "cache",
            "layers.questions.generator": "language_model",
        }

        def invoke(command: str, *more: str) -> str:
            sets = [part for key, value in changes.items() for part in ("--set", f"{key}={value}")]
            paths = [str(documents)] if command == "index" else []
            arguments = [command, *paths, "--index", str(tmp_path / "an.index"), *sets, *more]
            done = CliRunner().invoke(polyhop, arguments, catch_exceptions=False)
            assert done.exit_code == 0, done.output
            return done.stdout

        yield invoke


QUESTIONS = ("--layers", "text,parsekg,questions")


def test_a_run_ends_with_what_was_found_and_what_was_rejected(run: Run) -> None:
    lines = run("index", *QUESTIONS).splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("Layer questions: 3 passages done"))
    assert lines[at + 1] == f"  {FOUND}."
    again = run("index", *QUESTIONS)
    assert "Layer questions: 0 passages done, 3 up to date" in again
    assert FOUND in again


def test_a_dry_run_finds_nothing_yet(run: Run) -> None:
    assert "rejected" not in run("index", *QUESTIONS, "--dry-run")


def test_status_says_the_same_of_every_layer_that_checks(run: Run) -> None:
    run("index", "--layers", "text,parsekg,facts,questions")
    lines = run("status").splitlines()
    told = {line: after for line, after in pairwise(lines) if after.startswith("  ")}
    by_layer = {line.split()[1].rstrip(":"): after for line, after in told.items()}
    assert by_layer.keys() == {"parsekg", "facts", "questions"}
    assert by_layer["questions"] == f"  {FOUND}"
    assert re.fullmatch(r"  \d+ facts in [23] of 3 passages; (none rejected|rejected: .*)", by_layer["facts"])


def test_programs_are_told_too(run: Run) -> None:
    expected = {
        "things": "questions",
        "count": 2,
        "passages": 2,
        "of": 3,
        "rejected": {"answer": 1, "duplicate": 3},
        "counts": {},
    }
    indexed, status = json.loads(run("index", *QUESTIONS, "--json")), json.loads(run("status", "--json"))
    for report in (indexed, status):
        found = {layer["name"]: layer["contents"] for layer in report["layers"]}
        graph = found.pop("parsekg")
        assert found == {"text": None, "questions": expected}
        assert (graph["things"], graph["count"], graph["rejected"]) == ("hyperrelations", 3, None)


def test_status_tells_what_the_graph_of_sentences_holds(harbour_engine: Polyhop) -> None:
    """As the paper's Table 5 does: a link is an entity that leads a hyperrelation, or one that it leads to."""
    [found] = [layer.contents for layer in harbour_engine.status().layers if layer.name == "parsekg"]
    assert found is not None
    assert list(found.counts) == ["headless", "entities", "entry entities", "head links", "tail links"]
    with harbour_engine.view() as view:
        graph = view.kg
        led = [len(graph.out.of(entity)) for entity in graph.entities()]
        assert found.count == len(list(graph.sentences()))
        assert found.counts["entities"] == len(led)
        assert found.counts["entry entities"] == sum(count > 0 for count in led)
        assert found.counts["head links"] == sum(led)
        assert found.counts["tail links"] == sum(len(graph.into.of(entity)) for entity in graph.entities())
    assert contents_in_words(found).startswith(f"{found.count} hyperrelations; headless {found.counts['headless']}, ")


def test_a_layer_that_stays_as_it_is_says_what_it_has(run: Run, tmp_path: Path) -> None:
    """Nothing can be added to it without its model, and nothing has to be."""
    run("index", *QUESTIONS)
    with Polyhop(tmp_path / "an.index", settings=Settings()) as engine:
        report = engine.index(tmp_path / "landings.jsonl")
    kept = next(layer for layer in report.layers if layer.name == "questions")
    assert kept.contents is not None
    assert contents_in_words(kept.contents) == FOUND


def test_facts_of_passages_are_counted_with_those_that_state_none(harbour: Path) -> None:
    (harbour / "nothing.txt").write_text("Well, well.", encoding="utf-8")
    with Polyhop(harbour.parent / "harbour.index", settings=QUICK) as engine:
        report = engine.index(harbour, layers=["text", "parsekg", "facts"])
        found = report.layers[-1].contents
        assert found is not None
        assert (found.things, found.passages, found.of) == ("facts", 4, 5)
        assert found.count > 4
        status = {layer.name: layer for layer in engine.status().layers}
        assert status["facts"].contents == found
        engine.remove("quillmouth.txt")
        status = {layer.name: layer for layer in engine.status().layers}
        left = status["facts"].contents
        assert left is not None
        assert (left.passages, left.of) == (3, 4)


def test_what_has_only_grown_is_not_summed_up(harbour_engine: Polyhop) -> None:
    """Its generation is of what was there when it was gathered last, which is not what status counts."""
    harbour_engine.ask("Where was Ada Brisk born?", strategy="stepchain")
    status = {layer.name: layer for layer in harbour_engine.status().layers}
    assert (status["facts"].whole, status["facts"].contents) == (False, None)


def test_a_generation_of_an_earlier_version_tells_what_it_counted(harbour: Path) -> None:
    with Polyhop(harbour.parent / "harbour.index", settings=QUICK) as engine:
        engine.index(harbour, layers=["text", "parsekg", "facts"])
        with Record.create_or_open(engine.path) as record:
            current = record.generation("facts")
            assert current is not None
            known = {name: value for name, value in current.description.items() if name not in ("passages", "of")}
            record.set_generation("facts", current.name, known | {"facts": 1234, "rejected": {"loop": 2}})
        found = {layer.name: layer for layer in engine.status().layers}["facts"].contents
        assert found is not None
        assert contents_in_words(found) == "1,234 facts; rejected: loop 2"


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (
            Contents(things="questions", count=472, passages=24, of=33, rejected={"answer": 34, "duplicate": 23}),
            "472 questions in 24 of 33 passages; rejected: answer 34, duplicate 23",
        ),
        (
            Contents(things="facts", count=0, passages=0, of=1200, rejected={}),
            "0 facts in 0 of 1,200 passages; none rejected",
        ),
        (
            Contents(things="questions", count=5, passages=2, of=None, rejected={"span": 1, "answer": 1}),
            "5 questions in 2 passages; rejected: answer 1, span 1",
        ),
    ],
)
def test_contents_in_words(contents: Contents, words: str) -> None:
    assert contents_in_words(contents) == words
    assert json.loads(json.dumps(asdict(contents)))["rejected"] == contents.rejected
