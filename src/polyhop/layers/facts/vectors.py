"""The vector of every fact as a whole, made when a strategy first needs it."""

from __future__ import annotations

from collections.abc import Iterator

from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.ports import Floats
from polyhop.store.phrase_store import PhraseStore


def fact_vectors(over: View) -> Floats:
    """Unit vectors of "head relation tail", float32 of shape (facts, dimensions), in the order of the graph's facts.

    Of passages that are gone they are those of the relations, which are there.
    """

    def made() -> Floats:
        return PhraseStore.open(over.record.folder, over.models.embedder).vectors(list(_lines(over.facts)))

    return over.once("fact vectors", made)


def _lines(graph: FactGraph) -> Iterator[str]:
    """Each fact as one line, with its ends as its passage spells them."""
    spellings = [graph.aliases[entity].split("\n") for entity in range(len(graph))]
    relations = [graph.relations[place] for place in range(len(graph.relations))]
    columns = (graph.alive[graph.rows], graph.heads, graph.relation_ids, graph.tails, *graph.spelled.T)
    for alive, head, relation, tail, at_head, at_tail in zip(*(column.tolist() for column in columns), strict=True):
        line = f"{spellings[head][at_head]} {relations[relation]} {spellings[tail][at_tail]}"
        yield line if alive else relations[relation]
