"""Reads the answers to the steps of a plan out of passages, each with the answers before it written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.english.dates import Date, parse_date
from polyhop.english.numbers import number_in
from polyhop.indexes.folding import fold
from polyhop.models.choice import Models
from polyhop.planning.filling import rewrite
from polyhop.plans import Plan
from polyhop.reading.pointing import Pointed, point
from polyhop.reading.reader import Quote
from polyhop.reading.weighing import less_of_others, read_weighed
from polyhop.types import Passage

LEAST: Final = 0.01  # of the chance: below, nothing is a candidate


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer to a step, the sentence of it, and how likely it is, 0 to 1."""

    text: str
    quote: Quote
    chance: float


@dataclass(frozen=True, slots=True)
class StepReading:
    """A step as it was asked, and what was read for it, best first."""

    question: str  # with the answers of earlier steps written in
    candidates: tuple[Candidate, ...] = ()
    known: str = ""  # the answer that a strategy has found already

    @property
    def best(self) -> Candidate | None:
        """The likeliest answer."""
        return self.candidates[0] if self.candidates else None

    @property
    def answer(self) -> str:
        """What is written into later steps; nothing where nothing was found."""
        return self.known or (self.candidates[0].text if self.candidates else "")


def glance(question: str, passages: Sequence[Passage], models: Models) -> list[Candidate]:
    """What passages may answer to a question of one step, likeliest first, none of it named in the question.

    Made for what strategies look up on their way: each passage is read by itself, and nothing is weighed.
    """
    return _candidates(less_of_others(point(question, passages, models).answers, question), [question])


def read_step(question: str, passages: Sequence[Passage], models: Models, *, names: Sequence[str] = ()) -> StepReading:
    """What passages answer to a question of one step; ``names`` are answers of earlier steps that it contains."""
    return StepReading(question, tuple(_candidates(read_weighed(question, passages, models).found.answers, names)))


def read_steps(
    plan: Plan, passages: Sequence[Passage], models: Models, *, found: Mapping[int, str]
) -> list[StepReading]:
    """Every step in order; what a strategy has ``found`` for a step (by its index) is not read again.

    A step whose references have no answers is left unasked: it has no candidates.
    """
    read: list[StepReading] = []
    for place, step in enumerate(plan.steps):
        answers = [one.answer for one in read]
        question = rewrite(step, answers)
        known = found.get(place, "")
        if known or not all(answers[reference] for reference in step.refers_to):
            read.append(StepReading(question, known=known))
            continue
        names = [answers[reference] for reference in step.refers_to]
        read.append(read_step(question, passages, models, names=names))
    return read


def _candidates(answers: Iterable[Pointed], passed: Sequence[str]) -> list[Candidate]:
    """The answers that stand in a passage and say something else than what is passed over."""
    known = {fold(name) for name in passed}
    return [
        Candidate(one.text, one.quote, one.chance)
        for one in answers
        if one.quote is not None and one.chance >= LEAST and fold(one.text) not in known
    ]


def dated(candidates: Sequence[Candidate]) -> tuple[Date, Candidate] | None:
    """The likeliest date."""
    dates = ((parse_date(candidate.text), candidate) for candidate in candidates)
    return next(((date, candidate) for date, candidate in dates if date is not None), None)


def counted_in(reading: StepReading) -> tuple[float, Candidate] | None:
    """The likeliest amount, as a number."""
    for candidate in reading.candidates:
        amount = number_in(candidate.text)
        if amount is not None:
            return amount, candidate
    return None
