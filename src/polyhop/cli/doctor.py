"""``polyhop doctor``: is everything there that answering needs?"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.remedies import completed
from polyhop.cli.terminal import echo, style, tell_json
from polyhop.english.numbers import counted
from polyhop.errors import PolyhopError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop
    from polyhop.models.choice import Models
    from polyhop.store.record import Record

Finding = tuple[str, bool, str, str]  # what, fine, finding, remedy


@click.command(short_help="Check this installation; each problem has its remedy.")
@click.option("--deep", is_flag=True, help="Also read every byte of the index: about a second a gigabyte.")
@json_option
@index_options
def doctor(deep: bool, as_json: bool, chosen: ChosenIndex) -> int:
    """Check this installation: versions, models, endpoint, index; each problem with its remedy.

    Exits with 1 where something that the settings ask for does not work.
    """
    with chosen.opened() as engine:
        findings = [*_environment(), *_models(engine.models), *_index(engine)]
        if deep:
            findings += _bytes(engine)
    findings = [(check, fine, finding, completed(remedy)) for check, fine, finding, remedy in findings]
    if as_json:
        names = ("check", "ok", "finding", "remedy")
        tell_json([dict(zip(names, finding, strict=True)) for finding in findings])
    else:
        for check, fine, finding, remedy in findings:
            mark = style("ok  ", fg="green") if fine else style("FAIL", fg="red")
            echo(f"{mark} {check:<16} {finding}")
            if not fine and remedy:
                echo(f"     {'':<16} {remedy}")
    return 0 if all(fine for _, fine, _, _ in findings) else 1


def _environment() -> Iterator[Finding]:
    import apsw

    yield "python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}", sys.executable
    yield "sqlite", True, apsw.sqlite_lib_version(), ""
    free = shutil.disk_usage(Path.cwd()).free
    yield "disk", free > 500_000_000, f"{free / 1e9:.1f} GB free here", "Free some space."


def _models(models: Models) -> Iterator[Finding]:
    from polyhop.models.trial import TRIALS, reached
    from polyhop.settings import address_without_model

    nameless = address_without_model()
    for port, attempt in {**TRIALS, "language_model": reached}.items():
        check = port.replace("_", " ")
        try:
            finding = attempt(models)
            if port == "language_model" and nameless and models.language_model is None:
                finding += f"; {nameless} says where one is, and POLYHOP_MODEL does not say which"
            yield check, True, finding, ""
        except PolyhopError as error:
            yield check, False, str(error), error.remedy


def _index(engine: Polyhop) -> Iterator[Finding]:
    from polyhop.errors import IndexMissing
    from polyhop.indexing.ingest import stands
    from polyhop.store.record import Record

    try:
        status = engine.status()
        with Record.open(engine.path, engine.settings.index.store) as record:
            gone = 0 if record.is_shared else sum(not stands(row) for row in record.documents())
    except IndexMissing as error:
        yield "index", True, f"none at {engine.path} yet", error.remedy
        return
    except PolyhopError as error:
        yield "index", False, str(error), error.remedy
        return
    with_gaps = [layer.name for layer in status.layers if layer.has_gaps] or ["text"] * status.has_gaps
    finding = f"{counted(status.documents, 'documents')}, {counted(status.passages, 'passages')} at {status.path}"
    remedy = f"Layers with gaps: {', '.join(with_gaps)}. Run: polyhop index PATH..." if with_gaps else ""
    yield "index", not with_gaps, finding, remedy
    if gone:  # no fault: what they say is stored, and whoever indexed them may have meant to delete them
        yield "files", True, f"{counted(gone, 'documents')} without a file any more; see: polyhop remove --help", ""


def _bytes(engine: Polyhop) -> Iterator[Finding]:
    """Whether all that an index has on disk is there and as it was written; each damaged file is a finding."""
    from polyhop.errors import IndexMissing
    from polyhop.indexes import digests, segments
    from polyhop.store.record import Record

    try:
        with Record.open(engine.path, engine.settings.index.store) as record:
            record.verify()
            faults = list(segments.damage(engine.path)) or _unopened(engine, record)
    except IndexMissing:
        return  # as was said already
    except PolyhopError as error:
        yield "record", False, str(error), error.remedy
        return
    yield "record", True, "every row can be read", ""
    for fault in faults:
        yield "arrays", False, fault, "Run: polyhop index PATH... What is damaged is gathered again, and asks no model."
    folders = list(segments.array_folders(engine.path))
    unsealed = sum(not digests.is_sealed(folder) for folder in folders)
    earlier = (
        f", {unsealed} of an earlier version without digests: the next polyhop index adds them" if unsealed else ""
    )
    if not faults:
        yield "arrays", True, f"as they were written, in {counted(len(folders), 'folders')}{earlier}", ""


def _unopened(engine: Polyhop, record: Record) -> list[str]:
    """Why layers that the record names cannot be opened, as where their folders were not copied with it."""
    from polyhop.errors import IndexCorrupt
    from polyhop.indexing.remembered import in_force, up_to_date
    from polyhop.layers.layer import layer_of

    made_with = in_force(record, engine.settings)
    faults = []
    for name in up_to_date(record):
        try:
            layer_of(name, made_with).open(record, engine.path / "generations" / name, engine.models)
        except IndexCorrupt as error:
            faults.append(str(error))
        except PolyhopError:
            continue  # made with another model, say, which is no damage
    return faults
