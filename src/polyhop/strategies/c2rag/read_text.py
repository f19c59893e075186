"""What texts say of a constraint that the graph does not settle, and the value that is read there (C2RAG, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from polyhop.indexes.names import normal
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.reading.reader import Quote
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.read_by_model import ToldConstraint, read_by_model
from polyhop.strategies.c2rag.recover import Recovery, own_passage, read_values
from polyhop.strategies.shared.leads import BORNE_OUT, Lead, Leads
from polyhop.strategies.shared.phrases import phrase_vectors

LINKS: Final = 6  # names that passages and facts link to, considered beside those that the span model reads
VALUES: Final = 5  # of a placeholder at most, the likeliest first
FAR: Final = 8.0  # logits behind the likeliest, from where nothing is a value any more


@dataclass(frozen=True, kw_only=True)
class ReadValues:
    """Who reads in recovered passages what a placeholder stands for, and so what the graph could not bind."""

    by: Literal["model", "span_model", "nobody"] = "model"  # model: the language model if there is one, else span_model
    told_apart: int = 3  # values read by the span model that are told apart by where they lead; 0: the likeliest counts


@dataclass(frozen=True, slots=True, kw_only=True)
class SoughtConstraint:
    """A constraint that texts are to tell of."""

    pattern: Pattern
    grounded: GroundedConstraint | None  # what the graph has for it
    leads: bool  # whether another constraint asks on about its value
    reads: bool  # whether a value is looked for at all
    onward: Callable[[str], str]  # what another constraint asks about a value


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """Recovers passages for constraints and reads values in them: by a language model where one may be asked."""

    question: str
    over: View
    recovery: Recovery
    reading: ReadValues
    model: Within | None = None  # that reads; None, or no calls left: the span model does
    among: Sequence[int] | None = None  # the question's own paragraphs, where text is searched in no others
    depth: int = 0  # passages nearest to the question that are searched for in the end

    def look_up(self, sought: Sequence[SoughtConstraint]) -> None:
        """Search for what several constraints say, and for the question, in one pass: what is found is kept."""
        if self.among is None and self.over.looked_up is not None:
            queries = phrase_vectors([one.pattern.line for one in sought], self.over)
            if self.depth:
                queries = np.concatenate([queries, self.over.vectors([self.question])])
            self.over.nearest(queries, max(self.recovery.retrieved, self.depth))

    def blocks(self, sought: Sequence[SoughtConstraint]) -> list[ConstraintBlock]:
        """The evidence of text for constraints that need nothing of each other, and the values of their open ends."""
        recovered = [self.recovered(one.pattern) for one in sought]
        asked = [place for place, one in enumerate(sought) if self._reads(one)]
        read: dict[int, ToldConstraint | None] = {}
        if self.model is not None and asked:
            questions = [sought[place].pattern.asked for place in asked]
            found = read_by_model(self.model, questions, [recovered[place] for place in asked], self.over)
            read = dict(zip(asked, found, strict=True))
        return [self._block(one, recovered[place], read.get(place)) for place, one in enumerate(sought)]

    def recovered(self, pattern: Pattern) -> list[tuple[int, float]]:
        """The passages that say most about a constraint, best first."""
        return self.recovery.passages(self.question, pattern, self.over, among=self.among)

    @cached_property
    def _leads(self) -> Leads:
        """For all constraints of the question, which it embeds once."""
        return Leads(question=self.question, over=self.over, values=self.reading.told_apart, links=LINKS)

    def _reads(self, one: SoughtConstraint) -> bool:
        return self.reading.by != "nobody" and one.reads and one.pattern.open is not None

    def _block(
        self, one: SoughtConstraint, passages: list[tuple[int, float]], read: ToldConstraint | None
    ) -> ConstraintBlock:
        """What texts say of one constraint, as a language model has read it or else the span model does."""
        told = read or self._told(one, [number for number, _ in passages])
        passages = _quoted_first(passages, told.quoted)
        if told.values and not one.leads and self.recovery.titled:
            passages = self._with_own(passages, told.values[0])
        return ConstraintBlock(
            pattern=one.pattern,
            status="recovered" if told.values and told.established else "unresolved",
            passages=tuple(passages),
            grounded=one.grounded,
            values=told.values,
            quotes=told.quotes,
            quoted=told.quoted,
            sought=self._reads(one),
            chance=told.chance,
            note="both ends are known: what remains is to compare them" if one.pattern.compares else "",
        )

    def _told(self, one: SoughtConstraint, numbers: Sequence[int]) -> ToldConstraint:
        if not self._reads(one):
            return ToldConstraint()
        if one.leads and self.reading.told_apart and self.among is None:
            return self._told_by_leads(one, numbers)
        found = read_values(one.pattern, numbers, self.over)
        return ToldConstraint(
            values=tuple(dict.fromkeys(name for name, _ in found)), quotes=tuple(quote for _, quote in found[:1])
        )

    def _told_by_leads(self, one: SoughtConstraint, numbers: Sequence[int]) -> ToldConstraint:
        """What the open end may stand for, told apart by where each value leads, as what steps of StepChain find."""
        suspected = self._suspected(one.grounded, numbers)
        names = {normal(name) for each in suspected.values() for name in each}
        found = self._leads.of(
            one.pattern.asked,
            numbers,
            lambda number: suspected.get(number, ()),
            one.onward,
            lambda name: float(normal(name) in names),
        )
        if not found:
            return ToldConstraint()
        best = found[0]
        near = dict.fromkeys(lead.name for lead in found if lead.score > best.score - FAR)
        return ToldConstraint(
            values=tuple(near)[:VALUES],
            quotes=self._quotes(best),
            established=best.score >= BORNE_OUT,
            chance=best.chance,
        )

    def _quotes(self, lead: Lead) -> tuple[Quote, ...]:
        """The sentence in which the span model found a name; none where passages only link to it."""
        if lead.span is None:
            return ()
        [passage] = self.over.passages([lead.source])
        return (Quote(passage, lead.span.start - passage.start, lead.span.end - passage.start),)

    def _with_own(self, passages: list[tuple[int, float]], name: str) -> list[tuple[int, float]]:
        """The passage about a value that no other constraint asks about comes after the one that leads to it."""
        own = own_passage(name, self.over)
        if own is None or not passages or own == passages[0][0] or not self._may_show(own):
            return passages
        rest = [item for item in passages[1:] if item[0] != own]
        return [passages[0], (own, passages[0][1]), *rest]

    def _may_show(self, number: int) -> bool:
        return self.among is None or number in self.among

    def _suspected(self, one: GroundedConstraint | None, recovered: Sequence[int]) -> dict[int, list[str]]:
        """The values of facts that did not suffice to bind them, by the recovered passage that states the fact."""
        graph = self.over.facts
        values: dict[int, list[str]] = {}
        for candidate in one.candidates if one is not None else ():
            number, name = graph.place(candidate.fact)[0], graph.entity(candidate.value).name
            if number in recovered and name != name.lower():  # what leads on has a name of its own
                values.setdefault(number, []).append(name)
        return values


def _quoted_first(passages: Sequence[tuple[int, float]], quoted: Sequence[int]) -> list[tuple[int, float]]:
    """The passages with those first that a language model quoted: the value stands or falls with them."""
    scores = dict(passages)
    first = max(scores.values(), default=0.0)
    return [(one, scores.get(one, first)) for one in quoted] + [item for item in passages if item[0] not in quoted]
