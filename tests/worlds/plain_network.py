"""Llama and Qwen2 as their papers define them, in numpy: what a conversion is compared with.

It shares no code with what is tested, takes weights by the names that hubs have for them, turns numbers that lie half a
head apart, and reads a sequence every time from the beginning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Floats


class PlainNetwork:
    """The network as its definition says, in float64."""

    def __init__(self, config: Mapping[str, Any], tensors: Mapping[str, Floats]) -> None:
        self._config, self._tensors = config, tensors
        self._heads, self._cached = self._config["num_attention_heads"], self._config["num_key_value_heads"]
        self._head = self._config.get("head_dim") or self._config["hidden_size"] // self._heads

    def logprobs(self, tokens: Sequence[int]) -> NDArray[np.float64]:
        """What may come next after each of the tokens, of shape (tokens, vocabulary)."""
        table = self._tensors["model.embed_tokens.weight"].astype(np.float64)
        hidden = table[list(tokens)]
        for layer in range(self._config["num_hidden_layers"]):
            at = f"model.layers.{layer}."
            hidden = hidden + self._attended(self._normed(hidden, f"{at}input_layernorm"), f"{at}self_attn.")
            normed = self._normed(hidden, f"{at}post_attention_layernorm")
            gate, up = (self._times(normed, f"{at}mlp.{name}_proj") for name in ("gate", "up"))
            hidden = hidden + self._times(gate / (1 + np.exp(-gate)) * up, f"{at}mlp.down_proj")
        head = table if self._config["tie_word_embeddings"] else self._tensors["lm_head.weight"].astype(np.float64)
        logits = self._normed(hidden, "model.norm") @ head.T
        highest = logits.max(axis=-1, keepdims=True)
        result: NDArray[np.float64] = logits - highest - np.log(np.exp(logits - highest).sum(axis=-1, keepdims=True))
        return result

    def _times(self, value: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        shift = self._tensors.get(f"{name}.bias", np.zeros(1, np.float32))
        result: NDArray[np.float64] = value @ self._tensors[f"{name}.weight"].astype(np.float64).T + shift
        return result

    def _normed(self, value: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        root = np.sqrt((value**2).mean(axis=-1, keepdims=True) + self._config["rms_norm_eps"])
        result: NDArray[np.float64] = value / root * self._tensors[f"{name}.weight"]
        return result

    def _attended(self, normed: NDArray[np.float64], at: str) -> NDArray[np.float64]:
        length = len(normed)
        query, key, value = (
            self._times(normed, f"{at}{name}_proj").reshape(length, -1, self._head).swapaxes(0, 1) for name in "qkv"
        )
        shared = self._heads // self._cached
        query, key, value = self._turned(query), self._turned(key).repeat(shared, axis=0), value.repeat(shared, axis=0)
        scores = query @ key.swapaxes(1, 2) / math.sqrt(self._head)
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = weights / weights.sum(axis=-1, keepdims=True) @ value
        return self._times(mixed.swapaxes(0, 1).reshape(length, -1), f"{at}o_proj")

    def _turned(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each number of the first half of a head and its partner in the second, turned by their position."""
        half = self._head // 2
        angles = np.outer(np.arange(value.shape[1]), [self._speed(pair) for pair in range(half)])
        first, second = value[..., :half], value[..., half:]
        cosines, sines = np.cos(angles), np.sin(angles)
        return np.concatenate([first * cosines - second * sines, second * cosines + first * sines], axis=-1)

    def _speed(self, pair: int) -> float:
        """The angle from one position to the next, slower where Llama 3 slows it down."""
        speed = float(self._config["rope_theta"] ** (-2 * pair / self._head))
        scaling = self._config.get("rope_scaling")
        if scaling is None:
            return speed
        length, original = 2 * math.pi / speed, scaling["original_max_position_embeddings"]
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        if length < original / high:
            return speed
        if length > original / low:
            return float(speed / scaling["factor"])
        part = (original / length - low) / (high - low)
        return float((1 - part) * speed / scaling["factor"] + part * speed)
