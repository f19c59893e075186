"""Durable folders of arrays, and how an index made of immutable segments grows.

A generation of an index is a list of segments. Each covers some passages, once and for all: new passages make a new
segment, removed ones are masked when the index is opened, and segments are written again in proportion to what is new.
"""

from __future__ import annotations

import logging
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

MOST_SEGMENTS = 8
MOST_DEAD = 0.2  # share of the rows of a segment
SHARE = 1 / 4  # of a segment: when what is to stand behind it comes to more, both become one


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentPlan:
    """What turns the segments there are into segments that cover exactly the live passages."""

    keep: int  # how many of the existing segments stay: the first ones
    new: Ints  # numbers of the passages that go into one new segment behind them; empty: none is needed


@dataclass(frozen=True, eq=False)
class AllBut:
    """Which passages are there: all that segments cover, but these."""

    gone: Ints  # ascending


Live = Ints | AllBut
"""Which passages are there: their numbers, ascending, or those of the ones that are not."""


def plan(existing: Sequence[Ints], live: Ints) -> SegmentPlan:
    """How to get from segments that cover ``existing`` to the ``live`` passages; all of these ascending."""
    together = _together(existing)
    if (together[1:] == together[:-1]).any():  # two segments cover the same passage
        return SegmentPlan(keep=0, new=live)
    return plan_of_change(existing, together[~present(together, live)], live[~present(live, together)])


def plan_of_change(existing: Sequence[Ints], dead: Ints, new: Ints) -> SegmentPlan:
    """How to get from segments to ones with new passages, and without those that are ``dead``; all of these ascending.

    A segment is written again when more than MOST_DEAD of its rows are dead, when what is new comes to more than
    a SHARE of it, or when there would be more than MOST_SEGMENTS; so are those behind it, which may build on it. Sizes
    thus fall quickly, and a passage is written again a few times only while the index grows, however large it becomes.
    """
    rows = [len(numbers) for numbers in existing]
    lost = [int(np.count_nonzero(present(dead, numbers))) for numbers in existing]
    keep = next((place for place, all_ in enumerate(rows) if lost[place] > MOST_DEAD * all_), len(rows))
    together = len(new) + sum(rows[keep:]) - sum(lost[keep:])
    while keep and together and (together > SHARE * (rows[keep - 1] - lost[keep - 1]) or keep == MOST_SEGMENTS):
        keep -= 1
        together += rows[keep] - lost[keep]
    again = (numbers[alive_among(numbers, AllBut(dead))] for numbers in existing[keep:])
    return SegmentPlan(keep=keep, new=_together([*again, new]))


def _together(parts: Iterable[Ints]) -> Ints:
    """All numbers of several lists, ascending."""
    return np.sort(np.concatenate([np.empty(0, np.int64), *parts]), kind="stable")


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


# numpy parses the header of an array as Python, and two threads that parse at once may fail with a SystemError in some
# releases of CPython (python/cpython#106905).
ONE_HEADER = threading.Lock()

# What somebody has read, by its path and when that was written: a generation shares most of its files with the one
# before, and who opens it takes these over. Nothing is kept that nobody has.
_Mark = tuple[str | int, ...]
_SHARED: Final = WeakValueDictionary[_Mark, NDArray[Any]]()


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
    """The named arrays of a folder, read-only and, unless they are small, memory-mapped; what somebody has is shared.

    Raises IndexCorrupt where one is missing, or where its size or its ends say that it is damaged.
    """
    files = {name: folder / f"{name}.npy" for name in names}
    try:
        sealed = digests.times(folder / digests.FILE)
        marks: dict[str, _Mark] = {name: (str(file), *digests.times(file), *sealed) for name, file in files.items()}
        arrays = {name: array for name, mark in marks.items() if (array := _SHARED.get(mark)) is not None}
        new = [name for name in files if name not in arrays]
        if new:
            check_arrays(folder, new)
        with ONE_HEADER:
            for name in new:
                arrays[name] = _SHARED[marks[name]] = _loaded(files[name])
        return {name: arrays[name] for name in files}
    except (OSError, ValueError, EOFError) as error:
        raise IndexCorrupt(f"{folder} cannot be read: {error}.", remedy=REBUILD) from error


def _loaded(file: Path) -> NDArray[Any]:
    """An array, mapped unless it is small: to let go of a file that is gone takes as long as the disk needs to free it.

    numpy is given the name, because of a path it looks up every folder.
    """
    mapped = file.stat().st_size > 2 * digests.END
    array = np.asarray(np.load(str(file), mmap_mode="r" if mapped else None, allow_pickle=False))
    array.flags.writeable = False
    return array


def check_arrays(folder: Path, names: Iterable[str]) -> None:
    """Raises IndexCorrupt where the size or the ends of a named array say that it is damaged."""
    try:
        for fault in digests.faults(folder, [f"{name}.npy" for name in names]):
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
        if digests.FILE in files or any(file.endswith(".npy") for file in files):
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
    """Remove everything in a folder but the named entries: old segments, and what killed writers left half done.

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

    def save(self, folder: Path) -> None:
        """Write them as a folder. Raises StorageFull."""
        write_arrays(folder, {name: getattr(self, name) for name in self.__annotations__})

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map those of a folder into memory. Raises IndexCorrupt."""
        return cls(**read_arrays(folder, cls.__annotations__))
