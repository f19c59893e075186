"""What a language model of the llama kind is: its sizes, and the weights that it has therefore.

Llama, Qwen2 and SmolLM2 are one network with few switches. Whatever a model comes in says them here, and gives its
weights by the names below; the graph is built from that alone (``decoder_graph.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from polyhop.models.eight_bits import BLOCK
from polyhop.ports import Floats

Biased = Literal["query", "key", "value", "mixed"]
Shape = tuple[int, ...]
Frequencies = NDArray[np.float64]

BIAS: Final = ".bias"  # of a matrix: what the name of its bias ends in


@dataclass(frozen=True, kw_only=True)
class Llama3Scaling:
    """How Llama 3 turns slowly what it was not trained to see turn once (``rope_type`` llama3)."""

    factor: float  # the slowest turn as much slower
    low: float  # what turns fewer times than this in the original context is one of the slowest
    high: float  # what turns more often than this stays as it is
    context: int  # tokens that the model was trained on first

    def scaled(self, frequencies: Frequencies) -> Frequencies:
        """The frequencies, in radians a token, with the slow ones slower."""
        turns = self.context * frequencies / (2 * np.pi)
        kept = np.clip((turns - self.low) / (self.high - self.low), 0, 1)
        scaled: Frequencies = frequencies * (kept + (1 - kept) / self.factor)
        return scaled


@dataclass(frozen=True, kw_only=True)
class BackboneShape:
    """The sizes and switches of a network.

    Its weights are named ``embedding``, ``norm``, ``head`` where that is not the table of tokens, and for each layer N
    ``N.before`` and ``N.middle`` (norms), ``N.query``, ``N.key``, ``N.value``, ``N.mixed`` (what attention gives),
    ``N.gate``, ``N.up`` and ``N.down``. Matrices are of shape (outputs, inputs).
    """

    layers: int
    width: int
    inner: int
    heads: int
    cached_heads: int  # key and value heads: several query heads share one
    head_width: int  # length of one head's key
    vocabulary: int
    context: int  # tokens that can be read, at most
    epsilon: float
    rope_base: float
    rope_scaling: Llama3Scaling | None = None
    tied: bool = True  # whether the table of tokens is the output layer, too
    biased: tuple[Biased, ...] = ()

    def weights(self) -> dict[str, Shape]:
        """The name and the shape of each weight that the network has."""
        named: dict[str, Shape] = {"embedding": (self.vocabulary, self.width), "norm": (self.width,)}
        if not self.tied:
            named["head"] = (self.vocabulary, self.width)
        asked, cached = self.heads * self.head_width, self.cached_heads * self.head_width
        layer: dict[str, Shape] = {
            **dict.fromkeys(("before", "middle"), (self.width,)),
            "query": (asked, self.width),
            "key": (cached, self.width),
            "value": (cached, self.width),
            "mixed": (self.width, asked),
            "gate": (self.inner, self.width),
            "up": (self.inner, self.width),
            "down": (self.width, self.inner),
        }
        layer |= {f"{name}{BIAS}": layer[name][:1] for name in self.biased}
        return named | {f"{at}.{name}": shape for at in range(self.layers) for name, shape in layer.items()}

    def frequencies(self) -> Frequencies:
        """By how much each pair of a key's numbers is turned from token to token, in radians."""
        frequencies: Frequencies = self.rope_base ** -(np.arange(0, self.head_width, 2) / self.head_width)
        return frequencies if self.rope_scaling is None else self.rope_scaling.scaled(frequencies)

    def faults(self, found: Mapping[str, Shape], spelled: Callable[[str], str]) -> Iterator[str]:
        """What is not so with the tensors of a file, whose names ``spelled`` gives: none missing, each of its shape."""
        wanted = self.weights()
        yield from (f"it has no tensor {spelled(name)}" for name in wanted if spelled(name) not in found)
        for name, shape in wanted.items():
            has = found[spelled(name)]
            if len(has) == 2 and has[1] % BLOCK:
                yield f"the rows of {spelled(name)} are {has[1]} weights long, and no multiple of {BLOCK}"
            elif has != shape:
                yield f"{spelled(name)} is {_times(has)} weights, and should be {_times(shape)}"


class Backbone(Protocol):
    """A network in a file or folder, of whatever format."""

    @property
    def shape(self) -> BackboneShape:
        """Its sizes and switches."""

    def weight(self, name: str) -> Floats:
        """A weight by its name in ``BackboneShape``, float32; numbers that are turned together lie side by side."""


def _times(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "one"
