"""What was asked and answered before a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Self

from polyhop.planning.asked import readable
from polyhop.serialisable import Serialisable
from polyhop.types import Answer

LONGEST_QUESTION = 600  # characters of an earlier question that are looked at
LONGEST_ANSWER = 400  # and of an earlier answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(Serialisable):
    """A question of a thread, with what was answered and what the question was taken to mean on its own."""

    question: str
    answer: str | None = None  # None: the documents did not answer it, or nobody says
    standalone: str | None = None  # None: it stood alone, or nobody has found out yet

    @property
    def meant(self) -> str:
        """The question as it stands alone, as far as that is known."""
        return self.standalone or self.question

    def shortened(self) -> Exchange:
        """As much of it as is looked at: whoever asks may send anything as what was said before."""
        return replace(
            self,
            question=readable(self.question[:LONGEST_QUESTION]),
            answer=self.answer and readable(self.answer[:LONGEST_ANSWER]),
            standalone=self.standalone and readable(self.standalone[:LONGEST_QUESTION]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread(Serialisable):
    """Questions with their answers, in the order in which they were asked; an immutable value."""

    exchanges: tuple[Exchange, ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str | None]]) -> Self:
        """A thread of earlier questions with their answers, oldest first; None where there was no answer."""
        return cls(exchanges=tuple(Exchange(question=asked, answer=said) for asked, said in pairs if asked.strip()))

    def after(self, answer: Answer) -> Thread:
        """The thread with one more answer at its end."""
        return Thread(
            exchanges=(
                *self.exchanges,
                Exchange(question=answer.question, answer=answer.text, standalone=answer.standalone),
            )
        )

    def last(self, number: int) -> tuple[Exchange, ...]:
        """The newest exchanges, at most so many and as much of each as is looked at, oldest first."""
        return tuple(exchange.shortened() for exchange in self.exchanges[-number:]) if number > 0 else ()


NO_THREAD: Final = Thread()
