"""What can be wrong with a plan's constraints, in words that its maker understands."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from polyhop.plans import MAX_CONSTRAINTS, PLACEHOLDER, Constant, Constraint, Placeholder, Plan, plan_of_constraints

ANSWERS: Final = 2  # that a question may ask for at once, where its planner knows what it asks


def usable(constraint: Constraint) -> bool:
    """Whether nothing is wrong with a constraint by itself, whatever plan it belongs to."""
    return not any(_own_faults(constraint))


def faults(plan: Plan, question: str | None = None, *, answers: int = 1) -> tuple[str, ...]:
    """What is wrong with a plan, in words that its maker understands; nothing where it is sound.

    With the question, constants have to be names that stand in it. ``answers``: how many placeholders that are used
    only once may be what the question asks for, whatever their kinds.
    """
    if not plan.constraints:
        return ("there are no constraints",)
    found = [fault for constraint in plan.constraints for fault in _own_faults(constraint)]
    if len(plan.constraints) > MAX_CONSTRAINTS:
        found.append(f"there are {len(plan.constraints)} constraints, and {MAX_CONSTRAINTS} are the most")
    found += _typed_twice(plan)
    found += _cycle(plan.constraints)
    for part in _parts(plan.constraints):
        found += _unreachable(part) or _dangling(part, answers)
    if question is not None:
        found += _not_in(question, plan)
    return tuple(dict.fromkeys(found))


def without_faults(plan: Plan, question: str) -> Plan | None:
    """What is sound of a plan: without constraints that mean nothing, or that speak of what the question does not name.

    None where nothing is left, or where what is left hangs together wrongly.
    """
    kept = [
        one for one in plan.constraints if usable(one) and not any(_not_in(question, plan_of_constraints([one], "")))
    ]
    if not kept or len(kept) > MAX_CONSTRAINTS:
        return None
    whole = len(kept) == len(plan.constraints)
    sound = plan if whole else plan_of_constraints(kept, plan.source)
    return None if faults(sound, question, answers=ANSWERS) else sound


def _own_faults(constraint: Constraint) -> Iterator[str]:
    shown = f"({constraint.linearised()})"
    if not constraint.relation.strip():
        yield f"the constraint {shown} has no relation"
    if constraint.variants[:1] != (constraint.relation,) or not all(text.strip() for text in constraint.variants):
        yield f"the phrasings of the relation of {shown} are empty or do not begin with the relation"
    if constraint.head == constraint.tail:
        yield f"both ends of {shown} are the same"
    for end in constraint.ends:
        if isinstance(end, Constant) and not _tokens(end.text):
            yield f"an end of {shown} names nothing"
        if isinstance(end, Placeholder) and not PLACEHOLDER.fullmatch(end.name):
            yield f"{end.name!r} is no name of a placeholder: one is a question mark and letters or digits"


def _typed_twice(plan: Plan) -> Iterator[str]:
    for name, count in Counter(end.name for end in plan.placeholders).items():
        if count > 1:
            yield f"the placeholder {name} has {count} types"


def _cycle(constraints: Sequence[Constraint]) -> Iterator[str]:
    """Placeholders that lead, from head to tail, back to themselves."""
    leads = {
        (one.head.name, one.tail.name)
        for one in constraints
        if isinstance(one.head, Placeholder) and isinstance(one.tail, Placeholder) and one.head.name != one.tail.name
    }
    while leads:
        ends = {tail for _, tail in leads} & {head for head, _ in leads}
        kept = {(head, tail) for head, tail in leads if head in ends and tail in ends}
        if kept == leads:
            yield f"the placeholders {', '.join(sorted(ends))} lead in a cycle"
            return
        leads = kept


def _parts(constraints: Sequence[Constraint]) -> list[list[Constraint]]:
    """The constraints in groups that share no placeholder."""
    parts: list[list[Constraint]] = []
    for constraint in constraints:
        names = {end.name for end in constraint.placeholders}
        joined = [part for part in parts if names & _names(part)]
        parts = [part for part in parts if part not in joined]
        parts.append([*(one for part in joined for one in part), constraint])
    return parts


def _names(constraints: Iterable[Constraint]) -> set[str]:
    return {end.name for one in constraints for end in one.placeholders}


def _unreachable(part: Sequence[Constraint]) -> list[str]:
    if any(one.constants for one in part):
        return []
    return [f"nothing that the question names leads to {', '.join(sorted(_names(part)))}"]


def _dangling(part: Sequence[Constraint], answers: int) -> list[str]:
    """Placeholders used once that cannot be the answer, because others can: of another kind, and further on.

    Two of one kind, such as a date of birth and a date of death, are compared.
    """
    uses = Counter(end.name for one in part for end in one.placeholders)
    leaves = [end for one in part for end in one.placeholders if uses[end.name] == 1]
    kinds = Counter(end.type.rpartition(" ")[2] for end in leaves)
    if len(leaves) <= answers:
        return []
    return [
        f"the placeholder {end.name} is used nowhere else and is not what the question asks for"
        for end in leaves[:-1]
        if kinds[end.type.rpartition(" ")[2]] == 1
    ]


def _not_in(question: str, plan: Plan) -> Iterator[str]:
    known = _tokens(question)
    for end in dict.fromkeys(end for one in plan.constraints for end in one.constants):
        tokens = _tokens(end.text)
        if 2 * len(tokens & known) < len(tokens):
            yield f"{end.text!r} is neither a name from the question nor a placeholder"


def _tokens(text: str) -> set[str]:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return set(re.findall(r"\w+", "".join(letter for letter in decomposed if not unicodedata.combining(letter))))
