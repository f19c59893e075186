"""A network in a folder as model hubs have them, with the names that Llama and Qwen2 have for their weights there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.backbone import BIAS, BackboneShape
from polyhop.models.backbone_config import shape_of
from polyhop.models.safetensors_folder import SafetensorsFolder
from polyhop.ports import Floats

OUTER_TENSORS: Final = {
    "embedding": "model.embed_tokens.weight",
    "norm": "model.norm.weight",
    "head": "lm_head.weight",
}
LAYER_TENSORS: Final = {
    "before": "input_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "mixed": "self_attn.o_proj",
    "middle": "post_attention_layernorm",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
TURNED: Final = ("query", "key")
REMEDY: Final = "Take a model whose network is Llama's or Qwen2's and nothing besides, with all of its files."


class HubBackbone:
    """The network in a folder. Raises ModelMissing, ModelError for one that would not come out as it is."""

    def __init__(self, folder: Path) -> None:
        self.shape: BackboneShape = shape_of(folder)
        self._files = SafetensorsFolder(folder)
        fault = next(self._faults(), None)
        if fault is not None:
            raise ModelError(f"{folder} cannot be converted: {fault}.", remedy=REMEDY)

    def weight(self, name: str) -> Floats:
        """A weight by its name in ``BackboneShape``. Raises ModelError for numbers of a kind that is not read."""
        weight = self._files.weight(_spelled(name))
        turned = name.removesuffix(BIAS).rpartition(".")[2] in TURNED
        return side_by_side(weight, self.shape.head_width) if turned else weight

    def _faults(self) -> Iterator[str]:
        found = self._files.shapes
        unread = {*found} - {*map(_spelled, self.shape.weights())}
        if self.shape.tied and not self._has_other_head():
            unread.discard(OUTER_TENSORS["head"])
        yield from (f"it has a tensor {name}, which is not read" for name in sorted(unread))
        yield from self.shape.faults(found, _spelled)

    def _has_other_head(self) -> bool:
        """Whether there is an output layer where the table of tokens should be it: some folders just have it twice."""
        head, table = OUTER_TENSORS["head"], OUTER_TENSORS["embedding"]
        shapes = self._files.shapes
        return head in shapes and (
            shapes[head] != shapes.get(table) or not np.array_equal(self._files.weight(head), self._files.weight(table))
        )


def side_by_side(weights: Floats, head_width: int) -> Floats:
    """The rows of keys or queries in another order: those turned together lie half a head apart, and then in pairs."""
    halves = weights.reshape(-1, 2, head_width // 2, *weights.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(weights.shape)


def _spelled(name: str) -> str:
    """The name that the files have for a weight."""
    matrix = name.removesuffix(BIAS)
    layer, _, part = matrix.rpartition(".")
    ending = "bias" if name.endswith(BIAS) else "weight"
    return f"model.layers.{layer}.{LAYER_TENSORS[part]}.{ending}" if layer else OUTER_TENSORS[matrix]
