"""A converted network is numbers again, and numbers become a converted network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from polyhop.errors import ModelError
from polyhop.models.gguf_file import Gguf
from polyhop.models.gguf_to_onnx import convert
from polyhop.models.graph_weights import graph_weights, write_tuned
from tests.worlds.gguf import CACHED_HEADS, HEADS, HIDDEN, LAYERS, TOKENS, WIDTH, written


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="module")
def graph(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("converted")
    convert(gguf, folder)
    return folder / "model.onnx"


def test_the_weights_of_a_graph_are_those_of_its_file_but_for_eight_bits(gguf: Path, graph: Path) -> None:
    found, file = graph_weights(graph), Gguf(gguf)
    shape = found.shape
    assert (shape.layers, shape.width, shape.inner, shape.vocabulary) == (LAYERS, WIDTH, HIDDEN, len(TOKENS))
    assert (shape.heads, shape.cached_heads) == (HEADS, CACHED_HEADS)
    for ours, theirs in (("embedding", "token_embd"), ("1.up", "blk.1.ffn_up"), ("0.mixed", "blk.0.attn_output")):
        given = file.tensor(f"{theirs}.weight")
        assert np.abs(found.weights[ours] - given).max() <= np.abs(given).max() / 200
    for ours, theirs in (("0.before", "blk.0.attn_norm"), ("1.before", "blk.1.attn_norm"), ("norm", "output_norm")):
        assert np.array_equal(found.weights[ours], file.tensor(f"{theirs}.weight"))


def test_weights_put_back_make_the_same_graph(graph: Path, tmp_path: Path) -> None:
    write_tuned(graph, graph_weights(graph).weights, tmp_path / "same.onnx")
    before, after = graph_weights(graph).weights, graph_weights(tmp_path / "same.onnx").weights
    assert before.keys() == after.keys()
    assert all(np.allclose(before[name], after[name], atol=1e-6) for name in before)


@pytest.mark.parametrize(
    ("name", "shape", "complaint"), [("0.bias", (64,), "no weights named"), ("0.up", (32, 64), "another shape")]
)
def test_weights_that_do_not_fit_are_refused(
    graph: Path, tmp_path: Path, name: str, shape: tuple[int, ...], complaint: str
) -> None:
    with pytest.raises(ModelError, match=complaint):
        write_tuned(graph, {name: np.zeros(shape, np.float32)}, tmp_path / "other.onnx")
    assert not list(tmp_path.iterdir())


def test_a_graph_of_another_kind_is_refused(tmp_path: Path) -> None:
    empty = onnx.helper.make_graph([], "nothing", [], [])
    onnx.save(onnx.helper.make_model(empty), tmp_path / "other.onnx")
    with pytest.raises(ModelError, match="no language model that Polyhop converted"):
        graph_weights(tmp_path / "other.onnx")
