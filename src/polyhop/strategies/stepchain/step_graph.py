"""The graph of one question: it grows with the passages that are pulled in, and is walked (StepChain, 3.4 and 3.5)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from polyhop.english.numbers import counted
from polyhop.indexes.breadth_first import Bounds, BreadthFirstWalk, WalkedPath, breadth_first
from polyhop.indexes.folding import tokens
from polyhop.indexes.names import normal
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.facts.stated import Stated
from polyhop.layers.parsekg.graph import NEVER_HEADS
from polyhop.layers.view import View
from polyhop.models.accounting import estimated_tokens
from polyhop.ports import Embed, Floats, Ints, LanguageModel
from polyhop.reading.negation import negated, negated_relation
from polyhop.strategies.shared.phrases import phrase_vectors
from polyhop.strategies.shared.shown import shown_in
from polyhop.types import Chain, Fact, Passage

ENDS = 2  # chains kept that lead from one entity to another


class EvidenceChain(NamedTuple):
    """A chain with the passages that state its facts, in its order."""

    chain: Chain
    passages: tuple[int, ...]

    @property
    def end(self) -> str:
        """The entity that it leads to."""
        return self.chain.entities[-1]

    def ends_at(self, answer: str | None) -> bool:
        """Whether it leads to an answer."""
        return answer is not None and normal(answer) == normal(self.end)

    def tells(self, answer: str | None) -> bool:
        """Whether an answer is one of its entities, other than the first."""
        return answer is not None and normal(answer) in map(normal, self.chain.entities[1:])

    def denies(self, question: str) -> bool:
        """Whether one of its facts says that something is not so, and the question does not ask for that."""
        return not negated(question) and any(negated_relation(fact.relation) for fact in self.chain.facts)

    def referring(self, shown: Mapping[int, int]) -> str:
        """The chain, each fact with the number under which its passage is shown, where it is."""
        return self.chain.annotated([f"[{shown[one]}]" if one in shown else "" for one in self.passages])


class Chains(NamedTuple):
    """The chains that were kept of a walk, best first, and what the walk did, in words."""

    kept: tuple[EvidenceChain, ...]
    told: str


NOWHERE = Chains((), "no entity to begin with")


@dataclass(frozen=True, kw_only=True)
class GraphWalk:
    """How far a step's walk goes from the entities that its question speaks of, and what of it is kept."""

    seeds: int = 5  # k: entities that a walk begins from
    depth: int = 2  # h: facts of a chain, at most
    frontier: int = 64  # entities that a walk goes on from at a level, at most
    fan_out: int = 32  # facts that a walk follows from an entity, at most
    chains: int = 12  # kept of a walk, at most
    tokens: int = 600  # of the chains of a walk, at most

    def __post_init__(self) -> None:
        if min(self.seeds, self.depth, self.frontier, self.fan_out, self.chains) < 1 or self.tokens < 0:
            raise ValueError("seeds, depth, frontier, fan_out and chains are at least 1, tokens at least 0")


@dataclass(kw_only=True)
class StepGraph:
    """What a question knows as facts: those of the passages it pulled in and, where shared, what others pulled in."""

    over: View
    shared: bool
    support: float  # least textual support of a fact, 0 to 1
    settings: GraphWalk
    seeds_near: bool = True  # a walk begins from what its question names or its passages speak of; off: from any entity
    model: LanguageModel | None = None  # stands in for the configured one while facts are extracted
    graph: GrownGraph = field(default_factory=lambda: GrownGraph.of(()))
    extracted: int = 0
    weak: int = 0  # facts left out for want of textual support
    failed: dict[int, str] = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    _own: dict[int, Stated] = field(default_factory=dict)

    def pull(self, numbers: Iterable[int]) -> None:
        """Add the facts of passages, extracting them where nobody did so far; a failed passage is noted.

        Raises ModelMissing and EndpointError.
        """
        new = [number for number in dict.fromkeys(numbers) if number not in self._own]
        if not new:
            return
        pulled = self.over.growth.pull(new, model=self.model)
        self.extracted += pulled.extracted
        self.failed.update(pulled.failed)
        self.left.update(dict.fromkeys(pulled.left, pulled.note))
        there = [number for number in new if number in pulled.facts]
        for number, passage in zip(there, self.over.passages(there), strict=True):
            sound = [fact for fact in pulled.facts[number] if support_of(fact, passage) >= self.support]
            self.weak += len(pulled.facts[number]) - len(sound)
            self._own[number] = (number, passage, sound)
        parts = tuple(self._parts())
        if parts != self.graph.parts:
            self.graph = GrownGraph.of(parts)

    def _parts(self) -> list[FactGraph]:
        if not self.shared:
            return [self._graph_of(self._own.values())]
        gathered, recent = self.over.growth.shared()
        parts = [] if gathered is None else [gathered]
        if recent:
            parts.append(self.over.once("recent facts", _Recent).graph(recent, self.over.growth.vectors))
        known = {number for part in parts for number in self._own if len(part.facts_of(number))}
        own = [stated for number, stated in self._own.items() if number not in known]
        return [*parts, self._graph_of(own)] if own else parts

    def _graph_of(self, stated: Iterable[Stated]) -> FactGraph:
        return FactGraph.of(stated, self.over.growth.vectors)

    def named_by(self, number: int) -> list[str]:
        """The names that stand at the ends of a passage's facts, in their order, each once."""
        names: dict[str, None] = {}
        for ends in zip(*(side.tolist() for side in self.graph.ends(self.graph.facts_of(number))), strict=True):
            for end in ends:
                entity = self.graph.entity(end)
                if entity.label in NEVER_HEADS:  # "American" is no way to a film of that name
                    continue
                names.update(dict.fromkeys([entity.name, *entity.aliases[:1]]))
        return list(names)

    def walk(self, asked: str, near: Sequence[int]) -> Chains:
        """Breadth-first from the entities that a question names or that passages near it speak of (Eq. 7 to 9)."""
        seeds = self._seeds(asked, near)
        if not seeds:
            return NOWHERE
        vector = phrase_vectors([asked], self.over)[0]
        similarities = self.graph.similarities(vector)

        def worth(facts: Ints) -> Floats:
            return np.clip(similarities(facts), 0, 1) * np.clip(self.graph.confidences(facts), 0, 1)

        far = Bounds(depth=self.settings.depth, frontier=self.settings.frontier, fan_out=self.settings.fan_out)
        walked = breadth_first(seeds, self.graph, worth, far)
        kept, tokens, unsupported = self._kept(walked.paths)
        names = ", ".join(self.graph.entity(entity).name for entity, _ in seeds)
        return Chains(tuple(kept), f"from {names}: {_told(walked, len(kept), tokens, unsupported)}")

    def _seeds(self, asked: str, near: Sequence[int]) -> list[tuple[int, float]]:
        """The k entities nearest to a question: among those it names and those that passages near it speak of, or all.

        Of all of the graph's, as in the paper, vectors alone tell which.
        """
        graph = self.graph
        named = graph.named_in(asked, careful=False) if self.seeds_near else []
        there = near if self.seeds_near else [one for part in graph.parts for one in part.numbers[part.alive].tolist()]
        spoken = [graph.ends(graph.facts_of(number)) for number in there]
        entities = list(dict.fromkeys([*named, *(int(end) for sides in spoken for side in sides for end in side)]))
        if not entities:
            return []
        vectors = self.over.growth.vectors([graph.entity(entity).name for entity in entities])
        cosines = np.clip(vectors @ phrase_vectors([asked], self.over)[0], 0, 1).tolist()
        scores = {entity: 1.0 if entity in named else score for entity, score in zip(entities, cosines, strict=True)}
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: self.settings.seeds]

    def _kept(self, paths: Sequence[WalkedPath]) -> tuple[list[EvidenceChain], int, int]:
        """The best paths as chains, within the limits; how many tokens, and how many lacked support."""
        kept: list[EvidenceChain] = []
        ends: Counter[tuple[int, int]] = Counter()
        tokens = unsupported = 0
        passages: dict[int, Passage] = {}
        for path in paths:
            if len(kept) == self.settings.chains:
                break
            way = (path.entities[0], path.entities[-1])
            if ends[way] == ENDS:
                continue
            numbers = tuple(self.graph.place(fact)[0] for fact in path.facts)
            missing = [number for number in numbers if number not in passages]
            passages.update(zip(missing, self.over.passages(missing), strict=True))
            facts = [self.graph.fact(fact) for fact in path.facts]
            borne = zip(facts, numbers, strict=True)
            if any(support_of(fact, passages[number]) < self.support for fact, number in borne):
                unsupported += 1
                continue
            chain = Chain(
                entities=tuple(self.graph.entity(entity).name for entity in path.entities),
                facts=tuple(
                    shown_in(fact, passages[number], path.score) for fact, number in zip(facts, numbers, strict=True)
                ),
                forward=path.forward,
                score=path.score,
            )
            if tokens + (size := estimated_tokens(str(chain))) > self.settings.tokens:
                break
            ends[way] += 1
            tokens += size
            kept.append(EvidenceChain(chain, numbers))
        return kept, tokens, unsupported


def support_of(fact: Fact, passage: Passage) -> float:
    """How far a passage bears out a fact, 0 to 1 (3.5: the least support that an edge must have).

    It is the mean share of the fact's head, relation and tail whose words stand in its evidence.
    The words of the title support an end as well: "she" in the evidence is what the title names.
    """
    evidence = _words(passage.text[fact.start : fact.end])
    about = evidence | _words(passage.title)
    shares = (_share(fact.head, about), _share(fact.relation, evidence), _share(fact.tail, about))
    return sum(shares) / len(shares)


@lru_cache(maxsize=4096)  # facts of a passage share its title, sentences and names
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def _share(text: str, among: frozenset[str]) -> float:
    """How many of a text's words are among others; a text without words is borne out by anything."""
    words = _words(text)
    return len(words & among) / len(words) if words else 1.0


class _Recent:
    """The graph of what grew since the layer was gathered, made anew only when more has; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[Sequence[Stated], FactGraph] | None = None

    def graph(self, stated: Sequence[Stated], embed: Embed) -> FactGraph:
        """The graph of these passages; the same sequence gives the same graph."""
        with self._lock:
            if self._made is None or self._made[0] is not stated:
                self._made = stated, FactGraph.of(stated, embed)
            return self._made[1]


def _told(walked: BreadthFirstWalk, kept: int, tokens: int, unsupported: int) -> str:
    """What a walk did: nothing is cut in silence."""
    told = [f"{counted(walked.reached, 'entities')} reached, {kept} of {len(walked.paths) + walked.beyond} chains kept"]
    told.append(counted(tokens, "tokens"))
    counts = {"facts not followed": walked.cut, "entities not expanded": walked.dropped}
    counts |= {"chains not made longer": walked.stopped, "chains without support": unsupported}
    return ", ".join([*told, *(f"{count} {what}" for what, count in counts.items() if count)])
