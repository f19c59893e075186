"""Reads the answers to the steps of a plan out of passages, each with the answers before it written in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyhop.models.choice import Models
from polyhop.plans import Plan, rewrite
from polyhop.reading.candidates import Candidate, CandidateFinder, Finder
from polyhop.types import Passage

GLANCE = Finder(sentences=4, parsed=2)  # reads just enough to find the way to an answer, rather than the answer


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


def best_candidate(question: str, passages: Sequence[Passage], models: Models) -> Candidate | None:
    """The likeliest short answer to a question of one step; None where nothing could be one.

    Made for what strategies look up on their way: it reads few sentences.
    """
    return read_step(question, passages, models, finder=GLANCE).best


def read_step(
    question: str, passages: Sequence[Passage], models: Models, *, finder: CandidateFinder, names: Sequence[str] = ()
) -> StepReading:
    """What passages answer to a question of one step; ``names`` are answers of earlier steps that it contains."""
    return StepReading(question, tuple(finder.candidates(question, passages, models, names=names)))


def read_steps(
    plan: Plan, passages: Sequence[Passage], models: Models, *, finder: CandidateFinder, found: Mapping[int, str]
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
        one = read_step(question, passages, models, finder=finder, names=names)
        passed = {answer.casefold() for answer in names}
        fresh = tuple(candidate for candidate in one.candidates if candidate.text.casefold() not in passed)
        read.append(StepReading(question, fresh))
    return read
