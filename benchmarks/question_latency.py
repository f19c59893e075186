"""How long a question takes with ``qcg`` over very many generated questions: stage by stage, and in all.

The index is synthetic, and opened and asked as any other is, through ``Polyhop.search``. Words are invented and as
unequally frequent as those of a language are; a document has words of its own, which its questions say, too. Vectors
are those of ``question_graph.py``. A user's question is made of the words of a node and of frequent ones; the embedder
reads it, but what is searched for is a vector near that node. The layer is gathered as any other is, with the last
document left out, which then comes, and goes again: that is what a change costs.

BM25 over nodes must find the same, bit for bit, when it adds up the scores of all nodes: that is the naive side.

    python benchmarks/question_latency.py [--nodes N] [--questions N] [--seed N] [--index DIR] [--rebuild] [--json OUT]
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil
from measuring import (
    Figures,
    Stopwatch,
    beside_others,
    machine,
    median,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    timed,
    verdict,
)
from question_graph import clustered, directions

from polyhop.engine import Polyhop
from polyhop.indexes.lexical import Lexical
from polyhop.layers.layer import Layer, fingerprint
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.layer import QuestionsLayer, encode
from polyhop.layers.questions.segment import text_of
from polyhop.layers.text.layer import TextLayer
from polyhop.models.choice import Models
from polyhop.ports import Floats, Ints
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.strategies.qcg.matched_questions import RANKED
from polyhop.types import Document, GeneratedQuestion, Passage

PAIRS = 20  # of a passage
PASSAGES = 10  # of a document
VOCABULARY = 60_000
OWN = 60  # words of a document
OWN_SHARE = 0.3  # of what it says
PASSAGE_WORDS, QUESTION_WORDS, ANSWER_WORDS = 380, 13, 16
STRATEGIES = ("qcg", "qcg(words=false)")
EMBEDDER, RERANKER = "embedding the question", "cross-encoder"
WITHOUT_MODELS = "ALL BUT THE MODELS"
TOP = 5
LIMIT_MS = 30.0


@dataclass(frozen=True)
class Asked:
    """A user's question, and the vector that is searched for."""

    text: str
    vector: Floats


class Language:
    """Invented words, a few of which are in most sentences."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        syllables = ["".join(one) for one in product("bdfgklmnprtvz", "aeiou")]
        words = ("".join(one) for size in (1, 2, 3) for one in product(syllables, repeat=size))
        self.words = np.array([word for word, _ in zip(words, range(VOCABULARY), strict=False)])
        share = (np.arange(VOCABULARY) + 2.7) ** -1.05
        self.shares = np.cumsum(share / share.sum())
        own = np.arange(1, OWN + 1) ** -0.8
        self.own_shares = np.cumsum(own / own.sum())

    def own(self) -> Ints:
        """The words that a document says more often than others do."""
        return self.random.integers(200, VOCABULARY, OWN)

    def said(self, count: int, own: Ints, share: float = OWN_SHARE) -> Ints:
        """So many words of a document."""
        common = np.searchsorted(self.shares, self.random.random(count)).clip(max=VOCABULARY - 1)
        special = own[np.searchsorted(self.own_shares, self.random.random(count)).clip(max=OWN - 1)]
        return np.where(self.random.random(count) < share, special, common)

    def texts(self, lengths: Ints, own: Ints, share: float = OWN_SHARE) -> list[str]:
        """Texts of so many words each."""
        words = self.words[self.said(int(lengths.sum()), own, share)].tolist()
        ends = np.cumsum(lengths).tolist()
        return [" ".join(words[start:end]) for start, end in zip([0, *ends], ends, strict=False)]

    def lengths(self, count: int, mean: int) -> Ints:
        """How many words texts have whose mean length is given."""
        return self.random.poisson(mean * self.random.lognormal(0, 0.4, count)).clip(3, 6 * mean)


def documents(count: int, language: Language) -> Iterator[tuple[Document, list[Passage], Ints]]:
    """Documents of ten passages, with their own words."""
    for number in range(count):
        own = language.own()
        texts = language.texts(language.lengths(PASSAGES, PASSAGE_WORDS), own)
        title = " ".join(language.words[own[:3]])
        text, key = "\n".join(texts), f"document-{number}"
        digest = hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()
        passages, start = [], 0
        for place, part in enumerate(texts):
            end = start + len(part)
            name = f"{key}-{place}"
            one = Passage(id=name, document_id=key, ordinal=place, start=start, end=end, title=title, text=part)
            passages.append(one)
            start = end + 1
        document = Document(id=key, uri=key, title=title, text=text, media_type="text/plain", sha256=digest)
        yield document, passages, own


def pairs_of(passage: Passage, own: Ints, language: Language) -> list[GeneratedQuestion]:
    """What a passage is asked, in words like its own."""
    asked = language.texts(language.lengths(PAIRS, QUESTION_WORDS), own)
    answers = language.texts(language.lengths(PAIRS, ANSWER_WORDS), own)
    starts = language.random.integers(0, max(1, len(passage.text) - 80), PAIRS).tolist()
    return [
        GeneratedQuestion(question=f"{question}?", answer=answer, start=start, end=start + 60)
        for question, answer, start in zip(asked, answers, starts, strict=True)
    ]


class Texted:
    """Vectors of texts, which are known beforehand."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self.places: dict[str, int] = {}

    def know(self, pairs: Sequence[GeneratedQuestion]) -> Floats:
        """The next vectors are those of these pairs."""
        first = len(self.places)
        self.places |= {text_of(pair): first + place for place, pair in enumerate(pairs)}
        return self.vectors[first : len(self.places)]

    def of(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts that are known."""
        return np.asarray(self.vectors[[self.places[text] for text in texts]])


def put(record: Record, count: int, language: Language, known: Texted, models: Models) -> list[str]:
    """Store documents with what they can be asked; their ids."""
    layers: tuple[Layer, ...] = (TextLayer(), QuestionsLayer())
    marks = [fingerprint(layer, models) for layer in layers]
    ids = []
    with record.transaction():
        for document, passages, own in documents(count, language):
            record.put(document, passages)
            ids.append(document.id)
            numbers = record.numbers_by_id([passage.id for passage in passages])
            for passage in passages:
                pairs = pairs_of(passage, own, language)
                about = known.know(pairs).sum(axis=0)
                vector = np.asarray(about / np.linalg.norm(about), np.float16).tobytes()
                for layer, mark, row in zip(layers, marks, (vector, encode(pairs, {})), strict=True):
                    record.record_rows(layer.name, mark, [(numbers[passage.id], row)])
    return ids


def gather(record: Record, known: Texted, models: Models, layer: TextLayer | QuestionsLayer) -> tuple[float, float]:
    """Bring a layer up to date; how many seconds that takes on the clock and of the processor."""
    folder = record.folder / "generations" / layer.name
    with patch.object(PhraseStore, "vectors", lambda _, texts: known.of(texts)):
        _, seconds, spent = timed(lambda: layer.gather(record, folder, fingerprint(layer, models), models))
    return seconds, spent


def make(index: Path, nodes: int, language: Language, vectors: Floats) -> Figures:
    """Write the index; how long the two layers took to gather, and what a document costs that comes or goes."""
    index.parent.mkdir(parents=True, exist_ok=True)
    known, document = Texted(vectors), PAIRS * PASSAGES
    with Record.create_or_open(index) as record, Polyhop(index) as engine:
        put(record, (nodes - document) // document, language, known, engine.models)
        figures = {"text_gather_s": gather(record, known, engine.models, TextLayer())[0]}
        before = peak_memory()
        figures["questions_gather_s"] = gather(record, known, engine.models, QuestionsLayer())[0]
        figures["questions_gather_mb"] = peak_memory() - before
        new = put(record, 1, language, known, engine.models)
        figures["document_comes_s"], figures["document_comes_processor_s"] = gather(
            record, known, engine.models, QuestionsLayer()
        )
        record.drop(new)
        figures["document_goes_s"], figures["document_goes_processor_s"] = gather(
            record, known, engine.models, QuestionsLayer()
        )
        gather(record, known, engine.models, TextLayer())
    return figures


def peak_memory() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def users(graph: QuestionGraph, count: int, language: Language) -> list[Asked]:
    """Questions of users: frequent words and some of a node, as long as real ones are; and vectors near that node."""
    nodes = language.random.choice(graph.nodes, count, replace=False).tolist()
    lengths = language.lengths(count, QUESTION_WORDS)
    found = []
    for node, length, noise in zip(nodes, lengths.tolist(), directions(count, language.random), strict=True):
        said = language.random.permutation(graph.question(node).question.rstrip("?").split())
        frequent = np.searchsorted(language.shares, language.random.random(length) ** 1.5).clip(max=VOCABULARY - 1)
        words = [*said[: max(2, length // 3)], *language.words[frequent]][:length]
        vector = graph.vector(node) + noise
        found.append(Asked(" ".join(words) + "?", np.asarray(vector / np.linalg.norm(vector), np.float32)))
    return found


@contextmanager
def embedding(engine: Polyhop, vectors: dict[str, Floats]) -> Iterator[None]:
    """The embedder reads every question, but gives the vector that the question has here."""
    kind = type(engine.models.embedder)
    read = kind.embed_questions

    def instead(self: object, questions: Sequence[str]) -> Floats:
        read(self, questions)  # type: ignore[arg-type]
        return np.stack([vectors[question] for question in questions])

    with patch.object(kind, "embed_questions", instead):
        yield


def watched(watch: Stopwatch, engine: Polyhop, nodes: int, meanwhile: ExitStack) -> None:
    """Time the stages of a question."""

    def by_words(index: Lexical, *_: object) -> str:
        return f"{'nodes' if len(index) == nodes else 'passages'} by words"

    stages: dict[str, tuple[type[Any], tuple[str, ...]]] = {
        EMBEDDER: (type(engine.models.embedder), ("embed_questions",)),
        RERANKER: (type(engine.models.reranker), ("score",)),
        "nodes by vectors": (QuestionGraph, ("search",)),
        "nodes next to nodes": (QuestionGraph, ("around",)),
        "words of a question in one passage": (Lexical, ("coverage",)),
        "passages read from the record": (Record, ("passages",)),
    }
    for label, (owner, names) in stages.items():
        meanwhile.enter_context(watch.watching(label, owner, *names))
    meanwhile.enter_context(watch.watching(by_words, Lexical, "search"))


def own_memory() -> float:
    """Memory of this process without mapped files, in MB."""
    info = psutil.Process().memory_info()
    return float(info.rss - getattr(info, "shared", 0)) / 1e6


def asked(engine: Polyhop, strategy: str, questions: Sequence[Asked], watch: Stopwatch) -> list[Figures]:
    """A row for each stage, in milliseconds, on the clock and of the processor (without threads of the cross-encoder).

    Everything is asked twice, for one and for the other.
    """
    table: list[Figures] = []
    clocks = {"": time.perf_counter, "processor_": time.thread_time}
    for prefix, clock in clocks.items():
        with patch.object(time, "perf_counter", clock):
            spent = [stages_of(engine, strategy, question, watch) for question in questions]
        names = list(dict.fromkeys(name for one in spent for name in one))
        names.sort(key=str.isupper)  # sums come last
        table = table or [{"strategy": strategy, "stage": name} for name in names]
        for row in table:
            times = [one.get(row["stage"], 0.0) * 1e3 for one in spent]
            row |= {f"{prefix}p50_ms": median(times), f"{prefix}p95_ms": percentile(times, 95)}
    return table


def stages_of(engine: Polyhop, strategy: str, question: Asked, watch: Stopwatch) -> dict[str, float]:
    """How many seconds each stage of one question took, and their sums."""
    watch.clear()
    start = time.perf_counter()
    engine.search(question.text, k=TOP, strategy=strategy)
    total = time.perf_counter() - start
    stages = dict(watch.seconds)
    embedder, reranker = stages.get(EMBEDDER, 0.0), stages.get(RERANKER, 0.0)
    return {
        **stages,
        "walking, electing, the trail": total - sum(stages.values()),
        WITHOUT_MODELS: total - embedder - reranker,
        "ALL BUT THE CROSS-ENCODER": total - reranker,
        "ALL": total,
    }


def begun(index: Path, questions: Sequence[Asked]) -> Figures:
    """Opening the index and asking the first questions, in a new engine with models that are loaded."""
    figures: Figures = {}
    with Polyhop(index) as engine, embedding(engine, {one.text: one.vector for one in questions}):
        before = own_memory()
        start = time.perf_counter()
        with engine.view():
            figures["opening_s"] = time.perf_counter() - start
        figures["opening_mb"] = own_memory() - before
        for name in ("first", "second"):
            start = time.perf_counter()
            engine.search(questions[0].text, k=TOP, strategy=STRATEGIES[0])
            figures[f"{name}_question_s"] = time.perf_counter() - start
        figures["first_question_mb"] = own_memory() - before - figures["opening_mb"]
    return figures


def compared(graph: QuestionGraph, questions: Sequence[Asked], rebuild: bool) -> Figures:
    """BM25 over nodes beside adding up all scores, and beside words that are read again."""
    words, same, fast, naive = graph.words, [], [], []
    for question in questions:
        found, seconds, _ = timed(lambda text=question.text: words.search(text, RANKED))  # type: ignore[misc]
        fast.append(seconds * 1e3)
        every, seconds, _ = timed(lambda text=question.text: words.search(text, RANKED, words.numbers))  # type: ignore[misc]
        naive.append(seconds * 1e3)
        same.append(np.array_equal(found[0], every[0]) and np.array_equal(found[1], every[1]))
    figures: Figures = {"words_ms": median(fast), "words_p95_ms": percentile(fast, 95), "words_equal": all(same)}
    figures |= {"naive_words_ms": median(naive), "naive_words_p95_ms": percentile(naive, 95)}
    if rebuild:
        before = own_memory()
        anew, seconds, _ = timed(lambda: replace(graph, saved_words=None).words)
        figures |= {"words_in_memory_s": seconds, "words_in_memory_mb": own_memory() - before}
        texts = [question.text for question in questions[:50]]
        pairs = [(words.search(text, RANKED), anew.search(text, RANKED)) for text in texts]
        figures["words_in_memory_equal"] = all(
            np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1]) for one, other in pairs
        )
    return figures


def prepared(options: argparse.Namespace, folder: Path) -> tuple[Path, Figures]:
    """The index, made where it is missing."""
    index = options.index or folder / "polyhop.index"
    if index.exists():
        return index, {}
    try:
        vectors = clustered(options.nodes, folder / "vectors.npy")
        return index, make(index, options.nodes, Language(options.seed), vectors)
    except BaseException:
        shutil.rmtree(index, ignore_errors=True)  # half of it is of no use
        raise


def measured(index: Path, options: argparse.Namespace) -> tuple[list[Figures], Figures]:
    """The table, and what stands beside it."""
    with Polyhop(index) as engine:
        with engine.view() as view:
            questions = users(view.questions, options.questions + 1, Language(options.seed + 1))
            figures: Figures = {"nodes": len(view.questions), "passages": len(view.text.lexical)}
        engine.models.embedder.embed_questions([questions[0].text])
        engine.models.reranker.score(questions[0].text, [questions[1].text])
    figures |= begun(index, questions)
    watch, table = Stopwatch(), list[Figures]()
    vectors = {question.text: question.vector for question in questions}
    with Polyhop(index) as engine, embedding(engine, vectors), ExitStack() as meanwhile:
        for strategy in STRATEGIES:
            for question in questions[1:6]:
                engine.search(question.text, k=TOP, strategy=strategy)  # does not count
        watched(watch, engine, figures["nodes"], meanwhile)
        for strategy in STRATEGIES:
            table += asked(engine, strategy, questions[1:], watch)
    with Polyhop(index) as engine, engine.view() as view:
        figures |= compared(view.questions, questions[1:], options.rebuild)
    return table, figures


def main() -> None:
    """Print the table with what must be reached, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=500_000, help="generated questions, a multiple of 200")
    parser.add_argument("--questions", type=int, default=200, help="that are asked")
    parser.add_argument("--seed", type=int, default=5, help="of words and texts")
    parser.add_argument("--index", type=Path, help="where the index is kept; made if it is missing")
    parser.add_argument(
        "--rebuild", action="store_true", help="also make the words of all nodes in memory, and compare"
    )
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        index, made = prepared(options, Path(name))
        with beside_others(about := machine()):
            table, figures = measured(index, options)
    columns = ("strategy", "stage", "p50_ms", "p95_ms", "processor_p50_ms", "processor_p95_ms")
    headings = ["", "stage", "p50 ms", "p95 ms", "p50 ms processor", "p95 ms processor"]
    show_table(headings, [[one[name] for name in columns] for one in table])
    print("\n" + ", ".join(f"{name} {value:,.4g}" for name, value in (made | figures).items()))
    verdicts = [
        verdict(f"{row['strategy']}, all but the models, p95{of}", row[name], LIMIT_MS, "ms")
        for row in table
        if row["stage"] == WITHOUT_MODELS
        for name, of in (("p95_ms", ""), ("processor_p95_ms", " of processor time"))
    ]
    verdicts.append(verdict("words equal adding up all", float(figures["words_equal"]), 1, "", at_least=True))
    show_verdicts(verdicts)
    show_load(about)
    about |= {"data": "synthetic", "seed": options.seed, "questions": options.questions, "top": TOP}
    save(options.json, about, {"table": table, "figures": made | figures, "verdicts": verdicts})


if __name__ == "__main__":
    main()
