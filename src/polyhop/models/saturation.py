"""Whether this processor saturates where onnxruntime multiplies 8-bit numbers: a graph of one product tells.

Processors without VNNI instructions (or their like) add two products of 8-bit numbers in 16 bits, and cut off what does
not fit. onnxruntime can be told to do it in another way, which is exact on all of them and takes up to twice the time;
it takes that way also where nothing would saturate. No call tells which instructions it uses, so that it is tried out.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from polyhop.models.once import once
from polyhop.settings import without_reports

DEEP, WIDE = 64, 32  # of the matrix that is multiplied with
LARGEST, LEVEL = 255, 127  # the largest activation and weight: two products of them do not fit into 16 bits
ROWS: Final = (1, 8)  # kernels for one row are others than those for several
_UINT8, _INT8, _INT32 = 2, 3, 6  # data types, as ONNX numbers them
_IR, _OPSET = 8, 13


@once
def products_saturate() -> bool:
    """Whether products of 8-bit numbers are wrong unless onnxruntime is told to be exact."""
    without_reports()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(product_graph(), options, providers=["CPUExecutionProvider"])
    right = DEEP * LARGEST * LEVEL
    products = (session.run(None, {"a": np.full((rows, DEEP), LARGEST, np.uint8)})[0] for rows in ROWS)
    return not all((product == right).all() for product in products)


def product_graph() -> bytes:
    """An ONNX graph that multiplies a matrix with a constant one, both of 8-bit numbers."""
    weights = b"".join([*(_number(1, size) for size in (DEEP, WIDE)), _number(2, _INT8), _text(8, "b")])
    weights += _field(9, bytes([LEVEL]) * (DEEP * WIDE))
    node = b"".join([_text(1, "a"), _text(1, "b"), _text(2, "c"), _text(4, "MatMulInteger")])
    graph = _field(1, node) + _text(2, "product") + _field(5, weights)
    graph += _field(11, _value("a", _UINT8)) + _field(12, _value("c", _INT32))
    return _number(1, _IR) + _field(8, _text(1, "") + _number(2, _OPSET)) + _field(7, graph)


def _value(name: str, kind: int) -> bytes:
    """An input or output of a graph, of any shape."""
    return _text(1, name) + _field(2, _field(1, _number(1, kind)))


# -- protocol buffers, as far as such a graph needs them


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _text(tag: int, value: str) -> bytes:
    return _field(tag, value.encode("ascii"))


def _field(tag: int, value: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
