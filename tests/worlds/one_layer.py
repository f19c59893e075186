"""A record with one layer and nothing around it, and everything that strategies can find in the layer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.indexing.build import Builder
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.layer import Layer, layer_of
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.text.layer import TextIndex
from polyhop.layers.tree.index import TreeIndex
from polyhop.models.choice import Models
from polyhop.ports import Floats
from polyhop.reports import LayerReport
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Passage

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
