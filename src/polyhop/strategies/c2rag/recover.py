"""Textual recovery: what passages say where the graph does not suffice (C2RAG, section 3.3, Eq. 11 and 12)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polyhop.indexes.names import normal
from polyhop.layers.layer import words_of
from polyhop.layers.view import View
from polyhop.reading.reader import Quote
from polyhop.reading.steps import glance
from polyhop.registry import FILE
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.shared.excerpt import excerpt
from polyhop.strategies.shared.judge import best_first
from polyhop.strategies.shared.phrases import phrase_vectors

READ = 3  # recovered passages in which a value is looked for
LIKELY = 5  # of the values found, those that having a passage of their own may put first
LEAST = 0.25  # of the chance of a value that binds
TITLED = 1.0  # what that is worth beside the logarithm of a value's chance
NAMESAKES = 3  # entities of one name that are looked at
LONGEST = 500  # characters of a passage that are judged


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """How passages are recovered where the graph does not suffice."""

    retrieved: int = 10  # K'_t: passages searched
    kept: int = 3  # K_t: of them, kept by the cross-encoder
    titled: int = 1  # passages about an anchor or a value that are shown beside the nearest; 0: none, as in the paper
    named_bonus: float = 2.0  # logits added to a passage that is about an anchor
    reranked: bool = True  # off: passages are ordered by their vectors alone (Eq. 11)
    in_context: bool = False  # on: judged whole, for question and constraint (Eq. 12); off: in part, for the latter
    paragraphs: str | None = field(
        default=None, metadata=FILE
    )  # a file of each question's own: only they, and their facts, are searched

    def __post_init__(self) -> None:
        if min(self.retrieved, self.kept) < 1:
            raise ValueError("retrieved and kept are at least 1")

    def passages(
        self, question: str, pattern: Pattern, over: View, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The passages that say most about a constraint, at most ``kept``, best first.

        ``among`` restricts them to a question's own paragraphs, U(q) of the paper; by default all are searched.
        """
        vectors = phrase_vectors([pattern.line], over)
        if among is None:
            [(numbers, cosines)] = over.nearest(vectors, self.retrieved)
        else:
            own = np.array(sorted(among), np.int64)
            numbers, cosines = over.text.vectors.search(vectors[0], self.retrieved, own)
        about = self._about(pattern, over, among)
        if not self.reranked:
            titled = over.text.vectors.search(vectors[0], len(about), np.array(about, np.int64))
            pairs = (pair for found in (titled, (numbers, cosines)) for pair in zip(*found, strict=True))
            near = {int(number): float(cosine) for number, cosine in pairs}
            return best_first(list(near), list(near.values()))[: self.kept]
        found = list(dict.fromkeys([*about, *numbers.tolist()]))
        read = over.passages(found)
        if self.in_context:
            asked, texts = f"{question} {pattern.line}", [words_of(passage) for passage in read]
        else:
            asked, texts = pattern.asked, [excerpt(passage, pattern.line, LONGEST) for passage in read]
        scores = over.models.reranker.score(asked, texts).tolist() if texts else []
        favoured = [score + self.named_bonus * (place < len(about)) for place, score in enumerate(scores)]
        return best_first(found, favoured)[: self.kept]

    def _about(self, pattern: Pattern, over: View, among: Sequence[int] | None) -> list[int]:
        """Passages about what the constraint names."""
        about = [number for entity in pattern.named for number in over.facts.passages_titled(entity)[: self.titled]]
        return [number for number in dict.fromkeys(about) if among is None or number in among]


def read_values(pattern: Pattern, passages: Sequence[int], over: View) -> list[tuple[str, Quote]]:
    """What the best of the recovered passages give as the value of a placeholder, and where, likeliest first.

    Passages about what the constraint names are read first; the others only where these give nothing.
    """
    about = {number for entity in pattern.named for number in over.facts.passages_titled(entity)}
    first = [number for number in passages[:READ] if number in about]
    for numbers in (first, passages[:READ]):
        read = over.passages(list(numbers))
        found = [one for one in glance(pattern.asked, read, over.models) if one.chance >= LEAST]
        if found:
            owned = {one: own_passage(one.text, over) is not None for one in found[:LIKELY]}
            likely = sorted(owned, key=lambda one: -math.log(one.chance) - TITLED * owned[one])
            return [(" ".join(one.text.split()), one.quote) for one in likely]
    return []


def own_passage(name: str, over: View) -> int | None:
    """The passage that is about a name, if there is one; a bracketed part of its title does not count."""
    for entity, coverage in over.facts.anchors(name, NAMESAKES):
        spellings = over.facts.aliases[entity].split("\n")
        if coverage == 1.0 and any(normal(spelling) == normal(name) for spelling in spellings):
            titled = over.facts.passages_titled(entity)
            if titled:
                return titled[0]
    return None
