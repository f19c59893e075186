"""Options that several commands share, and the settings they come to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from polyhop.cli.terminal import echo
from polyhop.errors import SettingError, UsageError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop
    from polyhop.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])
CONFIG = Path("polyhop.toml")


@dataclass(frozen=True, slots=True)
class ChosenIndex:
    """The index that a command was given, and the settings for it."""

    path: str  # empty: the command chooses it, beside its data
    config: Path | None
    changes: tuple[str, ...]

    def settings(self, *further: str) -> Settings:
        """The settings, with what else the command changes. Raises SettingError."""
        return settings_of(self.config, (*self.changes, *further))

    def opened(self, *further: str) -> Polyhop:
        """The index, with these settings. Raises SettingError."""
        from polyhop.engine import Polyhop  # imported when used: start-up time

        return Polyhop(self.path, settings=self.settings(*further))


def index_options(command: Command, index: str | None = "polyhop.index") -> Command:
    """``--index``, ``--store``, ``--config``, ``--preset`` and ``--set``, handed on as a ``ChosenIndex``.

    A preset is the first change of settings, and a store the last. ``index``: the folder where none is named; None: the
    command chooses it, beside its data.
    """
    folder = "Folder of the index." if index else "Folder of the index.  [default: polyhop.index beside the data]"

    @functools.wraps(command)
    def with_chosen(
        *,
        preset: str | None,
        store: str | None,
        changes: tuple[str, ...],
        config: Path | None,
        index_path: str | None,
        **others: Any,
    ) -> Any:
        first = () if preset is None else (f"preset={preset}",)
        return command(chosen=ChosenIndex(index_path or "", config, (*first, *changes, *stored(store))), **others)

    optioned: Any = with_chosen
    for option in (
        click.option(
            "--set", "changes", multiple=True, metavar="SECTION.KEY=VALUE", help="Change a setting; repeatable."
        ),
        click.option("--preset", metavar="NAME", help="Settings of a published experiment (see: polyhop presets)."),
        click.option(
            "--config", type=click.Path(path_type=Path), help="Settings file.  [default: polyhop.toml, if any]"
        ),
        click.option("--store", metavar="ADDRESS", help="Database of the record, as postgresql://user@host/database."),
        click.option("--index", "index_path", default=index, show_default=index is not None, help=folder),
    ):
        optioned = option(optioned)
    return cast("Command", optioned)


def stored(store: str | None) -> tuple[str, ...]:
    """The change of settings that names a store."""
    return () if store is None else (f"index.store={store}",)


def json_option(command: Command) -> Command:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def settings_of(config: Path | None, changes: tuple[str, ...]) -> Settings:
    """The settings of a command. Raises SettingError."""
    from polyhop.settings import Settings  # imported when used: start-up time

    if config is None:
        config = CONFIG if CONFIG.is_file() else None
    elif not config.is_file():
        raise SettingError(f"There is no settings file {config}.")
    settings = Settings.read(config, changes).checked()
    if replaced := settings.replaced:
        echo(f"Preset {settings.preset}, but: {'; '.join(replaced)}.", err=True)
    return settings


def replaying(plans: Path | None) -> list[str]:
    """The changes of settings that have questions planned from a file. Raises UsageError where there is none."""
    if plans is None:
        return []
    if not plans.is_file():
        raise UsageError(f"There is no file of plans {plans}.")
    return ["planner.name=recorded", f"planner.file={plans}"]
