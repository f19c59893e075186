"""What every reader is: a question and evidence in, an answer with quotations out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Protocol, runtime_checkable

from polyhop import registry
from polyhop.models.choice import Models, load_models
from polyhop.ports import LanguageModel
from polyhop.settings import AUTO, Settings
from polyhop.types import AnswerKind, ConfidenceKind, Cost, Evidence, Hop, Passage, Span

OFFLINE: Final = "trained"  # the reader that asks no language model
_COMMON: Final = frozenset({"stance", "brief"})  # settings that mean the same to every reader


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a passage's text that supports an answer."""

    passage: Passage
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands in its document."""
        return Span(self.passage.document_id, self.passage.start + self.start, self.passage.start + self.end)


def text_of(quote: Quote) -> str:
    """What a quotation says."""
    return quote.passage.text[quote.start : quote.end]


def headings_over(quote: Quote) -> tuple[str, ...]:
    """The nearest heading above a quotation in its passage; where none is, those that the passage begins under."""
    return quote.passage.headings_over(quote.start)


def heading_over(quote: Quote) -> str:
    """The same as one text."""
    return " > ".join(headings_over(quote))


def hop_read(
    question: str, found: str | None, quote: Quote, *, step: int | None = None, chance: float | None = None
) -> Hop:
    """The hop of a step that was answered by reading: what was found, and the sentence that tells it."""
    return Hop(
        question=question,
        status="recovered",
        found=found,
        passages=(quote.passage,),
        sentences=(quote.span,),
        step=step,
        chance=chance,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader made of the evidence; ``text`` is None where it does not answer the question.

    Each of the ``items`` of a list has its quotations among the ``quotes``, or in its own words; what has none is not
    borne out, and then the reading is not ``grounded``.
    """

    text: str | None
    kind: AnswerKind = AnswerKind.VALUE
    items: tuple[tuple[str, *tuple[Quote, ...]], ...] = ()
    quotes: tuple[Quote, ...] = ()
    hops: tuple[Hop, ...] = ()  # of the plan's steps that the answer puts together, as they were read
    confidence: float = 0.0  # 0 to 1
    confidence_kind: ConfidenceKind = ConfidenceKind.CHANCE
    grounded: bool = True
    note: str = ""
    cost: Cost = Cost()
    learnt: tuple[str, ...] = ()  # by question that was looked up for it, its answer or nothing
    lacking: tuple[str, ...] = ()  # questions that have to be looked up before it is sure
    withheld: bool = False  # a language model holds that there is an answer, and what it says is not borne out


def sure(reading: Reading, threshold: float) -> Reading:
    """The reading, without an answer where its confidence is below the threshold; its quotations stay."""
    if reading.text is None or reading.confidence >= threshold:
        return reading
    note = f"{reading.text!r} is too uncertain ({reading.confidence:.2f} of {threshold:.2f}); {reading.note}"
    return replace(reading, text=None, items=(), note=note)


def doubted(reading: Reading, logits: float, why: str) -> Reading:
    """The reading, less sure by so many logits of its confidence, and why."""
    return replace(reading, confidence=less_likely(reading.confidence, logits), note=f"{why}; {reading.note}")


def less_likely(chance: float, logits: float) -> float:
    """A chance that has become so many logits (below 0) smaller."""
    odds = chance * math.exp(logits)
    return odds / (odds + 1 - chance)


@runtime_checkable
class Reader(Protocol):
    """Answers from evidence alone. A reader is a frozen dataclass; its fields are its settings."""

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """An answer whose quotations stand in the evidence's passages, or none."""


def reader_of(settings: Settings, models: Models) -> tuple[str, Reader]:
    """The reader that the settings name, and its name; where they name none, by which models there are.

    Raises UnknownComponent and SettingError.
    """
    name, own = settings.choice("reader")
    if name == AUTO:
        name = OFFLINE if models.language_model is None else "grounded"
    reader: Reader = registry.build("readers", name, own)
    return name, reader


def in_few_words(settings: Settings, model: LanguageModel | None = None) -> Settings:
    """The settings with ``reader.brief`` on, unless they say otherwise, where a language model reads.

    Gold answers are brief. ``model``: the one that reads instead of the configured one.
    """
    name = settings.choice("reader")[0]
    reads = name == "grounded" or (name == AUTO and load_models(settings, model).language_model is not None)
    return settings.above({"reader": {"brief": True}}) if reads else settings


def without_language_model(settings: Settings) -> tuple[str, Reader] | None:
    """The reader where the language model cannot be asked, or says what is not borne out; None where one was named."""
    name, own = settings.choice("reader")
    if name != AUTO:
        return None
    reader: Reader = registry.build("readers", OFFLINE, {each: own[each] for each in _COMMON & own.keys()})
    return OFFLINE, reader
