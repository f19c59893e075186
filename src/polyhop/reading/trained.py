"""Reads answers out of passages with the small span model, which was trained to point at them or at nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from polyhop.english.answer_type import AnswerShape, AnswerType, answer_shape, answer_type, leaves_number_open
from polyhop.english.degrees import asked_degree, degree_within
from polyhop.english.options import Alternatives, alternatives, choices
from polyhop.models.choice import Models
from polyhop.plans import whole_question
from polyhop.reading.by_kind_of_text import read_by_kind_of_text
from polyhop.reading.chosen_rows import chosen_rows, tables_read
from polyhop.reading.comparison import DATED, Comparison, answered_by_steps
from polyhop.reading.conversations.days import with_the_day
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.hops_found import after_hops, chances_of, found_by_hops, held_against, leading_hops, quotes_of
from polyhop.reading.listed import (
    TOLD,
    Items,
    answers_listed,
    explained,
    in_its_sentence,
    introduced,
    introduces,
    likeliest_list,
    listed_steps,
    looked_up,
    paragraph_of,
    several_listed,
    without_fences,
)
from polyhop.reading.measured import meant_of, measured_choice, measured_of_all, settled_by_bound
from polyhop.reading.pointing import Pointed, Pointing, address_asked_for
from polyhop.reading.reader import Quote, Reading, doubted, sure, text_of
from polyhop.reading.rows import cell_asked_for, cell_of_row, row_at
from polyhop.reading.steps import StepReading, read_steps
from polyhop.reading.subjects import lacks_number, told_of_both, version_telling
from polyhop.reading.weighing import (
    FITTED,
    WORDS,
    Weighed,
    chance_of,
    leaning_of,
    leaning_signs,
    read_weighed,
    told_by,
    verdict_signs,
)
from polyhop.types import AnswerKind, Evidence, Passage

CLAUSE: Final = 4  # words from which a stretch can explain something
LEAST: Final = 2  # sentences that are quoted where they are not unlikely beside the likeliest
FAINT: Final = 0.2  # of the likeliest sentence's chance: below, another has nothing to do with the answer
DOUBT: Final = -0.7  # logits of the confidence, where a strategy doubts its evidence
RESTING: Final = 0.5  # of the likeliest sentence's chance that an answer rests on it: from there, others are quoted too


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Points at the answer with a small model that runs anywhere; where it is sure of a sentence only, quotes that."""

    stance: Literal["cautious", "best"] = "cautious"  # best: what is not sure enough is answered too, and marked
    brief: bool = False  # on: in as few words as possible; off: a sentence where that is surer
    threshold: float = 0.4  # of the confidence: below, what the model points at does not count as found
    decided: float = 0.5  # the same for a yes or a no: below, the other is as likely
    told: float = 0.12  # the same for other languages and the order of events, which rules read
    quoting: float = 0.4  # of a sentence's chance to hold the answer: below, it is no answer by itself
    words: int = WORDS  # of the likeliest sentences of all passages, which are read together
    quotes: int = 4  # sentences quoted at most for an answer; summaries quote twice as many

    def __post_init__(self) -> None:
        if any(not 0 <= chance <= 1 for chance in (self.threshold, self.decided, self.told, self.quoting)):
            raise ValueError("threshold, decided, told and quoting are 0 to 1")
        if min(self.words, self.quotes) < 1:
            raise ValueError("words and quotes are at least 1")

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The likeliest answer, None where the confidence is too low; the quotations then are what came closest."""
        evidence = replace(evidence, doubtful=evidence.doubtful and self.stance == "cautious")
        return self._sure(read_by_kind_of_text(question, evidence, models, self._prose), self.told)

    def _sure(self, reading: Reading, threshold: float) -> Reading:
        """The reading, without an answer below the threshold or, where the stance is best, marked as not borne out."""
        if self.stance == "cautious" or reading.text is None:
            return sure(reading, threshold)
        return replace(reading, grounded=reading.grounded and reading.confidence >= threshold)

    def _prose(self, question: str, evidence: Evidence, passages: Sequence[Passage], models: Models) -> Reading:
        offered = alternatives(question)
        measured = self._measured(question, offered, evidence, passages, models) or _in_a_cell(question, passages)
        measured = measured or version_telling(question, passages)
        if measured is not None and measured.confidence >= self.threshold:
            return measured
        read = read_weighed(question, passages, models, words=self.words)
        read = replace(read, found=(found := after_hops(read.found, evidence)))
        shape = answer_shape(question)
        if shape == "summary":
            return self._extract(read.each)
        planned = self._planned(question, evidence, passages, models)
        direct = (None if self.brief else told_of_both(found)) or (
            self._shaped(question, shape, read, passages, models)
            if offered is None
            else self._offered(offered, found, passages, models)
        )
        if direct.confidence < self.threshold and self._may_be_quoted(direct):
            direct = max(direct, self._quotation(shape, found), key=lambda one: one.confidence)
        if answered_by_steps(evidence.plan):
            direct = replace(direct, confidence=0.0, note=f"nothing could be compared; {direct.note}")
        quoted = shape == "value" and direct.kind is AnswerKind.QUOTATION  # a sentence is surer than any value
        least = self.threshold if quoted or (evidence.plan or whole_question(question)).computes else direct.confidence
        best = planned if planned is not None and planned.confidence >= least else direct
        best = _fitting(question, held_against(best, evidence, None if best is direct else found))
        if evidence.doubtful:
            best = doubted(best, DOUBT, "what was found does not seem to speak of what is asked")
        return self._sure(best, self.threshold)

    def _measured(
        self,
        question: str,
        offered: Alternatives | None,
        evidence: Evidence,
        passages: Sequence[Passage],
        models: Models,
    ) -> Reading | None:
        """The most or the least of those that a question names, or the most or the least in a table.

        Two dates that the plan asks for are read where the passage about each thing tells them.
        """
        final = evidence.plan.final if evidence.plan is not None else None
        degree, options = asked_degree(question), choices(question)
        if offered is not None and (asked := degree_within(offered.frame)) is not None:
            degree, options = asked, offered.options
        if degree is None or (final is not None and final.comparator in DATED):
            return None
        if options is not None:
            return measured_choice(options, degree, passages, models)
        return measured_of_all(question, degree, passages, models)

    def _may_be_quoted(self, direct: Reading) -> bool:
        """Whether a sentence may be the answer instead: never of a choice or a verdict, nor where it is to be brief."""
        return direct.kind not in (AnswerKind.CHOICE, AnswerKind.VERDICT) and (not self.brief or direct.text is None)

    # -- the question as it was asked

    def _shaped(
        self, question: str, shape: AnswerShape, read: Weighed, passages: Sequence[Passage], models: Models
    ) -> Reading:
        """The answer in the shape that the question asks for."""
        found = read.found
        if shape == "verdict":
            settled = settled_by_bound(question, passages, models)
            if settled is not None and settled.confidence >= self.threshold:
                return settled
            replied = _replied(read) if self.stance == "cautious" else None
            return replied or self._sure(self._verdict(read), self.decided)
        options = choices(question) if shape == "choice" else None
        if options is not None:
            return self._choice(options, found)
        if found.best is None:
            return self._quotation(shape, found)
        if shape == "list":
            return self._list(question, found, passages, models)
        named = introduced(found.best.quote) if shape == "open" and found.best.quote is not None else []
        if named:  # "three faults" in the line above them is what they are called
            return _listed(named, found.chance)
        if shape == "steps":
            items, chance = listed_steps(question, passages, models.reranker)
            if items and chance >= self.threshold:
                listed = _listed(items, chance)
                return listed if len(items) > 1 else replace(listed, kind=AnswerKind.EXTRACT, items=())
        if shape == "open":
            items, chance = likeliest_list(found, reranker=models.reranker)
            if items and chance > found.chance:
                return _listed(items, chance)
        if shape in ("steps", "explanation") and not self.brief and len(found.best.text.split()) < CLAUSE:
            return self._quotation(shape, found)
        items, chance = several_listed(found) if _asks_for_any_number(question) else ((), 0.0)
        return _listed(items, chance) if items else self._value(found)

    def _value(self, found: Pointing) -> Reading:
        best = address_asked_for(found) or found.answers[0]
        return Reading(
            text=with_the_day(found.question, best),
            quotes=self._resting(found, [best]),
            confidence=best.chance,
            note=f"pointed at {best.text!r}",
        )

    def _verdict(self, read: Weighed) -> Reading:
        """Yes or no, by the model and by whether the sentence that tells denies what is asked."""
        signs = leaning_signs(read)
        leaning = leaning_of(signs)
        best = told_by(read)
        text = "yes" if leaning > 0 else "no"
        confidence = chance_of(verdict_signs(read, leaning), FITTED.verdict, FITTED.verdict_bias)
        quotes = (*([] if best is None else [best.quote]), *self._resting(read.found, []))
        return Reading(
            text=text,
            kind=AnswerKind.VERDICT,
            quotes=tuple(dict.fromkeys(quotes))[: self.quotes],
            confidence=confidence,
            note=f"{text}: the model leans by {signs[0]:.2f}, what is said by {signs[1]:.2f}",
        )

    def _offered(self, offered: Alternatives, found: Pointing, passages: Sequence[Passage], models: Models) -> Reading:
        """Which of the things the model points at; where it does at none, each is asked for by itself.

        What compares things is true of one of them. Where a yes or no may answer, each is asked for at once.
        """
        if not offered.offered:
            return self._either(offered, passages, models)
        chosen = self._choice(offered.options, found)
        if chosen.confidence >= self.threshold or degree_within(offered.frame) is not None:
            return chosen
        either = self._either(offered, passages, models)
        return either if either.kind is AnswerKind.CHOICE else chosen

    def _either(self, offered: Alternatives, passages: Sequence[Passage], models: Models) -> Reading:
        """Which of the things it is, each being asked for by itself; a yes where it is several, a no where none."""
        verdicts = [
            self._verdict(read_weighed(asked, passages, models, words=self.words)) for asked in offered.questions
        ]
        yes = [option for option, one in zip(offered.options, verdicts, strict=True) if one.text == "yes"]
        quotes = tuple(dict.fromkeys(quote for one in verdicts for quote in one.quotes[:1]))
        reading = Reading(
            text=yes[0] if len(yes) == 1 else "yes" if yes else "no",
            kind=AnswerKind.CHOICE if len(yes) == 1 else AnswerKind.VERDICT,
            quotes=quotes,
            confidence=min(one.confidence for one in verdicts),
            note="; ".join(f"{asked} {one.text}" for asked, one in zip(offered.questions, verdicts, strict=True)),
        )
        return reading if len(yes) == 1 else self._sure(reading, self.decided)  # a yes and a no bear each other out

    def _choice(self, options: Sequence[str], found: Pointing) -> Reading:
        """The option that the model points at most, as sure as it does so more than at any other; nothing else."""
        meant = {one: meant_of(one.text, options) for one in found.answers}
        votes = {option: sum(one.chance for one in found.answers if meant[one] == option) for option in options}
        best = max(votes, key=lambda option: votes[option])
        most, second, *_ = sorted(votes.values(), reverse=True)
        return Reading(
            text=best if votes[best] else None,
            kind=AnswerKind.CHOICE,
            quotes=self._resting(found, [one for one in found.answers[:1] if meant[one] == best]),
            confidence=min(most - second, 1.0),
            note=", ".join(f"{option} {vote:.2f}" for option, vote in votes.items()),
        )

    def _list(self, question: str, found: Pointing, passages: Sequence[Passage], models: Models) -> Reading:
        """The items of the likeliest enumeration, cells of the rows that answer, or several answers."""
        rows = looked_up(question, passages)
        if rows:
            return _listed(rows, TOLD)
        items, chance = likeliest_list(found, anchored=False, reranker=models.reranker)
        chosen = chosen_rows(question, tables_read(found, passages), models)
        if chosen.chance > chance and chosen.chance >= found.chance:
            return _listed(chosen.items, chosen.chance)
        if not items and found.best is not None and found.best.quote is not None:
            items, chance = introduced(found.best.quote), found.chance
        if not items:
            items, chance = answers_listed(found, passages)
        return _listed(items, chance) if items else self._value(found)

    def _quotation(self, shape: AnswerShape, found: Pointing) -> Reading:
        """The sentence that the answer rests on most, as the answer, where it is likely enough.

        A line that introduces a list says nothing without it, nor does an item. What to do is told by a paragraph.
        """
        if not found.sentences:
            return Reading(text=None, note="nothing in the passages could answer")
        best = found.sentences[0]
        told = found.telling if shape in ("value", "open") else found.explaining
        confidence = told if told >= self.quoting else 0.0
        cell = cell_of_row(found.question, best.quote) if shape == "value" else None
        if cell is not None:
            return Reading(text=cell[0], quotes=(cell[1],), confidence=confidence, note="the cell of a row")
        items: Items = []
        if introduces(best.quote):
            items = introduced(best.quote)
            confidence = confidence if items else 0.0
        elif shape != "explanation" and answer_type(found.question) not in (AnswerType.DATE, AnswerType.NUMBER):
            items, _ = likeliest_list(found)
        if items:
            return _listed(items, confidence)
        said = paragraph_of(found) if shape == "steps" else None
        said = explained(best.quote, found.question) if shape == "explanation" else said
        text = without_fences(text_of(said or best.quote))
        quotes = (said,) if said is not None else self._resting(found, [])
        kind = AnswerKind.EXTRACT if said is not None else AnswerKind.QUOTATION
        return Reading(text=text, kind=kind, quotes=quotes, confidence=confidence, note="quoted")

    def _extract(self, found: Pointing) -> Reading:
        """The likeliest sentences, in the order in which they stand."""
        best = [one.quote for one in found.sentences[: 2 * self.quotes]]
        if not best:
            return Reading(text=None, note="there is nothing to summarise")
        ranks = {quote.passage.id: rank for rank, quote in reversed(list(enumerate(best)))}
        quotes = sorted(best, key=lambda quote: (ranks[quote.passage.id], quote.start))
        return Reading(
            text=" ".join(" ".join(text_of(quote).split()) for quote in quotes),
            kind=AnswerKind.EXTRACT,
            quotes=tuple(quotes),
            confidence=found.sentences[0].chance,
            note=f"{len(quotes)} sentences",
        )

    def _resting(self, found: Pointing, answers: Sequence[Pointed]) -> tuple[Quote, ...]:
        """The sentences of answers, and those that they most likely rest on too; always the likeliest of these."""
        own = [one.quote for one in answers if one.quote is not None]
        best = max((one.chance for one in found.sentences), default=0.0)
        shares = (RESTING if at >= LEAST else FAINT for at in range(len(found.sentences)))
        further = [one.quote for one, share in zip(found.sentences, shares, strict=True) if one.chance >= share * best]
        return tuple(dict.fromkeys([*own, *further]))[: self.quotes]

    # -- along the plan

    def _planned(
        self, question: str, evidence: Evidence, passages: Sequence[Passage], models: Models
    ) -> Reading | None:
        """The answer of the plan's last step, or what its final comparison says; None for a plan of one step."""
        plan = evidence.plan or whole_question(question)
        if plan.is_whole:
            return None
        steps = read_steps(plan, passages, models, found=found_by_hops(evidence))
        known = quotes_of(leading_hops(evidence.hops, steps))
        compared = Comparison(passages=passages, models=models).read(question, plan, steps)
        if compared is not None:
            return replace(compared, quotes=tuple(dict.fromkeys([*known, *compared.quotes])))
        last = steps[-1].best
        if plan.final is not None or last is None:
            return None
        way = [step.best for step in steps[:-1] if step.best is not None]
        told = chances_of(evidence)
        chances = [one.chance for one in way]
        chances += [told[place] for place, step in enumerate(steps[:-1]) if step.known and place in told]
        quotes = [*(step.quote for step in way), *known, last.quote]
        return Reading(
            text=last.text,
            quotes=tuple(dict.fromkeys(quotes)),
            confidence=math.sqrt(min(chances, default=1.0) * last.chance),
            note=_told(steps),
        )


def _in_a_cell(question: str, passages: Sequence[Passage]) -> Reading | None:
    """The value of the one cell that a question asks for; None where it asks for something else."""
    cell = cell_asked_for(question, passages) if answer_shape(question) in ("value", "open") else None
    return cell and Reading(text=cell[0], quotes=(cell[1],), confidence=TOLD, note="looked up in a row")


def _fitting(question: str, reading: Reading) -> Reading:
    """The reading, without confidence where it is a row for the most of something, or no number where one is asked."""
    if reading.text is not None and lacks_number(question, reading.text):
        return replace(reading, confidence=0.0, note=f"no number; {reading.note}")
    degree = asked_degree(question)
    row = degree is not None and degree.most and bool(reading.quotes) and row_at(reading.quotes[0]) is not None
    return replace(reading, confidence=0.0, note=f"one row of others; {reading.note}") if row else reading


def _replied(read: Weighed) -> Reading | None:
    """What somebody replied to the question that is asked: the model cannot tell whether that is a yes.

    None where nobody asks it.
    """
    asking = told_by(read)
    spoken = SpokenPassage.of(asking.quote.passage) if asking is not None else None
    reply = spoken.reply_to(asking.quote) if asking is not None and spoken is not None else None
    if asking is None or reply is None:
        return None
    return Reading(
        text=" ".join(text_of(reply).split()),
        kind=AnswerKind.QUOTATION,
        quotes=(reply, asking.quote),
        confidence=asking.chance,
        note="quoted, as the reply",
    )


def _asks_for_any_number(question: str) -> bool:
    """Whether several things may answer; what has most of something is one."""
    return leaves_number_open(question) and asked_degree(question) is None


def _listed(items: Items, chance: float) -> Reading:
    items = [(text, in_its_sentence(quote)) for text, quote in items]
    return Reading(
        text="; ".join(text for text, _ in items),
        kind=AnswerKind.LIST,
        items=tuple(items),
        quotes=tuple(dict.fromkeys(quote for _, quote in items)),
        confidence=chance,
        note=f"{len(items)} items",
    )


def _told(steps: Sequence[StepReading]) -> str:
    return "; ".join([*(f"found {one.answer}" for one in steps[:-1] if one.answer), f"asked: {steps[-1].question}"])
