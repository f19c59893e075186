"""Builds the ONNX graph of a trained encoder with its heads, from nothing but its weights: no tracing, no torch.

Weights are stored as 8-bit integers: a linear layer's with a scale for each output, the vocabulary's with one for each
word. What a linear layer reads is quantised on the way, a whole batch at once, so that texts are to be read one by one.
Heads stay float32: they are small, and their outputs are compared.

Inputs, all int64 of shape (B, T): input_ids, attention_mask, token_type_ids.
Outputs, float32: for each head on every token (B, T, classes), for each head on the first token (B, classes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyhop.models.graph_parts import CONTRIB, GraphParts
from polyhop.ports import Floats

HEAD_WIDTH = 32  # of one attention head, in all encoders of the MiniLM family
TOP = 63  # the largest integer in a linear layer
EPSILON = 1e-12  # of the norms, as BERT has it

Weights = Mapping[str, Floats]  # of an encoder and its heads, named as in training/encoder.py


@dataclass(frozen=True, kw_only=True)
class Head:
    """A linear layer on what the encoder makes of the tokens, and the output that it becomes."""

    name: str
    on: Literal["every token", "the first token"]
    pooled: bool = False  # whether a layer of its own (``NAME.pooler``), with a tanh behind it, stands before it


def write_graph(weights: Weights, heads: Sequence[Head], target: Path, *, exact: bool = False) -> None:
    """Build the graph and save it as one file; ``exact`` keeps float32 throughout, for comparisons. Raises OSError."""
    import onnx

    model = _Builder(weights=weights, exact=exact).encoder(heads)
    onnx.save_model(model, str(target), save_as_external_data=False)


def in_columns(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """A matrix of shape (outputs, inputs) as integers of shape (inputs, outputs), and the scales (outputs,) to them.

    Seven bits and a sign would be finer than the six used, but on processors that add products in 16 bits (before
    VNNI), two such products with an activation of eight bits do not fit, and the sum would be cut off without a word.
    """
    scales = _scales(matrix, TOP)
    return np.rint(matrix / scales).astype(np.int8).T, scales[:, 0]


def _scales(matrix: Floats, top: int) -> Floats:
    """One scale a row, of shape (rows, 1), so that its largest entry becomes ``top``."""
    scales: Floats = np.maximum(np.abs(matrix).max(axis=1, keepdims=True) / np.float32(top), np.float32(1e-12))
    return scales


@dataclass(kw_only=True)
class _Builder(GraphParts):
    """Says the graph node by node; methods return the name of the value that they add."""

    weights: Weights
    exact: bool

    def encoder(self, heads: Sequence[Head]) -> Any:
        """The encoder and its heads as an ONNX model."""
        from onnx import TensorProto

        value = self._embedding()
        mask = self.op("Cast", ("attention_mask",), "mask", to=TensorProto.INT32)
        layer = 0
        while f"body.layers.{layer}.qkv.weight" in self.weights:
            value = self._layer(value, mask, layer)
            layer += 1
        for head in heads:
            self._head(value, head)
        return self.model("encoder", self._inputs(), self._outputs(heads))

    def weight(self, name: str) -> str:
        """Add a weight as it is."""
        return self.constant(name, self.weights[name])

    def linear(self, value: str, name: str) -> str:
        """Multiply by a matrix of shape (outputs, inputs) and add a bias."""
        matrix, bias = self.weights[f"{name}.weight"], self.weight(f"{name}.bias")
        if self.exact:
            return self._plain(value, matrix, bias, name)
        levels, scales = in_columns(matrix)
        zeros = self.constant(f"{name}.zeros", np.zeros(len(scales), np.int8))
        constants = (self.constant(f"{name}.levels", levels), self.constant(f"{name}.scales", scales), zeros)
        return self.op("DynamicQuantizeMatMul", (value, *constants, bias), name, domain=CONTRIB)

    def _plain(self, value: str, matrix: Floats, bias: str, name: str) -> str:
        product = self.op("MatMul", (value, self.constant(f"{name}.weight", matrix.T)), f"{name}.product")
        return self.op("Add", (product, bias), name)

    def norm(self, value: str, residual: str, name: str) -> str:
        """Add a residual and norm."""
        inputs = (value, residual, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.op("SkipLayerNormalization", inputs, name, domain=CONTRIB, epsilon=EPSILON)

    def _embedding(self) -> str:
        """Words, segments and positions, normed."""
        length = self.op("Shape", ("input_ids",), "length", start=1, end=2)
        start = self.constant("start", np.array([0], np.int64))
        position = self.op("Slice", (self.weight("body.pos.weight"), start, length), "position")
        segment = self.op("Gather", (self.weight("body.seg.weight"), "token_type_ids"), "segment")
        placed = self.op("Add", (self._words(), segment), "placed")
        summed = self.op("Add", (placed, position), "summed")
        inputs = (summed, self.weight("body.norm.weight"), self.weight("body.norm.bias"))
        return self.op("LayerNormalization", inputs, "embedded", axis=-1, epsilon=EPSILON)

    def _words(self) -> str:
        from onnx import TensorProto

        table = self.weights["body.word.weight"]
        if self.exact:
            return self.op("Gather", (self.weight("body.word.weight"), "input_ids"), "words")
        scales = _scales(table, 127)
        levels = self.constant("body.word.levels", np.rint(table / scales).astype(np.int8))
        found = self.op("Gather", (levels, "input_ids"), "words.levels")
        scale = self.op("Gather", (self.constant("body.word.scales", scales), "input_ids"), "words.scale")
        cast = self.op("Cast", (found,), "words.cast", to=TensorProto.FLOAT)
        return self.op("Mul", (cast, scale), "words")

    def _layer(self, value: str, mask: str, layer: int) -> str:
        """Attention and feed-forward, each with a residual and a norm behind it."""
        at = f"body.layers.{layer}."
        width = self.weights[f"{at}out.weight"].shape[0]
        packed = self.linear(value, f"{at}qkv")
        parts = tuple(f"{at}{part}" for part in ("query", "key", "value"))
        self.op("Split", (packed,), *parts, axis=-1, num_outputs=3)
        attended = self.op(
            "MultiHeadAttention",
            (*parts, "", mask),
            f"{at}attended",
            domain=CONTRIB,
            num_heads=width // HEAD_WIDTH,
        )
        value = self.norm(self.linear(attended, f"{at}out"), value, f"{at}n1")
        raised = self.op("Gelu", (self.linear(value, f"{at}up"),), f"{at}raised", domain=CONTRIB)
        return self.norm(self.linear(raised, f"{at}down"), value, f"{at}n2")

    def _head(self, value: str, head: Head) -> None:
        if head.on == "the first token":
            place = self.constant(f"{head.name}.place", np.array(0))
            value = self.op("Gather", (value, place), f"{head.name}.first", axis=1)
        if head.pooled:
            value = self._unquantised(value, f"{head.name}.pooler")
            value = self.op("Tanh", (value,), f"{head.name}.pooled")
        self._unquantised(value, head.name)

    def _unquantised(self, value: str, name: str) -> str:
        return self._plain(value, self.weights[f"{name}.weight"], self.weight(f"{name}.bias"), name)

    def _inputs(self) -> list[Any]:
        from onnx import TensorProto, helper

        names = ("input_ids", "attention_mask", "token_type_ids")
        return [helper.make_tensor_value_info(name, TensorProto.INT64, ("B", "T")) for name in names]

    def _outputs(self, heads: Sequence[Head]) -> list[Any]:
        from onnx import TensorProto, helper

        def shape(head: Head) -> tuple[str | int, ...]:
            classes = len(self.weights[f"{head.name}.bias"])
            return ("B", "T", classes) if head.on == "every token" else ("B", classes)

        return [helper.make_tensor_value_info(head.name, TensorProto.FLOAT, shape(head)) for head in heads]
