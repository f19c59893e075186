"""Mending a plan, whoever made it: names in a broken encoding, and kinship words that hide two hops in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from polyhop.english.relations import variants_of
from polyhop.english.words import KINSHIP_PATHS
from polyhop.plans import Constant, Constraint, End, Placeholder, Plan, plan_of_constraints

_ENCODINGS: Final = ("gbk", "latin-1", "cp1252")  # what UTF-8 is most often taken for by mistake


def mended(plan: Plan, question: str) -> Plan:
    """The plan with constants spelled as the question spells them, and one constraint for each simple relation."""
    constraints = [part for one in plan.constraints for part in _unfolded(_respelled(one, question))]
    return plan if tuple(constraints) == plan.constraints else plan_of_constraints(constraints, plan.source)


def _respelled(constraint: Constraint, question: str) -> Constraint:
    """A constraint with its constants as the question has them, also where it is put into words."""
    head, tail = (_spelled(end, question) for end in constraint.ends)
    words = constraint.question
    for was, now in zip(constraint.ends, (head, tail), strict=True):
        if isinstance(was, Constant) and isinstance(now, Constant):
            words = words.replace(was.text, now.text)
    return replace(constraint, head=head, tail=tail, question=words)


def _spelled(end: End, question: str) -> End:
    """A constant whose letters were taken for those of another encoding, as the question has it."""
    if not isinstance(end, Constant) or end.text.casefold() in question.casefold():
        return end
    for encoding in _ENCODINGS:
        try:
            text = end.text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if text.casefold() in question.casefold():
            return Constant(text)
    return end


def _unfolded(constraint: Constraint) -> Iterator[Constraint]:
    """A constraint whose relation is a word such as "maternal grandfather" as one for each step of the way."""
    path = KINSHIP_PATHS.get(constraint.relation.casefold().removeprefix("has ").strip(), ())
    if not path or isinstance(constraint.tail, Constant):
        yield constraint
        return
    head = constraint.head
    for step, relation in enumerate(path, start=1):
        last = step == len(path)
        tail = constraint.tail if last else Placeholder(f"{constraint.tail.name}_{step}", relation)
        yield Constraint(head, relation, variants_of(relation), tail)
        head = tail
