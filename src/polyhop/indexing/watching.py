"""Waits for changes of files, and tells of them once they have settled (extra ``watch``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from polyhop.extras import check_installed

LONGEST_UNREST = 5_000  # milliseconds for which changes are gathered before they are told, at most


def check_watching() -> None:
    """Look whether the extra is installed. Raises UsageError."""
    check_installed("watch", ("watchfiles",), doing="Watching files")


def changes_of(
    paths: Sequence[Path], *, besides: Path, settled: int = 500, stop: Event | None = None
) -> Iterator[frozenset[Path]]:
    """The files below some paths that were made, changed or deleted, whenever none has been for a moment.

    ``besides``: a folder whose changes do not count, such as the index. ``settled``: milliseconds without a change,
    after which they are told. Ends when ``stop`` is set; Ctrl-C raises KeyboardInterrupt. A file that is named by
    itself is watched in its folder, so that it may go and come back.
    """
    from watchfiles import Change, DefaultFilter, watch

    own = besides.resolve()
    wanted = [path.resolve() for path in paths]
    usual = DefaultFilter()

    def counts(change: Change, name: str) -> bool:
        path = Path(name)
        mine = any(path == one or path.is_relative_to(one) for one in wanted)
        return mine and not path.is_relative_to(own) and usual(change, name)

    folders = sorted({one if one.is_dir() else one.parent for one in wanted})
    for changes in watch(
        *folders, watch_filter=counts, debounce=LONGEST_UNREST, step=settled, stop_event=stop, rust_timeout=1_000
    ):
        yield frozenset(Path(name) for _, name in changes)
