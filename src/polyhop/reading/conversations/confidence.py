"""How far an answer from conversations can be trusted: whether they speak of what is asked at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.reading.conversations.asked import ChatQuestion, stems
from polyhop.reading.conversations.ranking import Ranked


@dataclass(frozen=True, kw_only=True)
class ChatConfidence:
    """A logistic model of what the cross-encoder and the words tell.

    Its weights were fitted to questions about chats of one data set, some of them without an answer. A question that
    has none still meets turns that sound like it; what it asks for beyond them is said in no single turn.
    """

    bias: float = -5.4
    heard: float = 0.28  # the greatest of the cross-encoder's logits for turns and sentences
    said: float = 4.5  # the share of the question's words that the best turn has, its speaker, or the turn before it
    covered: float = 2.0  # the share that the rest of its conversation has, too
    doubtful: float = -1.4  # the strategy itself doubts its evidence
    another_day: float = -0.6  # the question names days, and the conversation took place on none of them
    unmet: float = -1.5  # a name, a number, a time, a place or a person is asked for, and none was heard
    whole: float = 8.0  # a whole conversation is asked for by its day, and it is there: no turn needs to sound like it

    def of(
        self,
        asked: ChatQuestion,
        turns: Sequence[Ranked],
        sentences: Sequence[Ranked],
        *,
        doubtful: bool = False,
        unmet: bool = False,
        whole: bool = False,
    ) -> float:
        """The chance that the best turn speaks of what is asked, 0 to 1; each best first, at least one."""
        best = turns[0].utterance
        another_day = bool(asked.dates) and best.date not in asked.dates
        total = self.bias
        total += self.heard * max(one.logit for one in (*turns, *sentences))
        total += self.said * _share(asked.words, stems(f"{best.before} {best.speaker} {best.text}"))
        total += self.covered * _share(asked.words, stems(best.passage.text))
        total += self.doubtful * doubtful + self.another_day * another_day + self.unmet * unmet
        total += self.whole * whole
        return 1 / (1 + math.exp(-total))


def _share(words: frozenset[str], there: frozenset[str]) -> float:
    return len(words & there) / len(words) if words else 0.0
