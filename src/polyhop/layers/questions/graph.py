"""The graph of generated questions: each with its answer and its place in a passage, and the questions next to it.

QCG-RAG, section 3: a node is a question with its answer; edges lead to the nearest other nodes.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from polyhop.documents.sentences import sentence_spans
from polyhop.errors import IndexCorrupt, UsageError, nearest
from polyhop.indexes import lexical
from polyhop.indexes.csr import offsets
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.neighbours import NeighbourGraph
from polyhop.indexes.ranking import Ranked, nothing
from polyhop.indexes.segments import REBUILD, Arrays, damage, read_arrays, write_arrays
from polyhop.indexes.sign_codes import SignCodes
from polyhop.indexes.texts import Texts
from polyhop.layers.questions import words as question_words
from polyhop.layers.questions.words import STEM, Before, PassageQuestions, pair_text
from polyhop.ports import Bools, Floats, Ints
from polyhop.types import GeneratedQuestion, Passage

logger = logging.getLogger(__name__)

FORMAT_VERSION = 2  # raise it when the same questions would give other arrays
NEIGHBOURS: Final = 10  # of each node: as many as are kept
NodeKind = Literal["question+answer", "question", "answer", "sentence"]
KINDS: Final[tuple[NodeKind, ...]] = get_args(NodeKind)

Embed = Callable[[Sequence[str]], Floats]  # unit vectors, float32 of shape (len(texts), d)
Passages = Callable[[Sequence[int]], dict[int, Passage]]  # those of these numbers that are there
_BLOCK = 4096  # nodes compared with their passages at once
_ARRAYS = ("numbers", "rows", "spans", "vectors", "similarities", "shares")
_TEXTS = ("questions", "answers")


@dataclass(frozen=True, kw_only=True, eq=False)
class QuestionGraph:
    """Nodes are positions 0 to n - 1, in the order of their passages and, within one, as they were generated."""

    numbers: Ints  # passage number of each row, ascending; rows without nodes, too
    rows: Ints  # node -> row into numbers, ascending
    spans: Ints  # (n, 2): where the answer stands, offsets into the passage's text
    questions: Texts
    answers: Texts
    vectors: Floats  # (n, d), unit: of the node's text
    similarities: Floats  # node -> cosine of question and answer with their passage
    shares: Floats  # node -> how many of its passage's are more similar, as a share: 0 is the best, below 1
    neighbours: Ints  # (n, NEIGHBOURS): the nearest other nodes, best first, padded with -1; (0, NEIGHBOURS): unknown
    near: Floats  # (n, NEIGHBOURS): their cosines
    codes: SignCodes = field(repr=False)  # of the vectors, which search reads first
    alive: Bools  # row -> whether its passage is still there
    embed: Embed = field(repr=False)  # for variants
    passages: Passages = field(repr=False)
    kind: NodeKind = "question+answer"  # what vectors are of
    saved_words: Lexical | None = field(default=None, repr=False)  # BM25 over all nodes, where it was gathered
    expanded: Arrays | None = field(default=None, repr=False)  # postings of passages with their pairs, where gathered

    @classmethod
    def open(cls, folder: Path, live: Ints, embed: Embed, passages: Passages) -> Self:
        """A graph that was saved, without passages that are not in ``live`` any more. Raises IndexCorrupt."""
        arrays: dict[str, Any] = read_arrays(folder / "graph", _ARRAYS)
        texts: dict[str, Any] = {name: Texts.open(folder / name) for name in _TEXTS}
        links = NeighbourGraph.open(folder / "neighbours")
        graph = cls(
            neighbours=links.neighbours,
            near=links.cosines,
            codes=SignCodes.open(folder / "codes"),
            alive=np.isin(arrays["numbers"], live),
            embed=embed,
            passages=passages,
            expanded=question_words.expanded(folder, arrays["numbers"]),
            **texts,
            **arrays,
        )
        if not graph._is_coherent():
            raise _damaged(folder)
        if not (folder / "words").is_dir():  # it was gathered before they were kept
            return graph
        standing = np.flatnonzero(graph._standing)
        words = Lexical.open([folder / "words"], standing)
        if not np.array_equal(words.numbers, standing):
            raise _damaged(folder)
        return replace(graph, saved_words=words)

    def _is_coherent(self) -> bool:
        nodes = len(self.rows)
        lengths = {len(getattr(self, name)) for name in (*_ARRAYS[1:], *_TEXTS, "neighbours", "near", "codes")}
        within = not nodes or 0 <= int(self.rows.min()) <= int(self.rows.max()) < len(self.numbers)
        return lengths == {nodes} and within

    def __len__(self) -> int:
        """How many nodes there are, with those of passages that are gone."""
        return len(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """What summaries show: questions, and the passages that have any; what is gone does not count."""
        nodes = self.rows[self._standing]
        return {"questions": len(nodes), "passages": len(np.unique(nodes))}

    def search(self, vector: Floats, n: int, alpha: float = 1.0, least: float | None = None) -> Ranked:
        """The n nodes nearest to a unit vector with their cosines, best first, equals by position.

        Only nodes whose share is below ``alpha`` (Doc2Query--) and whose cosine is at least ``least``.
        Raises ModelMismatch for a vector of another length.
        """
        if n <= 0 or not len(self):
            return nothing()
        nodes, cosines = self.codes.search(vector, n, self.vectors, self._allowed(alpha))
        if least is None:
            return nodes, cosines
        enough = cosines >= np.float32(least)
        return nodes[enough], cosines[enough]

    def _allowed(self, alpha: float) -> Bools | None:
        """Which nodes a search may find; None where it may find all."""
        if alpha < 1:  # every share is below 1
            return self._standing & (self.shares < np.float32(alpha))
        return None if self._all_stand else self._standing

    @cached_property
    def _all_stand(self) -> bool:
        return bool(self._standing.all())

    @cached_property
    def _standing(self) -> Bools:
        """Which nodes are of passages that are still there."""
        standing: Bools = self.alive[self.rows]
        return standing

    def nodes_of(self, number: int) -> Ints:
        """The nodes of a passage, ascending; none for one that is not there any more."""
        row = int(np.searchsorted(self.numbers, number))
        if row == len(self.numbers) or self.numbers[row] != number or not self.alive[row]:
            return np.empty(0, np.int64)
        start, end = np.searchsorted(self.rows, (row, row + 1)).tolist()
        return np.arange(start, end, dtype=np.int64)

    def question(self, node: int) -> GeneratedQuestion:
        """A node as it was generated; of a sentence the question is empty, and the answer is the sentence."""
        start, end = self.spans[node].tolist()
        return GeneratedQuestion(question=self.questions[node], answer=self.answers[node], start=start, end=end)

    def place(self, node: int) -> tuple[int, int, int]:
        """Passage number, and start and end (in the passage) of the answer of a node."""
        start, end = self.spans[node].tolist()
        return int(self.numbers[self.rows[node]]), start, end

    def around(self, node: int, k: int, alpha: float = 1.0) -> list[tuple[int, float]]:
        """Of the NEIGHBOURS nearest other nodes, the first k whose share is below ``alpha``, with their cosines.

        Nodes of passages that are gone are left out.
        """
        nodes, cosines = self._nearest(node)
        kept = self._standing[nodes] & (self.shares[nodes] < np.float32(alpha))
        return list(zip(nodes[kept][:k].tolist(), cosines[kept][:k].tolist(), strict=True))

    def _nearest(self, node: int) -> Ranked:
        """The nearest other nodes of a node: those that are kept, or else those that a search finds."""
        if len(self.neighbours):
            there = self.neighbours[node] >= 0
            return self.neighbours[node][there], self.near[node][there]
        nodes, cosines = self.search(self.vectors[node], NEIGHBOURS + 1)
        other = nodes != node
        return nodes[other][:NEIGHBOURS], cosines[other][:NEIGHBOURS]

    @cached_property
    def words(self) -> Lexical:
        """BM25 over the title, question and answer of each node whose passage is still there, known by position.

        As it was gathered; where it was not, and for sentences, it is made here, which takes long for very many nodes.
        """
        if self.saved_words is not None:
            return self.saved_words
        titles = {number: passage.title for number, passage in self.passages(self.numbers[self.alive].tolist()).items()}
        nodes = np.flatnonzero(self._standing)
        places = self.numbers[self.rows[nodes]].tolist()
        pairs = map(self.question, nodes.tolist())
        texts = [pair_text(titles.get(number, ""), pair) for number, pair in zip(places, pairs, strict=True)]
        return Lexical.of([lexical.build(nodes, texts, stem=STEM)], nodes)

    def vectors_of(self, kind: NodeKind) -> Floats:
        """The unit vectors of all nodes of ``variant(kind)``, embedded where they never were."""
        if kind == self.kind:
            return self.vectors
        if kind == "sentence":
            return self.variant(kind).vectors
        return self.embed([text_of(self.question(node), kind) for node in range(len(self))])

    def shares_by(self, kind: NodeKind, passages: Floats) -> Floats:
        """``shares`` as they would be if another part of each pair were compared with its passage.

        ``passages``: unit vectors, one for each of ``numbers``.
        """
        return shares_of(self.rows, _cosines(self.vectors_of(kind), passages, self.rows))

    def variant(self, kind: NodeKind) -> QuestionGraph:
        """The same graph with vectors of another part of each pair or, for "sentence", of the passages' sentences.

        Sentences need no generation; their shares are 0 and their similarities 1. Neighbours are found when they are
        asked for. Vectors are kept in the phrase store, the variant itself is not: keep it with ``View.once``. Raises
        UsageError.
        """
        if kind not in KINDS:
            raise UsageError(f"There are no nodes of kind {kind!r}. {nearest(kind, KINDS)}")
        if kind == self.kind:
            return self
        if self.kind == "sentence":
            raise UsageError("Sentences have neither questions nor answers.")
        if kind == "sentence":
            return self.of_sentences(self.numbers[self.alive], self.embed, self.passages)
        vectors = self.vectors_of(kind)
        none = np.empty((0, NEIGHBOURS))
        return replace(
            self,
            kind=kind,
            vectors=vectors,
            codes=SignCodes.build(vectors),
            neighbours=none.astype(np.int64),
            near=none.astype(np.float32),
        )

    @classmethod
    def of_sentences(cls, numbers: Ints, embed: Embed, passages: Passages) -> Self:
        """The graph whose nodes are the sentences of these passages, for which nothing has to be generated."""
        texts = passages(numbers.tolist())
        found = [(row, texts[number]) for row, number in enumerate(numbers.tolist()) if number in texts]
        places = [(row, passage, span) for row, passage in found for span in sentence_spans(passage.text)]
        sentences = [passage.text[slice(*span)] for _, passage, span in places]
        vectors = embed(sentences)
        none = np.empty((0, NEIGHBOURS))
        return cls(
            kind="sentence",
            numbers=numbers,
            alive=np.isin(numbers, list(texts)),
            rows=np.array([row for row, _, _ in places], np.int64),
            spans=np.array([span for _, _, span in places], np.int64).reshape(-1, 2),
            questions=Texts.build([""] * len(places)),
            answers=Texts.build(sentences),
            vectors=vectors,
            codes=SignCodes.build(vectors),
            similarities=np.ones(len(places), np.float32),
            shares=np.zeros(len(places), np.float32),
            neighbours=none.astype(np.int64),
            near=none.astype(np.float32),
            embed=embed,
            passages=passages,
        )


def _damaged(folder: Path) -> IndexCorrupt:
    return IndexCorrupt(f"{folder} is damaged: its parts do not belong together.", remedy=REBUILD)


def write(
    folder: Path, asked: Sequence[PassageQuestions], passages: Floats, embed: Embed, older: Path | None = None
) -> dict[str, int]:
    """Gather what passages can be asked into a folder. Returns the counts that summaries show.

    ``asked``: by passage number; ``passages``: their unit vectors, one row each. ``older``: a graph of other passages,
    of which those that are still there are not compared with each other again. Raises StorageFull.
    """
    pairs = [pair for each in asked for pair in each.pairs]
    numbers = np.array([each.number for each in asked], np.int64)
    rows = np.repeat(np.arange(len(asked), dtype=np.int64), [len(each.pairs) for each in asked])
    vectors = embed([text_of(pair) for pair in pairs])
    keys = _keys(asked)
    grown = None if older is None else _grown(older, numbers, rows, vectors, keys, embed)
    links = NeighbourGraph.build(vectors, NEIGHBOURS, keys) if grown is None else grown.links
    links.save(folder / "neighbours")
    question_words.write(folder, asked, None if grown is None else grown.words)
    SignCodes.build(vectors).save(folder / "codes")
    Texts.build([pair.question for pair in pairs]).save(folder / "questions")
    Texts.build([pair.answer for pair in pairs]).save(folder / "answers")
    similarities = _cosines(vectors, passages, rows)
    arrays: Arrays = {
        "numbers": numbers,
        "rows": rows,
        "spans": np.array([(pair.start, pair.end) for pair in pairs], np.int64).reshape(-1, 2),
        "vectors": vectors,
        "similarities": similarities,
        "shares": shares_of(rows, similarities),
    }
    write_arrays(folder / "graph", arrays)  # last: it says that all is there
    return {"questions": len(pairs), "passages": len(np.unique(rows))}


def _keys(asked: Sequence[PassageQuestions]) -> Ints:
    """A number for each pair that depends on what it says and where, and not on when it came."""
    said = ([each.id, place, pair.question, pair.answer] for each in asked for place, pair in enumerate(each.pairs))
    digests = b"".join(hashlib.blake2b(json.dumps(one).encode(), digest_size=8).digest() for one in said)
    keys: Ints = (np.frombuffer(digests, "<u8") >> np.uint64(1)).astype(np.int64)
    return keys


@dataclass(frozen=True, kw_only=True, eq=False)
class _Grown:
    """What an older graph leaves: the neighbours of all nodes, and the words of those that it has."""

    links: NeighbourGraph
    words: Before


def _grown(older: Path, numbers: Ints, rows: Ints, vectors: Floats, keys: Ints, embed: Embed) -> _Grown | None:
    """What can be gone on from; None where the older graph is damaged, or is not of these questions."""
    try:
        for fault in damage(older):
            raise IndexCorrupt(fault)
        before = QuestionGraph.open(older, numbers, embed, lambda _: {})
        links = NeighbourGraph.open(older / "neighbours")
    except IndexCorrupt as error:
        logger.warning("%s Neighbours are found again.", error)
        return None
    passed, come = before.numbers[before.rows], numbers[rows]  # passage number of each node, then and now
    gone, new = np.flatnonzero(~np.isin(passed, come)), np.flatnonzero(~np.isin(come, passed))
    stay = np.setdiff1d(np.arange(len(come)), new)
    if len(links) != len(passed) or not np.array_equal(np.delete(links.keys, gone), keys[stay]):
        logger.warning("%s does not fit what is stored. Neighbours are found again.", older)
        return None
    logger.info("questions: %d nodes stay, %d are gone, %d are new", len(stay), len(gone), len(new))
    now = np.full(len(passed), -1, np.int64)
    now[np.delete(np.arange(len(passed)), gone)] = stay
    links = links.without(gone, vectors[stay]).extended(vectors, new, keys[new])
    same = np.isin(before.numbers, passed) == np.isin(before.numbers, come)  # with questions then as now
    kept = np.where(same & np.isin(before.numbers, numbers), before.numbers, -1)
    return _Grown(links=links, words=Before(folder=older, pairs=now, passages=kept))


def _cosines(vectors: Floats, passages: Floats, rows: Ints) -> Floats:
    """The cosine of each vector with that of its passage, in double precision and rounded once."""
    cosines = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        cosines[block] = (vectors[block].astype(np.float64) * passages[rows[block]]).sum(axis=1)
    return cosines


def text_of(pair: GeneratedQuestion, kind: NodeKind = "question+answer") -> str:
    """What is embedded of a pair; the embedder clips or windows what is too long for it."""
    if kind == "question+answer":
        return f"{pair.question} {pair.answer}"
    return pair.question if kind == "question" else pair.answer


def shares_of(rows: Ints, similarities: Floats) -> Floats:
    """The rank of each node within its row, the most similar first and equals by position, as a share below 1."""
    order = np.lexsort((np.arange(len(rows)), -similarities, rows))
    counts = np.bincount(rows, minlength=1)
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = np.arange(len(rows)) - offsets(counts)[rows[order]]
    shares: Floats = (ranks / counts[rows]).astype(np.float32)
    return shares
