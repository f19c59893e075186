"""What is searched for next: a draft of the answer (Iter-RetGen) or one more thought (IRCoT).

A language model writes them where one is configured. Without one they are read: sentences of the passages themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from polyhop.models.choice import Models
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts.draft_answer import draft_answer
from polyhop.prompts.next_thought import next_thought
from polyhop.reading.steps import glance
from polyhop.strategies.baselines.rounds import Round
from polyhop.strategies.baselines.telling import Telling, telling_sentence
from polyhop.types import Cost, Passage

Mode = Literal["iter-retgen", "ircot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDraft:
    """What was written after a round, what to search for next, and the name in it that leads there."""

    text: str
    query: str | None  # none: there is nothing left to search for
    found: str | None = None


@dataclass(kw_only=True)
class Drafts:
    """Says what to search for next, given the rounds so far."""

    mode: Mode
    question: str
    models: Models
    model: Within | None  # that writes; None: nobody does, sentences are read
    collected: int  # passages that a thought is made of, at most
    sentences: int  # read for a draft or a thought, at most
    written: list[str] = field(default_factory=list, init=False)

    @property
    def source(self) -> str:
        """Who writes, for the trace."""
        return "nobody: sentences that were read" if self.model is None else f"language model {self.model.name}"

    @property
    def cost(self) -> Cost:
        """What writing has cost so far."""
        return Cost() if self.model is None else self.model.spent

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """One more draft or thought, or None where nothing is left to be said, or no call to say it."""
        try:
            return self._draft(done[-1].passages) if self.mode == "iter-retgen" else self._thought(done)
        except NoCallsLeft:
            return None

    def _draft(self, passages: Sequence[Passage]) -> WrittenDraft | None:
        """Iter-RetGen: an answer from the last round's passages, which joins the query.

        Without a language model it is the sentence that tells most, and the likeliest answer. None where it is empty,
        or the same as one before: it would be answered by the same passages.
        """
        if self.model is None:
            told = self._told(passages)
            if told is None:
                return None
            found = next((one.text for one in glance(self.question, [told.passage], self.models)), None)
            text = told.text if found is None else f"{told.text} {found}"
        else:
            draft = draft_answer(self.model, self.question, passages)
            text, found = draft.text, draft.answer or None
            if not text or text in self.written:
                return None
            self.written.append(text)
        return WrittenDraft(text=text, query=f"{text} {self.question}", found=found)

    def _thought(self, done: Sequence[Round]) -> WrittenDraft | None:
        """IRCoT: one more thought from all passages so far, which alone is the next query; an answer has none.

        Without a language model it is the sentence that tells most beyond the thoughts before it.
        """
        once = {passage.id: passage for one in done for passage in one.passages}
        passages = list(once.values())[: self.collected]
        if self.model is None:
            told = self._told(passages)
            return None if told is None else WrittenDraft(text=told.text, query=told.text)
        thought = next_thought(self.model, self.question, passages, self.written)
        if not thought.text:
            return None
        self.written.append(thought.text)
        ends = thought.answer is not None
        return WrittenDraft(text=thought.text, query=None if ends else thought.text, found=thought.answer or None)

    def _told(self, passages: Sequence[Passage]) -> Telling | None:
        """The sentence that tells most beyond those before it, which is one of them from now on."""
        told = telling_sentence(self.question, self.written, passages, self.models, most=self.sentences)
        if told is not None:
            self.written.append(told.text)
        return told
