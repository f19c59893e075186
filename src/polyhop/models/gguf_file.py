"""Opens a GGUF file of the llama architecture, and refuses one that says more than the converter reads.

Many networks call themselves llama and differ in a tensor or a key: an output layer of their own, factors for long
contexts, biases. What would be left out silently makes a network that runs and says other things.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.backbone import BackboneShape
from polyhop.models.graph_parts import extra_missing
from polyhop.ports import Floats

OUTER_TENSORS = {"embedding": "token_embd", "norm": "output_norm"}  # names of BackboneShape, and the file's
LAYER_TENSORS = {
    "before": "attn_norm",
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "mixed": "attn_output",
    "middle": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}
READ = frozenset(  # keys that the network and its tokenizer are made from
    {
        *("llama.block_count", "llama.embedding_length", "llama.vocab_size", "llama.context_length"),
        *("llama.attention.head_count", "llama.attention.head_count_kv", "llama.attention.layer_norm_rms_epsilon"),
        *("llama.rope.freq_base", "tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.merges"),
    }
)
DESCRIPTIVE = ("GGUF.", "general.", "quantize.")  # what keys begin with that tell of the file and its making
CONVERSATION = frozenset(  # keys that whoever asks the model has to know, such as models/smollm2.py
    {"tokenizer.chat_template", *(f"tokenizer.ggml.{role}_token_id" for role in ("bos", "eos", "unknown", "padding"))}
)
REMEDY = (
    "Only networks that are built as SmolLM2-135M-Instruct is can be converted. Take that file, or another of its kind."
)


class Gguf:
    """An opened GGUF file: its fields, its shape, and its weights as float32 matrices."""

    def __init__(self, path: Path) -> None:
        """Open a file. Raises ModelMissing without the ``convert`` extra, ModelError for another architecture."""
        try:
            from gguf import GGUFReader
        except ImportError as error:
            raise extra_missing() from error
        self._name = path.name
        self._reader = GGUFReader(path)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        if self.value("general.architecture") != "llama":
            raise ModelError(f"{path.name} holds a network of another architecture than llama.")

    def value(self, key: str) -> Any:
        """A field of the header. Raises ModelError where there is none."""
        if key not in self._reader.fields:
            raise ModelError(f"{self._name} has no key {key}.", remedy=REMEDY)
        return self._reader.fields[key].contents()

    def tensor(self, name: str) -> Floats:
        """A tensor by its name in the file, dequantised."""
        from gguf.quants import dequantize

        tensor = self._tensors[name]
        return np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)

    def weight(self, name: str) -> Floats:
        """A weight by its name in ``BackboneShape``; GGUF has the pairs that llama turns side by side."""
        return self.tensor(_spelled(name))

    @property
    def shape(self) -> BackboneShape:
        """The sizes of the network."""
        width, heads = self.value("llama.embedding_length"), self.value("llama.attention.head_count")
        return BackboneShape(
            layers=self.value("llama.block_count"),
            width=width,
            inner=self._inner,
            heads=heads,
            cached_heads=self.value("llama.attention.head_count_kv"),
            head_width=width // heads,
            vocabulary=self.value("llama.vocab_size"),
            context=self.value("llama.context_length"),
            rope_base=self.value("llama.rope.freq_base"),
            epsilon=self.value("llama.attention.layer_norm_rms_epsilon"),
        )

    @property
    def _inner(self) -> int:
        """The width of the feed-forward layers, which a header need not say."""
        first = self._tensors.get("blk.0.ffn_up.weight")
        return 0 if first is None else int(first.shape[1])

    def check(self) -> None:
        """Whether the network is all that the file says. Raises ModelError, which names what is not or not so."""
        fault = next(self._faults(), None)
        if fault is not None:
            raise ModelError(f"{self._name} cannot be converted: {fault}.", remedy=REMEDY)

    def _faults(self) -> Iterator[str]:
        shape = self.shape
        wanted = {*map(_spelled, shape.weights())}
        yield from (f"it has a tensor {name}, which is not read" for name in sorted({*self._tensors} - wanted))
        found = {name: tuple(map(int, tensor.shape[::-1])) for name, tensor in self._tensors.items()}
        yield from shape.faults(found, _spelled)  # GGUF counts axes the other way round
        as_built = self._as_built(shape)
        for key in self._reader.fields:
            if key.startswith(DESCRIPTIVE) or key in READ or key in CONVERSATION:
                continue
            if key not in as_built:
                yield f"it has a key {key}, which is not read"
            elif (said := self.value(key)) != as_built[key]:
                yield f"{key} is {said!r}, and only {as_built[key]!r} is known"

    def _as_built(self, shape: BackboneShape) -> dict[str, object]:
        """Keys that need not be read where they say what is built anyway."""
        return {
            **{f"llama.attention.{part}_length": shape.head_width for part in ("key", "value")},
            "llama.rope.dimension_count": shape.head_width,
            "llama.rope.scaling.type": "none",
            "llama.feed_forward_length": shape.inner,
            "tokenizer.ggml.model": "gpt2",  # byte-level BPE
            "tokenizer.ggml.pre": "smollm",  # digits apart
            "tokenizer.ggml.add_bos_token": False,
            "tokenizer.ggml.add_eos_token": False,
            "tokenizer.ggml.add_space_prefix": False,
        }


def _spelled(name: str) -> str:
    """The name that the file has for a weight."""
    layer, _, part = name.rpartition(".")
    return f"blk.{layer}.{LAYER_TENSORS[part]}.weight" if layer else f"{OUTER_TENSORS[name]}.weight"
