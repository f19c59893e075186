"""What earlier steps of a question found, as blocks of a prompt that goes on from there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from polyhop.prompts.blocks import PromptBlock
from polyhop.types import Passage

SHOWN_QUOTES = 3  # of one step


@dataclass(frozen=True, slots=True)
class EarlierStep:
    """A sub-question that was asked: its answer, and the sentences of documents that were quoted for it."""

    question: str
    answer: str  # a guess, unless it is established; "" for none
    quotes: tuple[str, ...] = ()
    established: bool = True


def earlier_blocks(steps: Sequence[EarlierStep], beside: Sequence[Passage] = ()) -> list[PromptBlock]:
    """A block a step, ``EARLIER STEP 1`` and so on: question, answer and quotations, a line each.

    That an answer is a guess is part of the block's mark, where no text can imitate it. A sentence is said once: what
    stands in a passage shown ``beside`` them, or below a step before, is not quoted.
    """
    return [
        PromptBlock(f"EARLIER STEP {number}{'' if step.established else ', A GUESS'}", _shown(step))
        for number, step in enumerate(_saying_once(steps, beside), 1)
    ]


def _saying_once(steps: Iterable[EarlierStep], beside: Sequence[Passage]) -> list[EarlierStep]:
    told: set[str] = set()
    kept = []
    for step in steps:
        new = [one for one in step.quotes if one not in told and not any(one in passage.text for passage in beside)]
        told.update(new)
        kept.append(replace(step, quotes=tuple(new)))
    return kept


def quoted(step: EarlierStep, most: int = SHOWN_QUOTES) -> list[str]:
    """The first quotations of a step, each on a line."""
    return [f"“{one_line(quote)}”" for quote in step.quotes[:most]]


def one_line(text: str) -> str:
    """A text without line breaks, so that it cannot pass for several."""
    return " ".join(text.split())


def _shown(step: EarlierStep) -> str:
    return "\n".join((one_line(step.question), one_line(step.answer), *quoted(step)))
