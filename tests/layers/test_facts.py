"""The facts layer: what is stored states itself, and the graph of it is the same however it came about."""

from __future__ import annotations

import filecmp
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.errors import IndexCorrupt, ModelMismatch, ModelMissing, UsageError
from polyhop.indexes.names import normal
from polyhop.layers.facts import merges, merging
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, write_whole
from polyhop.layers.facts.graph import MOST_TIED, FactGraph
from polyhop.layers.facts.layer import FactsLayer, decode, encode
from polyhop.layers.facts.merges import apart_of, join_again, keep_apart, merges_of
from polyhop.layers.facts.merging import Similarity, is_acronym
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, generation_of, save
from polyhop.layers.layer import fingerprint
from polyhop.models.choice import Models, load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Embedder, Floats
from polyhop.settings import Chunking, Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Fact, Passage
from tests.worlds.endpoint import says, serving

TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "River Oar": "The River Oar rises near Fennick. It reaches the sea at Quillmouth, below the lighthouse.",
    "雨の町": "昨日、雨の町で灯台が建てられた。",
    "Nothing": "…",
}


def passage(title: str, text: str) -> Passage:
    """A passage that is its own document."""
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


PASSAGES = [passage(title, text) for title, text in TEXTS.items()]


def fact(head: str, relation: str, tail: str, head_label: str = "", tail_label: str = "") -> Fact:
    """A fact whose evidence is the first letter of its passage."""
    return Fact(head=head, relation=relation, tail=tail, start=0, end=1, head_label=head_label, tail_label=tail_label)


def lengths(texts: Sequence[str]) -> Floats:
    """Unit vectors that differ where the texts do: what a graph keeps does not depend on what they mean."""
    rows = np.array([[len(text), sum(map(ord, text)) % 97, 1] for text in texts], np.float32).reshape(-1, 3)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def graph_of(facts: dict[str, list[Fact]], texts: dict[str, str] | None = None, **how: object) -> FactGraph:
    """The graph of passages given by their titles."""
    stated = [
        (number, passage(title.strip("*"), (texts or {}).get(title, "…")), found)
        for number, (title, found) in enumerate(facts.items(), 1)
    ]
    return FactGraph.of(stated, lengths, **how)  # type: ignore[arg-type]


def spellings(graph: FactGraph) -> dict[str, list[str]]:
    """All entities: key, and spellings in order."""
    return {graph.keys[place]: graph.aliases[place].split("\n") for place in range(len(graph))}


BUILT = {
    "Quillmouth": [fact("Quillmouth", "is on", "the Sable Coast"), fact("lighthouse", "was built by", "Ada Brisk")],
    "Ada Brisk": [fact("Ada Brisk", "was born in", "Fennick"), fact("ADA BRISK", "studied at", "Tarn School")],
    "River Oar": [fact("River Oar", "rises near", "Fennick")],
}


# Rows.

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


def test_settings_that_make_no_sense_are_refused(models: Models) -> None:
    for wrong in ({"merge_similar": 1.5}, {"merge_similar": 0.0}, {"passages_a_call": 0}, {"tokens_a_call": 0}):
        with pytest.raises(ValueError, match="must be"):
            FactsLayer(**wrong)
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


# The graph.


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


# Anchors.


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


# Merging.


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


# Gathering.


class CountingEmbedder:
    """The real embedder, with a list of what it was given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Vectors of the real one."""
        self.embedded += texts
        return self._embedder.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Vectors of the real one."""
        return self._embedder.embed_questions(texts)


class CountingModels(Models):
    """The default models with such an embedder."""

    def __init__(self, embedder: CountingEmbedder) -> None:
        super().__init__(Settings())
        self._counting = embedder

    @property
    def embedder(self) -> Embedder:
        """The one that counts."""
        return self._counting


@dataclass
class Index:
    """A record with the facts layer and nothing around it."""

    record: Record
    folder: Path
    models: Models
    layer: FactsLayer = FactsLayer()

    def put(
        self,
        titles: Sequence[str],
        facts: dict[str, list[Fact]] | None = None,
        rejected: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Store documents with what they state (given, or extracted), and gather."""
        mark = fingerprint(self.layer, self.models)
        for title in titles:
            document = file_document(f"/{title}.txt", TEXTS.get(title, "Korr."), "text/plain", title=title)
            passages = cut(document, Chunking())
            self.record.put(document, passages)
            numbers = self.record.numbers_by_id([one.id for one in passages])
            rows = self.layer.extract(passages, self.models, {}) if facts is None else [encode(facts[title], rejected)]
            payloads = [row for row in rows if isinstance(row, bytes)]
            self.record.record_rows(self.layer.name, mark, list(zip(numbers.values(), payloads, strict=True)))
        self.gather()

    def drop(self, *titles: str) -> None:
        """Remove documents, without gathering."""
        self.record.drop([row.id for row in self.record.documents() if row.title in titles])

    def gather(self) -> None:
        """Make the graph."""
        self.layer.gather(self.record, self.folder, fingerprint(self.layer, self.models), self.models)

    def open(self) -> FactGraph:
        """The graph."""
        return self.layer.open(self.record, self.folder, self.models)


@pytest.fixture
def index(tmp_path: Path, models: Models) -> Iterator[Index]:
    with Record.create_or_open(tmp_path / "one") as record:
        yield Index(record, tmp_path / "one" / "generations" / "facts", models)


def test_what_is_gathered_is_counted_in_the_description(index: Index) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    index.put(["Nothing"], {"Nothing": [fact("Ada Brisk", "sang", "songs")]}, {"head": 2, "evidence": 1})
    index.put(["Tarn School"])
    current = index.record.generation("facts")
    assert current is not None
    graph = index.open()
    assert current.description["rejected"] == {"evidence": 1, "head": 2}
    assert {key: current.description[key] for key in graph.counts} == graph.counts
    assert graph.counts["facts"] > 5
    index.drop("Nothing")
    index.gather()
    current = index.record.generation("facts")
    assert current is not None
    assert current.description["rejected"] == {}


def unreadable(index: Index, *titles: str) -> None:
    """Make rows of documents such that nobody can decode them."""
    documents = {row.id for row in index.record.documents() if row.title in titles}
    numbers = index.record.numbers()
    passages = zip(numbers.tolist(), index.record.passages(numbers.tolist()), strict=True)
    mark = fingerprint(index.layer, index.models)
    index.record.record_rows("facts", mark, [(n, b"?") for n, one in passages if one.document_id in documents])


def test_only_passages_that_came_since_are_decoded(index: Index) -> None:
    index.put(["Quillmouth", "Ada Brisk", "River Oar"])
    before = spellings(index.open())
    unreadable(index, "Quillmouth", "Ada Brisk", "River Oar")
    index.put(["Nothing"], {"Nothing": [fact("Old Patience", "sang", "songs")]})
    assert spellings(index.open()) == before | {"old patience": ["Old Patience"], "songs": ["songs"]}
    index.drop("Nothing")
    index.gather()
    assert spellings(index.open()) == before


def test_all_are_decoded_again_where_what_was_gathered_is_damaged(index: Index) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    current = index.record.generation("facts")
    assert current is not None
    (index.folder / current.name / "gathered" / "titles" / "blob.npy").write_bytes(b"")
    index.put(["River Oar"])
    assert "river oar" in spellings(index.open())
    assert "ada brisk" in spellings(index.open())


@pytest.mark.parametrize("lost", ["gathered/titles", "aliases"])
def test_all_are_decoded_again_where_a_folder_of_the_generation_is_lost(index: Index, lost: str) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    current = index.record.generation("facts")
    assert current is not None
    shutil.rmtree(index.folder / current.name / lost)
    index.put(["River Oar"])
    assert "river oar" in spellings(index.open())
    assert "ada brisk" in spellings(index.open())


def test_all_are_decoded_again_after_rows_of_another_extractor(index: Index) -> None:
    """What was gathered before them is no more than what they replaced."""
    index.put(["Quillmouth", "Ada Brisk"])
    number = int(index.record.numbers()[0])
    row = encode([fact("Old Patience", "sang", "songs")], {})
    for mark in ("another", fingerprint(index.layer, index.models)):
        index.record.record_rows("facts", mark, [(number, row)])
    index.put(["River Oar"])
    assert "old patience" in spellings(index.open())


def test_relations_that_were_embedded_are_not_embedded_again(index: Index, models: Models) -> None:
    counting = CountingEmbedder(models.embedder)
    index.models = CountingModels(counting)
    index.put(["Quillmouth", "Ada Brisk"])
    first = index.open()
    assert sorted(counting.embedded) == [first.relations[place] for place in range(len(first.relations))]
    counting.embedded.clear()
    index.put(["Tarn School"])
    second = index.open()
    known = {first.relations[place] for place in range(len(first.relations))}
    assert sorted(counting.embedded) == sorted(
        {second.relations[place] for place in range(len(second.relations))} - known
    )
    said = [second.relations[place] for place in range(len(second.relations))]
    assert np.array_equal(second.relation_vectors, PhraseStore.open(None, models.embedder).vectors(said))


def test_the_same_passages_give_the_same_bytes_whatever_came_and_went(index: Index, tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path / "two") as record:
        other = Index(record, tmp_path / "two" / "generations" / "facts", index.models)
        index.put(["Quillmouth", "Ada Brisk", "River Oar", "雨の町"])
        index.drop("Ada Brisk", "River Oar")
        index.gather()
        other.put(["Quillmouth"])
        other.put(["雨の町"])
        assert kept(index) == kept(other)


POOL = {
    "Korr": [fact("Korr", "is", "an island"), fact("KORR", "has", "a harbour")],
    "Korr (ship)": [fact("Korr (ship)", "sailed to", "Fennick"), fact("Korr", "was built by", "Ada Brisk")],
    "Editor (film)": [fact("Editor (film)", "was shot in", "Fennick")],
    "Ada Brisk": [fact("Ada Brisk", "is also known as", "Old Patience"), fact("the editor", "met", "Ada Brisk")],
    "Patience": [fact("Old Patience", "died in", "Tarn", "PERSON"), fact("ada  brisk", "wrote", "…")],
    "Tarn Rowing Club": [fact("TRC", "rows on", "Tarn"), fact("Tarn Rowing Club", "owns", "a boat", "ORG")],
    "Nothing": [],
}


def decoded(numbers: Mapping[str, int]) -> Iterator[Decoded]:
    """Passages of the pool under these numbers, with an acronym where their title has one."""
    for title, number in numbers.items():
        text = "The Tarn Rowing Club (TRC) rows." if title.startswith("Tarn") else "…"
        yield number, passage(title, text), POOL[title], {"head": number} if title == "Patience" else {}


def written(gathered: GatheredFacts, folder: Path) -> dict[str, bytes]:
    """The files of a generation made of it."""
    write_whole(folder, gathered, lengths)
    return arrays_in(folder)


@settings(max_examples=40)  # of up to seven generations each
@given(st.lists(st.sets(st.sampled_from(sorted(POOL)), min_size=1, max_size=4), min_size=1, max_size=5))
def test_what_is_gathered_bit_by_bit_is_what_is_gathered_at_once(changes: Sequence[Set[str]]) -> None:
    """Each change puts in what is not there, under a new number, and takes out what is."""
    with TemporaryDirectory() as place:
        there: dict[str, int] = {}
        files = written(GatheredFacts.of([]), Path(place) / "0")
        for step, titles in enumerate(map(sorted, changes), 1):
            new = {title: 10 * step + at for at, title in enumerate(titles) if title not in there}
            there = {title: number for title, number in there.items() if title not in titles}
            before = GatheredFacts.open(Path(place) / str(step - 1)).among(np.array(sorted(there.values()), np.int64))
            files = written(before.with_more(GatheredFacts.of(decoded(new))), Path(place) / str(step))
            there |= new
        assert files == written(GatheredFacts.of(decoded(there)), Path(place) / "whole")


def arrays_in(folder: Path) -> dict[str, bytes]:
    """The arrays of a folder, byte for byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.npy")}


def kept(index: Index) -> dict[str, bytes]:
    """The arrays of the current generation, but for the numbers of passages."""
    current = index.record.generation("facts")
    assert current is not None
    arrays = arrays_in(index.folder / current.name)
    return {name: content for name, content in arrays.items() if not name.endswith("numbers.npy")}


def test_a_graph_in_memory_is_the_graph_on_disk(tmp_path: Path) -> None:
    stated = [(place, passage(title, "…"), facts) for place, (title, facts) in enumerate(BUILT.items())]
    graph = FactGraph.of(stated, lengths)
    graph.save(tmp_path / "one")
    counts = graph.counts
    graph = FactGraph.of(stated[::-1], lengths)
    graph.save(tmp_path / "two")
    assert graph.counts == counts
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.npy"))
    assert filecmp.cmpfiles(tmp_path / "one", tmp_path / "two", [str(path) for path in files], shallow=False)[1:] == (
        [],
        [],
    )


def test_a_damaged_generation_is_noticed_and_written_again(index: Index) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    current = index.record.generation("facts")
    assert current is not None
    counts = index.open().counts
    folder = index.folder / current.name
    for damaged in ("facts/heads.npy", "coverage/rows.npy", "aliases/blob.npy"):
        (folder / damaged).write_bytes(b"")
        with pytest.raises(IndexCorrupt):
            index.open()
        index.gather()
        assert index.open().counts == counts
    np.save(folder / "facts" / "heads.npy", np.full(len(index.open().heads), 10**6))
    (folder / "facts" / "digests.json").unlink()  # as an earlier version left it
    with pytest.raises(IndexCorrupt, match="do not belong together"):
        index.open()


def test_another_embedder_is_refused_until_relations_are_embedded_with_it(index: Index) -> None:
    index.put(["Quillmouth"])
    index.models = load_models(Settings().with_models(embedder="minilm"))
    with pytest.raises(ModelMismatch, match=r"embedded with bge.*but .*MiniLM.* is configured"):
        index.open()


def test_similar_names_are_embedded_once(index: Index, models: Models) -> None:
    counting = CountingEmbedder(models.embedder)
    index.models = CountingModels(counting)
    index.layer = FactsLayer(merge_similar=0.99)
    index.put(["Quillmouth"])
    counting.embedded.clear()
    index.put(["Nothing"])
    assert counting.embedded == []


def test_an_overlay_lies_over_the_facts_and_the_layer_stays(index: Index, models: Models) -> None:
    """Only what it says anew is embedded, once."""
    counting = CountingEmbedder(models.embedder)
    index.models = CountingModels(counting)
    index.put(["Quillmouth"])
    graph = index.open()
    before = Worded.of(graph.fact(0))
    edit = Edit(passage=1, ordinal=0, kind="test", before=before, after=before._replace(relation="was moved to"))
    generation = generation_of(graph)
    made = Overlay(kind="test", ratio=1.0, seed=0, generation=generation, pool=len(graph.heads), edits=(edit,))
    save(made, index.record.folder, "changed")
    counting.embedded.clear()
    index.layer = FactsLayer(overlay="changed")
    opened = [index.open(), index.open()]
    assert counting.embedded == ["was moved to"]
    for changed in opened:
        assert changed.fact(0) == replace(graph.fact(0), relation="was moved to")
        vector = changed.relation_vectors[int(changed.relation_ids[0])]
        assert vector.tolist() == PhraseStore.open(None, models.embedder).vectors(["was moved to"])[0].tolist()
    index.layer = FactsLayer()
    assert index.open().fact(0) == graph.fact(0)
    index.layer = FactsLayer(overlay="unheard-of")
    with pytest.raises(UsageError, match="unheard-of"):
        index.open()


# Merges seen and undone.

KNOWN = {
    "Ada Brisk": [fact("Ada Brisk", "also known as", "Old Patience"), fact("Ada Brisk", "born in", "Korr")],
    "Korr (film)": [fact("Korr", "won", "Oar Prize"), fact("Korr (film)", "shows", "rain")],
    "River Oar": [fact("Old Patience", "crossed", "River Oar"), fact("the River Oar", "is", "long")],
}


def test_merges_are_listed_with_their_reasons_and_passages(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    alias, name = merges_of(index.open(), index.record)
    assert [(one.name, one.reason, one.titles) for one in alias.spellings] == [
        ("Ada Brisk", "", ("Ada Brisk",)),
        ("Old Patience", "alias: also known as", ("Ada Brisk", "River Oar")),
    ]
    assert all(index.record.numbers_by_id(one.passages) for one in alias.spellings)
    assert [(one.name, one.reason) for one in name.spellings] == [("Korr", ""), ("Korr (film)", "name")]
    (river,) = merges_of(index.open(), index.record, ["river oar"])
    assert [one.name for one in river.spellings] == ["River Oar", "the River Oar"]


def test_merges_read_few_passages_at_a_time(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.put(list(KNOWN), KNOWN)
    listed, read, passages = merges_of(index.open(), index.record), list[int](), index.record.passages

    def counted(numbers: Sequence[int]) -> list[Passage]:
        read.append(len(numbers))
        return passages(numbers)

    monkeypatch.setattr(merges, "READ_AT_ONCE", 2)
    monkeypatch.setattr(index.record, "passages", counted)
    assert merges_of(index.open(), index.record) == listed
    assert read == [2, 1]


def test_a_merge_is_undone_for_good_and_can_be_done_again(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    assert keep_apart(index.record, index.open(), ["Old Patience", "Korr (film)"]) == (
        ("ada brisk", "old patience"),
        ("korr", "korr (film)"),
    )
    index.gather()
    found = spellings(index.open())
    assert found["ada brisk"] == ["Ada Brisk"]
    assert found["old patience"] == ["Old Patience"]
    assert found["korr (film)"] == ["Korr (film)", "Korr"]  # the passage of that title speaks of the film
    assert found["korr"] == ["Korr"]
    index.put(["Quillmouth"])
    assert "old patience" in spellings(index.open())
    assert join_again(index.record, ["old patience"]) == (("ada brisk", "old patience"),)
    index.gather()
    assert "old patience" not in spellings(index.open())
    assert apart_of(index.record) == [("korr", "korr (film)")]


def test_what_was_not_merged_cannot_be_undone(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    for name in ("Nobody Atall", "the River Oar", "Korr (ship)"):
        with pytest.raises(UsageError):
            keep_apart(index.record, index.open(), [name])
    with pytest.raises(UsageError, match="not kept apart"):
        join_again(index.record, ["Ada Brisk"])
    with pytest.raises(UsageError, match="No entity"):
        merges_of(index.open(), index.record, ["Nobody Atall"])
