"""Reads answers out of passages without a language model: by rules, the parser and the cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhop.models.choice import Models
from polyhop.plans import whole_question
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.candidates import Candidate, Finder
from polyhop.reading.comparison import Comparison
from polyhop.reading.confidence import Confidence
from polyhop.reading.conversations.answers import read_conversations
from polyhop.reading.conversations.utterances import Chats
from polyhop.reading.event_order import ordered
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.steps import StepReading, read_step, read_steps
from polyhop.types import Evidence, Hop, Passage


@dataclass(frozen=True, kw_only=True)
class Extractive:
    """Finds the short answer in the passages, with the sentences that say it; needs no language model."""

    threshold: float = 0.12  # of the confidence: below, nothing counts as found
    sentences: int = 12  # read by the cross-encoder for each step
    parsed: int = 5  # of them, searched for answers

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The likeliest answer, None where the confidence is too low; the quotations show the way to it."""
        passages = list(evidence.passages)
        if not passages:
            return Reading(text=None, note="there is nothing to read")
        abroad = asked_abroad(question)
        if abroad is not None:
            from polyhop.reading.abroad.reader import read_abroad  # tables that English questions do not need

            reading = read_abroad(question, abroad, passages)  # which sees by itself what is not spoken of
        else:
            chats = Chats.of(passages)
            reading = ordered(question, chats, models) or self._likeliest(question, evidence, chats, models)
        if reading.text is None or reading.confidence >= self.threshold:
            return reading
        note = f"{reading.text!r} is too uncertain ({reading.confidence:.2f} of {self.threshold:.2f}); {reading.note}"
        return replace(reading, text=None, note=note)

    def _likeliest(self, question: str, evidence: Evidence, chats: Chats, models: Models) -> Reading:
        """What conversations say or what prose does, whichever is trusted more where there are both."""
        told = read_conversations(question, chats, models, doubtful=evidence.doubtful)
        prose = chats.prose
        if told is not None and (not prose or evidence.doubtful):
            return told
        if evidence.doubtful:
            return Reading(text=None, note="what was found does not seem to speak of what is asked")
        read = self._planned(question, evidence, prose, models)
        return told if told is not None and told.confidence >= read.confidence else read

    def _planned(self, question: str, evidence: Evidence, passages: Sequence[Passage], models: Models) -> Reading:
        """The answer along the question's plan: that of the last step, or what its final comparison says."""
        finder = Finder(sentences=self.sentences, parsed=self.parsed)
        plan = evidence.plan or whole_question(question)
        steps = read_steps(plan, passages, models, finder=finder, found=_found(evidence))
        comparison = Comparison(passages=passages, models=models, finder=finder)
        compared = comparison.read(question, plan, steps)
        if compared is not None:
            known = _quotes(_leading(evidence.hops, steps))
            return replace(compared, quotes=tuple(dict.fromkeys([*known, *compared.quotes])))
        if not steps or plan.final is not None or steps[-1].best is None:  # the question as it was asked
            steps = [read_step(question, passages, models, finder=finder)]
        *before, last = steps
        if last.best is None:
            return Reading(text=None, note=f"nothing in the passages could answer: {last.question}")
        way = [step.best for step in before if step.best is not None]
        quotes = [*(_quote(step) for step in way), *_quotes(_leading(evidence.hops, before)), _quote(last.best)]
        return Reading(
            text=last.best.text,
            quotes=tuple(dict.fromkeys(quotes)),
            confidence=Confidence().of(question, last.best, way, passages),
            note="; ".join([*(f"found {step.answer}" for step in before if step.answer), f"asked: {last.question}"]),
        )


def _found(evidence: Evidence) -> dict[int, str]:
    """What the strategy established on its way, by the step that it answers; the last answer is left to be read."""
    found = {hop.step: hop.found for hop in evidence.hops if hop.status != "unresolved"}
    last = len(evidence.plan.steps) - 1 if evidence.plan is not None and evidence.plan.final is None else -1
    return {step: text for step, text in found.items() if step is not None and step != last and text}


def _leading(hops: Sequence[Hop], steps: Sequence[StepReading]) -> Sequence[Hop]:
    """The hops that were relied on: those of steps that were not read again, or all but the last of no plan."""
    if not steps:
        return hops[:-1]
    known = {place for place, step in enumerate(steps) if step.known}
    return [hop for hop in hops if hop.step in known]


def _quote(candidate: Candidate) -> Quote:
    return Quote(candidate.passage, candidate.sentence_start, candidate.sentence_end)


def _quotes(hops: Sequence[Hop]) -> list[Quote]:
    """The sentences of hops, as stretches of the passages they stand in."""
    return [
        Quote(passage, span.start - passage.start, span.end - passage.start)
        for hop in hops
        for span in hop.sentences
        for passage in hop.passages
        if passage.document_id == span.document_id and passage.start <= span.start and span.end <= passage.end
    ]
