"""Resolving the constraints of a plan round by round: ground, check, bind or recover, propagate (C2RAG, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from polyhop.layers.view import View
from polyhop.planning.filling import asked_with
from polyhop.plans import PLACEHOLDER, Constraint, Plan
from polyhop.strategies.c2rag.bind import GroundedConstraint, bound_by, consistent
from polyhop.strategies.c2rag.block import ConstraintBlock, agreed
from polyhop.strategies.c2rag.constraint_blocks import hop_of
from polyhop.strategies.c2rag.pattern import Bound, Pattern
from polyhop.strategies.c2rag.read_text import SoughtConstraint, TextReading
from polyhop.strategies.c2rag.sufficiency import FactCandidate, Verdict, judged
from polyhop.strategies.c2rag.wording import described, with_alternatives, worded
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.judge import may_tell
from polyhop.strategies.shared.phrases import phrase_vectors
from polyhop.types import Budget

if TYPE_CHECKING:  # which has its plans resolved here
    from polyhop.strategies.c2rag.strategy import C2RAG


@dataclass(kw_only=True)
class Resolver:
    """Resolves the plan of one question; what it knows grows as it goes.

    The graph is asked as long as it settles anything: what a text says binds a placeholder only where no constraint on
    it can be settled by the graph. Guesses come last, so that whatever can be established has been by then.
    """

    question: str
    over: View
    settings: C2RAG
    text: TextReading
    plan: Plan | None = None  # that is being resolved
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
        self.plan = plan
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
                self._recover(plan, allowed)
            elif not self._gone_on(plan):
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
        self.bindings |= bound_by(list(self.settled.values()), self.over.facts, intersection=self.settings.intersection)

    def _pattern(self, constraint: Constraint, *, narrowing: bool = True) -> Pattern:
        guesses: dict[str, str] = {}
        one, bindings = constraint, self.bindings
        if self.text.model is not None and self.plan is not None:
            guesses = {name: value for name in constraint.also if (value := self._guess(name))}
            bindings = with_alternatives(bindings)
            one = worded(constraint, self.plan, bindings, guesses)
        pattern = self.settings.grounding.pattern(one, bindings, self.over, self.named, narrowing=narrowing)
        others = [end.name for end in constraint.placeholders if end != pattern.open]
        written = {name: self.bindings[name] for name in (*others, *constraint.also) if name in self.bindings}
        guesses |= {name: bound.values[0] for name, bound in written.items() if bound.guessed}
        own = None if self.text.among is None else frozenset(self.text.among)
        return replace(pattern, passages=own, rests_on=tuple(f"{name} = {value}" for name, value in guesses.items()))

    def _grounded(self, place: int, pattern: Pattern, rounds: int) -> GroundedConstraint:
        aligned: list[FactCandidate] = []
        if self.settings.unchecked < 0 or rounds < self.settings.unchecked:
            candidates = tuple(self.settings.grounding.similar(pattern, self.over))
            verdict = Verdict(bool(candidates), tuple(1.0 for _ in candidates), 1.0, "unchecked")
        else:
            aligned = self.settings.grounding.aligned(pattern, self.over)
            candidates = tuple(self.settings.grounding.best(self.question, pattern, aligned, self.over))
            verdict = judged(
                candidates,
                self.settings.check,
                gamma=self.settings.gamma,
                threshold=self.settings.threshold,
                reranked=self.settings.grounding.reranked,
                rated=self.over.facts.rated,
            )
        open_ends = self._open_ends(pattern.constraint)
        one = GroundedConstraint.of(place, pattern, candidates, verdict, open_ends=open_ends)
        return replace(one, aligned=tuple(aligned))

    def _recover(self, plan: Plan, allowed: Callable[[], bool]) -> None:
        """Read texts for the constraints that wait, and bind what is read (Eq. 11 and 12).

        A language model reads together those that need nothing of each other; the others wait for what they find.
        """
        places, alone = sorted(self.waiting), self.text.model is None
        places = places if alone else self._independent(plan, places)
        asked = {
            place: self.waiting[place].pattern if alone else self._pattern(plan.constraints[place]) for place in places
        }
        sought = {place: self._sought(asked[place], self.waiting[place]) for place in places}
        self.text.look_up(list(sought.values()))
        blocks: dict[int, ConstraintBlock] = {}
        for group in [[place] for place in places] if alone else [places]:
            if not allowed():
                break
            blocks |= zip(group, self.text.blocks([sought[place] for place in group]), strict=True)
        for place in blocks:
            self.waiting.pop(place)
        self._take(blocks)

    def _take(self, blocks: Mapping[int, ConstraintBlock]) -> None:
        """Bind what texts establish: of several on one placeholder what all allow, else what the first one says."""
        self.read |= blocks
        told = [block for block in blocks.values() if not block.guessed]
        for name in dict.fromkeys(block.pattern.open.name for block in told if block.pattern.open):
            of_it = [block for block in told if block.asks(name)]
            group = [block for block in of_it if block.established] or of_it
            value = agreed(group)
            if name not in self.bindings and value is not None:
                self.bindings[name] = Bound(values=(value,), guessed=not any(block.established for block in group))

    def _independent(self, plan: Plan, places: Sequence[int]) -> list[int]:
        """Of the constraints that wait, those whose questions speak of nothing that others may still find."""

        def waits(place: int) -> bool:
            spoken_of = set(PLACEHOLDER.findall(plan.constraints[place].question)) - set(self.bindings)
            return any(
                end.name in spoken_of
                for other, one in enumerate(plan.constraints)
                if other != place and other not in self.settled and other not in self.read
                for end in one.placeholders
            )

        return [place for place in places if not waits(place)] or list(places)

    def _gone_on(self, plan: Plan) -> bool:
        """Take guesses for what nothing established or, where there are none, ask about what the plan only describes.

        Whether there was any of it.
        """
        guessed = {block.pattern.open.name for block in self.read.values() if block.guessed and block.pattern.open}
        guesses = {name: value for name in guessed if name not in self.bindings and (value := self._guess(name))}
        self.bindings |= {name: Bound(values=(value,), guessed=True) for name, value in guesses.items()}
        return bool(guesses) or self._asked_described(plan)

    def _guess(self, name: str) -> str | None:
        return agreed([block for _, block in sorted(self.read.items()) if block.guessed and block.asks(name)])

    def _asked_described(self, plan: Plan) -> bool:
        """Read texts for the first constraint with two open ends of which the plan describes one; whether there is any.

        The graph has nothing to go by, and rules would read something into what is only described. What a sentence
        says there is none of is not asked about, nor what only passages tell of in which it was not found.
        """
        if self.text.model is None or not self.text.model.left:
            return False
        for place, constraint in enumerate(plan.constraints):
            one = None if place in self.settled or place in self.read else described(constraint, plan, self.bindings)
            if one is None:
                continue
            before = [block for block in self.read.values() if block.pattern.open in constraint.placeholders]
            seen = {number for block in before for number, _ in block.passages}
            pattern = replace(self._pattern(one), anchors={})
            fresh = set(may_tell(dict(self.text.recovered(pattern)))) - seen
            if fresh and not any(block.quotes for block in before):
                self._take(dict(zip([place], self.text.blocks([self._sought(pattern, None)]), strict=True)))
                return True
        return False

    def _sought(self, pattern: Pattern, one: GroundedConstraint | None) -> SoughtConstraint:
        if pattern.known:  # text is searched for what is likeliest at both ends
            pattern = self._pattern(pattern.constraint, narrowing=False)
        name = "" if pattern.open is None else pattern.open.name
        reads = name not in self.bindings and not (self.sole and self.text.model is not None)
        return SoughtConstraint(
            pattern=pattern, grounded=one, leads=name in self.leading, reads=reads, onward=partial(self._onward, name)
        )

    def _onward(self, name: str, value: str) -> str:
        """What is asked of a value of a placeholder by the first constraint that waits for it."""
        known = {other: bound.values[0] for other, bound in self.bindings.items()} | {name: value}
        waiting = (
            one
            for place, one in enumerate(self.plan.constraints if self.plan is not None else ())
            if place not in self.settled and place not in self.read and place not in self.waiting
            if any(end.name == name for end in one.placeholders)
        )
        return next((asked_with(one, known) for one in waiting), value)

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
        return self.text.blocks([self._sought(pattern, one)])[0]

    def _from_graph(self, one: GroundedConstraint) -> ConstraintBlock:
        graph = self.over.facts
        passages: dict[int, float] = {}
        for candidate in one.candidates:
            passages.setdefault(graph.place(candidate.fact)[0], candidate.score)
        values = () if one.pattern.open is None else tuple(graph.entity(value).name for value in one.values)
        return ConstraintBlock(
            pattern=one.pattern, status="resolved", passages=tuple(passages.items()), grounded=one, values=values
        )
