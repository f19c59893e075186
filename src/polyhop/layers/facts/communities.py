"""Communities of the fact graph: entities that facts join more with each other than with others (StepChain, Eq. 5)."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from polyhop.errors import IndexCorrupt, StorageFull
from polyhop.indexes import leiden as algorithm
from polyhop.indexes.csr import flat
from polyhop.indexes.leiden import leiden
from polyhop.indexes.segments import check_fit, read_arrays, write_arrays
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.types import Fact

logger = logging.getLogger(__name__)

FORMAT_VERSION: Final = 1  # raise it when the same graph would give other communities, or other keys for them
FOLDER: Final = "communities"  # in that of the index
LARGEST: Final = 50  # entities of a community that can still be cut
SMALLEST: Final = 3  # entities of one that is worth a summary: two are joined by what a fact says itself
_LEAST_WEIGHT: Final = 0.01  # of a fact, whatever its confidence: an edge without weight is none
_KEPT: Final = 4  # clusterings that stay on disk
_ARRAYS: Final = ("entities", "entity_starts", "facts", "fact_starts", "keys", "levels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """Entities that belong together, and the facts between them, by their positions in the graph, ascending.

    ``key`` depends on nothing but the names and the facts with their places: it is the same in every run.
    """

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    key: str  # 32 hexadecimal digits
    level: int  # how many times a community that was too large was cut until this one was left

    @property
    def is_worth_a_summary(self) -> bool:
        """Whether it has enough entities, and a fact that could be told."""
        return len(self.entities) >= SMALLEST and bool(self.facts)


def clustered(graph: GrownGraph) -> tuple[Community, ...]:
    """The communities of a graph, those with most facts first; each entity that a live fact has is in one of them.

    Two entities are tied by the number of facts between them, each weighing its confidence.
    """
    facts = graph.touching(range(len(graph)))
    heads, tails = graph.ends(facts)
    weights = np.maximum(graph.confidences(facts).astype(np.float64), _LEAST_WEIGHT)
    present = np.unique(np.concatenate([heads, tails]))
    pairs = np.searchsorted(present, np.stack([heads, tails], axis=1))
    clusters = leiden(pairs, weights, len(present), largest=LARGEST)
    inside = clusters.labels[pairs[:, 0]] == clusters.labels[pairs[:, 1]]
    owned: list[list[int]] = [[] for _ in range(len(clusters))]
    for label, place in zip(clusters.labels[pairs[inside, 0]].tolist(), facts[inside].tolist(), strict=True):
        owned[label].append(place)
    found = [
        Community(
            entities=tuple(present[members].tolist()),
            facts=tuple(own),
            key=_key(graph, present[members].tolist(), own),
            level=level,
        )
        for members, own, level in zip(clusters.members(), owned, clusters.levels.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.facts), -len(one.entities), one.entities)))


def _key(graph: GrownGraph, entities: Iterable[int], facts: Iterable[int]) -> str:
    """The hash of the names of entities and of facts with their places, whatever positions these have."""
    named = sorted((entity.key, entity.name) for entity in map(graph.entity, entities))
    stated = sorted((*_words(graph.fact(place)), *graph.place(place)) for place in facts)
    return _digest([named, stated])


def _words(fact: Fact) -> tuple[str, str, str]:
    return fact.head, fact.relation, fact.tail


def _digest(content: object) -> str:
    text = json.dumps(content, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def communities_of(graph: GrownGraph, folder: Path, generation: str) -> tuple[Community, ...]:
    """The communities of a graph, clustered once for all runs.

    ``folder``: of the index, which need not be writable. ``generation``: names the graph's content: that of the facts
    layer, with the passages that are live.
    """
    name = _digest([FORMAT_VERSION, algorithm.SEED, algorithm.ITERATIONS, LARGEST, generation])
    target = folder / FOLDER / f"clusters-{name}"
    try:
        return _read(target, graph)
    except IndexCorrupt as error:
        if target.exists():
            logger.warning("%s The graph is clustered again.", error)
    found = clustered(graph)
    try:
        _write(target, found)
        _sweep(target)
    except StorageFull as error:  # a read-only index still answers, only slower
        logger.warning("Communities cannot be stored (%s); they are kept in memory.", error)
    return found


def _write(target: Path, communities: Sequence[Community]) -> None:
    entities, entity_starts = flat([one.entities for one in communities])
    facts, fact_starts = flat([one.facts for one in communities])
    arrays = {
        "entities": entities,
        "entity_starts": entity_starts,
        "facts": facts,
        "fact_starts": fact_starts,
        "keys": np.array([one.key for one in communities], "S32"),
        "levels": np.array([one.level for one in communities], np.int64),
    }
    write_arrays(target, arrays)


def _read(target: Path, graph: GrownGraph) -> tuple[Community, ...]:
    """Communities that were stored. Raises IndexCorrupt."""
    arrays = read_arrays(target, _ARRAYS)
    entities, facts = arrays["entities"], arrays["facts"]
    starts = (arrays["entity_starts"], arrays["fact_starts"])
    count = len(arrays["keys"])
    fits = (
        all(len(each) == count + 1 for each in starts)
        and len(arrays["levels"]) == count
        and all(each[-1] == len(whole) for each, whole in zip(starts, (entities, facts), strict=True))
        and (not len(entities) or 0 <= entities.min() <= entities.max() < len(graph))
    )
    check_fit(target, bool(fits))
    spans = [np.stack([each[:-1], each[1:]], axis=1).tolist() for each in starts]
    held, owned = entities.tolist(), facts.tolist()
    return tuple(
        Community(entities=tuple(held[start:end]), facts=tuple(owned[begin:stop]), key=key.decode("ascii"), level=level)
        for (start, end), (begin, stop), key, level in zip(
            *spans, arrays["keys"].tolist(), arrays["levels"].tolist(), strict=True
        )
    )


def _sweep(target: Path) -> None:
    """Keep the newest clusterings only: those of graphs that are no more are of no use."""
    try:
        others = [path for path in target.parent.glob("clusters-*") if path != target]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:  # another process was faster
        return
    for path in others[_KEPT - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
