"""Chains as a language model is shown them: what says again what another one says is left out."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.english.words import ARTICLES, AUXILIARIES, BE
from polyhop.indexes.folding import family, tokens
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.types import Triple

_SAY_NOTHING = ARTICLES | AUXILIARIES | BE  # "was born in" says no more than "born in"
_Said = tuple[tuple[str, ...], tuple[str, ...], frozenset[str], frozenset[str]]


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


def _words(said: Sequence[_Said]) -> int:
    return sum(len(words) for fact in said for words in fact[1:])


def _within(fact: _Said, other: _Said) -> bool:
    """Whether a fact says nothing that another one does not say."""
    if fact[1] != other[1]:
        return False
    same = fact[2:] == other[2:]
    return same or (fact[0] == other[0] and fact[2] <= other[2] | other[3] and fact[3] <= other[3] | other[2])


def _said(fact: Triple) -> _Said:
    """Its sentence, the words of its head, those of its relation by their families, and those of its tail."""
    sentence = (fact.passage_id, str(fact.span.start), str(fact.span.end))
    relation = frozenset(family(word) for word in tokens(fact.relation) if word not in _SAY_NOTHING)
    return sentence, tuple(tokens(fact.head)), relation, frozenset(tokens(fact.tail))
