"""QCG-RAG: from the question to generated questions, over their neighbours, to the passages that answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from polyhop.corpus.sentences import sentence_spans
from polyhop.indexes.vectors import Vectors
from polyhop.layers.questions_index import NodeKind, QuestionGraph
from polyhop.layers.view import View
from polyhop.ports import Floats
from polyhop.strategies.moves.fuse import reciprocal_rank_fusion
from polyhop.strategies.moves.matched_questions import (
    Elected,
    Match,
    elected,
    matches,
    matches_with_words,
    node_words,
    usual_similarity,
    walked,
)
from polyhop.strategies.moves.spoken_of import spoken_of
from polyhop.types import Budget, Evidence, Hop, MatchedQuestion, Passage, Span

DEPTH = 30  # passages taken from BM25 where words count
# What these figures vary, without the defaults.
FIGURE_3 = ((2, 0), (2, 2), (3, 0), (3, 1), (3, 2))  # k and hops
FIGURES_5C_6C = ((5, 1.0), (10, 1.0), (15, 1.0), (20, 1.0), (5, 1.5), (15, 1.5), (20, 1.5))  # n and gamma
LETTERS = 160  # of a question, or of an answer, in a line of the trace


@dataclass(frozen=True, kw_only=True)
class QCG:
    """Elect passages by their generated questions: those like the question, and those next to them in the graph."""

    nodes: NodeKind = "question+answer"  # what of a generated pair is compared; sentence: the passages' own sentences
    alpha: float = 0.8  # share of each passage's pairs that are used: those most like the passage (Doc2Query--)
    n: int = 10  # nodes that match the question, at most
    gamma: float = 1.5  # similarity (cosine + 1, 0 to 2) that a match needs
    quantile: float | None = None  # in place of gamma: the similarity above this share of pairs of nodes, 0 to 1
    k: int = 2  # neighbours of a node that are walked to, at most 10
    hops: int = 1  # walked from the nodes that match; 0: none
    least: float = 0.0  # similarity of the best match below which nothing is found, 0 to 2
    spoken: float | None = 11.0  # how far matches and passages must speak of what is asked (-11 to 31); none: any do
    words: bool = True  # whether nodes are matched, and passages ranked, by shared words, too (not in the paper)
    fill: bool = True  # without words: whether the nearest passages follow those elected, where there is room

    needs: ClassVar[tuple[str, ...]] = ("text", "questions")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            **{f"{hops} hops, k={k}": {"hops": hops, "k": k} for k, hops in FIGURE_3},
            **{f"nodes: {kind}": {"nodes": kind} for kind in ("question", "answer", "sentence")},  # Figure 4
            **{f"alpha={alpha}": {"alpha": alpha} for alpha in (0.2, 0.4, 0.6, 1.0)},  # Figures 5a and 6a
            **{f"k={k}": {"k": k} for k in (1, 4, 5)},  # 5b and 6b; 2 and 3 are above
            **{f"n={n}, gamma={gamma}": {"n": n, "gamma": gamma} for n, gamma in FIGURES_5C_6C},
            "vectors alone (the paper's)": {"words": False},
            "vectors alone, w/o filling": {"words": False, "fill": False},
        }
    )

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1 or not 0 <= (self.quantile or 0) <= 1:
            raise ValueError("alpha is above 0 and at most 1, quantile from 0 to 1")
        if not 0 <= self.gamma <= 2 or not 0 <= self.least <= 2:
            raise ValueError("gamma and least are similarities from 0 to 2")
        if self.n < 1 or self.hops < 0 or not 1 <= self.k <= 10:
            raise ValueError("n is at least 1, hops at least 0, k from 1 to 10")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The passages elected by the mean similarity of their nodes, then the nearest; none where too little matches.

        QCG-RAG, section 3.4. Without evidence a reader says that nothing was found.
        """
        pairs, text = over.questions, over.text
        graph = over.once(f"questions as {self.nodes}", lambda: pairs.variant(self.nodes))
        vector = over.vector(question)
        gamma = self._gamma(graph, over)
        matched, worths = self._matched(question, vector, graph, gamma, over)
        best = max((match.similarity for match in matched), default=0.0)
        trail = [f"{len(matched)} of {len(graph)} nodes match from {gamma:.2f} on"]
        trail += [f"  {_shown(match, graph, over)}" for match in matched]
        if not matched or best < self.least:
            note = f"the best match has {best:.2f}, and {self.least:.2f} is the least" if matched else "nothing matches"
            hop = Hop(question=question, status="unresolved", questions=_questions(matched, graph, over), note=note)
            return Evidence(question=question, strategy="qcg", passages=(), hops=(hop,), trail=(*trail, note))
        around = walked(vector, graph, matched, k=self.k, hops=self.hops, alpha=self.alpha, worths=worths)
        ranking = elected(graph, [*matched, *around])
        numbers, scores = self._filled(vector, ranking, text.vectors, budget.passages)
        if self.words:
            sparse, _ = text.lexical.search(question, DEPTH)
            fused = reciprocal_rank_fusion([[one.number for one in ranking], sparse.tolist()])
            numbers, scores = [number for number, _ in fused], [score for _, score in fused]
        passages = over.ranked(numbers, scores, budget.passages)
        trail += _walk_trail(around, graph, over) if self.hops else []
        shown = over.passages([one.number for one in ranking[: budget.passages]])
        trail += _election_trail(ranking, shown)
        if self.words:
            trail.append("ranked by this and by BM25 together")
        hop = _hop(question, [*matched, *around], ranking, shown, graph, over)
        doubtful = False
        if self.spoken is not None:
            worth = spoken_of(question, [_pair(match, graph) for match in matched], over)
            doubtful = worth < self.spoken
            trail.append(f"speaks of what is asked: {worth:.1f} of {self.spoken:.1f}")
        return Evidence(
            question=question,
            strategy="qcg",
            passages=passages,
            hops=(replace(hop, status="unresolved") if doubtful else hop,),
            trail=tuple(trail),
            doubtful=doubtful,
        )

    def _matched(
        self, question: str, vector: Floats, graph: QuestionGraph, gamma: float, over: View
    ) -> tuple[list[Match], dict[int, float] | None]:
        if not self.words:
            return matches(vector, graph, n=self.n, least=gamma, alpha=self.alpha), None
        words = over.once(f"words of questions as {self.nodes}", lambda: node_words(graph, over))
        return matches_with_words(question, vector, graph, words, n=self.n, least=gamma, alpha=self.alpha)

    def _gamma(self, graph: QuestionGraph, over: View) -> float:
        share = self.quantile
        if share is None:
            return self.gamma
        return over.once(f"similarity of {self.nodes} at {share}", lambda: usual_similarity(graph, share))

    def _filled(
        self, vector: Floats, ranking: Sequence[Elected], vectors: Vectors, most: int
    ) -> tuple[list[int], list[float]]:
        """The passages elected and, where there is room, the nearest of the others, which score no higher."""
        numbers, scores = [one.number for one in ranking], [one.score for one in ranking]
        if self.fill and len(numbers) < most:
            near, cosines = vectors.search(vector, most)
            for number, cosine in zip(near.tolist(), cosines.tolist(), strict=True):
                if number not in numbers:
                    numbers.append(number)
                    scores.append(min(cosine + 1, scores[-1]))
        return numbers, scores


def _pair(match: Match, graph: QuestionGraph) -> str:
    """A node as the cross-encoder reads it."""
    pair = graph.question(match.node)
    return f"{pair.question} {pair.answer}".strip()


def _hop(
    question: str,
    found: Sequence[Match],
    ranking: Sequence[Elected],
    shown: Sequence[Passage],
    graph: QuestionGraph,
    over: View,
) -> Hop:
    """The question as the one hop that there is, with the nodes that count and the sentences that answer them."""
    spans = [
        _sentence(passage, *graph.place(match.node)[1:])
        for passage, one in zip(shown, ranking, strict=False)
        for match in one.by
    ]
    walked_to = sum(match.hops > 0 for match in found)
    return Hop(
        question=question,
        status="resolved",
        passages=tuple(shown),
        sentences=tuple(dict.fromkeys(spans)),
        questions=_questions(sorted(found, key=lambda one: (-one.similarity, one.node)), graph, over),
        score=ranking[0].score,
        note=f"{len(found) - walked_to} questions match, {walked_to} are next to them",
    )


def _questions(found: Sequence[Match], graph: QuestionGraph, over: View) -> tuple[MatchedQuestion, ...]:
    places = [graph.place(match.node) for match in found]
    pairs = [graph.question(match.node) for match in found]
    passages = over.passages([number for number, _, _ in places])
    return tuple(
        MatchedQuestion(
            question=pair.question,
            answer=pair.answer,
            passage_id=passage.id,
            span=Span(passage.document_id, passage.start + start, passage.start + end),
            similarity=match.similarity,
            hops=match.hops,
        )
        for match, pair, passage, (_, start, end) in zip(found, pairs, passages, places, strict=True)
    )


def _sentence(passage: Passage, start: int, end: int) -> Span:
    """The sentences of a passage that an answer stands in, as a span of its document."""
    touched = [span for span in sentence_spans(passage.text) if span[0] < end and start < span[1]]
    first, last = (touched[0][0], touched[-1][1]) if touched else (start, end)
    return Span(passage.document_id, passage.start + first, passage.start + last)


def _shown(match: Match, graph: QuestionGraph, over: View) -> str:
    """A node with its similarity, what it asks and answers, and its passage."""
    pair, (passage,) = graph.question(match.node), over.passages([graph.place(match.node)[0]])
    asked = f"{_short(pair.question)} -> " if pair.question else ""
    return f"{match.similarity:.2f}  {asked}{_short(pair.answer)}   [{' '.join(passage.title.split()) or passage.id}]"


def _walk_trail(around: Sequence[Match], graph: QuestionGraph, over: View) -> Iterator[str]:
    """The nodes that were walked to, each with the one it is next to."""
    yield f"{len(around)} nodes are next to them"
    for match in around:
        if match.beside is not None:
            pair = graph.question(match.beside)
            near = f"{match.near or 0.0:.2f} to: {_short(pair.question or pair.answer)}"
            yield f"  {_shown(match, graph, over)}, hop {match.hops}, {near}"


def _election_trail(ranking: Sequence[Elected], shown: Sequence[Passage]) -> Iterator[str]:
    """The first of the passages elected, each with what its nodes count."""
    yield f"{len(ranking)} passages elected"
    for passage, one in zip(shown, ranking, strict=False):
        worths = ", ".join(f"{match.worth:.3f}" for match in one.by)
        yield f"  {one.score:.3f}  {' '.join(passage.title.split()) or passage.id}: mean of {worths}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LETTERS else f"{line[:LETTERS].rsplit(' ', 1)[0]} ..."
