"""The exported graph computes what the encoder computes: exactly in float32, closely in eight bits."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from polyhop.errors import StorageFull
from polyhop.models.session import open_session
from polyhop.models.weights import check_hashes, read_manifest
from polyhop.ports import Floats
from polyhop.training.export import export, replacing
from polyhop.training.graph import Head, in_columns, write_graph
from tests.worlds.encoders import computed, random_weights

HEADS = (Head(name="tokens", on="every token"), Head(name="kind", on="the first token"))
IDS, SEGMENTS = [1, 7, 9, 2, 30, 31, 32, 2], [0, 0, 0, 0, 1, 1, 1, 1]


def read(graph: Path, ids: list[list[int]], mask: list[list[int]], segments: list[list[int]]) -> tuple[Floats, Floats]:
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
    named = {name: np.array(value, np.int64) for name, value in feed.items()}
    tokens, kind = open_session(graph, threads=1).run(["tokens", "kind"], named)
    return tokens, kind


def test_the_exact_graph_is_the_encoder(tmp_path: Path) -> None:
    weights = random_weights()
    write_graph(weights, HEADS, tmp_path / "model.onnx", exact=True)
    tokens, kind = read(tmp_path / "model.onnx", [IDS], [[1] * 8], [SEGMENTS])
    expected_tokens, expected_kind = computed(weights, IDS, SEGMENTS)
    np.testing.assert_allclose(tokens[0], expected_tokens, atol=1e-5)
    np.testing.assert_allclose(kind[0], expected_kind, atol=1e-5)


def test_padding_changes_nothing(tmp_path: Path) -> None:
    write_graph(random_weights(), HEADS, tmp_path / "model.onnx", exact=True)
    alone, _ = read(tmp_path / "model.onnx", [IDS], [[1] * 8], [SEGMENTS])
    ids, mask = [[*IDS, 0, 0], [5] * 10], [[1] * 8 + [0, 0], [1] * 10]
    padded, _ = read(tmp_path / "model.onnx", ids, mask, [[*SEGMENTS, 0, 0], [0] * 10])
    np.testing.assert_allclose(padded[0, :8], alone[0], atol=1e-5)


def test_eight_bits_come_close(tmp_path: Path) -> None:
    weights = random_weights()
    write_graph(weights, HEADS, tmp_path / "model.onnx")
    tokens, kind = read(tmp_path / "model.onnx", [IDS], [[1] * 8], [SEGMENTS])
    expected_tokens, expected_kind = computed(weights, IDS, SEGMENTS)
    assert np.abs(tokens[0] - expected_tokens).mean() < 0.05 * expected_tokens.std()
    assert np.abs(kind[0] - expected_kind).mean() < 0.05 * expected_tokens.std()


def test_two_products_fit_into_sixteen_bits() -> None:
    """Old processors add an activation (0 to 255) times a weight in pairs, and cut the sum off at 32,767."""
    matrix = np.random.default_rng(1).normal(size=(6, 10)).astype(np.float32)
    levels, scales = in_columns(matrix)
    assert 2 * 255 * int(np.abs(levels.astype(int)).max()) <= 32_767
    np.testing.assert_allclose((levels * scales).T, matrix, atol=float(scales.max()) / 2 + 1e-6)


def test_a_row_of_zeros_stays_zero() -> None:
    levels, scales = in_columns(np.zeros((2, 3), np.float32))
    assert not levels.any()
    assert (scales > 0).all()


def test_an_export_is_whole_and_replaces_another(tmp_path: Path) -> None:
    export(random_weights(1), HEADS, tmp_path / "reader", card="# The first\n")
    export(random_weights(2), HEADS, tmp_path / "reader", card="# The second\n")
    files = read_manifest(tmp_path / "reader")
    assert [file.name for file in files] == ["card.md", "model.onnx", "tokenizer.json"]
    check_hashes(tmp_path / "reader", files)
    assert (tmp_path / "reader" / "card.md").read_text(encoding="utf-8") == "# The second\n"
    assert [path.name for path in tmp_path.iterdir()] == ["reader"]


def test_an_export_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    export(random_weights(), HEADS, tmp_path / "reader", card="# The first\n")
    before = (tmp_path / "reader" / "model.onnx").read_bytes()
    with pytest.raises(KeyError):
        export({}, HEADS, tmp_path / "reader", card="# The second\n")
    assert (tmp_path / "reader" / "model.onnx").read_bytes() == before


def test_what_a_killed_export_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".export-half" / "reader"
    left.mkdir(parents=True)
    (left / "model.onnx").write_bytes(b"half of a graph")
    with replacing(tmp_path / "reader", "Its card.") as ready:
        (ready / "model.onnx").write_bytes(b"a graph")
    assert [path.name for path in tmp_path.iterdir()] == ["reader"]


def test_a_full_disk_leaves_the_model_that_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    with replacing(folder, "the first") as ready:
        (ready / "model.onnx").write_bytes(b"1")
    with pytest.raises(StorageFull, match="reader"), replacing(folder, "the second"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (folder / "card.md").read_text() == "the first"
    assert [path.name for path in tmp_path.iterdir()] == ["reader"]
