"""Two-hop chains drawn from a fact graph and asked for: how well its own facts are found again, hop by hop.

No gold questions are needed, so that anybody can run it on an index of their own. The measures are those of C2RAG's
section 4.3: what is resolved, what is right, and how much evidence does not support its hop.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from polyhop.evaluation.bindings import matches
from polyhop.evaluation.robustness.symptoms import HUB
from polyhop.indexes.folding import pieces
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import label_group
from polyhop.layers.facts.overlay import place_of
from polyhop.layers.view import View
from polyhop.plans import Constant, Constraint, Placeholder, Plan, plan_of_constraints
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget

HOPS: Final = 2
DIGITS: Final = 4
# A relation of these words alone, such as "is in", is no question that anybody would ask.
_IDLE_WORDS: Final = "a also among and as at be been by during for from had has have in is of on the to was were with"
_IDLE: Final = frozenset(_IDLE_WORDS.split())
# Leading hops that are served by similarity alone (the paper's NoC2RAG settings), and what tables call them.
UNCHECKED: Final = ((0, "all hops checked"), (1, "hop 1 unchecked"), (-1, "no hop checked"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeLink:
    """One hop of a chain: where it leads, and which passages say so."""

    relation: str
    names: tuple[str, ...]  # every spelling of what it leads to
    passages: frozenset[int]  # numbers of those that state a fact of both ends


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeChain:
    """A -r1-> B -r2-> C: from two passages, with one right value a hop."""

    start: str
    links: tuple[ProbeLink, ProbeLink]

    @property
    def question(self) -> str:
        """The chain as a question."""
        first, second = self.links
        return f"{self.start} {first.relation} whom or what, and that {second.relation} whom or what?"

    @property
    def plan(self) -> Plan:
        """The chain as constraints, as a faultless planner would write them."""
        first, second = self.links
        middle, last = Placeholder("?b"), Placeholder("?c")
        hops = (
            Constraint(Constant(self.start), first.relation, (first.relation,), middle),
            Constraint(middle, second.relation, (second.relation,), last),
        )
        return plan_of_constraints(hops, "sampled")

    def __str__(self) -> str:
        first, second = self.links
        return f"{self.start} -({first.relation})-> {first.names[0]} -({second.relation})-> {second.names[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HopFigures:
    """One hop of all chains under one setting; every share is from 0 to 1."""

    hop: int  # 1 or 2
    chains: int
    resolved: float  # by the graph
    right: float  # the value found is the chain's
    confident_wrong: float  # resolved with another value
    passages: int  # of evidence, in all
    unsupported: float | None  # share of these that do not state the hop; None where there are none


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the chains fared under one setting."""

    setting: str
    unchecked: int  # leading hops served by similarity alone; -1: all
    hops: tuple[HopFigures, ...]
    seconds: float  # a chain, on average


def sample_chains(graph: FactGraph, most: int, seed: int = 0) -> tuple[ProbeChain, ...]:
    """At most so many chains, the same ones for the same seed and a lower number the first of them.

    The names at the start and in the middle are no hubs, numbers or common words; no two chains have the same start or
    the same middle. Each hop has one right value only, and no passage states both.
    """
    facts = [fact for fact in np.flatnonzero(graph.alive[graph.rows]).tolist() if _may_link(graph, fact)]
    found: list[ProbeChain] = []
    starts, middles = set[int](), set[int]()
    for fact in sorted(facts, key=lambda each: (_draw(graph, each, seed), each)):
        if len(found) == most:
            break
        start, middle = int(graph.heads[fact]), int(graph.tails[fact])
        if start in starts or middle in middles or not _leads_to_one(graph, fact):
            continue
        for onward in _onward(graph, fact, seed):
            found.append(_chain(graph, fact, onward))
            starts.add(start)
            middles.add(middle)
            break
    return tuple(found)


def ask_chains(over: View, chains: Sequence[ProbeChain], strategy: C2RAG, budget: Budget) -> tuple[Behaviour, ...]:
    """The chains asked under each setting of UNCHECKED; the rest is as the strategy is configured."""
    return tuple(_behaviour(over, chains, strategy, budget, *setting) for setting in UNCHECKED) if chains else ()


def _behaviour(
    over: View, chains: Sequence[ProbeChain], strategy: C2RAG, budget: Budget, unchecked: int, setting: str
) -> Behaviour:
    began = time.perf_counter()
    asked = [_blocks(over, chain, strategy, budget, unchecked) for chain in chains]
    seconds = (time.perf_counter() - began) / len(chains)
    hops = tuple(_figures(hop, chains, [blocks[hop] for blocks in asked]) for hop in range(HOPS))
    return Behaviour(setting=setting, unchecked=unchecked, hops=hops, seconds=round(seconds, DIGITS))


def _blocks(over: View, chain: ProbeChain, strategy: C2RAG, budget: Budget, unchecked: int) -> list[ConstraintBlock]:
    everywhere = replace(strategy.recovery, paragraphs=None)
    resolver = replace(strategy, unchecked=unchecked, recovery=everywhere).resolver(chain.question, over)
    return resolver.resolve(chain.plan, time.monotonic(), budget)


def _figures(hop: int, chains: Sequence[ProbeChain], blocks: Sequence[ConstraintBlock]) -> HopFigures:
    links = [chain.links[hop] for chain in chains]
    right = [
        block.found is not None and matches(block.found, link.names) for link, block in zip(links, blocks, strict=True)
    ]
    resolved = [block.status == "resolved" for block in blocks]
    evidence = [
        number in link.passages for link, block in zip(links, blocks, strict=True) for number, _ in block.passages
    ]
    return HopFigures(
        hop=hop + 1,
        chains=len(chains),
        resolved=_share(resolved),
        right=_share(right),
        confident_wrong=_share([sure and not good for sure, good in zip(resolved, right, strict=True)]),
        passages=len(evidence),
        unsupported=_share([not stated for stated in evidence]) if evidence else None,
    )


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), DIGITS)


def _may_link(graph: FactGraph, fact: int) -> bool:
    """Whether a fact leads from one name to another one that is no hub, by a relation that says something."""
    return _says_something(graph, fact) and all(
        _is_name(graph, int(end)) and _facts(graph, int(end)) <= HUB for end in (graph.heads[fact], graph.tails[fact])
    )


def _says_something(graph: FactGraph, fact: int) -> bool:
    return not _IDLE.issuperset(pieces(graph.relations[int(graph.relation_ids[fact])]))


def _is_name(graph: FactGraph, entity: int) -> bool:
    name = graph.aliases[entity].partition("\n")[0]
    return label_group(graph.labels[entity]) != "number" and name[:1].isalpha() and not name[:1].islower()


def _facts(graph: FactGraph, entity: int) -> int:
    return len(graph.around.of(entity))


def _leads_to_one(graph: FactGraph, fact: int) -> bool:
    """Whether no other fact of the same head and relation has another tail."""
    facts = graph.touching([int(graph.heads[fact])])
    same = (graph.heads[facts] == graph.heads[fact]) & (graph.relation_ids[facts] == graph.relation_ids[fact])
    return len(np.unique(graph.tails[facts[same]])) == 1


def _onward(graph: FactGraph, fact: int, seed: int) -> Iterator[int]:
    """Facts that lead on from the tail, from passages that do not state the fact."""
    start, middle = int(graph.heads[fact]), int(graph.tails[fact])
    known = _stating(graph, start, middle)
    facts = graph.touching([middle]).tolist()
    for onward in sorted(facts, key=lambda each: (_draw(graph, each, seed), each)):
        end = int(graph.tails[onward])
        leads = graph.heads[onward] == middle and end != start and _tells(graph, end) and _says_something(graph, onward)
        if leads and not _stating(graph, middle, end) & known and _leads_to_one(graph, onward):
            yield onward


def _tells(graph: FactGraph, entity: int) -> bool:
    """Whether an entity can be an answer: a name or a number, no common word."""
    return label_group(graph.labels[entity]) == "number" or _is_name(graph, entity)


def _stating(graph: FactGraph, one: int, other: int) -> frozenset[int]:
    """The passages with a fact between two entities, in either direction."""
    facts = graph.touching([one])
    joining = ((graph.heads[facts] == one) & (graph.tails[facts] == other)) | (
        (graph.tails[facts] == one) & (graph.heads[facts] == other)
    )
    return frozenset(graph.passages_of(facts[joining]))


def _chain(graph: FactGraph, fact: int, onward: int) -> ProbeChain:
    links = (_link(graph, fact), _link(graph, onward))
    return ProbeChain(start=graph.entity(int(graph.heads[fact])).name, links=links)


def _link(graph: FactGraph, fact: int) -> ProbeLink:
    head, tail = int(graph.heads[fact]), int(graph.tails[fact])
    return ProbeLink(
        relation=graph.fact(fact).relation,
        names=tuple(graph.aliases[tail].split("\n")),
        passages=_stating(graph, head, tail),
    )


def _draw(graph: FactGraph, fact: int, seed: int) -> bytes:
    return hashlib.blake2b(repr((seed, *place_of(graph, fact))).encode(), digest_size=8).digest()
