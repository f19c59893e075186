"""The vectors of facts are those of the facts as they are read, and are made once for an index, not for each state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, generation_of, save
from polyhop.layers.facts.vectors import fact_vectors
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.store.record import Record
from polyhop.types import Fact
from tests.worlds.documents import HARBOUR, write
from tests.worlds.noted import NotingModels

LAYERS = ("text", "parsekg", "facts")
MORE = "The Bay of Vell is a bay. It was charted by Ada Brisk in 1850."


@contextmanager
def view_of(index: Path, models: Models, layer: FactsLayer | None = None) -> Iterator[View]:
    """What a strategy may look at."""
    with Record.open(index) as record:
        facts = (layer or FactsLayer()).open(record, index / "generations" / "facts", models)
        yield View(record=record, models=models, layers={"facts": facts})


def line(fact: Fact) -> str:
    return f"{fact.head} {fact.relation} {fact.tail}"


def facts_in(view: View) -> list[str]:
    """All facts as lines."""
    return [line(view.facts.fact(place)) for place in range(len(view.facts.heads))]


def indexed(folder: Path, files: dict[str, str]) -> Path:
    """An index of some files, which may be there already."""
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", files), layers=LAYERS)
    return folder / "polyhop.index"


@pytest.fixture
def noting(models: Models) -> NotingModels:
    return NotingModels(models)


def test_the_vectors_are_those_of_the_facts_as_they_are_spelled(tmp_path: Path, models: Models) -> None:
    with view_of(indexed(tmp_path, HARBOUR), models) as view:
        lines = facts_in(view)
        vectors = fact_vectors(view)
        assert fact_vectors(view) is vectors
    expected = models.embedder.embed_passages(lines).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(vectors, expected)


def test_indexing_embeds_no_facts_and_a_grown_index_only_the_new_ones(tmp_path: Path, noting: NotingModels) -> None:
    """And the vectors are those of an index that never was another."""
    index = indexed(tmp_path / "one", HARBOUR)
    with view_of(index, noting) as view:
        known = set(facts_in(view))
        fact_vectors(view)
    assert set(noting.embedder.read) == known
    assert len(known) > 5
    noting.embedder.read.clear()
    indexed(tmp_path / "one", {"vell.txt": MORE})
    with view_of(index, noting) as view:
        grown = dict(zip(facts_in(view), fact_vectors(view).tolist(), strict=True))
    assert sorted(noting.embedder.read) == sorted(grown.keys() - known)
    assert noting.embedder.read
    with view_of(indexed(tmp_path / "two", {**HARBOUR, "vell.txt": MORE}), noting) as view:
        assert dict(zip(facts_in(view), fact_vectors(view).tolist(), strict=True)) == grown


def test_under_an_overlay_only_what_it_changes_is_embedded(tmp_path: Path, noting: NotingModels) -> None:
    index = indexed(tmp_path, HARBOUR)
    with view_of(index, noting) as view:
        fact_vectors(view)
        graph = view.facts
        before = Worded.of(graph.fact(0))
        edit = Edit(
            passage=int(graph.numbers[graph.rows[0]]),
            ordinal=0,
            kind="test",
            before=before,
            after=before._replace(tail="Vell"),
        )
        count = len(graph.heads)
        made = Overlay(kind="test", ratio=1, seed=0, generation=generation_of(graph), pool=count, edits=(edit,))
        save(made, index, "changed")
    noting.embedder.read.clear()
    with view_of(index, noting, FactsLayer(overlay="changed")) as view:
        assert fact_vectors(view).shape == (count, noting.embedder.dimensions)
    assert noting.embedder.read == [f"{before.head} {before.relation} Vell"]
