"""``polyhop keys``: who may use a server at an address that other machines reach, and for what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import Command, json_option
from polyhop.cli.remedies import completed
from polyhop.cli.terminal import echo, on_one_line, style, tell_json
from polyhop.english.numbers import counted
from polyhop.errors import KeyMissing, UsageError

if TYPE_CHECKING:
    from polyhop.serve.keys import Allowance, Key
    from polyhop.serve.places import Places


def _of_server(command: Command) -> Command:
    """``--index`` and ``--workspaces``: the server that keys are for, as it is started."""
    for option in (
        click.option(
            "--workspaces", type=click.Path(path_type=Path), help="Of the server of this folder of workspaces, instead."
        ),
        click.option(
            "--index",
            "index_path",
            type=click.Path(path_type=Path),
            help="Of the server of this index.  [default: polyhop.index]",
        ),
    ):
        command = option(command)
    return command


@click.group(short_help="Make, list and revoke the keys of a server.")
def keys() -> None:
    """Make, list and revoke the keys of a server (polyhop serve).

    \b
    polyhop keys add "the web site" --requests 60
    polyhop keys list
    """


@keys.command()
@click.argument("label")
@click.option(
    "--scope",
    type=click.Choice(["read", "write", "admin"]),
    default="read",
    show_default=True,
    help="What it allows: asking; also uploads and deletions; also making workspaces.",
)
@click.option("--workspace", help="The only workspace that it opens.  [default: all]")
@click.option("--days", type=click.FloatRange(0, min_open=True), help="Days until it expires.  [default: never]")
@click.option("--requests", type=click.IntRange(1), help="Requests a minute, at most.")
@click.option("--uploads", type=click.IntRange(1), help="Bytes of uploads a day, at most.")
@click.option("--tokens", type=click.IntRange(1), help="Tokens of language models a day, at most.")
@click.option("--money", type=click.FloatRange(0, min_open=True), help="What language models may cost a day, at most.")
@_of_server
def add(
    label: str,
    scope: str,
    workspace: str | None,
    days: float | None,
    requests: int | None,
    uploads: int | None,
    tokens: int | None,
    money: float | None,
    index_path: Path | None,
    workspaces: Path | None,
) -> None:
    """Make a key for LABEL, which says whose it is. The key is shown once: only its hash is kept.

    \b
    polyhop keys add "Ada's notebook" --scope write --workspaces workspaces --workspace legal --days 90
    polyhop keys add "the web site" --requests 60 --tokens 200000
    """
    from polyhop.serve.keys import Allowance, KeyRing

    allowance = Allowance(requests=requests, uploads=uploads, tokens=tokens, money=money)
    places = _places(index_path, workspaces)
    if workspace is not None and workspace not in places.names():
        told = ", ".join(places.names()) or "none"
        raise UsageError(
            f"There is no workspace {workspace!r}: there is {told}.",
            remedy=f"Make a folder {workspace} in that of the workspaces, or leave --workspace out.",
        )
    with KeyRing(places.keys) as ring:
        written, key = ring.add(label, scope=scope, workspace=workspace, days=days, allowance=allowance)
    echo(written)
    echo(f"It is shown this once. Requests send it as: Authorization: Bearer {written}", err=True)
    echo(completed(f"Its id is {key.id}; polyhop keys revoke {key.id} ends it."), err=True)


@keys.command("list")
@json_option
@_of_server
def list_(as_json: bool, index_path: Path | None, workspaces: Path | None) -> None:
    """Show the keys there are, what they allow, and until when."""
    from polyhop.serve.keys import KeyRing

    file = _places(index_path, workspaces).keys
    found: list[Key] = []
    if file.exists():  # to open it would make it
        with KeyRing(file) as ring:
            found = ring.all()
    if as_json:
        tell_json({"keys": [key.to_dict() for key in found]})
        return
    for key in found:
        echo(f"{key.id}  {_state(key)}  {key.scope:<5}  {key.workspace or 'all workspaces'}  {on_one_line(key.label)}")
        if limits := ", ".join(_limits(key.allowance)):
            echo(f"{'':<12}  at most {limits}")
    if not found:
        echo(completed("There are no keys. A server at 127.0.0.1 needs none; others do: polyhop keys add LABEL"))


@keys.command(short_help="End a key, by its id or its label.")
@click.argument("name")
@_of_server
def revoke(name: str, index_path: Path | None, workspaces: Path | None) -> None:
    """End a key, by its id or its label; a server that runs refuses it from its next request on."""
    from polyhop.serve.keys import KeyRing

    file = _places(index_path, workspaces).keys
    if not file.exists():  # to open it would make it
        raise KeyMissing(f"There is no key {name!r}.")
    with KeyRing(file) as ring:
        key = ring.revoke(name)
    echo(f"{key.id} ({on_one_line(key.label)}) counts no more.")


def _limits(allowance: Allowance) -> Iterator[str]:
    """What a key may use at most, in words."""
    if allowance.requests is not None:
        yield f"{counted(allowance.requests, 'requests')} a minute"
    if allowance.uploads is not None:
        yield f"{counted(allowance.uploads, 'bytes')} of uploads a day"
    if allowance.tokens is not None:
        yield f"{counted(allowance.tokens, 'tokens')} a day"
    if allowance.money is not None:
        yield f"{allowance.money:,} to pay a day"


def _state(key: Key) -> str:
    now = datetime.now(UTC).timestamp()
    if key.revoked is not None:
        return style(f"{'revoked':<16}", fg="red")
    if key.expires is None:
        return style(f"{'valid':<16}", fg="green")
    day = datetime.fromtimestamp(key.expires, UTC).date().isoformat()
    valid = key.is_valid(now)
    return style(f"{'until' if valid else 'expired'} {day}".ljust(16), fg="green" if valid else "red")


def _places(index_path: Path | None, workspaces: Path | None) -> Places:
    """Where a server has its keys. Raises UsageError."""
    from polyhop.serve.places import Places

    if index_path is not None and workspaces is not None:
        raise UsageError("Name an index or a folder of workspaces, not both.")
    return Places(None if workspaces is not None else index_path or Path("polyhop.index"), workspaces=workspaces)
