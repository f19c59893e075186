"""StepChain: sub-questions answered one by one on a graph that grows from what they pull in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from polyhop.indexes.breadth_first import Bounds
from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within, before_reading
from polyhop.plans import plan_of_questions
from polyhop.prompts.merge_answers import merge_answers, merged_offline
from polyhop.strategies.stepchain.community_context import background
from polyhop.strategies.stepchain.leads import Leads
from polyhop.strategies.stepchain.step_answers import StepReader
from polyhop.strategies.stepchain.step_evidence import aside, hops, ranking
from polyhop.strategies.stepchain.step_graph import StepGraph
from polyhop.strategies.stepchain.stepping import Stepping
from polyhop.types import Budget, Cost, Evidence

MERGE = 1  # calls that are kept for putting the answers together


@dataclass(frozen=True, kw_only=True)
class StepChain:
    """Take a question apart, grow a graph from the passages of each step, walk it, and show the chains walked."""

    scope: Literal["shared", "question"] = "shared"  # question: a graph of its own, so that no other question matters
    decompose: bool = True  # off: the question is its own only step
    graph: bool = True  # off: text alone
    reasoning: bool = True  # off: the graph says what passages are joined, but is not walked
    communities: bool = False  # on: summaries of what hangs together in the graph are background for the answer
    retrieved: int = 8  # r: passages that a sub-question retrieves, and whose facts the graph takes in
    seeds: int = 5  # k: entities that a walk begins from
    depth: int = 2  # h: facts of a chain, at most
    frontier: int = 64  # entities that a walk goes on from at a level, at most
    fan_out: int = 32  # facts that a walk follows from an entity, at most
    chains: int = 12  # kept of a walk, at most
    chain_tokens: int = 600  # of the chains of a walk, at most
    step_tokens: int = 1200  # of chains and passages that a language model answers a step from, at most
    support: float = 0.5  # least share of a fact's words that its evidence must have
    values: int = 3  # answers that are considered for a step where no language model gives one
    links: int = 6  # names that a passage links to, that are considered beside them
    retry: bool = True  # whether a step without an answer is asked again of text, and the question taken apart again
    named_bonus: float = 2.0  # logits added to a passage that a step names
    first_bonus: float = 1.5  # logits added to the likeliest of the answers considered
    chain_bonus: float = 1.0  # logits added to an answer that the best chain ends at, less for lesser chains
    unowned: float = 2.0  # logits taken from an answer that no passage is about
    summaries: int = 3  # of communities, at most

    needs: ClassVar[tuple[str, ...]] = ("text",)
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "graph only": {"decompose": False, "reasoning": False},
            "decomposition only": {"graph": False},
            "graph + decomposition": {"reasoning": False},
            "graph + reasoning": {"decompose": False},
            "depth 1": {"depth": 1},
            "depth 3": {"depth": 3},
            "with communities": {"communities": True},
            "w/o second try": {"retry": False},
            "own graph": {"scope": "question"},
        }
    )

    def __post_init__(self) -> None:
        if min(self.retrieved, self.seeds, self.depth, self.frontier, self.fan_out, self.chains, self.values) < 1:
            raise ValueError("retrieved, seeds, depth, frontier, fan_out, chains and values are at least 1")
        if min(self.links, self.summaries, self.chain_tokens, self.step_tokens) < 0:
            raise ValueError("links, summaries, chain_tokens and step_tokens are at least 0")
        if not 0 <= self.support <= 1:
            raise ValueError("support is 0 to 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages on the way to each step's answer first, and a hop a step with the chains that were walked."""
        began = time.monotonic()
        whole = before_reading(over.models.language_model, budget)
        plan = over.plan(question, whole, prefer="steps") if self.decompose else plan_of_questions([question], "nobody")
        stepping = self._stepping(question, over, budget, whole)
        stepping.told.append(
            f"taken apart by {plan.source} ({plan.shape}): {' | '.join(step.question for step in plan.steps)}"
        )
        plan = stepping.take(plan, began, budget)
        synthesis = self._merged(question, over, stepping, whole)
        order = ranking(stepping, plan)
        passages = over.ranked(list(order), list(order.values()), budget.passages)
        unlikely = aside(stepping, list(order)[: len(passages)])
        return Evidence(
            question=question,
            strategy="stepchain",
            passages=passages,
            hops=tuple(hops(stepping, over)),
            plan=plan,
            trail=(*stepping.told, *_grown(stepping.graph)),
            cost=whole.spent if whole is not None else Cost(),
            synthesis=synthesis,
            aside=tuple(passage.id for passage in over.passages(unlikely)),
        )

    def _stepping(self, question: str, over: View, budget: Budget, whole: Within | None) -> Stepping:
        graph = StepGraph(
            over=over,
            shared=self.scope == "shared",
            support=self.support,
            bounds=Bounds(depth=self.depth, frontier=self.frontier, fan_out=self.fan_out),
            seeds=self.seeds,
            chains=self.chains,
            tokens=self.chain_tokens,
        )
        reader = None
        if whole is not None:
            tokens = min(self.step_tokens, budget.tokens)
            reader = StepReader(model=whole.share(MERGE), over=over, question=question, tokens=tokens)
        return Stepping(
            question=question,
            over=over,
            graph=graph if self.graph else None,
            leads=Leads(
                question=question,
                over=over,
                values=self.values,
                links=self.links if self.graph else 0,
                first=self.first_bonus,
                chained=self.chain_bonus,
                unowned=self.unowned,
            ),
            reader=reader,
            model=whole,
            retrieved=self.retrieved,
            named_bonus=self.named_bonus,
            walks=self.reasoning,
            retries=self.retry,
        )

    def _merged(self, question: str, over: View, stepping: Stepping, whole: Within | None) -> str:
        """What the steps found and, where wanted, what surrounds them, put together (Eq. 10)."""
        answered = stepping.answered()
        summaries: list[str] = []
        if self.communities and stepping.graph is not None:
            writer = whole.share(MERGE) if whole is not None else None
            summaries, told = background(question, stepping.graph.graph, over, self.summaries, writer)
            stepping.told.extend([told, *(f"background: {summary}" for summary in summaries)])
        if whole is None:
            return merged_offline(question, answered, summaries)
        try:
            return merge_answers(whole, question, answered, summaries)[0]
        except NoCallsLeft:
            return merged_offline(question, answered, summaries)


def _grown(graph: StepGraph | None) -> list[str]:
    """How far the graph has grown for a question, and what it lacks."""
    if graph is None:
        return []
    counts = graph.graph.counts
    told = [f"graph: {counts['entities']} entities, {counts['facts']} facts; {graph.extracted} passages extracted now"]
    if graph.weak:
        told.append(f"{graph.weak} facts left out for want of support in the text")
    told += [f"passage {number} has no facts: {why}" for number, why in sorted(graph.failed.items())]
    if graph.left:
        told.append(f"{len(graph.left)} passages were not extracted: {next(iter(graph.left.values()))}")
    return told
