"""Plans as rows of JSON, so that a plan that was made can be made again from a file, with nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, get_args

from polyhop.plans import (
    Combination,
    Comparator,
    Constant,
    Constraint,
    End,
    Placeholder,
    Plan,
    Shape,
    Step,
)


class NoPlan(ValueError):
    """Why a row is no plan, in words."""


def plan_row(plan: Plan) -> dict[str, Any]:
    """A plan as a row: ``{"shape": ..., "steps": [{"question": ..., "refers_to": [1]}], "final": ..., "source": ...}``.

    References count from 1, as in the texts of steps. What is empty is left out.
    """
    final = plan.final
    row = {
        "shape": plan.shape,
        "steps": [_step_row(step) for step in plan.steps],
        "final": None if final is None else {**asdict(final), "operands": [one + 1 for one in final.operands]},
        "source": plan.source,
    }
    return {key: value for key, value in row.items() if value}


def plan_of_row(row: Mapping[str, Any], source: str) -> Plan:
    """The plan of such a row. Raises NoPlan for one that does not hold together."""
    try:
        steps = tuple(_step(one) for one in row["steps"])
        final = None if row.get("final") is None else _combination(row["final"])
        shape = _one_of(row.get("shape", "single" if len(steps) == 1 else "chain"), get_args(Shape))
    except (TypeError, LookupError, AttributeError) as error:
        raise NoPlan(f"it lacks something, or has it in another form: {error}") from None
    if not steps:
        raise NoPlan("it has no steps")
    for place, step in enumerate(steps):
        if not all(0 <= one < place for one in step.refers_to):
            raise NoPlan(f"step {place + 1} refers to what does not come before it")
    if final is not None and not all(0 <= one < len(steps) for one in final.operands):
        raise NoPlan("what it combines are not its steps")
    return Plan(shape=shape, steps=steps, final=final, source=source)


def _step_row(step: Step) -> dict[str, Any]:
    row = {
        "question": step.question,
        "refers_to": [one + 1 for one in step.refers_to],
        "target": step.target,
        "constraints": [_constraint_row(one) for one in step.constraints],
    }
    return {key: value for key, value in row.items() if value}


def _constraint_row(constraint: Constraint) -> dict[str, Any]:
    ends = {"head": _written(constraint.head), "tail": _written(constraint.tail)}
    types = {end.name: end.type for end in constraint.placeholders if Placeholder.named(end.name) != end}
    row = {
        **ends,
        "relation": constraint.relation,
        "relation_variants": list(constraint.variants),
        "question": constraint.question,
        "types": types,  # of placeholders whose names do not tell them
    }
    return {key: value for key, value in row.items() if value or key in ends}


def _step(row: Mapping[str, Any]) -> Step:
    return Step(
        question=_text(row["question"]),
        refers_to=tuple(sorted(_number(one) - 1 for one in row.get("refers_to", ()))),
        target=_text(row.get("target", "")),
        constraints=tuple(_constraint(one) for one in row.get("constraints", ())),
    )


def _constraint(row: Mapping[str, Any]) -> Constraint:
    types = row.get("types", {})
    return Constraint(
        _end(_text(row["head"]), types),
        _text(row["relation"]),
        tuple(map(_text, row["relation_variants"])),
        _end(_text(row["tail"]), types),
        _text(row.get("question", "")),
    )


def _combination(row: Mapping[str, Any]) -> Combination:
    return Combination(
        comparator=_one_of(row["comparator"], get_args(Comparator)),
        operands=tuple(_number(one) - 1 for one in row["operands"]),
        options=tuple(map(_text, row.get("options", ()))),
        whether=row.get("whether") is True,
    )


def _written(end: End) -> str:
    return end.text if isinstance(end, Constant) else end.name


def _end(text: str, types: Mapping[str, Any]) -> End:
    if not text.startswith("?"):
        return Constant(text)
    return Placeholder(text, _text(types[text])) if text in types else Placeholder.named(text)


def _one_of(value: Any, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise NoPlan(f"{value!r} is none of {', '.join(map(str, allowed))}")
    return value


def _checked(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise NoPlan(f"{value!r} is no {kind.__name__}")
        return value

    return check


_text = _checked(str)
_number = _checked(int)
