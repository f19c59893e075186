"""PageRank: a walk from the question's facts through entities and passages (HippoRAG 2), the graph baseline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from polyhop.english.numbers import counted
from polyhop.indexes.csr import Doubles
from polyhop.indexes.ranking import best
from polyhop.layers.facts.passage_graph import PassageGraph, passage_graph
from polyhop.layers.facts.vectors import fact_vectors
from polyhop.layers.view import View
from polyhop.ports import Floats
from polyhop.strategies.shared.shown import shown
from polyhop.types import Budget, Evidence, Hop, Passage

SHOWN = 5  # seeds that a line of the trace names


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A fact that is near to the question."""

    fact: int
    similarity: float  # cosine
    weight: float  # the similarity between the least (0) and the most similar fact (1)
    logit: float | None = None  # of the cross-encoder, if it has read the fact


@dataclass(frozen=True, kw_only=True)
class PageRank:
    """Rank passages by personalised PageRank from the facts nearest to the question, over entities and passages."""

    facts: int = 5  # facts nearest to the question
    filtered: bool = True  # whether the cross-encoder drops facts that do not help
    accepted: float = -2.0  # logit that a fact then needs
    entities: int = 5  # entities of the facts at which a walk begins
    passage_weight: float = 0.05  # of the passages at which it begins, by their similarity to the question
    damping: float = 0.5  # with what probability a walk goes on
    synonym: float = 0.8  # cosine from which entities' names count as synonyms
    synonyms: int = 5  # of an entity, its nearest

    needs: ClassVar[tuple[str, ...]] = ("text", "facts")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "w/o filter": {"filtered": False},
            "w/o synonyms": {"synonyms": 0},
            "w/o passages as seeds": {"passage_weight": 0.0},
        }
    )

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1:
            raise ValueError("damping is at least 0 and below 1")
        if min(self.facts, self.entities) < 1 or self.passage_weight < 0:
            raise ValueError("facts and entities are at least 1, passage_weight at least 0")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages where the walk is found most often; the nearest ones where no fact helps."""
        vector = over.vector(question)
        near = self._nearest(vector, over)
        read = self._read(question, near, over)
        kept = [fact for fact in read if fact.logit is None or fact.logit > self.accepted]
        trail = list(self._facts_trail(read, kept, over))
        if kept:
            passages, walked = self._walked(vector, kept, over, budget)
            trail += walked
        else:
            numbers, scores = over.text.vectors.search(vector, budget.passages)
            passages = over.ranked(numbers.tolist(), scores.tolist(), budget.passages)
            trail.append("no fact helps: passages by similarity alone")
        hop = _hop(question, kept, len(near), passages, over)
        return Evidence(question=question, strategy="pagerank", passages=passages, hops=(hop,), trail=tuple(trail))

    def _nearest(self, vector: Floats, over: View) -> list[Near]:
        """The live facts nearest to the question, best first, each triple once."""
        graph = over.facts
        live = np.flatnonzero(graph.alive[graph.rows])
        if not len(live):
            return []
        similarities = np.vecdot(fact_vectors(over), vector)[live]
        weights = _between(similarities)
        found: dict[tuple[int, int, int], Near] = {}
        deep = 2 * self.facts
        while len(found) < self.facts:
            for place in best(similarities, deep).tolist():
                fact = int(live[place])
                triple = (int(graph.heads[fact]), int(graph.relation_ids[fact]), int(graph.tails[fact]))
                similarity, weight = float(similarities[place]), float(weights[place])
                found.setdefault(triple, Near(fact=fact, similarity=similarity, weight=weight))
            if deep >= len(live):
                break
            deep *= 4
        return list(found.values())[: self.facts]

    def _read(self, question: str, near: Sequence[Near], over: View) -> list[Near]:
        """The facts with the cross-encoder's logits, where they are to be filtered."""
        if not self.filtered or not near:
            return list(near)
        facts = [over.facts.fact(one.fact) for one in near]
        texts = [f"{fact.head} {fact.relation} {fact.tail}" for fact in facts]
        logits = over.models.reranker.score(question, texts).tolist()
        return [replace(one, logit=float(logit)) for one, logit in zip(near, logits, strict=True)]

    def _walked(
        self, vector: Floats, kept: Sequence[Near], over: View, budget: Budget
    ) -> tuple[tuple[Passage, ...], list[str]]:
        """The best passages of the walk, and what the trace says of it."""
        graph = passage_graph(over, least=self.synonym, most=self.synonyms)
        seeds = self._seeds(kept, over, graph)
        similarity = _similarities(vector, graph, over)
        start = np.zeros(graph.walk.nodes)
        start[list(seeds)] = list(seeds.values())
        start[graph.entities :] = self.passage_weight * similarity
        scores, steps = graph.walk.personalised(start, damping=self.damping)
        reached = scores[graph.entities :]
        order = np.lexsort((graph.numbers, -similarity, -reached))[: budget.passages]
        nodes = f"{counted(graph.entities, 'entities')}, {counted(len(graph.numbers), 'passages')}"
        size = f"{nodes}, {counted(graph.walk.edges, 'edges')}"
        trail = [f"seeds: {_named(seeds, over, graph)}", f"walk: {counted(steps, 'steps')} over {size}"]
        return over.ranked(graph.numbers[order].tolist(), reached[order].tolist(), budget.passages), trail

    def _seeds(self, kept: Sequence[Near], over: View, graph: PassageGraph) -> dict[int, float]:
        """The entities of the best facts, each with its mean weight, divided by the number of its passages."""
        weights: defaultdict[int, list[float]] = defaultdict(list)
        for near in kept:
            for entity in dict.fromkeys((int(over.facts.heads[near.fact]), int(over.facts.tails[near.fact]))):
                weights[entity].append(near.weight)
        means = {entity: sum(own) / len(own) for entity, own in weights.items()}
        chosen = sorted(means, key=lambda entity: (-means[entity], over.facts.keys[entity]))[: self.entities]
        return {entity: means[entity] / int(graph.occurrences[entity]) for entity in chosen}

    def _facts_trail(self, read: Sequence[Near], kept: Sequence[Near], over: View) -> Iterator[str]:
        if not read:
            yield "there are no facts"
            return
        judge = f", {len(kept)} helpful to the cross-encoder ({over.models.reranker.name})" if self.filtered else ""
        yield f"{counted(len(read), 'facts')} near to the question{judge}"
        for near in read:
            fact = over.facts.fact(near.fact)
            logit = "" if near.logit is None else f", logit {near.logit:+.2f}"
            yield f"  {fact.head} -({fact.relation})-> {fact.tail}   similarity {near.similarity:.2f}{logit}"


def _between(scores: Floats) -> Doubles:
    """Scores moved to the range from 0 (the lowest) to 1 (the highest); 1 where all are the same."""
    low, high = float(scores.min()), float(scores.max())
    if high == low:
        return np.ones(len(scores))
    return (scores.astype(np.float64) - low) / (high - low)


def _similarities(vector: Floats, graph: PassageGraph, over: View) -> Doubles:
    """For each passage of the graph its similarity to the question, from 0 to 1; 0 for one without a vector."""
    similarity = np.zeros(len(graph.numbers))
    numbers = over.text.vectors.numbers
    if len(numbers):
        similarity[np.searchsorted(graph.numbers, numbers)] = _between(over.text.vectors.scores(vector))
    return similarity


def _named(seeds: Mapping[int, float], over: View, graph: PassageGraph) -> str:
    strongest = sorted(seeds.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    return ", ".join(
        f"{over.facts.entity(entity).name} ({weight:.3f}, in {counted(int(graph.occurrences[entity]), 'passages')})"
        for entity, weight in strongest
    )


def _hop(question: str, kept: Sequence[Near], found: int, passages: Sequence[Passage], over: View) -> Hop:
    """The question as the one hop that there is, with the facts at which the walk began."""
    scores = [near.similarity if near.logit is None else near.logit for near in kept]
    facts = tuple(shown(near.fact, score, over) for near, score in zip(kept, scores, strict=True))
    stating = over.passages(over.facts.passages_of(np.array([near.fact for near in kept], np.int64)))
    by_id = {passage.id: passage for passage in [*passages, *stating]}
    return Hop(
        question=question,
        status="resolved" if kept else "unresolved",
        passages=tuple(by_id.values()),
        sentences=tuple(dict.fromkeys(fact.span for fact in facts)),
        facts=facts,
        score=passages[0].score if passages else None,
        note=f"{len(kept)} of {found} facts help" if found else "there are no facts",
    )
