"""What goes to the terminal goes through here, and control characters in it, which others wrote, are made visible.

A document, a file name, an endpoint or a setting may hold escape sequences that move the cursor, rename the window or
turn the order of letters around. Only the styles that commands ask for here reach the terminal as such.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import secrets
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from polyhop.cli.remedies import completed
from polyhop.errors import PolyhopError, StorageFull
from polyhop.settings import wants_no_colours

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_C0 = "\\x00-\\x08\\x0b-\\x1f\\x7f"  # but for tabs and line feeds
_C1 = "\\x80-\\x9f"
_SEPARATORS = "\u2028\u2029"
_ORDER = "\u202a-\u202e\u2066-\u2069"  # letters overridden, embedded and isolated; marks that text needs stay
_CONTROL = re.compile(f"[{_C0}{_C1}{_SEPARATORS}{_ORDER}]")
_GAP = re.compile("[\t\n]")
_ESCAPE = f"<{secrets.token_hex(8)}>"  # stands for the escape character of our own styles: nobody can guess it


class OutputLost(click.ClickException):
    """What is printed cannot be written: said on standard error, also by commands that print JSON."""

    exit_code = StorageFull.exit_code


def visible(text: str) -> str:
    r"""Text with every control character as an escape, such as ``\x1b``; tabs and line feeds stay."""
    return _CONTROL.sub(_escaped, text)


def on_one_line(text: str) -> str:
    r"""Visible text in which tabs and line feeds are escapes too: for names, which cannot fake further lines so."""
    return visible(_GAP.sub(_escaped, text))


def from_here(uri: str) -> str:
    """A document's URI on one line: as a path relative to the current folder where it is below that."""
    path, here = Path(uri), Path.cwd()
    return on_one_line(path.relative_to(here).as_posix() if path.is_absolute() and path.is_relative_to(here) else uri)


def style(text: str, **styles: Any) -> str:
    """Text for ``echo`` in a style, as ``click.style`` has them; without colours where the user wants none."""
    if wants_no_colours():
        styles = {name: value for name, value in styles.items() if name not in ("fg", "bg")}
    if not styles:
        return text  # with nothing to end either
    before, _, after = click.style("\0", **styles).partition("\0")
    return f"{before.replace(chr(27), _ESCAPE)}{text}{after.replace(chr(27), _ESCAPE)}"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, with the styles that ``style`` gave it and with all other control characters visible.

    Raises OutputLost where what it goes to does not take it.
    """
    with _taken(err=err):
        click.echo(visible(text).replace(_ESCAPE, "\x1b"), err=err, nl=nl)


def draw(table: RenderableType) -> None:
    """Print what rich draws, with control characters in its texts visible; what is wider than the terminal goes on."""
    from rich.console import Console

    with _taken():
        Console().print(_Visible(table), crop=False)


def flush() -> None:
    """Have everything written that was printed. Raises OutputLost."""
    if sys.stdout is not None:  # as it is where somebody closed it
        with _taken():
            sys.stdout.flush()


def give_up(*, err: bool = False) -> None:
    """Lose what was printed and not taken, without a noise when the process ends, or another exit code."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def json_safe(text: str) -> str:
    r"""JSON text with control characters within its strings as JSON escapes, such as ``\u009b``: it means the same."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def tell_json(content: Any) -> None:
    """Print JSON for people and programs: readable where standard output can show every letter, else escaped."""
    encoding = getattr(sys.stdout, "encoding", None)  # there is no standard output where somebody closed it
    shows_all = (encoding or "").lower().replace("_", "-") in ("utf-8", "utf8")
    echo(json_safe(json.dumps(content, ensure_ascii=not shows_all, indent=2)))


def explain(error: click.ClickException) -> None:
    """Say on standard error what is wrong with a command, in click's words."""
    words = io.StringIO()
    error.show(words)
    echo(words.getvalue(), err=True, nl=False)


def tell(error: PolyhopError) -> None:
    """Say on standard error what is wrong, and what to do about it."""
    echo(f"{style('Error:', fg='red', bold=True)} {error}", err=True)
    for line in completed(error.remedy).splitlines():
        echo(f"  {line}", err=True)


def log_visibly(level: int) -> None:
    """Have messages of the library, and errors that nobody expected, printed on standard error visibly too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_VisibleFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    sys.excepthook = _unexpected


@contextmanager
def _taken(*, err: bool = False) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up(err=err)
        raise OutputLost(f"The output cannot be written: {error.strerror or error}.") from error


class _VisibleFormatter(logging.Formatter):
    """Messages and tracebacks with control characters visible."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


class _Visible:
    """Something that rich draws, with its texts visible."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        for segment in console.render(self._inner, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    echo("".join(traceback.format_exception(kind, error, trace)), err=True, nl=False)
