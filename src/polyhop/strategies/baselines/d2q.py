"""Doc2Query: generated questions are appended to their passages, which are then searched (Nogueira et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from polyhop.indexes import lexical
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.ranking import Ranked
from polyhop.indexes.vectors import Vectors
from polyhop.layers.layer import words_of
from polyhop.layers.questions.words import expanded_text
from polyhop.layers.view import View
from polyhop.ports import Floats, Ints
from polyhop.store.phrase_store import PhraseStore
from polyhop.strategies.shared.fuse import score_fusion
from polyhop.types import Budget, Evidence

AT_ONCE = 1000  # passages held in memory while their texts are made


@dataclass(frozen=True, kw_only=True)
class Doc2Query:
    """Rank passages by title, text and the questions that they answer; with ``alpha`` 0.8 this is Doc2Query--."""

    alpha: float = 1.0  # share of each passage's questions that are appended: those most like the passage
    answers: bool = True  # whether each question has its answer after it (QCG-RAG's extension)
    ranking: Literal["hybrid", "dense", "bm25"] = "hybrid"  # hybrid: vectors and BM25 fused
    depth: int = 30  # passages taken from each ranking that is fused

    needs: ClassVar[tuple[str, ...]] = ("text", "questions")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "alpha=0.8 (d2q--)": {"alpha": 0.8},
            "dense": {"ranking": "dense"},
            "bm25": {"ranking": "bm25"},
            "D2QRAG of QCG-RAG": {"ranking": "dense", "answers": False},
            "D2Q--RAG of QCG-RAG": {"ranking": "dense", "answers": False, "alpha": 0.8},
        }
    )

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1 or self.depth < 1:
            raise ValueError("alpha is above 0 and at most 1, depth at least 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The best passages by their expanded texts."""
        over.restricted(self.needs)  # what was derived before does not replace a layer
        depth = max(self.depth, budget.passages)
        rankings: list[Ranked] = []
        if self.ranking != "bm25":
            rankings.append(self._vectors(over).search(over.vector(question), depth))
        if self.ranking != "dense":
            rankings.append(self._words(over).search(question, depth))
        pairs = [(numbers.tolist(), scores.tolist()) for numbers, scores in rankings]
        if len(pairs) == 2:
            fused = score_fusion(pairs, depth)
            pairs = [([number for number, _ in fused], [score for _, score in fused])]
        passages = over.ranked(*pairs[0], budget.passages)
        appended = f"the {self.alpha:.0%} of the questions" if self.alpha < 1 else "all questions"
        trail = (f"{self.ranking} over passages with {appended}{' and answers' if self.answers else ''} appended",)
        return Evidence(question=question, strategy="d2q", passages=passages, trail=trail)

    def _texts(self, over: View, among: Ints | None = None) -> tuple[list[int], list[str]]:
        """The numbers of passages, ascending, all or those that are given, and their expanded texts."""
        graph, shares = over.questions, self._shares(over)
        numbers: list[int] = (over.text.vectors.numbers if among is None else among).tolist()
        texts: list[str] = []
        for start in range(0, len(numbers), AT_ONCE):
            chunk = numbers[start : start + AT_ONCE]
            for number, passage in zip(chunk, over.passages(chunk), strict=True):
                own = graph.of_passage(number)
                pairs = map(graph.question, graph.nodes[own][shares[own] < self.alpha].tolist())
                texts.append(expanded_text(words_of(passage), pairs, answers=self.answers))
        return numbers, texts

    def _shares(self, over: View) -> Floats:
        """Of each question the share of its passage's that are more like it: without answers, the questions alone are.

        Doc2Query-- compares questions with their passage, QCG-RAG's extension of it pairs.
        """
        graph, vectors = over.questions, over.text.vectors
        if self.answers or self.alpha == 1:
            return graph.shares
        there = np.isin(graph.numbers, vectors.numbers)
        passages = np.zeros((len(graph.numbers), over.models.embedder.dimensions), np.float32)  # of those that are gone
        passages[there] = vectors.of(graph.numbers[there])
        return graph.shares_by("question", passages)

    def _words(self, over: View) -> Lexical:
        """BM25 over the expanded texts, kept as long as the layers do not change.

        The layer has gathered them with all pairs; what it lacks, and other texts, are read here.
        """

        def make() -> Lexical:
            whole, gathered = over.text.vectors.numbers, over.questions.expanded
            parts = [] if self.alpha < 1 or not self.answers else list(gathered)
            rest = reduce(np.setdiff1d, (part["numbers"] for part in parts), whole)
            if len(rest):
                parts.append(lexical.build(rest, self._texts(over, rest)[1]))
            return Lexical.of(parts, whole)

        return over.once(f"doc2query words {self.alpha} {self.answers}", make)

    def _vectors(self, over: View) -> Vectors:
        """Vectors of the expanded texts, which the index's store of phrases keeps, too."""

        def make() -> Vectors:
            numbers, texts = self._texts(over)
            vectors = PhraseStore.open(over.record.folder, over.models.embedder).vectors(texts)
            return Vectors.of_all(np.array(numbers, np.int64), vectors)

        return over.once(f"doc2query vectors {self.alpha} {self.answers}", make)
