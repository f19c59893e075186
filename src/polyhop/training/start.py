"""What training starts from: 8-bit weights, of the installed cross-encoder or of a finished model, as numbers again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.cross_encoder import RERANKER_FILES, reranker_folder
from polyhop.models.weights import check_hashes
from polyhop.ports import Floats
from polyhop.training.export import MODEL

_MATRIX = re.compile(r"/(.*)/(?:Gemm_)?MatMul_quant")
_QUANTISED = "_quantized"
WORDS = "body.word"  # the table of words has a scale for each of its rows; a layer, one for each of its outputs


def installed_weights() -> dict[str, Floats]:
    """The weights of ms-marco-MiniLM-L-12-v2, as ``RerankerNetwork`` names them. Raises ModelMissing, ModelError."""
    folder = reranker_folder()
    check_hashes(folder, RERANKER_FILES)
    stored = _dequantised(folder / "model.onnx")
    try:
        return _renamed(stored)
    except KeyError as error:
        raise ModelError(f"The cross-encoder in {folder} has no weights named {error}.") from error


def finished_weights(folder: Path) -> dict[str, Floats]:
    """The weights of a model that ``export`` wrote, named as its network has them. Raises ModelMissing, ModelError."""
    import onnx
    from onnx import numpy_helper

    check_hashes(folder)
    stored = {value.name: numpy_helper.to_array(value) for value in onnx.load(folder / MODEL).graph.initializer}
    weights = {}
    for name, value in stored.items():
        layer, _, kind = name.rpartition(".")
        if kind == "levels":
            scales = stored[f"{layer}.scales"]
            by_output = value if layer == WORDS else value.T
            weights[f"{layer}.weight"] = by_output.astype(np.float32) * scales.reshape(-1, 1)
        elif kind in ("weight", "bias"):
            is_head = not name.startswith("body.") and kind == "weight"
            weights[name] = np.array(value.T if is_head else value, np.float32)
    return weights


def _dequantised(graph: Path) -> dict[str, Floats]:
    """Every weight of a graph whose linear layers and tables were quantised, under its name before that."""
    import onnx
    from onnx import numpy_helper

    network = onnx.load(graph).graph
    stored = {value.name: numpy_helper.to_array(value) for value in network.initializer}

    def numbers(name: str) -> Floats:
        scale, zero = (stored[name.removesuffix(_QUANTISED) + end] for end in ("_scale", "_zero_point"))
        return np.asarray((stored[name].astype(np.float32) - zero.astype(np.float32)) * scale, np.float32)

    weights = {name: value for name, value in stored.items() if value.dtype == np.float32}
    weights |= {name.removesuffix(_QUANTISED): numbers(name) for name in stored if name.endswith(_QUANTISED)}
    for node in network.node:
        named = _MATRIX.match(node.name)
        if node.op_type == "MatMulInteger" and named:
            levels = [name for name in node.input if name in stored and name.endswith(_QUANTISED)]
            weights |= {named[1].replace("/", ".") + ".weight": numbers(name).T for name in levels}
    return weights


def _renamed(stored: dict[str, Floats]) -> dict[str, Floats]:
    """From the names of the transformers library to ours, query, key and value as one matrix."""
    embedded = "bert.embeddings."
    weights = {
        "body.word.weight": stored[f"{embedded}word_embeddings.weight"],
        "body.pos.weight": stored[f"{embedded}position_embeddings.weight"],
        "body.seg.weight": stored[f"{embedded}token_type_embeddings.weight"],
        "body.norm.weight": stored[f"{embedded}LayerNorm.weight"],
        "body.norm.bias": stored[f"{embedded}LayerNorm.bias"],
        "relevance.pooler.weight": stored["bert.pooler.dense.weight"],
        "relevance.pooler.bias": stored["bert.pooler.dense.bias"],
        "relevance.weight": stored["classifier.weight"],
        "relevance.bias": stored["classifier.bias"],
    }
    layer = 0
    while f"{(at := f'bert.encoder.layer.{layer}.')}output.dense.bias" in stored:
        for kind in ("weight", "bias"):
            ours = f"body.layers.{layer}.{{}}.{kind}"
            parts = [stored[f"{at}attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
            weights[ours.format("qkv")] = np.concatenate(parts)
            weights[ours.format("out")] = stored[f"{at}attention.output.dense.{kind}"]
            weights[ours.format("n1")] = stored[f"{at}attention.output.LayerNorm.{kind}"]
            weights[ours.format("up")] = stored[f"{at}intermediate.dense.{kind}"]
            weights[ours.format("down")] = stored[f"{at}output.dense.{kind}"]
            weights[ours.format("n2")] = stored[f"{at}output.LayerNorm.{kind}"]
        layer += 1
    return {name: np.array(value, np.float32) for name, value in weights.items()}
