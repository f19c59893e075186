"""A random language model: each prefix has its own random next-token scores, drawn from a seed.

So are names, sentences and graphs in the tests of what it may say. What are left are the laws.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from polyhop.layers.parsekg.graph import MASK
from polyhop.ports import Beams, Floats, Ints

END = 0
WORDS = ("ann", "bo", "cy", "dee", "eve", "of", "saw", "the", "built", "near")
PIECES = ("<end>", MASK, f" {MASK}", "@@", *WORDS, *(f" {word}" for word in WORDS), ".", "<go>")
_PIECE = re.compile(r" ?##|@@| ?[a-z]+|\.")


@dataclass(frozen=True)
class Prefixes:
    """A batch of prefixes, and what a random model would say after each."""

    seed: int
    rows: tuple[tuple[int, ...], ...]
    vocabulary: int

    @cached_property
    def logprobs(self) -> Floats:
        """What each prefix would say next."""
        return np.stack([random_logprobs(self.seed, row, self.vocabulary) for row in self.rows])


@dataclass(frozen=True)
class RandomModel:
    """A language model whose scores depend on the seed and on every token said so far, and on nothing else."""

    seed: int
    vocabulary: int = len(PIECES)
    end: int = END

    @property
    def name(self) -> str:
        """The seed says it all."""
        return f"random-{self.seed}"

    @property
    def tokenizer(self) -> str:
        """Words are tokens."""
        return "words"

    @property
    def cuts_at_spaces(self) -> bool:
        """Its tokens are words."""
        return True

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Whole words, with the space before them."""
        return [[PIECES.index(piece) for piece in _PIECE.findall(text)] for text in texts]

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The same, with the place of each."""
        return [
            ([PIECES.index(match[0]) for match in found], [match.span() for match in found])
            for found in ([*_PIECE.finditer(text)] for text in texts)
        ]

    def decode(self, tokens: Sequence[int]) -> str:
        """The pieces side by side."""
        return "".join(PIECES[token] for token in tokens)

    def prompt(self, instruction: str, question: str) -> list[int]:
        """The question, behind a mark."""
        return [PIECES.index("<go>"), *self.encode([question])[0]]

    def begin(self, prompt: Sequence[int]) -> Prefixes:
        """One prefix."""
        return Prefixes(self.seed, (tuple(prompt),), self.vocabulary)

    def extend(self, beams: Beams, parents: Ints, tokens: Ints) -> Prefixes:
        """Every parent with as many tokens more."""
        return self.branch(beams, parents, tokens.tolist())

    def branch(self, beams: Beams, parents: Ints, branches: Sequence[Sequence[int]]) -> Prefixes:
        """Every parent with some tokens more."""
        assert isinstance(beams, Prefixes)
        assert all(branches)
        pairs = zip(parents.tolist(), branches, strict=True)
        rows = tuple((*beams.rows[parent], *branch) for parent, branch in pairs)
        return Prefixes(self.seed, rows, self.vocabulary)


def random_logprobs(seed: int, prefix: tuple[int, ...], vocabulary: int) -> Floats:
    logits = np.random.default_rng([seed, len(prefix), *prefix]).normal(0, 3, vocabulary)
    return np.asarray(logits - np.logaddexp.reduce(logits), np.float32)


seeds = st.integers(0, 2**32 - 1)
