"""Facts are gathered into one graph, the same however it came about, and nothing is decoded or embedded twice."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt, ModelMismatch, UsageError
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, write_whole
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.layer import FactsLayer, encode
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, generation_of, save
from polyhop.layers.layer import fingerprint
from polyhop.models.choice import Models, load_models
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from tests.worlds.extraction import passage
from tests.worlds.fact_graphs import BUILT, fact, lengths, spellings
from tests.worlds.fact_index import Index, index_at
from tests.worlds.noted import NotingModels
from tests.worlds.stated_facts import arrays_in


@pytest.fixture
def index(tmp_path: Path, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "one", models) as made:
        yield made


def test_what_is_gathered_is_counted_in_the_description(index: Index) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    index.put(["Nothing"], {"Nothing": [fact("Ada Brisk", "sang", "songs")]}, {"head": 2, "evidence": 1})
    index.put(["Tarn School"])
    told, graph = index.current().description, index.open()
    assert told["rejected"] == {"evidence": 1, "head": 2}
    assert {key: told[key] for key in graph.counts} == graph.counts
    assert graph.counts["facts"] > 5
    index.drop("Nothing")
    index.gather()
    assert index.current().description["rejected"] == {}


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


@pytest.mark.parametrize(
    "damage",
    [
        lambda generation: (generation / "gathered/titles/blob.npy").write_bytes(b""),
        lambda generation: shutil.rmtree(generation / "gathered/titles"),
        lambda generation: shutil.rmtree(generation / "aliases"),
    ],
    ids=["an empty file", "a lost folder of what was gathered", "a lost folder of the graph"],
)
def test_all_are_decoded_again_where_the_generation_is_damaged(index: Index, damage: Callable[[Path], object]) -> None:
    index.put(["Quillmouth", "Ada Brisk"])
    damage(index.folder / index.current().name)
    index.put(["River Oar"])
    assert {"river oar", "ada brisk"} <= spellings(index.open()).keys()


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
    index.models = noting = NotingModels(models)
    index.put(["Quillmouth", "Ada Brisk"])
    first = index.open()
    assert sorted(noting.embedder.read) == [first.relations[place] for place in range(len(first.relations))]
    noting.embedder.read.clear()
    index.put(["Tarn School"])
    second = index.open()
    known, said = ([one.relations[place] for place in range(len(one.relations))] for one in (first, second))
    assert sorted(noting.embedder.read) == sorted(set(said) - set(known))
    assert np.array_equal(second.relation_vectors, PhraseStore.open(None, models.embedder).vectors(said))


def kept(index: Index) -> dict[str, bytes]:
    """The arrays of the current generation, but for the numbers of passages."""
    arrays = arrays_in(index.folder / index.current().name)
    return {name: content for name, content in arrays.items() if not name.endswith("numbers.npy")}


def test_the_same_passages_give_the_same_bytes_whatever_came_and_went(index: Index, tmp_path: Path) -> None:
    with index_at(tmp_path / "two", index.models) as other:
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
    counts, folder = index.open().counts, index.folder / index.current().name
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
    index.models = noting = NotingModels(models)
    index.layer = FactsLayer(merge_similar=0.99)
    index.put(["Quillmouth"])
    noting.embedder.read.clear()
    index.put(["Nothing"])
    assert noting.embedder.read == []


def test_an_overlay_lies_over_the_facts_and_the_layer_stays(index: Index, models: Models) -> None:
    """Only what it says anew is embedded, once."""
    index.models = noting = NotingModels(models)
    index.put(["Quillmouth"])
    graph = index.open()
    before = Worded.of(graph.fact(0))
    edit = Edit(passage=1, ordinal=0, kind="test", before=before, after=before._replace(relation="was moved to"))
    generation = generation_of(graph)
    made = Overlay(kind="test", ratio=1.0, seed=0, generation=generation, pool=len(graph.heads), edits=(edit,))
    save(made, index.record.folder, "changed")
    noting.embedder.read.clear()
    index.layer = FactsLayer(overlay="changed")
    opened = [index.open(), index.open()]
    assert noting.embedder.read == ["was moved to"]
    for changed in opened:
        assert changed.fact(0) == replace(graph.fact(0), relation="was moved to")
        vector = changed.relation_vectors[int(changed.relation_ids[0])]
        assert vector.tolist() == PhraseStore.open(None, models.embedder).vectors(["was moved to"])[0].tolist()
    index.layer = FactsLayer()
    assert index.open().fact(0) == graph.fact(0)
    index.layer = FactsLayer(overlay="unheard-of")
    with pytest.raises(UsageError, match="unheard-of"):
        index.open()
