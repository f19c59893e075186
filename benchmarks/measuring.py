"""What the benchmarks share: where the time went, how busy the machine was, and how figures are shown and kept."""

from __future__ import annotations

import functools
import json
import os
import platform
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import psutil

from polyhop.evaluation.manifest import versions

Figures = dict[str, Any]
T = TypeVar("T")

BUSY = 0.15  # share of the processor that others may take before a figure is called rough


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Stopwatch:
    """Sums up the seconds that calls take, by label; a call inside one of the same label (and thread) adds nothing."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _inside: threading.local = field(default_factory=threading.local, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def watching(self, label: str | Callable[..., str], owner: type[Any], *names: str) -> Iterator[None]:
        """Meanwhile, calls of these methods are timed under the label (or the one that it makes of their arguments)."""
        before = {name: getattr(owner, name) for name in names}
        for name, method in before.items():
            setattr(owner, name, self._timed(label, method))
        try:
            yield
        finally:
            for name, method in before.items():
                setattr(owner, name, method)

    @contextmanager
    def timing(self, label: str) -> Iterator[None]:
        """Time what happens inside under the label."""
        running: set[str] = self._inside.__dict__.setdefault("labels", set())
        if label in running:
            yield
            return
        running.add(label)
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            running.discard(label)
            with self._lock:
                self.seconds[label] += spent

    def clear(self) -> None:
        """Begin anew."""
        self.seconds.clear()

    def _timed(self, label: str | Callable[..., str], method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            name = label if isinstance(label, str) else label(*args, **kwargs)
            with self.timing(name):
                result = method(*args, **kwargs)
            return self._each(name, result) if isinstance(result, Generator) else result

        return timed

    def _each(self, label: str, items: Iterator[Any]) -> Iterator[Any]:
        """The items of a method that yields: the work is done when they are asked for."""
        end = object()
        while True:
            with self.timing(label):
                item = next(items, end)
            if item is end:
                return
            yield item


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@contextmanager
def beside_others(about: Figures) -> Iterator[None]:
    """Notes how loaded the machine was before, and what share of the processor others took meanwhile.

    Others' share is what the whole machine did less what this process and its children (once they have ended) did.
    """
    about["load_average_before"] = [round(load, 2) for load in psutil.getloadavg()]
    busy, own, start = _busy_seconds(), cpu_seconds(), time.perf_counter()
    yield
    wall = time.perf_counter() - start
    others = (_busy_seconds() - busy) - (cpu_seconds() - own)
    about["others_share"] = round(max(others / wall / (psutil.cpu_count() or 1), 0.0), 3)
    about["busy"] = about["others_share"] > BUSY


def _busy_seconds() -> float:
    spent = psutil.cpu_times()
    return float(sum(spent) - spent.idle - getattr(spent, "iowait", 0.0) - getattr(spent, "guest", 0.0))


def machine() -> Figures:
    """What figures depend on besides the code."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": available_cores(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "versions": versions(),
    }


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """A result, and how many seconds it took on the clock and of this process's processor time."""
    spent, start = time.process_time(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, seconds, time.process_time() - spent


def times_row(
    what: str, seconds: Sequence[float], naive: Sequence[float] = (), *, unit: Literal["ms", "us"]
) -> Figures:
    """A row of a table: how long something took at the median and at p95, beside the naive way to do the same."""
    scale = 1e3 if unit == "ms" else 1e6
    middle, naively = median(seconds), median(naive) if naive else None
    return {
        "what": what,
        f"p50_{unit}": middle * scale,
        f"p95_{unit}": percentile(seconds, 95) * scale,
        f"naive_{unit}": None if naively is None else naively * scale,
        "ratio": None if naively is None else naively / middle,
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share (0 to 100) of the values does not exceed, with linear interpolation."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return percentile(values, 50)


def verdict(what: str, measured: float, limit: float, unit: str, *, at_least: bool = False) -> Figures:
    """A figure beside what it must reach."""
    reached = measured >= limit if at_least else measured <= limit
    return {"what": what, "measured": measured, "limit": limit, "unit": unit, "at_least": at_least, "reached": reached}


def show_verdicts(verdicts: Sequence[Mapping[str, Any]]) -> None:
    """One line for each figure that must reach something."""
    print()
    for one in verdicts:
        bound = "at least" if one["at_least"] else "at most"
        word = "reached" if one["reached"] else "MISSED "
        print(f"{word}  {one['what']}: {one['measured']:,.3g} {one['unit']} ({bound} {one['limit']:g})".rstrip())


def show_load(about: Mapping[str, Any]) -> None:
    """Say how busy the machine was."""
    before = ", ".join(f"{load:.2f}" for load in about["load_average_before"])
    print(f"\nLoad average before: {before}; others took {about['others_share']:.0%} of the processor meanwhile.")
    if about["busy"]:
        print("THE MACHINE WAS BUSY: wall-clock figures are rough; compare processor time, or run again.")


def show_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table, its first column to the left."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    for row in (list(headings), *cells):
        first, *rest = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *rest]).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.3g}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def save(path: Path | None, about: Mapping[str, Any], figures: object) -> None:
    """Write figures as JSON, where a file was named."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"about": about, "figures": _rounded(figures)}, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
        print(f"\nwritten: {path}", file=sys.stderr)


def _rounded(value: object) -> object:
    """Floats with the digits that mean something."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value
