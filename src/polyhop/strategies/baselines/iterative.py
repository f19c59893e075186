"""Iterative retrieval: what was written about the passages so far is what is searched for next (Iter-RetGen, IRCoT)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from polyhop.english.numbers import counted
from polyhop.indexes.folding import tokens
from polyhop.layers.view import View
from polyhop.models.within import before_reading
from polyhop.strategies.baselines.drafts import Drafts, Mode, WrittenDraft
from polyhop.strategies.baselines.rounds import Merge, Retriever, Round, merged, new_passages, retrieved
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.support import overlapping_span
from polyhop.types import Budget, Evidence, Hop, Passage, Span

ROUNDS: Mapping[Mode, int] = MappingProxyType({"iter-retgen": 2, "ircot": 4})


@dataclass(frozen=True, slots=True)
class Searched:
    """The rounds of one question, what was written after each (the last may have nothing), and why they ended."""

    rounds: list[Round]
    written: list[WrittenDraft]
    end: str


@dataclass(frozen=True, kw_only=True)
class Iterative:
    """Retrieve, write, retrieve for what was written: Iter-RetGen (drafts) and IRCoT (thoughts), the baselines."""

    mode: Mode = "iter-retgen"  # what is written after a round: a draft of the answer, or one more thought
    rounds: int | None = None  # retrievals after the first, at most; none: 2 for iter-retgen, 4 for ircot
    retrieved: int = 5  # passages of a round that are read, and that the answer is to be found in
    retriever: Retriever = "hybrid"  # what finds them; the papers: dense for iter-retgen, bm25 for ircot
    rerank: bool = False  # whether the cross-encoder has half a say in the order of what a round found
    depth: int = 30  # passages taken from each ranking of a round
    collected: int = 15  # passages that ircot gathers and reads, at most
    merge: Merge = "turns"  # the best of each round by turns, or round by round: the latest or the first one first
    sentences: int = 12  # read by the cross-encoder for a draft or thought where no language model writes it

    needs: ClassVar[tuple[str, ...]] = ("text",)
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {"one retrieval": {"rounds": 0}, "IRCoT": {"mode": "ircot"}, "with reranking": {"rerank": True}}
    )

    def __post_init__(self) -> None:
        if min(self.retrieved, self.depth, self.collected, self.sentences) < 1 or (self.rounds or 0) < 0:
            raise ValueError("retrieved, depth, collected and sentences are at least 1, rounds at least 0")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages of all rounds in the order that ``merge`` says."""
        drafts = Drafts(
            mode=self.mode,
            question=question,
            models=over.models,
            model=before_reading(over.models.language_model, budget),
            collected=self.collected,
            sentences=self.sentences,
        )
        searched = self._search(question, drafts, over, budget)
        ranking = merged([one.ranking for one in searched.rounds], self.merge, self.retrieved)
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        return Evidence(
            question=question,
            strategy="iterative",
            passages=over.ranked(numbers, scores, budget.passages),
            hops=tuple(_hops(searched)),
            trail=(f"{self.mode}, written by {drafts.source}", *_trail(searched)),
            cost=drafts.cost,
        )

    def _search(self, question: str, drafts: Drafts, over: View, budget: Budget) -> Searched:
        """Round after round, until nothing is left to search for, or a round brings nothing new."""
        began = time.monotonic()
        most = ROUNDS[self.mode] if self.rounds is None else self.rounds
        rounds = [self._round(question, over, budget)]
        written: list[WrittenDraft] = []
        while len(rounds) <= most:
            if not in_time(began, budget):
                return Searched(rounds, written, "the time is up")
            draft = drafts.next(rounds)
            if draft is None:
                return Searched(rounds, written, "nothing more was written")
            written.append(draft)
            over.hops_told.settle(len(written) - 1, _hop(rounds, draft, len(written) - 1))
            if draft.query is None:
                return Searched(rounds, written, "the answer was written")
            rounds.append(self._round(draft.query, over, budget))
            if not new_passages(rounds, len(rounds) - 1):
                return Searched(rounds, written, "the last round brought nothing new")
        return Searched(rounds, written, f"at most {most} rounds after the first are allowed")

    def _round(self, query: str, over: View, budget: Budget) -> Round:
        depth = max(self.depth, self.retrieved, budget.passages)
        ranking = retrieved(query, over, retriever=self.retriever, depth=depth, rerank=self.rerank)
        read = over.passages([number for number, _ in ranking[: self.retrieved]])
        return Round(query=query, ranking=ranking, passages=tuple(read))


def _hops(searched: Searched) -> Iterator[Hop]:
    """Each round with the passages that are new in it, and the sentence nearest to what was then written."""
    written = dict(enumerate(searched.written))
    for position in range(len(searched.rounds)):
        yield _hop(searched.rounds, written.get(position), position)


def _hop(rounds: Sequence[Round], draft: WrittenDraft | None, position: int) -> Hop:
    one, new = rounds[position], new_passages(rounds, position)
    return Hop(
        question=one.query,
        status="resolved" if new else "unresolved",
        found=draft.found if draft else None,
        passages=new,
        sentences=nearest_sentence(draft.text if draft else one.query, new),
        score=one.ranking[0][1] if one.ranking else None,
        note=draft.text if draft else "",
    )


def _trail(searched: Searched) -> Iterator[str]:
    for position, one in enumerate(searched.rounds):
        new = new_passages(searched.rounds, position)
        names = ", ".join(passage.title or passage.id for passage in new)
        yield f"query: {one.query}"
        yield f"  {counted(len(one.passages), 'passages')}, {len(new)} of them new{': ' if names else ''}{names}"
        if position < len(searched.written):
            yield f"  written: {searched.written[position].text}"
    yield f"end: {searched.end}"


def nearest_sentence(text: str, passages: Sequence[Passage]) -> tuple[Span, ...]:
    """The sentence that shares most words with a text, in the passages given; nothing where there are none."""
    wanted = set(tokens(text))
    spans = [(overlapping_span(text, passage), passage) for passage in passages if passage.text.strip()]

    def shared(item: tuple[Span, Passage]) -> int:
        span, passage = item
        return len(wanted.intersection(tokens(passage.text[span.start - passage.start : span.end - passage.start])))

    return (max(spans, key=shared)[0],) if spans else ()
