"""What is searched for next: a draft of the answer (Iter-RetGen) or one more thought (IRCoT).

A language model writes them where one is configured. Without one they are read: sentences of the passages themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.models.within import NoCallsLeft, Within, before_reading
from polyhop.prompts.draft_answer import draft_answer
from polyhop.prompts.next_thought import next_thought
from polyhop.reading.steps import glance
from polyhop.strategies.baselines.rounds import Round
from polyhop.strategies.baselines.telling import Telling, telling_sentence
from polyhop.types import Budget, Cost, Passage

Mode = Literal["iter-retgen", "ircot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDraft:
    """What was written after a round, what to search for next, and the name in it that leads there."""

    text: str
    query: str | None  # none: there is nothing left to search for
    found: str | None = None


class Drafts(Protocol):
    """Says what to search for next, given the rounds so far."""

    @property
    def source(self) -> str:
        """Who writes, for the trace."""

    @property
    def cost(self) -> Cost:
        """What writing has cost so far."""

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """One more draft or thought, or None where nothing is left to be said."""


@dataclass
class _ByModel:
    """What a language model has written for a question."""

    question: str
    model: Within
    written: list[str] = field(default_factory=list, kw_only=True)

    @property
    def source(self) -> str:
        """The model."""
        return f"language model {self.model.name}"

    @property
    def cost(self) -> Cost:
        """What writing has cost so far."""
        return self.model.spent


class ModelDrafts(_ByModel):
    """Iter-RetGen with a language model: it answers from the last round's passages, and its draft joins the query."""

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """A draft, unless it is empty or the same as the last: it would be answered by the same passages."""
        try:
            draft = draft_answer(self.model, self.question, done[-1].passages)
        except NoCallsLeft:
            return None
        if not draft.text or draft.text in self.written:
            return None
        self.written.append(draft.text)
        return WrittenDraft(text=draft.text, query=f"{draft.text} {self.question}", found=draft.answer or None)


@dataclass
class ModelThoughts(_ByModel):
    """IRCoT with a language model: one more thought from all passages so far, which alone is the next query."""

    collected: int  # passages that it reads, at most

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """A thought; one that gives the answer has no query."""
        try:
            thought = next_thought(self.model, self.question, collected(done, self.collected), self.written)
        except NoCallsLeft:
            return None
        if not thought.text:
            return None
        self.written.append(thought.text)
        ends = thought.answer is not None
        return WrittenDraft(text=thought.text, query=None if ends else thought.text, found=thought.answer or None)


@dataclass
class _BySentences:
    """The sentences that were read for a question, one after the other, where no language model writes."""

    question: str
    models: Models
    sentences: int  # read for a draft or a thought, at most
    written: list[str] = field(default_factory=list, kw_only=True)
    source: str = field(default="nobody: sentences that were read", kw_only=True)
    cost: Cost = field(default=Cost(), kw_only=True)

    def _told(self, passages: Sequence[Passage]) -> Telling | None:
        """The sentence that tells most beyond those before it, which is one of them from now on."""
        told = telling_sentence(self.question, self.written, passages, self.models, most=self.sentences)
        if told is not None:
            self.written.append(told.text)
        return told


class ReadDrafts(_BySentences):
    """Iter-RetGen without a language model: the draft is the sentence that tells most, and the likeliest answer."""

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """A draft, where the last round's passages add words to the question and the drafts before."""
        told = self._told(done[-1].passages)
        if told is None:
            return None
        found = next((one.text for one in glance(self.question, [told.passage], self.models)), None)
        text = told.text if found is None else f"{told.text} {found}"
        return WrittenDraft(text=text, query=f"{text} {self.question}", found=found)


@dataclass
class ReadThoughts(_BySentences):
    """IRCoT without a language model: a thought is the sentence that tells most beyond the thoughts before it."""

    collected: int  # passages whose sentences may become thoughts

    def next(self, done: Sequence[Round]) -> WrittenDraft | None:
        """A thought, where a passage adds words to the question and the thoughts before."""
        told = self._told(collected(done, self.collected))
        return None if told is None else WrittenDraft(text=told.text, query=told.text)


def collected(done: Sequence[Round], most: int) -> list[Passage]:
    """The passages of all rounds in the order in which they came, each once, at most so many."""
    return list({passage.id: passage for one in done for passage in one.passages}.values())[:most]


def drafts_for(mode: Mode, question: str, over: View, budget: Budget, *, collected: int, sentences: int) -> Drafts:
    """Who writes: the configured language model, as long as calls are left beside the reader's, or nobody."""
    within = before_reading(over.models.language_model, budget)
    if within is not None:
        if mode == "iter-retgen":
            return ModelDrafts(question, within)
        return ModelThoughts(question, within, collected)
    if mode == "iter-retgen":
        return ReadDrafts(question, over.models, sentences)
    return ReadThoughts(question, over.models, sentences, collected)
