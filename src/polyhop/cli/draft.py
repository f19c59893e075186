"""The draft of an answer in a terminal: shown while a language model writes it, gone when the answer is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from polyhop.cli.terminal import visible

if TYPE_CHECKING:
    from rich.live import Live

    from polyhop.reading.drafts import DraftListener

NOTE: Final = "A draft, not checked yet:"
_SPARE: Final = 3  # lines of the terminal that are left to the note and to what stands around


@contextmanager
def draft_shown() -> Iterator[DraftListener | None]:
    """A listener that shows the draft for as long as the block runs; None where the output is no terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        yield None
        return
    shown = _Shown()
    try:
        yield shown.listen
    finally:
        shown.close()


class _Shown:
    """The last lines of a draft, as many as fit."""

    def __init__(self) -> None:
        self._text = ""
        self._live: Live | None = None  # from the first word on: most questions have no draft

    def listen(self, start: int, text: str) -> None:
        """The draft goes on, or begins anew."""
        from rich.live import Live
        from rich.text import Text

        self._text = self._text[:start] + text
        if self._live is None:
            self._live = Live(transient=True, auto_refresh=False)
            self._live.start()
        console = self._live.console
        lines = Text(visible(self._text)).wrap(console, console.width)[-max(1, console.height - _SPARE) :]
        self._live.update(Text("\n", style="dim").join([Text(NOTE), *lines]), refresh=True)

    def close(self) -> None:
        """Take it away."""
        if self._live is not None:
            self._live.stop()
