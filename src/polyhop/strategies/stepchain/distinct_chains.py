"""Chains as a language model is shown them: what says again what another one says is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyhop.english.words import ARTICLES, AUXILIARIES, BE
from polyhop.indexes.folding import family, tokens
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.types import Triple

_SAY_NOTHING = ARTICLES | AUXILIARIES | BE  # "was born in" says no more than "born in"


class _Said(NamedTuple):
    """What a fact says, word by word."""

    head: tuple[str, ...]
    relation: frozenset[str]  # by the families of its words
    tail: frozenset[str]
    words: frozenset[str]  # of relation and tail
    sentence: tuple[str, int, int]


def distinct(chains: Sequence[EvidenceChain]) -> list[EvidenceChain]:
    """The chains in their order, without those that state nothing that no other one states; of two alike one stays.

    A fact is stated again where its ends are the same and the relations differ in case, inflection and auxiliaries
    alone, or where one of the same sentence says of the same thing all that it says, and more. Shorter chains are heard
    first, and no scores, which differ by a hair from machine to machine.
    """
    said = [[_said(fact) for fact in chain.chain.facts] for chain in chains]
    stated: list[_Said] = []
    kept: set[int] = set()
    for place in sorted(
        range(len(chains)), key=lambda place: (len(said[place]), -_words(said[place]), str(chains[place].chain))
    ):
        new = [fact for fact in said[place] if not any(_within(fact, other) for other in stated)]
        stated += new
        kept |= {place} if new else set()
    return [chains[place] for place in sorted(kept)]


def longest(chains: Sequence[EvidenceChain]) -> list[EvidenceChain]:
    """The chains in their order, without those that others begin with: a longer one says it all."""
    begun = {facts[:length] for chain in chains for facts in [_facts(chain)] for length in range(1, len(facts))}
    return [chain for chain in chains if _facts(chain) not in begun]


def _facts(chain: EvidenceChain) -> tuple[tuple[str, ...], ...]:
    facts = zip(chain.chain.facts, chain.passages, strict=True)
    return tuple((fact.head, fact.relation, fact.tail, str(number)) for fact, number in facts)


def _words(said: Sequence[_Said]) -> int:
    return sum(len(fact.words) for fact in said)


def _within(fact: _Said, other: _Said) -> bool:
    """Whether a fact says nothing that another one does not say."""
    if fact.head != other.head:
        return False
    lesser = fact.sentence == other.sentence and fact.words <= other.words
    return lesser or (fact.relation, fact.tail) == (other.relation, other.tail)


def _said(fact: Triple) -> _Said:
    relation = [word for word in tokens(fact.relation) if word not in _SAY_NOTHING]
    tail = frozenset(tokens(fact.tail))
    return _Said(
        head=tuple(tokens(fact.head)),
        relation=frozenset(map(family, relation)),
        tail=tail,
        words=tail.union(relation) - _SAY_NOTHING,
        sentence=(fact.passage_id, fact.span.start, fact.span.end),
    )
