"""``polyhop chat``: one question after the other, each understood after those before it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from polyhop.cli.draft import draft_shown
from polyhop.cli.options import ChosenIndex, index_options
from polyhop.cli.terminal import echo, flush, style, tell
from polyhop.errors import PolyhopError, UsageError, nearest

if TYPE_CHECKING:
    from polyhop.conversation.thread import Thread
    from polyhop.engine import Polyhop
    from polyhop.types import Answer

PROMPT = "? "
SHOWN = 2  # quotations shown below an answer
WELCOME = "Ask; a question may follow those before it. /help says what else there is, Ctrl-D ends."
HELP = """  /strategy NAME   answer with that strategy from now on; without NAME: with the best that the index allows
  /sources         each hop of the way to the last answer, with its sentence
  /new             begin anew: what follows does not refer to what was said
  /help            this
  Ctrl-C stops an answer, Ctrl-D ends the chat."""


@click.command(short_help="Answer one question after the other.")
@click.option("--strategy", help="How to find evidence.  [default: auto, or what strategy.name says]")
@index_options
def chat(strategy: str | None, chosen: ChosenIndex) -> None:
    """Answer one question after the other; "And where did she die?" asks about whom the answer before it named.

    In a terminal: lines can be edited and called back, Ctrl-C stops an answer, Ctrl-D ends. Otherwise one question is
    read from each line of standard input.

    \b
    polyhop chat
    polyhop chat --index my.index --strategy paths
    """
    from polyhop.conversation.thread import NO_THREAD

    with chosen.opened() as engine:
        engine.strategy_for(strategy)  # what cannot be asked is refused before anybody types
        Chat(engine=engine, strategy=strategy, thread=NO_THREAD).run(_lines())


@dataclass(kw_only=True)
class Chat:
    """A thread in the terminal: what was said, and how to answer what comes."""

    engine: Polyhop
    thread: Thread
    strategy: str | None = None
    last: Answer | None = field(default=None, init=False)

    def run(self, lines: Iterator[str]) -> None:
        """Answer each line, until there are no more; an error or Ctrl-C ends an answer, and not the chat."""
        for line in lines:
            words = line.split()
            if not words:
                continue
            try:
                if words[0].startswith("/"):
                    self._obey(words[0], " ".join(words[1:]))
                else:
                    self._answer(line.strip())
            except PolyhopError as error:
                tell(error)
            except KeyboardInterrupt:
                echo("\nStopped.", err=True)
            flush()

    def _answer(self, question: str) -> None:
        from polyhop.cli.ask import place, show_answer
        from polyhop.cli.terminal import on_one_line

        with draft_shown() as drafted:
            answer = self.engine.ask(question, strategy=self.strategy, thread=self.thread, drafted=drafted)
        self.thread, self.last = self.thread.after(answer), answer
        if answer.standalone:
            echo(style(f"({on_one_line(answer.standalone)})", dim=True))
        show_answer(answer)
        for citation in answer.citations[:SHOWN]:
            echo(f"  “{' '.join(citation.quote.split())}”")
            echo(style(f"    {place(citation.uri, citation.span, citation.where)}", dim=True))
        echo()

    def _obey(self, command: str, argument: str) -> None:
        """Raises UsageError for a command that nobody knows."""
        known: dict[str, Callable[[str], None]] = {
            "/strategy": self._choose,
            "/sources": self._show_sources,
            "/new": self._begin_anew,
            "/help": lambda _: echo(HELP),
        }
        if command not in known:
            raise UsageError(f"There is no {command}.", remedy=nearest(command, known))
        known[command](argument)

    def _choose(self, name: str) -> None:
        chosen = self.engine.strategy_for(name or None)
        self.strategy = name or None
        echo(f"Strategy: {chosen}")

    def _show_sources(self, _: str) -> None:
        from polyhop.cli.ask import show

        if self.last is None:
            echo("Nothing was answered yet.")
        else:
            show(self.last, self.engine, trace=False)

    def _begin_anew(self, _: str) -> None:
        from polyhop.conversation.thread import NO_THREAD

        self.thread, self.last = NO_THREAD, None
        echo("What was said before does not count any more.")


def _lines() -> Iterator[str]:
    """What is typed, line by line, or else what standard input holds."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    if find_spec("readline"):
        import readline  # noqa: F401  # it lets lines be edited and called back
    echo(WELCOME)
    while True:
        try:
            yield input(PROMPT)
        except KeyboardInterrupt:
            echo()  # the line is given up
        except EOFError:
            echo()
            return
