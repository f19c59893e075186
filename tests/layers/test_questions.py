"""The questions layer: what is stored is borne out by its passage, and the graph is the same however it came about."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.documents.sentences import sentence_spans
from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt, ModelMismatch, ModelMissing, UsageError
from polyhop.indexes import digests, lexical_runs
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.segments import AllBut, Packed, write_packed
from polyhop.indexes.streamed import streamed
from polyhop.indexing.build import Asking, Builder
from polyhop.layers import covered
from polyhop.layers.questions import layer as questions_layer
from polyhop.layers.questions import segment
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.layer import QuestionsLayer, decode, encode, fault_of
from polyhop.layers.questions.segment import KINDS, NodeKind, QuestionedPassage, shares_of, text_of
from polyhop.layers.view import View
from polyhop.models.choice import Models, load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Floats
from polyhop.reports import LayerReport
from polyhop.settings import Chunking, Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Document, GeneratedQuestion, Passage
from tests.worlds.endpoint import Played, says, serving

TEXTS = {
    "Quillmouth": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "Fennick": "Fennick is a town on the River Oar. It is known for its glass and its late trains.",
    "Tarn School": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
    "雨の町": "昨日、雨の町で灯台が建てられた。",
    "Nothing": "…",
}


def passage(title: str, text: str) -> Passage:
    """A passage that is its own document."""
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


PASSAGES = [passage(title, text) for title, text in TEXTS.items()]
BRISK = PASSAGES[1]


def pair(question: str, answer: str = "it", start: int = 0, end: int = 1) -> GeneratedQuestion:
    """A question with its answer, by default in the first letter of its passage."""
    return GeneratedQuestion(question=question, answer=answer, start=start, end=end)


def answered(question: str, answer: str, text: str = BRISK.text) -> GeneratedQuestion:
    """A question with an answer that stands in a text."""
    start = text.index(answer)
    return pair(question, answer, start, start + len(answer))


def vectors(texts: Sequence[str]) -> Floats:
    """A unit vector for each text, of its hash: texts that are the same have the same, others are anywhere."""
    seeds = (int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts)
    rows = [np.random.default_rng(seed).normal(size=8) for seed in seeds]
    array = np.array(rows, np.float32).reshape(-1, 8)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True), np.float32)


# Rows.

some_pair = st.builds(pair, st.text(), st.text(), st.integers(0, 50), st.integers(51, 99))


@given(st.lists(some_pair, max_size=5), st.dictionaries(st.sampled_from(["answer", "span"]), st.integers(1, 9)))
def test_a_row_gives_its_pairs_back(pairs: list[GeneratedQuestion], rejected: dict[str, int]) -> None:
    assert decode(encode(pairs, rejected)) == (pairs, rejected)


def test_generated_answers_stand_where_they_say(models: Models) -> None:
    found = []
    for one, row in zip(PASSAGES, QuestionsLayer().extract(PASSAGES, models, {}), strict=True):
        assert isinstance(row, bytes)
        for made in decode(row)[0]:
            assert made.answer == one.text[made.start : made.end]
            found.append((made.question, made.answer))
    assert any("born" in question and answer == "Fennick" for question, answer in found)
    assert any("lighthouse" in question and "Ada Brisk" in answer for question, answer in found)


def test_no_passage_has_more_pairs_than_were_asked_for(models: Models) -> None:
    rows = QuestionsLayer(per_passage=1).extract(PASSAGES, models, {})
    assert {len(decode(row)[0]) for row in rows if isinstance(row, bytes)} == {0, 1}


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (answered("Where was Ada Brisk born?", "Fennick"), None),
        (pair("What did she learn there?", "studied engineer", 0, 9), None),  # words of the passage, but no stretch
        (pair("Who was she?", "ADA  brisk", 0, 9), None),
        (answered("?!", "Fennick"), "question"),
        (pair("Where?", "Fennick", 5, 5), "span"),
        (pair("Where?", "Fennick", 5, 500), "span"),
        (pair("Where?", "Paris"), "answer"),
        (pair("Where?", "…"), "answer"),
    ],
)
def test_a_pair_has_to_be_borne_out_by_its_passage(made: GeneratedQuestion, fault: str | None) -> None:
    assert fault_of(made, BRISK) == fault


def test_an_answer_in_a_script_without_spaces_stands_in_its_passage() -> None:
    rain = PASSAGES[4]
    assert fault_of(answered("何が建てられた?", "灯台", rain.text), rain) is None
    assert fault_of(pair("何が建てられた?", "塔", 0, 5), rain) == "answer"


def test_settings_that_make_no_sense_are_refused(models: Models) -> None:
    for wrong in (
        {"per_passage": 0},
        {"per_passage": 1 << 21},
        {"passages_a_call": 0},
        {"tokens_a_call": 0},
        {"max_tokens": 0},
    ):
        with pytest.raises(ValueError, match="must be"):
            QuestionsLayer(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelMissing, match="none is configured") as caught:
        QuestionsLayer(generator="language_model").made_with(models)
    assert "POLYHOP_BASE_URL" in caught.value.remedy


def test_a_language_model_writes_where_that_is_asked_for(models: Models) -> None:
    """What its passages do not bear out and what it asks twice is counted and not kept."""
    told = [
        (2, "Where was Ada Brisk born?", "Fennick"),
        (2, "where was Ada Brisk born", "in Fennick"),
        (2, "Who taught Ada Brisk?", "Olga Mund"),
        (1, "Who built the lighthouse of Quillmouth?", "Ada Brisk"),
    ]
    answer = [{"passage": number, "question": question, "answer": given} for number, question, given in told]
    layer = QuestionsLayer(generator="language_model", per_passage=5)
    with (
        serving(says(json.dumps({"pairs": answer}))) as server,
        OpenAICompatible(base_url=server.url, model="sage", concurrency=2) as one,
    ):
        asking = models.with_language_model(one)
        assert isinstance(layer, Asking)
        assert layer.asks(asking) is one
        assert layer.at_once(asking) == 6
        assert layer.forecast(PASSAGES[:2], [], asking).llm_calls == 1
        assert layer.forecast([], [40] * 7, asking).llm_calls == 3
        rows = layer.extract(PASSAGES[:2], asking, {})
        others = (QuestionsLayer(generator="language_model"), QuestionsLayer(), QuestionsLayer(per_passage=5))
        marks = [each.made_with(asking) for each in (layer, *others)]
        assert len(server.requests) == 2  # asked once more for what its passage does not say, it says the same
    harbour, brisk = (decode(row) for row in rows if isinstance(row, bytes))
    assert [(made.question, made.answer) for made in harbour[0]] == [told[3][1:]]
    assert brisk == ([answered(*told[0][1:])], {"answer": 2, "duplicate": 3})
    assert len(set(marks)) == 4


# The graph.

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


@pytest.mark.parametrize("live", [None, [3, 8], [9]])
@pytest.mark.parametrize("groups", [(BUILT,), ({3: BUILT[3], 9: BUILT[9]}, {5: BUILT[5], 8: BUILT[8]})])
def test_words_that_were_gathered_are_those_that_nodes_have(
    tmp_path: Path, groups: tuple[Corpus, ...], live: list[int] | None
) -> None:
    """Without those of passages that are gone, which no score remembers, and however many segments there are."""
    graph = graph_of(tmp_path / "graph", *groups, live=live)
    assert graph.saved_words is not None
    found = found_by(graph.words)
    assert found == found_by(replace(graph, saved_words=None).words)
    assert found[0][0] or live == [9]


def test_words_of_sentences_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    sentences = graph_of(tmp_path / "graph", BUILT).variant("sentence")
    assert sentences.saved_words is None
    assert sorted(sentences.words.search("sentences", 9)[0].tolist()) == [node_of(number, 0) for number in BUILT]


@pytest.mark.parametrize("part", ["words", "expanded", "questions"])
def test_parts_of_other_nodes_are_refused(tmp_path: Path, part: str) -> None:
    graph_of(tmp_path / "a", {3: BUILT[3], 8: BUILT[8]})
    graph_of(tmp_path / "b", {9: BUILT[9]})
    a, b = (Packed.open(tmp_path / graph / "0" / digests.PACKED) for graph in "ab")
    of_others = {name: b.array(name) for name in b.table if name.startswith(f"{part}.")}
    arrays = {name: a.array(name) for name in a.table} | of_others
    shutil.rmtree(tmp_path / "a" / "0")
    with streamed(tmp_path / "a" / "0") as writer:
        writer.put(arrays)
    with pytest.raises(IndexCorrupt):
        QuestionGraph.open([tmp_path / "a" / "0"], np.array([3, 8]), vectors, there([3, 8]))


def nearest_to(graph: QuestionGraph, vector: Floats, alpha: float = 1.0) -> list[tuple[int, float]]:
    """The plain reference: all nodes that count, best first."""
    nodes = graph.nodes[graph.shares < np.float32(alpha)].tolist()
    cosines = {node: float(np.float32(graph.vector(node).astype(np.float64) @ vector)) for node in nodes}
    return sorted(cosines.items(), key=lambda item: (-item[1], item[0]))


def test_a_node_is_a_pair_with_its_place(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT)
    assert len(graph) == 6
    assert graph.counts == {"questions": 6, "passages": 3}
    known = [[node_of(3, place) for place in range(3)], [], [node_of(8, 0), node_of(8, 1)], [node_of(9, 0)], []]
    assert [graph.nodes[graph.of_passage(number)].tolist() for number in (3, 5, 8, 9, 4)] == known
    assert graph.question(node_of(8, 0)) == BUILT[8][0]
    assert graph.place(node_of(8, 0)) == (8, 2, 9)
    assert graph.vector(node_of(8, 0)).tobytes() == vectors(["Where was Ada Brisk born? Fennick"]).tobytes()


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.3])
def test_a_search_finds_the_nearest_nodes_that_count(tmp_path: Path, alpha: float) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    query = vectors(["anything"])[0]
    nodes, cosines = graph.search(query, 4, alpha)
    expected = nearest_to(graph, query, alpha)[:4]
    assert nodes.tolist() == [node for node, _ in expected]
    assert cosines.tolist() == pytest.approx([cosine for _, cosine in expected], abs=1e-6)
    enough = graph.search(query, 4, alpha, least=float(cosines[0]))
    assert enough[0].tolist() == nodes[:1].tolist()
    assert len(graph.search(query, 0)[0]) == 0
    with pytest.raises(ModelMismatch):
        graph.search(np.ones(3, np.float32), 1)


def test_a_share_is_the_rank_within_the_passage(tmp_path: Path) -> None:
    """Doc2Query--: alpha keeps so many of each passage, and never none."""
    rows = np.array([0, 0, 0, 0, 0, 2, 2], np.int64)
    similarities = np.array([0.1, 0.5, 0.3, 0.5, 0.2, -0.1, 0.4], np.float32)
    assert shares_of(rows, similarities).tolist() == pytest.approx([0.8, 0, 0.4, 0.2, 0.6, 0.5, 0])
    assert len(shares_of(rows[:0], similarities[:0])) == 0
    graph = graph_of(tmp_path / "graph", BUILT)
    kept = graph.search(vectors(["anything"])[0], 9, alpha=0.01)[0]
    assert sorted(graph.place(node)[0] for node in kept.tolist()) == [3, 8, 9]


def test_neighbours_are_the_nearest_other_nodes(tmp_path: Path) -> None:
    """The same for some nodes at once as for each alone."""
    graph = graph_of(tmp_path / "graph", BUILT)
    together = graph.around(graph.nodes.tolist(), 9)
    for node, around in zip(graph.nodes.tolist(), together, strict=True):
        expected = [found for found in nearest_to(graph, graph.vector(node)) if found[0] != node]
        assert [found for found, _ in around] == [found for found, _ in expected]
        assert [c for _, c in around] == pytest.approx([c for _, c in expected], abs=1e-6)
        assert graph.around([node], 3) == [around[:3]]
    assert [other for other, _ in graph.around([node_of(8, 0)], 1)[0]] == [node_of(9, 0)]  # the same question elsewhere
    assert graph.around([node_of(8, 0)], 0) == [[]]
    assert graph.around([], 3) == []


def test_neighbours_are_the_nearest_of_those_that_alpha_keeps(tmp_path: Path) -> None:
    """QCG-RAG links what Doc2Query-- has kept; a node that is not kept itself is next to them, too."""
    corpus = {number: [pair(f"What is {n}?", f"number {n}") for n in range(number, number + 5)] for number in range(9)}
    graph = graph_of(tmp_path / "graph", corpus)
    for node, around in zip(graph.nodes.tolist(), graph.around(graph.nodes.tolist(), 3, alpha=0.5), strict=True):
        expected = [found for found in nearest_to(graph, graph.vector(node), 0.5) if found[0] != node]
        assert [other for other, _ in around] == [other for other, _ in expected[:3]]


def test_neighbours_that_are_gone_or_left_out_are_passed_over(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    assert node_of(9, 0) not in {node for node, _ in graph.around([node_of(8, 0)], 9)[0]}
    assert graph.nodes[graph.of_passage(9)].tolist() == []
    assert graph.counts == {"questions": 5, "passages": 2}
    best = set(graph.nodes[graph.shares == 0].tolist())
    assert {node for node, _ in graph.around([node_of(8, 0)], 9, alpha=0.01)[0]} <= best


@pytest.mark.parametrize("kind", ["question", "answer"])
def test_a_variant_has_other_vectors_of_the_same_nodes(tmp_path: Path, kind: NodeKind) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    variant = graph.variant(kind)
    texts = [text_of(graph.question(node), kind) for node in graph.nodes.tolist()]
    assert variant.vectors_of(kind).tobytes() == vectors(texts).tobytes() == graph.vectors_of(kind).tobytes()
    assert variant.question(node_of(8, 0)) == graph.question(node_of(8, 0))
    query = vectors(["anything"])[0]
    expected = [node for node, _ in nearest_to(variant, query)]
    assert variant.search(query, 9)[0].tolist() == expected
    first = int(variant.nodes[0])
    around = [node for node, _ in nearest_to(variant, variant.vector(first)) if node != first]
    assert [node for node, _ in variant.around([first], 3)[0]] == around[:3]
    assert variant.variant(kind) is variant


def test_sentences_are_nodes_too(tmp_path: Path) -> None:
    """Also of passages that nothing is asked of."""
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 5, 8])
    variant = graph.variant("sentence")
    spans = {number: sentence_spans(about(number).text) for number in (3, 5, 8)}
    assert [variant.place(node) for node in variant.nodes.tolist()] == [
        (number, *span) for number, own in spans.items() for span in own
    ]
    assert [variant.question(node).answer for node in variant.nodes[variant.of_passage(5)].tolist()] == [
        "Passage 5 has two sentences.",
        "This is the other one.",
    ]
    assert variant.search(vectors(["This is the other one."])[0], 3, alpha=0.1)[1].tolist() == pytest.approx([1, 1, 1])
    assert {node for node, _ in variant.around([node_of(3, 1)], 2)[0]} == {node_of(5, 1), node_of(8, 1)}
    with pytest.raises(UsageError):
        variant.variant("answer")
    with pytest.raises(UsageError, match="Did you mean 'sentence'"):
        graph.variant("sentences")  # type: ignore[arg-type]


def test_the_graph_itself_is_its_first_variant(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT)
    assert graph.variant(KINDS[0]) is graph


some_pairs = st.lists(st.builds(pair, st.sampled_from("abcdefgh"), st.sampled_from("xy")), max_size=4, unique=True)
some_passages = st.dictionaries(st.integers(0, 12), some_pairs, max_size=8)


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


@settings(max_examples=25, deadline=None)  # files are synced, which takes its time
@given(some_passages, st.lists(st.integers(0, 3), min_size=13, max_size=13), st.sets(st.integers(0, 12)))
def test_however_many_segments_there_are_the_graph_is_that_of_all_passages(
    corpus: dict[int, list[GeneratedQuestion]], groups: list[int], gone: set[int]
) -> None:
    """Whichever passages stand in which segment, and whatever is gone of them."""
    parts = [{n: pairs for n, pairs in corpus.items() if groups[n] == group} for group in range(4)]
    live = sorted(corpus.keys() - gone)
    with TemporaryDirectory() as place:
        graph = graph_of(Path(place) / "parts", *filter(None, parts), live=live)
        assert content_of(graph) == content_of(graph_of(Path(place) / "whole", {n: corpus[n] for n in live}))


# With a language model that is paid for.


def test_a_cap_ends_a_run_in_good_order_and_the_next_pays_for_the_rest_only(tmp_path: Path) -> None:
    """Six passages, two a call, one call at a time: three calls, of which the cap lets two pass."""
    towns = ("Fennick", "Low Ness", "Oar Falls", "Tarn Bay", "Grebe Marsh", "Asper Point")
    rows = ({"id": town, "title": town, "text": f"Ada Brisk landed at {town} in May."} for town in towns)
    documents = tmp_path / "landings.jsonl"
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def knowing(request: Mapping[str, Any]) -> Played:
        shown = re.findall(r"<<<PASSAGE (\d+) [0-9a-f]+>>>\nTitle: (.*)\n", request["messages"][1]["content"])
        pairs = [{"passage": int(n), "question": f"Who landed at {t}?", "answer": "Ada Brisk"} for n, t in shown]
        return says(json.dumps({"pairs": pairs}))

    def run(**more: object) -> LayerReport:
        changes = {**{f"language_model.{key}": value for key, value in (endpoint | more).items()}, **layer}
        settings = Settings.read(None, [f"{key}={value}" for key, value in changes.items()])
        with Polyhop(tmp_path / "an.index", settings=settings) as engine:
            (report,) = engine.index(documents, layers=["questions"]).layers
            with engine.view() as view:
                assert len(view.restricted(("questions",)).questions) == 6 - report.left
        return report

    layer = {
        "models.language_model": "openai",
        "layers.questions.generator": "language_model",
        "layers.questions.passages_a_call": 2,
    }
    with serving(knowing) as server:
        endpoint: dict[str, object] = {"base_url": server.url, "model": "sage", "concurrency": 1}
        endpoint["cache"] = tmp_path / "cache"
        stopped = run(call_cap=2)
        assert (stopped.extracted, stopped.left, stopped.cost.llm_calls) == (4, 2, 2)
        rest = run()
        assert (rest.extracted, rest.reused, rest.left) == (2, 4, 0)
        assert len(server.requests) == 3


# Gathering.


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


class Counting:
    """An embedder that counts what it embeds."""

    def __init__(self, models: Models) -> None:
        self._embedder = models.embedder
        self.name, self.dimensions = self._embedder.name, self._embedder.dimensions
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """The vectors of the embedder, counted."""
        self.embedded += texts
        return self._embedder.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Those of questions, not counted."""
        return self._embedder.embed_questions(texts)


class CountingModels(Models):
    """The default models with an embedder that counts."""

    def __init__(self, models: Models) -> None:
        super().__init__(Settings())
        self._built, self.counting = models._built, Counting(models)

    @property
    def embedder(self) -> Counting:
        """The one that counts."""
        return self.counting


def test_gathering_again_embeds_only_what_is_new(tmp_path: Path, models: Models) -> None:
    """And nothing twice, not even for a variant; passages have their vectors from the layer text."""
    counting = CountingModels(models)
    with index_at(tmp_path / "index", counting) as index:
        index.put("Quillmouth", "Ada Brisk")
        index.build("text", "questions")
        embedded = counting.counting.embedded
        before = index.open()
        texts = [text_of(before.question(node)) for node in before.nodes.tolist()]
        assert sorted(embedded[2:]) == sorted(set(texts))  # after the two passages
        index.put("Fennick")
        index.drop("Quillmouth")
        already = len(embedded)
        index.build("text", "questions")
        after = index.open()
        number = index.record.numbers()[-1]
        new = {text_of(after.question(node)) for node in after.nodes[after.of_passage(int(number))].tolist()}
        assert new
        assert set(embedded[already + 1 :]) == new - set(texts)
        after.variant("question")
        already = len(embedded)
        after.variant("question")
        assert len(embedded) == already


def test_words_of_nodes_are_gathered_with_them(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Quillmouth", "Ada Brisk")
        index.build()
        index.put("Fennick")
        index.drop("Quillmouth")
        index.build()
        graph = index.open()
        assert graph.saved_words is not None
        anew = replace(graph, saved_words=None).words
        for asked in ("Where was Ada Brisk born?", "fennick", "lighthouse"):
            assert [part.tolist() for part in graph.words.search(asked, 9)] == [
                part.tolist() for part in anew.search(asked, 9)
            ]
        assert len(graph.words.search("fennick", 9)[0])


def test_rows_of_other_rules_are_made_again(
    harbour_engine: Polyhop, harbour: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next run, and an engine that is open sees them; what a language model wrote depends on no rules."""
    with monkeypatch.context() as patch:
        patch.setattr(questions_layer, "RULES_VERSION", "0")
        patch.setattr("polyhop.layers.questions.rules.passages.questions_of", lambda *_, **__: [])
        harbour_engine.index(harbour, layers=("questions",))
        before = QuestionsLayer().made_with(models)
        with harbour_engine.view() as view:
            assert len(view.questions) == 0
    status = {layer.name: layer for layer in harbour_engine.status().layers}
    assert status["questions"].stale == status["text"].done > 0
    forecast, done = (
        {layer.name: layer.extracted for layer in harbour_engine.index(harbour, dry_run=dry).layers}
        for dry in (True, False)
    )
    assert forecast == done == {"text": 0, "parsekg": 0, "questions": status["text"].done}
    with harbour_engine.view() as view:
        assert len(view.questions) > 0
    assert QuestionsLayer().made_with(models) != before
    with OpenAICompatible(base_url="http://localhost:1", model="sage") as one:
        asking, layer = models.with_language_model(one), QuestionsLayer(generator="language_model")
        mark = layer.made_with(asking)
        monkeypatch.setattr(questions_layer, "RULES_VERSION", "0")
        assert layer.made_with(asking) == mark


def test_similarities_are_the_same_without_the_layer_text(tmp_path: Path, models: Models) -> None:
    found = []
    for name, layers in (("with", ("text", "questions")), ("without", ("questions",))):
        with index_at(tmp_path / name, models) as index:
            index.put(*TEXTS)
            index.build(*layers)
            found.append(content_of(index.open()))
    assert found[0] == found[1]


def test_a_graph_says_with_what_it_was_embedded(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Fennick")
        index.build()
        index.models = load_models(Settings().with_models(embedder="minilm"))
        with pytest.raises(ModelMismatch, match=r"embedded with bge.*but .*MiniLM.* is configured"):
            index.open()


def segments_in(folder: Path) -> list[Path]:
    """The files of the segments of a layer, all of whose arrays are small."""
    return [file for file in folder.glob(f"*/{digests.PACKED}") if not file.parent.name.startswith(covered.NOTED)]


@pytest.mark.parametrize("array", ["nodes.spans", "vectors.vectors", "words.documents"])
def test_a_damaged_graph_is_written_again(tmp_path: Path, models: Models, array: str) -> None:
    """Also where it would have been gone on from."""
    with index_at(tmp_path / "index", models) as index:
        index.put(*TEXTS)
        index.build()
        before = content_of(index.open())
        for document in ((), ("Fennick",)):
            (damaged,) = segments_in(index.folder / "questions")
            there = Packed.open(damaged)
            arrays = {name: there.array(name) for name in there.table}
            damaged.unlink()
            write_packed(damaged, {**arrays, array: np.full((3, 3), 99, np.int64)})
            index.drop(*document)
            index.build()
            if not document:
                assert content_of(index.open()) == before
        index.put("Fennick")
        index.build()
        assert len(index.open()) == len(before[-1])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["questions", "parsekg"])
def test_a_layer_of_an_earlier_version_is_left_out_until_documents_are_indexed_again(
    harbour_engine: Polyhop, harbour: Path, name: str
) -> None:
    """Questions that can do without it are answered meanwhile, and nothing is extracted again."""
    layers = ("text", "parsekg", "questions")
    harbour_engine.index(harbour, layers=layers)
    with Record.create_or_open(harbour_engine.path) as record:
        current = record.generation(name)
        assert current is not None
        told = {key: value for key, value in current.description.items() if key not in ("segments", covered.NOTED)}
        record.set_generation(name, current.name, told)
    assert harbour_engine.search("Who built the lighthouse?", strategy="hybrid").passages
    with harbour_engine.view() as view:
        assert view.layers.keys() == {*layers} - {name}
    reports = harbour_engine.index(harbour, layers=layers).layers
    assert [report.extracted for report in reports] == [0, 0, 0]
    with harbour_engine.view() as view:
        assert view.layers.keys() == {*layers}


def test_few_passages_are_held_at_once_where_each_may_have_very_many_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their vectors take the memory."""
    held, write = list[int](), segment.write

    def watched(folder: Path, asked: Callable[[], Iterator[Sequence[QuestionedPassage]]], *rest: Any) -> None:
        held.extend(len(some) for some in asked())
        write(folder, asked, *rest)

    monkeypatch.setattr(segment, "write", watched)
    documents = [Document(id=title, title=title, text=text) for title, text in TEXTS.items()]
    for per_passage in (20, 5_000):
        settings = Settings.read(None, [f"layers.questions.per_passage={per_passage}"])
        with Polyhop(tmp_path / f"{per_passage}.index", settings=settings) as engine:
            engine.add_documents(documents, layers=["questions"], workers=1)
    assert held == [6, 2, 2, 2]


class PowerCut(Exception):
    """What ends a run in the middle."""


@pytest.mark.parametrize("moment", ["embedding", "writing", "naming"])
def test_a_gathering_that_was_cut_off_leaves_no_trace(
    tmp_path: Path, models: Models, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether vectors, files or only the name of the generation were missing; readers see the older one meanwhile."""
    places = {"embedding": (PhraseStore, "vectors"), "writing": (lexical_runs, "write")}

    def cut_off(*_: object, **__: object) -> None:
        raise PowerCut

    with index_at(tmp_path / "index", models) as index, index_at(tmp_path / "other", models) as other:
        index.put("Quillmouth", "Ada Brisk")
        index.build()
        index.put("Fennick", "Tarn School")
        index.drop("Quillmouth")
        before = content_of(index.open())
        with monkeypatch.context() as patch:
            patch.setattr(*places.get(moment, (Record, "set_generation")), cut_off)
            with pytest.raises(PowerCut):
                index.build()
        assert content_of(index.open()) == before
        index.build()
        assert len(segments_in(index.folder / "questions")) == 1
        other.put("Ada Brisk", "Fennick", "Tarn School")
        other.build()
        assert content_of(index.open())[2:] == content_of(other.open())[2:]  # all but the numbers of passages


def test_what_was_rejected_is_told_by_the_generation(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put("Fennick")
        index.build()
        row = encode([answered("Where is Fennick?", "River Oar", TEXTS["Fennick"])], {"duplicate": 2})
        current = index.record.generation("questions")
        assert current is not None
        mark = current.description["fingerprint"]
        index.put("Ada Brisk")
        index.record.record_rows("questions", mark, [(int(index.record.numbers()[-1]), row)])
        index.layer.gather(index.record, index.folder / "questions", mark, models)
        current = index.record.generation("questions")
        assert current is not None
        assert current.description["rejected"] == {"duplicate": 2}


def test_what_was_rejected_of_passages_that_are_gone_does_not_count(tmp_path: Path) -> None:
    """Whatever the reasons, several of a passage."""
    faults = {3: {"answer": 2, "span": 1}, 5: {}, 8: {"answer": 4, "duplicate": 1, "span": 3}}
    asked = [QuestionedPassage(number, about(number), BUILT[number], told) for number, told in faults.items()]
    segment.write(tmp_path / "a", lambda: iter([asked]), own_vectors, vectors, 1 << 20)
    opened = segment.QuestionSegment.open(tmp_path / "a")
    for gone in ([], [3], [8], [3, 5, 8]):
        told = sum((Counter(each) for number, each in faults.items() if number not in gone), Counter[str]())
        assert opened.rejected_of(AllBut(np.array(gone, np.int64))) == told


def test_strategies_find_the_graph_in_their_view(tmp_path: Path, models: Models) -> None:
    with index_at(tmp_path / "index", models) as index:
        index.put(*TEXTS)
        index.build()
        view = View(record=index.record, models=models, layers={"questions": index.open()})
        nodes, _ = view.questions.search(view.vector("Where was Ada Brisk born?"), 1)
        assert view.questions.question(int(nodes[0])).answer == "Fennick"
        sentences = view.once("questions sentence", lambda: view.questions.variant("sentence"))
        nodes, _ = sentences.search(view.vector("glass and late trains"), 1)
        assert sentences.question(int(nodes[0])).answer == "It is known for its glass and its late trains."
