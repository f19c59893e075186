"""Which names are one entity: by spelling, by title, by an alias, by an acronym, and by likeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from polyhop.layers.facts import merging
from polyhop.layers.facts.merging import Similarity, is_acronym
from polyhop.ports import Floats
from polyhop.types import Fact
from tests.worlds.fact_graphs import BUILT, fact, graph_of, spellings


def test_one_normalised_name_is_one_entity() -> None:
    graph = graph_of({"Korr (island)": [fact("Korr (island)", "is", "large"), fact("the Korr", "is", "wet")]})
    assert spellings(graph)["korr"] == ["Korr (island)", "the Korr"]
    assert graph.reasons[1 if graph.keys[1] == "korr" else 0].split("\n") == ["", "name"]


def test_titles_with_other_brackets_are_other_things() -> None:
    """A mention without brackets is what its passage is titled after; elsewhere it stays the plain name's."""
    bells = {
        "John Bell (painter)": [fact("John Bell (painter)", "painted", "boats"), fact("John Bell", "saw", "Korr")],
        "John Bell (officer)": [fact("John Bell", "served in", "Korr")],
        "Korr": [fact("John Bell", "was born in", "Korr")],
    }
    graph = graph_of(bells)
    found = spellings(graph)
    assert found["john bell (painter)"] == ["John Bell (painter)", "John Bell"]
    assert found["john bell (officer)"] == ["John Bell"]
    assert found["john bell"] == ["John Bell"]
    assert graph.find("John Bell (painter)") != graph.find("John Bell (officer)") != graph.find("John Bell")
    assert graph.find("John Bell (senator)") == graph.find("John Bell")
    assert [graph.entity(place).key for place, _ in graph.anchors("John Bell the painter", 1)] == [
        "john bell (painter)"
    ]


def test_a_plain_title_beside_one_with_brackets_stands_for_itself() -> None:
    graph = graph_of(
        {
            "Korr": [fact("Korr", "is", "wet")],
            "Korr (film)": [fact("Korr", "won", "Oar Prize")],
            "x": BUILT["River Oar"],
        }
    )
    assert {"korr", "korr (film)"} <= spellings(graph).keys()


def test_a_common_noun_is_not_the_title_that_it_is_spelled_like() -> None:
    film = {"The Editor (film)": [fact("The Editor (film)", "won", "Oar Prize"), fact("editor", "is in", "Korr")]}
    assert spellings(graph_of(film))["editor"] == ["The Editor (film)", "editor"]
    also = {**film, "x": [fact("Ada Brisk", "was", "editor")]}
    assert spellings(graph_of(also))["editor (film)"] == ["The Editor (film)", "editor"]
    assert spellings(graph_of(also))["editor"] == ["editor"]


def test_what_a_fact_calls_another_name_is_one() -> None:
    facts = [fact("Ada Brisk", "was also known as", "Old Patience", "PERSON", "PERSON"), *BUILT["Ada Brisk"]]
    graph = graph_of({"Ada Brisk": facts, "x": [fact("Old Patience", "died in", "Korr")]})
    assert spellings(graph)["ada brisk"] == ["Ada Brisk", "Old Patience", "ADA BRISK"]
    assert graph.find("old patience") == graph.find("Ada Brisk")
    assert graph.counts["merged"] == 1


@pytest.mark.parametrize(
    "stated",
    [
        fact("Ada Brisk", "known as", "a great cook"),
        fact("Ada Brisk", "known as", "Mother of the"),
        fact("Ada Brisk", "born", "1810", "PERSON", "DATE"),
        fact("Ada Brisk", "born", "Fennick", "PERSON", "GPE"),
        fact("Ada Brisk", "born in", "Old Fennick", "PERSON", "PERSON"),
        fact("Ada Brisk", "also known as", "Old Patience", "PERSON", "GPE"),
        fact("Ada Brisk", "also known as", "River Oar"),  # there is a passage about either
    ],
)
def test_what_is_no_other_name_joins_nothing(stated: Fact) -> None:
    graph = graph_of({"Ada Brisk": [stated], "River Oar": BUILT["River Oar"]})
    assert graph.counts["merged"] == 0


def test_an_alias_that_two_entities_claim_joins_neither() -> None:
    claims = [fact("Ada Brisk", "also known as", "Old Patience"), fact("Piet Rook", "also known as", "Old Patience")]
    assert graph_of({"x": claims}).counts["merged"] == 0


def test_a_single_word_joins_only_where_nobody_else_uses_it() -> None:
    claim = fact("Ada Brisk", "nicknamed", "Patience")
    assert graph_of({"x": [claim]}).counts["merged"] == 1
    assert graph_of({"x": [claim], "y": [fact("Patience", "is", "rare")]}).counts["merged"] == 0


ACRONYM = "The Tarn School of Surveying (TSS) is small."


def test_an_acronym_in_brackets_is_the_name_before_it() -> None:
    facts = {"a": [fact("The Tarn School of Surveying", "is", "small")], "b": [fact("TSS", "is in", "Korr")]}
    graph = graph_of(facts, {"a": ACRONYM})
    assert graph.find("TSS") == graph.find("Tarn School of Surveying")
    place = graph.find("TSS")
    assert place is not None
    assert graph.reasons[place].split("\n") == ["", "alias: acronym"]
    twice = {"a": ACRONYM, "b": "The Tidal Science Society (TSS) met."}
    also = {**facts, "c": [fact("Tidal Science Society", "met in", "Korr")]}
    assert graph_of(also, twice).counts["merged"] == 0


@pytest.mark.parametrize(
    ("short", "name", "fits"),
    [
        ("TSS", "Tarn School of Surveying", True),
        ("TSOS", "Tarn School of Surveying", True),
        ("T.S.S.", "the Tarn School for Surveying", True),
        ("TSX", "Tarn School of Surveying", False),
        ("tss", "Tarn School of Surveying", False),
        ("T", "Tarn", False),
        ("1841", "Tarn School", False),
    ],
)
def test_an_acronym_has_the_initials(short: str, name: str, fits: bool) -> None:
    assert is_acronym(short, name) == fits


@pytest.mark.parametrize(
    ("spellings_there", "joined"),
    [(["TSS"], True), (["the TSS", "T.S.S."], True), (["A Tss"], False), (["TSS", "Tss", "a Tss"], False)],
)
def test_an_acronym_joins_what_is_mostly_written_as_one(spellings_there: list[str], joined: bool) -> None:
    """The village Tss is not the school that passages abbreviate as TSS."""
    school = fact("Tarn School of Surveying", "is in", "Oar")
    facts = [school, *(fact(spelling, "has", "a pier") for spelling in spellings_there)]
    graph = graph_of({"x": facts}, {"x": "The Tarn School of Surveying (TSS) is in Oar."})
    assert (graph.find("Tarn School of Surveying") == graph.find("TSS")) == joined


def test_similar_names_join_the_one_they_are_similar_to_and_no_chain_forms() -> None:
    """B is like A, and C is like B but not like A: C stays alone."""
    places = {"Aldmoor": 0.0, "Aldmore": 0.4, "Aldmere": 0.8, "Aldmoor 1": 0.01, "Oar": 3.0}

    def angles(texts: Sequence[str]) -> Floats:
        at = [places[text] for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in at], np.float32)

    facts = [fact("Aldmoor", "is near", "Oar"), *[fact(name, "is near", "Oar") for name in places if name != "Oar"]]
    graph = graph_of({"x": facts}, similarity=Similarity(0.9, angles))
    found = spellings(graph)
    assert found["aldmoor"] == ["Aldmoor", "Aldmore"]
    assert found["aldmere"] == ["Aldmere"]
    assert found["aldmoor 1"] == ["Aldmoor 1"]
    place = graph.find("Aldmore")
    assert place is not None
    assert graph.reasons[place].split("\n") == ["", "similarity 0.92"]
    assert graph_of({"x": facts}, similarity=Similarity(0.95, angles)).counts["merged"] == 0
    apart = [("aldmoor", "aldmore")]
    kept = spellings(graph_of({"x": facts}, similarity=Similarity(0.9, angles), apart=apart))
    assert kept["aldmoor"] == ["Aldmoor"]
    assert kept["aldmere"] == ["Aldmere", "Aldmore"]  # which is free now


class Watched(np.ndarray):
    """Vectors that tell how many cosines are made of them at once."""

    made: ClassVar[list[int]] = []

    def __matmul__(self, other: Any) -> Any:
        self.made.append(len(self) * other.shape[1])
        return super().__matmul__(other)


def test_few_cosines_of_names_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many names there are."""
    facts = [fact(f"Aldmoor {letter}", "is near", f"Oar {letter}") for letter in "abcdefghij"]
    drawn = np.random.default_rng(7).normal(size=(20, 3)).astype(np.float32)

    def vectors(texts: Sequence[str]) -> Floats:
        units: Floats = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True))[: len(texts)]
        return units.view(Watched)

    found = spellings(graph_of({"x": facts}, similarity=Similarity(0.9, vectors)))
    assert len(found) < 20
    Watched.made.clear()
    monkeypatch.setattr(merging, "BLOCK", 60)
    assert spellings(graph_of({"x": facts}, similarity=Similarity(0.9, vectors))) == found
    assert Watched.made == [60] * 6 + [40]
