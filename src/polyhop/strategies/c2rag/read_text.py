"""What texts say of a constraint that the graph does not settle, and the value that is read there (C2RAG, 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polyhop.english.answer_type import AnswerType
from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts.answer_step import answer_step
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.ground import kind_of
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.recover import Recovery, Value, own_passage, read_values, told_apart
from polyhop.strategies.shared.judge import may_tell

# Kinds of values that are told apart even where no other constraint asks about them: what passages are about.
TOLD_APART = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION, AnswerType.WORK, AnswerType.THING})


@dataclass(frozen=True, kw_only=True)
class ReadValues:
    """Who reads in recovered passages what a placeholder stands for, and so what the graph could not bind."""

    by: Literal["model", "span_model", "nobody"] = "model"  # model: the language model if there is one, else span_model
    told_apart: int = 3  # values read by the span model that are told apart by the passages they lead to; 0: none


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """Recovers passages for constraints and reads values in them: by a language model where one may be asked."""

    question: str
    over: View
    recovery: Recovery
    reading: ReadValues
    model: Within | None = None  # that reads; None, or no calls left: the span model does
    among: Sequence[int] | None = None  # the question's own paragraphs, where text is searched in no others

    def block(self, pattern: Pattern, one: GroundedConstraint | None, *, leads: bool, reads: bool) -> ConstraintBlock:
        """The evidence of text for a constraint, and the values of its open end, likeliest first.

        ``leads``: another constraint asks on about the value. ``reads``: whether a value is looked for at all.
        """
        passages = self.recovery.passages(self.question, pattern, self.over, among=self.among)
        values: list[Value] = []
        if self.reading.by != "nobody" and reads and pattern.open is not None:
            values, about = self._values(pattern, pattern.open.type, one, passages, leads=leads)
            if about is not None and about.quoted:
                passages = self._quoted_first(passages, about)
            if about is not None and not leads:
                passages = self._with_own(passages, about)
        return ConstraintBlock(
            pattern=pattern,
            status="recovered" if values else "unresolved",
            passages=tuple(passages),
            grounded=one,
            values=tuple(dict.fromkeys(value.name for value in values)),
            value=next(iter(values), None),
            note="both ends are known: what remains is to compare them" if pattern.compares else "",
        )

    def _values(
        self,
        pattern: Pattern,
        type_: str,
        one: GroundedConstraint | None,
        passages: Sequence[tuple[int, float]],
        *,
        leads: bool,
    ) -> tuple[list[Value], Value | None]:
        """What the open end may stand for, likeliest first, and the value whose own passage is worth showing."""
        numbers = [number for number, _ in passages]
        try:
            if self.model is not None:
                values = self._by_model(self.model, pattern, sorted(may_tell(dict(passages))))
                return values, next(iter(values), None)
        except NoCallsLeft:
            pass  # rules ask for nothing
        values = told = read_values(pattern, numbers, self.over)
        if leads or kind_of(type_) in TOLD_APART:
            told = told_apart(self.question, values, self._suspected(one, numbers), self.over, self.reading.told_apart)
        return (told if leads else values), next(iter(told), None)

    def _by_model(self, model: Within, pattern: Pattern, numbers: Sequence[int]) -> list[Value]:
        """What a language model reads, with the words that say it; nothing where the passages do not establish it."""
        passages = self.over.passages(list(numbers))
        found = answer_step(model, pattern.asked, (), passages)
        if found.text is None or not found.sufficient or not found.quotes:
            return []
        quote = found.quotes[0]
        return [Value(found.text, passages[quote.passage_index], quote.start, quote.end, quoted=True)]

    def _quoted_first(self, passages: list[tuple[int, float]], value: Value) -> list[tuple[int, float]]:
        """The passages with the one first that a language model quoted: the value stands or falls with it."""
        places = [one.id for one in self.over.passages([number for number, _ in passages])]
        ordered = sorted(zip(places, passages, strict=True), key=lambda item: item[0] != value.passage.id)
        return [item for _, item in ordered]

    def _with_own(self, passages: list[tuple[int, float]], value: Value) -> list[tuple[int, float]]:
        """The passage about a value that no other constraint asks about comes after the one that leads to it."""
        own = own_passage(value.name, self.over)
        if own is None or not passages or own == passages[0][0] or not self._may_show(own):
            return passages
        rest = [item for item in passages[1:] if item[0] != own]
        return [passages[0], (own, passages[0][1]), *rest]

    def _may_show(self, number: int) -> bool:
        return self.among is None or number in self.among

    def _suspected(self, one: GroundedConstraint | None, recovered: Sequence[int]) -> list[Value]:
        """The values of facts that did not suffice to bind them, where a recovered passage states the fact."""
        graph = self.over.facts
        values = []
        for candidate in one.candidates if one is not None else ():
            number, start, end = graph.place(candidate.fact)
            name = graph.entity(candidate.value).name
            if number in recovered and name != name.lower():  # what leads on has a name of its own
                values.append(Value(name, self.over.passages([number])[0], start, end))
        return values
