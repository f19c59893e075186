"""What a question is taken apart into: a plan of steps, each a smaller question that may refer to earlier answers.

A step may also say what it asks as constraints (C2RAG, Eq. 1). A constraint is a triple pattern. Its ends are
constants, which the question names, or typed placeholders, which stand for what it does not name; constraints that
share a placeholder speak of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

Shape = Literal["single", "chain", "comparison", "intersection", "verification", "several"]
Comparator = Literal["earlier", "later", "larger", "smaller", "longer", "apart", "same", "both", "either", "common"]

ORDERS: Final = ("before", "after")  # as options: whether the first of two events was before the second

MAX_CONSTRAINTS: Final = 8
REFERENCE: Final = re.compile(r"#(\d{1,2})(?!\d)")
_NOTHING_BOUND: Final[Mapping[str, str]] = MappingProxyType({})
PLACEHOLDER: Final = re.compile(r"\?\w+")
_DIGITS: Final = re.compile(r"[\d_]+")
_UNTYPED: Final = frozenset(
    {"", "a", "answer", "b", "e", "entity", "item", "object", "subject", "thing", "unknown", "v", "value", "var", "x"}
    | {"y", "z"}
)


@dataclass(frozen=True, slots=True)
class Constant:
    """An end that the question names."""

    text: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An end that the question does not name, such as ``?prison``, and what kind of thing it is ("" where unknown)."""

    name: str
    type: str = ""

    @classmethod
    def named(cls, name: str) -> Placeholder:
        """The placeholder whose name tells its type: ``?birth_place2`` is a birth place."""
        words = " ".join(_DIGITS.sub(" ", name.removeprefix("?")).lower().split())
        return cls(name, "" if words in _UNTYPED else words)


End = Constant | Placeholder


@dataclass(frozen=True, slots=True)
class Constraint:
    """One triple pattern with the phrasings of its relation, and the sub-question that it stands for.

    ``variants`` holds at least one phrasing, the first of them being ``relation``; ``question`` refers to placeholders
    by name ("Who is the mother of ?director?") and is "" where nobody has put it into words.
    """

    head: End
    relation: str
    variants: tuple[str, ...]
    tail: End
    question: str = ""

    @property
    def ends(self) -> tuple[End, End]:
        """The head and the tail."""
        return self.head, self.tail

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The ends that the question names, at most two."""
        return tuple(end for end in self.ends if isinstance(end, Constant))

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """The ends that the question does not name, at most two, each once."""
        return tuple(dict.fromkeys(end for end in self.ends if isinstance(end, Placeholder)))

    @property
    def also(self) -> tuple[str, ...]:
        """The names of placeholders that its question speaks of beside the two ends, each once."""
        ends = {end.name for end in self.placeholders}
        return tuple(name for name in dict.fromkeys(PLACEHOLDER.findall(self.question)) if name not in ends)

    def linearised(self, bindings: Mapping[str, str] = _NOTHING_BOUND) -> str:
        """The pattern as a line of text with bound placeholders replaced by their values (Lin of Eq. 6 and 11)."""
        head, tail = (_shown(end, bindings) for end in self.ends)
        return " ".join(dict.fromkeys((head, self.relation, tail)))  # a whole question is its own relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One question of a plan; ``#1`` in its text stands for the answer to the first step."""

    question: str
    refers_to: tuple[int, ...] = ()  # indices into Plan.steps, ascending: 0 is what the text calls #1
    target: str = ""  # what is sought, in a few words of the question: "director", "date of birth"
    constraints: tuple[Constraint, ...] = ()  # what the step asks, as patterns; none where nobody has said it so


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """How the answers to some steps become the answer to the question.

    ``earlier`` and ``later`` (dates), ``larger`` and ``smaller`` (amounts) pick the option whose operand is that;
    ``longer`` picks the longer life, its operands being birth and death of each option in turn; ``either`` picks the
    option whose operand is answered with yes; ``apart`` is how far two dates or amounts lie
    apart, the earlier or lesser one first; ``same`` and
    ``both`` answer yes or no; ``common`` is what all operands share.
    """

    comparator: Comparator
    operands: tuple[int, ...]  # indices into Plan.steps
    options: tuple[str, ...] = ()  # what is chosen between or spoken of, in the order of the operands
    whether: bool = False  # the question is whether the first of the options is the one: yes or no


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question as steps in the order in which they can be answered; the last answers it unless ``final`` is set.

    Where the shape is ``several``, the question asks several things, each with steps of its own.
    """

    shape: Shape
    steps: tuple[Step, ...]
    final: Combination | None = None
    source: str = ""  # who made it: "rules", "language model NAME", "recorded", "whole question"

    @property
    def is_whole(self) -> bool:
        """Whether the question was not taken apart."""
        return len(self.steps) < 2 and self.final is None

    @property
    def computes(self) -> bool:
        """Whether the answer follows from what the steps find, and need not be written anywhere."""
        return self.final is not None and self.final.comparator == "apart"

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints of all steps, in their order."""
        return tuple(one for step in self.steps for one in step.constraints)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All placeholders of the constraints in the order of their first use, each once."""
        return tuple(dict.fromkeys(end for one in self.constraints for end in one.placeholders))

    @property
    def step_of_constraint(self) -> tuple[int, ...]:
        """For each of the constraints, the index of its step."""
        return tuple(index for index, step in enumerate(self.steps) for _ in step.constraints)


def plan_of_questions(questions: Sequence[str], source: str = "") -> Plan:
    """Questions in which ``#1`` stands for the answer to the first, as a plan."""
    steps = tuple(Step(question=text, refers_to=named_steps(text, place)) for place, text in enumerate(questions))
    return Plan(shape="chain" if len(steps) > 1 else "single", steps=steps, source=source)


def named_steps(question: str, place: int) -> tuple[int, ...]:
    """The earlier steps that the question of the step at this place names."""
    return tuple(sorted({int(number) - 1 for number in REFERENCE.findall(question)} & set(range(place))))


def plan_of_constraints(constraints: Sequence[Constraint], source: str) -> Plan:
    """Constraints as a plan: a step each, whose question refers to the steps that find its placeholders.

    A step finds the placeholder that no step before it has found, the tail where that is true of both ends.
    """
    found_by: dict[str, int] = {}
    steps = []
    for place, constraint in enumerate(constraints):
        spoken_of = dict.fromkeys([*(end.name for end in constraint.placeholders), *constraint.also])
        known = {name: found_by[name] for name in spoken_of if name in found_by}
        sought = next((end for end in reversed(constraint.placeholders) if end.name not in known), None)
        if sought is not None:
            found_by[sought.name] = place
        steps.append(
            Step(
                question=asked(constraint, {name: f"#{index + 1}" for name, index in known.items()}),
                refers_to=tuple(sorted(set(known.values()))),
                target=sought.type if sought is not None else "",
                constraints=(constraint,),
            )
        )
    return Plan(shape="chain" if len(steps) > 1 else "single", steps=tuple(steps), source=source)


def whole_question(question: str) -> Plan:
    """The plan to fall back on: the question is its only step, and the relation of its only constraint.

    It is sound unless the question is blank.
    """
    text = " ".join(question.split())
    relation = text.rstrip("?. ") or text
    constraint = Constraint(Constant(relation), relation, (relation,), Placeholder("?answer"), text)
    return Plan(shape="single", steps=(Step(question=text, constraints=(constraint,)),), source="whole question")


def with_variants(plan: Plan, most: int) -> Plan:
    """The plan with at most so many phrasings of each relation, 1 or more."""
    steps = (
        replace(step, constraints=tuple(replace(one, variants=one.variants[:most]) for one in step.constraints))
        for step in plan.steps
    )
    return replace(plan, steps=tuple(steps))


def asked(constraint: Constraint, bindings: Mapping[str, str] = _NOTHING_BOUND) -> str:
    """The constraint as a question in plain words: placeholders are replaced by their values or else by their types.

    A question may speak of more than the two ends: "When did ?country agree to it in ?organisation?".
    """

    def value(match: re.Match[str]) -> str:
        name = match.group()
        return _spoken(types[name], bindings) if name in types else bindings.get(name, name)

    types = {end.name: end for end in constraint.placeholders}
    if constraint.question:
        return PLACEHOLDER.sub(value, constraint.question)
    head, tail = (_spoken(end, bindings) for end in constraint.ends)
    if isinstance(constraint.head, Placeholder) and constraint.head.name not in bindings:
        return f"{_wh(constraint.head)} {constraint.relation} {tail}?"
    return f"What is the {constraint.relation} of {head}?"


def _shown(end: End, bindings: Mapping[str, str]) -> str:
    return end.text if isinstance(end, Constant) else bindings.get(end.name, end.name)


def _spoken(end: End, bindings: Mapping[str, str]) -> str:
    if isinstance(end, Constant):
        return end.text
    return bindings.get(end.name) or (f"the {end.type}" if end.type else "it")


def _wh(end: Placeholder) -> str:
    return f"Which {end.type}" if end.type else "What"
