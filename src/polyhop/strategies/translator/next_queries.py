"""Asking a question step by step: along its plan, or as a language model says where one is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from polyhop.english.numbers import counted
from polyhop.layers.view import View
from polyhop.models.accounting import estimated_tokens
from polyhop.models.within import NoCallsLeft, Within, before_reading
from polyhop.planning.filling import rewrite
from polyhop.plans import Plan
from polyhop.prompts.next_query import Search, next_query
from polyhop.reading.reader import Quote
from polyhop.reading.steps import glance
from polyhop.types import Budget, Cost, Passage

SHOWN = 2  # passages of a query that a model sees at least before it asks for more, and
ROOM = 1000  # tokens that all it sees of them may fill: five paragraphs, as in the paper, or two whole chunks
READ = 3  # passages of a step that its answer is looked for in


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query that was asked and the passages that it brought, best first."""

    query: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a query contributed to later ones, and the sentence that it was read in; none where it is a title."""

    text: str
    quote: Quote | None = None


@dataclass
class RuleSteps:
    """The steps of a plan; references to earlier answers are read from their passages at a glance."""

    plan: Plan
    over: View
    source: str  # who decides, for the trace
    cost: Cost = Cost()
    nothing_missing: bool = False  # rules cannot say so
    answers: dict[int, Contribution] = field(default_factory=dict)

    def next(self, done: Sequence[AskedQuery]) -> str | None:
        """The next step of the plan, with earlier answers written in."""
        if len(done) >= len(self.plan.steps):
            return None
        step = self.plan.steps[len(done)]
        for position in step.refers_to:
            if position not in self.answers:
                self.answers[position] = self._answer(done[position])
        known = [self.answers[position].text if position in self.answers else "" for position in range(len(done))]
        return rewrite(step, known)

    def found(self, position: int) -> Contribution | None:
        """The answer that was written into a later step."""
        return self.answers.get(position)

    def thought(self, position: int) -> str | None:
        """Rules think nothing that the plan does not say."""
        return None

    def _answer(self, step: AskedQuery) -> Contribution:
        """The likeliest answer of the best passages; where they seem to have none, what the best one is about."""
        for candidate in glance(step.query, step.passages[:READ], self.over.models):
            return Contribution(candidate.text, candidate.quote)
        return Contribution(next((passage.title for passage in step.passages), ""))


@dataclass
class ModelSteps:
    """What a language model asks for, until it says that the evidence suffices (appendix M, third prompt).

    Without one, the question alone.
    """

    question: str
    model: Within | None
    limit: int
    source: str
    plan: Plan | None = None  # what to ask is decided from step to step
    nothing_missing: bool = False  # whether all was asked for that the model has missed
    thoughts: list[str] = field(default_factory=list)  # behind each query, the first of them the question

    @property
    def cost(self) -> Cost:
        """What deciding has cost so far."""
        return Cost() if self.model is None else self.model.spent

    def next(self, done: Sequence[AskedQuery]) -> str | None:
        """The question itself first, then what the model misses."""
        if not done:
            return self.question
        if self.model is None:
            return None
        if len(done) >= self.limit:
            self.thoughts.append(f"no more than {counted(self.limit, 'queries')} may be asked")
            self.nothing_missing = True
            return None
        try:
            decided = next_query(self.model, self.question, _searches(done))
        except NoCallsLeft:
            self.thoughts.append("no call of the language model is left to ask on")
            return None
        self.thoughts.append(decided.thought)
        self.nothing_missing = decided.nothing_missing
        return decided.query

    def found(self, position: int) -> Contribution | None:
        """A model keeps what it found to itself."""
        return None

    def thought(self, position: int) -> str | None:
        """What the model thought once it had read what a query brought, or why it was not asked."""
        return self.thoughts[position] if position < len(self.thoughts) else None


def _searches(done: Sequence[AskedQuery]) -> list[Search]:
    """Each query with what is shown of it: the best of its passages that none before it has shown."""
    searches, shown = list[Search](), set[str]()
    for step in done:
        fresh = [passage for passage in step.passages if passage.id not in shown]
        filled = accumulate(estimated_tokens(passage.text) for passage in fresh)
        fresh = fresh[: max(SHOWN, sum(tokens <= ROOM for tokens in filled))]
        shown |= {passage.id for passage in fresh}
        searches.append((step.query, fresh))
    return searches


Steps = RuleSteps | ModelSteps  # what to ask next, given what was asked and found so far


def steps_for(question: str, over: View, budget: Budget, limit: int) -> Steps:
    """Who decides what to ask: the configured language model, or the rules."""
    model = before_reading(over.models.language_model, budget) if limit > 1 else None
    if model is not None:
        return ModelSteps(question, model, limit, f"language model {model.name}")
    plan = over.plan(question) if limit > 1 else None
    if plan is None or len(plan.steps) > limit:
        return ModelSteps(question, None, 1, "nobody: one hop")
    return RuleSteps(plan, over, source=f"{plan.source} ({plan.shape})")
