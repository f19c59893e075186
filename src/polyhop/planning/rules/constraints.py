"""Puts a plan as atomic constraints by rules alone, so that a graph can be asked without a language model.

The plan says which questions to ask one after the other. Each becomes a statement with a gap; each name or earlier
answer in it is one end of a constraint, and what fills the gap is the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.question import LONGEST_QUESTION, mentions
from polyhop.english.relations import variants_of
from polyhop.english.words import FUNCTION_WORDS
from polyhop.planning.rules.questions import end_text
from polyhop.planning.rules.relations import related
from polyhop.planning.rules.statements import Statement, kind_of, read_step, stated
from polyhop.planning.soundness import faults
from polyhop.plans import (
    MAX_CONSTRAINTS,
    REFERENCE,
    Constant,
    Constraint,
    End,
    Placeholder,
    Plan,
    Step,
    whole_question,
)

_QUALIFIED: Final = frozenset({AnswerType.DATE, AnswerType.NUMBER, AnswerType.PLACE, AnswerType.NATIONALITY})
"""What is asked of one thing: further names only qualify it, such as a place that something was released in."""
_EMPTY: Final = FUNCTION_WORDS | {"there"}
_OF_WH: Final = {
    "who": "person",
    "whom": "person",
    "whose": "person",
    "where": "place",
    "when": "date",
}


def constrained(plan: Plan, question: str, entities: Sequence[str] = ()) -> Plan:
    """The plan with what each step asks as constraints, or the whole question where that makes no sound plan.

    A plan that has constraints stays as it is. ``entities`` are names in the question. Never raises.
    """
    if plan.constraints:
        return plan
    if len(question.split()) > LONGEST_QUESTION:  # a text rather than a question
        return whole_question(question)
    names = [*entities, *mentions(question), *(plan.final.options if plan.final else ())]
    readings = [stated(read_step(step.question, names)) for step in plan.steps]
    placeholders = _placeholders(plan, readings)
    answers: list[End] = [
        Constant(_bare(reading.answer)) if reading.answer else own
        for reading, own in zip(readings, placeholders, strict=True)
    ]
    found = plan
    for most in (3, 1):  # names that a step may constrain its answer by
        steps = [
            replace(step, constraints=tuple(_constraints(step, reading, answers, own, most)))
            for step, reading, own in zip(plan.steps, readings, placeholders, strict=True)
        ]
        found = replace(plan, steps=tuple(steps))
        if len(found.constraints) <= MAX_CONSTRAINTS:
            break
    return whole_question(question) if faults(found) else found


def _placeholders(plan: Plan, readings: Sequence[Statement]) -> list[Placeholder]:
    """What stands for the answer to each step: one for all steps whose answer has to be the same thing."""
    types = [_type(step, reading) for step, reading in zip(plan.steps, readings, strict=True)]
    shared = plan.final.operands if plan.final is not None and plan.final.comparator == "common" else ()
    same = dict.fromkeys(shared, min(shared, default=0))
    stems = [_stem(kind) for kind in types]
    counts = Counter(stem for place, stem in enumerate(stems) if same.get(place, place) == place)
    seen: Counter[str] = Counter()
    found: list[Placeholder] = []
    for place, (stem, kind) in enumerate(zip(stems, types, strict=True)):
        if same.get(place, place) < place:
            found.append(found[same[place]])
            continue
        seen[stem] += 1
        found.append(Placeholder(f"?{stem}{seen[stem]}" if counts[stem] > 1 else f"?{stem}", kind))
    return found


def _stem(kind: str) -> str:
    letters = "".join(letter if letter.isalnum() else "_" for letter in kind)
    return "_".join(part for part in letters.split("_") if part) or "answer"


def _type(step: Step, reading: Statement) -> str:
    """What kind of thing a step asks for, as a noun phrase; "" where nothing tells or it asks yes or no."""
    if not reading.asked:
        return ""
    if reading.asked == "how":
        return "number" if reading.noun else ""
    kind = step.target if reading.asked in ("who", "what", "where", "when") else ""
    kind = kind if " of " in kind else kind_of(kind.split())
    return kind or reading.noun or _OF_WH.get(reading.asked, "")


def _constraints(
    step: Step, reading: Statement, answers: Sequence[End], own: Placeholder, most: int
) -> Iterator[Constraint]:
    """What a step says of its answer: a constraint for each name in it, up to ``most``, and each earlier answer."""

    def end(text: str) -> End:
        found = REFERENCE.fullmatch(text)
        if found is None or int(found[1]) > len(answers):
            return Constant(_bare(text))
        return answers[int(found[1]) - 1]

    kind = answer_type(step.question)
    question = REFERENCE.sub(lambda found: end_text(end(found.group())), step.question)
    for one in related(reading, 1 if kind in _QUALIFIED else most):
        relation = one.relation
        if reading.noun and not set(relation.lower().split()) - _EMPTY:
            relation = reading.noun if reading.asked == "how" else relation or reading.noun
        variants = variants_of(relation or "is", None if kind is AnswerType.YES_NO else kind, reading.noun or own.type)
        head = own if one.head is None else end(one.head)
        tail = own if one.tail is None else end(one.tail)
        yield Constraint(head, variants[0], variants, tail, question)


def _bare(text: str) -> str:
    """A name without quotation marks and without an article that is no part of it."""
    name = text.strip('"“”„«» ')
    return (name.removeprefix("the ") if name[4:5].isupper() else name) or text
