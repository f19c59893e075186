"""Auto: the cheapest way that suffices. One look at the nearest passages, and a graph where none of them answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from polyhop.documents.conversations.transcripts import transcript_in
from polyhop.errors import ModelMissing
from polyhop.indexes.by_turns import round_robin
from polyhop.layers.hops_told import HopsTold
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.plans import Plan
from polyhop.reading.pointing import Pointing, point
from polyhop.reading.several_answers import ranked_together
from polyhop.reading.supplied import still_open
from polyhop.strategies.baselines.hybrid import Hybrid
from polyhop.strategies.paths.strategy import Paths
from polyhop.strategies.qcg.strategy import QCG
from polyhop.strategies.shared.fuse import fused
from polyhop.strategies.shared.in_time import left_of
from polyhop.strategies.stepchain.strategy import StepChain
from polyhop.strategies.strategy import Strategy
from polyhop.types import Budget, Evidence, Hop, Passage

QUOTED: Final = 3  # passages that a reader quoted, before those of what it lacks
BY_STEPS: Final = 3  # passages that steps found, before those of the best path
SUFFICES: Final = "one passage suffices"  # how the trail begins where nothing else was looked for


@dataclass(frozen=True, kw_only=True)
class Auto:
    """Answer from the nearest passages where one answers; else along links, by questions, or step by step."""

    depth: int = 20  # passages taken from each ranking for the first look
    looked: int = 3  # of them, read by the span model
    sure: float = 0.6  # chance of an answer from which one passage suffices, where the plan has one step
    supplies: int = 6  # questions looked up because a language model that reads lacks them, at most

    needs: ClassVar[tuple[str, ...]] = ("text",)
    wants: ClassVar[tuple[str, ...]] = ("parsekg",)
    welcomes: ClassVar[tuple[str, ...]] = ("questions",)

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """What the strategy finds that the question, or a first look, calls for; the trail says which and why.

        Where a language model reads that, it is asked nothing before, and what it lacks is looked up.
        """
        model = over.models.language_model
        if model is None or not self.supplies:
            return self._found(question, over, budget)
        silent = replace(over, models=over.models.with_language_model(Within(model, 0)))
        found = self._found(question, silent, budget)
        return replace(found, supplied=(), synthesis="")  # a small model's guesses mislead a large one

    def supply(
        self, lacking: Sequence[str], evidence: Evidence, quoted: Sequence[Passage], over: View, budget: Budget
    ) -> Evidence | None:
        """What was quoted first and then, by turns, what is found for each question."""
        began = time.monotonic()
        before = evidence.supplied or ()
        asked = tuple(lacking)[: max(0, self.supplies - len(before))]
        if not asked:
            return None
        silent = replace(over, hops_told=HopsTold())  # its hops are not those of the answer
        found = [self.retrieve(question, silent, left_of(budget, began)).passages for question in asked]
        kept = max(0, min(QUOTED, budget.passages - len(found)))
        ranking = [*quoted[:kept], *round_robin(found), *evidence.passages]
        passages = ranked_together(ranking, budget.passages)
        if {one.id for one in passages} <= {one.id for one in evidence.passages}:
            return None
        return replace(
            evidence,
            passages=passages,
            supplied=(*before, *asked),
            hops=(*evidence.hops, *map(still_open, asked, found)),
            trail=(*evidence.trail, *(f"looked up, for the reader lacked it: {question}" for question in asked)),
            aside=(),
        )

    def _found(self, question: str, over: View, budget: Budget) -> Evidence:
        began = time.monotonic()
        plan = over.plan(question)
        near: Sequence[Passage] = ()
        strategy: Strategy
        if plan.is_whole or "questions" in over.layers:
            near = self._near(question, over, budget)
        if "questions" in over.layers and _are_conversations(near[: self.looked]):
            strategy, reason = QCG(), "what is nearest to the question was said in conversations"
        elif plan.is_whole:
            found = self._looked(question, near, over)
            if found.chance >= self.sure:
                return _single(plan, near, found)
            strategy = _following(plan, over)
            reason = f"no passage near the question answers it ({found.chance:.2f} of {self.sure:.2f})"
        else:
            strategy, reason = _following(plan, over), f"the plan has {len(plan.steps)} steps"
        known = [name for name in self.wants if name in over.layers]  # of the names by which it was planned
        evidence = strategy.retrieve(question, over.restricted([*strategy.needs, *known]), left_of(budget, began))
        trail = (f"{evidence.strategy}, because {reason}", *evidence.trail)
        evidence = replace(evidence, strategy="auto", trail=trail)
        return _beside_path(evidence, over, left_of(budget, began)) if isinstance(strategy, StepChain) else evidence

    def _near(self, question: str, over: View, budget: Budget) -> Sequence[Passage]:
        """The passages nearest by vector and by words and, where questions were generated, by these, by turns."""
        ranking = fused(question, over, max(self.depth, budget.passages))
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        near = over.ranked(numbers, scores, budget.passages)
        if "questions" not in over.layers:
            return near
        asked = QCG(answerable=None).retrieve(question, over.restricted(QCG.needs), budget).passages
        return ranked_together(round_robin([asked, near]), budget.passages)

    def _looked(self, question: str, passages: Sequence[Passage], over: View) -> Pointing:
        """What the first passages answer; nothing where the weights of the span model are not installed."""
        try:
            return point(question, passages[: self.looked], over.models)
        except ModelMissing:
            return Pointing(question=question)


def _single(plan: Plan, passages: Sequence[Passage], found: Pointing) -> Evidence:
    """The passages with the one that answers before the others and scored as the best of them, as the only hop."""
    best = found.answers[0]
    quote = best.quote or found.sentences[0].quote  # what stands in the question only has no sentence of its own
    one = replace(quote.passage, score=passages[0].score)
    said = (quote.span,)
    hop = Hop(
        question=found.question,
        status="resolved",
        found=best.text,
        passages=(one,),
        sentences=said,
        step=0,
        chance=best.chance,
    )
    ranked = (one, *(passage for passage in passages if passage.id != one.id))
    trail = (f"{SUFFICES}: {best.text!r} with a chance of {best.chance:.2f}",)
    return Evidence(question=found.question, strategy="auto", passages=ranked, hops=(hop,), plan=plan, trail=trail)


def _beside_path(evidence: Evidence, over: View, budget: Budget) -> Evidence:
    """What steps found and, behind the first of it, the best path of the whole question: steps may have gone astray."""
    if "parsekg" not in over.layers or budget.seconds == 0:
        return evidence
    view = replace(over.restricted(Paths.needs), hops_told=HopsTold())  # its hops are not those of the answer
    path = Paths().retrieve(evidence.question, view, budget)
    leading = [passage for hop in path.hops for passage in hop.passages]
    ranked = (*evidence.passages[:BY_STEPS], *leading, *evidence.passages[BY_STEPS:])
    passages = ranked_together(ranked, budget.passages)  # scored on several scales
    return replace(evidence, passages=passages, trail=(*evidence.trail, f"beside it, along links: {path.trail[0]}"))


def _following(plan: Plan, over: View) -> Strategy:
    """Steps that build on one another are taken one by one; what is compared, or hidden, is found along links."""
    if plan.shape == "chain":
        return StepChain(scope="question")
    return Paths() if "parsekg" in over.layers else Hybrid()


def _are_conversations(passages: Sequence[Passage]) -> bool:
    """Whether all are said by people: few names lead anywhere there, and what was said is found by what it answers."""
    return bool(passages) and all(transcript_in(passage) is not None for passage in passages)
