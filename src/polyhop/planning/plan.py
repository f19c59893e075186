"""What a question is taken apart into: a plan of smaller questions, each of which may refer to earlier answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from polyhop.english.question import Word, Words, plain, render
from polyhop.english.words import KINSHIP_PATHS, names_person

Shape = Literal["single", "chain", "comparison", "intersection", "verification"]
Comparator = Literal["earlier", "later", "larger", "smaller", "longer", "same", "both", "either", "common"]

REFERENCE: Final = re.compile(r"#(\d{1,2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One question of a plan; ``#1`` in its text stands for the answer to the first step."""

    question: str
    refers_to: tuple[int, ...] = ()  # indices into Plan.steps, ascending: 0 is what the text calls #1
    target: str = ""  # what is sought, in a few words of the question: "director", "date of birth"


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """How the answers to some steps become the answer to the question.

    ``earlier`` and ``later`` (dates), ``larger`` and ``smaller`` (amounts) pick the option whose operand is that;
    ``longer`` picks the longer life, its operands being birth and death of each option in turn; ``either`` picks the
    option whose operand is answered with yes; ``same`` and ``both`` answer yes or no; ``common`` is what all operands
    share.
    """

    comparator: Comparator
    operands: tuple[int, ...]  # indices into Plan.steps
    options: tuple[str, ...] = ()  # what is chosen between or spoken of, in the order of the operands


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question as steps in the order in which they can be answered; the last answers it unless ``final`` is set."""

    shape: Shape
    steps: tuple[Step, ...]
    final: Combination | None = None


def rewrite(step: Step, answers: Sequence[str]) -> str:
    """The step's question with the answers found so far (by index of their step) in place of its references.

    A reference without an answer yet is left as it stands; answers are inserted verbatim, even if they contain a ``#``.
    """

    def answer(match: re.Match[str]) -> str:
        index = int(match.group(1)) - 1
        return answers[index] if index in step.refers_to and index < len(answers) else match.group()

    return REFERENCE.sub(answer, step.question) if step.refers_to else step.question


def _without_article(words: Words) -> Words:
    return tuple(word for word in words if word.low not in ("the", "a", "an"))


def hides_hops(relation: Words) -> bool:
    """Whether the relation is a kinship word that stands for several simple relations in a row."""
    return render(_without_article(relation)).lower() in KINSHIP_PATHS


@dataclass(slots=True)
class Draft:
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
        return Plan(shape=shape, steps=tuple(self.steps), final=final)
