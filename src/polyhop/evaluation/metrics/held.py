"""Whether what was given as an answer holds the gold answer, where that is a sentence; and whether it does not."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.content import MOST, Words, check_share, content, held, share_of_answer, with_share
from polyhop.evaluation.metrics.equality import says, terms
from polyhop.evaluation.outcome import Outcome


def holds(answer: str, quotations: tuple[str, ...], question: Question, least: float) -> bool:
    """Whether an answer and its quotations together hold a gold answer.

    They do where the answer says it (``equality.says``), or where they hold at least a share of its content words,
    those left out that the question has already: "Tessa Quill founded Velmora" is held by "Tessa Quill" where the
    question is who founded Velmora. A gold answer that only says the question again is held by "yes", too.
    """
    words, asked = content(" ".join((answer, *quotations))), content(question.text)
    return any(
        says(answer, reference)
        or share_of_answer(words, reference, asked) >= least
        or (terms(answer)[:1] == ["yes"] and _affirms(reference, asked))
        for reference in question.references
    )


def _affirms(reference: str, asked: Words) -> bool:
    """Whether a gold answer says the question again, or "yes" in words without content: "The Who" has none either."""
    words = content(reference)
    return not words - held(words, asked) if words else terms(reference)[:1] == ["yes"]


@dataclass(frozen=True, kw_only=True)
class Held:
    """Whether the answer, or what it quotes, holds the content of a gold answer."""

    share: float = MOST  # of a gold answer's content words, from which it is held, 0 to 1

    def __post_init__(self) -> None:
        check_share(self.share)

    @property
    def name(self) -> str:
        """``held``, or that of another metric, with the share where that is not the usual one."""
        return with_share(type(self).__name__.lower(), self.share)

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None for unanswerable questions and where nothing was read."""
        if not question.answerable or not outcome.read:
            return None
        given = outcome.answer
        return float(given is not None and holds(given, outcome.quotations, question, self.share))


@dataclass(frozen=True, kw_only=True)
class Wrong(Held):
    """Whether an answer was given and neither it nor what it quotes holds a gold answer: lower is better."""

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0, of unanswerable questions 1.0 for any answer; None where nothing was read."""
        if not outcome.read:
            return None
        given = outcome.answer
        return float(given is not None and not holds(given, outcome.quotations, question, self.share))
