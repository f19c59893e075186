"""A tiny encoder with random weights, and what one computes, written down as plainly as possible."""

from __future__ import annotations

import math

import numpy as np

from polyhop.ports import Floats

WIDTH, INNER, LAYERS, WORDS, PLACES = 64, 128, 2, 40, 32
HEADS = WIDTH // 32


def random_weights(seed: int = 0) -> dict[str, Floats]:
    """Weights of two layers, 64 wide, with a head of three classes on every token and one of four on the first."""
    rng = np.random.default_rng(seed)
    shapes = {"word": (WORDS, WIDTH), "pos": (PLACES, WIDTH), "seg": (2, WIDTH)}
    weights = {f"body.{name}.weight": rng.normal(size=shape) for name, shape in shapes.items()}
    linear = {"tokens": (3, WIDTH), "kind": (4, WIDTH)}
    norms = ["body.norm"]
    for layer in range(LAYERS):
        at = f"body.layers.{layer}."
        linear |= {f"{at}qkv": (3 * WIDTH, WIDTH), f"{at}out": (WIDTH, WIDTH)}
        linear |= {f"{at}up": (INNER, WIDTH), f"{at}down": (WIDTH, INNER)}
        norms += [f"{at}n1", f"{at}n2"]
    for name, shape in linear.items():
        weights |= {f"{name}.weight": rng.normal(size=shape) / 8, f"{name}.bias": rng.normal(size=shape[0]) / 8}
    for name in norms:
        weights |= {f"{name}.weight": rng.uniform(0.5, 1.5, WIDTH), f"{name}.bias": rng.normal(size=WIDTH) / 8}
    return {name: value.astype(np.float32) for name, value in weights.items()}


def computed(weights: dict[str, Floats], ids: list[int], segments: list[int]) -> tuple[Floats, Floats]:
    """What BERT (Devlin et al. 2019) with those two heads makes of one sequence: (tokens, 3) and (4,)."""

    def linear(value: Floats, name: str) -> Floats:
        return value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(value: Floats, name: str) -> Floats:
        centred = value - value.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])

    embedded = weights["body.word.weight"][ids] + weights["body.pos.weight"][: len(ids)]
    value = norm(embedded + weights["body.seg.weight"][segments], "body.norm")
    for layer in range(LAYERS):
        at = f"body.layers.{layer}."
        query, key, held = (
            part.reshape(len(ids), HEADS, 32).swapaxes(0, 1) for part in np.split(linear(value, f"{at}qkv"), 3, axis=-1)
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(32))
        attended = (scores / scores.sum(-1, keepdims=True)) @ held
        joined: Floats = np.asarray(attended.swapaxes(0, 1).reshape(len(ids), WIDTH), np.float32)
        value = norm(value + linear(joined, f"{at}out"), f"{at}n1")
        raised = linear(value, f"{at}up")
        raised = raised * (1 + np.vectorize(math.erf)(raised / math.sqrt(2))) / 2
        value = norm(value + linear(raised, f"{at}down"), f"{at}n2")
    return linear(value, "tokens"), linear(value[0], "kind")
