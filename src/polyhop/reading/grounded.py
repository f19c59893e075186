"""Reads answers with the configured language model; what no passage says word for word does not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.errors import UsageError
from polyhop.models.choice import Models
from polyhop.prompts.read_answer import ReadAnswer, read_answer
from polyhop.reading.reader import Quote, Reading
from polyhop.types import Evidence, Passage


@dataclass(frozen=True, kw_only=True)
class Grounded:
    """Asks the language model, which has to quote; an answer without a genuine quotation is not found."""

    threshold: float = 0.3  # of the confidence: below, nothing counts as found
    max_tokens: int = 700  # that the model may write

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The model's answer with its quotations, None where the passages do not have it.

        It sees what the strategy concluded, and has to quote passages for it all the same (StepChain, Eq. 11). The
        confidence is the share of its quotations that are genuine. Raises UsageError without a language model,
        EndpointError, OutputInvalid, BudgetExceeded.
        """
        model = models.language_model
        if model is None:
            raise UsageError(
                "The reader 'grounded' needs a language model, and none is configured.",
                remedy="Set POLYHOP_BASE_URL and POLYHOP_MODEL, or use the reader 'extractive'.",
            )
        passages = list(evidence.passages)
        answer = read_answer(model, question, passages, findings=evidence.synthesis, max_tokens=self.max_tokens)
        quotes = _quotes(answer, passages)
        if answer.text is None:
            return Reading(text=None, quotes=quotes, note="the passages do not establish an answer", cost=answer.cost)
        confidence = len(answer.quotes) / (len(answer.quotes) + answer.dropped) if answer.quotes else 0.0
        note = f"{len(answer.quotes)} quotations are genuine, {answer.dropped} are not"
        found = answer.grounded and confidence >= self.threshold
        text = answer.text if found else None
        return Reading(text=text, quotes=quotes, confidence=confidence, note=note, cost=answer.cost)


def _quotes(answer: ReadAnswer, passages: Sequence[Passage]) -> tuple[Quote, ...]:
    return tuple(Quote(passages[quote.passage_index], quote.start, quote.end) for quote in answer.quotes)
