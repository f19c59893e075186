"""The parts of a fact graph, each made when it is asked for: whoever writes a graph has few in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.csr import offsets
from polyhop.indexes.names import Names
from polyhop.indexes.segments import write_each
from polyhop.indexes.texts import Texts
from polyhop.layers.facts import merging
from polyhop.layers.facts.entities import SpelledEntities
from polyhop.layers.facts.stated import StatedFacts
from polyhop.ports import Embed, Ints

ARRAYS: Final = (
    *("numbers", "heads", "tails", "relation_ids", "rows", "spans", "confidences", "spelled", "labelled"),
    "relation_vectors",
)
ROOM: Final = 1 / 32  # of the rows of each array: left for a patch (``patch.py``), of which that is twice the most
TEXTS: Final = ("keys", "aliases", "reasons", "labels", "relations", "kinds")
FOLDERS: Final = (*TEXTS, "names", "coverage", "around")


Parts = Mapping[str, Callable[[], Any]]
"""What makes each part of a graph, by its name in ``FactGraph``."""


def save_parts(parts: Parts, folder: Path) -> None:
    """Write a graph as a folder, one part after the other. Raises StorageFull."""
    for name in FOLDERS:
        parts[name]().save(folder / name)
    arrays = ((name, parts[name]()) for name in ARRAYS)
    write_each(folder / "facts", arrays, room=ROOM)  # last: it says that all is there


def entity_parts(entities: SpelledEntities) -> Parts:
    """Those that say what entities there are."""
    whose = np.repeat(np.arange(len(entities.keys)), np.diff(entities.starts))
    return {
        "keys": lambda: Texts.build(entities.keys),
        "aliases": lambda: Texts.build(["\n".join(spellings) for spellings in entities.of_each(entities.spellings)]),
        "reasons": lambda: Texts.build(["\n".join(reasons) for reasons in entities.of_each(entities.reasons)]),
        "labels": lambda: Texts.build(entities.labels),
        "names": lambda: names_of(entities, whose),
        "coverage": lambda: TokenCoverage.build(entities.spellings, whose),
    }


def stated_parts(stated: StatedFacts, entities: SpelledEntities, embed: Embed) -> Parts:
    """All parts of the graph of facts whose entities are known: of all their heads, then of all their tails."""
    relations, relation = in_order(stated.relations, stated.relation_ids)
    kinds, kind = in_order(stated.labels, stated.labelled)
    vectors = np.asarray(embed(relations), np.float32)  # before anything is written: a model that fails is no full disk
    heads, tails = entities.ends.reshape(2, -1)
    return {
        **entity_parts(entities),
        "relations": lambda: Texts.build(relations),
        "kinds": lambda: Texts.build(kinds),
        "around": lambda: around_facts(heads, tails, len(entities.keys)),
        "numbers": lambda: np.array(stated.numbers),
        "heads": lambda: heads,
        "tails": lambda: tails,
        "relation_ids": lambda: relation[stated.relation_ids],
        "rows": lambda: np.array(stated.rows),
        "spans": lambda: np.array(stated.spans),
        "confidences": lambda: np.array(stated.confidences),
        "spelled": lambda: entities.spelled.reshape(2, -1).T.copy(),
        "labelled": lambda: kind[stated.labelled],
        "relation_vectors": lambda: vectors,
    }


def names_of(entities: SpelledEntities, whose: Ints) -> Names:
    """Every form of a name with its entity: a key's own entity before one that is also so spelled."""
    named = dict(entities.named)
    keys = map(merging.with_bracket, entities.bases, entities.spellings)
    for forms in (keys, entities.bases):
        for form, entity in zip(forms, whose.tolist(), strict=True):
            named.setdefault(form, entity)
    return Names.build(list(named), np.array(list(named.values()), np.int64))


def around_facts(heads: Ints, tails: Ints, entities: int) -> Adjacency:
    """For each entity the facts that have it as head or tail."""
    facts, others = np.arange(len(heads), dtype=np.int64), np.flatnonzero(heads != tails)
    pairs = np.concatenate([heads * len(heads) + facts, tails[others] * len(heads) + others])  # each one number, once
    pairs.sort()
    each = np.bincount(heads, minlength=entities) + np.bincount(tails[others], minlength=entities)
    return Adjacency(starts=offsets(each), rights=pairs % max(len(heads), 1))


def in_order(texts: Sequence[str], ids: Ints) -> tuple[list[str], Ints]:
    """The texts that are used, sorted, and the place of each text among them, if it is used."""
    used = np.flatnonzero(np.bincount(ids.ravel(), minlength=len(texts)))
    order = sorted(used.tolist(), key=texts.__getitem__)
    places = np.zeros(len(texts), np.int64)
    places[order] = np.arange(len(order))
    return [texts[place] for place in order], places
