"""Nodes and constants of an ONNX graph while it is written, and the file beside it where it would be too large.

One ONNX file holds 2 GB at most. Constants of a larger graph are written one by one into a second file, so that never
more than one of them is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import ModelMissing

CONTRIB: Final = "com.microsoft"  # onnxruntime's own operators
DATA: Final = "_data"  # what the name of the second file ends in
MOST_INLINE: Final = 1_500_000_000  # bytes of a graph that is one file
SMALL: Final = 1024  # bytes of constants that stay in the graph: its checker wants to see them
PAGE: Final = 4096  # where a constant may begin, so that it can be mapped into memory


@dataclass(kw_only=True)
class GraphParts:
    """Collects what a graph consists of."""

    beside: BinaryIO | None = None  # where constants go, if not into the graph
    place: str = ""  # the name of that file
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add a constant; returns its name."""
        from onnx import numpy_helper

        array = np.asarray(array, order="C")
        if self.beside is None or array.nbytes < SMALL:
            self.constants.append(numpy_helper.from_array(array, name))
        else:
            self.constants.append(self._kept_beside(name, array, self.beside))
        return name

    def _kept_beside(self, name: str, array: NDArray[Any], stream: BinaryIO) -> Any:
        from onnx import TensorProto, helper

        stream.write(b"\0" * (-stream.tell() % PAGE))
        tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", self.place), ("offset", stream.tell()), ("length", array.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        stream.write(array.data)
        return tensor

    def op(self, operator: str, inputs: Sequence[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node; returns the name of its first output."""
        from onnx import helper

        name = f"{outputs[0]}/{operator}"
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs[0]

    def model(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """All of it as an ONNX model."""
        from onnx import helper

        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="polyhop")


@contextmanager
def parts_of(target: Path, size: int) -> Iterator[GraphParts]:
    """Parts of a graph that is to be written to a file and has about that many bytes. Raises OSError."""
    if size <= MOST_INLINE:
        yield GraphParts()
        return
    beside = target.with_name(target.name + DATA)
    with beside.open("wb") as stream:
        yield GraphParts(beside=stream, place=beside.name)


def extra_missing() -> ModelMissing:
    """What to say where the packages for conversion are not installed."""
    return ModelMissing(
        "Converting a language model requires extra 'convert'.",
        remedy="Install it with: pip install 'polyhop[convert]'",
    )
