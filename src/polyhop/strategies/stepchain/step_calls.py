"""Has a language model answer the steps of a question, and keeps to the calls that they may take (StepChain, 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.indexes.by_turns import round_robin
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.strategies.stepchain.asked_step import AskedStep, resting_on
from polyhop.strategies.stepchain.step_answers import StepFinding, StepReader
from polyhop.strategies.stepchain.step_passages import StepPassages

NOT_ASKED = "  not asked: no calls to the language model are left"
NOT_READ = "  not answered: the language model said nothing that can be used"
PLANNED_AND_ASKED = 2  # calls without which another plan is of no use: its own, and one for its first step
# What may follow from earlier answers alone. A name, a date or a place that is not there yet has to be looked up.
FOLLOWS = frozenset({AnswerType.YES_NO, AnswerType.CHOICE, AnswerType.NUMBER})


@dataclass(kw_only=True)
class StepCalls:
    """The calls to a language model that the steps of one question take; ``told`` says what was decided on the way.

    All steps together take a call for each step of the first plan, and ``further`` ones: for reading a step again, for
    another plan, and for the steps of that.
    """

    reader: StepReader
    passages: StepPassages
    further: int
    told: list[str]
    planned: int = 0  # steps of the first plan
    replanned: bool = False
    whole: bool = False  # whether the plan that is followed is one step: the question was not taken apart

    @property
    def spare(self) -> int:
        """Further calls that are left."""
        return self.planned + self.further - self.reader.model.spent.llm_calls

    def read(self, asked: AskedStep, known: Sequence[EarlierStep]) -> None:
        """Have the model answer a step from its chains and passages."""
        if not self._may_ask():
            self.told.append(NOT_ASKED)
            return
        numbers = self.passages.worth_reading(asked, whole=self.whole)
        found = self.reader.answer(asked.question, asked.chains, numbers, known)
        if found is None:
            self.told.append(NOT_READ if self.reader.model.left else NOT_ASKED)
            return
        self._takes(asked, found)

    def read_together(self, asked: Sequence[AskedStep], known: Sequence[EarlierStep]) -> None:
        """Have the model answer several steps in one call, from what each of them came to, by turns.

        Of what it leaves out the first is asked by itself, the others when it is their turn.
        """
        found = None
        if self._may_ask():
            numbers = dict.fromkeys(round_robin(self.passages.worth_reading(one, whole=self.whole) for one in asked))
            chains = [chain for one in asked for chain in one.chains]
            found = self.reader.together([one.question for one in asked], chains, numbers, known)
        if found is None:
            self.told.append(NOT_ASKED)
            return
        read = [(one, what) for one, what in zip(asked, found, strict=True) if what is not None]
        for one, what in read:
            self._takes(one, what)
        told = " | ".join(one.question for one, _ in read)
        self.told.append(f"  answered in one call: {told}" if read else NOT_READ)
        if read and not asked[0].settled and self.spare > 0:
            self.read(asked[0], known)

    def read_again(self, asked: AskedStep, known: Sequence[EarlierStep]) -> None:
        """Have the model confirm, correct or replace what a step came to, with text that it has not seen for it.

        What rests on a guess is not read again: no text about it makes the guess any surer. What a first reading quoted
        is shown again, and a step never ends with less than that reading had.
        """
        if asked.established or asked.supposes or not asked.shown or self.spare < 1:
            return
        others = self.passages.others(asked.question, asked.shown)
        again = self.reader.again(asked.earlier(), asked.sources, others, known) if others else None
        if again is None:
            return
        self.told.append(f"  {asked.note}; asked again with other text")
        if again.established or (again.text and (again.quotes or not asked.quotes)):
            self._takes(asked, again)

    def combined(self, question: str, before: Sequence[AskedStep], *, position: int) -> AskedStep | None:
        """A step that compares or counts what earlier ones found, with their quotations; None where it does more.

        No passage says which of two bridges is older where each has a page of its own.
        """
        if len(before) < 2 or not all(one.carried for one in before) or answer_type(question) not in FOLLOWS:
            return None
        answer = self.reader.combined(question, [one.earlier() for one in before]) if self._may_ask() else None
        if answer is None:
            return None
        self.told.append(f"answered from earlier answers: {question}")
        guesses = tuple(one.answer for one in before if one.supposed and one.answer)
        return AskedStep(
            position=position,
            question=question,
            passages=[],
            way=tuple(dict.fromkeys(number for one in before for number in one.way)),
            answer=answer,
            established=not guesses,
            carried=True,
            supposes=guesses,
            sources=tuple(dict.fromkeys(number for one in before for number in one.sources)),
            spans=tuple(dict.fromkeys(span for one in before for span in one.spans)),
            quotes=tuple(dict.fromkeys(quote for one in before for quote in one.quotes)),
            settled=True,
            note=resting_on(guesses),
        )

    def other_steps(self, tried: Sequence[EarlierStep]) -> tuple[str, ...] | None:
        """Another way to the answer, beginning with what was found; None where the model knows none.

        Asked for once a question, and only where calls are left to go that way.
        """
        if self.replanned or self.spare < PLANNED_AND_ASKED:
            return None
        self.replanned = True
        steps = self.reader.other_steps(tried)
        if steps is not None:
            self.told.append(f"taken apart again: {' | '.join(steps)}")
        return steps

    def _takes(self, asked: AskedStep, found: StepFinding) -> None:
        asked.takes(found, unquoted=not self.reader.pruned)

    def _may_ask(self) -> bool:
        """Whether a step may be asked: one of the first plan always, one of another plan while there are calls."""
        return not self.replanned or self.spare > 0
