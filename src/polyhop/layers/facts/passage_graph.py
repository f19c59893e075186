"""Entities and passages in one graph: facts join entities, passages their entities, and like names each other.

HippoRAG 2 (B. J. Gutiérrez et al., 2025), section 3. Made when a strategy first needs it; which names are near each
other is kept beside the fact graph, the vectors of names in the phrase store.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyhop.errors import IndexCorrupt, StorageFull
from polyhop.indexes import segments
from polyhop.indexes.names import words
from polyhop.indexes.random_walk import RandomWalk
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import label_group
from polyhop.layers.view import View
from polyhop.ports import Floats, Ints
from polyhop.store.phrase_store import PhraseStore

logger = logging.getLogger(__name__)

FORMAT_VERSION = 1
BLOCK = 1 << 24  # cosines held at once: 64 MiB
MOST_COMPARED = 200_000  # names that are all compared with each other; of more, those that share a word
MOST_SHARING = 4096  # names that share a word; a word that more share says too little
SHORTEST = 3  # letters and digits of a name that may have synonyms, as in HippoRAG 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Synonyms(segments.KeptArrays):
    """Pairs of entities with like names, each pair once, the lower first, and the cosines of their names."""

    pairs: Ints  # (n, 2)
    cosines: Floats  # (n,)

    @classmethod
    def none(cls) -> Self:
        """No pairs."""
        return cls(pairs=np.empty((0, 2), np.int64), cosines=np.empty(0, np.float32))


@dataclass(frozen=True, kw_only=True, eq=False)
class PassageGraph:
    """Nodes are the entities of the fact graph in their order, then passages in the order of their numbers."""

    entities: int
    numbers: Ints  # of the passages, ascending
    occurrences: Ints  # entity -> in how many passages a fact has it
    walk: RandomWalk

    @classmethod
    def of(cls, graph: FactGraph, numbers: Ints, synonyms: Synonyms) -> Self:
        """The graph of all live facts and of the passages with these numbers (ascending) or with a live fact.

        Weights: for two entities the number of facts that join them, and the cosine of synonyms; 1 for a passage and an
        entity of its facts.
        """
        numbers = np.union1d(numbers, graph.numbers[graph.alive])
        entities = len(graph)
        facts = np.flatnonzero(graph.alive[graph.rows])
        heads, tails = graph.heads[facts], graph.tails[facts]
        stated_in = entities + np.searchsorted(numbers, graph.numbers[graph.rows[facts]])
        joined = np.stack([heads, tails], axis=1)
        nodes = entities + len(numbers)
        ends = np.concatenate([heads, tails]) * nodes + np.concatenate([stated_in, stated_in])
        mentions = np.stack(np.divmod(np.unique(ends), max(nodes, 1)), axis=1)  # each entity of a passage once
        ones = np.ones(len(joined) + len(mentions))
        walk = RandomWalk.build(
            np.concatenate([joined, mentions, synonyms.pairs]),
            np.concatenate([ones, synonyms.cosines.astype(np.float64)]),
            nodes,
        )
        occurrences = np.bincount(mentions[:, 0], minlength=entities)
        return cls(entities=entities, numbers=numbers, occurrences=occurrences, walk=walk)


def passage_graph(over: View, *, least: float, most: int) -> PassageGraph:
    """The graph of an index; ``least`` and ``most``: the cosine of synonyms and how many a name has (see ``synonyms``).

    Built once for each state of the index.
    """
    return over.once(f"passage graph:{least}:{most}", lambda: _of_index(over, least, most))


def _of_index(over: View, least: float, most: int) -> PassageGraph:
    phrases = PhraseStore.open(over.record.folder, over.models.embedder)
    found = synonyms(over.facts, phrases, least=least, most=most)
    graph = PassageGraph.of(over.facts, over.text.vectors.numbers, found)
    logger.info(
        "The passage graph: %d entities, %d passages, %d edges, of which %d between synonyms",
        *(graph.entities, len(graph.numbers), graph.walk.edges, len(found.pairs)),
    )
    return graph


# Synonyms: names that are near each other.


def synonyms(graph: FactGraph, phrases: PhraseStore, *, least: float, most: int) -> Synonyms:
    """The entities whose names' cosine is at least ``least``, each with its ``most`` nearest.

    Dates and numbers have none, and neither have names of fewer than SHORTEST letters. ``phrases`` has or makes the
    vectors of names.
    """
    if most <= 0:
        return Synonyms.none()
    folder = None
    if graph.folder is not None:
        folder = graph.folder / f"synonyms-{_mark(phrases, least, most)}"
        try:
            return Synonyms.open(folder)
        except IndexCorrupt:
            logger.info(
                "Comparing the names of %d entities; this is done once for each state of the index.", len(graph)
            )
    entities, names = _names(graph)
    groups = None if len(names) <= MOST_COMPARED else _sharing_a_word(names)
    pairs, cosines = similar(phrases.vectors(names), least, most, groups)
    found = Synonyms(pairs=entities[pairs], cosines=cosines)
    if folder is not None:
        try:
            found.save(folder)
        except StorageFull as error:  # a read-only index still answers, only slower
            logger.warning("Which names are near each other cannot be stored (%s); it is kept in memory.", error)
    return found


def similar(vectors: Floats, least: float, most: int, groups: Iterable[Ints] | None = None) -> tuple[Ints, Floats]:
    """Pairs of rows, the lower first, whose cosine is at least ``least``, for each row its ``most`` nearest.

    Of shapes (n, 2) and (n,). ``groups``: only rows of one group are compared; all of them where it is None.
    """
    if groups is None:
        lefts, rights, cosines = _nearest(vectors, np.arange(len(vectors)), least, most)
    else:
        lefts, rights, cosines = _together(_nearest(vectors[group], group, least, most) for group in groups)
    _, first = np.unique(lefts * len(vectors) + rights, return_index=True)
    kept = first[_few(lefts[first], rights[first], cosines[first], most)]
    low, high = np.minimum(lefts, rights)[kept], np.maximum(lefts, rights)[kept]
    _, first = np.unique(low * len(vectors) + high, return_index=True)
    return np.stack([low[first], high[first]], axis=1), cosines[kept][first]


Near = tuple[Ints, Ints, Floats]  # left rows, right rows, cosines


def _together(found: Iterable[Near]) -> Near:
    nothing: Near = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    lefts, rights, cosines = (np.concatenate(parts) for parts in zip(nothing, *found, strict=True))
    return lefts, rights, cosines


def _nearest(vectors: Floats, rows: Ints, least: float, most: int) -> Near:
    """For each of the rows, whose vectors these are, the nearest others; in blocks of a bounded size."""
    step = max(1, BLOCK // max(len(rows), 1))
    found: list[Near] = []
    for start in range(0, len(rows), step):
        block = vectors[start : start + step] @ vectors.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        left, right = np.nonzero(block >= least)
        near = block[left, right]
        kept = _few(left, right, near, most)
        found.append((rows[start + left[kept]], rows[right[kept]], near[kept]))
    return _together(found)


def _few(lefts: Ints, rights: Ints, cosines: Floats, most: int) -> Ints:
    """The places of the nearest few of each row on the left."""
    order = np.lexsort((rights, -cosines, lefts))
    ordered = lefts[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[rank < most]


def _sharing_a_word(names: Sequence[str]) -> Iterator[Ints]:
    """The rows of the names that share a word, for each word that not too many share."""
    having: defaultdict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names):
        for word in dict.fromkeys(words(name)):
            having[word].append(row)
    for rows in having.values():
        if 1 < len(rows) <= MOST_SHARING:
            yield np.array(rows, np.int64)


def _names(graph: FactGraph) -> tuple[Ints, list[str]]:
    """The entities whose names may have synonyms, and these names."""
    spelled = ((entity, graph.aliases[entity].partition("\n")[0]) for entity in graph.entities.tolist())
    named = [(entity, name) for entity, name in spelled if sum(map(str.isalnum, name)) >= SHORTEST]
    named = [(entity, name) for entity, name in named if label_group(graph.labels[entity]) != "number"]
    return np.array([entity for entity, _ in named], np.int64), [name for _, name in named]


def _mark(phrases: PhraseStore, *settings: float) -> str:
    return hashlib.sha256(repr((FORMAT_VERSION, phrases.embedder.name, *settings)).encode()).hexdigest()[:16]
