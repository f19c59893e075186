"""The facts layer: rows state what stands in their passages, and a graph leads from names to them and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import ModelMissing
from polyhop.indexes.names import normal
from polyhop.layers.facts.graph import MOST_TIED, FactGraph
from polyhop.layers.facts.layer import FactsLayer, decode, encode
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Floats
from polyhop.types import Fact, Passage
from tests.worlds.endpoint import says, serving
from tests.worlds.extraction import passage
from tests.worlds.fact_graphs import BUILT, fact, graph_of, lengths, spellings
from tests.worlds.fact_index import PASSAGES

label = st.sampled_from(["", "PERSON", "TITLE"])
some_fact = st.builds(
    Fact,
    head=st.text(min_size=1),
    relation=st.text(min_size=1),
    tail=st.text(min_size=1),
    start=st.integers(0, 50),
    end=st.integers(51, 99),
    head_label=label,
    tail_label=label,
    confidence=st.integers(0, 100).map(lambda share: share / 100),
)


@given(st.lists(some_fact, max_size=5), st.dictionaries(st.sampled_from(["head", "evidence"]), st.integers(1, 9)))
def test_a_row_gives_its_facts_back(facts: list[Fact], rejected: dict[str, int]) -> None:
    assert decode(encode(facts, rejected)) == (facts, rejected)


def test_extracted_facts_stand_where_they_say(models: Models) -> None:
    rows = FactsLayer().extract(PASSAGES, models, {})
    found = {}
    for one, row in zip(PASSAGES, rows, strict=True):
        assert isinstance(row, bytes)
        for stated in decode(row)[0]:
            said = one.text[stated.start : stated.end]
            assert said.strip()
            assert stated.head in (one.text + one.title)
            assert stated.tail in (one.text + one.title)
            found[stated.head, stated.tail] = said
    assert found["Ada Brisk", "Fennick"].startswith("She was born in Fennick")
    assert any(head.endswith("Tarn School") and tail == "Piet Rook" for head, tail in found)


@pytest.mark.parametrize(
    ("setting", "wrong"), [("merge_similar", 1.5), ("merge_similar", 0.0), ("passages_a_call", 0), ("tokens_a_call", 0)]
)
def test_settings_that_make_no_sense_are_refused(setting: str, wrong: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        FactsLayer(**{setting: wrong})  # type: ignore[arg-type]


def test_a_language_model_that_is_not_configured_is_missing(models: Models) -> None:
    with pytest.raises(ModelMissing, match="none is configured") as caught:
        FactsLayer(extractor="language_model").made_with(models)
    assert "POLYHOP_BASE_URL" in caught.value.remedy


def test_a_language_model_extracts_where_that_is_asked_for(models: Models) -> None:
    """Several passages a call; what no passage states is counted and not kept."""
    born = {"passage": 2, "head": "Ada Brisk", "relation": "was born in", "tail": "Fennick"}
    answer = [
        {**born, "evidence": "She was born in Fennick"},
        {**born, "tail": "Paris", "evidence": "She was born in Fennick"},
    ]
    with (
        serving(says(json.dumps({"facts": answer}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as one,
    ):
        asking = models.with_language_model(one)
        rows = FactsLayer(extractor="language_model").extract(PASSAGES[:2], asking, {})
        assert len(server.requests) == 1
        marks = [
            layer.made_with(asking)
            for layer in (
                FactsLayer(extractor="language_model"),
                FactsLayer(extractor="language_model", passages_a_call=2),
                FactsLayer(),
            )
        ]
    nothing, some = (decode(row) for row in rows if isinstance(row, bytes))
    assert nothing == ([], {})
    (stated,), rejected = some
    assert (stated.head, stated.relation, stated.tail) == ("Ada Brisk", "was born in", "Fennick")
    assert PASSAGES[1].text[stated.start : stated.end] == "She was born in Fennick"
    assert rejected == {"tail": 1}
    assert len(set(marks)) == 3
    assert marks[2] == FactsLayer().made_with(models)


def test_a_graph_leads_from_an_entity_to_its_facts_and_their_places() -> None:
    graph = graph_of(BUILT)
    brisk = graph.find("the Ada Brisk")
    assert brisk is not None
    facts = graph.touching([brisk])
    said = [graph.fact(position) for position in facts.tolist()]
    assert [(one.head, one.relation, one.tail) for one in said] == [
        ("lighthouse", "was built by", "Ada Brisk"),
        ("Ada Brisk", "was born in", "Fennick"),
        ("ADA BRISK", "studied at", "Tarn School"),
    ]
    assert graph.passages_of(facts) == [1, 2]
    assert graph.place(int(facts[1])) == (2, 0, 1)
    assert graph.facts_of(2).tolist() == facts[1:].tolist()
    assert graph.facts_of(99).tolist() == []
    assert graph.entity(brisk).aliases == ("ADA BRISK",)
    assert graph.touching([]).tolist() == []


@given(st.lists(st.lists(some_fact, max_size=4), max_size=4))
def test_a_graph_keeps_every_fact_as_it_was_stated(rows: list[list[Fact]]) -> None:
    """But for white space, half-written letters, and ends without any word, which name nothing."""
    stated = [(number, passage("", "…"), facts) for number, facts in enumerate(rows)]
    graph = FactGraph.of(stated, lengths)
    kept = [(number, one) for number, _, facts in stated for one in facts if normal(one.head) and normal(one.tail)]
    assert len(graph.heads) == len(kept)
    for position, (number, one) in enumerate(kept):
        found = graph.fact(position)
        head, relation, tail = (
            " ".join(text.split()).encode("utf-8", "replace").decode() for text in (one.head, one.relation, one.tail)
        )
        expected = replace(one, head=head, relation=relation, tail=tail)
        assert replace(found, confidence=round(found.confidence, 4)) == expected
        assert graph.place(position) == (number, one.start, one.end)
        assert graph.find(one.head) is not None
        assert position in graph.touching([int(graph.heads[position])])


def test_entities_are_in_the_order_of_their_keys_and_relations_once_each() -> None:
    graph = graph_of(BUILT)
    assert list(spellings(graph)) == sorted(spellings(graph))
    relations = [graph.relations[place] for place in range(len(graph.relations))]
    assert relations == sorted({one.relation for found in BUILT.values() for one in found})
    assert graph.relation_vectors.tolist() == lengths(relations).tolist()


def test_a_label_that_says_something_comes_before_a_title() -> None:
    facts = [fact("Ada Brisk", "built", "pier", "TITLE"), fact("Ada Brisk", "drew", "plan", "TITLE")]
    graph = graph_of({"Ada Brisk": facts, "Pier": [fact("Ada Brisk", "built", "pier", "PERSON")]})
    assert [graph.labels[place] for place in range(len(graph))] == ["PERSON", "", ""]
    assert graph.fact(0).head_label == "TITLE"


def test_a_name_with_capitals_comes_before_the_title_of_a_file() -> None:
    facts = [fact("ada brisk", "built", "pier"), fact("ada brisk", "drew", "plan"), fact("Ada Brisk", "saw", "Korr")]
    assert spellings(graph_of({"ada brisk": facts}))["ada brisk"] == ["Ada Brisk", "ada brisk"]


def test_strange_names_and_relations_are_kept() -> None:
    long = "was " + "very " * 100 + "near"
    graph = graph_of({"a": [fact("雨の町", long, "Łódź"), fact("雨の町", "x", "雨の町")], "b": []})
    assert len(graph) == 2
    assert graph.relations[int(graph.relation_ids[0])] == long
    town = graph.find("雨の町")
    assert town is not None
    assert graph.touching([town]).tolist() == [0, 1]
    assert graph.find("lodz") == graph.heads[0] + graph.tails[0] - town


def test_an_empty_graph_answers_with_nothing(tmp_path: Path) -> None:
    empty: list[list[tuple[int, Passage, list[Fact]]]] = [[], [(1, PASSAGES[0], [])]]
    for stated in empty:
        graph = FactGraph.of(stated, lengths)
        graph.save(tmp_path / str(len(stated)))
        for one in (graph, FactGraph.open(tmp_path / str(len(stated)), np.array([1]))):
            assert (len(one), one.find("x"), one.anchors("x", 3)) == (0, None, [])
            assert one.touching([]).tolist() == one.facts_of(1).tolist() == one.passages_of(one.facts_of(1)) == []


def test_anchors_are_the_entities_whose_names_cover_most() -> None:
    graph = graph_of(BUILT)
    found = [(graph.entity(place).name, share) for place, share in graph.anchors("Brisk of the River", 3)]
    assert found == [("Ada Brisk", 0.25), ("River Oar", 0.25), ("the Sable Coast", 0.25)]


def test_nearness_decides_a_tie_at_the_cut_and_is_not_asked_otherwise() -> None:
    asked: list[list[str]] = []

    def nearness(names: Sequence[str]) -> Floats:
        asked.append(list(names))
        return np.array([float(name == "Tarn Mill") for name in names], np.float32)

    graph = graph_of({"": [fact(f"Tarn {end}", "is near", "Tarn") for end in ("Abbey", "Bridge", "Mill")]})
    assert len(graph.anchors("Tarn", 4, nearness)) == 4
    assert asked == []
    assert [graph.entity(place).name for place, _ in graph.anchors("Tarn", 2, nearness)] == ["Tarn", "Tarn Mill"]
    assert asked == [["Tarn Abbey", "Tarn Bridge", "Tarn Mill"]]
    assert [graph.entity(place).name for place, _ in graph.anchors("Tarn", 2)] == ["Tarn", "Tarn Abbey"]


def test_nearness_is_asked_for_a_bounded_number_of_names() -> None:
    asked: list[int] = []

    def nearness(names: Sequence[str]) -> Floats:
        asked.append(len(names))
        return np.arange(len(names), dtype=np.float32)

    graph = graph_of({"": [fact(f"Tarn {place:02}", "is near", "Oar") for place in range(40)]})
    assert [graph.entity(place).name for place, _ in graph.anchors("Tarn", 2, nearness)] == ["Tarn 15", "Tarn 14"]
    assert len(graph.anchors("Tarn", 30, nearness)) == 30
    assert asked == [MOST_TIED, MOST_TIED]


def test_entities_of_deleted_passages_are_no_anchors(tmp_path: Path) -> None:
    graph_of(BUILT).save(tmp_path / "graph")
    graph = FactGraph.open(tmp_path / "graph", np.array([1, 3]))
    assert graph.facts_of(2).tolist() == []
    names = [graph.entity(place).name for place, _ in graph.anchors("Tarn School Ada", 3)]
    assert names == ["Ada Brisk"]
    assert graph.passages_of(graph.touching(range(len(graph)))) == [1, 3]
