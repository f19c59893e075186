"""Conversion and tree decoding, against a naive reading of the same weights in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from polyhop.errors import ModelError
from polyhop.models.decoder import Decoder, PrefixTree
from polyhop.models.eight_bits import quantised
from polyhop.models.gguf_file import Gguf
from polyhop.models.gguf_to_onnx import convert
from polyhop.ports import Floats, Ints
from tests.worlds.gguf import (
    CACHED_HEADS,
    CONTEXT,
    EPSILON,
    HEAD_WIDTH,
    HEADS,
    LAYERS,
    ROPE_BASE,
    TOKENS,
    WIDTH,
    written,
)


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny network of the llama architecture with random weights."""
    return written(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="module")
def folder(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("converted")
    convert(gguf, folder, exact=True)
    return folder


@pytest.fixture(scope="module")
def decoder(folder: Path) -> Decoder:
    return Decoder(folder / "model.onnx", threads=1)


class Naive:
    """The network as its definition says, for one sequence, every time from the beginning."""

    def __init__(self, path: Path) -> None:
        self._gguf = Gguf(path)

    def logprobs(self, tokens: list[int]) -> Floats:
        """What may come next, of shape (vocabulary,)."""
        hidden = self.matrix("token_embd")[tokens]
        for layer in range(LAYERS):
            at = f"blk.{layer}."
            hidden = hidden + self.attention(self.norm(hidden, f"{at}attn_norm"), at)
            normed = self.norm(hidden, f"{at}ffn_norm")
            gate, up = normed @ self.matrix(f"{at}ffn_gate").T, normed @ self.matrix(f"{at}ffn_up").T
            hidden = hidden + (gate / (1 + np.exp(-gate)) * up) @ self.matrix(f"{at}ffn_down").T
        logits = self.norm(hidden[-1], "output_norm") @ self.matrix("token_embd").T
        result: Floats = logits - np.log(np.exp(logits).sum())
        return result

    def attention(self, normed: Floats, at: str) -> Floats:
        """Causal attention, with key and value heads that several query heads share."""
        q, k, v = (
            (normed @ self.matrix(f"{at}attn_{part}").T).reshape(len(normed), -1, HEAD_WIDTH).swapaxes(0, 1)
            for part in "qkv"
        )
        q, k, v = rotated(q), rotated(k).repeat(HEADS // CACHED_HEADS, axis=0), v.repeat(HEADS // CACHED_HEADS, axis=0)
        weights = np.exp(np.tril(q @ k.swapaxes(1, 2) / HEAD_WIDTH**0.5)) * np.tri(len(normed))
        mixed = weights / weights.sum(axis=-1, keepdims=True) @ v
        result: Floats = mixed.swapaxes(0, 1).reshape(len(normed), WIDTH) @ self.matrix(f"{at}attn_output").T
        return result

    def norm(self, values: Floats, name: str) -> Floats:
        """Root mean square normalisation."""
        scaled = (values / np.sqrt((values**2).mean(axis=-1, keepdims=True) + EPSILON)).astype(np.float32)
        result: Floats = scaled * self._gguf.tensor(f"{name}.weight")
        return result

    def matrix(self, name: str) -> Floats:
        """The weights as 8 bits keep them."""
        levels, scales = quantised(self._gguf.tensor(f"{name}.weight"))
        restored: Floats = (levels.astype(np.float32) - 128) * scales[..., None]
        return restored.reshape(len(levels), -1)


def rotated(values: Floats) -> Floats:
    """Keys or queries of shape (heads, tokens, width), turned pair by pair according to their position."""
    steps = ROPE_BASE ** (-np.arange(0, HEAD_WIDTH, 2) / HEAD_WIDTH)
    turns = np.exp(1j * np.outer(np.arange(values.shape[1]), steps))
    pairs = (values[..., ::2] + 1j * values[..., 1::2]) * turns
    result: Floats = np.stack([pairs.real, pairs.imag], axis=-1).reshape(values.shape)
    return result


def ints(*values: int) -> Ints:
    return np.array(values, np.int64)


def read(decoder: Decoder, tokens: list[int]) -> PrefixTree:
    return decoder.read(decoder.root(), ints(0), [tokens])


some_tokens = st.lists(st.integers(0, len(TOKENS) - 1), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(tokens=some_tokens)
def test_the_graph_computes_what_the_network_is_defined_as(decoder: Decoder, gguf: Path, tokens: list[int]) -> None:
    expected = Naive(gguf).logprobs(tokens)
    assert np.allclose(read(decoder, tokens).logprobs[0], expected, atol=1e-3)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_rows_of_any_tree_say_what_they_would_say_alone(decoder: Decoder, data: st.DataObject) -> None:
    """Prefixes that branch, are dropped, and grow by unequal numbers of tokens never see each other."""
    histories = [data.draw(some_tokens)]
    tree = read(decoder, histories[0])
    for _ in range(data.draw(st.integers(1, 4))):
        parents = data.draw(st.lists(st.integers(0, len(histories) - 1), min_size=1, max_size=4))
        branches = [data.draw(some_tokens) for _ in parents]
        tree = decoder.read(tree, ints(*parents), branches)
        histories = [histories[parent] + branch for parent, branch in zip(parents, branches, strict=True)]
    assert tree.lengths.tolist() == [len(history) for history in histories]
    for row, history in enumerate(histories):
        assert np.allclose(tree.logprobs[row], read(decoder, history).logprobs[0], atol=1e-4)


def test_a_long_prompt_is_read_in_chunks_without_a_difference(decoder: Decoder, gguf: Path) -> None:
    tokens = [2 + place % 20 for place in range(CONTEXT - 1)]
    assert np.allclose(read(decoder, tokens).logprobs[0], Naive(gguf).logprobs(tokens), atol=1e-3)
    middle = decoder.read(read(decoder, tokens[:200]), ints(0), [tokens[200:]])
    assert np.allclose(middle.logprobs, read(decoder, tokens).logprobs, atol=1e-4)


def test_rows_that_end_in_different_chunks_come_back_in_order(decoder: Decoder) -> None:
    branches = [[2] * 100, [3] * 5, [4] * 300]
    tree = decoder.read(decoder.root(), ints(0, 0, 0), branches)
    alone = [read(decoder, branch).logprobs[0] for branch in branches]
    assert np.allclose(tree.logprobs, alone, atol=1e-4)


def test_more_than_the_context_is_refused(decoder: Decoder) -> None:
    with pytest.raises(ModelError, match="600 tokens"):
        read(decoder, [2] * (CONTEXT + 1))


def test_no_rows_are_no_work(decoder: Decoder) -> None:
    assert decoder.read(read(decoder, [2]), ints(), []).logprobs.shape == (0, len(TOKENS))


def test_prefixes_are_read_once_and_the_oldest_forgotten(decoder: Decoder) -> None:
    first = decoder.read_prefix([2, 3])
    assert decoder.read_prefix([2, 3]) is first
    for token in range(4, 8):
        decoder.read_prefix([token])
    assert decoder.read_prefix([2, 3]) is not first


def test_the_tokenizer_merges_and_knows_control_tokens(folder: Path) -> None:
    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.encode("abcab<turn>").tokens == ["abc", "ab", "<turn>"]
