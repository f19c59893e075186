"""Writes a language model as an ONNX graph, with 8-bit weights or as exact as it is.

The graph reads one sequence of tokens behind a key-value cache. Which earlier token a token may look at is an input
(``bias``), and so is its position: a batch of prefixes is read as one sequence in which every prefix sees only itself.

Inputs, with T new tokens, P cached ones and S = P + T:
    tokens int64 (1, T), positions int64 (1, T), bias float32 (1, 1, T, S) added to the attention logits,
    last int64 (R,): where in the new tokens log-probabilities are wanted, past.N.key and past.N.value float32.
Outputs:
    logprobs float32 (R, vocabulary), present.N.key and present.N.value float32 (1, heads, S, width).

Needs ``onnx``, no torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from polyhop.models.backbone import BIAS, Backbone, BackboneShape
from polyhop.models.eight_bits import BLOCK, quantised
from polyhop.models.graph_parts import CONTRIB, GraphParts, extra_missing, parts_of
from polyhop.ports import Floats

Precision = Literal["8-bit", "float32"]


def write_graph(backbone: Backbone, target: Path, *, precision: Precision = "8-bit", exact: bool = False) -> None:
    """Build the graph and save it: as one file, or with another beside it that has the weights.

    With ``exact`` the activations between 8-bit weights stay float32, which is several times slower: for comparisons.
    Raises ModelMissing without ``onnx``, ModelError for weights that cannot be read, OSError.
    """
    try:
        import onnx
    except ImportError as error:
        raise extra_missing() from error
    with parts_of(target, _size(backbone.shape, precision)) as parts:
        model = _Builder(backbone=backbone, parts=parts, precision=precision, exact=exact).model()
    onnx.save_model(model, str(target), save_as_external_data=False)


def _size(shape: BackboneShape, precision: Precision) -> int:
    """About how many bytes its constants take."""
    weights = sum(map(math.prod, shape.weights().values()))
    rotations = 4 * shape.context * shape.head_width
    return rotations + (4 * weights if precision == "float32" else weights + 4 * weights // BLOCK)


@dataclass(frozen=True, kw_only=True)
class _Builder:
    """Says the network node by node; methods return the name of the value that they add."""

    backbone: Backbone
    parts: GraphParts
    precision: Precision
    exact: bool

    @property
    def shape(self) -> BackboneShape:
        return self.backbone.shape

    def model(self) -> Any:
        """The whole network as an ONNX model."""
        from onnx import helper

        self._inputs_of_attention()
        residual = self._embedding(self.backbone.weight("embedding"))
        normed = self.parts.op(
            "SimplifiedLayerNormalization",
            (residual, self.parts.constant("norm.first", self.backbone.weight("0.before"))),
            "first",
            epsilon=self.shape.epsilon,
            axis=-1,
            stash_type=1,
        )
        for layer in range(self.shape.layers):
            normed, residual = self._layer(layer, normed, residual)
        self._output(normed)
        model = self.parts.model("llama", *self._signature())
        helper.set_model_props(model, {"context": str(self.shape.context)})
        return model

    def linear(self, value: str, weights: Floats, name: str) -> str:
        """Multiply by a matrix of shape (outputs, inputs)."""
        if self.precision == "float32":
            return self.parts.op("MatMul", (value, self.parts.constant(f"{name}.weights", weights.T)), name)
        levels, scales = quantised(weights)
        constants = (self.parts.constant(f"{name}.levels", levels), self.parts.constant(f"{name}.scales", scales))
        return self._multiply(value, constants, weights.shape[0], weights.shape[1], name)

    def _multiply(self, value: str, constants: tuple[str, str], outputs: int, inputs: int, name: str) -> str:
        level = 1 if self.exact else 4  # 1: float32 activations, 4: quantised to 8 bits on the way
        size = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK, "accuracy_level": level}
        return self.parts.op("MatMulNBits", (value, *constants), name, domain=CONTRIB, **size)

    def _shifted(self, value: str, name: str, *weights: Floats) -> str:
        """Add a bias, where there is one."""
        if not weights:
            return value
        return self.parts.op("Add", (value, self.parts.constant(f"{name}.bias", np.concatenate(weights))), name)

    def _inputs_of_attention(self) -> None:
        """How many tokens there are in all, and the rotations of every position."""
        from onnx import TensorProto

        parts = self.parts
        parts.op("Shape", ("bias",), "bias.shape")
        parts.op("Gather", ("bias.shape", parts.constant("three", np.array([3], np.int64))), "total", axis=0)
        parts.op("Cast", ("total",), "total.int32", to=TensorProto.INT32)
        parts.op("Sub", ("total", parts.constant("one", np.array([1], np.int64))), "total.last")
        parts.op("Cast", ("total.last",), "total.last.int32", to=TensorProto.INT32)
        angles = np.outer(np.arange(self.shape.context), self.shape.frequencies())
        parts.constant("cosines", np.cos(angles).astype(np.float32))
        parts.constant("sines", np.sin(angles).astype(np.float32))

    def _embedding(self, weights: Floats) -> str:
        """Look the tokens up; the same matrix may serve as the output layer."""
        parts = self.parts
        if self.precision == "float32":
            return parts.op("Gather", (parts.constant("embedding.weights", weights), "tokens"), "embedded")
        levels, scales = quantised(weights)
        parts.constant("embedding.levels", levels)
        parts.constant("embedding.scales", scales)
        parts.constant("embedding.shape", np.array(weights.shape, np.int64))
        table = parts.op("Reshape", ("embedding.levels", "embedding.shape"), "embedding.table")
        blocks = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK, "bits": 8}
        inputs = (table, "tokens", "embedding.scales")
        return parts.op("GatherBlockQuantized", inputs, "embedded", domain=CONTRIB, **blocks)

    def _layer(self, layer: int, normed: str, residual: str) -> tuple[str, str]:
        """Attention and feed-forward, each behind a norm; returns the next layer's normed input and the residual."""
        at, weight = f"blk.{layer}.", self.backbone.weight
        packed = np.concatenate([weight(f"{layer}.{part}") for part in ("query", "key", "value")])
        asked = self._shifted(self.linear(normed, packed, f"{at}qkv"), f"{at}qkv.shifted", *self._packed_bias(layer))
        given = self.linear(self._attention(asked, layer), weight(f"{layer}.mixed"), f"{at}mixed")
        if "mixed" in self.shape.biased:
            given = self._shifted(given, f"{at}mixed.shifted", weight(f"{layer}.mixed{BIAS}"))
        normed, residual = self._add_and_norm(given, residual, weight(f"{layer}.middle"), f"{at}middle")
        gate = self.linear(normed, weight(f"{layer}.gate"), f"{at}gate")
        up = self.linear(normed, weight(f"{layer}.up"), f"{at}up")
        swish = self.parts.op("QuickGelu", (gate,), f"{at}swish", domain=CONTRIB, alpha=1.0)
        gated = self.parts.op("Mul", (swish, up), f"{at}gated")
        down = self.linear(gated, weight(f"{layer}.down"), f"{at}down")
        following = f"{layer + 1}.before" if layer + 1 < self.shape.layers else "norm"
        return self._add_and_norm(down, residual, weight(following), f"{at}end")

    def _packed_bias(self, layer: int) -> list[Floats]:
        """What is added to queries, keys and values: nothing, or zeros for those of them that have no bias."""
        named, given = self.shape.weights(), self.shape.biased
        asked = [(part, f"{layer}.{part}") for part in ("query", "key", "value")]
        if not any(part in given for part, _ in asked):
            return []
        return [
            self.backbone.weight(name + BIAS) if part in given else np.zeros(named[name][0], np.float32)
            for part, name in asked
        ]

    def _attention(self, packed: str, layer: int) -> str:
        """Grouped-query attention; what is turned together lies side by side (interleaved)."""
        past = (f"past.{layer}.key", f"past.{layer}.value")
        inputs = (packed, "", "", *past, "total.last.int32", "total.int32", "cosines", "sines", "positions", "bias")
        outputs = (f"blk.{layer}.attended", f"present.{layer}.key", f"present.{layer}.value")
        return self.parts.op(
            "GroupQueryAttention",
            inputs,
            *outputs,
            domain=CONTRIB,
            num_heads=self.shape.heads,
            kv_num_heads=self.shape.cached_heads,
            scale=self.shape.head_width**-0.5,
            do_rotary=1,
            rotary_interleaved=1,
        )

    def _add_and_norm(self, value: str, residual: str, weights: Floats, name: str) -> tuple[str, str]:
        inputs = (value, residual, self.parts.constant(f"{name}.weights", weights))
        outputs = (f"{name}.normed", "", "", f"{name}.sum")
        norm = "SkipSimplifiedLayerNormalization"
        self.parts.op(norm, inputs, *outputs, domain=CONTRIB, epsilon=self.shape.epsilon)
        return outputs[0], outputs[3]

    def _output(self, normed: str) -> None:
        """Log-probabilities, only where they are wanted: the output layer is a fifth of the network."""
        parts, shape = self.parts, self.shape
        chosen = parts.op("Gather", (normed, "last"), "chosen", axis=1)
        rows = parts.op("Squeeze", (chosen, parts.constant("first_axis", np.array([0], np.int64))), "chosen.rows")
        if not shape.tied:
            logits = self.linear(rows, self.backbone.weight("head"), "logits")
        elif self.precision == "float32":
            logits = parts.op("Gemm", (rows, "embedding.weights"), "logits", transB=1)
        else:
            table = ("embedding.levels", "embedding.scales")
            logits = self._multiply(rows, table, shape.vocabulary, shape.width, "logits")
        parts.op("LogSoftmax", (logits,), "logprobs", axis=-1)

    def _signature(self) -> tuple[list[Any], list[Any]]:
        from onnx import TensorProto, helper

        def value(name: str, kind: int, *shape: str | int) -> Any:
            return helper.make_tensor_value_info(name, kind, shape)

        inputs = [
            value("tokens", TensorProto.INT64, 1, "T"),
            value("positions", TensorProto.INT64, 1, "T"),
            value("bias", TensorProto.FLOAT, 1, 1, "T", "S"),
            value("last", TensorProto.INT64, "R"),
        ]
        outputs = [value("logprobs", TensorProto.FLOAT, "R", self.shape.vocabulary)]
        heads, width = self.shape.cached_heads, self.shape.head_width
        for layer in range(self.shape.layers):
            for part in ("key", "value"):
                inputs.append(value(f"past.{layer}.{part}", TensorProto.FLOAT, 1, heads, "P", width))
                outputs.append(value(f"present.{layer}.{part}", TensorProto.FLOAT, 1, heads, "S", width))
        return inputs, outputs
