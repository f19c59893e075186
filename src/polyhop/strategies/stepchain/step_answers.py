"""Answering sub-questions with a language model, within what a question may ask it (StepChain, Eq. 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.layers.view import View
from polyhop.models.accounting import estimated_tokens
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts.answer_step import StepAnswer, answer_step
from polyhop.prompts.decompose import decompose
from polyhop.types import Passage, Span


@dataclass(frozen=True, slots=True)
class StepFinding:
    """What a step found: an answer that its passages bear out, or None, with the sentence or with what it lacks."""

    text: str | None = None
    source: int | None = None  # number of the passage
    span: Span | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class StepReader:
    """Asks a language model for the answers to steps, as long as calls are left for what must come after."""

    model: Within
    over: View
    tokens: int  # of chains and passages that one call may be shown

    def answer(
        self, question: str, chains: Sequence[str], numbers: Sequence[int], known: Sequence[tuple[str, str]]
    ) -> StepFinding | None:
        """The answer to a sub-question from chains and passages, best first; None where no calls are left for it.

        Raises EndpointError.
        """
        shown = self._fitting(chains, numbers)
        try:
            found = answer_step(self.model, question, chains, list(shown.values()), known=known)
        except NoCallsLeft:
            return None
        if found.sufficient and found.quotes:
            quote = found.quotes[0]
            number, passage = list(shown.items())[quote.passage_index]
            span = Span(passage.document_id, passage.start + quote.start, passage.start + quote.end)
            return StepFinding(found.text, number, span)
        return StepFinding(note=_lacking(found))

    def other_steps(self, question: str, known: Sequence[tuple[str, str | None]]) -> tuple[str, ...] | None:
        """Other steps that lead to what is missing; None where there are none. Raises EndpointError."""
        try:
            steps, _ = decompose(self.model, question, known=known)
        except NoCallsLeft:
            return None
        return None if steps == (question,) else steps

    def _fitting(self, chains: Sequence[str], numbers: Sequence[int]) -> dict[int, Passage]:
        """The first of the passages, as many as fit beside the chains; always one."""
        left = self.tokens - sum(map(estimated_tokens, chains))
        fitting: dict[int, Passage] = {}
        for number, passage in zip(numbers, self.over.passages(numbers), strict=True):
            left -= estimated_tokens(passage.text)
            if fitting and left < 0:
                break
            fitting[number] = passage
        return fitting


def _lacking(found: StepAnswer) -> str:
    if found.text is None:
        return "the passages do not say"
    return f"a guess that no passage bears out: {found.text}"
