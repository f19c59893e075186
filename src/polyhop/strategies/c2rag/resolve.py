"""Resolving the constraints of a plan round by round: ground, check, bind or recover, propagate (C2RAG, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from polyhop.indexes.names import normal
from polyhop.layers.view import View
from polyhop.plans import Constraint, Plan
from polyhop.strategies.c2rag.bind import GroundedConstraint, bound_by, consistent
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.constraint_blocks import hop_of
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.pattern import Bound, Pattern
from polyhop.strategies.c2rag.read_text import TextReading
from polyhop.strategies.c2rag.sufficiency import Check, Verdict, judged
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.phrases import phrase_vectors
from polyhop.types import Budget


@dataclass(kw_only=True)
class Resolver:
    """Resolves the plan of one question; what it knows grows as it goes.

    The graph is asked as long as it settles anything: what a text says binds a placeholder only where no constraint on
    it can be settled by the graph.
    """

    question: str
    over: View
    grounding: Grounding
    text: TextReading
    check: Check
    gamma: float | None
    threshold: float
    intersection: bool = True
    unchecked: int = 0  # leading rounds served by similarity alone; -1: all
    bindings: dict[str, Bound] = field(default_factory=dict)
    settled: dict[int, GroundedConstraint] = field(default_factory=dict)  # by their place in the plan, by the graph
    waiting: dict[int, GroundedConstraint] = field(default_factory=dict)  # what the graph has does not suffice
    read: dict[int, ConstraintBlock] = field(default_factory=dict)  # from text
    told: set[int] = field(default_factory=set)  # places of constraints of which whoever asked was told
    named: frozenset[int] = frozenset()  # entities that the question names
    leading: frozenset[str] = frozenset()  # placeholders that lead on to another constraint
    sole: bool = False  # whether there is one constraint: what it asks is the question, which has a reader of its own

    def resolve(self, plan: Plan, began: float, budget: Budget) -> list[ConstraintBlock]:
        """One block a constraint, in the order of the plan."""
        constants = [end.text for constraint in plan.constraints for end in constraint.constants]
        self.named = frozenset(entity for name in constants if (entity := self.over.facts.find(name)) is not None)
        uses = Counter(end.name for constraint in plan.constraints for end in constraint.placeholders)
        self.leading = frozenset(name for name, count in uses.items() if count > 1)
        self.sole = len(plan.constraints) == 1
        allowed = partial(in_time, began, budget)
        rounds = 0
        while allowed():
            ready = self._ready(plan)
            if ready:
                self._ground(plan, ready, rounds)
                rounds += 1
            elif self.waiting:
                self._recover(allowed)
            else:
                break
            self._tell(plan)
        return [self._block(place, constraint, allowed) for place, constraint in enumerate(plan.constraints)]

    def _tell(self, plan: Plan) -> None:
        """Tell whoever asked what is settled; later rounds may narrow it down."""
        if not self.over.hops_told.wanted:
            return
        blocks = {place: self._from_graph(one) for place, one in self.settled.items()} | self.read
        for place, block in sorted(blocks.items()):
            if place not in self.told:
                self.told.add(place)
                self.over.hops_told.settle(place, hop_of(block, plan.step_of_constraint[place], self.over))

    def _ready(self, plan: Plan) -> list[int]:
        """The constraints to ground next: with at most one open end, and fewer than when last tried (Eq. 2 and 15).

        What narrows down values that are there already comes before what goes on from them.
        """
        open_ends = {
            place: self._open_ends(constraint)
            for place, constraint in enumerate(plan.constraints)
            if place not in self.settled and place not in self.read
        }
        ready = [
            place
            for place, count in open_ends.items()
            if count <= 1 and (place not in self.waiting or count < self.waiting[place].open_ends)
        ]
        told = [place for place in ready if not self._speaks_of_unknown(plan.constraints[place])]
        if not told and self.waiting:
            return []  # what texts say first may be what these questions speak of
        ready = told or ready
        return [place for place in ready if open_ends[place] == 0] or ready

    def _speaks_of_unknown(self, constraint: Constraint) -> bool:
        """Whether the question of a constraint speaks of a placeholder, not one of its ends, that is not bound."""
        return any(name not in self.bindings for name in constraint.also)

    def _open_ends(self, constraint: Constraint) -> int:
        return sum(end.name not in self.bindings for end in constraint.placeholders)

    def _ground(self, plan: Plan, ready: Sequence[int], rounds: int) -> None:
        """Ask the graph about the constraints, and bind what it settles (Eq. 3 to 9, 13 and 14)."""
        patterns = {place: self._pattern(plan.constraints[place]) for place in ready}
        phrases = [phrase for one in patterns.values() for phrase in (one.line, *one.constraint.variants)]
        phrase_vectors(phrases, self.over)  # all at once: side by side they take half the time
        for place, pattern in patterns.items():
            one = self._grounded(place, pattern, rounds)
            self.waiting.pop(place, None)
            (self.settled if one.verdict.resolved else self.waiting)[place] = one
        self.bindings |= bound_by(list(self.settled.values()), self.over.facts, intersection=self.intersection)

    def _pattern(self, constraint: Constraint, *, narrowing: bool = True) -> Pattern:
        pattern = self.grounding.pattern(constraint, self.bindings, self.over, self.named, narrowing=narrowing)
        own = self.text.among
        return pattern if own is None else replace(pattern, passages=frozenset(own))

    def _grounded(self, place: int, pattern: Pattern, rounds: int) -> GroundedConstraint:
        if self.unchecked < 0 or rounds < self.unchecked:
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
                rated=self.over.facts.rated,
            )
        open_ends = self._open_ends(pattern.constraint)
        return GroundedConstraint.of(place, pattern, candidates, verdict, open_ends=open_ends)

    def _recover(self, allowed: Callable[[], bool]) -> None:
        """Read texts for the constraints that wait, and bind what is read (Eq. 11 and 12).

        Of several on one placeholder, what all of them allow counts, else what the first one says.
        """
        blocks = {}
        for place, one in sorted(self.waiting.items()):
            if not allowed():
                return
            blocks[place] = self._from_text(one.pattern, one)
        self.read |= blocks
        self.waiting.clear()
        for name in dict.fromkeys(block.pattern.open.name for block in blocks.values() if block.pattern.open):
            if name not in self.bindings and (value := _agreed(block for block in blocks.values() if block.asks(name))):
                self.bindings[name] = Bound(values=(value,))

    def _from_text(self, pattern: Pattern, one: GroundedConstraint | None) -> ConstraintBlock:
        if pattern.known:  # text is searched for what is likeliest at both ends
            pattern = self._pattern(pattern.constraint, narrowing=False)
        name = "" if pattern.open is None else pattern.open.name
        reads = name not in self.bindings and not (self.sole and self.text.model is not None)
        return self.text.block(pattern, one, leads=name in self.leading, reads=reads)

    def _block(self, place: int, constraint: Constraint, allowed: Callable[[], bool]) -> ConstraintBlock:
        """What has become of a constraint; what nothing can bind goes to text as it stands, unless time is up."""
        if place in self.settled:
            return self._from_graph(consistent(self.settled[place], self.bindings, self.over.facts))
        if place in self.read:
            return self.read[place]
        one = self.waiting.get(place)
        pattern = self._pattern(constraint) if one is None else one.pattern
        if not allowed():
            return ConstraintBlock(pattern=pattern, status="unresolved", grounded=one, note="the time allowed was over")
        return self._from_text(pattern, one)

    def _from_graph(self, one: GroundedConstraint) -> ConstraintBlock:
        graph = self.over.facts
        passages: dict[int, float] = {}
        for candidate in one.candidates:
            passages.setdefault(graph.place(candidate.fact)[0], candidate.score)
        values = () if one.pattern.open is None else tuple(graph.entity(value).name for value in one.values)
        return ConstraintBlock(
            pattern=one.pattern, status="resolved", passages=tuple(passages.items()), grounded=one, values=values
        )


def _agreed(blocks: Iterable[ConstraintBlock]) -> str | None:
    """The likeliest value that all of the blocks that read any allow, else the first one's likeliest."""
    read = [block.values for block in blocks if block.values]
    spelled = [{normal(value) for value in values} for values in read]
    first = read[0] if read else ()
    return next((value for value in first if all(normal(value) in known for known in spelled)), next(iter(first), None))
