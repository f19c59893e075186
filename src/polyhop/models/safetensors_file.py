"""Reads a safetensors file: the length of a header, the header in JSON, and the numbers as they lie in memory.

The file is mapped and not loaded: a tensor costs memory while it is used. Nothing in it can run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.errors import ModelError
from polyhop.ports import Floats

LENGTH: Final = 8  # bytes that say how long the header is
LONGEST_HEADER: Final = 100_000_000  # bytes, as the format has it
ABOUT: Final = "__metadata__"  # the one entry that is no tensor
READ: Final[Mapping[str, np.dtype[Any]]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),  # the upper half of a float32
}
REMEDY: Final = "Copy or download it again: it was cut off, or is no safetensors file."


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies, in bytes behind the header."""

    kind: str  # such as BF16
    shape: tuple[int, ...]
    start: int
    end: int


class SafetensorsFile:
    """An opened file. Raises ModelError where it is damaged or no such file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = np.memmap(path, np.uint8, mode="r")
        except (OSError, ValueError) as error:  # ValueError: it is empty
            raise self._damaged(str(error)) from error
        length = int.from_bytes(self._bytes[:LENGTH].tobytes(), "little")
        if not 2 <= length <= min(LONGEST_HEADER, len(self._bytes) - LENGTH):
            raise self._damaged("its header is longer than the file")
        self._start = LENGTH + length
        self.tensors: Mapping[str, StoredTensor] = self._parsed(self._bytes[LENGTH : self._start].tobytes())
        fault = next(self._faults(), None)
        if fault is not None:
            raise self._damaged(fault)

    def weight(self, name: str) -> Floats:
        """A tensor, as float32. Raises ModelError for numbers of a kind that is not read."""
        tensor = self.tensors[name]
        if tensor.kind not in READ:
            raise ModelError(
                f"{self.path.name} has a tensor {name} of type {tensor.kind}; only {', '.join(READ)} are read.",
                remedy="Take the folder of the model that is not quantised.",
            )
        raw = self._bytes[self._start + tensor.start : self._start + tensor.end].view(READ[tensor.kind])
        if tensor.kind == "BF16":
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        values = np.array(raw, np.float32).reshape(tensor.shape)
        if not np.isfinite(values).all():
            raise ModelError(f"{self.path.name} has a tensor {name} with values that are no numbers.", remedy=REMEDY)
        return values

    def _parsed(self, header: bytes) -> dict[str, StoredTensor]:
        try:
            entries = json.loads(header, object_pairs_hook=_unrepeated)
            return {name: _tensor(entry) for name, entry in entries.items() if name != ABOUT}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise self._damaged(f"its header cannot be read ({error})") from error

    def _faults(self) -> Iterator[str]:
        """What is wrong with where the tensors lie: one behind the other, and nothing else."""
        at = 0
        for name, tensor in sorted(self.tensors.items(), key=lambda item: (item[1].start, item[1].end)):
            if tensor.start != at or tensor.end < at:
                yield f"the tensor {name} does not lie behind the one before it"
            size = READ[tensor.kind].itemsize * math.prod(tensor.shape) if tensor.kind in READ else None
            if size is not None and tensor.end - tensor.start != size:
                yield f"the tensor {name} does not have the size that its shape says"
            at = tensor.end
        if at != len(self._bytes) - self._start:
            yield f"its tensors take {at} bytes, and it has {len(self._bytes) - self._start}"

    def _damaged(self, why: str) -> ModelError:
        return ModelError(f"{self.path} cannot be read: {why}.", remedy=REMEDY)


def _unrepeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("a name stands there twice")
    return entries


def _tensor(entry: Mapping[str, Any]) -> StoredTensor:
    start, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not all(type(number) is int and number >= 0 for number in (*shape, start, end)):
        raise ValueError("a size is no whole number")
    return StoredTensor(str(entry["dtype"]), shape, start, end)
