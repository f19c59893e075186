"""The kinds of damage that graphs made of text have (C2RAG, section 1 and Figure 1), each as a rule for one fact.

A rule looks at the undamaged graph only and draws from the seed, the fact and the kind only. So what becomes of a fact
does not depend on how many others are damaged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np

from polyhop.evaluation.robustness import relation_shifts as shifts
from polyhop.indexes.folding import pieces
from polyhop.indexes.names import normal
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import label_group
from polyhop.layers.facts.overlay import Worded, place_of
from polyhop.types import Fact

T = TypeVar("T")

OVER_GENERALISED: Final = "over_generalised"
MIS_BOUND: Final = "mis_bound"
SEMANTIC_FLIP: Final = "semantic_flip"
MISSING_BRIDGE: Final = "missing_bridge"
DROPPED_QUALIFIER: Final = "dropped_qualifier"
NEAR: Final = 5  # passages on either side from which the wrong end of a fact may come
_SHORT: Final = 3  # letters of prepositions and forms of "be"
_QUALIFYING: Final = frozenset({"DATE", "TIME", "GPE", "LOC", "FAC"})


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a fact: other words, or nothing at all."""

    after: Worded | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Sites:
    """A graph as the rules see it."""

    graph: FactGraph
    seed: int
    needed: frozenset[int] = field(default_factory=frozenset)  # entities that the questions need; none: nothing known

    def draw(self, position: int, purpose: str) -> int:
        """A whole number of 64 bits that depends on the seed, the fact and the purpose alone."""
        number, ordinal = place_of(self.graph, position)
        return int.from_bytes(
            hashlib.blake2b(repr((self.seed, number, ordinal, purpose)).encode(), digest_size=8).digest()
        )

    def chosen(self, position: int, purpose: str, options: Sequence[T]) -> T:
        """One of the options, which must not be empty."""
        return options[self.draw(position, purpose) % len(options)]

    def neighbours(self, position: int) -> Iterator[list[int]]:
        """The facts of the same passage, then those of passages ever further away, on both sides."""
        row = int(self.graph.rows[position])
        for distance in range(NEAR + 1):
            rows = [near for near in sorted({row - distance, row + distance}) if 0 <= near < len(self.graph.numbers)]
            yield [fact for near in rows if self.graph.alive[near] for fact in self._of_row(near)]

    def linked(self, entity: int) -> frozenset[int]:
        """All entities that a fact joins with this one, and itself."""
        facts = self.graph.touching([entity])
        return frozenset([entity, *self.graph.heads[facts].tolist(), *self.graph.tails[facts].tolist()])

    def stated(self, position: int, words: Worded) -> bool:
        """Whether the passage of a fact states it in these words as well."""
        row = int(self.graph.rows[position])
        if row not in self._known:
            self._known[row] = frozenset(_key(Worded.of(self.graph.fact(fact))) for fact in self._of_row(row))
        return _key(words) in self._known[row]

    def leads_on(self, entity: int) -> bool:
        """Whether more than one passage has a fact of this entity."""
        return bool(self._passages[entity] > 1)

    def _of_row(self, row: int) -> range:
        start, end = self._starts[row : row + 2].tolist()
        return range(start, end)

    @cached_property
    def _known(self) -> dict[int, frozenset[tuple[str, str, str]]]:
        """What passages state, by row, as far as it was asked for."""
        return {}

    @cached_property
    def _starts(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.searchsorted(self.graph.rows, np.arange(len(self.graph.numbers) + 1)).astype(np.int64)

    @cached_property
    def _passages(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Of each entity, how many live passages have a fact of it."""
        live = self.graph.alive[self.graph.rows]
        ends = np.concatenate([self.graph.heads[live], self.graph.tails[live]])
        rows = np.concatenate([self.graph.rows[live]] * 2)
        pairs = np.unique(np.stack([ends, rows], axis=1), axis=0) if len(ends) else np.empty((0, 2), np.int64)
        return np.bincount(pairs[:, 0], minlength=len(self.graph)).astype(np.int64)


Rule = Callable[[Sites, int], Change | None]


def over_generalised(sites: Sites, position: int) -> Change | None:
    """The relation becomes a stronger or a vaguer one: who was nominated has won."""
    fact = Worded.of(sites.graph.fact(position))
    options = [
        words
        for text in shifts.over_generalised(fact.relation)
        if _new(sites, position, words := fact._replace(relation=text))
    ]
    return Change(sites.chosen(position, OVER_GENERALISED, options)) if options else None


def mis_bound(sites: Sites, position: int) -> Change | None:
    """The tail becomes another name of the same kind, from the same passage or the nearest that has one."""
    graph, fact = sites.graph, Worded.of(sites.graph.fact(position))
    wrong = sites.linked(int(graph.heads[position]))
    kind = _kind(graph, fact.tail, fact.tail_label, int(graph.tails[position]))
    for facts in sites.neighbours(position):
        options = {
            Worded(fact.head, fact.relation, name, fact.head_label, label)
            for name, label, entity in (end for other in facts for end in _ends(graph, other))
            if entity not in wrong and _kind(graph, name, label, entity) == kind and graph.find(name) == entity
        }
        if words := sorted(each for each in options if _new(sites, position, each)):
            return Change(sites.chosen(position, MIS_BOUND, words))
    return None


def semantic_flip(sites: Sites, position: int) -> Change | None:
    """A negation is lost, or the relation becomes its opposite, or head and tail change places."""
    fact = Worded.of(sites.graph.fact(position))
    for relation in (shifts.affirmed(fact.relation), shifts.opposite(fact.relation)):
        if relation and _new(sites, position, words := fact._replace(relation=relation)):
            return Change(words)
    words = Worded(fact.tail, fact.relation, fact.head, fact.tail_label, fact.head_label)
    turns = not shifts.symmetric(fact.relation) and _is_name(fact.tail, fact.tail_label)
    return Change(words) if turns and _new(sites, position, words) else None


def missing_bridge(sites: Sites, position: int) -> Change | None:
    """The fact is gone, where it joins two things that questions need or that other passages tell more about."""
    ends = {int(sites.graph.heads[position]), int(sites.graph.tails[position])}
    return Change(None) if ends <= sites.needed or all(map(sites.leads_on, ends)) else None


def dropped_qualifier(sites: Sites, position: int) -> Change | None:
    """A date, a place or an "of ..." is gone from the tail or the relation, or else the fact that is all about it."""
    graph, fact = sites.graph, Worded.of(sites.graph.fact(position))
    if shifts.is_date(fact.tail):
        shorter = shifts.less_precise(fact.tail)
        options = [fact._replace(tail=shorter)] if shorter else []
    else:
        options = [fact._replace(tail=tail) for tail in shifts.unqualified(fact.tail)]
        options += [fact._replace(relation=text) for text in shifts.relation_unqualified(fact.relation)]
    options = [words for words in options if _new(sites, position, words)]
    if options:
        return Change(sites.chosen(position, DROPPED_QUALIFIER, options))
    return Change(None) if fact.tail_label in _QUALIFYING and _restricts(graph, position) else None


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        OVER_GENERALISED: over_generalised,
        MIS_BOUND: mis_bound,
        SEMANTIC_FLIP: semantic_flip,
        MISSING_BRIDGE: missing_bridge,
        DROPPED_QUALIFIER: dropped_qualifier,
    }
)


def _restricts(graph: FactGraph, position: int) -> bool:
    """Whether the same sentence says more of the same doings of its head: this fact says when or where."""
    number, start, end = graph.place(position)
    said = _content(graph, position)
    return any(
        other != position
        and graph.heads[other] == graph.heads[position]
        and graph.spans[other].tolist() == [start, end]
        and said & _content(graph, other)
        for other in graph.facts_of(number).tolist()
    )


def _content(graph: FactGraph, position: int) -> frozenset[str]:
    """The words of a relation that are no prepositions and the like."""
    return frozenset(word for word in pieces(graph.relations[int(graph.relation_ids[position])]) if len(word) > _SHORT)


def _ends(graph: FactGraph, position: int) -> Iterator[tuple[str, str, int]]:
    fact: Fact = graph.fact(position)
    yield fact.head, fact.head_label, int(graph.heads[position])
    yield fact.tail, fact.tail_label, int(graph.tails[position])


def _kind(graph: FactGraph, name: str, label: str, entity: int) -> tuple[str, bool]:
    """What an end is, as far as labels and capitals tell: dates stand for dates, persons for persons."""
    label = label if label_group(label) else graph.labels[entity]
    group = label_group(label)
    return (label if group == "number" else group), _is_name(name, label)


def _is_name(text: str, label: str) -> bool:
    """Whether an end is a thing with a name of its own, neither a number nor a common word."""
    return label_group(label) != "number" and re.match(r"[^\W\d_]", text) is not None and not text[:1].islower()


def _new(sites: Sites, position: int, words: Worded) -> bool:
    """Whether something is said that the fact's passage does not say."""
    return normal(words.head) != normal(words.tail) and normal(words.tail) != "" and not sites.stated(position, words)


def _key(words: Worded) -> tuple[str, str, str]:
    return normal(words.head), " ".join(words.relation.casefold().split()), normal(words.tail)
