"""What a language model reads in recovered passages, several constraints in one call (C2RAG, 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyhop.indexes.by_turns import Scored
from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts.answer_step import MOST_TOGETHER, StepAnswer, answer_step, answer_together
from polyhop.reading.reader import Quote
from polyhop.strategies.shared.judge import may_tell
from polyhop.types import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldConstraint:
    """What whoever read texts says of a constraint."""

    values: tuple[str, ...] = ()  # that its open end may stand for, likeliest first
    quotes: tuple[Quote, ...] = ()  # where the likeliest of them was read, or that there is none
    quoted: tuple[int, ...] = ()  # the passages that a language model quoted, each once
    established: bool = True  # otherwise the likeliest is a guess
    chance: float | None = None  # that the likeliest is right, where that is known


def read_by_model(
    model: Within, questions: Sequence[str], recovered: Sequence[Scored], over: View
) -> list[ToldConstraint | None]:
    """What is read for each of the questions, in their order; None where no calls are left, or the output is no use.

    That a model has said nothing of a question does not mean that the passages do not. Of what was recovered for a
    question, those passages are shown that may tell. Raises EndpointError.
    """
    read: list[ToldConstraint | None] = []
    for first in range(0, len(questions), MOST_TOGETHER):
        some = slice(first, first + MOST_TOGETHER)
        try:
            read += _in_one_call(model, questions[some], recovered[some], over)
        except NoCallsLeft:
            read += [None for _ in questions[some]]
    return read


def _in_one_call(
    model: Within, questions: Sequence[str], recovered: Sequence[Scored], over: View
) -> list[ToldConstraint | None]:
    numbers = sorted({number for passages in recovered for number in may_tell(dict(passages))})
    shown = dict(zip(numbers, over.passages(numbers), strict=True))
    passages = list(shown.values())
    if len(questions) == 1:
        found: Sequence[StepAnswer] = [answer_step(model, questions[0], (), passages)]
    else:
        found = answer_together(model, questions, (), passages)
    return [_reading(one, shown) if one.usable else None for one in found]


def _reading(found: StepAnswer, shown: Mapping[int, Passage]) -> ToldConstraint:
    """A value with all that was quoted for it; one for which nothing was quoted is not from the passages."""
    numbered = list(shown.items())
    quoted = [(*numbered[quote.passage_index], quote) for quote in found.quotes]
    return ToldConstraint(
        values=(found.text,) if quoted and found.text is not None else (),
        quotes=tuple(Quote(passage, quote.start, quote.end) for _, passage, quote in quoted),
        quoted=tuple(dict.fromkeys(number for number, _, _ in quoted)),
        established=found.sufficient,
    )
