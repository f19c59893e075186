"""A plan in the making: the steps that the rules have found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from polyhop.english.question import Word, Words, plain, render
from polyhop.english.words import KINSHIP_PATHS, names_person
from polyhop.plans import Combination, Plan, Shape, Step

SOURCE: Final = "rules"


def _without_article(words: Words) -> Words:
    return tuple(word for word in words if word.low not in ("the", "a", "an"))


def hides_hops(relation: Words) -> bool:
    """Whether the relation is a kinship word that stands for several simple relations in a row."""
    return render(_without_article(relation)).lower() in KINSHIP_PATHS


@dataclass(slots=True)
class PlanDraft:
    """A plan in the making: asks questions and hands out references to their answers."""

    steps: list[Step] = field(default_factory=list)

    def ask(self, words: Words, target: str = "") -> Word:
        """Append a step that asks these words, unless it was asked before, and return the reference to its answer."""
        text = render(words).strip(" ,;:")
        text = text[:1].upper() + text[1:] + "?"
        refers = tuple(sorted({int(word.text[1:]) - 1 for word in words if word.kind == "step"}))
        step = Step(question=text, refers_to=refers, target=target)
        if step not in self.steps:
            self.steps.append(step)
        return Word(f"#{self.steps.index(step) + 1}", "step")

    def relation(self, relation: Words, of: Words) -> Word:
        """Ask for something by its relation to something else; a kinship word that hides hops becomes several steps."""
        kept = _without_article(relation)
        if not hides_hops(kept):
            return self._relation(kept, of)
        for simple in KINSHIP_PATHS[render(kept).lower()]:
            of = (self._relation(plain(simple), of),)
        return of[0]

    def _relation(self, relation: Words, of: Words) -> Word:
        wh = "who" if names_person(relation[-1].low) else "what"
        return self.ask((*plain(wh, "is", "the"), *relation, *plain("of"), *of), render(relation))

    def plan(self, shape: Shape, final: Combination | None = None) -> Plan:
        """The finished plan."""
        return Plan(shape=shape, steps=tuple(self.steps), final=final, source=SOURCE)
