"""A sub-question of StepChain as it was asked, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.indexes.names import normal
from polyhop.layers.view import View
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.prompts.merge_answers import Answered
from polyhop.strategies.shared.leads import DOUBTED, Lead
from polyhop.strategies.shared.support import overlapping_span
from polyhop.strategies.stepchain.distinct_chains import distinct
from polyhop.strategies.stepchain.step_answers import StepFinding
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.types import Hop, HopStatus, Span

SURE = 0.0  # logit from which the passages are taken to bear an answer out
MERGED_CHAINS = 2  # of a step, that the merge is shown
SHOWN = 5  # chains of a hop


@dataclass(kw_only=True)
class AskedStep:
    """A sub-question as it was asked, and what became of it."""

    position: int
    question: str  # with earlier answers written in
    passages: list[tuple[int, float]]  # best first, with the cross-encoder's logit
    way: tuple[int, ...]  # the passages that lead to its answer, in order
    cited: tuple[int, ...] = ()  # the passages that the answers were quoted from to which it refers
    logit: float | None = None  # of the passage that says most about it
    lead: Lead | None = None  # where no language model answered it: its answer, where it was found, and where it leads
    chains: tuple[EvidenceChain, ...] = ()
    answer: str | None = None  # a guess, unless it is established
    established: bool = False
    carried: bool = False  # whether later sub-questions name the answer: it is established, or a guess with quotations
    supposes: tuple[str, ...] = ()  # guesses at earlier steps that its question takes for answers
    sources: tuple[int, ...] = ()  # the passages that its answer was found in
    spans: tuple[Span, ...] = ()  # the sentences that say so
    quotes: tuple[str, ...] = ()  # what a language model copied from them
    shown: tuple[int, ...] = ()  # the passages that a language model has read for it
    settled: bool = False  # whether its answer was looked for
    note: str = ""

    @property
    def supposed(self) -> bool:
        """Whether later steps go on from a guess at it."""
        return self.carried and not self.established

    @property
    def doubted(self) -> bool:
        """Whether another way is worth looking for: no language model gave its answer, and it is not sure."""
        return self.lead is not None and self.lead.score < DOUBTED

    def takes(self, found: StepFinding, *, unquoted: bool = False) -> None:
        """Take over what a language model found. A guess is kept and told as one, and so is what follows from one.

        ``unquoted``: whether later steps go on from a guess that nothing was quoted for, too.
        """
        self.answer, self.note, self.settled, self.lead = found.text, found.note, True, None
        self.established = found.established and not self.supposes
        self.carried = self.established or bool(found.text and (found.quotes or unquoted))
        if found.established and self.supposes:
            self.note = resting_on(self.supposes)
        self.sources, self.spans, self.quotes = found.sources, found.spans, found.quotes
        self.shown = tuple(dict.fromkeys((*self.shown, *found.shown)))
        if found.sources:
            first = tuple(number for number, _ in self.passages[:1])
            lead = self.way[:-1] if self.way[-1:] == first else self.way
            self.way = tuple(dict.fromkeys((*lead, *found.sources)))

    def borne(self, name: str) -> float:
        """How well the chains bear out a name as the answer: the score of the best one that ends there, 1 at most.

        A chain that says that something is not so ends at whatever is not the answer.
        """
        best = max((chain.chain.score for chain in self.chains), default=0.0)
        there = [chain for chain in self.chains if normal(chain.end) == normal(name)]
        ends = (chain.chain.score for chain in there if not chain.denies(self.question))
        return max(ends, default=0.0) / best if best else 0.0

    def telling(self) -> list[EvidenceChain]:
        """The chains, those that lead to the answer first, then those that pass by it."""
        return sorted(self.chains, key=lambda chain: (not chain.ends_at(self.answer), not chain.tells(self.answer)))

    def earlier(self) -> EarlierStep:
        """What later steps are told of it."""
        return EarlierStep(self.question, self.answer or "", self.quotes, self.established)

    def answered(self) -> Answered:
        """What the merge is told of it: quotations, or the chains that tell the answer where nothing was quoted."""
        chains = distinct(self.telling())[:MERGED_CHAINS]
        return Answered(
            self.question,
            self.answer,
            self.established,
            tuple(str(one.chain) for one in chains),
            self.quotes,
            supposing=bool(self.supposes),
        )

    def hop(self, over: View) -> Hop:
        """It as a hop: what it asked, what it came to, and the sentences and chains behind it, the telling ones first.

        The passages are those that its answer was found in, or else the best one.
        """
        passages = tuple(over.passages(self.sources or [number for number, _ in self.passages[:1]]))
        spans, chains = self.spans, self.telling()
        if not spans and passages:
            spans = (overlapping_span(self.question, passages[0], must_name=self.answer),)
        return Hop(
            question=self.question,
            status=self._status(chains),
            found=self.answer,
            passages=passages,
            sentences=spans,
            chains=tuple(chain.chain for chain in chains[:SHOWN]),
            step=self.position,
            score=self.logit,
            chance=None if self.lead is None else self.lead.chance,
            note=self.note,
        )

    def _status(self, chains: Sequence[EvidenceChain]) -> HopStatus:
        """Resolved where a chain tells the answer and denies nothing, recovered where text alone does."""
        if not self.settled:  # the last step: its answer is left to the reader
            return "recovered" if self.logit is not None and self.logit > SURE else "unresolved"
        if not self.established:
            return "unresolved"
        told = any(chain.tells(self.answer) and not chain.denies(self.question) for chain in chains)
        return "resolved" if told else "recovered"


def resting_on(guesses: Sequence[str]) -> str:
    """What is noted of a step that takes guesses for answers; nothing where there are none."""
    return f"rests on a guess: {', '.join(guesses)}" if guesses else ""
