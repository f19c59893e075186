"""Rounds of retrieval: searching for one query, and putting the rankings of several rounds together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from polyhop.indexes.by_turns import by_turns, each_once
from polyhop.layers.view import View
from polyhop.strategies.shared.fuse import fused, reranked
from polyhop.types import Passage

Ranking = tuple[tuple[int, float], ...]
Retriever = Literal["hybrid", "dense", "bm25"]
Merge = Literal["turns", "latest", "collected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A query and the passages that it brought."""

    query: str
    ranking: Ranking  # passage numbers with scores, best first
    passages: tuple[Passage, ...]  # the first of them, which are read


def retrieved(query: str, over: View, *, retriever: Retriever, depth: int, rerank: bool) -> Ranking:
    """The ``depth`` best passages for a query, scored by the retriever and, with ``rerank``, by the cross-encoder."""
    if retriever == "hybrid":
        ranking = fused(query, over, depth)[:depth]
    else:
        dense = retriever == "dense"
        found = over.text.vectors.search(over.vector(query), depth) if dense else over.text.lexical.search(query, depth)
        ranking = list(zip(found[0].tolist(), found[1].tolist(), strict=True))
    return tuple(reranked(query, ranking, over) if rerank else ranking)


def merged(rankings: Sequence[Ranking], how: Merge, retrieved: int) -> list[tuple[int, float]]:
    """One ranking of several, each passage once.

    ``turns``: round after round gives its best passage that none has given yet, again and again. Otherwise the
    ``retrieved`` best of each round come first, those of the ``latest`` round or those that were ``collected`` first
    at the front, and then, by turns, what the rounds found besides.
    """
    ordered = {"turns": [], "latest": [*reversed(rankings)], "collected": [*rankings]}[how]
    kept = each_once(chain.from_iterable(ranking[:retrieved] for ranking in ordered))
    return list(by_turns(rankings, kept).items())


def new_passages(rounds: Sequence[Round], position: int) -> tuple[Passage, ...]:
    """The passages that a round read and that no round before it did."""
    before = {passage.id for one in rounds[:position] for passage in one.passages}
    return tuple(passage for passage in rounds[position].passages if passage.id not in before)
