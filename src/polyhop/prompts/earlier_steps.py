"""What earlier steps of a question found, as blocks of a prompt that goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.prompts.blocks import PromptBlock

SHOWN_QUOTES = 3  # of one step


@dataclass(frozen=True, slots=True)
class EarlierStep:
    """A sub-question that was asked: its answer, and the sentences of documents that were quoted for it."""

    question: str
    answer: str  # a guess, unless it is established; "" for none
    quotes: tuple[str, ...] = ()
    established: bool = True


def earlier_blocks(steps: Sequence[EarlierStep]) -> list[PromptBlock]:
    """A block a step, ``EARLIER STEP 1`` and so on: question, answer and quotations, a line each.

    That an answer is a guess is part of the block's mark, where no text can imitate it.
    """
    return [
        PromptBlock(f"EARLIER STEP {number}{'' if step.established else ', A GUESS'}", _shown(step))
        for number, step in enumerate(steps, 1)
    ]


def quoted(step: EarlierStep, most: int = SHOWN_QUOTES) -> list[str]:
    """The first quotations of a step, each on a line."""
    return [f"“{one_line(quote)}”" for quote in step.quotes[:most]]


def one_line(text: str) -> str:
    """A text without line breaks, so that it cannot pass for several."""
    return " ".join(text.split())


def _shown(step: EarlierStep) -> str:
    return "\n".join((one_line(step.question), one_line(step.answer), *quoted(step)))
