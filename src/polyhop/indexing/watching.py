"""Waits for changes of files, and tells of them once they have settled (extra ``watch``)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

from polyhop.documents.reading import Source, covers, find, is_missing, uri_of
from polyhop.errors import UsageError
from polyhop.extras import check_installed
from polyhop.indexing.ingest import GIVEN
from polyhop.store.port import DocumentRow
from polyhop.store.whole_file import whole_file

LONGEST_UNREST = 5_000  # milliseconds for which changes are gathered before they are told, at most
DISKS = "disks.json"  # in the folder of the index: where disks are mounted that hold documents of it
LOOK = 1_000  # milliseconds between two looks whether the folders are still the ones that are watched


def check_watching() -> None:
    """Look whether the extra is installed. Raises UsageError."""
    check_installed("watch", ("watchfiles",), doing="Watching files")


def changes_of(
    paths: Sequence[Path], *, besides: Path, settled: int = 500, stop: Event | None = None
) -> Iterator[frozenset[Path]]:
    """The files below some paths that were made, changed or deleted, whenever none has been for a moment.

    ``besides``: a folder whose changes do not count, such as the index. ``settled``: milliseconds without a change,
    after which they are told. Ends when ``stop`` is set; Ctrl-C raises KeyboardInterrupt. A file that is named by
    itself is watched in its folder, so that it may go and come back. So may a folder; it is told by itself then.
    """
    from watchfiles import Change, watch

    own = besides.resolve()
    wanted = [path.resolve() for path in paths]

    def counts(change: Change, name: str) -> bool:
        path = Path(name)
        if change == Change.deleted and path in folders:
            return True
        if path.is_relative_to(own):
            return False
        return any(path.is_relative_to(one) and not _is_hidden(path.relative_to(one)) for one in wanted)

    folders = sorted({one if one.is_dir() else one.parent for one in wanted})
    watched = partial(watch, watch_filter=counts, debounce=LONGEST_UNREST, step=settled, stop_event=stop)
    changed: set[Path] = set()
    while stop is None or not stop.is_set():
        there = _filled(folders)
        with suppress(FileNotFoundError):  # one has gone this very moment
            for changes in watched(*there, rust_timeout=LOOK, yield_on_timeout=True):
                changed |= {Path(name) for _, name in changes}
                now = _filled(folders)
                if now != there or any((Change.deleted, str(folder)) in changes for folder in folders):
                    changed |= {folder for folder, _ in now.items() - there.items()}
                    break  # what is watched is the folder that was there, wherever it is now
                if changed:
                    yield frozenset(changed)
                    changed = set()


def check_not_lost(paths: Sequence[Path], rows: Iterable[DocumentRow], *, besides: Path) -> None:
    """Look whether all that is watched is still there: a disk that is not mounted must not empty the index.

    ``rows``: the documents of the index, which lies at ``besides``. Raises UsageError for a path that is gone, or where
    nothing can be read any more though documents were: an unmounted disk leaves an empty folder. So it does for a disk
    below a path that was there before (see ``note_disks``) and is not, while documents of it are in the index.
    """
    known = [row.uri for row in rows if row.stamp != GIVEN]
    gone = (disk for disk in _noted(besides) if _is_below(paths, disk) and not os.path.ismount(disk))
    disks = [disk for disk in gone if any(uri.startswith(f"{disk}/") for uri in known)]
    for path in (*paths, *disks):
        holds = not is_missing(path) and any(isinstance(item, Source) for item in find([path], besides=besides))
        if not holds and (is_missing(path) or any(covers([path], uri) for uri in known)):
            raise UsageError(
                f"{path.name or path} is gone or has nothing to read any more; nothing was removed.",
                remedy="Bring its files back (is its disk mounted?), or remove its documents.",
            )


def note_disks(paths: Sequence[Path], rows: Iterable[DocumentRow], *, besides: Path) -> None:
    """Note in the folder of an index which disks below some paths hold documents of it, to miss one that goes."""
    folders: set[str] = set()
    for row in rows:
        folder = os.path.dirname(row.uri)  # noqa: PTH120 - of strings: there may be a million
        while row.stamp != GIVEN and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120
    noted = set(_noted(besides))
    disks = [each for each in map(Path, sorted(folders)) if _is_below(paths, each)]
    kept = [str(each) for each in disks if each in noted or os.path.ismount(each)]
    if kept or noted:
        with suppress(OSError), whole_file(besides / DISKS) as file:
            file.write(json.dumps(kept).encode())


def _noted(index: Path) -> list[Path]:
    with suppress(OSError, ValueError, TypeError):
        return [Path(disk) for disk in json.loads((index / DISKS).read_text(encoding="utf-8"))]
    return []


def _is_below(paths: Iterable[Path], folder: Path) -> bool:
    return any(folder.as_posix().startswith(f"{uri_of(path)}/") for path in paths)


def _is_hidden(below: Path) -> bool:
    """Whether indexing passes over a path below a folder that it is to read."""
    return any(part.startswith(".") for part in below.parts)


def _filled(folders: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """The folders that hold something, each with its device and number: those of another folder are others.

    An empty one may be where a disk was mounted; that it holds nothing is no change of a file.
    """
    found = {}
    for folder in folders:
        with suppress(OSError):
            with os.scandir(folder) as inside:  # not iterdir, which lists all of a large folder for the first name
                holds = next(inside, None) is not None
            if holds:
                told = folder.stat()
                found[folder] = told.st_dev, told.st_ino
    return found
