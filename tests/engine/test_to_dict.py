"""What the library hands back can be written as JSON, and the command line prints the same."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from polyhop import registry
from polyhop.cli.main import polyhop
from polyhop.engine import Polyhop
from polyhop.serialisable import Serialisable
from polyhop.settings import Settings
from polyhop.types import Answer, Cost, Passage
from tests.worlds.documents import BRIDGE, write


def written(value: Serialisable) -> Any:
    """The value after a way through strict JSON text, which knows no NaN and no infinity."""
    return json.loads(json.dumps(value.to_dict(), allow_nan=False))


@pytest.mark.parametrize("strategy", registry.names("strategies"))
def test_evidence_of_every_strategy_survives_a_way_through_json(engine: Polyhop, strategy: str) -> None:
    if strategy == "iterative":
        pytest.skip("asks a language model")
    evidence = engine.search(BRIDGE, strategy=strategy)
    assert written(evidence) == evidence.to_dict()
    assert [passage["score"] for passage in evidence.to_dict()["passages"]] == [one.score for one in evidence.passages]


def test_an_answer_is_written_with_all_its_fields_and_what_it_derives_from_them(engine: Polyhop) -> None:
    answer = engine.ask(BRIDGE)
    content = written(answer)
    assert content == answer.to_dict()
    assert set(content) == {field.name for field in fields(Answer)} | {"status"}
    assert content["status"] == "answered"
    assert content["text"] == answer.text
    assert content["citations"][0]["span"]["start"] == answer.citations[0].span.start
    assert content["evidence"]["hops"][0]["passages"][0]["title"] == answer.evidence.hops[0].passages[0].title
    assert set(content["evidence"]["passages"][0]) == {field.name for field in fields(Passage)}


def test_a_cost_is_written_with_its_sum() -> None:
    cost = Cost(llm_calls=2, prompt_tokens=90, completion_tokens=10, seconds=0.5)
    assert cost.to_dict() == {
        "llm_calls": 2,
        "prompt_tokens": 90,
        "completion_tokens": 10,
        "seconds": 0.5,
        "money": 0.0,
        "tokens": 100,
    }


def test_reports_survive_a_way_through_json(tmp_path: Path) -> None:
    folder = write(tmp_path / "documents", {"gull.txt": "The gull is a bird of the coast.", "empty.txt": ""})
    with Polyhop(tmp_path / "gull.index", settings=Settings()) as engine:
        report = engine.index(folder, layers=("text", "parsekg", "facts"))
        assert written(report) == report.to_dict()
        assert report.to_dict()["stopped"] is False
        assert [layer["name"] for layer in report.to_dict()["layers"]] == ["text", "parsekg", "facts"]
        assert report.to_dict()["skipped"] == [{"uri": (folder / "empty.txt").as_posix(), "reason": "is empty"}]
        status = engine.status()
        assert written(status) == status.to_dict()
        assert [layer["has_gaps"] for layer in status.to_dict()["layers"]] == [False, False, False]
        assert written(engine.remove("gull.txt", "tern.txt"))["missing"] == ["tern.txt"]


def test_the_command_line_prints_the_same_and_where_passages_stand(engine: Polyhop) -> None:
    index = ("--index", str(engine.path))
    printed = CliRunner().invoke(polyhop, ["status", "--json", *index])
    assert json.loads(printed.output) == engine.status().to_dict()
    printed = CliRunner().invoke(
        polyhop, ["search", BRIDGE, "--strategy", "bm25", "--json", "--index", str(engine.path)]
    )
    expected = engine.search(BRIDGE, strategy="bm25").to_dict()
    found = json.loads(printed.output)
    assert all(passage.pop("uri") for passage in found["passages"])
    for passage in found["passages"]:
        for place in ("page", "line", "where"):
            passage.pop(place)
    assert found | {"cost": None} == expected | {"cost": None}
