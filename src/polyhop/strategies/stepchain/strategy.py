"""StepChain: sub-questions answered one by one on a graph that grows from what they pull in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

from polyhop.english.numbers import counted
from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within, before_reading
from polyhop.plans import plan_of_questions
from polyhop.prompts.merge_answers import merge_answers, merged_offline, plainly_together
from polyhop.strategies.shared.leads import Leads
from polyhop.strategies.stepchain.community_context import background
from polyhop.strategies.stepchain.step_answers import StepReader
from polyhop.strategies.stepchain.step_calls import StepCalls
from polyhop.strategies.stepchain.step_evidence import aside, ranking
from polyhop.strategies.stepchain.step_graph import GraphWalk, StepGraph
from polyhop.strategies.stepchain.step_passages import StepPassages
from polyhop.strategies.stepchain.stepping import Stepping
from polyhop.types import Budget, Cost, Evidence

MERGE = 1  # calls that are kept for putting the answers together


@dataclass(frozen=True, kw_only=True)
class StepChain:
    """Take a question apart, grow a graph from the passages of each step, walk it, and show the chains walked."""

    scope: Literal["shared", "question"] = "shared"  # question: a graph of its own, so that no other question matters
    retrieved: int = 8  # r: passages that a sub-question retrieves, and whose facts the graph takes in
    support: float = 0.5  # least share of a fact's words that its evidence must have
    walk: GraphWalk = GraphWalk()
    step_tokens: int = 1200  # of chains and passages that a language model answers a step from, at most
    values: int = 3  # answers that are considered for a step where no language model gives one
    links: int = 6  # names that a passage links to, that are considered beside them
    named_bonus: float = 2.0  # logits added to a passage that a step names; 0: none is looked for by its title
    pruned: bool = True  # off: a model is given all that is retrieved, every chain and any guess; any entity is a seed
    retry: bool = True  # whether a step without an answer is asked again of text, and the question taken apart again
    further: int = 3  # calls beyond one a step that read steps again, or go another way, for a question at most
    together: bool = True  # whether one call answers several steps, or one of earlier answers; off: a call a step
    merge: Literal["always", "needed"] = "needed"  # needed: only where answers contradict, or there is background
    communities: int = 0  # summaries of what hangs together in the graph, at most, as background for the answer
    without: tuple[Literal["decomposition", "graph", "reasoning"], ...] = ()  # parts left out, to compare

    needs: ClassVar[tuple[str, ...]] = ("text",)
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "graph only": {"without": ("decomposition", "reasoning")},
            "decomposition only": {"without": ("graph",)},
            "graph + decomposition": {"without": ("reasoning",)},
            "graph + reasoning": {"without": ("decomposition",)},
            "depth 3": {"walk.depth": 3},
            "with communities": {"communities": 3},
            "w/o second try": {"retry": False},
            "own graph": {"scope": "question"},
            "a call for each step, and a merge (the paper's)": {"together": False, "merge": "always"},
        }
    )

    def __post_init__(self) -> None:
        least_none = (self.links, self.communities, self.step_tokens, self.further)
        if min(self.retrieved, self.values) < 1 or min(least_none) < 0:
            raise ValueError(
                "retrieved and values are at least 1, links, communities, step_tokens and further at least 0"
            )
        if not 0 <= self.support <= 1:
            raise ValueError("support is 0 to 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages on the way to each step's answer first, and a hop a step with the chains that were walked."""
        began = time.monotonic()
        whole = before_reading(over.models.language_model, budget)
        whole_question = "decomposition" in self.without
        plan = plan_of_questions([question], "nobody") if whole_question else over.plan(question, whole, prefer="steps")
        stepping = self._stepping(question, over, budget, whole)
        stepping.told.append(
            f"taken apart by {plan.source} ({plan.shape}): {' | '.join(step.question for step in plan.steps)}"
        )
        plan = stepping.take(plan, began, budget)
        order = ranking(stepping, plan)
        passages = over.ranked(list(order), list(order.values()), budget.passages)
        shown = list(order)[: len(passages)]
        unlikely = aside(stepping, shown) if self.pruned else []
        synthesis = self._merged(question, over, stepping, whole, shown)
        return Evidence(
            question=question,
            strategy="stepchain",
            passages=passages,
            hops=tuple(one.hop(over) for one in stepping.done),
            plan=plan,
            trail=(*stepping.told, *_grown(stepping.graph)),
            cost=whole.spent if whole is not None else Cost(),
            synthesis=synthesis,
            aside=tuple(passage.id for passage in over.passages(unlikely)),
        )

    def _stepping(self, question: str, over: View, budget: Budget, whole: Within | None) -> Stepping:
        graph = None
        if "graph" not in self.without:
            graph = StepGraph(
                over=over,
                shared=self.scope == "shared",
                support=self.support,
                settings=replace(self.walk, depth=1) if "reasoning" in self.without else self.walk,
                seeds_near=self.pruned,
            )
        links = 0 if graph is None else self.links
        leads = Leads(question=question, over=over, values=self.values, links=links)
        passages = StepPassages(
            over=over, leads=leads, retrieved=self.retrieved, named_bonus=self.named_bonus, pruned=self.pruned
        )
        told: list[str] = []
        calls = None
        if whole is not None:
            tokens = min(self.step_tokens, budget.tokens)
            reader = StepReader(
                model=whole.share(MERGE),
                over=over,
                question=question,
                tokens=tokens,
                most=budget.tokens,
                pruned=self.pruned,
            )
            calls = StepCalls(reader=reader, passages=passages, further=self.further, told=told)
        return Stepping(
            question=question,
            over=over,
            graph=graph,
            leads=leads,
            passages=passages,
            calls=calls,
            model=whole,
            retries=self.retry,
            together=self.together,
            told=told,
        )

    def _merged(self, question: str, over: View, stepping: Stepping, whole: Within | None, shown: Sequence[int]) -> str:
        """What the steps found and, where wanted, what surrounds them, put together (Eq. 10)."""
        answered = stepping.answered()
        summaries: list[str] = []
        if self.communities and stepping.graph is not None:
            writer = whole.share(MERGE) if whole is not None else None
            summaries, told = background(question, stepping.graph.graph, over, self.communities, writer)
            stepping.told.extend([told, *(f"background: {summary}" for summary in summaries)])
        if whole is None:
            return merged_offline(question, answered, summaries)
        if self.merge == "needed" and not summaries:
            plain = plainly_together(stepping.answered_beside(shown))
            if plain is not None:
                return plain
        try:
            return merge_answers(whole, question, answered, summaries)
        except NoCallsLeft:
            return merged_offline(question, answered, summaries)


def _grown(graph: StepGraph | None) -> list[str]:
    """How far the graph has grown for a question, and what it lacks."""
    if graph is None:
        return []
    counts = graph.graph.counts
    told = [f"graph: {counts['entities']} entities, {counts['facts']} facts; {graph.extracted} passages extracted now"]
    if graph.weak:
        told.append(f"{counted(graph.weak, 'facts')} left out for want of support in the text")
    failed = sorted(graph.failed)
    told += [
        f"passage {number} has no facts: {graph.failed[number]} ({named})"
        for number, named in zip(failed, _named(failed, graph.over), strict=True)
    ]
    if graph.left:
        why, titles = next(iter(graph.left.values())), ", ".join(_named(sorted(graph.left), graph.over))
        told.append(f"{len(graph.left)} passages were not extracted: {why} ({titles})")
    return told


def _named(numbers: Sequence[int], over: View) -> list[str]:
    """What passages are called, as nobody knows them by their numbers."""
    return [passage.title or passage.id for passage in over.passages(numbers)]
