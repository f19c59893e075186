"""Turns a GGUF file of the llama architecture into an ONNX graph with 8-bit weights, and a tokenizer.

The graph reads one sequence of tokens behind a key-value cache. Which earlier token a token may look at is an input
(``bias``), and so is its position: a batch of prefixes is read as one sequence in which every prefix sees only itself.

Inputs, with T new tokens, P cached ones and S = P + T:
    tokens int64 (1, T), positions int64 (1, T), bias float32 (1, 1, T, S) added to the attention logits,
    last int64 (R,): where in the new tokens log-probabilities are wanted, past.N.key and past.N.value float32.
Outputs:
    logprobs float32 (R, vocabulary), present.N.key and present.N.value float32 (1, heads, S, width).

Needs the ``convert`` extra (gguf, onnx), no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from polyhop.models.gguf_file import BLOCK, Gguf, ModelShape, extra_missing
from polyhop.ports import Floats

CONTRIB = "com.microsoft"  # onnxruntime's own operators
CONTROL_TOKEN = 3  # token type of GGUF: <|im_start|> and the like


def convert(source: Path, folder: Path, *, exact: bool = False) -> None:
    """Write ``model.onnx`` and ``tokenizer.json`` into a folder.

    With ``exact`` activations stay float32, which is several times slower: for comparisons.
    Raises ModelMissing, ModelError for a network that this would not be the same as, OSError.
    """
    gguf = Gguf(source)
    gguf.check()
    write_tokenizer(gguf, folder / "tokenizer.json")
    write_graph(gguf, folder / "model.onnx", exact=exact)


def write_tokenizer(gguf: Gguf, target: Path) -> None:
    """Rebuild the byte-level BPE tokenizer from the header: digits apart, then bytes, then merges."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens = cast(Sequence[str], gguf.value("tokenizer.ggml.tokens"))
    kinds = cast(Sequence[int], gguf.value("tokenizer.ggml.token_type"))
    merges = [tuple(line.split(" ", 1)) for line in gguf.value("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(
        models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=cast("list[tuple[str, str]]", merges))
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL_TOKEN]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    tokenizer.save(str(target))


def write_graph(gguf: Gguf, target: Path, *, exact: bool = False) -> None:
    """Build the graph and save it as one file."""
    try:
        import onnx
    except ImportError as error:
        raise extra_missing() from error
    onnx.save_model(_Builder(shape=gguf.shape, exact=exact).model(gguf), str(target), save_as_external_data=False)


def quantised(weights: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Eight-bit weights of a matrix, symmetric about 128, with one scale for each block in a row.

    Returns arrays of shape (rows, blocks, BLOCK) and (rows, blocks).
    """
    blocks = weights.reshape(weights.shape[0], -1, BLOCK)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / 127
    scales[scales == 0] = 1.0
    levels = np.clip(np.rint(blocks / scales), -127, 127) + 128
    return levels.astype(np.uint8), scales[..., 0].astype(np.float32)


@dataclass(frozen=True, kw_only=True)
class _Builder:
    """Collects the nodes and constants of the graph; methods return the name of the value that they add."""

    shape: ModelShape
    exact: bool
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def model(self, gguf: Gguf) -> Any:
        """The whole network as an ONNX model."""
        from onnx import helper

        self._inputs_of_attention()
        residual = self._embedding(gguf.weight("token_embd.weight"))
        normed = self.op(
            "SimplifiedLayerNormalization",
            (residual, self.constant("norm.first", gguf.weight("blk.0.attn_norm.weight"))),
            "first",
            attributes={"epsilon": self.shape.epsilon, "axis": -1, "stash_type": 1},
        )
        for layer in range(self.shape.layers):
            following = f"blk.{layer + 1}.attn_norm.weight" if layer + 1 < self.shape.layers else "output_norm.weight"
            normed, residual = self._layer(gguf, layer, normed, residual, following)
        self._output(normed)
        inputs, outputs = self._signature()
        graph = helper.make_graph(self.nodes, "llama", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(CONTRIB, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="polyhop")
        helper.set_model_props(model, {"context": str(self.shape.context)})
        return model

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add a constant."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> str:
        """Add a node."""
        from onnx import helper

        name = f"{outputs[0]}/{operator}"
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=name, domain=domain, **(attributes or {})))
        return outputs[0]

    def linear(self, value: str, weights: Floats, name: str) -> str:
        """Multiply by an 8-bit matrix of shape (outputs, inputs)."""
        levels, scales = quantised(weights)
        constants = (self.constant(f"{name}.levels", levels), self.constant(f"{name}.scales", scales))
        return self._multiply(value, constants, weights.shape[0], weights.shape[1], name)

    def _multiply(self, value: str, constants: tuple[str, str], outputs: int, inputs: int, name: str) -> str:
        level = 1 if self.exact else 4  # 1: float32 activations, 4: quantised to 8 bits on the way
        attributes = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK, "accuracy_level": level}
        return self.op("MatMulNBits", (value, *constants), name, domain=CONTRIB, attributes=attributes)

    def _inputs_of_attention(self) -> None:
        """How many tokens there are in all, and the rotations of every position."""
        from onnx import TensorProto

        self.op("Shape", ("bias",), "bias.shape")
        self.op(
            "Gather", ("bias.shape", self.constant("three", np.array(3, np.int64))), "total", attributes={"axis": 0}
        )
        self.op("Cast", ("total",), "total.int32", attributes={"to": TensorProto.INT32})
        self.op("Sub", ("total", self.constant("one", np.array([1], np.int64))), "total.last")
        self.op("Cast", ("total.last",), "total.last.int32", attributes={"to": TensorProto.INT32})
        steps = np.arange(0, self.shape.head_width, 2) / self.shape.head_width
        angles = np.outer(np.arange(self.shape.context), self.shape.rope_base**-steps)
        self.constant("cosines", np.cos(angles).astype(np.float32))
        self.constant("sines", np.sin(angles).astype(np.float32))

    def _embedding(self, weights: Floats) -> str:
        """Look the tokens up; the same matrix serves as the output layer."""
        levels, scales = quantised(weights)
        self.constant("embedding.levels", levels)
        self.constant("embedding.scales", scales)
        self.constant("embedding.shape", np.array(weights.shape, np.int64))
        table = self.op("Reshape", ("embedding.levels", "embedding.shape"), "embedding.table")
        attributes = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK, "bits": 8}
        inputs = (table, "tokens", "embedding.scales")
        return self.op("GatherBlockQuantized", inputs, "embedded", domain=CONTRIB, attributes=attributes)

    def _layer(self, gguf: Gguf, layer: int, normed: str, residual: str, following: str) -> tuple[str, str]:
        """Attention and feed-forward, each behind a norm; returns the next layer's normed input and the residual."""
        at = f"blk.{layer}."
        packed = np.concatenate([gguf.weight(f"{at}attn_{part}.weight") for part in "qkv"])
        attended = self._attention(self.linear(normed, packed, f"{at}qkv"), layer)
        mixed = self.linear(attended, gguf.weight(f"{at}attn_output.weight"), f"{at}mixed")
        normed, residual = self._add_and_norm(mixed, residual, gguf.weight(f"{at}ffn_norm.weight"), f"{at}middle")
        gate = self.linear(normed, gguf.weight(f"{at}ffn_gate.weight"), f"{at}gate")
        up = self.linear(normed, gguf.weight(f"{at}ffn_up.weight"), f"{at}up")
        swish = self.op("QuickGelu", (gate,), f"{at}swish", domain=CONTRIB, attributes={"alpha": 1.0})
        gated = self.op("Mul", (swish, up), f"{at}gated")
        down = self.linear(gated, gguf.weight(f"{at}ffn_down.weight"), f"{at}down")
        return self._add_and_norm(down, residual, gguf.weight(following), f"{at}end")

    def _attention(self, packed: str, layer: int) -> str:
        """Grouped-query attention; GGUF keeps the rotated pairs of llama side by side (interleaved)."""
        past = (f"past.{layer}.key", f"past.{layer}.value")
        inputs = (packed, "", "", *past, "total.last.int32", "total.int32", "cosines", "sines", "positions", "bias")
        outputs = (f"blk.{layer}.attended", f"present.{layer}.key", f"present.{layer}.value")
        attributes = {
            "num_heads": self.shape.heads,
            "kv_num_heads": self.shape.cached_heads,
            "scale": self.shape.head_width**-0.5,
            "do_rotary": 1,
            "rotary_interleaved": 1,
        }
        return self.op("GroupQueryAttention", inputs, *outputs, domain=CONTRIB, attributes=attributes)

    def _add_and_norm(self, value: str, residual: str, weights: Floats, name: str) -> tuple[str, str]:
        inputs = (value, residual, self.constant(f"{name}.weights", weights))
        outputs = (f"{name}.normed", "", "", f"{name}.sum")
        attributes = {"epsilon": self.shape.epsilon}
        self.op("SkipSimplifiedLayerNormalization", inputs, *outputs, domain=CONTRIB, attributes=attributes)
        return outputs[0], outputs[3]

    def _output(self, normed: str) -> None:
        """Log-probabilities, only where they are wanted: the output layer is a fifth of the network."""
        chosen = self.op("Gather", (normed, "last"), "chosen", attributes={"axis": 1})
        rows = self.op("Squeeze", (chosen, self.constant("first_axis", np.array([0], np.int64))), "chosen.rows")
        shape = self.shape
        logits = self._multiply(rows, ("embedding.levels", "embedding.scales"), shape.vocabulary, shape.width, "logits")
        self.op("LogSoftmax", (logits,), "logprobs", attributes={"axis": -1})

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
