"""Fusing rankings, and choosing the nearest of some passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from polyhop.english.numbers import names_version, versions_in
from polyhop.indexes.ranking import best
from polyhop.layers.view import View
from polyhop.ports import Floats, Ints
from polyhop.strategies.shared.judge import best_first, judge
from polyhop.types import Passage


def score_fusion(rankings: Iterable[tuple[Sequence[int], Sequence[float]]], depth: int) -> list[tuple[int, float]]:
    """Passages by the mean of their scores, of each ranking from 1 for its best to 0 for its last, best first.

    ``rankings`` have scores in falling order. What a ranking leaves out has 0 in it. One with fewer than ``depth``
    passages leaves out only what it gives nothing, so that its 0 is that of its scale (Bruch et al. 2023, section 3).
    """
    ranked = [(numbers, scores) for numbers, scores in rankings if numbers]
    fused: defaultdict[int, float] = defaultdict(float)
    for numbers, scores in ranked:
        lowest = scores[-1] if len(scores) >= depth else min(0.0, scores[-1])
        reach = scores[0] - lowest
        for number, score in zip(numbers, scores, strict=True):
            fused[number] += (score - lowest) / reach if reach > 0 else 1.0
    means = ((number, worth / len(ranked)) for number, worth in fused.items())
    return sorted(means, key=lambda item: (-item[1], item[0]))


def fused(question: str, over: View, depth: int) -> list[tuple[int, float]]:
    """The ``depth`` nearest by vector and by BM25, fused, best first; between ``depth`` and twice as many."""
    return fused_each([question], over, depth)[0]


def fused_each(questions: Sequence[str], over: View, depth: int) -> list[list[tuple[int, float]]]:
    """What ``fused`` finds for each of some questions, whose vectors are compared together.

    Passages with a version that a question names count as if two more rankings had found them: its sections say the
    same of one version after another, and to vectors and words, numbers are all alike.
    """
    if not questions:
        return []
    dense = over.nearest(over.vectors(questions), depth)
    sparse = (over.text.lexical.search(question, depth) for question in questions)
    fusions = []
    for question, *both in zip(questions, dense, sparse, strict=True):
        named = naming_versions(question, over, depth)
        rankings = [(numbers.tolist(), scores.tolist()) for numbers, scores in both]
        fusions.append(score_fusion([*rankings, *[(named, [1.0] * len(named))] * 2], depth))
    return fusions


def fused_among(question: str, over: View, depth: int, among: Ints) -> list[tuple[int, float]]:
    """Of some passages the ``depth`` nearest by vector and by BM25, fused, best first."""
    both = (
        over.text.vectors.search(over.vector(question), depth, among),
        over.text.lexical.search(question, depth, among),
    )
    return score_fusion([(numbers.tolist(), scores.tolist()) for numbers, scores in both], depth)


def naming_versions(question: str, over: View, depth: int) -> list[int]:
    """The passages with a version that the question names: those with it in a heading, or else all; mostly none."""
    headed: dict[int, bool] = {}
    for version in sorted(versions_in(question)):
        numbers = over.text.lexical.search(question, 2 * depth, over.text.lexical.with_all(version))[0].tolist()
        for number, passage in zip(numbers, over.passages(numbers), strict=True):
            if names_version(passage.text, version):
                headed[number] = headed.get(number, False) or _heads(version, passage)
    return ([number for number, heads in headed.items() if heads] or list(headed))[:depth]


def _heads(version: str, passage: Passage) -> bool:
    return any(names_version(passage.text[start:end], version) for start, end in passage.headings)


def nearest_places(numbers: Sequence[int], vector: Floats, over: View, most: int) -> list[int]:
    """Where those of some passages stand that are nearest to a vector, at most so many, in their old order."""
    if len(numbers) <= most:
        return list(range(len(numbers)))
    cosines = over.text.vectors.of(np.array(numbers, np.int64)) @ vector
    return sorted(best(cosines, most).tolist())


def reranked(question: str, ranking: Sequence[tuple[int, float]], over: View) -> list[tuple[int, float]]:
    """A ranking fused with the cross-encoder's of the same passages: what one of them misses, the other may know."""
    numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
    judged = best_first(numbers, judge(question, numbers, over))
    by_judge = [number for number, _ in judged], [score for _, score in judged]
    return score_fusion([by_judge, (numbers, scores)], len(numbers))
