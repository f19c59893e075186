"""``polyhop index --watch``: the index follows its files until Ctrl-C."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from polyhop.cli.terminal import echo, flush, style, tell
from polyhop.documents.reading import is_missing, uri_of
from polyhop.english.numbers import counted
from polyhop.errors import PolyhopError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop


def keep_watching(engine: Polyhop, paths: Sequence[Path], bring_up_to_date: Callable[[Sequence[Path]], None]) -> None:
    """Bring the index up to date whenever files change, until Ctrl-C.

    An error ends one round and not the watch: what it left undone is done in the next one, which a change begins.
    """
    from polyhop.indexing.watching import changes_of

    _note_disks(engine, paths)
    echo(style("Watching; Ctrl-C ends.", dim=True), err=True)
    try:
        for changed in changes_of(paths, besides=engine.path):
            clock = time.strftime("%H:%M:%S")
            files = f"{counted(len(changed), 'files')} {'has' if len(changed) == 1 else 'have'}"
            echo(style(f"{clock} {files} changed.", dim=True), err=True)
            try:
                _round(engine, paths, bring_up_to_date)
            except PolyhopError as error:
                tell(error)
            flush()
    except KeyboardInterrupt:
        echo("\nNo longer watching. What was done is stored.", err=True)


def _round(engine: Polyhop, paths: Sequence[Path], bring_up_to_date: Callable[[Sequence[Path]], None]) -> None:
    """One run over what is there. Raises UsageError for a folder that is lost; a file that was named may go alone."""
    from polyhop.indexing.watching import check_not_lost

    with engine.view() as view:
        rows = list(view.record.documents())
    there = [path for path in paths if not is_missing(path)]
    gone = {path: uri_of(path) for path in paths if path not in there}
    files = [path for path, own in gone.items() if any(_is_of(row.uri, own) for row in rows)]
    folders = [path for path, own in gone.items() if any(row.uri.startswith(f"{own}/") for row in rows)]
    around = [Path(os.path.abspath(path)).parent for path in files]  # noqa: PTH100 - as in uri_of
    check_not_lost([*there, *folders, *around], rows, besides=engine.path)
    if files:
        own = [row.uri for row in rows if any(_is_of(row.uri, gone[path]) for path in files)]
        echo(f"Removed {counted(len(engine.remove(*own).removed), 'documents')}: what was named is gone.")
    if there:
        bring_up_to_date(there)
    _note_disks(engine, paths)


def _note_disks(engine: Polyhop, paths: Sequence[Path]) -> None:
    from polyhop.indexing.watching import note_disks

    with engine.view() as view:
        note_disks(paths, view.record.documents(), besides=engine.path)


def _is_of(uri: str, file: str) -> bool:
    return uri == file or uri.startswith(f"{file}#")
