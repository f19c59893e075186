"""Durable folders of arrays: the segments of which a generation of an index is a list.

Small arrays may be in one file: a table of where each stands, and then all of them as memory has them. Whoever opens
many small files spends the time on paths and headers, and whoever pushes them to an object store on round trips.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from weakref import WeakValueDictionary

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, StorageFull
from polyhop.indexes import digests
from polyhop.ports import Ints

logger = logging.getLogger(__name__)

REBUILD: Final = (
    "This part of the index is derived: index the same documents again and it is rebuilt. What else is damaged, if "
    "anything, says: polyhop doctor --deep"
)
"""What to do about arrays that are damaged."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class AllBut:
    """Which passages are there: all that segments cover, but these."""

    gone: Ints  # ascending


Live = Ints | AllBut
"""Which passages are there: their numbers, ascending, or those of the ones that are not."""


def present(numbers: NDArray[np.integer[Any]], among: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Which of some numbers are among others, these ascending."""
    places = np.minimum(np.searchsorted(among, numbers), len(among) - 1)
    return among[places] == numbers if len(among) else np.zeros(numbers.shape, np.bool_)


def alive_among(numbers: Ints, live: Live) -> NDArray[np.bool_]:
    """Which of some passages, ascending, are there; in time for those that are gone, where these are few."""
    if not isinstance(live, AllBut):
        return present(numbers, live)
    if len(numbers) < len(live.gone):
        return ~present(numbers, live.gone)
    alive = np.ones(len(numbers), np.bool_)
    if len(numbers):
        places = np.minimum(np.searchsorted(numbers, live.gone), len(numbers) - 1)
        alive[places[numbers[places] == live.gone]] = False
    return alive


def standing(covered: Sequence[Ints], live: Live) -> tuple[Ints, Ints]:
    """The live numbers that the segments cover, ascending, and where each stands in the segments laid end to end.

    Raises IndexCorrupt where two segments cover the same passage.
    """
    numbers = np.concatenate([np.empty(0, np.int64), *covered])
    alive = np.concatenate([np.empty(0, np.bool_), *(alive_among(part, live) for part in covered)])
    rows = np.arange(len(numbers)) if alive.all() else np.flatnonzero(alive)
    numbers = numbers if len(rows) == len(numbers) else numbers[rows]
    if not (numbers[1:] > numbers[:-1]).all():  # segments that came later mostly cover higher numbers
        order = np.argsort(numbers, kind="stable")
        numbers, rows = numbers[order], rows[order]
        if (numbers[1:] == numbers[:-1]).any():
            raise IndexCorrupt("Two segments of an index cover the same passage.", remedy=REBUILD)
    return numbers, rows


SMALL: Final = 1 << 18  # bytes of an array at most that is packed with others
_ALIGNED: Final = 64  # bytes: at a multiple of so many each of these begins, as numpy has it in files of its own
_TOLD: Final = 8  # bytes that say how long the table is


def write_packed(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays into one file, and have all of it on the disk. Raises OSError."""
    table, at = {}, 0
    for name, array in arrays.items():
        table[name] = (npy.dtype_to_descr(array.dtype), array.shape, at)
        at += array.nbytes + _padding(array.nbytes)
    told = json.dumps(table, separators=(",", ":")).encode("ascii")
    told += b" " * _padding(_TOLD + len(told))
    with path.open("wb") as file:
        file.write(len(told).to_bytes(_TOLD, "little") + told)
        for array in arrays.values():
            file.write(array.tobytes() + bytes(_padding(array.nbytes)))
        file.flush()
        os.fsync(file.fileno())


def _padding(size: int) -> int:
    return -size % _ALIGNED


class Packed(mmap.mmap):
    """A file of small arrays, mapped for reading: it stays so as long as somebody has it or one of its arrays."""

    table: dict[str, tuple[str, list[int], int]]
    begin: int

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file. Raises OSError, and ValueError where it has no table."""
        with path.open("rb") as file:
            packed = cls(file.fileno(), 0, access=mmap.ACCESS_READ)
        packed.begin = _TOLD + int.from_bytes(packed[:_TOLD], "little")
        packed.table = json.loads(packed[_TOLD : packed.begin])
        if not isinstance(packed.table, dict):
            raise ValueError(f"{path.name} has no table")
        return packed

    def array(self, name: str) -> NDArray[Any]:
        """One of the arrays, read-only; nothing is copied. Raises ValueError where the file does not have it whole."""
        try:
            dtype, shape, at = self.table[name]
            return np.ndarray(shape, dtype, buffer=self, offset=self.begin + at)
        except TypeError as error:
            raise ValueError(f"{name} is not whole") from error


# numpy parses the header of an array as Python, and two threads that parse at once may fail with a SystemError in some
# releases of CPython (python/cpython#106905).
ONE_HEADER = threading.Lock()

# What somebody has read, by its path and when that was written: a generation shares most of its files with the one
# before, and who opens it takes these over. Nothing is kept that nobody has.
_Mark = tuple[str | int, ...]
_SHARED: Final = WeakValueDictionary[_Mark, NDArray[Any]]()
_PACKED: Final = WeakValueDictionary[_Mark, Packed]()


def write_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as a folder of .npy files that is, after any crash, either complete or absent.

    They are written and synced under a temporary name beside it, then renamed; what a killed writer left there under
    the same name is replaced. Raises StorageFull.
    """
    write_each(folder, arrays.items())


def write_each(folder: Path, arrays: Iterable[tuple[str, NDArray[Any]]], *, room: float = 0) -> None:
    """Like ``write_arrays``, for arrays that are made when it is their turn. Raises StorageFull.

    ``room``: that much more, as a share of its rows, is left behind each for ``streamed.read_with_room``; systems that
    know files with holes keep nothing there.
    """
    with storing(folder), published(folder) as partial:
        for name, array in arrays:
            with (partial / f"{name}.npy").open("wb") as file:
                np.save(file, array, allow_pickle=False)
                file.truncate(file.tell() + int(len(array) * room) * array[:1].nbytes)
                file.flush()
                os.fsync(file.fileno())


@contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Errors of the disk inside are raised as StorageFull."""
    try:
        yield
    except OSError as error:
        raise StorageFull(f"{folder} cannot be written: {error.strerror or error}.") from error


@contextmanager
def published(folder: Path) -> Iterator[Path]:
    """A temporary folder to write files into, which takes the place of ``folder`` once all is in it. Raises OSError."""
    partial = _beside(folder)
    partial.mkdir(parents=True)
    try:
        yield partial
        digests.seal(partial)
        put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def read_arrays(folder: Path, names: Iterable[str]) -> Arrays:
    """The named arrays of a folder, or of a part of one, read-only and memory-mapped; what somebody has is shared.

    Raises IndexCorrupt where one is missing, or where its size or its ends say that it is damaged.
    """
    place, part = _place_of(folder)
    try:
        sealed = digests.times(place / digests.FILE)
        small = _packed(place, sealed)
        each = {name: part + name for name in names}
        found = _own_files(place, [key for key in each.values() if small is None or key not in small.table], sealed)
        return {name: found[key] if small is None or key in found else small.array(key) for name, key in each.items()}
    except (OSError, ValueError, EOFError) as error:
        raise IndexCorrupt(f"{folder} cannot be read: {error}.", remedy=REBUILD) from error


def has_array(folder: Path, name: str) -> bool:
    """Whether an array was written into a folder, or into a part of one."""
    place, part = _place_of(folder)
    small = _packed(place, digests.times(place / digests.FILE))
    return (small is not None and part + name in small.table) or (place / f"{part}{name}.npy").exists()


def _place_of(folder: Path) -> tuple[Path, str]:
    """The folder in which the arrays of a folder are, or of a part of one, and with what their names begin there."""
    part = ""
    while not folder.is_dir() and folder.name:
        folder, part = folder.parent, f"{folder.name}.{part}"
    return folder, part


def _packed(folder: Path, sealed: Sequence[int]) -> Packed | None:
    """The small arrays of a folder, where they are in one file. Raises OSError, ValueError, IndexCorrupt."""
    file = folder / digests.PACKED
    written = digests.times(file)
    if not written:
        return None
    mark: _Mark = (str(file), *written, *sealed)
    small = _PACKED.get(mark)
    if small is None:
        check_files(folder, [digests.PACKED])
        small = _PACKED[mark] = Packed.open(file)
    return small


def _own_files(folder: Path, names: Iterable[str], sealed: Sequence[int]) -> Arrays:
    """Arrays that each have a file of their own. Raises OSError, ValueError, EOFError, IndexCorrupt."""
    files = {name: folder / f"{name}.npy" for name in names}
    marks: dict[str, _Mark] = {name: (str(file), *digests.times(file), *sealed) for name, file in files.items()}
    arrays = {name: array for name, mark in marks.items() if (array := _SHARED.get(mark)) is not None}
    new = [name for name in files if name not in arrays]
    if new:
        check_files(folder, [files[name].name for name in new])
    with ONE_HEADER:
        for name in new:
            arrays[name] = _SHARED[marks[name]] = _loaded(files[name])
    return arrays


def _loaded(file: Path) -> NDArray[Any]:
    """An array, mapped unless it is small: to let go of a file that is gone takes as long as the disk needs to free it.

    numpy is given the name, because of a path it looks up every folder.
    """
    mapped = file.stat().st_size > 2 * digests.END
    array = np.asarray(np.load(str(file), mmap_mode="r" if mapped else None, allow_pickle=False))
    array.flags.writeable = False
    return array


def check_files(folder: Path, names: Iterable[str]) -> None:
    """Raises IndexCorrupt where the size or the ends of a named file say that it is damaged."""
    try:
        for fault in digests.faults(folder, names):
            raise IndexCorrupt(fault, remedy=REBUILD)
    except OSError as error:
        raise IndexCorrupt(f"{folder} cannot be read: {error}.", remedy=REBUILD) from error


def check_fit(folder: Path, fits: bool) -> None:
    """Raises IndexCorrupt where what was read from a folder does not fit together."""
    if not fits:
        raise IndexCorrupt(f"{folder} is damaged: its parts do not belong together.", remedy=REBUILD)


def array_folders(place: Path) -> Iterator[Path]:
    """A folder and those below it, as far as arrays lie in them; what killed writers left half done is passed over."""
    for folder, below, files in os.walk(place):
        below[:] = sorted(name for name in below if not name.startswith("."))
        if digests.FILE in files or any(file.endswith((".npy", digests.PACKED)) for file in files):
            yield Path(folder)


def damage(place: Path, *, lately: bool = False) -> Iterator[str]:
    """What is damaged in a folder of arrays and in those below it, each in a sentence; every byte of them is read.

    ``lately``: only of files that were written to since they were found whole. Of folders that an earlier version
    wrote, which noted no digests, nothing can be said.
    """
    for folder in array_folders(place):
        try:
            yield from digests.new_faults(folder) if lately else digests.faults(folder, deep=True)
        except OSError as error:
            yield f"{folder} cannot be read: {error}."


def discard_damaged(place: Path, *, besides: Path) -> None:
    """Remove folders of arrays that are damaged, save those below ``besides``: whoever needs them makes them again."""
    for folder in array_folders(place):
        with suppress(OSError):  # what another process removes meanwhile, or nobody may read, is not damaged
            fault = next(digests.new_faults(folder), None)
            if fault and besides not in folder.parents:
                logger.warning("%s It is removed, and made again when it is needed.", fault)
                shutil.rmtree(folder, ignore_errors=True)


def sweep(folder: Path, keep: Iterable[str]) -> None:
    """Remove every folder in a folder but the named ones: old segments, and what killed writers left half done.

    Only for the one writer, after it has made its new list of segments known.
    """
    kept = set(keep)
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name not in kept:
            shutil.rmtree(entry, ignore_errors=True)  # one that cannot go yet, because it is being read, goes next time


def put_in_place(partial: Path, folder: Path) -> None:
    """Have a folder that is complete take the place of another, or of none. Raises OSError."""
    sync_folder(partial)
    _replace(partial, folder)
    sync_folder(folder.parent)


def _beside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}-{secrets.token_hex(6)}")


def _replace(partial: Path, folder: Path) -> None:
    if folder.exists():
        old = folder.rename(_beside(folder))
        partial.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        partial.rename(folder)


def sync_folder(folder: Path) -> None:
    """Make a rename within a folder survive a power cut, where the system lets folders be synced. Raises OSError."""
    if os.name == "nt":  # Windows cannot sync a folder; it journals renames
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class KeptArrays:
    """What dataclasses of nothing but arrays share: they are kept as folders."""

    def arrays(self) -> Arrays:
        """Its arrays by name."""
        return {name: getattr(self, name) for name in self.__annotations__}

    def save(self, folder: Path) -> None:
        """Write them as a folder. Raises StorageFull."""
        write_arrays(folder, self.arrays())

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map those of a folder into memory. Raises IndexCorrupt."""
        return cls(**read_arrays(folder, cls.__annotations__))
