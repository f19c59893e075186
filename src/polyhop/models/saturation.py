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
# A graph as onnx writes it (opset 13): c is MatMulInteger of a and b, and b is DEEP times WIDE weights, all LEVEL.
PRODUCT: Final = (
    b'\x08\x08B\x04\n\x00\x10\r:\xc8\x10\n\x18\n\x01a\n\x01b\x12\x01c"\rMatMulInteger'
    b"\x12\x07product*\x8c\x10\x08@\x08 \x10\x03B\x01bJ\x80\x10"
    + bytes([LEVEL]) * (DEEP * WIDE)
    + b"Z\t\n\x01a\x12\x04\n\x02\x08\x02b\t\n\x01c\x12\x04\n\x02\x08\x06"
)


@once
def products_saturate() -> bool:
    """Whether products of 8-bit numbers are wrong unless onnxruntime is told to be exact."""
    without_reports()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(PRODUCT, options, providers=["CPUExecutionProvider"])
    right = DEEP * LARGEST * LEVEL
    products = (session.run(None, {"a": np.full((rows, DEEP), LARGEST, np.uint8)})[0] for rows in ROWS)
    return not all((product == right).all() for product in products)
