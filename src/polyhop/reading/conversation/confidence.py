"""How far an answer from conversations can be trusted: whether they speak of what is asked at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.reading.conversation.asked import Asked, stems
from polyhop.reading.conversation.heard import Heard


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """A logistic model of what the cross-encoder and the words tell.

    Its weights were fitted to questions about chats of one data set, some of them without an answer. A question that
    has none still meets turns that sound like it; what it asks for beyond them is said in no single conversation.
    """

    bias: float = -4.3
    heard: float = 0.4  # the greatest of the cross-encoder's logits for turns and sentences
    covered: float = 4.0  # the share of the question's words that the conversation has which the best turn is from
    doubtful: float = -1.6  # the strategy itself doubts its evidence
    another_day: float = -1.0  # the question names days, and the conversation took place on none of them

    def of(self, asked: Asked, turns: Sequence[Heard], sentences: Sequence[Heard], *, doubtful: bool) -> float:
        """The chance that the best turn speaks of what is asked, 0 to 1; each best first, at least one."""
        words = asked.words
        covered = len(words & stems(turns[0].told.passage.text)) / len(words) if words else 0.0
        another_day = bool(asked.dates) and turns[0].told.date not in asked.dates
        heard = max(one.logit for one in (*turns, *sentences))
        total = self.bias + self.heard * heard + self.covered * covered
        total += self.doubtful * doubtful + self.another_day * another_day
        return 1 / (1 + math.exp(-total))
