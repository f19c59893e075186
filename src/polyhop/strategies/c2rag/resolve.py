"""Resolving the constraints of a plan round by round: ground, check, bind or recover, propagate (C2RAG, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from polyhop.english.answer_type import AnswerType
from polyhop.layers.view import View
from polyhop.plans import Constraint, Plan
from polyhop.strategies.c2rag.bind import GroundedConstraint, bound_by, consistent
from polyhop.strategies.c2rag.ground import Bound, Grounding, Pattern, kind_of
from polyhop.strategies.c2rag.recover import Recovery, Value, own_passage, read_values, told_apart
from polyhop.strategies.c2rag.sufficiency import Check, Verdict, judged
from polyhop.strategies.shared.hops import in_time
from polyhop.strategies.shared.phrases import phrase_vectors
from polyhop.types import Budget, HopStatus

# Kinds of values that are told apart even where no other constraint asks about them: what passages are about.
TOLD_APART = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION, AnswerType.WORK, AnswerType.THING})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintBlock:
    """What became of one constraint: its status, its evidence, and what it bound (Eq. 16)."""

    pattern: Pattern
    status: HopStatus
    passages: tuple[tuple[int, float], ...] = ()  # number and score, best first
    grounded: GroundedConstraint | None = None  # None where it was left to text at once
    found: str | None = None  # the value of its open placeholder
    value: Value | None = None  # where in the text the value was read
    note: str = ""


@dataclass(kw_only=True)
class Resolver:
    """Resolves the plan of one question; ``bindings`` grows as it goes."""

    question: str
    over: View
    grounding: Grounding
    recovery: Recovery
    check: Check
    gamma: float | None
    threshold: float
    told_apart: int  # values read in text that are told apart by the passages they lead to; 0: none
    intersection: bool = True
    bind_from_text: bool = True
    propagate: bool = True  # off: a constraint between two placeholders is left to text
    unchecked: int = 0  # leading rounds served by similarity alone; -1: all
    among: Sequence[int] | None = None  # the question's own paragraphs, where text is searched in no others
    bindings: dict[str, Bound] = field(default_factory=dict)
    named: frozenset[int] = frozenset()  # entities that the question names
    leading: frozenset[str] = frozenset()  # placeholders that lead on to another constraint

    def resolve(self, plan: Plan, began: float, budget: Budget) -> list[ConstraintBlock]:
        """One block a constraint, in the order of the plan."""
        constants = [end.text for constraint in plan.constraints for end in constraint.constants]
        self.named = frozenset(entity for name in constants if (entity := self.over.facts.find(name)) is not None)
        uses = Counter(end.name for constraint in plan.constraints for end in constraint.placeholders)
        self.leading = frozenset(name for name, count in uses.items() if count > 1)
        blocks: dict[int, ConstraintBlock] = {}
        rounds = 0
        while in_time(began, budget) and (ready := self._ready(plan, blocks)):
            asked = {position: plan.constraints[position] for position in ready}
            blocks.update(self._round(asked, rounds, partial(in_time, began, budget)))
            rounds += 1
        for position, constraint in enumerate(plan.constraints):
            if position not in blocks:
                blocks[position] = self._left(constraint, in_time(began, budget))
        return [blocks[position] for position in range(len(plan.constraints))]

    def _ready(self, plan: Plan, done: Mapping[int, ConstraintBlock]) -> list[int]:
        """The constraints of which at most one end is open (Eq. 2 and 15)."""
        return [
            position
            for position, constraint in enumerate(plan.constraints)
            if position not in done and self._open_ends(constraint) <= (1 if constraint.constants else self.propagate)
        ]

    def _open_ends(self, constraint: Constraint) -> int:
        return sum(end.name not in self.bindings for end in constraint.placeholders)

    def _round(
        self, ready: Mapping[int, Constraint], number: int, allowed: Callable[[], bool]
    ) -> dict[int, ConstraintBlock]:
        patterns = {
            position: self.grounding.pattern(constraint, self.bindings, self.over, self.named)
            for position, constraint in ready.items()
        }
        phrases = [phrase for one in patterns.values() for phrase in (one.line, *one.constraint.variants)]
        phrase_vectors(phrases, self.over)  # all at once: side by side they take half the time
        grounded = [self._grounded(position, pattern, number) for position, pattern in patterns.items()]
        bound = bound_by(grounded, self.over.facts, intersection=self.intersection)
        if self.propagate:
            self.bindings.update(bound)
        blocks = {}
        for one in grounded:
            name = None if one.pattern.open is None else one.pattern.open.name
            if one.verdict.resolved:
                blocks[one.position] = self._resolved(consistent(one, bound[name]) if name and self.propagate else one)
            elif _compares(one.pattern.constraint) and name is None:
                note = "both ends are known: what remains is to compare them"
                blocks[one.position] = ConstraintBlock(pattern=one.pattern, status="resolved", note=note)
            elif allowed():
                blocks[one.position] = self._recovered(one.pattern, one)
            else:
                blocks[one.position] = replace(_late(one.pattern), grounded=one)
        return blocks

    def _grounded(self, position: int, pattern: Pattern, number: int) -> GroundedConstraint:
        if self.unchecked < 0 or number < self.unchecked:
            candidates = tuple(self.grounding.similar(pattern, self.over))
            verdict = Verdict(bool(candidates), tuple(1.0 for _ in candidates), 1.0, "unchecked")
        else:
            candidates = tuple(self.grounding.candidates(self.question, pattern, self.over))
            verdict = judged(
                candidates,
                self.check,
                gamma=self.gamma,
                threshold=self.threshold,
                reranked=self.grounding.reranked,
            )
        return GroundedConstraint(position=position, pattern=pattern, candidates=candidates, verdict=verdict)

    def _resolved(self, one: GroundedConstraint) -> ConstraintBlock:
        graph = self.over.facts
        passages = {graph.place(candidate.fact)[0]: candidate.score for candidate in reversed(one.candidates)}
        found = None
        if one.pattern.open is not None:
            found = graph.entity(one.candidates[0].value).name
        return ConstraintBlock(
            pattern=one.pattern,
            status="resolved",
            passages=tuple(sorted(passages.items(), key=lambda item: (-item[1], item[0]))),
            grounded=one,
            found=found,
        )

    def _recovered(self, pattern: Pattern, one: GroundedConstraint | None) -> ConstraintBlock:
        """The evidence of text; it binds the open placeholder where nothing else did and a value can be read."""
        passages = self.recovery.passages(self.question, pattern, self.over, among=self.among)
        value = None
        if self.bind_from_text and pattern.open is not None:
            values = read_values(pattern, [number for number, _ in passages], self.over)
            leads = pattern.open.name in self.leading
            told = values
            if leads or kind_of(pattern.open.type) in TOLD_APART:
                told = told_apart(self.question, values, self._suspected(one, passages), self.over, self.told_apart)
            value = next(iter(told if leads else values), None)
            if told and not leads:
                passages = self._with_own(passages, told[0])
            if value is not None and self.propagate:
                self.bindings.setdefault(pattern.open.name, Bound(values=(value.name,)))
        return ConstraintBlock(
            pattern=pattern,
            status="unresolved" if value is None else "recovered",
            passages=tuple(passages),
            grounded=one,
            found=None if value is None else value.name,
            value=value,
        )

    def _with_own(self, passages: list[tuple[int, float]], value: Value) -> list[tuple[int, float]]:
        """The passage about a value that no other constraint asks about comes after the one that leads to it."""
        own = own_passage(value.name, self.over)
        if own is None or not passages or own == passages[0][0] or not self._may_show(own):
            return passages
        rest = [item for item in passages[1:] if item[0] != own]
        return [passages[0], (own, passages[0][1]), *rest]

    def _may_show(self, number: int) -> bool:
        return self.among is None or number in self.among

    def _suspected(self, one: GroundedConstraint | None, passages: Sequence[tuple[int, float]]) -> list[Value]:
        """The values of facts that did not suffice to bind them, where a recovered passage states the fact."""
        graph, recovered = self.over.facts, {number for number, _ in passages}
        values = []
        for candidate in one.candidates if one is not None else ():
            number, start, end = graph.place(candidate.fact)
            name = graph.entity(candidate.value).name
            if number in recovered and name != name.lower():  # what leads on has a name of its own
                values.append(Value(name, self.over.passages([number])[0], start, end))
        return values

    def _left(self, constraint: Constraint, in_time: bool) -> ConstraintBlock:
        """A constraint that nothing can bind goes to text as it stands, unless time is up."""
        pattern = self.grounding.pattern(constraint, self.bindings, self.over, self.named)
        if not in_time:
            return _late(pattern)
        return self._recovered(pattern, None)


def _late(pattern: Pattern) -> ConstraintBlock:
    return ConstraintBlock(pattern=pattern, status="unresolved", note="the time allowed was over")


def _compares(constraint: Constraint) -> bool:
    return len(constraint.placeholders) == 2
