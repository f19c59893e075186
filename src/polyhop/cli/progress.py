"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from polyhop.cli.terminal import echo, on_one_line
from polyhop.english.numbers import counted
from polyhop.reports import Progress, ProgressListener

EVERY = 10.0  # seconds between two lines about the same stage


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[ProgressListener | None]:
    """A listener that shows each stage, with its rate and the time left; None where it is to be quiet."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bars() as listener:
            yield listener
    else:
        lines = Lines(say=partial(echo, err=True))
        try:
            yield lines.listen
        finally:
            lines.close()


@dataclass(kw_only=True)
class Lines:
    """A line when a stage has ended, and every few seconds while it takes long; for files and pipes."""

    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _step: Progress | None = field(default=None, init=False)
    _began: float = field(default=0.0, init=False)
    _next: float = field(default=0.0, init=False)
    _said: bool = field(default=True, init=False)

    def listen(self, step: Progress) -> None:
        """One step further; what cannot be counted is said as it begins."""
        now = self.clock()
        if self._step is None or step.stage != self._step.stage:
            self.close()
            self._began, self._next = now, now + EVERY
        self._step, self._said = step, False
        if now >= self._next or (step.total is None and not step.done):
            self._line(now)

    def close(self) -> None:
        """Say how far the last stage came."""
        if not self._said:
            self._line(self.clock())

    def _line(self, now: float) -> None:
        step, seconds = self._step, now - self._began
        if step is None:
            return
        of = f"{step.done} of " if step.total else ""
        count = f" {of}{counted(step.total or step.done, step.unit)}" if step.done else ""
        took = f" in {seconds:.0f} s" if seconds >= 1 else ""
        note = f"; {on_one_line(step.note)}" if step.note else ""
        self.say(f"{on_one_line(step.stage)}:{count}{took}{note}" if count else on_one_line(step.stage))
        self._said, self._next = True, now + EVERY


@contextmanager
def _bars() -> Iterator[ProgressListener]:
    """A bar a stage."""
    from rich import progress
    from rich.console import Console

    bars = progress.Progress(
        progress.TextColumn("{task.description:<18}", markup=False),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[count]:>13}"),
        progress.TextColumn("{task.fields[rate]:>14}"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[note]}", markup=False),
        console=Console(stderr=True),
    )
    tasks: dict[str, progress.TaskID] = {}

    def listen(step: Progress) -> None:
        bars.start()  # with the first step: what fails before it has nothing to show
        if step.stage not in tasks:
            for task in tasks.values():
                bars.update(task, total=bars.tasks[task].completed)
                bars.stop_task(task)
            tasks[step.stage] = bars.add_task(on_one_line(step.stage), total=step.total, rate="", count="", note="")
        task = tasks[step.stage]
        elapsed = bars.tasks[task].elapsed or 0.0
        rate = f"{step.done / elapsed:.0f} {step.unit}/s" if elapsed > 0 and step.done else ""
        count = f"{step.done}/{step.total}" if step.total else f"{step.done}" if step.done else ""
        bars.update(task, completed=step.done, total=step.total, rate=rate, count=count, note=on_one_line(step.note))

    try:
        yield listen
    finally:
        if tasks:
            bars.stop()
