"""The entry point: all commands, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from polyhop import __version__
from polyhop.cli.ask import ask
from polyhop.cli.chat import chat
from polyhop.cli.components import planners, readers
from polyhop.cli.corrupt import corrupt
from polyhop.cli.doctor import doctor
from polyhop.cli.eval import INTERRUPTED, evaluate
from polyhop.cli.export import export
from polyhop.cli.health import health
from polyhop.cli.index import index
from polyhop.cli.keys import keys
from polyhop.cli.mcp import mcp
from polyhop.cli.merges import merges
from polyhop.cli.models import models
from polyhop.cli.presets import presets
from polyhop.cli.remedies import completed
from polyhop.cli.remove import remove
from polyhop.cli.search import search
from polyhop.cli.serve import serve
from polyhop.cli.status import status
from polyhop.cli.strategies import strategies
from polyhop.cli.terminal import OutputLost, echo, explain, flush, give_up, log_visibly, tell, tell_json
from polyhop.cli.train import train
from polyhop.errors import PolyhopError, StorageFull, UsageError

GO_ON = (index, evaluate, train)  # commands that go on from where they were interrupted
CLOSED = "Have its folder opened to you, or use another folder, and run the same command again."

logger = logging.getLogger(__name__)


class Commands(click.Group):
    """Commands in the order in which they are met, and not by the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Raises PolyhopError, with a remedy for the index that the command was given."""
        try:
            return super().invoke(ctx)
        except PolyhopError as error:
            error.remedy = completed(error.remedy)
            raise
        except PermissionError as error:  # of what a command merely looks for, such as polyhop.toml
            said = f"{error.filename or 'A file'} cannot be opened ({error.strerror})."
            raise StorageFull(said, remedy=CLOSED) from error
        except FileNotFoundError as error:
            if _is_somewhere():
                raise
            raise UsageError("The current folder is gone.", remedy="Go to one that is there: cd FOLDER") from error


def _is_somewhere() -> bool:
    """Whether the folder that the command was called in is still there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("-v", "--verbose", count=True, help="Say more on standard error: -v what is done, -vv everything.")
def polyhop(verbose: int) -> None:
    """Answer questions whose answer is spread over several documents, and show every hop.

    \b
    polyhop index DOCS             read documents (again: only what changed)
    polyhop ask "Who ...?"         answer, with each hop and its exact sentence

    Everything works offline. Exit codes: 0 answered, 3 not found in the documents, others are errors. Tab completes
    commands and options in bash (zsh, fish: zsh_source, fish_source) after:

    \b
    eval "$(_POLYHOP_COMPLETE=bash_source polyhop)"
    """
    level = [logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)]
    log_visibly(level)


for command in (
    index,
    ask,
    chat,
    search,
    status,
    remove,
    serve,
    mcp,
    keys,
    doctor,
    models,
    strategies,
    planners,
    readers,
    presets,
    evaluate,
    merges,
    export,
    health,
    corrupt,
    train,
):
    polyhop.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code."""
    asked = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdin is None:  # whoever started us closed it: then there is nothing to read, and no file takes its number
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # open as long as we run
    if sys.stderr is None:  # likewise, and what is said there goes nowhere
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open as long as we run
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # what cannot be read or shown is a question mark, and ends nothing
    try:
        result = polyhop.main(asked, prog_name="polyhop", standalone_mode=False, obj=asked)
        flush()
        code = result if isinstance(result, int) else 0
    except (PolyhopError, click.ClickException) as error:
        if isinstance(error, PolyhopError) and error.remedy == StorageFull.remedy and _goes_on(asked):
            error.remedy = f"{StorageFull.remedy[:-1]}: it goes on where it stopped."
        _complain(error, as_json=_prints_json(asked))
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        stored = " What was done is stored: the same command goes on from there." if _goes_on(asked) else ""
        echo(f"\nInterrupted.{stored}", err=True)
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click makes the one into the other; nothing else exits within a command
        give_up()  # what reads us has gone away: not an error
        code = 0
    sys.exit(code)


def _prints_json(asked: Sequence[str]) -> bool:
    """Whether a command is to print JSON: ``--json`` of some names a file, and what they print is text."""
    options = [each for command in _meant(asked) for each in command.params if "--json" in each.opts]
    return "--json" in asked and not any(isinstance(each, click.Option) and not each.is_flag for each in options)


def _goes_on(asked: Sequence[str]) -> bool:
    """Whether the same command goes on where this one was interrupted."""
    return any(command in GO_ON for command in _meant(asked))


def _meant(asked: Sequence[str]) -> list[click.Command]:
    """The command among these words, and the one within it where it is a group; empty where there is none."""
    meant: list[click.Command] = []
    within: click.Command = polyhop
    for word in asked:
        found = within.commands.get(word) if isinstance(within, click.Group) else None
        if found is not None:
            meant.append(found)
            within = found
    return meant


def _complain(error: PolyhopError | click.ClickException, *, as_json: bool) -> None:
    """Say what is wrong, also where what it is said to takes nothing; nobody need be there to hear it."""
    try:
        _explain(error, as_json=as_json)
    except BrokenPipeError:
        give_up()
    except OutputLost as lost:
        with suppress(OutputLost, BrokenPipeError):
            explain(lost)


def _explain(error: PolyhopError | click.ClickException, *, as_json: bool) -> None:
    """Say what is wrong: to a program, with our name for it where the words of a command are."""
    if as_json and isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "polyhop"
        error = UsageError(error.format_message(), remedy=f"See: {command} --help")
    if isinstance(error, click.ClickException):
        explain(error)
        return
    logger.debug("", exc_info=error)
    if as_json:
        content = {"error": type(error).__name__, "message": str(error), "remedy": error.remedy}
        tell_json(content)
    else:
        tell(error)


if __name__ == "__main__":
    main()
