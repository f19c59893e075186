"""A question as atomic constraints (C2RAG, Eq. 1): what they are, how they read, what can be wrong with them.

A constraint is a triple pattern. Its ends are constants, which the question names, or typed placeholders, which stand
for what it does not name; constraints that share a placeholder speak of the same thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MAX_CONSTRAINTS: Final = 8
_NOTHING_BOUND: Final[Mapping[str, str]] = MappingProxyType({})
_NAME: Final = re.compile(r"\?\w+")
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

    def linearised(self, bindings: Mapping[str, str] = _NOTHING_BOUND) -> str:
        """The pattern as a line of text with bound placeholders replaced by their values (Lin of Eq. 6 and 11)."""
        head, tail = (_shown(end, bindings) for end in self.ends)
        return " ".join(dict.fromkeys((head, self.relation, tail)))  # a whole question is its own relation


@dataclass(frozen=True, slots=True)
class ConstraintPlan:
    """Constraints in the order in which they are best resolved, and who made them."""

    constraints: tuple[Constraint, ...]
    source: str  # "rules", "language model NAME", "replayed", "whole question"

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All placeholders in the order of their first use, each once."""
        return tuple(dict.fromkeys(end for one in self.constraints for end in one.placeholders))


def whole_question(question: str) -> ConstraintPlan:
    """The plan to fall back on: one constraint whose head and whose relation are the question itself.

    It is sound unless the question is blank.
    """
    text = " ".join(question.split())
    relation = text.rstrip("?. ") or text
    constraint = Constraint(Constant(relation), relation, (relation,), Placeholder("?answer"), text)
    return ConstraintPlan((constraint,), "whole question")


def asked(constraint: Constraint, bindings: Mapping[str, str] = _NOTHING_BOUND) -> str:
    """The constraint as a question in plain words: placeholders are replaced by their values or else by their types."""

    def value(match: re.Match[str]) -> str:
        name = match.group()
        return _spoken(types[name], bindings) if name in types else name

    types = {end.name: end for end in constraint.placeholders}
    if constraint.question:
        return _NAME.sub(value, constraint.question)
    head, tail = (_spoken(end, bindings) for end in constraint.ends)
    if isinstance(constraint.head, Placeholder) and constraint.head.name not in bindings:
        return f"{_wh(constraint.head)} {constraint.relation} {tail}?"
    return f"What is the {constraint.relation} of {head}?"


def usable(constraint: Constraint) -> bool:
    """Whether nothing is wrong with a constraint by itself, whatever plan it belongs to."""
    return not any(_own_faults(constraint))


def faults(plan: ConstraintPlan, question: str | None = None) -> tuple[str, ...]:
    """What is wrong with a plan, in words that its maker understands; nothing where it is sound.

    With the question, constants have to be names that stand in it.
    """
    if not plan.constraints:
        return ("there are no constraints",)
    found = [fault for constraint in plan.constraints for fault in _own_faults(constraint)]
    if len(plan.constraints) > MAX_CONSTRAINTS:
        found.append(f"there are {len(plan.constraints)} constraints, and {MAX_CONSTRAINTS} are the most")
    found += _typed_twice(plan)
    found += _cycle(plan.constraints)
    for part in _parts(plan.constraints):
        found += _unreachable(part) or _dangling(part)
    if question is not None:
        found += _not_in(question, plan)
    return tuple(dict.fromkeys(found))


def _shown(end: End, bindings: Mapping[str, str]) -> str:
    return end.text if isinstance(end, Constant) else bindings.get(end.name, end.name)


def _spoken(end: End, bindings: Mapping[str, str]) -> str:
    if isinstance(end, Constant):
        return end.text
    return bindings.get(end.name) or (f"the {end.type}" if end.type else "it")


def _wh(end: Placeholder) -> str:
    return f"Which {end.type}" if end.type else "What"


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
        if isinstance(end, Placeholder) and not _NAME.fullmatch(end.name):
            yield f"{end.name!r} is no name of a placeholder: one is a question mark and letters or digits"


def _typed_twice(plan: ConstraintPlan) -> Iterator[str]:
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


def _dangling(part: Sequence[Constraint]) -> list[str]:
    """Placeholders used once that cannot be the answer, because another one can: of another kind, and further on.

    Two of one kind, such as a date of birth and a date of death, are compared.
    """
    uses = Counter(end.name for one in part for end in one.placeholders)
    leaves = [end for one in part for end in one.placeholders if uses[end.name] == 1]
    kinds = Counter(end.type.rpartition(" ")[2] for end in leaves)
    return [
        f"the placeholder {end.name} is used nowhere else and is not what the question asks for"
        for end in leaves[:-1]
        if kinds[end.type.rpartition(" ")[2]] == 1
    ]


def _not_in(question: str, plan: ConstraintPlan) -> Iterator[str]:
    known = _tokens(question)
    for end in dict.fromkeys(end for one in plan.constraints for end in one.constants):
        tokens = _tokens(end.text)
        if 2 * len(tokens & known) < len(tokens):
            yield f"{end.text!r} is neither a name from the question nor a placeholder"


def _tokens(text: str) -> set[str]:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return set(re.findall(r"\w+", "".join(letter for letter in decomposed if not unicodedata.combining(letter))))
