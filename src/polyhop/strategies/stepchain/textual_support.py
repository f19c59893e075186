"""How far the words of a passage bear out a fact (StepChain, 3.5: the least support that an edge must have)."""

from __future__ import annotations

from polyhop.indexes.folding import tokens
from polyhop.types import Fact, Passage


def support_of(fact: Fact, passage: Passage) -> float:
    """The mean share of a fact's head, relation and tail whose words stand in its evidence, 0 to 1.

    The words of the title support an end as well: "she" in the evidence is what the title names.
    """
    evidence = set(tokens(passage.text[fact.start : fact.end]))
    about = evidence.union(tokens(passage.title))
    shares = (_share(fact.head, about), _share(fact.relation, evidence), _share(fact.tail, about))
    return sum(shares) / len(shares)


def _share(text: str, among: set[str]) -> float:
    """How many of a text's words are among others; a text without words is borne out by anything."""
    words = set(tokens(text))
    return len(words & among) / len(words) if words else 1.0
