"""QCG-RAG: from the question to generated questions, over their neighbours, to the passages that answer them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import ClassVar

from polyhop.documents.sentences import sentence_spans
from polyhop.english.numbers import counted
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.segment import NodeKind
from polyhop.layers.view import View
from polyhop.ports import Floats
from polyhop.reading.conversations.asked import asks_of_all
from polyhop.store.phrase_store import PhraseStore
from polyhop.strategies.qcg.answerability import Answerability, answerability_of
from polyhop.strategies.qcg.dated_conversations import DatedPassage, passages_dated
from polyhop.strategies.qcg.matched_questions import (
    Elected,
    Match,
    elected,
    matches,
    matches_with_words,
    walked,
)
from polyhop.strategies.qcg.two_events import events_of, interleaved
from polyhop.strategies.shared.fuse import score_fusion
from polyhop.strategies.shared.in_time import in_time
from polyhop.types import Budget, Evidence, Hop, MatchedQuestion, Passage, Span

DEPTH = 30  # passages taken from BM25 where words count
READ = 5  # passages read, at most, before it is doubted that they speak of what is asked
# What the figures vary; a value that is a strategy's own is not measured twice.
FIGURE_3 = tuple(itertools.product((2, 3), (0, 1, 2)))  # k and hops
FIGURES_5C_6C = tuple(itertools.product((5, 10, 15, 20), (1.0, 1.5)))  # n and gamma
# What is not in the paper, switched off: vectors alone, and what they elect as it is.
PAPER = {"words": False, "fill": False, "events": False, "days": False, "answerable": None}
_NOTHING = "nothing matches"
LETTERS = 160  # of a question, or of an answer, in a line of the trace


@dataclass(frozen=True, kw_only=True)
class QCG:
    """Elect passages by their generated questions: those like the question, and those next to them in the graph."""

    nodes: NodeKind = "question+answer"  # what of a generated pair is compared; sentence: the passages' own sentences
    alpha: float = 0.8  # share of a passage's pairs used: those most like it (Doc2Query--); with words, only walked to
    n: int = 10  # nodes that match the question, at most
    gamma: float = 1.5  # similarity (cosine + 1, 0 to 2) that a match needs
    k: int = 2  # neighbours of a node that are walked to
    hops: int = 1  # walked from the nodes that match; 0: none
    answerable: float | None = 12.0  # how far matches and passages must speak of what is asked (-11 to 31), or none
    words: bool = True  # whether nodes are matched, and passages ranked, by shared words, too (not in the paper)
    fill: bool = True  # without words: whether the nearest passages follow those elected (not in the paper)
    events: bool = True  # whether two events whose order is asked for are each looked for alone (not in the paper)
    days: bool = True  # whether conversations of a day that is named come first, by turns (not in the paper)

    needs: ClassVar[tuple[str, ...]] = ("text", "questions")
    unread: ClassVar[Mapping[str, object]] = MappingProxyType({"answerable": None})
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            **{f"{hops} hops, k={k}": {"hops": hops, "k": k} for k, hops in FIGURE_3},
            **{f"nodes: {kind}": {"nodes": kind} for kind in ("question", "answer", "sentence")},  # Figure 4
            **{f"alpha={alpha}": {"alpha": alpha} for alpha in (0.2, 0.4, 0.6, 0.8, 1.0)},  # Figures 5a and 6a
            **{f"k={k}": {"k": k} for k in (1, 2, 3, 4, 5)},  # 5b and 6b
            **{f"n={n}, gamma={gamma}": {"n": n, "gamma": gamma} for n, gamma in FIGURES_5C_6C},
            "vectors alone (the paper's)": PAPER,
            "w/o events": {"events": False},
            "w/o days": {"days": False},
        }
    )

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1 or not 0 <= self.gamma <= 2:
            raise ValueError("alpha is above 0 and at most 1, gamma a similarity from 0 to 2")
        if self.n < 1 or self.hops < 0 or self.k < 1:
            raise ValueError("n and k are at least 1, hops at least 0")

    def needed(self) -> tuple[str, ...]:
        """Sentences are there without generated questions."""
        return ("text",) if self.nodes == "sentence" else self.needs

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages elected by their nodes: by the mean of their similarities, or with words by the best of them.

        QCG-RAG, section 3.4. Without evidence a reader says that nothing was found.
        """
        allowed = partial(in_time, time.monotonic(), budget)
        over = over.restricted(self.needed())  # what was derived before does not replace a layer
        graph = over.once(f"questions as {self.nodes}", lambda: self._graph(over))
        asked = events_of(question) if self.events else (question,)
        found = [self._found(text, graph, over, budget.passages, allowed) for text in asked]
        ranked = interleaved([one.ranked for one in found])
        dated = passages_dated(question, over, [number for number, _ in ranked]) if self.days else []
        if dated:
            best = max((score for _, score in ranked), default=0.0)
            ranked = interleaved([[(one.number, best) for one in dated], ranked])
        passages = over.ranked([number for number, _ in ranked], [score for _, score in ranked], budget.passages)
        trail = ["two events, each looked for by itself"] if len(found) > 1 else []
        trail += [] if allowed() else ["the time allowed was over: neighbours not walked to by then were left"]
        for one in found:
            trail += [f"event: {one.question}"] if len(found) > 1 else []
            trail += self._trail(one, graph)
        hops = [_hop(one, graph) for one in found]
        if dated:
            hops.insert(0, _hop_of_day(question, dated[: budget.passages]))
            trail.append(f"{hops[0].note}: {counted(len(dated), 'passages')}")
        whole = bool(dated) and asks_of_all(question, dated[0].speakers)
        answerability = None if whole else self._answerability(found, passages, graph, over)
        doubtful = answerability is not None and answerability.doubtful
        trail += [str(answerability)] if answerability is not None else []
        return Evidence(
            question=question,
            strategy="qcg",
            passages=passages,
            hops=tuple(replace(hop, status="unresolved") if doubtful else hop for hop in hops),
            trail=tuple(trail),
            doubtful=doubtful,
        )

    def _answerability(
        self, found: Sequence[_Found], passages: Sequence[Passage], graph: QuestionGraph, over: View
    ) -> Answerability | None:
        """How far what was found speaks of what is asked; None where nothing was found, or it is not to be doubted."""
        asked = [(one.question, [_pair(match, graph) for match in one.matched]) for one in found if one.ranked]
        if self.answerable is None or not asked:
            return None
        return answerability_of(asked, [passage.text for passage in passages[:READ]], over, self.answerable)

    def _found(self, question: str, graph: QuestionGraph, over: View, most: int, allowed: Callable[[], bool]) -> _Found:
        """Steps 1 to 3 for a question, or for an event that one asks about."""
        vector = over.vector(question)
        matched, worths = self._matched(question, vector, graph, over)
        around = walked(
            vector, graph, matched, k=self.k, hops=self.hops, alpha=self.alpha, worths=worths, goes_on=allowed
        )
        ranking = elected(graph, [*matched, *around], by_best=self.words)
        numbers = list(dict.fromkeys(graph.place(match.node)[0] for match in [*matched, *around]))
        return _Found(
            question=question,
            gamma=self.gamma,
            matched=matched,
            around=around,
            ranking=ranking,
            shown=most,
            ranked=self._ranked(question, vector, ranking, over, most) if matched else (),
            passages=dict(zip(numbers, over.passages(numbers), strict=True)),
        )

    def _graph(self, over: View) -> QuestionGraph:
        if self.nodes != "sentence":
            return over.questions.variant(self.nodes)
        phrases = PhraseStore.open(over.record.folder, over.models.embedder)
        return QuestionGraph.of_sentences(over.record.numbers(), phrases.vectors, over.record.present)

    def _matched(
        self, question: str, vector: Floats, graph: QuestionGraph, over: View
    ) -> tuple[list[Match], dict[int, float] | None]:
        if not self.words:
            return matches(vector, graph, n=self.n, least=self.gamma, alpha=self.alpha), None
        words = over.once(f"words of questions as {self.nodes}", lambda: graph.words)
        return matches_with_words(question, vector, graph, words, n=self.n, least=self.gamma)

    def _ranked(
        self, question: str, vector: Floats, ranking: Sequence[Elected], over: View, most: int
    ) -> list[tuple[int, float]]:
        """The passages elected, fused with those of BM25 or followed by the nearest, where there is room."""
        if self.words:
            sparse, worths = over.text.lexical.search(question, DEPTH)
            by_questions = [one.number for one in ranking], [one.score for one in ranking]
            return score_fusion([by_questions, (sparse.tolist(), worths.tolist())], DEPTH)
        scores = {one.number: one.score for one in ranking}
        if self.fill and len(scores) < most:
            near, cosines = over.text.vectors.search(vector, most)
            for number, cosine in zip(near.tolist(), cosines.tolist(), strict=True):
                scores.setdefault(number, min(cosine + 1, *scores.values()))
        return list(scores.items())

    def _trail(self, found: _Found, graph: QuestionGraph) -> Iterator[str]:
        """What was decided, one line for each decision."""
        yield f"{len(found.matched)} of {len(graph)} nodes match from {found.gamma:.2f} on"
        yield from (f"  {_shown(match, graph, found)}" for match in found.matched)
        if not found.matched:
            yield _NOTHING
            return
        if self.hops:
            yield from _walk_trail(found, graph)
        yield from _election_trail(found)
        if self.words:
            yield "ranked by this and by BM25 together"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a question came to, or an event that one asks about."""

    question: str
    gamma: float
    matched: Sequence[Match]
    around: Sequence[Match]  # those that were walked to
    ranking: Sequence[Elected]  # best first
    shown: int  # of them, at most
    ranked: Sequence[tuple[int, float]]  # passages to be handed on, with their scores, best first
    passages: Mapping[int, Passage]  # of all these nodes, by number


def _pair(match: Match, graph: QuestionGraph) -> str:
    """A node as the cross-encoder reads it."""
    pair = graph.question(match.node)
    return f"{pair.question} {pair.answer}".strip()


def _hop(found: _Found, graph: QuestionGraph) -> Hop:
    """What a question came to as a hop, with the nodes that count and the sentences that answer them."""
    if not found.matched:
        return Hop(question=found.question, status="unresolved", note=_NOTHING)
    shown = [(one, found.passages[one.number]) for one in found.ranking[: found.shown]]
    spans = [
        _sentence(passage, sentences, *graph.place(match.node)[1:])
        for one, passage in shown
        for sentences in (sentence_spans(passage.text),)
        for match in one.by
    ]
    nodes = sorted([*found.matched, *found.around], key=lambda one: (-one.similarity, one.node))
    return Hop(
        question=found.question,
        status="resolved",
        passages=tuple(passage for _, passage in shown),
        sentences=tuple(dict.fromkeys(spans)),
        questions=_questions(nodes, graph, found),
        score=found.ranking[0].score,
        note=f"{len(found.matched)} questions match, {len(found.around)} are next to them",
    )


def _hop_of_day(question: str, dated: Sequence[DatedPassage]) -> Hop:
    """The conversations of the days that a question names, as a hop."""
    return Hop(
        question=question,
        status="resolved",
        passages=tuple(one.passage for one in dated),
        sentences=tuple(one.where for one in dated),
        note=f"said on {', '.join(dict.fromkeys(one.day for one in dated))}",
    )


def _questions(nodes: Sequence[Match], graph: QuestionGraph, found: _Found) -> tuple[MatchedQuestion, ...]:
    places = [graph.place(match.node) for match in nodes]
    pairs = [graph.question(match.node) for match in nodes]
    passages = [found.passages[number] for number, _, _ in places]
    return tuple(
        MatchedQuestion(
            question=pair.question,
            answer=pair.answer,
            passage_id=passage.id,
            span=Span(passage.document_id, passage.start + start, passage.start + end),
            similarity=match.similarity,
            hops=match.hops,
        )
        for match, pair, passage, (_, start, end) in zip(nodes, pairs, passages, places, strict=True)
    )


def _sentence(passage: Passage, sentences: Sequence[tuple[int, int]], start: int, end: int) -> Span:
    """The sentences of a passage that an answer stands in, as a span of its document."""
    touched = [span for span in sentences if span[0] < end and start < span[1]]
    first, last = (touched[0][0], touched[-1][1]) if touched else (start, end)
    return Span(passage.document_id, passage.start + first, passage.start + last)


def _shown(match: Match, graph: QuestionGraph, found: _Found) -> str:
    """A node with its similarity, what it asks and answers, and its passage."""
    pair, passage = graph.question(match.node), found.passages[graph.place(match.node)[0]]
    asked = f"{_short(pair.question)} -> " if pair.question else ""
    return f"{match.similarity:.2f}  {asked}{_short(pair.answer)}   [{_titled(passage)}]"


def _walk_trail(found: _Found, graph: QuestionGraph) -> Iterator[str]:
    """The nodes that were walked to, each with the one it is next to."""
    yield f"{len(found.around)} nodes are next to them"
    for match in found.around:
        if match.beside is not None:
            pair = graph.question(match.beside)
            near = f"{match.near or 0.0:.2f} to: {_short(pair.question or pair.answer)}"
            yield f"  {_shown(match, graph, found)}, hop {match.hops}, {near}"


def _election_trail(found: _Found) -> Iterator[str]:
    """The first of the passages elected, each with what its nodes count."""
    yield f"{counted(len(found.ranking), 'passages')} elected"
    for one in found.ranking[: found.shown]:
        worths = ", ".join(f"{match.worth:.3f}" for match in one.by)
        yield f"  {one.score:.3f}  {_titled(found.passages[one.number])}: of nodes worth {worths}"


def _titled(passage: Passage) -> str:
    return " ".join(passage.title.split()) or passage.id


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LETTERS else f"{line[:LETTERS].rsplit(' ', 1)[0]} ..."
