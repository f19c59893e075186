"""Arrays that are written piece by piece, and read so: neither ever has all of them in memory.

Those of a folder that stay small are one file (``segments.Packed``); each of the others is, byte for byte, what
``segments.write_arrays`` writes of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from io import BufferedRandom
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests, segments
from polyhop.indexes.csr import offsets
from polyhop.indexes.segments import ONE_HEADER, REBUILD, Arrays, check_files, published, storing, write_packed
from polyhop.ports import Ints


class ArrayWriter:
    """An array that grows by rows: in memory as long as it is small, then in a ``.npy`` file."""

    def __init__(self, path: Path, dtype: DTypeLike, row: tuple[int, ...] = ()) -> None:
        self.rows = 0
        self._path, self._dtype, self._row = path, np.dtype(dtype), row
        self._held = bytearray()
        self._file: BufferedRandom | None = None

    def add(self, rows: NDArray[Any]) -> None:
        """Write further rows."""
        written = np.ascontiguousarray(rows, self._dtype).data.cast("B") if rows.size else b""
        self.rows += len(rows)
        if self._file is None and len(self._held) + len(written) > segments.SMALL:
            self._file = self._path.open("w+b")
            self._begin(self._file)
            self._file.write(self._held)
            self._held.clear()
        if self._file is None:
            self._held += written
        else:
            self._file.write(written)

    def small(self) -> NDArray[Any] | None:
        """The array, if it has stayed small."""
        if self._file is not None:
            return None
        return np.frombuffer(self._held, self._dtype).reshape(self.rows, *self._row)

    def close(self) -> None:
        """Say in the header of a file how many rows there are, and have all of it on the disk."""
        if self._file is not None:
            with self._file:  # closed, too, where the disk is full
                self._file.seek(0)
                self._begin(self._file)  # numpy leaves room for the number of rows: the header stays as long as it was
                self._file.flush()
                os.fsync(self._file.fileno())

    def _begin(self, file: BufferedRandom) -> None:
        header = {"descr": npy.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self.rows, *self._row)}
        npy.write_array_header_1_0(file, header)


class TextsWriter:
    """Texts in UTF-8, laid end to end, with where each ends: two arrays, ``blob`` and ``bounds``."""

    def __init__(self, blob: ArrayWriter, bounds: ArrayWriter) -> None:
        self._blob, self._bounds = blob, bounds
        self._bounds.add(np.zeros(1, np.int64))

    def add(self, texts: list[bytes]) -> None:
        """Write further texts."""
        self.lay(np.frombuffer(b"".join(texts), np.uint8), np.fromiter(map(len, texts), np.int64, len(texts)))

    def lay(self, blob: NDArray[np.uint8], lengths: Ints) -> None:
        """Write further texts that are laid end to end already."""
        self._bounds.add(self._blob.rows + np.cumsum(lengths))
        self._blob.add(blob)


class KeepsArrays(Protocol):
    """What is nothing but arrays."""

    def arrays(self) -> Arrays:
        """Them by name."""


class FolderWriter:
    """The arrays of one folder, each under its name; those of a part have the name of the part before theirs."""

    def __init__(self, folder: Path, open_files: ExitStack) -> None:
        self.folder = folder  # for what only the writer needs, too, as long as it removes that
        self._open_files = open_files
        self._part = ""
        self._begun: dict[str, ArrayWriter] = {}

    def array(self, name: str, dtype: DTypeLike = np.int64, row: tuple[int, ...] = ()) -> ArrayWriter:
        """Begin an array of rows of this shape."""
        name = self._part + name
        self._begun[name] = writer = ArrayWriter(self.folder / f"{name}.npy", dtype, row)
        self._open_files.callback(writer.close)
        return writer

    def texts(self) -> TextsWriter:
        """Begin texts."""
        return TextsWriter(self.array("blob", np.uint8), self.array("bounds"))

    def part(self, name: str) -> Self:
        """Write into a part of the folder, which is read as if it were one below it."""
        part = copy(self)
        part._part = f"{self._part}{name}."
        return part

    def put(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays that are in memory."""
        for name, array in arrays.items():
            self.array(name, array.dtype, array.shape[1:]).add(array)

    def keep(self, name: str, kept: KeepsArrays) -> None:
        """Write what is nothing but arrays, as a part."""
        self.part(name).put(kept.arrays())

    def pack(self) -> None:
        """Write what has stayed small. Raises OSError."""
        found = ((name, writer.small()) for name, writer in sorted(self._begun.items()))
        write_packed(self.folder / digests.PACKED, {name: array for name, array in found if array is not None})


@contextmanager
def streamed(folder: Path) -> Iterator[FolderWriter]:
    """Write arrays as a folder that is, after any crash, complete or absent, like ``segments.write_arrays``.

    Raises StorageFull.
    """
    with storing(folder), published(folder) as partial, ExitStack() as open_files:
        writer = FolderWriter(partial, open_files)
        yield writer
        writer.pack()


@dataclass(frozen=True)
class ArrayReader:
    """One ``.npy`` file that is read a stretch at a time; it is open only meanwhile, however many there are."""

    path: Path
    dtype: np.dtype[Any]
    row: tuple[int, ...]
    rows: int
    begin: int  # byte of the file at which the rows begin

    @classmethod
    def open(cls, path: Path) -> Self:
        """The header of a file. Raises IndexCorrupt."""
        try:
            with path.open("rb") as file, ONE_HEADER:
                npy.read_magic(file)
                (rows, *row), _, dtype = npy.read_array_header_1_0(file)
                return cls(path, dtype, tuple(row), rows, file.tell())
        except (OSError, ValueError) as error:
            raise IndexCorrupt(f"{path} cannot be read: {error}.", remedy=REBUILD) from error

    def __len__(self) -> int:
        return self.rows

    @property
    def room(self) -> int:
        """How many rows more the file has room for; see ``segments.write_each``."""
        each = self.dtype.itemsize * int(np.prod(self.row, dtype=np.int64))
        return (self.path.stat().st_size - self.begin) // max(each, 1) - self.rows

    def with_more(self, rows: int) -> NDArray[Any]:
        """The array, mapped, with so many rows more, which are nought. Raises IndexCorrupt where it has no room.

        What is written to it this process has for itself, in copies of the pages that it is written to.
        """
        if rows > self.room:
            raise IndexCorrupt(f"{self.path} has no room for {rows} rows.", remedy=REBUILD)
        shape = (self.rows + rows, *self.row)
        return np.asarray(np.memmap(str(self.path), self.dtype, "c", self.begin, shape))  # of a path numpy looks up all

    def read(self, start: int = 0, end: int | None = None) -> NDArray[Any]:
        """The rows from one to before another. Raises IndexCorrupt where the file is shorter than it says."""
        end = self.rows if end is None else min(end, self.rows)
        each = int(np.prod(self.row, dtype=np.int64))
        wanted = max(0, end - start) * each
        try:
            found = np.fromfile(self.path, self.dtype, wanted, offset=self.begin + start * each * self.dtype.itemsize)
        except OSError as error:
            raise IndexCorrupt(f"{self.path} cannot be read: {error}.", remedy=REBUILD) from error
        if len(found) != wanted:
            raise IndexCorrupt(f"{self.path} is cut short.", remedy=REBUILD)
        return found.reshape(-1, *self.row)

    def pieces(self, most: int) -> Iterator[NDArray[Any]]:
        """All rows in order, at most so many at a time."""
        for start in range(0, self.rows, most):
            yield self.read(start, start + most)


def room_in(folder: Path, names: Iterable[str]) -> dict[str, int]:
    """How many rows more the named arrays of a folder have room for. Raises IndexCorrupt."""
    return {name: ArrayReader.open(folder / f"{name}.npy").room for name in names}


def read_with_room(folder: Path, more: Mapping[str, int]) -> Arrays:
    """The named arrays of a folder as ``read_arrays`` has them, each with so many rows more. Raises IndexCorrupt."""
    check_files(folder, [f"{name}.npy" for name in more])
    return {name: ArrayReader.open(folder / f"{name}.npy").with_more(rows) for name, rows in more.items()}


class Onward:
    """Reads an array from its beginning, one stretch after the other."""

    def __init__(self, array: ArrayReader) -> None:
        self._array, self._at = array, 0

    def next(self, count: int) -> NDArray[Any]:
        """The next so many rows, or as many as are left."""
        found = self._array.read(self._at, self._at + count)
        self._at += len(found)
        return found


def texts_of(blob: ArrayReader, lengths: ArrayReader, at_once: int) -> Iterator[bytes]:
    """Texts that are laid end to end, so many read at a time."""
    letters = Onward(blob)
    for piece in lengths.pieces(at_once):
        ends = offsets(piece)
        read = letters.next(int(ends[-1])).tobytes()
        yield from (read[start:end] for start, end in pairwise(ends.tolist()))
