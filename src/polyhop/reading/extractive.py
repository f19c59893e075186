"""Reads answers out of passages without a language model: by rules, the parser and the cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhop.english.answer_type import answer_type
from polyhop.models.choice import Models
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.candidates import Candidate, Finder, Wanted
from polyhop.reading.comparison import compare
from polyhop.reading.confidence import Confidence
from polyhop.reading.conversations.answers import read_conversations
from polyhop.reading.conversations.told import Chats
from polyhop.reading.event_order import ordered
from polyhop.reading.inner import innermost, spelled_out
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.subjects import names_in
from polyhop.types import Evidence, Hop, Passage

FEW_SENTENCES = 4  # what is read to find the way to an answer, rather than the answer
FEW_PARSED = 2
MOST_STEPS = 4  # that are found before the answer


def best_candidate(question: str, passages: Sequence[Passage], models: Models) -> Candidate | None:
    """The likeliest short answer to a question of one step; None where nothing could be one.

    Made for what a multi-hop plan looks up on its way: it reads few sentences.
    """
    finder = Finder(sentences=FEW_SENTENCES, parsed=FEW_PARSED)
    found = finder.candidates(Wanted.of(question, passages), passages, models)
    return found[0] if found else None


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
        read = compare(question, prose, models) or self._extracted(question, evidence, prose, models)
        return told if told is not None and told.confidence >= read.confidence else read

    def _extracted(self, question: str, evidence: Evidence, passages: Sequence[Passage], models: Models) -> Reading:
        finder = Finder(sentences=self.sentences, parsed=self.parsed)
        asked, way = _settled(question, finder, passages, models)
        planned = _last_question(evidence)
        if planned is not None and len(way) < len(evidence.hops) - 1:
            asked, way = planned, []
        wanted = Wanted.of(asked, passages, known=[step.text for step in way])
        found = finder.candidates(wanted, passages, models)
        if not found:
            return Reading(text=None, note=f"nothing in the passages could answer: {asked}")
        best = found[0]
        steps = [_quote(step) for step in way] or _quotes(evidence.hops[:-1])
        return Reading(
            text=best.text,
            quotes=tuple(dict.fromkeys([*steps, _quote(best)])),
            confidence=Confidence().of(question, best, way, passages),
            note="; ".join([*(f"found {step.text}" for step in way), f"asked: {asked}"]),
        )


def _settled(question: str, finder: Finder, passages: Sequence[Passage], models: Models) -> tuple[str, list[Candidate]]:
    """The question with what its descriptions describe in their places, and how that was found."""
    question = spelled_out(question)
    titles = [passage.title for passage in passages]
    way: list[Candidate] = []
    while len(way) < MOST_STEPS:
        inner = innermost(question, names_in(question, [*titles, *(step.text for step in way)]))
        if inner is None:
            break
        wanted = Wanted.of(inner.question, passages, known=[inner.name])
        passed = {step.text for step in way}
        found = [one for one in finder.candidates(wanted, passages, models) if one.text not in passed]
        if not found:
            break
        way.append(found[0])
        question = question[: inner.start] + found[0].text + question[inner.end :].lstrip('"”»')
    return question, way


def _last_question(evidence: Evidence) -> str | None:
    """The last hop's question, where it was made with what an earlier hop found and asks for the same kind of thing."""
    if len(evidence.hops) < 2 or evidence.hops[-1].question == evidence.question:
        return None
    *earlier, last = evidence.hops
    made = any(hop.found and hop.found in last.question for hop in earlier)
    return last.question if made and answer_type(last.question) is answer_type(evidence.question) else None


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
