"""What is asked of each of the things that a question compares."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.english.question import Word, Words
from polyhop.planning.rules.draft import PlanDraft
from polyhop.plans import Comparator


@dataclass(frozen=True, slots=True)
class Measure:
    """What is asked about each of the things compared, with a gap where the thing goes."""

    before: Words
    after: Words
    comparator: Comparator
    target: str

    def ask(self, thing: Words, draft: PlanDraft) -> int:
        """Ask it about one thing; returns the index of the step."""
        reference = draft.answer((*self.before, *thing, *self.after), self.target)
        return int(reference.text[1:]) - 1


def as_singular(words: Words) -> Words:
    """Words about several things as they are said of one: "are" as "is"."""
    return tuple(Word({"are": "is", "were": "was", "do": "does"}.get(word.low, word.text), word.kind) for word in words)
