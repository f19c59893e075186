"""Which entity each name of a fact names, and how each entity is spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Self

import numpy as np

from polyhop.indexes.csr import offsets
from polyhop.indexes.names import normal
from polyhop.layers.facts import merging
from polyhop.layers.facts.merging import Claim, Keys, Known, Pair, Similarity
from polyhop.layers.facts.stated import StatedFacts
from polyhop.ports import Bools, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Ends:
    """Heads and tails of facts, in any order, and what passages say of their names besides."""

    names: Sequence[str]
    bases: Sequence[str]  # of each name, as ``normal`` makes it
    labels: Sequence[str]
    name: Ints  # end -> name, one that has words
    label: Ints  # end -> label
    row: Ints  # end -> row of its passage
    claims: Sequence[tuple[int, int, str]]  # two ends, the second of which is another name of the first, and why
    title: Callable[[int], str]  # of the passage of a row
    titles: Set[str]  # of all passages that may be titled after one of the names
    acronyms: Set[str]  # a name and its acronym, on two lines

    @classmethod
    def of(cls, stated: StatedFacts, bases: Sequence[str]) -> Self:
        """All heads, then all tails."""
        facts = len(stated.heads)
        return cls(
            names=stated.names,
            bases=bases,
            labels=stated.labels,
            name=np.concatenate([stated.heads, stated.tails]),
            label=stated.labelled.T.ravel(),
            row=np.tile(stated.rows, 2),
            claims=[(fact, facts + fact, reason) for fact, reason in stated.claims],
            title=stated.titles.__getitem__,
            titles=set(stated.titles),
            acronyms=set(stated.acronyms),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SpelledEntities:
    """Entities in the order of their keys, with all their spellings laid end to end."""

    keys: Sequence[str]
    labels: Sequence[str]
    named: Mapping[str, int]  # every key of a name -> entity
    spellings: Sequence[str]  # of each entity its name, then the others, most frequent first
    bases: Sequence[str]  # of each spelling, as ``normal`` makes it
    reasons: Sequence[str]  # why each spelling is there; empty for the name
    starts: Ints  # where the spellings of each entity begin, and where those of the last one end
    ends: Ints  # end -> entity
    spelled: Ints  # end -> which spelling of its entity stands there

    def of_each(self, column: Sequence[str]) -> Iterator[Sequence[str]]:
        """The spellings, or the reasons, of each entity."""
        starts = self.starts.tolist()
        return (column[start:end] for start, end in pairwise(starts))


def spelled_entities(
    stated: StatedFacts, apart: Iterable[Pair], similarity: Similarity | None
) -> tuple[StatedFacts, SpelledEntities]:
    """The facts whose ends are names, and the entities that these name; all heads, then all tails.

    ``apart``: keys that are never one entity. ``similarity``: how alike names must be to be one entity; None: they join
    only by name and by alias.
    """
    bases = [normal(name) for name in stated.names]
    stated = stated.naming(bases)
    return stated, entities_of(Ends.of(stated, bases), apart, similarity)


def entities_of(ends: Ends, apart: Iterable[Pair], similarity: Similarity | None = None) -> SpelledEntities:
    """The entities that ends name; as ``spelled_entities``."""
    apart = frozenset(apart)
    keyed = _Keyed.of(ends, apart)
    return _Spelling(ends, keyed, _joined(ends, keyed, apart, similarity)).entities()


@dataclass(frozen=True, eq=False)
class _Keyed:
    """Which key each end has, before anything is joined."""

    table: Keys
    keys: list[str]
    ids: Mapping[str, int]  # key -> its place
    key: Ints  # of each end

    @classmethod
    def of(cls, ends: Ends, apart: Iterable[Pair]) -> _Keyed:
        titled = {base for title in ends.titles if (base := normal(title))}
        table = Keys.build(ends.titles, apart, _common(ends, titled))
        ids: dict[str, int] = {}
        key = np.array([ids.setdefault(base, len(ids)) for base in ends.bases], np.int64)[ends.name]
        contested = np.array([base in table.separate for base in ends.bases], np.bool_)
        for end in np.flatnonzero(contested[ends.name]).tolist():  # only a passage's title tells which thing it is
            own = table.key(ends.names[ends.name[end]], ends.title(ends.row[end]))
            key[end] = ids.setdefault(own, len(ids))
        return cls(table, list(ids), ids, key)


def _common(ends: Ends, titled: set[str]) -> set[str]:
    """The names that a passage writes as common nouns, of those that are titles."""
    lower = [place for place, name in enumerate(ends.names) if ends.bases[place] in titled and name.islower()]
    wanted = np.zeros(len(ends.names), np.bool_)
    wanted[lower] = True
    found: set[str] = set()
    for end in np.flatnonzero(wanted[ends.name]).tolist():
        name = ends.names[ends.name[end]]
        if name not in found and name not in ends.title(ends.row[end]).lower():
            found.add(name)
    return found


def _joined(
    ends: Ends, keyed: _Keyed, apart: Iterable[Pair], similarity: Similarity | None
) -> Mapping[str, tuple[str, str]]:
    """The key of the entity of each key that may be joined with others, and why it is there; see ``merging.merged``."""
    claims = set(_claims(ends, keyed))
    wanted = np.full(len(keyed.keys), similarity is not None)
    wanted[[keyed.ids[key] for claim in claims for key in (claim.key, claim.alias) if key in keyed.ids]] = True
    known = _known(ends, keyed, wanted)
    titled = {keyed.table.key(title, title) for title in ends.titles} if known else set()
    return merging.merged(known, claims, titled=titled & known.keys(), apart=apart, similarity=similarity)


def _claims(ends: Ends, keyed: _Keyed) -> Iterator[Claim]:
    """Where facts say, or brackets, that an entity has another name."""
    for head, tail, reason in ends.claims:
        yield Claim(keyed.keys[keyed.key[head]], keyed.keys[keyed.key[tail]], reason)
    for both in ends.acronyms:
        name, _, short = both.partition("\n")
        yield Claim(keyed.table.key(name, ""), keyed.table.key(short, ""), merging.ACRONYM)


def _known(ends: Ends, keyed: _Keyed, wanted: Bools) -> dict[str, Known]:
    """What is known of some keys."""
    found = np.flatnonzero(wanted[keyed.key])
    keys, known = keyed.key[found], dict[str, Known]()
    for key, name, times in _counted(keys, ends.name[found]):
        known.setdefault(keyed.keys[key], Known()).spellings[ends.names[name]] = times
    for key, label, times in _counted(keys, ends.label[found]):
        known[keyed.keys[key]].labels[ends.labels[label]] = times
    for key, row, _ in _counted(keys, ends.row[found]):
        known[keyed.keys[key]].rows.add(row)
    return known


def _counted(keys: Ints, things: Ints) -> Iterator[tuple[int, int, int]]:
    """Each thing that a key has, once, and how often."""
    most = int(things.max(initial=0)) + 1
    pairs, times = np.unique(keys * most + things, return_counts=True)
    return zip(*(column.tolist() for column in (*np.divmod(pairs, most), times)), strict=True)


class _Spelling:
    """Puts names in the order in which they are spellings of entities."""

    def __init__(self, ends: Ends, keyed: _Keyed, joined: Mapping[str, tuple[str, str]]) -> None:
        self.ends, self.keyed, self.joined = ends, keyed, joined
        there = np.zeros(len(keyed.keys), np.bool_)
        there[keyed.key] = True
        self.every = np.flatnonzero(there)
        own = np.arange(len(keyed.keys))
        for key, (other, _) in joined.items():
            own[keyed.ids[key]] = keyed.ids[other]
        self.own = own  # key -> key of its entity
        self.order = sorted(set(own[self.every].tolist()), key=keyed.keys.__getitem__)
        places = np.full(len(keyed.keys), -1)
        places[self.order] = np.arange(len(self.order))
        self.place = places[own]  # key -> entity
        self.rank = _ranks(ends.names)

    def entities(self) -> SpelledEntities:
        """All there is to say of them."""
        names = len(self.ends.names)
        said_as = self.keyed.key * names + self.ends.name
        keyed, said, times = np.unique(said_as, return_inverse=True, return_counts=True)
        key, name = np.divmod(keyed, max(names, 1))  # each way in which a key is spelled, once
        entity = self.place[key]
        pairs, same = np.unique(entity * names + name, return_inverse=True)
        counts = np.bincount(same, weights=times, minlength=len(pairs)).astype(np.int64)
        entities, spelling = np.divmod(pairs, max(names, 1))
        leads = np.zeros(len(pairs), np.bool_)
        leads[same[self._leading(key, name, times)]] = True
        order = np.lexsort((self.rank[spelling], -counts, ~leads, entities))
        starts = offsets(np.bincount(entities, minlength=len(self.order)))
        which = np.empty(len(pairs), np.int64)
        which[order] = np.arange(len(pairs)) - starts[entities[order]]
        reasons = np.where(leads, "", merging.BY_NAME).astype(object)
        for place, reason in self._reasons(key, same).items():
            reasons[place] = "" if leads[place] else reason
        return SpelledEntities(
            keys=[self.keyed.keys[key] for key in self.order],
            labels=self._labels(),
            named={self.keyed.keys[key]: int(self.place[key]) for key in self.every.tolist()},
            spellings=[self.ends.names[place] for place in spelling[order].tolist()],
            bases=[self.ends.bases[place] for place in spelling[order].tolist()],
            reasons=reasons[order].tolist(),
            starts=starts,
            ends=self.place[self.keyed.key],
            spelled=which[same[said]],
        )

    def _leading(self, key: Ints, name: Ints, times: Ints) -> Ints:
        """For each entity its name, among the ways in which keys are spelled: of its own key, the most frequent.

        One with capitals where there is any (titles of files often have none); with its brackets where they tell it
        from another entity.
        """
        own = np.flatnonzero(self.own[key] == key)
        names, lower, bare = self.ends.names, np.zeros(len(own), np.bool_), np.zeros(len(own), np.bool_)
        for place, (which, said) in enumerate(zip(key[own].tolist(), name[own].tolist(), strict=True)):
            lower[place] = names[said].islower()
            if "(" in self.keyed.keys[which]:
                bare[place] = merging.spelled_key(names[said]) != self.keyed.keys[which]
        order = np.lexsort((self.rank[name[own]], -times[own], lower, bare, self.place[key[own]]))
        return own[order[np.unique(self.place[key[own]][order], return_index=True)[1]]]

    def _reasons(self, key: Ints, same: Ints) -> dict[int, str]:
        """Why spellings of entities that were joined are there: what their first key with that spelling says."""
        members = np.bincount(self.place[self.every], minlength=len(self.order))
        several = np.flatnonzero(members[self.place[key]] > 1).tolist()
        keys = self.keyed.keys
        found: dict[int, str] = {}
        for place in sorted(several, key=lambda place: (self.own[key[place]] != key[place], keys[key[place]])):
            found.setdefault(int(same[place]), self.joined[keys[key[place]]][1] or merging.BY_NAME)
        return found

    def _labels(self) -> list[str]:
        """The most frequent label of each entity that says what it is (``merging.informative``)."""
        kinds = max(len(self.ends.labels), 1)
        pairs, counts = np.unique(self.place[self.keyed.key] * kinds + self.ends.label, return_counts=True)
        entities, labels = np.divmod(pairs, kinds)
        rows = zip(entities.tolist(), labels.tolist(), counts.tolist(), strict=True)
        return [
            merging.informative({self.ends.labels[label]: count for _, label, count in of_one})
            for _, of_one in groupby(rows, itemgetter(0))
        ]


def _ranks(texts: Sequence[str]) -> Ints:
    """For each text its place among all, sorted."""
    rank = np.empty(len(texts), np.int64)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return rank
