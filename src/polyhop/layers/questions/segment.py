"""Segments of the questions layer: what some passages can be asked, with vectors and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from polyhop.indexes import lexical, lexical_runs, vectors
from polyhop.indexes.csr import offsets, spread
from polyhop.indexes.segments import Arrays, Live, alive_among, check_fit, read_arrays
from polyhop.indexes.streamed import FolderWriter, streamed
from polyhop.indexes.texts import Texts, encoded
from polyhop.layers.layer import words_of
from polyhop.layers.questions.words import STEM, expanded_text, pair_text
from polyhop.ports import Bools, Embed, Floats, Ints
from polyhop.types import GeneratedQuestion, Passage

FORMAT_VERSION: Final = 3  # raise it when the same questions would give other arrays
MOST_OF_A_PASSAGE: Final = 1 << 20  # nodes: a node is known by its passage's number times this, and its place there
VECTORS, WORDS, EXPANDED = "vectors", "words", "expanded"  # parts
_QUESTIONS, _ANSWERS, _REASONS, _NODES = "questions", "answers", "reasons", "nodes"

NodeKind = Literal["question+answer", "question", "answer", "sentence"]
KINDS: Final[tuple[NodeKind, ...]] = get_args(NodeKind)
_BLOCK = 4096  # nodes compared with their passages at once


@dataclass(frozen=True, slots=True)
class QuestionedPassage:
    """What a passage can be asked."""

    number: int
    passage: Passage
    pairs: Sequence[GeneratedQuestion]
    rejected: Mapping[str, int]  # pairs that are not stored, by reason

    def nodes(self) -> Iterator[tuple[int, GeneratedQuestion]]:
        """Its pairs with what they are known by."""
        return enumerate(self.pairs, self.number * MOST_OF_A_PASSAGE)


@dataclass(frozen=True, kw_only=True, eq=False)
class QuestionSegment:
    """Pairs of some passages, ascending by passage and, within one, as they were generated."""

    numbers: Ints  # of the passages, ascending; also of those without pairs
    nodes: Ints  # what each pair is known by, ascending
    spans: Ints  # (n, 2): where the answer stands, offsets into the passage's text
    shares: Floats  # how many of its passage's pairs are more like the passage, as a share: 0 is the best, below 1
    questions: Texts
    answers: Texts
    rejected: Ints  # (m, 3): passage, reason and how many of its pairs are not stored for that
    reasons: Texts

    @classmethod
    def open(cls, folder: Path) -> Self:
        """A segment that was written. Raises IndexCorrupt."""
        texts: dict[str, Any] = {name: Texts.open(folder / name) for name in (_QUESTIONS, _ANSWERS, _REASONS)}
        arrays: dict[str, Any] = read_arrays(folder / _NODES, ("numbers", "spans", "shares", "rejected"))
        nodes = read_arrays(folder / VECTORS, ("numbers",))["numbers"]
        segment = cls(nodes=nodes, **arrays, **texts)
        known = read_arrays(folder / WORDS, ("numbers",))["numbers"]
        expanded = read_arrays(folder / EXPANDED, ("numbers",))["numbers"]
        lengths = {len(part) for part in (segment.spans, segment.shares, segment.questions, segment.answers)}
        alike = np.array_equal(known, nodes) and np.array_equal(expanded, segment.numbers)
        check_fit(folder, lengths == {len(nodes)} and alike)
        return segment

    @classmethod
    def of_sentences(cls, places: Sequence[tuple[int, str, tuple[int, int]]]) -> Self:
        """Sentences of passages, ascending by number: each with its text and its span, and without a question."""
        numbers = np.array([number for number, _, _ in places], np.int64)
        covered, counts = np.unique(numbers, return_counts=True)
        nth = np.arange(len(places)) - np.repeat(offsets(counts)[:-1], counts)
        return cls(
            numbers=covered,
            nodes=numbers * MOST_OF_A_PASSAGE + nth,
            spans=np.array([span for _, _, span in places], np.int64).reshape(-1, 2),
            shares=np.zeros(len(places), np.float32),
            questions=Texts.build([""] * len(places)),
            answers=Texts.build([text for _, text, _ in places]),
            rejected=np.empty((0, 3), np.int64),
            reasons=Texts.build([]),
        )

    def dead(self, live: Live) -> Ints:
        """The nodes of passages that are gone, ascending."""
        firsts = self.numbers[~alive_among(self.numbers, live)] * MOST_OF_A_PASSAGE
        bounds = (np.searchsorted(self.nodes, ends) for ends in (firsts, firsts + MOST_OF_A_PASSAGE))
        return self.nodes[spread(*bounds)]

    def rejected_of(self, live: Live) -> Counter[str]:
        """How many pairs of the passages that are there are not stored, by reason."""
        alive: Bools = alive_among(self.numbers, live)[np.searchsorted(self.numbers, self.rejected[:, 0])]
        counts = np.bincount(self.rejected[alive, 1], self.rejected[alive, 2], minlength=len(self.reasons))
        return Counter({self.reasons[place]: int(counts[place]) for place in np.flatnonzero(counts).tolist()})


def covered(folder: Path) -> Ints:
    """The numbers of the passages that a segment is of, ascending. Raises IndexCorrupt."""
    return read_arrays(folder / _NODES, ("numbers",))["numbers"]


def expanded_words(folder: Path) -> Arrays:
    """The postings of the passages of a segment with their pairs appended. Raises IndexCorrupt."""
    return read_arrays(folder / EXPANDED, lexical.ARRAYS)


def write(
    folder: Path,
    asked: Callable[[], Iterator[Sequence[QuestionedPassage]]],
    vectors_of: Callable[[Sequence[QuestionedPassage]], Floats],
    embed: Embed,
    memory: int,
) -> None:
    """Write a segment of passages, which are read three times, some at once.

    ``asked``: by passage number, ascending; ``vectors_of``: their own unit vectors, one row each; ``memory``: bytes
    that gathering words may take, about. Raises StorageFull.
    """
    with streamed(folder) as writer:
        _write_nodes(writer, asked(), vectors_of, embed)
        nodes = ((one.passage.title, *each) for some in asked() for one in some for each in one.nodes())
        words = ((node, pair_text(title, pair)) for title, node, pair in nodes)
        lexical_runs.write(writer.part(WORDS), words, memory=memory, stem=STEM)
        said = ((one.number, expanded_text(words_of(one.passage), one.pairs)) for some in asked() for one in some)
        lexical_runs.write(writer.part(EXPANDED), said, memory=memory)


def _write_nodes(
    writer: FolderWriter,
    asked: Iterator[Sequence[QuestionedPassage]],
    vectors_of: Callable[[Sequence[QuestionedPassage]], Floats],
    embed: Embed,
) -> None:
    """All that a segment has but words."""
    reasons: dict[str, int] = {}
    searched, nodes = vectors.VectorsWriter(writer.part(VECTORS), signed=True), writer.part(_NODES)
    texts = {name: writer.part(name).texts() for name in (_QUESTIONS, _ANSWERS)}
    numbers, spans = nodes.array("numbers"), nodes.array("spans", np.int64, (2,))
    shares, rejected = nodes.array("shares", np.float32), nodes.array("rejected", np.int64, (3,))
    for some in asked:
        pairs = [pair for one in some for pair in one.pairs]
        rows = np.repeat(np.arange(len(some)), [len(one.pairs) for one in some])
        embedded = embed([text_of(pair) for pair in pairs])
        searched.add(np.array([node for one in some for node, _ in one.nodes()], np.int64), embedded)
        numbers.add(np.array([one.number for one in some], np.int64))
        spans.add(np.array([(pair.start, pair.end) for pair in pairs], np.int64).reshape(-1, 2))
        shares.add(shares_of(rows, cosines(embedded, vectors_of(some), rows)))
        texts[_QUESTIONS].add([encoded(pair.question) for pair in pairs])
        texts[_ANSWERS].add([encoded(pair.answer) for pair in pairs])
        faults = [(one.number, *fault) for one in some for fault in sorted(one.rejected.items())]
        known = [(number, reasons.setdefault(why, len(reasons)), count) for number, why, count in faults]
        rejected.add(np.array(known, np.int64).reshape(-1, 3))
    writer.part(_REASONS).texts().add([encoded(reason) for reason in reasons])


def text_of(pair: GeneratedQuestion, kind: NodeKind = "question+answer") -> str:
    """What is embedded of a pair; the embedder clips or windows what is too long for it."""
    if kind == "question+answer":
        return f"{pair.question} {pair.answer}"
    return pair.question if kind == "question" else pair.answer


def cosines(vectors: Floats, passages: Floats, rows: Ints) -> Floats:
    """The cosine of each vector with that of its passage, in double precision and rounded once."""
    found = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        found[block] = (vectors[block].astype(np.float64) * passages[rows[block]]).sum(axis=1)
    return found


def shares_of(rows: Ints, similarities: Floats) -> Floats:
    """The rank of each node within its row, the most similar first and equals by position, as a share below 1."""
    order = np.lexsort((np.arange(len(rows)), -similarities, rows))
    counts = np.bincount(rows, minlength=1)
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = np.arange(len(rows)) - offsets(counts)[rows[order]]
    shares: Floats = (ranks / counts[rows]).astype(np.float32)
    return shares
