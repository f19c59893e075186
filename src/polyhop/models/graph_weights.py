"""The weights of a converted language model: read out of its 8-bit graph as numbers, and put into a copy of it.

So a model can be tuned where only the converted one is installed, and what was tuned runs as the original does.
Needs ``onnx``, which is in the extras ``convert`` and ``train``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import ModelError
from polyhop.models.eight_bits import BLOCK, quantised
from polyhop.models.graph_parts import extra_missing
from polyhop.ports import Floats

EMBEDDING = "embedding"  # the table of tokens, which also is the output layer
LAYER_MATRICES = ("qkv", "mixed", "gate", "up", "down")
_LEVELS, _SCALES = ".levels", ".scales"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderShape:
    """The sizes of a converted network."""

    layers: int
    width: int
    inner: int
    heads: int
    cached_heads: int
    vocabulary: int
    epsilon: float

    @property
    def head_width(self) -> int:
        """Length of one head's key."""
        return self.width // self.heads

    @property
    def sizes(self) -> list[float]:
        """All of them, as a checkpoint notes them."""
        return list(astuple(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphWeights:
    """A converted network as numbers: matrices of shape (outputs, inputs), norms, and the rotations of positions.

    ``weights`` are named ``embedding``, ``norm``, and for each layer N ``N.before`` and ``N.middle`` (norms),
    ``N.qkv``, ``N.mixed``, ``N.gate``, ``N.up`` and ``N.down``. Rotations turn pairs of numbers that lie side by side.
    """

    shape: DecoderShape
    weights: Mapping[str, Floats]
    cosines: Floats  # (positions, head width / 2)
    sines: Floats


def graph_weights(graph: Path) -> GraphWeights:
    """Read a graph as SmolLM2's is. Raises ModelError for another one, ModelMissing without ``onnx``."""
    network = _loaded(graph).graph
    stored = {value.name: value for value in network.initializer}
    attentions = [node for node in network.node if node.op_type == "GroupQueryAttention"]
    norm = next((node for node in network.node if node.op_type == "SimplifiedLayerNormalization"), None)
    if not attentions or norm is None:
        raise ModelError(f"{graph} is no language model that Polyhop converted.")
    _check_kind(graph, stored)
    heads, cached = (_attribute(attentions[0], name) for name in ("num_heads", "kv_num_heads"))
    weights = {name: _numbers(stored, source) for name, source in _matrices(len(attentions))}
    weights |= {name: _array(stored[source]) for name, source in _norms(len(attentions))}
    vocabulary, width = weights[EMBEDDING].shape
    shape = DecoderShape(
        layers=len(attentions),
        width=width,
        inner=len(weights["0.up"]),
        heads=heads,
        cached_heads=cached,
        vocabulary=vocabulary,
        epsilon=_attribute(norm, "epsilon"),
    )
    return GraphWeights(shape=shape, weights=weights, cosines=_array(stored["cosines"]), sines=_array(stored["sines"]))


def _check_kind(graph: Path, stored: Collection[str]) -> None:
    """Whether numbers by the names above are all that the network has. Raises ModelError."""
    other = f"logits{_LEVELS}" in stored or any(name.endswith(".shifted.bias") for name in stored)
    if other or f"{EMBEDDING}{_LEVELS}" not in stored:
        raise ModelError(
            f"{graph} has weights of another kind than SmolLM2's: in float32, biases, or an output layer of its own.",
            remedy="Tune SmolLM2 (polyhop models install smollm2), or tune the model before it is converted.",
        )


def write_tuned(graph: Path, weights: Mapping[str, Floats], target: Path) -> None:
    """A copy of a graph in which some weights, named as in ``GraphWeights``, are others, in 8 bits again.

    Raises ModelError where one does not fit, OSError.
    """
    import onnx
    from onnx import numpy_helper

    model = _loaded(graph)
    stored = {value.name: value for value in model.graph.initializer}
    layers = sum(node.op_type == "GroupQueryAttention" for node in model.graph.node)
    matrices, norms = dict(_matrices(layers)), dict(_norms(layers))
    for name, value in weights.items():
        if name in matrices:
            levels, scales = quantised(np.ascontiguousarray(value, np.float32))
            new: dict[str, NDArray[Any]] = {f"{matrices[name]}{_LEVELS}": levels, f"{matrices[name]}{_SCALES}": scales}
        elif name in norms:
            new = {norms[name]: np.asarray(value, np.float32)}
        else:
            raise ModelError(f"{graph} has no weights named {name}.")
        for place, array in new.items():
            if tuple(stored[place].dims) != array.shape:
                raise ModelError(f"{name} has another shape than in {graph}.")
            stored[place].CopyFrom(numpy_helper.from_array(array, place))
    onnx.save_model(model, str(target), save_as_external_data=False)


def _matrices(layers: int) -> Iterator[tuple[str, str]]:
    """Our name of each matrix, and the graph's."""
    yield EMBEDDING, EMBEDDING
    for layer in range(layers):
        yield from ((f"{layer}.{part}", f"blk.{layer}.{part}") for part in LAYER_MATRICES)


def _norms(layers: int) -> Iterator[tuple[str, str]]:
    """Our name of each norm, and the graph's, which counts it to the layer before."""
    for layer in range(layers):
        yield f"{layer}.before", f"blk.{layer - 1}.end.weights" if layer else "norm.first"
        yield f"{layer}.middle", f"blk.{layer}.middle.weights"
    yield "norm", f"blk.{layers - 1}.end.weights"


def _loaded(graph: Path) -> Any:
    try:
        import onnx
    except ImportError as error:
        raise extra_missing() from error
    return onnx.load(graph)


def _attribute(node: Any, name: str) -> Any:
    from onnx import helper

    return next(helper.get_attribute_value(one) for one in node.attribute if one.name == name)


def _array(value: Any) -> NDArray[Any]:
    from onnx import numpy_helper

    return np.array(numpy_helper.to_array(value))


def _numbers(stored: Mapping[str, Any], name: str) -> Floats:
    """A matrix of which each block of a row has a scale of its own."""
    levels, scales = _array(stored[f"{name}{_LEVELS}"]), _array(stored[f"{name}{_SCALES}"])
    blocks = (levels.reshape(len(levels), -1, BLOCK).astype(np.float32) - 128) * scales.reshape(len(levels), -1, 1)
    return np.ascontiguousarray(blocks.reshape(len(levels), -1), np.float32)
