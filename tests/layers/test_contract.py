"""The contract of every layer: pure extraction, and what is searchable depends on the documents there are, not on how.

Whether passages came all at once, in portions, with an interruption, or beside others that have been removed since: an
index of the same documents answers the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhop import registry
from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.errors import LayerMissing, ModelMismatch
from polyhop.indexing import build
from polyhop.indexing.build import Builder
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.layer import Layer, fingerprint, layer_of
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.text.layer import TextIndex
from polyhop.layers.tree.index import TreeIndex
from polyhop.models.choice import Models, load_models
from polyhop.ports import Floats, Rows
from polyhop.reports import LayerReport, Progress
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Passage
from tests.worlds.machine import needs

LAYERS = registry.names("layers")
TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School under Piet Rook.",
    "Fennick": "Fennick is a town on the River Oar. Fennick is known for its glass and its late trains.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "Piet Rook": "Piet Rook was a surveyor of the Sable Coast. Rook died in Quillmouth.",
    "River Oar": "The River Oar rises near Fennick. It reaches the sea at Quillmouth, below the lighthouse.",
    "雨の町": "昨日、雨の町で灯台が建てられた。",
    "Nothing": "…",
}
QUESTIONS = ("Who built the lighthouse of Quillmouth?", "surveyor Piet Rook", "雨の町", "late trains")


@pytest.fixture(params=LAYERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@dataclass
class Index:
    """A record with one layer, without anything around it."""

    record: Record
    folder: Path
    name: str
    models: Models
    settings: Settings = Settings()

    @property
    def layer(self) -> Layer:
        """The layer as it is configured."""
        return layer_of(self.name, self.settings)

    def put(self, *titles: str, **changed: str) -> None:
        """Store documents, with their usual text or another one."""
        for title, text in {**{title: TEXTS[title] for title in titles}, **changed}.items():
            document = file_document(f"/{title}.txt", text, "text/plain", title=title)
            self.record.put(document, cut(document, Chunking()))

    def drop(self, *titles: str) -> None:
        """Remove documents."""
        ids = {row.title: row.id for row in self.record.documents()}
        self.record.drop([ids[title] for title in titles])

    def build(self, progress: Any = None) -> LayerReport:
        """Bring the layer up to date."""
        builder = Builder(
            record=self.record, folder=self.folder, settings=self.settings, models=self.models, progress=progress
        )
        return builder.bring_up_to_date(self.name)

    def open(self) -> Any:
        """What strategies would search."""
        return self.layer.open(self.record, self.folder / self.name, self.models)


@contextmanager
def index_at(place: Path, name: str, models: Models) -> Iterator[Index]:
    with Record.create_or_open(place) as record:
        yield Index(record, place / "generations", name, models)


@pytest.fixture
def index(tmp_path: Path, name: str, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "one", name, models) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path, name: str, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "other", name, models) as made:
        yield made


def searchable(index: Index) -> Any:
    """Everything that strategies can find in a layer, by the titles of passages, because numbers differ."""
    opened = index.open()
    if isinstance(opened, FactGraph):
        found = opened_facts(opened, index)
    elif isinstance(opened, TreeIndex):
        found = opened_tree(opened, index)
    elif isinstance(opened, QuestionGraph):
        found = opened_questions(opened, index)
    else:
        found = opened_text(opened, index) if isinstance(opened, TextIndex) else opened_graph(opened, index)
    assert found, f"how to compare two {index.name} layers must be written here"
    return found


def titles_of(numbers: Any, index: Index) -> list[str]:
    return [passage.title for passage in index.record.passages(numbers)]


def vector_of(question: str, index: Index) -> Floats:
    vector: Floats = index.models.embedder.embed_questions([question])[0]
    return vector


def opened_text(text: TextIndex, index: Index) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for question in QUESTIONS:
        vector = vector_of(question, index)
        for how, (numbers, scores) in {
            "dense": text.vectors.search(vector, 20),
            "bm25": text.lexical.search(question, 20),
        }.items():
            pairs = zip(titles_of(numbers.tolist(), index), scores.tolist(), strict=True)
            found[f"{how} {question}"] = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    live = index.record.numbers()
    rows = zip(titles_of(live.tolist(), index), text.vectors.of(live), strict=True)
    return {**found, "vectors": {title: row.tobytes() for title, row in rows}}


def opened_graph(graph: ParseKG, index: Index) -> dict[str, Any]:
    def sentence(position: int) -> tuple[str, int, int, str]:
        number, start, end = graph.place(position)
        return (titles_of([number], index)[0], start, end, graph.hyperrelation(position))

    found: dict[str, Any] = {
        graph.entity(entity).key: {
            "entity": graph.entity(entity),
            "out": sorted(sentence(position) for position in graph.out.of(entity).tolist()),
            "into": sorted(sentence(position) for position in graph.into.of(entity).tolist()),
            "mentioned": sorted(titles_of(graph.passages_mentioning(entity), index)),
            "titled": sorted(titles_of(graph.passages_titled(entity), index)),
            "frequency": graph.frequency(entity),
        }
        for entity in graph.entities()
    }
    numbers = index.record.numbers().tolist()
    entities = ([graph.entity(entity).key for entity in graph.entities_of(number)] for number in numbers)
    found[" contains"] = dict(zip(titles_of(numbers, index), entities, strict=True))
    found[" counts"] = graph.counts()
    for question in QUESTIONS:
        found[f" {question}"] = [graph.entity(entity).key for entity in graph.named_in(question)]
    return found


def opened_facts(graph: FactGraph, index: Index) -> dict[str, Any]:
    found: dict[str, Any] = {
        title: [graph.fact(position) for position in graph.facts_of(number).tolist()]
        for number in index.record.numbers().tolist()
        for title in titles_of([number], index)
    }
    for place in range(len(graph)):
        touching = graph.touching([place])
        titles = sorted(titles_of(graph.passages_of(touching), index))
        found[f" {graph.entity(place).key}"] = (graph.entity(place), graph.reasons[place], len(touching), titles)
    for question in QUESTIONS:
        found[f" {question}"] = [(graph.entity(place).key, share) for place, share in graph.anchors(question, 3)]
    relations = range(len(graph.relations))
    return {**found, " relations": {graph.relations[i]: graph.relation_vectors[i].tobytes() for i in relations}}


def opened_tree(tree: TreeIndex, index: Index) -> dict[str, Any]:
    def node(place: int) -> tuple[Any, ...]:
        numbers, nodes = tree.below(place)
        below = [tree.texts[child] for child in nodes.tolist()]
        vector = tree.vectors[place].tobytes()
        return int(tree.levels[place]), sorted(titles_of(numbers.tolist(), index)), sorted(below), vector

    numbers, nodes = tree.top()
    top = (titles_of(numbers.tolist(), index), [tree.texts[place] for place in nodes.tolist()])
    found: dict[str, Any] = {" top": tuple(map(sorted, top))}
    for place in tree.nodes.tolist():
        found.setdefault(tree.texts[place], []).append(node(place))
    return {text: sorted(nodes) if isinstance(nodes, list) else nodes for text, nodes in found.items()}


def opened_questions(graph: QuestionGraph, index: Index) -> dict[str, Any]:
    def name(node: int) -> tuple[str, str]:
        return titles_of([graph.place(node)[0]], index)[0], graph.question(node).question

    def ranked(found: Any) -> list[tuple[float, tuple[str, str]]]:
        return sorted((-float(cosine), name(int(node))) for node, cosine in found)

    shares = dict(zip(graph.nodes.tolist(), graph.shares.tolist(), strict=True))
    found: dict[str, Any] = {
        title: [
            (graph.question(node), graph.vector(node).tobytes(), shares[node])
            for node in graph.nodes[graph.of_passage(number)].tolist()
        ]
        for number in index.record.numbers().tolist()
        for title in titles_of([number], index)
    }
    live = graph.nodes.tolist()
    found[" around"] = {name(node): ranked(near) for node, near in zip(live, graph.around(live, 10), strict=True)}
    for question in QUESTIONS:
        for alpha in (0.5, 1.0):
            nodes, cosines = graph.search(vector_of(question, index), 100, alpha)
            found[f" {alpha} {question}"] = ranked(zip(nodes.tolist(), cosines.tolist(), strict=True))
    return {**found, " counts": graph.counts}


def passages() -> list[Passage]:
    documents = [file_document(f"/{title}.txt", text, "text/plain", title=title) for title, text in TEXTS.items()]
    return [passage for document in documents for passage in cut(document, Chunking())]


def test_extraction_gives_the_same_bytes_every_time(name: str, models: Models) -> None:
    layer = layer_of(name, Settings())
    first = list(layer.extract(passages(), models, {}))
    assert all(isinstance(rows, bytes) for rows in first)
    assert list(layer.extract(passages(), models, {})) == first


def test_a_passage_does_not_feel_its_batch_mates(name: str, models: Models) -> None:
    layer = layer_of(name, Settings())
    together = list(layer.extract(passages(), models, {}))
    alone: list[Rows] = [layer.extract([passage], models, {})[0] for passage in passages()]
    assert alone == together
    assert list(layer.extract(passages()[::-1], models, {}))[::-1] == together


def test_inserting_and_deleting_leaves_no_trace(index: Index, other: Index) -> None:
    index.put("Quillmouth", "Ada Brisk", "Fennick", "Tarn School", "雨の町")
    index.build()
    index.put("Piet Rook", "River Oar")
    index.build()
    index.drop("Piet Rook", "River Oar", "Fennick")
    index.build()
    other.put("Quillmouth", "Ada Brisk", "Tarn School", "雨の町")
    other.build()
    assert searchable(index) == searchable(other)


def test_what_is_deleted_is_gone_even_before_the_layer_is_gathered_again(index: Index) -> None:
    """Between the removal of a document and the end of indexing, readers do not find it."""
    index.put(*TEXTS)
    index.build()
    index.drop("Piet Rook", "雨の町")
    opened = index.open()
    if isinstance(opened, ParseKG):
        rook = opened.find("Piet Rook")
        assert rook is not None
        assert titles_of(opened.passages_mentioning(rook), index) == ["Tarn School"]
        assert "雨の町" not in {opened.entity(entity).name for entity in opened.entities()}
        assert titles_of(opened.passages_titled(rook), index) == []
    elif isinstance(opened, FactGraph):
        for title in ("Piet Rook", "雨の町"):
            place = opened.find(title)
            left = [] if place is None else titles_of(opened.passages_of(opened.touching([place])), index)
            assert title not in left
    elif isinstance(opened, TreeIndex):
        said = " ".join(opened.texts[node] for node in opened.nodes.tolist())
        assert "Rook" not in said.replace("under Piet Rook", "").replace("by Piet Rook", "")
        assert "雨の町" not in said
        assert {"Piet Rook", "雨の町"}.isdisjoint(titles_of(opened.top()[0].tolist(), index))
    elif isinstance(opened, QuestionGraph):
        found = [int(node) for question in QUESTIONS for node in opened.search(vector_of(question, index), 99)[0]]
        found += [node for near in opened.around(found, 10) for node, _ in near]
        places = {opened.place(node)[0] for node in found}
        assert places
        assert places <= set(index.record.numbers().tolist())
    else:
        for ranked in opened_text(opened, index).values():
            assert not {"Piet Rook", "雨の町"} & set(dict(ranked))


def test_growing_step_by_step_equals_building_at_once(index: Index, other: Index) -> None:
    for title in TEXTS:
        index.put(title)
        index.build()
    index.put(Fennick="Fennick was a village.")
    index.build()
    index.put("Fennick")
    index.build()
    other.put(*TEXTS)
    other.build()
    assert searchable(index) == searchable(other)


class PowerCut(Exception):
    """What ends a run in the middle."""


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_interrupted_and_resumed_equals_never_interrupted(
    index: Index, other: Index, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what was committed before the interruption is not done again."""
    monkeypatch.setattr(build, "CHUNK", 3)
    steps: list[Progress] = []  # none done, 3, 6, 8, gathering

    def interrupt(step: Progress) -> None:
        steps.append(step)
        if len(steps) > after:
            raise PowerCut

    index.put(*TEXTS)
    with pytest.raises(PowerCut):
        index.build(interrupt)
    committed = max(step.done for step in steps)
    report = index.build()
    assert (report.extracted, report.reused) == (len(TEXTS) - committed, committed)
    other.put(*TEXTS)
    other.build()
    assert searchable(index) == searchable(other)


def test_only_new_and_changed_passages_are_extracted(index: Index) -> None:
    index.put(*TEXTS)
    first = index.build()
    assert (first.extracted, first.reused, first.failed) == (len(TEXTS), 0, 0)
    again = index.build()
    assert (again.extracted, again.reused) == (0, len(TEXTS))
    index.put(Fennick="Fennick was a village.")
    assert index.build().extracted == 1


def test_gathering_again_changes_nothing_on_disk(index: Index) -> None:
    index.put(*TEXTS)
    index.build()
    before = {path: path.stat().st_mtime_ns for path in index.folder.rglob("*.npy")}
    generation = index.record.generation(index.name)
    index.build()
    assert {path: path.stat().st_mtime_ns for path in index.folder.rglob("*.npy")} == before
    assert index.record.generation(index.name) == generation


def test_lost_files_are_made_again_from_the_record(index: Index) -> None:
    """Generations are derived: whoever deletes them loses time, not data."""
    import shutil

    index.put(*TEXTS)
    index.build()
    before = searchable(index)
    shutil.rmtree(index.folder)
    assert index.build().extracted == 0
    assert searchable(index) == before


def test_nothing_is_left_of_older_generations(index: Index) -> None:
    for title in TEXTS:
        index.put(title)
        index.build()
    index.drop("Fennick")
    index.build()
    current = index.record.generation(index.name)
    assert current is not None
    beside = current.description.get("covered", {}).get("folder")
    named = {*current.description.get("segments", [current.name]), *([beside] if beside else [])}
    assert {path.name for path in (index.folder / index.name).iterdir()} == named


def test_an_index_without_documents_can_be_gathered_and_opened(index: Index) -> None:
    index.build()
    opened = index.open()
    if isinstance(opened, TextIndex):
        assert len(opened.vectors.search(vector_of("x", index), 5)[0]) == 0
        assert len(opened.lexical.search("x", 5)[0]) == 0
    elif isinstance(opened, FactGraph):
        assert len(opened) == 0
        assert opened.anchors("Ada Brisk", 3) == []
    elif isinstance(opened, TreeIndex):
        assert len(opened) == 0
        assert [part.tolist() for part in opened.top()] == [[], []]
    elif isinstance(opened, QuestionGraph):
        assert len(opened) == 0
        assert len(opened.search(vector_of("x", index), 5)[0]) == 0
    else:
        assert list(opened.entities()) == []
        assert opened.named_in("Ada Brisk") == []


def test_what_was_never_gathered_is_missing(index: Index) -> None:
    index.put("Fennick")
    with pytest.raises(LayerMissing) as caught:
        index.open()
    assert "polyhop index" in caught.value.remedy


def test_the_fingerprint_follows_the_model(name: str, models: Models) -> None:
    needs("minilm", "spacy-md")
    layer = layer_of(name, Settings())
    others = load_models(Settings().with_models(embedder="minilm", parser="spacy-md"))
    assert fingerprint(layer, models) == fingerprint(layer, load_models(Settings()))
    assert fingerprint(layer, models) != fingerprint(layer, others)


def test_vectors_of_two_embedders_are_never_mixed(tmp_path: Path, models: Models) -> None:
    """Not even where the layer is gathered, for another reason, while another embedder is configured."""
    minilm = load_models(Settings().with_models(embedder="minilm"))
    with index_at(tmp_path / "index", "text", models) as index:
        index.put("Fennick", "Ada Brisk")
        index.build()
        index.drop("Fennick")
        current = index.record.generation("text")
        assert current is not None
        index.layer.gather(index.record, index.folder / "text", current.description["fingerprint"], minilm)
        assert len(index.open().vectors) == 1
        with pytest.raises(ModelMismatch, match=r"embedded with bge.*but .*MiniLM.* is configured") as caught:
            index.layer.open(index.record, index.folder / "text", minilm)
        assert "polyhop index" in caught.value.remedy


def test_vectors_have_length_one_and_are_half_as_wide(models: Models) -> None:
    (row,) = layer_of("text", Settings()).extract(passages()[:1], models, {})
    assert isinstance(row, bytes)
    vector = np.frombuffer(row, np.float16).astype(np.float32)
    assert vector.shape == (models.embedder.dimensions,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=2e-3)
