"""The graph of generated questions: each with its answer and its place in a passage, and the questions next to it.

QCG-RAG, section 3: a node is a question with its answer; edges lead to the nearest other nodes. They are found when
they are walked, all those of a step at once, so that nothing has to be compared when documents come or go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Self
from weakref import proxy

import numpy as np

from polyhop.documents.sentences import sentence_spans
from polyhop.errors import UsageError, nearest
from polyhop.indexes import lexical
from polyhop.indexes.csr import offsets
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.ranking import Ranked, nothing
from polyhop.indexes.segments import AllBut, Arrays, Live, standing
from polyhop.indexes.vectors import Vectors
from polyhop.layers.questions import segment as segments
from polyhop.layers.questions.segment import KINDS, NodeKind, QuestionSegment
from polyhop.layers.questions.words import STEM, pair_text
from polyhop.ports import Embed, Floats, Ints
from polyhop.types import GeneratedQuestion, Passage

COMPARED: Final = 8_000  # nodes that one is compared with, at least, where there are too many to compare it with all

Passages = Callable[[Sequence[int]], dict[int, Passage]]  # those of these numbers that are there


@dataclass(frozen=True, kw_only=True, eq=False)
class QuestionGraph:
    """Nodes of passages that are there, known by numbers in the order of their passages and as they were generated."""

    numbers: Ints  # of the passages, ascending; also of those without nodes
    nodes: Ints  # ascending
    rows: Ints  # where each stands in the segments laid end to end
    segments: tuple[QuestionSegment, ...]
    vectors: Vectors = field(repr=False)  # of all nodes
    embed: Embed = field(repr=False)  # for variants
    passages: Passages = field(repr=False)
    kind: NodeKind = "question+answer"  # what vectors are of
    saved_words: Lexical | None = field(default=None, repr=False)  # BM25 over all nodes, where it was gathered
    expanded: tuple[Arrays, ...] = field(default=(), repr=False)  # postings of passages with pairs, where gathered

    @classmethod
    def open(cls, folders: Sequence[Path], live: Live, embed: Embed, passages: Passages) -> Self:
        """The graph of segments, without passages that are not in ``live``. Raises IndexCorrupt, ModelMismatch."""
        parts = tuple(map(QuestionSegment.open, folders))
        alive = AllBut(np.sort(np.concatenate([np.empty(0, np.int64), *(part.dead(live) for part in parts)])))
        vectors = Vectors.open([folder / segments.VECTORS for folder in folders], alive)
        return cls(
            numbers=standing([part.numbers for part in parts], live)[0],
            nodes=vectors.numbers,
            rows=vectors.rows,
            segments=parts,
            vectors=vectors,
            embed=embed,
            passages=passages,
            saved_words=Lexical.open([folder / segments.WORDS for folder in folders], alive),
            expanded=tuple(map(segments.expanded_words, folders)),
        )

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    @property
    def owners(self) -> Ints:
        """The number of the passage of each node."""
        return self.nodes // segments.MOST_OF_A_PASSAGE

    @property
    def counts(self) -> dict[str, int]:
        """What summaries show: questions, and the passages that have any."""
        return {"questions": len(self), "passages": len(np.unique(self.owners))}

    @cached_property
    def shares(self) -> Floats:
        """Of each node how many of its passage's are more like the passage, as a share: 0 is the best, below 1."""
        return np.concatenate([np.empty(0, np.float32), *(part.shares for part in self.segments)])[self.rows]

    def search(self, vector: Floats, n: int, alpha: float = 1.0, least: float | None = None) -> Ranked:
        """The n nodes nearest to a unit vector with their cosines, best first, equals by number.

        Only nodes whose share is below ``alpha`` (Doc2Query--) and whose cosine is at least ``least``.
        Raises ModelMismatch for a vector of another length.
        """
        if n <= 0:
            return nothing()
        nodes, cosines = self._kept(alpha).search(vector, n)
        if least is None:
            return nodes, cosines
        enough = cosines >= np.float32(least)
        return nodes[enough], cosines[enough]

    @cached_property
    def _kept(self) -> Callable[[float], Vectors]:
        """The vectors of nodes whose share is below an alpha; held for one and all, as questions ask at every step."""
        ours = proxy(self)  # which keeps no graph, and no file of one, that nobody else keeps
        return lru_cache(maxsize=2)(
            lambda alpha: ours.vectors if alpha >= 1 else ours.vectors.only(ours.shares < np.float32(alpha))
        )

    def of_passage(self, number: int) -> slice:
        """Where the nodes of a passage stand among ``nodes``; nowhere for one that is not there any more."""
        first = number * segments.MOST_OF_A_PASSAGE
        return slice(*np.searchsorted(self.nodes, (first, first + segments.MOST_OF_A_PASSAGE)).tolist())

    def question(self, node: int) -> GeneratedQuestion:
        """A node as it was generated; of a sentence the question is empty, and the answer is the sentence."""
        segment, row = self._stored(node)
        start, end = segment.spans[row].tolist()
        return GeneratedQuestion(question=segment.questions[row], answer=segment.answers[row], start=start, end=end)

    def place(self, node: int) -> tuple[int, int, int]:
        """Passage number, and start and end (in the passage) of the answer of a node."""
        segment, row = self._stored(node)
        start, end = segment.spans[row].tolist()
        return node // segments.MOST_OF_A_PASSAGE, start, end

    def _stored(self, node: int) -> tuple[QuestionSegment, int]:
        row = int(self.rows[np.searchsorted(self.nodes, node)])
        place = int(np.searchsorted(self._firsts, row, side="right")) - 1
        return self.segments[place], row - int(self._firsts[place])

    @cached_property
    def _firsts(self) -> Ints:
        """The row at which each segment begins, and the one behind all of them."""
        return offsets([len(part.nodes) for part in self.segments])

    def vector(self, node: int) -> Floats:
        """The unit vector of a node."""
        vector: Floats = self.vectors.of(np.array([node]))[0]
        return vector

    def around(
        self, nodes: Sequence[int], k: int, alpha: float = 1.0, among: Ints | None = None
    ) -> list[list[tuple[int, float]]]:
        """Of each node the k nearest others whose share is below ``alpha``, with their cosines, best first.

        Equals by number. ``among``: the nodes that are compared, if not all. Of all nodes, where they are very many,
        only those are compared whose signs agree.
        """
        vectors = self.vectors.of(np.array(nodes, np.int64))
        near = self._kept(alpha).search_each(vectors, k + 1, COMPARED, among)
        pairs = (zip(others.tolist(), cosines.tolist(), strict=True) for others, cosines in near)
        return [[pair for pair in each if pair[0] != node][:k] for node, each in zip(nodes, pairs, strict=True)]

    @cached_property
    def words(self) -> Lexical:
        """BM25 over the title, question and answer of each node.

        As it was gathered; for sentences it is made here, which takes long for very many.
        """
        if self.saved_words is not None:
            return self.saved_words
        titles = {number: passage.title for number, passage in self.passages(self.numbers.tolist()).items()}
        pairs = zip(self.owners.tolist(), map(self.question, self.nodes.tolist()), strict=True)
        texts = [pair_text(titles.get(number, ""), pair) for number, pair in pairs]
        return Lexical.of([lexical.build(self.nodes, texts, stem=STEM)], self.nodes)

    def vectors_of(self, kind: NodeKind) -> Floats:
        """The unit vectors of all nodes of ``variant(kind)``, embedded where they never were."""
        if kind == self.kind:
            return self.vectors.of(self.nodes)
        if kind == "sentence":
            return self.variant(kind).vectors_of(kind)
        return self.embed([segments.text_of(self.question(node), kind) for node in self.nodes.tolist()])

    def shares_by(self, kind: NodeKind, passages: Floats) -> Floats:
        """``shares`` as they would be if another part of each pair were compared with its passage.

        ``passages``: unit vectors, one for each of ``numbers``.
        """
        rows = np.searchsorted(self.numbers, self.owners)
        return segments.shares_of(rows, segments.cosines(self.vectors_of(kind), passages, rows))

    def variant(self, kind: NodeKind) -> QuestionGraph:
        """The same graph with vectors of another part of each pair or, for "sentence", of the passages' sentences.

        Sentences need no generation; their shares are 0. Vectors are kept in the phrase store, the variant itself is
        not: keep it with ``View.once``. Raises UsageError.
        """
        if kind not in KINDS:
            raise UsageError(f"There are no nodes of kind {kind!r}. {nearest(kind, KINDS)}")
        if kind == self.kind:
            return self
        if self.kind == "sentence":
            raise UsageError("Sentences have neither questions nor answers.")
        if kind == "sentence":
            return self.of_sentences(self.numbers, self.embed, self.passages)
        return replace(self, kind=kind, vectors=Vectors.of_all(self.nodes, self.vectors_of(kind)))

    @classmethod
    def of_sentences(cls, numbers: Ints, embed: Embed, passages: Passages) -> Self:
        """The graph whose nodes are the sentences of these passages, for which nothing has to be generated."""
        texts = {number: passage.text for number, passage in sorted(passages(numbers.tolist()).items())}
        places = [(number, text[slice(*span)], span) for number, text in texts.items() for span in sentence_spans(text)]
        segment = QuestionSegment.of_sentences(places)
        return cls(
            kind="sentence",
            numbers=np.array(list(texts), np.int64),
            nodes=segment.nodes,
            rows=np.arange(len(places)),
            segments=(segment,),
            vectors=Vectors.of_all(segment.nodes, embed([sentence for _, sentence, _ in places])),
            embed=embed,
            passages=passages,
        )
