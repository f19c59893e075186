"""Shows which spellings the fact graph takes for one entity and why, and keeps apart what somebody says is not one."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.names import normal
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import BY_NAME, Pair, spelled_key
from polyhop.layers.layer import READ_AT_ONCE
from polyhop.ports import Ints
from polyhop.serialisable import Serialisable
from polyhop.store.record import Record

APART = "facts:apart"  # the pairs of keys that are never one entity, in the record's meta
_KINDS = ("similarity", "alias", BY_NAME)  # of reasons, the least certain first


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """One way an entity is spelled, why it is the entity's, and the passages that spell it so in a fact."""

    name: str
    reason: str  # "name", "alias: ..." or "similarity 0.93"; empty for the entity's own name
    passages: tuple[str, ...]  # ids
    titles: tuple[str, ...]  # of these passages, once each


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Serialisable):
    """An entity with several spellings that could be kept apart."""

    name: str
    key: str
    label: str
    spellings: tuple[Spelling, ...]  # the entity's own name first

    @property
    def kind(self) -> str:
        """The least certain of the reasons: similarity, alias or name."""
        return min((_kind(spelling.reason) for spelling in self.spellings[1:]), key=_KINDS.index, default=BY_NAME)


def _kind(reason: str) -> str:
    return next((kind for kind in _KINDS if reason.startswith(kind)), BY_NAME)


def merges_of(graph: FactGraph, record: Record, names: Sequence[str] = ()) -> tuple[Merge, ...]:
    """The entities whose spellings could be kept apart (or those of the names), the least certain first.

    Spellings that differ in case, accents, punctuation or an article only are one name and are not listed for
    themselves. Raises UsageError for a name that names no entity.
    """
    wanted = [_entity(graph, name) for name in names] or graph.entities.tolist()
    entities = [place for place in dict.fromkeys(wanted) if _forms(graph, place) > 1 or names]
    stated = _rows_by_spelling(graph, np.array(entities, np.int64))
    numbers = sorted({int(graph.numbers[row]) for rows in stated.values() for row in rows})
    known = _ids_and_titles(record, numbers)
    found = []
    for place in entities:
        entity = graph.entity(place)
        spellings = []
        for which, reason in enumerate(graph.reasons[place].split("\n")):
            where = [known[int(graph.numbers[row])] for row in stated.get((place, which), ())]
            ids = tuple(passage for passage, _ in where)
            titles = tuple(dict.fromkeys(title for _, title in where if title))
            name = (entity.name, *entity.aliases)[which]
            spellings.append(Spelling(name=name, reason=reason, passages=ids, titles=titles))
        found.append(Merge(name=entity.name, key=entity.key, label=entity.label, spellings=tuple(spellings)))
    return tuple(sorted(found, key=lambda merge: (_KINDS.index(merge.kind), merge.key)))


def _ids_and_titles(record: Record, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The id and the title of passages, by their numbers: of their texts few are held at a time."""
    found: dict[int, tuple[str, str]] = {}
    for start in range(0, len(numbers), READ_AT_ONCE):
        chunk = numbers[start : start + READ_AT_ONCE]
        passages = record.passages(chunk)
        found.update((number, (one.id, one.title)) for number, one in zip(chunk, passages, strict=True))
    return found


def _forms(graph: FactGraph, place: int) -> int:
    """How many of an entity's spellings could be kept apart."""
    spellings = graph.aliases[place].split("\n")
    return len({spelled_key(spelling) for spelling in spellings}) if len(spellings) > 1 else 1


def _rows_by_spelling(graph: FactGraph, entities: Ints) -> Mapping[tuple[int, int], list[int]]:
    """For each spelling of the entities, by entity and place among its spellings, the rows of its live passages."""
    found: dict[tuple[int, int], dict[int, None]] = defaultdict(dict)
    for side, ends in enumerate((graph.heads, graph.tails)):
        facts = np.flatnonzero(np.isin(ends, entities) & graph.alive[graph.rows])
        columns = (ends[facts], graph.spelled[facts, side], graph.rows[facts])
        for entity, which, row in zip(*(column.tolist() for column in columns), strict=True):
            found[entity, which][row] = None
    return {spelling: sorted(rows) for spelling, rows in found.items()}


def apart_of(record: Record) -> list[Pair]:
    """The pairs of keys that are never one entity, sorted."""
    return sorted((left, right) for left, right in json.loads(record.meta(APART) or "[]"))


def keep_apart(record: Record, graph: FactGraph, names: Iterable[str]) -> tuple[Pair, ...]:
    """Note for good that each of these spellings is none of the other spellings of its entity; the pairs that are new.

    The layer must be gathered again afterwards. Raises UsageError for a name that names no entity, or that no other
    spelling was merged with.
    """
    new: set[Pair] = set()
    for name in names:
        entity = graph.entity(_entity(graph, name))
        pairs = _pairs(name, (entity.name, *entity.aliases))
        if not pairs:
            raise UsageError(
                f"{name!r} was merged with nothing that it could be kept apart from.",
                remedy=f'See its spellings with: polyhop merges "{entity.name}"',
            )
        new |= pairs
    known = set(apart_of(record))
    _store(record, known | new)
    return tuple(sorted(new - known))


def join_again(record: Record, names: Iterable[str]) -> tuple[Pair, ...]:
    """Take back what ``keep_apart`` noted about these spellings; the pairs that are gone.

    The layer must be gathered again afterwards. Raises UsageError for a name that is not kept apart.
    """
    known = set(apart_of(record))
    gone: set[Pair] = set()
    for name in names:
        own = {normal(name), spelled_key(name)}
        found = {pair for pair in known if own & set(pair)}
        if not found:
            raise UsageError(f"{name!r} is not kept apart from anything.", remedy="List with: polyhop merges")
        gone |= found
    _store(record, known - gone)
    return tuple(sorted(gone))


def _pairs(name: str, spellings: Sequence[str]) -> set[Pair]:
    """What keeps a spelling apart from the others: brackets count where they alone make the difference."""
    base, full = normal(name), spelled_key(name)
    forms = {spelled_key(spelling) for spelling in spellings}
    if full not in forms:
        return set()
    same = {form for spelling in spellings if normal(spelling) == base and (form := spelled_key(spelling)) != full}
    others = {normal(spelling) for spelling in spellings} - {base}
    own = full if same else base
    return {(min(own, other), max(own, other)) for other in same | others}


def _entity(graph: FactGraph, name: str) -> int:
    found = graph.find(name)
    if found is None:
        raise UsageError(f"No entity is spelled {name!r}.", remedy="List what was merged with: polyhop merges")
    return found


def _store(record: Record, pairs: Iterable[Pair]) -> None:
    record.set_meta(APART, json.dumps(sorted(pairs)))
