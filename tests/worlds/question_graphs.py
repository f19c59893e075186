"""Graphs of questions that a test states, segment by segment, and an index of questions with little around it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.indexes.lexical import Lexical
from polyhop.indexing.build import Builder
from polyhop.layers.questions import segment
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.layer import QuestionsLayer
from polyhop.layers.questions.segment import QuestionedPassage
from polyhop.models.choice import Models
from polyhop.ports import Floats
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import GeneratedQuestion, Passage
from tests.worlds.extraction import passage

TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "Fennick": "Fennick is a town on the River Oar. It is known for its glass and its late trains.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "雨の町": "昨日、雨の町で灯台が建てられた。",
    "Nothing": "…",
}


def pair(question: str, answer: str = "it", start: int = 0, end: int = 1) -> GeneratedQuestion:
    """A question with its answer, by default in the first letter of its passage."""
    return GeneratedQuestion(question=question, answer=answer, start=start, end=end)


def answered(question: str, answer: str, text: str = TEXTS["Ada Brisk"]) -> GeneratedQuestion:
    """A question with an answer that stands in a text."""
    start = text.index(answer)
    return pair(question, answer, start, start + len(answer))


def vectors(texts: Sequence[str]) -> Floats:
    """A unit vector for each text, of its hash: texts that are the same have the same, others are anywhere."""
    seeds = (int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts)
    rows = [np.random.default_rng(seed).normal(size=8) for seed in seeds]
    array = np.array(rows, np.float32).reshape(-1, 8)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True), np.float32)


Words = list[list[list[float]]]  # for each question, numbers and scores
Corpus = Mapping[int, Sequence[GeneratedQuestion]]  # by passage number

BUILT: Corpus = {
    3: [pair("Who built the lighthouse?", "Ada Brisk"), pair("Where is Quillmouth?", "Sable Coast"), pair("When?")],
    5: [],
    8: [pair("Where was Ada Brisk born?", "Fennick", 2, 9), pair("What was Ada Brisk?", "an engineer")],
    9: [pair("Where was Ada Brisk born?", "Fennick")],
}
TITLES = {3: "Quillmouth", 5: "Sable Coast", 8: "Ada Brisk", 9: "Fennick"}


def about(number: int) -> Passage:
    text = f"Passage {number} has two sentences. This is the other one."
    return replace(passage(f"P{number}", text), title=TITLES.get(number, ""))


def there(numbers: Sequence[int]) -> Callable[[Sequence[int]], dict[int, Passage]]:
    return lambda some: {one: about(one) for one in some if one in numbers}


def graph_of(folder: Path, *corpora: Corpus, live: Sequence[int] | None = None) -> QuestionGraph:
    """The graph of passages given by their numbers, a segment for each of these groups; opened for those that live."""
    folders = []
    for place, corpus in enumerate(corpora):
        asked = [QuestionedPassage(number, about(number), pairs, {}) for number, pairs in sorted(corpus.items())]
        folders.append(folder / str(place))
        segment.write(folders[-1], lambda asked=asked: iter([asked[:2], asked[2:]]), own_vectors, vectors, 1 << 20)  # type: ignore[misc]
    numbers = sorted(number for corpus in corpora for number in corpus) if live is None else sorted(live)
    return QuestionGraph.open(folders, np.array(numbers, np.int64), vectors, there(numbers))


def own_vectors(some: Sequence[QuestionedPassage]) -> Floats:
    return vectors([one.passage.id for one in some])


def node_of(number: int, place: int) -> int:
    """What the pair at a place of a passage is known by."""
    return number * segment.MOST_OF_A_PASSAGE + place


def found_by(words: Lexical) -> Words:
    asked_for = ("Who built it?", "ada brisk", "Fennick", "Quillmouth's lighthouses", "where was it", "zzz")
    return [[part.tolist() for part in words.search(text, 4)] for text in asked_for]


def content_of(graph: QuestionGraph) -> list[object]:
    """All that can be asked of a graph; what depends on the numbers of passages comes first."""
    nodes = graph.nodes.tolist()
    places = np.searchsorted(graph.numbers, graph.owners).tolist()
    spans = [graph.place(node)[1:] for node in nodes]
    near = graph.around(nodes, 5)
    around = [[(int(np.searchsorted(graph.nodes, node)), cosine) for node, cosine in each] for each in near]
    questions = [graph.question(node) for node in nodes]
    said = found_by(graph.words)
    words = [[np.searchsorted(graph.nodes, found).tolist(), scores] for found, scores in said]
    expanded = Lexical.of(graph.expanded, graph.numbers)
    ranked = [expanded.search(text, 9)[1].tolist() for text in ("a x", "passage b", "sentences")]
    everything = [places, spans, graph.vectors_of(graph.kind).tobytes(), graph.shares.tobytes(), around, words, ranked]
    return [graph.numbers.tolist(), nodes, *everything, graph.counts, questions]


class Index:
    """A record with a questions layer, and with the text layer where that is asked for."""

    def __init__(self, record: Record, models: Models) -> None:
        self.record, self.models = record, models
        self.layer = QuestionsLayer()

    def put(self, *titles: str) -> None:
        """Store documents, each a passage."""
        for title in titles:
            document = file_document(f"/{title}.txt", TEXTS[title], "text/plain", title=title)
            self.record.put(document, cut(document, Chunking()))

    def drop(self, *titles: str) -> None:
        """Remove documents."""
        ids = {row.title: row.id for row in self.record.documents()}
        self.record.drop([ids[title] for title in titles])

    def build(self, *names: str) -> None:
        """Bring layers up to date, by default the questions."""
        builder = Builder(record=self.record, folder=self.folder, settings=Settings(), models=self.models, workers=1)
        for name in names or ("questions",):
            builder.bring_up_to_date(name)

    @property
    def folder(self) -> Path:
        """Of all generations."""
        return self.record.folder / "generations"

    def open(self) -> QuestionGraph:
        """What strategies search."""
        return self.layer.open(self.record, self.folder / "questions", self.models)


@contextmanager
def index_at(place: Path, models: Models) -> Iterator[Index]:
    with Record.create_or_open(place) as record:
        yield Index(record, models)
