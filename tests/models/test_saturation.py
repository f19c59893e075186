"""Whether products of 8-bit numbers saturate is tried out, because models are to be the same on every processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyhop.models.saturation import DEEP, LARGEST, LEVEL, PRODUCT, WIDE, products_saturate
from polyhop.models.session import open_session


@pytest.mark.parametrize("rows", [1, 2, 8, 33])
def test_sessions_multiply_8_bit_numbers_exactly(tmp_path: Path, rows: int) -> None:
    graph = tmp_path / "product.onnx"
    graph.write_bytes(PRODUCT)
    numbers = np.random.default_rng(7).integers(0, LARGEST, (rows, DEEP), np.uint8, endpoint=True)
    product = open_session(graph, threads=1).run(None, {"a": numbers})[0]
    assert np.array_equal(product, np.repeat(LEVEL * numbers.astype(np.int64).sum(axis=1, keepdims=True), WIDE, axis=1))


def test_products_are_tried_out_once() -> None:
    assert products_saturate() is products_saturate()
