"""``polyhop index --watch``: the index follows its files until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from polyhop.cli.terminal import echo, flush, style, tell
from polyhop.documents.reading import uri_of
from polyhop.english.numbers import counted
from polyhop.errors import PolyhopError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop


def keep_watching(engine: Polyhop, paths: Sequence[Path], bring_up_to_date: Callable[[Sequence[Path]], None]) -> None:
    """Bring the index up to date whenever files change, until Ctrl-C.

    An error ends one round and not the watch: what it left undone is done in the next one, which a change begins.
    """
    from polyhop.indexing.watching import changes_of

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
    """One run over what is there; a file or folder that was named and is gone is removed with all that is below it."""
    there = [path for path in paths if path.exists()]
    gone = [path for path in paths if path not in there]
    with engine.view() as view:
        below = [row.uri for row in view.record.documents() if any(_is_below(row.uri, path) for path in gone)]
    if below:
        removed = counted(len(engine.remove(*below).removed), "documents")
        echo(f"Removed {removed}: what was named is gone.")
    if there:
        bring_up_to_date(there)


def _is_below(uri: str, path: Path) -> bool:
    own = uri_of(path)
    return uri == own or uri.startswith((f"{own}/", f"{own}#"))
