"""Asks a model several things at once: the one loop behind all tasks that run calls side by side."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from polyhop.errors import BudgetExceeded
from polyhop.ports import LanguageModel

R = TypeVar("R")
S = TypeVar("S")


def concurrency_of(model: LanguageModel) -> int:
    """How many calls a model takes at once: what it says (``concurrency``), else 1."""
    return int(getattr(model, "concurrency", 1))


def side_by_side(ask: Callable[[S], R], items: Sequence[S], at_once: int) -> list[R]:
    """What asking makes of each item, in their order, at most so many at a time; 1: in the caller's own thread.

    An error lets no further item begin, and is raised once those under way have ended: ``ask`` deals with what concerns
    its item alone, and keeps what must outlive an error. Caps count what calls under way may consume at most, so an
    item that finds no room beside others is tried again alone, and BudgetExceeded then means what it says. An
    interruption (Ctrl-C) returns at once, and no further item begins.
    """
    made: dict[int, R] = {}
    errors: list[Exception] = []
    waiting = deque(range(len(items)))

    def work() -> None:
        while waiting and not errors:
            try:
                place = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                made[place] = ask(items[place])
            except Exception as error:  # noqa: BLE001  (raised below, where the caller sees it)
                errors.append(error)

    if min(at_once, len(items)) > 1:
        # Daemons: whoever interrupts does not want to wait for answers that are still on their way.
        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(at_once, len(items)))]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)  # in slices, because Windows cannot interrupt a join without end
        finally:
            waiting.clear()
        if all(isinstance(error, BudgetExceeded) for error in errors):
            errors.clear()
            waiting.extend(place for place in range(len(items)) if place not in made)
    work()
    if errors:
        raise min(errors, key=lambda error: isinstance(error, BudgetExceeded))
    return [made[place] for place in range(len(items))]
