"""Answering a question step by step: retrieve, grow the graph, walk it, answer, and go on from there (StepChain, 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from polyhop.english.answer_type import sought
from polyhop.indexes.names import normal
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.planning.filling import rewrite
from polyhop.plans import REFERENCE, Plan, Step, plan_of_questions
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.prompts.merge_answers import Answered
from polyhop.strategies.shared.fuse import fused
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.judge import may_tell
from polyhop.strategies.shared.leads import BORNE_OUT, Lead, Leads
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.independent_steps import asked_together
from polyhop.strategies.stepchain.step_calls import StepCalls
from polyhop.strategies.stepchain.step_graph import NOWHERE, Chains, StepGraph
from polyhop.strategies.stepchain.step_passages import FUSED, StepPassages
from polyhop.types import Budget

SOURCES = 3  # passages in which the answer to a step is looked for
STARTS = 2  # passages whose links are followed where a question was not taken apart
WORTH_A_HOP = 3.0  # logits by which one passage alone must beat the best two together to stand alone
AFTER = 1  # calls that extraction leaves for what comes after the steps


@dataclass(kw_only=True)
class Stepping:
    """Takes the steps of one question's plan; ``told`` says what was decided on the way."""

    question: str
    over: View
    graph: StepGraph | None  # None: text alone
    leads: Leads
    calls: StepCalls | None  # None: there is no language model, and answers are read where a step leads on
    model: Within | None  # what is left of it for the question
    passages: StepPassages
    retries: bool = True
    together: bool = True
    done: list[AskedStep] = field(default_factory=list)
    ahead: dict[int, AskedStep] = field(default_factory=dict)  # answered before their turn, by their places
    singles: dict[int, float] = field(default_factory=dict)  # passages judged alone
    others: dict[int, float] = field(default_factory=dict)  # passages that leads go to
    told: list[str] = field(default_factory=list)
    steps: int = 0  # of the plan that is followed
    whole: Lead | None = None  # where the whole question leads, where its steps lead to nothing sure

    def take(self, plan: Plan, began: float, budget: Budget) -> Plan:
        """Answer the steps in order. The plan that was followed, which another may have replaced half way.

        The first step is always asked, so that there is evidence even where no time was allowed. Another plan is made
        where steps are left that may wait for an answer in vain, or where the question was one step: a last step was
        looked up twice by then, and what the whole question leads to is found in any case.
        """
        if self.calls is not None:
            self.calls.planned = len(plan.steps)
        while len(self.done) < len(plan.steps) and (not self.done or in_time(began, budget)):
            self.steps = len(plan.steps)
            if self.calls is not None:
                self.calls.whole = self.steps == 1
            asked = self._next(plan)
            self.done.append(asked)
            self._tell(asked)
            more = self.steps == 1 or len(self.done) < self.steps
            if self.retries and asked.settled and not asked.carried and more:
                plan = self._taken_apart_again(plan) or plan
        self.done += [self.ahead.pop(place) for place in sorted(self.ahead)]
        if len(self.done) < len(plan.steps):
            self.told.append(f"{len(plan.steps) - len(self.done)} sub-questions were left: the time allowed was over")
        if self.done and self._wants_whole(plan) and in_time(began, budget):
            self._ask_whole(plan)
        return plan

    def _next(self, plan: Plan) -> AskedStep:
        """The next step as it was asked: before its turn, of earlier answers, or now."""
        asked = self.ahead.pop(len(self.done), None)
        if asked is None and self.calls is not None and self.together:
            step = plan.steps[len(self.done)]
            before = [self.done[reference] for reference in step.refers_to]
            asked = self.calls.combined(rewrite(step, self._answers(plan)), before, position=len(self.done))
        asked = asked or self._ask(plan)
        if self.calls is not None and self.retries:
            self.calls.read_again(asked, self._known())
        return asked

    def _tell(self, asked: AskedStep) -> None:
        """Tell whoever asked what a step came to, once that is settled."""
        if asked.settled and self.over.hops_told.wanted:
            self.over.hops_told.settle(asked.position, asked.hop(self.over))

    def _wants_whole(self, plan: Plan) -> bool:
        """Whether the whole question is to be asked of text: its steps lead to no answer, or to one that is doubted."""
        lacking = self.retries and any(one.settled and (one.doubted or not one.established) for one in self.done)
        if self.calls is not None:
            return lacking
        return lacking or len(plan.steps) == 1 or plan.shape == "intersection"

    def _ask(self, plan: Plan) -> AskedStep:
        """Ask the next step, and with it, where a language model answers, what else can be asked by now."""
        here, answered = len(self.done), {one.position for one in self._all() if one.carried}
        places = asked_together(plan, here, answered) if self.calls is not None and self.together else [here]
        looked_up = [self._looked_up(plan, place) for place in places if place not in self.ahead]  # asked in vain
        if self.calls is not None and len(looked_up) > 1:
            self.calls.read_together(looked_up, self._known())
        elif self.calls is not None and not looked_up[0].settled:
            self.calls.read(looked_up[0], self._known())
        self.ahead.update((one.position, one) for one in looked_up[1:] if one.settled)
        return looked_up[0]

    def _looked_up(self, plan: Plan, place: int) -> AskedStep:
        """A step of the plan with the passages and the chains that it may be answered from."""
        step = plan.steps[place]
        before = {one.position: one for one in self._all()}
        targets: dict[int, float] = {}
        way: tuple[int, ...] = ()
        for reference in step.refers_to:
            if not before[reference].settled:
                targets |= self._settled(before[reference], plan, step)
                self._tell(before[reference])
            way = (*way, *before[reference].way)
        question = rewrite(step, self._answers(plan))
        before_it = [before[reference] for reference in step.refers_to]
        frontier = before_it if self.calls is not None else []
        passages = self.passages.of(question, frontier, later=bool(step.refers_to))
        _keep_best(self.singles, passages)
        further = list(targets.items())
        ranked = dict(further[:1])
        for number, score in [*passages, *further[1:]]:
            ranked.setdefault(number, score)
        if passages and not targets:
            way = (*way, passages[0][0])
        asked = AskedStep(
            position=place,
            question=question,
            passages=list(ranked.items()),
            way=tuple(dict.fromkeys(way)),
            cited=tuple(dict.fromkeys(number for one in before_it for number in one.sources)),
            logit=passages[0][1] if passages else None,
            supposes=self._guesses(question, before_it),
        )
        self.told.append(f"asked: {question}")
        if self.calls is not None and not all(one.carried for one in before_it):
            asked.settled, asked.note = True, "not looked up: an earlier step that it needs is not answered"
            return asked
        chains = self._grown(asked)
        asked.chains = chains.kept
        if chains.told:
            self.told.append(f"  walked {chains.told}")
        self.told += [f"    {one.chain.score:.2f}  {one.chain}" for one in chains.kept]
        return asked

    def _all(self) -> list[AskedStep]:
        """The steps that were asked, also before their turn."""
        return [*self.done, *(self.ahead[place] for place in sorted(self.ahead))]

    def _answers(self, plan: Plan) -> list[str]:
        """By step, what stands for its answer in a later question: a description where the answer is not known.

        Its reference, where it was not asked yet.
        """
        written = [f"#{place}" for place in range(1, len(plan.steps) + 1)]
        for one in self._all():
            known = one.answer if one.carried else None
            written[one.position] = _described(plan.steps[one.position]) if known is None else known
        return written

    def _grown(self, asked: AskedStep) -> Chains:
        """The graph with the facts of a step's passages, walked for its question."""
        if self.graph is None:
            return Chains((), "")
        retrieved = dict(asked.passages[: self.passages.retrieved])
        near = may_tell(retrieved) if self.calls is not None and self.passages.pruned else list(retrieved)
        configured = self.over.models.language_model
        if self.model is not None:
            self.graph.model = self.model.share(self.steps - len(self.done) + AFTER)
        elif configured is not None:
            self.graph.model = Within(configured, 0)  # the reader's call is the only one: extraction has none either
        self.graph.pull(near)
        walked = self.graph.walk(asked.question, near)
        if walked != NOWHERE or not (others := self._reseeding(near)):
            return walked
        self.graph.pull(others)
        again = self.graph.walk(asked.question, others)
        return Chains(again.kept, f"{again.told} (seeded from {len(others)} more passages)")

    def _reseeding(self, near: Sequence[int]) -> list[int]:
        """The r passages nearest to the whole question, to begin a walk from where those of a step have no facts."""
        numbers = (number for number, _ in fused(self.question, self.over, FUSED) if number not in near)
        return list(islice(numbers, self.passages.retrieved))

    def _linked(self, number: int) -> Sequence[str]:
        """The names that facts join to a passage."""
        return self.graph.named_by(number) if self.graph is not None else ()

    # --- without a language model, or where it may not be asked any more ----------------------------------------------

    def _settled(self, asked: AskedStep, plan: Plan, step: Step) -> dict[int, float]:
        """Decide what a step found by where that leads; the passages that it may lead to, best first."""
        asked.settled = True
        sources = list(dict.fromkeys([*asked.way[-1:], *(number for number, _ in asked.passages[:SOURCES])]))

        def next_question(name: str) -> str:
            answers = self._answers(plan)
            answers[asked.position] = name
            return rewrite(step, answers)

        left = self._left(asked, plan)
        leads = self.leads.of(asked.question, sources, self._linked, next_question, asked.borne, left=left)
        if not leads:
            return {}
        best = leads[0]
        self._bind(asked, best)
        targets: dict[int, float] = {}
        for lead in leads:
            targets.setdefault(lead.target, lead.score)
        _keep_best(self.others, targets.items())
        kept = asked.way[: asked.way.index(best.source) + 1] if best.source in asked.way else (best.source,)
        self.told.append("  leads: " + "; ".join(f"{lead.name} {lead.score:+.1f}" for lead in leads[:5]))
        asked.way = tuple(dict.fromkeys((*kept, best.target)))
        return targets

    def _left(self, asked: AskedStep, plan: Plan) -> str:
        """What is left of the question: a step and those after it, as earlier steps were answered.

        All of it, as long as nothing was found that the step builds on. Passages that answer a later step do not speak
        of what the first ones asked for, so that by the whole question they seem to be about something else.
        """
        here = asked.position + 1
        if not plan.steps[asked.position].refers_to:
            return self.question
        answers = [*self._answers(plan)[:here], *map(_described, plan.steps[here:])]
        return " ".join([asked.question, *(rewrite(step, answers) for step in plan.steps[here:])])

    def _bind(self, asked: AskedStep, lead: Lead) -> None:
        asked.answer, asked.sources = lead.name, (lead.source,)
        asked.spans = () if lead.span is None else (lead.span,)
        asked.established, asked.lead = lead.score >= BORNE_OUT, lead
        asked.carried = True  # for want of anything surer: where it leads was judged by what is left of the question
        if not asked.established:
            asked.note = "a guess: no passage bears it out"

    def _ask_whole(self, plan: Plan) -> None:
        """Ask the whole question of text; the best passages lead on by themselves."""
        passages = self.done[0].passages if len(plan.steps) == 1 and self.done else self.passages.of(self.question)
        _keep_best(self.singles, passages)
        leads = self.leads.beyond([number for number, _ in passages[:STARTS]], self._linked)
        _keep_best(self.others, [(lead.target, lead.score) for lead in leads[:3]])
        if leads and leads[0].score >= passages[0][1] - WORTH_A_HOP:
            self.whole = leads[0]
        self.told.append("asked as a whole; leads: " + "; ".join(f"{one.name} {one.score:+.1f}" for one in leads[:5]))

    # --- with one -----------------------------------------------------------------------------------------------------

    def _known(self) -> list[EarlierStep]:
        """What later steps are told: answers, and guesses as guesses."""
        return [one.earlier() for one in self._all() if one.carried]

    def _taken_apart_again(self, plan: Plan) -> Plan | None:
        """The plan with other steps in place of those that are left; None where there is no other way."""
        tried = [one.earlier() for one in self._all()]
        steps = self.calls.other_steps(tried) if self.calls is not None else None
        if steps is None:
            return None
        for place in sorted(self.ahead):
            asked = self.ahead.pop(place)
            asked.position = len(self.done)
            self.done.append(asked)
            self._tell(asked)
        before = tuple(Step(question=one.question) for one in self.done)
        after = tuple(_shifted(step, len(before)) for step in plan_of_questions(steps, plan.source).steps)
        return Plan(shape="chain", steps=(*before, *after), source=plan.source)

    def _guesses(self, question: str, before: Sequence[AskedStep]) -> tuple[str, ...]:
        """The guesses that a question takes for answers: those it refers to, and those that another plan wrote in."""
        if self.calls is None:
            return ()
        named, whole = (f" {normal(text)} " for text in (question, self.question))
        guesses = [one for one in self._all() if one.supposed and one.answer]
        written = [one for one in guesses if (name := f" {normal(one.answer or '')} ") in named and name not in whole]
        return tuple(dict.fromkeys(one.answer for one in guesses if one.answer and (one in before or one in written)))

    def answered(self) -> list[Answered]:
        """What the steps found, for the merge (Eq. 10); nothing of those whose answers are left to the reader."""
        return [one.answered() for one in self.done if one.settled]

    def answered_beside(self, shown: Collection[int]) -> list[Answered]:
        """The same for a reader who sees these passages: quotations only from others."""
        seen = [set(one.sources) <= set(shown) for one in self.done if one.settled]
        return [
            replace(one, chains=(), quotes=() if there else one.quotes)
            for one, there in zip(self.answered(), seen, strict=True)
        ]


def _keep_best(known: dict[int, float], judged: Iterable[tuple[int, float]]) -> None:
    """Give passages the best score of all steps: what answers a later one was judged for an earlier one, too."""
    for number, score in judged:
        known[number] = max(score, known.get(number, score))


def _described(step: Step) -> str:
    """What stands for the answer to a step where it is not known."""
    return f"the {step.target or sought(step.question)}"


def _shifted(step: Step, by: int) -> Step:
    """A step whose references count from a later one."""
    text = REFERENCE.sub(lambda match: f"#{int(match[1]) + by}", step.question)
    return Step(question=text, refers_to=tuple(one + by for one in step.refers_to))
