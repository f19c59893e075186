"""What texts say of a constraint that the graph does not settle, and the value that is read there (C2RAG, 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polyhop.english.answer_type import AnswerType
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.reading.reader import Quote
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.ground import kind_of
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.read_by_model import ModelReading, read_by_model
from polyhop.strategies.c2rag.recover import Recovery, Value, own_passage, read_values, told_apart

# Kinds of values that are told apart even where no other constraint asks about them: what passages are about.
TOLD_APART = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION, AnswerType.WORK, AnswerType.THING})


@dataclass(frozen=True, kw_only=True)
class ReadValues:
    """Who reads in recovered passages what a placeholder stands for, and so what the graph could not bind."""

    by: Literal["model", "span_model", "nobody"] = "model"  # model: the language model if there is one, else span_model
    told_apart: int = 3  # values read by the span model that are told apart by the passages they lead to; 0: none


@dataclass(frozen=True, slots=True, kw_only=True)
class SoughtConstraint:
    """A constraint that texts are to tell of."""

    pattern: Pattern
    grounded: GroundedConstraint | None  # what the graph has for it
    leads: bool  # whether another constraint asks on about its value
    reads: bool  # whether a value is looked for at all


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """Recovers passages for constraints and reads values in them: by a language model where one may be asked."""

    question: str
    over: View
    recovery: Recovery
    reading: ReadValues
    model: Within | None = None  # that reads; None, or no calls left: the span model does
    among: Sequence[int] | None = None  # the question's own paragraphs, where text is searched in no others

    def blocks(self, sought: Sequence[SoughtConstraint]) -> list[ConstraintBlock]:
        """The evidence of text for constraints that need nothing of each other, and the values of their open ends."""
        recovered = [self.recovered(one.pattern) for one in sought]
        asked = [place for place, one in enumerate(sought) if self._reads(one)]
        read: dict[int, ModelReading | None] = {}
        if self.model is not None and asked:
            questions = [sought[place].pattern.asked for place in asked]
            found = read_by_model(self.model, questions, [recovered[place] for place in asked], self.over)
            read = dict(zip(asked, found, strict=True))
        return [self._block(one, recovered[place], read.get(place)) for place, one in enumerate(sought)]

    def recovered(self, pattern: Pattern) -> list[tuple[int, float]]:
        """The passages that say most about a constraint, best first."""
        return self.recovery.passages(self.question, pattern, self.over, among=self.among)

    def _reads(self, one: SoughtConstraint) -> bool:
        return self.reading.by != "nobody" and one.reads and one.pattern.open is not None

    def _block(
        self, one: SoughtConstraint, passages: list[tuple[int, float]], read: ModelReading | None
    ) -> ConstraintBlock:
        """What texts say of one constraint, as a language model has read it or else the span model does."""
        names: list[str] = []
        quotes: tuple[Quote, ...] = ()
        about: str | None = None  # whose own passage is worth showing
        if read is not None:
            names = [read.value] if read.value is not None else []
            about, quotes = read.value, read.quotes
            passages = _quoted_first(passages, read.quoted)
        elif self._reads(one):
            values, about = self._by_span_model(one, passages)
            names = [value.name for value in values]
            quotes = tuple(Quote(value.passage, value.start, value.end) for value in values[:1])
        if about is not None and not one.leads:
            passages = self._with_own(passages, about)
        return ConstraintBlock(
            pattern=one.pattern,
            status="recovered" if names and (read is None or read.established) else "unresolved",
            passages=tuple(passages),
            grounded=one.grounded,
            values=tuple(dict.fromkeys(names)),
            quotes=quotes,
            quoted=read.quoted if read is not None else (),
            sought=self._reads(one),
            note="both ends are known: what remains is to compare them" if one.pattern.compares else "",
        )

    def _by_span_model(
        self, one: SoughtConstraint, passages: Sequence[tuple[int, float]]
    ) -> tuple[list[Value], str | None]:
        """What the open end may stand for, likeliest first, and the value whose own passage is worth showing."""
        numbers = [number for number, _ in passages]
        type_ = one.pattern.open.type if one.pattern.open is not None else ""
        values = told = read_values(one.pattern, numbers, self.over)
        if one.leads or kind_of(type_) in TOLD_APART:
            suspected = self._suspected(one.grounded, numbers)
            told = told_apart(self.question, values, suspected, self.over, self.reading.told_apart)
        return (told if one.leads else values), next((value.name for value in told), None)

    def _with_own(self, passages: list[tuple[int, float]], name: str) -> list[tuple[int, float]]:
        """The passage about a value that no other constraint asks about comes after the one that leads to it."""
        own = own_passage(name, self.over)
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


def _quoted_first(passages: Sequence[tuple[int, float]], quoted: Sequence[int]) -> list[tuple[int, float]]:
    """The passages with those first that a language model quoted: the value stands or falls with them."""
    scores = dict(passages)
    first = max(scores.values(), default=0.0)
    return [(one, scores.get(one, first)) for one in quoted] + [item for item in passages if item[0] not in quoted]
