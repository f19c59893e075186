"""A plan in the making: the steps that the rules have found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from polyhop.english.question import OWNS, Word, Words, plain, render
from polyhop.english.words import AUXILIARIES, BE, KINSHIP_PATHS, names_person
from polyhop.plans import Combination, Plan, Shape, Step

SOURCE: Final = "rules"
_IDENTIFYING: Final = frozenset({"who", "whom", "whose", "what", "which"})
_CALLED: Final = frozenset({"called", "named"})


def _without_article(words: Words) -> Words:
    return tuple(word for word in words if word.low not in ("the", "a", "an"))


def _hides_hops(relation: Words) -> bool:
    """Whether the relation is a kinship word that stands for several simple relations in a row."""
    return render(_without_article(relation)).lower() in KINSHIP_PATHS


@dataclass(slots=True)
class PlanDraft:
    """A plan in the making: asks questions and hands out references to their answers."""

    steps: list[Step] = field(default_factory=list)

    def answer(self, words: Words, target: str = "") -> Word:
        """Ask these words unless an earlier step has answered them; kinship words in them that hide hops come first."""
        words = self._unfolded(words)
        return _answered(words) or self.ask(words, target)

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
        if not _hides_hops(kept):
            return self._relation(kept, of)
        for simple in KINSHIP_PATHS[render(kept).lower()]:
            of = (self._relation(plain(simple), of),)
        return of[0]

    def _relation(self, relation: Words, of: Words) -> Word:
        wh = "who" if names_person(relation[-1].low) else "what"
        return self.ask((*plain(wh, "is", "the"), *relation, *plain("of"), *of), render(relation))

    def _unfolded(self, words: Words) -> Words:
        """The words with a kinship word that hides hops, such as "X's grandfather", asked for before."""
        for at in range(len(words)):
            if not _hides_hops(words[at : at + 1]) and not _hides_hops(words[at : at + 2]):
                continue
            end = at + (1 if _hides_hops(words[at : at + 1]) else 2)
            if words[end : end + 1] and words[end].atomic:
                continue  # "Ada's uncle Bo" is Bo
            if at > 1 and words[at - 1] == OWNS and words[at - 2].atomic:
                return (*words[: at - 2], self.relation(words[at:end], words[at - 2 : at - 1]), *words[end:])
            behind = words[end + 1 : end + 2]
            if words[end : end + 1] == plain("of") and behind and behind[0].atomic:
                start = at - (at > 0 and words[at - 1].low == "the")
                return (*words[:start], self.relation(words[at:end], behind), *words[end + 2 :])
        return words

    def chain(self, words: Words) -> Plan:
        """The plan whose last step asks these words."""
        self.answer(words)
        return self.plan("verification" if words[:1] and words[0].low in AUXILIARIES else "chain")

    def plan(self, shape: Shape, final: Combination | None = None) -> Plan:
        """The finished plan."""
        return Plan(shape=shape, steps=tuple(self.steps), final=final, source=SOURCE)


def _answered(words: Words) -> Word | None:
    """The earlier answer that is all that a question asks for: "Which bishop was #1?", "What is #1 called?".

    Not so of "When was #1?", which asks something of an event, nor of "What colour is #1?".
    """
    kept = [word for word in words if word.kind != "mark"]
    while kept[1:] and kept[-1].low in _CALLED:
        kept.pop()
    rest = [word for word in kept if word.low not in _IDENTIFYING | BE]
    identity = len(rest) == 2 and kept[0].low in ("which", "what") and kept[-2].low in BE and names_person(rest[0].low)
    answer = rest[-1] if len(rest) == 1 or identity else None
    return answer if answer is not None and answer.kind == "step" and answer is kept[-1] else None
