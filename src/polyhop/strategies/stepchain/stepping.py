"""Answering a question step by step: retrieve, grow the graph, walk it, answer, and go on from there (StepChain, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.plans import REFERENCE, Plan, Step, plan_of_questions, rewrite
from polyhop.prompts.merge_answers import Answered
from polyhop.strategies.shared.excerpt import excerpt
from polyhop.strategies.shared.fuse import fused
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.judge import best_first, may_tell
from polyhop.strategies.stepchain.asked_step import SURE, AskedStep
from polyhop.strategies.stepchain.leads import Lead, Leads
from polyhop.strategies.stepchain.step_answers import StepFinding, StepReader
from polyhop.strategies.stepchain.step_graph import NOWHERE, Chains, StepGraph
from polyhop.strategies.stepchain.step_hops import hop_of
from polyhop.types import Budget

JUDGED = 400  # characters of a passage that are judged alone
FUSED = 20  # taken from each ranking before they are fused
LATER = 0.5  # of the passages that a first step judges, how many a later one does: where it leads is known
NAMED = 4  # passages that a sub-question names, at most
PER_NAME = 2  # of one name
FRONTIER = 4  # passages that what earlier steps came to brings in, at most
CONDITIONS = 2  # chains of a step whose entities and relations are asked for
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
    reader: StepReader | None  # None: there is no language model, and answers are read where a step leads on
    model: Within | None  # what is left of it for the question
    retrieved: int
    named_bonus: float
    walks: bool = True
    retries: bool = True
    done: list[AskedStep] = field(default_factory=list)
    singles: dict[int, float] = field(default_factory=dict)  # passages judged alone
    others: dict[int, float] = field(default_factory=dict)  # passages that leads go to
    told: list[str] = field(default_factory=list)
    steps: int = 0  # of the plan that is followed
    whole: tuple[int, ...] = ()  # the passages that the whole question leads to, where its steps lead to nothing

    def take(self, plan: Plan, began: float, budget: Budget) -> Plan:
        """Answer the steps in order. The plan that was followed, which another may have replaced half way.

        The first step is always asked, so that there is evidence even where no time was allowed.
        """
        again = self.retries
        while len(self.done) < len(plan.steps) and (not self.done or in_time(began, budget)):
            self.steps = len(plan.steps)
            step = plan.steps[len(self.done)]
            asked = self._from_answers(plan, step) or self._ask(plan, step)
            self.done.append(asked)
            self._tell(asked)
            if self.reader is None or asked.established or not asked.settled or not again:
                continue
            again = False
            replaced = self._taken_apart_again(plan)
            plan = replaced or plan
        if len(self.done) < len(plan.steps):
            self.told.append(f"{len(plan.steps) - len(self.done)} sub-questions were left: the time allowed was over")
        if self.done and self._wants_whole(plan) and in_time(began, budget):
            self._ask_whole(plan)
        return plan

    def _tell(self, asked: AskedStep) -> None:
        """Tell whoever asked what a step came to, once that is settled."""
        if asked.settled and self.over.hops_told.wanted:
            self.over.hops_told.settle(asked.position, hop_of(asked, self.over))

    def _wants_whole(self, plan: Plan) -> bool:
        """Whether the whole question is to be asked of text: its steps do not lead to an answer."""
        lacking = self.retries and any(one.settled and not one.established for one in self.done)
        if self.reader is not None:
            return lacking
        return lacking or len(plan.steps) == 1 or plan.shape == "intersection"

    def _ask(self, plan: Plan, step: Step) -> AskedStep:
        targets: dict[int, float] = {}
        way: tuple[int, ...] = ()
        for reference in step.refers_to:
            before = self.done[reference]
            if not before.settled:
                targets |= self._settled(before, plan, step)
                self._tell(before)
            way = (*way, *before.way)
        question = rewrite(step, [self._written(one, plan) for one in self.done])
        before_it = [self.done[reference] for reference in step.refers_to]
        frontier = before_it if self.reader is not None else []
        passages = self._retrieved(question, frontier, later=bool(step.refers_to))
        for number, score in passages:
            self.singles.setdefault(number, score)
        further = list(targets.items())
        ranked = dict(further[:1])
        for number, score in [*passages, *further[1:]]:
            ranked.setdefault(number, score)
        if passages and not targets:
            way = (*way, passages[0][0])
        asked = AskedStep(
            position=len(self.done),
            question=question,
            passages=list(ranked.items()),
            way=tuple(dict.fromkeys(way)),
            logit=passages[0][1] if passages else None,
        )
        self.told.append(f"asked: {question}")
        if self.reader is not None and not all(one.carried for one in before_it):
            asked.settled, asked.note = True, "not looked up: an earlier step that it needs is not answered"
            return asked
        chains = self._grown(asked)
        asked.chains = chains.kept
        if chains.told:
            self.told.append(f"  walked {chains.told}")
        if self.reader is not None:
            self._read(asked, before_it)
        return asked

    def _written(self, asked: AskedStep, plan: Plan) -> str:
        """What stands for the answer of a step in a later question: a description where the answer is not known."""
        if asked.carried and asked.answer is not None:
            return asked.answer
        step = plan.steps[asked.position]
        if step.target:
            return f"the {step.target}"
        known = [one.answer if one.carried and one.answer is not None else "…" for one in self.done]
        return f"the answer to “{rewrite(step, known)}”"  # no description within a description

    def _retrieved(
        self, question: str, frontier: Sequence[AskedStep] = (), *, later: bool = False
    ) -> list[tuple[int, float]]:
        """The passages that say most about a sub-question, best first: dense and BM25 fused, and judged.

        What the steps before came to, their frontier, is asked for beside it (3.5), and judged with it. Without a
        language model it is already: each name that a step may have found is a lead.
        """
        titles = self.over.text.titles.named_in(question, careful=False)
        about = (number for _, numbers in titles for number in self.leads.nearest(numbers, PER_NAME))
        named = list(islice(about, NAMED))
        most = max(1, round(self.retrieved * LATER)) if later else self.retrieved
        near = [number for number, _ in fused(question, self.over, FUSED)[:most]]
        taken = {*named, *near}
        queries = dict.fromkeys(_frontier_query(question, one) for one in frontier)
        further = [
            [number for number, _ in fused(query, self.over, FUSED) if number not in taken][: FRONTIER // len(queries)]
            for query in queries
        ]
        numbers = list(dict.fromkeys([*named, *near, *(number for each in further for number in each)]))
        scores = self._judged(question, numbers).values()
        favoured = [score + self.named_bonus * (place < len(named)) for place, score in enumerate(scores)]
        return best_first(numbers, favoured)

    def _grown(self, asked: AskedStep) -> Chains:
        """The graph with the facts of a step's passages, walked for its question."""
        if self.graph is None:
            return Chains((), "")
        retrieved = dict(asked.passages[: self.retrieved])
        near = list(retrieved) if self.reader is None else may_tell(retrieved)
        configured = self.over.models.language_model
        if self.model is not None:
            self.graph.model = self.model.share(self.steps - len(self.done) + AFTER)
        elif configured is not None:
            self.graph.model = Within(configured, 0)  # the reader's call is the only one: extraction has none either
        self.graph.pull(near)
        if not self.walks:
            return Chains((), "")
        walked = self.graph.walk(asked.question, near)
        if walked != NOWHERE or not (others := self._reseeding(near)):
            return walked
        self.graph.pull(others)
        again = self.graph.walk(asked.question, others)
        return Chains(again.kept, f"{again.told} (seeded from {len(others)} more passages)")

    def _reseeding(self, near: Sequence[int]) -> list[int]:
        """The r passages nearest to the whole question, to begin a walk from where those of a step have no facts."""
        numbers = (number for number, _ in fused(self.question, self.over, FUSED) if number not in near)
        return list(islice(numbers, self.retrieved))

    def _linked(self, number: int) -> Sequence[str]:
        """The names that facts join to a passage."""
        return self.graph.named_by(number) if self.graph is not None else ()

    # --- without a language model, or where it may not be asked any more ----------------------------------------------

    def _settled(self, asked: AskedStep, plan: Plan, step: Step) -> dict[int, float]:
        """Decide what a step found by where that leads; the passages that it may lead to, best first."""
        asked.settled = True
        sources = list(dict.fromkeys([*asked.way[-1:], *(number for number, _ in asked.passages[:SOURCES])]))

        def next_question(name: str) -> str:
            answers = [name if one is asked else self._written(one, plan) for one in self.done]
            return rewrite(step, answers)

        leads = self.leads.of(asked.question, sources, self._linked, next_question, asked.borne)
        if not leads:
            return {}
        best = leads[0]
        self._bind(asked, best)
        targets: dict[int, float] = {}
        for lead in leads:
            targets.setdefault(lead.target, lead.score)
            self.others.setdefault(lead.target, lead.score)
        kept = asked.way[: asked.way.index(best.source) + 1] if best.source in asked.way else (best.source,)
        self.told.append("  leads: " + "; ".join(f"{lead.name} {lead.score:+.1f}" for lead in leads[:5]))
        asked.way = tuple(dict.fromkeys((*kept, best.target)))
        return targets

    def _bind(self, asked: AskedStep, lead: Lead) -> None:
        asked.answer, asked.sources = lead.name, (lead.source,)
        asked.spans = () if lead.span is None else (lead.span,)
        asked.established = lead.score > SURE
        asked.carried = True  # for want of anything surer: where it leads was judged for the whole question
        if not asked.established:
            asked.note = "a guess: no passage bears it out"

    def _ask_whole(self, plan: Plan) -> None:
        """Ask the whole question of text; the best passages lead on by themselves."""
        passages = self.done[0].passages if len(plan.steps) == 1 and self.done else self._retrieved(self.question)
        for number, score in passages:
            self.singles[number] = max(score, self.singles.get(number, score))
        leads = self.leads.beyond([number for number, _ in passages[:STARTS]], self._linked)
        for lead in leads[:3]:
            self.others[lead.target] = max(lead.score, self.others.get(lead.target, lead.score))
        if leads and leads[0].score >= passages[0][1] - WORTH_A_HOP:
            self.whole = (leads[0].source, leads[0].target)
        self.told.append("asked as a whole; leads: " + "; ".join(f"{one.name} {one.score:+.1f}" for one in leads[:5]))

    # --- with one -----------------------------------------------------------------------------------------------------

    def _from_answers(self, plan: Plan, step: Step) -> AskedStep | None:
        """A step that compares or combines what earlier ones found, with their quotations; None where it does more.

        No passage says which of two bridges is older where each has a page of its own.
        """
        before = [self.done[reference] for reference in step.refers_to]
        if self.reader is None or len(before) < 2 or not all(one.established for one in before):
            return None
        question = rewrite(step, [self._written(one, plan) for one in self.done])
        answer = self.reader.combined(question, [one.earlier() for one in before])
        if answer is None:
            return None
        self.told.append(f"answered from earlier answers: {question}")
        return AskedStep(
            position=len(self.done),
            question=question,
            passages=[],
            way=tuple(dict.fromkeys(number for one in before for number in one.way)),
            answer=answer,
            established=True,
            carried=True,
            sources=tuple(dict.fromkeys(number for one in before for number in one.sources)),
            spans=tuple(dict.fromkeys(span for one in before for span in one.spans)),
            quotes=tuple(dict.fromkeys(quote for one in before for quote in one.quotes)),
            settled=True,
        )

    def _read(self, asked: AskedStep, before: Sequence[AskedStep]) -> None:
        """Have the model answer a step from its chains and passages; from other text where that does not suffice."""
        if self.reader is None:
            return
        known = [one.earlier() for one in self.done if one.established]
        found = self.reader.answer(asked.question, asked.chains, self._worth_reading(asked, before), known)
        if found is None:
            self.told.append("  not asked: no calls to the language model are left")
            return
        _take_in(asked, found)
        if not found.established and self.retries:
            others = self._other_text(asked.question, found.shown)
            again = self.reader.answer(asked.question, (), others, known) if others else None
            if again is not None:
                self.told.append(f"  {asked.note}; asked again of other text")
            if again is not None and (again.established or asked.answer is None):
                _take_in(asked, again)

    def _worth_reading(self, asked: AskedStep, before: Sequence[AskedStep]) -> list[int]:
        """The passages that a model answers a step from: the first retrieved, then those of earlier answers and chains.

        What is clearly about something else is left out: it costs tokens, and which of such passages come first is
        chance. What the answers before it were quoted from stays, for it may have to be quoted again. A question that
        was not taken apart needs passages that by themselves say little of it: those that its chains lead to stay.
        """
        scores = dict(asked.passages)
        first = list(scores)
        cited = [number for one in before for number in one.sources]
        behind = [number for chain in asked.chains for number in chain.passages]
        scores |= self._judged(
            asked.question, [number for number in dict.fromkeys([*cited, *behind]) if number not in scores]
        )
        telling = {*may_tell(scores), *cited, *(behind if self.steps == 1 else ())}
        return [number for number in dict.fromkeys([*first[:SOURCES], *cited, *behind, *first]) if number in telling]

    def _other_text(self, question: str, shown: Sequence[int]) -> list[int]:
        """Further passages for a question, those that say most about it first, also what is clearly about other things.

        What is likely has been read by now, and a long passage may name the answer in passing.
        """
        numbers = [number for number, _ in fused(question, self.over, 2 * FUSED) if number not in shown]
        scores = self._judged(question, numbers)
        return [number for number, _ in best_first(list(scores), list(scores.values()))]

    def _judged(self, question: str, numbers: Sequence[int]) -> dict[int, float]:
        """The cross-encoder's logit for each passage, of its beginning and what the question speaks of."""
        texts = [excerpt(passage, question, JUDGED) for passage in self.over.passages(list(numbers))]
        scores = self.over.models.reranker.score(question, texts).tolist() if texts else []
        return dict(zip(numbers, scores, strict=True))

    def _taken_apart_again(self, plan: Plan) -> Plan | None:
        """Another way to the answer, beginning with what was found; None where the model knows none."""
        known = [(one.question, one.answer if one.established else None) for one in self.done]
        steps = self.reader.other_steps(known) if self.reader is not None else None
        if steps is None:
            return None
        self.told.append(f"taken apart again: {' | '.join(steps)}")
        before = tuple(Step(question=one.question) for one in self.done)
        after = tuple(_shifted(step, len(before)) for step in plan_of_questions(steps, plan.source).steps)
        return Plan(shape="chain", steps=(*before, *after), source=plan.source)

    def answered(self) -> list[Answered]:
        """What the steps found, for the merge (Eq. 10); nothing of those whose answers are left to the reader."""
        return [one.answered() for one in self.done if one.settled]


def _take_in(asked: AskedStep, found: StepFinding) -> None:
    """Take over what the model found. A guess is kept and told as one, and no later question takes it for an answer."""
    asked.answer, asked.note, asked.settled = found.text, found.note, True
    asked.established = asked.carried = found.established
    asked.sources, asked.spans, asked.quotes = found.sources, found.spans, found.quotes
    if found.sources:
        lead = asked.way[:-1] if asked.way[-1:] == tuple(number for number, _ in asked.passages[:1]) else asked.way
        asked.way = tuple(dict.fromkeys((*lead, *found.sources)))


def _frontier_query(question: str, before: AskedStep) -> str:
    """A question with what the step before it came to: its answer, and the entities and relations that tell it."""
    chains = [chain.chain for chain in before.telling() if chain.tells(before.answer)][:CONDITIONS]
    spoken = [before.answer or "", *(name for chain in chains for name in chain.entities)]
    spoken += [fact.relation for chain in chains for fact in chain.facts]
    return " ".join(dict.fromkeys([question, *filter(None, spoken)]))


def _shifted(step: Step, by: int) -> Step:
    """A step whose references count from a later one."""
    text = REFERENCE.sub(lambda match: f"#{int(match[1]) + by}", step.question)
    return Step(question=text, refers_to=tuple(one + by for one in step.refers_to))
