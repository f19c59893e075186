"""Summaries of the tree that a language model writes are paid for once."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import StorageFull
from polyhop.layers.tree import index as tree_index
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.endpoint import EndpointServer, Played, Script, refuses, says, serving
from tests.worlds.guild import tree_in, works, write

CALL = {"prompt_tokens": 900, "completion_tokens": 60}


def description_of(folder: Path) -> Mapping[str, Any]:
    with Record.open(folder) as record:
        current = record.generation("tree")
        assert current is not None
        return current.description


def summing_up(request: Mapping[str, Any]) -> Played:
    """A summary that only this model gives."""
    first = re.search(r"Maker \d+", request["messages"][1]["content"])
    return says(json.dumps({"summary": f"The guild keeps {first[0] if first else 'order'}."}), usage=CALL)


def failing_from(call: int, trouble: Played) -> Script:
    calls = iter(range(1, 10_000))
    return lambda request: summing_up(request) if next(calls) < call else trouble


@dataclass
class Place:
    """Documents, an index of them, and an endpoint that sums up."""

    folder: Path
    server: EndpointServer

    @property
    def path(self) -> Path:
        """The index."""
        return self.folder / "an.index"

    def index(self, rows: int = 30, **more: object) -> Any:
        """One run; what it reports of the tree."""
        named = {"base_url": self.server.url, "model": "sage", "concurrency": 1, "cache": "none", **more}
        changes = [f"language_model.{key}={value}" for key, value in named.items()]
        settings = Settings.read(
            None, [*changes, "models.language_model=openai", "layers.tree.summariser=language_model"]
        )
        with Polyhop(self.path, settings=settings) as engine:
            report = engine.index(write(self.folder / "makers.jsonl", works(rows)), layers=("text", "tree"))
        return next(layer for layer in report.layers if layer.name == "tree")

    def texts(self) -> list[str]:
        """All summaries."""
        tree = tree_in(self.path)
        return [tree.texts[node] for node in tree.nodes.tolist()]

    def paid(self) -> int:
        """How many of them are the model's."""
        return sum(text.startswith("The guild keeps") for text in self.texts())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with serving(summing_up) as server:
        yield Place(tmp_path, server)


def test_a_language_model_sums_up_every_cluster_once(place: Place) -> None:
    place.index()
    calls = len(place.server.requests)
    assert calls == place.paid() == len(place.texts()) > 3
    place.index()
    shutil.rmtree(place.path / "generations" / "tree")
    place.index()
    assert len(place.server.requests) == calls
    assert description_of(place.path)["lacking"] == 0


def test_what_it_cost_is_noted(place: Place) -> None:
    place.index()
    with Record.open(place.path) as record:
        noted = json.loads(record.meta("cost:tree") or "{}")
    assert noted["llm_calls"] == len(place.server.requests)
    assert noted["prompt_tokens"] == 900 * noted["llm_calls"]


def test_a_cap_leaves_central_sentences_and_the_next_run_asks_for_the_rest_only(place: Place) -> None:
    place.index(call_cap=2)
    assert len(place.server.requests) == 2 == place.paid()
    lacking = description_of(place.path)["lacking"]
    assert lacking == len(place.texts()) - 2 > 0
    assert "calls" in description_of(place.path)["stopped"]
    place.index()
    assert description_of(place.path)["lacking"] == 0
    assert place.paid() == len(place.texts())


def test_an_endpoint_that_fails_in_the_middle_costs_nothing_that_was_paid_for(place: Place) -> None:
    place.server.script = failing_from(3, refuses(400, "no more"))
    place.index()
    assert place.paid() == 2
    assert description_of(place.path)["lacking"] > 0
    place.server.script = summing_up
    before = len(place.server.requests)
    place.index()
    assert place.paid() == len(place.texts()) == len(place.server.requests) - before + 2


def test_summaries_go_with_the_passages_that_they_were_made_from(place: Place) -> None:
    place.index(30)
    kept = place.path / "summaries" / "tree.jsonl"
    before = len(kept.read_text(encoding="utf-8").splitlines())
    place.index(29)
    with Record.open(place.path) as record:
        assert record.count_passages() == 29
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    gone = len(place.server.requests) - len(lines)
    assert before > gone > 0


def test_one_cluster_that_is_refused_does_not_stop_the_others(place: Place) -> None:
    """It has central sentences, and is asked for again by the next run."""
    place.server.script = lambda request: (
        refuses(413, "too much") if "Maker 7 " in str(request) else summing_up(request)
    )
    place.index()
    lacking = description_of(place.path)["lacking"]
    assert 0 < lacking < len(place.texts())
    assert place.paid() == len(place.texts()) - lacking
    assert description_of(place.path)["stopped"] == ""
    before = len(place.server.requests)
    place.server.script = summing_up
    place.index()
    assert place.paid() == len(place.texts())
    assert len(place.server.requests) - before >= lacking


def test_a_tree_that_comes_out_the_same_is_not_written_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked for in vain a second time leaves the tree that is served."""
    place.server.script = lambda _: refuses(413, "too much")
    place.index()
    before, calls = description_of(place.path), len(place.server.requests)

    def full(*_: object) -> None:
        raise StorageFull("No space is left.")

    monkeypatch.setattr(tree_index, "write", full)
    place.index()
    assert len(place.server.requests) > calls
    assert description_of(place.path) == before
    assert place.paid() == 0 < len(place.texts())


def test_summaries_that_older_versions_stored_are_not_paid_for_again(place: Place) -> None:
    """Their lines name the passages in another field."""
    place.index()
    kept, calls = place.path / "summaries" / "tree.jsonl", len(place.server.requests)
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    old = [json.dumps({"key": line["key"], "of": line["passages"], "text": line["text"]}) for line in lines]
    kept.write_text("".join(f"{line}\n" for line in old), encoding="utf-8")
    shutil.rmtree(place.path / "generations" / "tree")
    place.index()
    assert len(place.server.requests) == calls
    assert place.paid() == len(place.texts())
