"""Which entity each name of a fact names, and how each entity is spelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from polyhop.indexes.csr import offsets
from polyhop.indexes.names import normal
from polyhop.layers.facts import merging
from polyhop.layers.facts.merging import Claim, Keys, Known, Pair, Similarity
from polyhop.layers.facts.stated import StatedFacts
from polyhop.ports import Bools, Ints


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
    heads: Ints  # fact -> entity
    tails: Ints
    spelled: Ints  # (m, 2): which spelling of its entity stands at the head, and at the tail

    def of_each(self, column: Sequence[str]) -> Iterator[Sequence[str]]:
        """The spellings, or the reasons, of each entity."""
        starts = self.starts.tolist()
        return (column[start:end] for start, end in pairwise(starts))


def spelled_entities(
    stated: StatedFacts, apart: Iterable[Pair], similarity: Similarity | None
) -> tuple[StatedFacts, SpelledEntities]:
    """The facts whose ends are names, and the entities that these name.

    ``apart``: keys that are never one entity. ``similarity``: how alike names must be to be one entity; None: they join
    only by name and by alias.
    """
    apart = frozenset(apart)
    keyed = _Keyed.of(stated, apart)
    named = (keyed.heads >= 0) & (keyed.tails >= 0)
    if not named.all():
        stated, keyed = stated.of_facts(named), keyed.of_facts(named)
    joined = _joined(stated, keyed, apart, similarity)
    return stated, _Spelling(stated, keyed, joined).entities()


@dataclass(frozen=True, eq=False)
class _Keyed:
    """Which key each end of a fact has, before anything is joined; -1 for a text without words."""

    table: Keys
    bases: Sequence[str]  # of each name
    keys: list[str]
    ids: Mapping[str, int]  # key -> its place
    heads: Ints
    tails: Ints

    @classmethod
    def of(cls, stated: StatedFacts, apart: Iterable[Pair]) -> _Keyed:
        bases = [normal(name) for name in stated.names]
        titled = {base for title in set(stated.titles) if (base := normal(title))}
        table = Keys.build(stated.titles, apart, _common(stated, bases, titled))
        ids: dict[str, int] = {}
        base_ids = np.array([ids.setdefault(base, len(ids)) if base else -1 for base in bases], np.int64)
        contested = np.array([base in table.separate for base in bases], np.bool_)
        sides = []
        for ends in (stated.heads, stated.tails):
            keys = base_ids[ends]
            for fact in np.flatnonzero(contested[ends]).tolist():  # only a passage's title tells which thing it is
                key = table.key(stated.names[ends[fact]], stated.titles[stated.rows[fact]])
                keys[fact] = ids.setdefault(key, len(ids))
            sides.append(keys)
        return cls(table, bases, list(ids), ids, *sides)

    def of_facts(self, kept: Bools) -> _Keyed:
        return _Keyed(self.table, self.bases, self.keys, self.ids, self.heads[kept], self.tails[kept])


def _common(stated: StatedFacts, bases: Sequence[str], titled: set[str]) -> set[str]:
    """The names that a passage writes as common nouns, of those that are titles."""
    lower = [place for place, name in enumerate(stated.names) if bases[place] in titled and name.islower()]
    wanted = np.zeros(len(stated.names), np.bool_)
    wanted[lower] = True
    found: set[str] = set()
    for ends in (stated.heads, stated.tails):
        for fact in np.flatnonzero(wanted[ends]).tolist():
            name = stated.names[ends[fact]]
            if name not in found and name not in stated.titles[stated.rows[fact]].lower():
                found.add(name)
    return found


def _joined(
    stated: StatedFacts, keyed: _Keyed, apart: Iterable[Pair], similarity: Similarity | None
) -> Mapping[str, tuple[str, str]]:
    """The key of the entity of each key that may be joined with others, and why it is there; see ``merging.merged``."""
    claims = set(_claims(stated, keyed))
    wanted = np.full(len(keyed.keys), similarity is not None)
    wanted[[keyed.ids[key] for claim in claims for key in (claim.key, claim.alias) if key in keyed.ids]] = True
    known = _known(stated, keyed, wanted)
    titled = {keyed.table.key(title, title) for title in set(stated.titles)} if known else set()
    return merging.merged(known, claims, titled=titled & known.keys(), apart=apart, similarity=similarity)


def _claims(stated: StatedFacts, keyed: _Keyed) -> Iterator[Claim]:
    """Where facts say, or brackets, that an entity has another name."""
    said = [merging.alias_relation(relation) for relation in stated.relations]
    claiming = np.array([bool(reason) for reason in said], np.bool_)
    for fact in np.flatnonzero(claiming[stated.relation_ids]).tolist():
        reason = said[stated.relation_ids[fact]]
        head, tail = stated.names[stated.heads[fact]], stated.names[stated.tails[fact]]
        if merging.states_alias(reason, head, tail, stated.labels[stated.labelled[fact, 1]]):
            yield Claim(keyed.keys[keyed.heads[fact]], keyed.keys[keyed.tails[fact]], reason)
    for both in set(stated.acronyms):
        name, _, short = both.partition("\n")
        yield Claim(keyed.table.key(name, ""), keyed.table.key(short, ""), merging.ACRONYM)


def _known(stated: StatedFacts, keyed: _Keyed, wanted: Bools) -> dict[str, Known]:
    """What is known of some keys."""
    known: dict[str, Known] = {}
    for side, (keys, ends) in enumerate(((keyed.heads, stated.heads), (keyed.tails, stated.tails))):
        facts = np.flatnonzero(wanted[keys])
        columns = (keys[facts], ends[facts], stated.labelled[facts, side], stated.rows[facts])
        for key, name, label, row in zip(*(column.tolist() for column in columns), strict=True):
            one = known.setdefault(keyed.keys[key], Known())
            one.spellings[stated.names[name]] += 1
            one.labels[stated.labels[label]] += 1
            one.rows.add(row)
    return known


class _Spelling:
    """Puts names in the order in which they are spellings of entities."""

    def __init__(self, stated: StatedFacts, keyed: _Keyed, joined: Mapping[str, tuple[str, str]]) -> None:
        self.stated, self.keyed, self.joined = stated, keyed, joined
        self.every = np.unique(np.concatenate([keyed.heads, keyed.tails]))  # keys of the facts
        own = np.arange(len(keyed.keys))
        for key, (other, _) in joined.items():
            own[keyed.ids[key]] = keyed.ids[other]
        self.own = own  # key -> key of its entity
        self.order = sorted(set(own[self.every].tolist()), key=keyed.keys.__getitem__)
        places = np.full(len(keyed.keys), -1)
        places[self.order] = np.arange(len(self.order))
        self.place = places[own]  # key -> entity
        self.rank = _ranks(stated.names)

    def entities(self) -> SpelledEntities:
        """All there is to say of them."""
        names = len(self.stated.names)
        keys = np.concatenate([self.keyed.heads, self.keyed.tails])
        ends = np.concatenate([self.stated.heads, self.stated.tails])
        keyed, said, times = np.unique(keys * names + ends, return_inverse=True, return_counts=True)
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
            spellings=[self.stated.names[place] for place in spelling[order].tolist()],
            bases=[self.keyed.bases[place] for place in spelling[order].tolist()],
            reasons=reasons[order].tolist(),
            starts=starts,
            heads=self.place[self.keyed.heads],
            tails=self.place[self.keyed.tails],
            spelled=which[same[said]].reshape(2, -1).T.copy(),
        )

    def _leading(self, key: Ints, name: Ints, times: Ints) -> Ints:
        """For each entity its name, among the ways in which keys are spelled: of its own key, the most frequent.

        One with capitals where there is any (titles of files often have none); with its brackets where they tell it
        from another entity.
        """
        own = np.flatnonzero(self.own[key] == key)
        names, lower, bare = self.stated.names, np.zeros(len(own), np.bool_), np.zeros(len(own), np.bool_)
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
        kinds = max(len(self.stated.labels), 1)
        ends = np.concatenate([self.place[self.keyed.heads], self.place[self.keyed.tails]])
        pairs, counts = np.unique(ends * kinds + self.stated.labelled.T.ravel(), return_counts=True)
        entities, labels = np.divmod(pairs, kinds)
        rows = zip(entities.tolist(), labels.tolist(), counts.tolist(), strict=True)
        return [
            merging.informative({self.stated.labels[label]: count for _, label, count in of_one})
            for _, of_one in groupby(rows, itemgetter(0))
        ]


def _ranks(texts: Sequence[str]) -> Ints:
    """For each text its place among all, sorted."""
    rank = np.empty(len(texts), np.int64)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return rank
