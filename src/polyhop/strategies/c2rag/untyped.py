"""Plans without the types of their placeholders: the ablation "w/o Typed-Var" of C2RAG, appendix D."""

from __future__ import annotations

from dataclasses import replace

from polyhop.planning.rules.questions import with_questions
from polyhop.plans import Constraint, End, Placeholder, Plan


def untyped(plan: Plan) -> Plan:
    """The plan with ``?x1``, ``?x2`` for its placeholders, whose names would tell their types.

    Questions that put a constraint into words ("Which prison ...") tell them, too: they are worded anew.
    """
    generic = {end.name: Placeholder(f"?x{number}") for number, end in enumerate(plan.placeholders, 1)}

    def renamed(end: End) -> End:
        return generic[end.name] if isinstance(end, Placeholder) else end

    bare = [Constraint(renamed(one.head), one.relation, one.variants, renamed(one.tail)) for one in plan.constraints]
    worded = iter(with_questions(bare))
    steps = tuple(replace(step, constraints=tuple(next(worded) for _ in step.constraints)) for step in plan.steps)
    return replace(plan, steps=steps)
