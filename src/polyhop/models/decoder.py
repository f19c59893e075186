"""Reads tokens through a converted language model, keeping what was read in a cache that branches share.

A batch of prefixes is a tree: every token is read once, as one more node behind the same cache, and a mask says which
nodes it descends from. Nothing is copied when a beam branches, and dropping one costs nothing.

The order of additions differs with the other rows read along, and 8-bit activations magnify that: log-probabilities
are the same for the same calls, but differ by some hundredths between two ways to read the same tokens.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.session import open_session
from polyhop.ports import Bools, Floats, Ints

CHUNK = 256  # tokens read at once: bounds the memory that attention takes
KEPT = 4  # prompt prefixes whose cache is kept
UNSEEN = np.float32(-1e9)  # added to the attention logit of a node that is no ancestor


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """Prefixes that share a cache: the state of a batch of beams. Nothing in it ever changes.

    Row i has read ``lengths[i]`` tokens, the nodes where ``sees[i]`` is true, and continues with ``logprobs[i]``.
    """

    logprobs: Floats  # (rows, vocabulary), natural logarithms
    sees: Bools  # (rows, nodes)
    lengths: Ints  # (rows,)
    cache: tuple[Any, ...]  # key and value of each layer: onnxruntime values of shape (1, heads, nodes, width)

    def select(self, parents: Ints) -> PrefixTree:
        """The tree with these rows, in this order; a row may be taken twice."""
        return PrefixTree(self.logprobs[parents], self.sees[parents], self.lengths[parents], self.cache)


class Decoder:
    """A converted model, ready to read."""

    def __init__(self, model: Path, threads: int) -> None:
        self._session = open_session(model, threads, gives=("logprobs",))
        self._outputs = [value.name for value in self._session.get_outputs()]
        self._past = [value for value in self._session.get_inputs() if value.name.startswith("past.")]
        self.vocabulary = int(self._session.get_outputs()[0].shape[1])
        self._context = int(self._session.get_modelmeta().custom_metadata_map["context"])
        self._prefixes: OrderedDict[tuple[int, ...], PrefixTree] = OrderedDict()
        self._lock = threading.Lock()

    def root(self) -> PrefixTree:
        """One row that has read nothing (its log-probabilities mean nothing)."""
        import onnxruntime

        def empty(value: Any) -> Any:
            return onnxruntime.OrtValue.ortvalue_from_numpy(
                np.zeros((1, value.shape[1], 0, value.shape[3]), np.float32)
            )

        logprobs = np.zeros((1, self.vocabulary), np.float32)
        return PrefixTree(logprobs, np.zeros((1, 0), np.bool_), np.zeros(1, np.int64), tuple(map(empty, self._past)))

    def read_prefix(self, tokens: Sequence[int]) -> PrefixTree:
        """One row that has read these tokens; the most recent prefixes are remembered, so that they cost once."""
        key = tuple(tokens)
        with self._lock:  # held while reading: two threads that want the same prefix read it once
            tree = self._prefixes.pop(key, None) or self.read(self.root(), np.zeros(1, np.int64), [key])
            self._prefixes[key] = tree
            while len(self._prefixes) > KEPT:
                self._prefixes.popitem(last=False)
        return tree

    def read(self, tree: PrefixTree, parents: Ints, branches: Sequence[Sequence[int]]) -> PrefixTree:
        """New rows: row i continues row ``parents[i]`` with the tokens ``branches[i]``, at least one.

        Raises ModelError where the tree outgrows what the model can read.
        """
        if not branches:
            return tree.select(parents)
        sizes = np.array([len(branch) for branch in branches])
        if tree.sees.shape[1] + sizes.sum() > self._context:
            message = f"The language model was given more than the {self._context} tokens it can read."
            raise ModelError(message, remedy="Shorten the question, or lower budget.tokens.")
        tokens = np.array([token for branch in branches for token in branch], np.int64)
        last = np.cumsum(sizes) - 1
        row = np.repeat(np.arange(len(branches)), sizes)
        steps = np.arange(len(tokens)) - (last - sizes + 1)[row]
        sees = np.concatenate([tree.sees[parents][row], (row[:, None] == row) & (steps[:, None] >= steps)], axis=1)
        positions = tree.lengths[parents][row] + steps
        logprobs, cache = self._run(tokens, positions, sees, last, tree.cache)
        return PrefixTree(logprobs, sees[last], tree.lengths[parents] + sizes, cache)

    def _run(
        self, tokens: Ints, positions: Ints, sees: Bools, last: Ints, cache: tuple[Any, ...]
    ) -> tuple[Floats, tuple[Any, ...]]:
        """Read nodes in chunks; log-probabilities of shape (len(last), vocabulary) after the nodes in ``last``."""
        before = sees.shape[1] - len(tokens)
        parts = []
        for chunk in np.array_split(np.arange(len(tokens)), -(-len(tokens) // CHUNK)):
            wanted = last[(last >= chunk[0]) & (last <= chunk[-1])] - chunk[0]
            seen = sees[chunk, : before + chunk[-1] + 1]
            logprobs, cache = self._run_chunk(tokens[chunk], positions[chunk], seen, wanted, cache)
            parts.append(logprobs)
        return np.concatenate(parts), cache

    def _run_chunk(
        self, tokens: Ints, positions: Ints, sees: Bools, last: Ints, cache: tuple[Any, ...]
    ) -> tuple[Floats, tuple[Any, ...]]:
        from onnxruntime import OrtValue

        feed = {
            "tokens": tokens[None],
            "positions": positions[None],
            "bias": np.where(sees, np.float32(0), UNSEEN)[None, None],
            "last": last if len(last) else np.zeros(1, np.int64),
        }
        values = {name: OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array)) for name, array in feed.items()}
        values |= {slot.name: value for slot, value in zip(self._past, cache, strict=True)}
        logprobs, *cached = self._session.run_with_ort_values(self._outputs, values)
        return logprobs.numpy()[: len(last)], tuple(cached)
