"""``polyhop serve``: answers over HTTP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from polyhop.cli.options import settings_of, stored
from polyhop.cli.terminal import echo
from polyhop.errors import UsageError
from polyhop.extras import check_installed

if TYPE_CHECKING:
    from polyhop.serve.engines import Engines
    from polyhop.settings import Settings

NEEDED: Final = ("fastapi", "mcp", "prometheus_client", "python_multipart", "uvicorn")


@click.command(short_help="Answer questions over HTTP, with a page.")
@click.option(
    "--index", "index_path", type=click.Path(path_type=Path), help="Folder of the index.  [default: polyhop.index]"
)
@click.option(
    "--workspaces", type=click.Path(path_type=Path), help="Folder of several indexes, a workspace each, instead."
)
@click.option("--watch", "watched", multiple=True, type=click.Path(path_type=Path), help="Follow a folder; repeatable.")
@click.option("--store", metavar="ADDRESS", help="Database of the records, as postgresql://user@host/database.")
@click.option("--host", help="Address to listen at.  [default: 127.0.0.1, this machine alone]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0: any that is free.  [default: 8642]")
@click.option("--workers", type=click.IntRange(1), help="Answers worked on at the same time.  [default: 2]")
@click.option("--set", "changes", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting; repeatable.")
@click.option("--preset", metavar="NAME", help="Settings of a published experiment (see: polyhop presets).")
@click.option("--config", type=click.Path(path_type=Path), help="Settings file.  [default: polyhop.toml, if any]")
def serve(
    index_path: Path | None,
    workspaces: Path | None,
    watched: tuple[Path, ...],
    store: str | None,
    host: str | None,
    port: int | None,
    workers: int | None,
    changes: tuple[str, ...],
    preset: str | None,
    config: Path | None,
) -> None:
    """Answer questions over HTTP (extra 'server'), until it is stopped with Ctrl-C.

    \b
    polyhop serve --index polyhop.index
    polyhop serve --workspaces workspaces --port 9000
    polyhop serve --index polyhop.index --watch documents/

    Folders that are followed (extra 'watch') are indexed at the start, and again whenever a file in them has changed.
    Answers under way are finished before it stops. Its log is JSON, a line a request, on standard error.
    """
    check_extra()
    from polyhop.serve.engines import Engines
    from polyhop.serve.running import run
    from polyhop.store.faults import translated

    if index_path is not None and workspaces is not None:
        raise UsageError("Name an index or a folder of workspaces, not both.")
    if workspaces is not None and watched:
        raise UsageError("Folders are followed for one index.", remedy="Name it with: --index")
    missing = next((folder for folder in watched if not folder.exists()), None)
    if missing is not None:
        raise UsageError(f"There is no {missing} to follow.")
    first = () if preset is None else (f"preset={preset}",)
    settings = settings_of(config, (*first, *changes, *stored(store)))
    server = settings.server
    server = replace(
        server,
        host=server.host if host is None else host,
        port=server.port if port is None else port,
        workers=server.workers if workers is None else workers,
    )
    settings = replace(settings, server=server)
    folder = workspaces or index_path or Path("polyhop.index")
    with translated(folder):
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is not a folder.", remedy="Choose another --index or --workspaces.")
    engines = Engines(None if workspaces else folder, workspaces=workspaces, settings=settings)
    _check(settings, engines)
    if watched:
        from polyhop.indexing.watching import check_watching

        check_watching()
    note = _note(folder, engines)
    run(engines, settings, listening=lambda address: echo(f"Polyhop listens at {address}{note}"), watched=watched)


def _note(folder: Path, engines: Engines) -> str:
    """What is still to be made where nothing can be asked yet."""
    from polyhop.serve.places import MAKING

    if not engines.names():
        return f"\nThere is no workspace in {folder} yet. Make one with: {MAKING}"
    is_there = folder.exists() or not engines.places.is_single or engines.settings.index.store is not None
    return "" if is_there else f"\nThere is no index at {folder}: the first documents make it."


def check_extra() -> None:
    """Look whether the extra ``server`` is installed, without loading it. Raises UsageError."""
    check_installed("server", NEEDED, doing="Serving")


def _check(settings: Settings, engines: Engines) -> None:
    """Refuse to serve whoever comes by, and to make layers that there are not. Raises UsageError, UnknownComponent."""
    from polyhop.layers.layer import layer_of
    from polyhop.serve.app import is_open
    from polyhop.serve.keys import KeyRing

    for name in settings.index.layers:
        layer_of(name, settings)
    if is_open(settings.server):
        return
    file = engines.places.keys
    if file.exists():
        with KeyRing(file) as keys:
            if keys.any_valid():
                return
    address = settings.server.site or settings.server.host
    raise UsageError(
        f"At {address} other machines would reach these documents, and there is no key that counts.",
        remedy="Make one with: polyhop keys add LABEL, or serve at 127.0.0.1.",
    )
