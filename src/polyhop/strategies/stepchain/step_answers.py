"""Answering sub-questions with a language model, within what a question may ask it (StepChain, Eq. 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polyhop.layers.view import View
from polyhop.models.accounting import estimated_tokens
from polyhop.models.within import NoCallsLeft, Within
from polyhop.prompts import support
from polyhop.prompts.answer_step import StepAnswer, answer_step, answer_together
from polyhop.prompts.combine_answers import combine_answers
from polyhop.prompts.decompose import decompose
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.strategies.stepchain.distinct_chains import distinct, longest
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.types import Passage, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinding:
    """What a step found: an answer, a guess unless it is established, with what was quoted for it and where."""

    text: str | None = None
    established: bool = False
    sources: tuple[int, ...] = ()  # numbers of the passages that were quoted, each once
    spans: tuple[Span, ...] = ()  # what was quoted of them
    quotes: tuple[str, ...] = ()  # the whole sentences that it stands in, as text
    shown: tuple[int, ...] = ()  # the passages that were read
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class StepReader:
    """Asks a language model for the answers to steps, as long as calls are left for what must come after."""

    model: Within
    over: View
    question: str  # the one that all steps lead to
    tokens: int  # of chains and passages that a call may show for a sub-question
    most: int  # of what any call may show
    pruned: bool = True  # whether chains are left out that say nothing new, or that no passage shown states

    def answer(
        self, asked: str, chains: Sequence[EvidenceChain], numbers: Iterable[int], known: Sequence[EarlierStep]
    ) -> StepFinding | None:
        """The answer to a sub-question from chains and passages, best first; None where nobody has read them.

        That is where no calls are left, or where the model's output cannot be used: the passages may tell all the same.
        Of the chains, those are shown whose facts the passages shown state, in the order of these: scores that differ
        by chance make no other prompt. Raises EndpointError.
        """
        shown, lines = self._shown(chains, list(numbers), self.tokens)
        try:
            found = answer_step(self.model, asked, lines, list(shown.values()), known=known, larger=self.question)
        except NoCallsLeft:
            return None
        return _finding(found, shown) if found.usable else None

    def again(
        self, guess: EarlierStep, kept: Sequence[int], others: Sequence[int], known: Sequence[EarlierStep]
    ) -> StepFinding | None:
        """The answer to a sub-question that was read before, from what was quoted then and from other passages.

        Of the others as much as half a first reading may show, and one at least. Raises EndpointError.
        """
        kept_passages = dict(zip(kept, self.over.passages(kept), strict=True))
        shown = {**kept_passages, **self._fitting((), others, self.tokens // 2)}
        before = guess if guess.answer else None
        try:
            found = answer_step(
                self.model, guess.question, (), list(shown.values()), known=known, larger=self.question, guess=before
            )
        except NoCallsLeft:
            return None
        return _finding(found, shown) if found.usable else None

    def together(
        self,
        asked: Sequence[str],
        chains: Sequence[EvidenceChain],
        numbers: Iterable[int],
        known: Sequence[EarlierStep],
    ) -> tuple[StepFinding | None, ...] | None:
        """The same for several sub-questions in one call, which may show each of them as much. Raises EndpointError."""
        tokens = min(self.tokens * len(asked), self.most)
        shown, lines = self._shown(chains, list(numbers), tokens)
        passages = list(shown.values())
        try:
            found = answer_together(self.model, asked, lines, passages, known=known, larger=self.question)
        except NoCallsLeft:
            return None
        return tuple(_finding(one, shown) if one.usable else None for one in found)

    def combined(self, asked: str, steps: Sequence[EarlierStep]) -> str | None:
        """The answer that earlier answers settle by themselves; None where they do not. Raises EndpointError."""
        try:
            return combine_answers(self.model, asked, steps)
        except NoCallsLeft:
            return None

    def other_steps(self, known: Sequence[EarlierStep]) -> tuple[str, ...] | None:
        """Other steps that lead to what is missing; None where there are none. Raises EndpointError."""
        try:
            steps = decompose(self.model, self.question, known=known)
        except NoCallsLeft:
            return None
        return None if steps in ((), (self.question,)) else steps

    def _shown(
        self, chains: Sequence[EvidenceChain], given: Sequence[int], tokens: int
    ) -> tuple[dict[int, Passage], list[str]]:
        """The passages that a call shows, by their numbers, and the chains as lines that refer to them."""
        if self.pruned:
            chains = longest(distinct([chain for chain in chains if set(chain.passages) <= set(given)]))
        shown = self._fitting(chains, given, tokens)
        places = {number: place for place, number in enumerate(shown, 1)}
        stated = [chain for chain in chains if set(chain.passages) <= set(shown) or not self.pruned]
        stated.sort(key=lambda one: ([places.get(number, len(places) + 1) for number in one.passages], str(one.chain)))
        return shown, list(dict.fromkeys(chain.referring(places) for chain in stated))

    def _fitting(self, chains: Sequence[EvidenceChain], numbers: Sequence[int], tokens: int) -> dict[int, Passage]:
        """The first of the passages, as many as fit beside the chains; always one."""
        left = tokens - sum(estimated_tokens(str(chain.chain)) for chain in chains)
        fitting: dict[int, Passage] = {}
        for number, passage in zip(numbers, self.over.passages(numbers), strict=True):
            left -= sum(estimated_tokens(block.text) for block in support.shown([passage]))
            if fitting and left < 0:
                break
            fitting[number] = passage
        return fitting


def _finding(found: StepAnswer, shown: Mapping[int, Passage]) -> StepFinding:
    numbered = list(shown.items())
    quoted = dict.fromkeys(
        (*numbered[quote.passage_index], support.whole(quote, numbered[quote.passage_index][1].text))
        for quote in found.quotes
    )
    return StepFinding(
        text=found.text,
        established=found.sufficient,
        sources=tuple(dict.fromkeys(number for number, _, _ in quoted)),
        spans=tuple(
            Span(passage.document_id, passage.start + start, passage.start + end) for _, passage, (start, end) in quoted
        ),
        quotes=tuple(passage.text[start:end] for _, passage, (start, end) in quoted),
        shown=tuple(shown),
        note="" if found.sufficient else _lacking(found),
    )


def _lacking(found: StepAnswer) -> str:
    if found.text is None:
        return "the passages do not say"
    return f"a guess that no passage bears out: {found.text}"
