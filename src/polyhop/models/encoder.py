"""Runs ONNX encoders: one text a run, several runs at once.

Models with dynamic 8-bit activations scale a whole batch at once, so that a vector would depend on its batch mates.
Reading every text alone makes vectors and scores reproducible, and saves the padding; the cores are kept busy by a
thread for each (onnxruntime runs without the interpreter's lock).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.once import once
from polyhop.models.pieces import token_ids, whole_tokenizer
from polyhop.models.session import available_cores, open_session
from polyhop.models.weights import WeightFile, check_sizes
from polyhop.ports import Floats

Pooling = Literal["cls", "mean"]
A = TypeVar("A")
B = TypeVar("B")

OVERLAP = 32  # tokens that neighbouring windows share


class Encoder:
    """An encoder with its tokenizer. Raises ModelError for files that it cannot use."""

    def __init__(self, model: Path, tokenizer: Path, gives: Sequence[str] = ()) -> None:
        self._session = open_session(model, threads=1, gives=gives)
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._tokenizer = whole_tokenizer(tokenizer)
        around = self._tokenizer.encode("").ids
        if len(around) != 2:
            raise ModelError(f"The tokenizer {tokenizer} does not put one token before a text and one behind it.")
        self._first, self._last = around
        together = self._tokenizer.encode("a", "a")
        alone = self._tokenizer.encode("a", add_special_tokens=False).ids
        self._between = together.ids[1 + len(alone) : -1 - len(alone)]  # one separator (BERT) or two (RoBERTa)
        self._second = together.type_ids[-1]  # the segment of a pair's second text

    def tokens(self, text: str, most: int | None = None) -> list[int]:
        """Token ids without special tokens, at most ``most`` where given."""
        return token_ids(self._tokenizer, text, most)

    def run(self, first: Sequence[int], second: Sequence[int] | None = None) -> Floats:
        """The graph's output for one text, or for a pair of texts read together (without the batch axis)."""
        ids = [self._first, *first, *((self._last,) if second is None else (*self._between, *second, self._last))]
        feed = {"input_ids": np.array([ids], np.int64)}
        if "attention_mask" in self._inputs:
            feed["attention_mask"] = np.ones((1, len(ids)), np.int64)
        if "token_type_ids" in self._inputs:
            segments = np.zeros((1, len(ids)), np.int64)
            segments[0, len(first) + 1 + len(self._between) :] = self._second
            feed["token_type_ids"] = segments
        output: Floats = self._session.run([self._output], feed)[0][0]
        return output

    def paired(self, first: Sequence[int], text: str, most: int) -> Floats:
        """The graph's output for a pair read together in at most so many tokens.

        The text loses its end; what is read before it loses its own only beyond half of the room.
        """
        room = most - 2 - len(self._between)
        second = self.tokens(text, room)
        kept = first[: max(room // 2, room - len(second))]
        return self.run(kept, second[: room - len(kept)])

    def vector(self, text: str, *, window: int, pooling: Pooling) -> Floats:
        """The unit vector of a text; of a text longer than the window, the mean of its windows' unit vectors."""
        vectors = [
            unit(hidden[0] if pooling == "cls" else hidden.mean(axis=0))
            for hidden in map(self.run, windows(self.tokens(text), window - 2))
        ]
        return vectors[0] if len(vectors) == 1 else unit(np.mean(vectors, axis=0))

    def vectors(self, texts: Sequence[str], *, window: int, pooling: Pooling, threads: int | None) -> Floats:
        """Unit vectors, one row a text."""
        return np.stack(side_by_side(lambda text: self.vector(text, window=window, pooling=pooling), texts, threads))


@once
def encoder_in(folder: Path, files: tuple[WeightFile, ...] | None = None, gives: tuple[str, ...] = ()) -> Encoder:
    """The encoder of a folder that has these files, or those of its manifest; loaded once a process.

    Raises ModelMissing, ModelError.
    """
    check_sizes(folder, files)
    return Encoder(folder / "model.onnx", folder / "tokenizer.json", gives)


def side_by_side(function: Callable[[A], B], items: Sequence[A], threads: int | None) -> list[B]:
    """Results in the order of the items, computed by as many threads (None: one for each core)."""
    threads = min(threads or available_cores(), len(items))
    if threads <= 1:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(cancel_futures=True)  # after an interruption, what has not begun never begins


def windows(tokens: Sequence[int], size: int) -> list[Sequence[int]]:
    """Stretches of at most ``size`` tokens that overlap and together cover all of them; at least one."""
    step = size - min(OVERLAP, size // 2)
    starts = range(0, max(len(tokens) - size + step, 1), step)
    return [tokens[start : start + size] for start in starts]


def unit(vector: Floats) -> Floats:
    """The vector scaled to length 1."""
    scaled: Floats = (vector / np.linalg.norm(vector)).astype(np.float32)
    return scaled
