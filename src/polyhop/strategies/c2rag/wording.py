"""Constraints in words, where a language model is to be asked: nothing in them is known by its placeholder alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from polyhop.planning.filling import asked_with, filled
from polyhop.planning.rules.questions import question_of, with_questions
from polyhop.plans import PLACEHOLDER, Constant, Constraint, End, Placeholder, Plan
from polyhop.strategies.c2rag.pattern import Bindings, Bound

ALTERNATIVES: Final = 3


def with_alternatives(bindings: Bindings) -> dict[str, Bound]:
    """The bindings, in which a value is written with those for which as much speaks: "Ada Brook or Otto Reed"."""
    return {
        name: replace(bound, values=(" or ".join(bound.alike[:ALTERNATIVES]), *bound.values[1:]))
        if bound.alike
        else bound
        for name, bound in bindings.items()
    }


def worded(constraint: Constraint, plan: Plan, bindings: Bindings, guesses: Mapping[str, str]) -> Constraint:
    """The constraint with a question that asks for its open end, and says what else it speaks of.

    Where that is not known, it is a guess or else what the plan says of it.
    """
    unbound = [end.name for end in constraint.placeholders if end.name not in bindings]
    question = constraint.question
    if len(unbound) == 1 and unbound[0] in PLACEHOLDER.findall(question):  # as if what it is to find were known
        question = question_of(constraint, [end.name for end in constraint.placeholders if end.name not in unbound])
    spoken_of = [name for name in constraint.also if name not in bindings]
    said = {name: guesses.get(name) or description(name, plan, bindings) or _kind(name) for name in spoken_of}
    return replace(constraint, question=filled(question, PLACEHOLDER, said))


def described(constraint: Constraint, plan: Plan, bindings: Bindings) -> Constraint | None:
    """A constraint of which nothing is known with what the plan says of one end; None where that is not just one.

    Both ends of a comparison are described, and no text holds them against each other.
    """
    unbound = [end.name for end in constraint.placeholders if end.name not in bindings]
    texts = {name: description(name, plan, bindings, [constraint]) for name in unbound}
    said = {name: text for name, text in texts.items() if text is not None}
    if len(unbound) != 2 or len(said) != 1:
        return None
    head, tail = (
        Constant(said[end.name]) if isinstance(end, Placeholder) and end.name in said else end
        for end in constraint.ends
    )
    return replace(constraint, head=head, tail=tail, question=filled(constraint.question, PLACEHOLDER, said))


def description(name: str, plan: Plan, bindings: Bindings, apart: Collection[Constraint] = ()) -> str | None:
    """What stands for a placeholder that nothing bound: what a constraint asks of something known to find it.

    No description stands within a description.
    """
    for one in plan.constraints:
        ends = [end.name for end in one.placeholders]
        others = [other for other in (*ends, *one.also) if other != name]
        if one not in apart and name in ends and all(other in bindings for other in others):
            known = {other: bindings[other].values[0] for other in others}
            return f"the answer to “{asked_with(one, known)}”"
    return None


def _kind(name: str) -> str:
    return f"the {Placeholder.named(name).type or 'one'}"


def untyped(plan: Plan) -> Plan:
    """The plan with ``?x1``, ``?x2`` for its placeholders, whose names would tell their types (appendix D).

    Questions that put a constraint into words ("Which prison ...") tell them, too: they are worded anew.
    """
    generic = {end.name: Placeholder(f"?x{number}") for number, end in enumerate(plan.placeholders, 1)}

    def renamed(end: End) -> End:
        return generic[end.name] if isinstance(end, Placeholder) else end

    bare = [Constraint(renamed(one.head), one.relation, one.variants, renamed(one.tail)) for one in plan.constraints]
    worded = iter(with_questions(bare))
    steps = tuple(replace(step, constraints=tuple(next(worded) for _ in step.constraints)) for step in plan.steps)
    return replace(plan, steps=steps)
