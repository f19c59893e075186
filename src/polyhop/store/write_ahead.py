"""Turning on SQLite's write-ahead log of a file that several processes may open for the first time at once."""

from __future__ import annotations

import random
import time

import apsw

LONGEST_WAIT = 0.05  # seconds between two tries


def write_ahead(connection: apsw.Connection, *, patience: float) -> None:
    """Keep the changes of a file in a log beside it, which readers need not wait for.

    The change needs the file for itself. Where two connections ask at once, SQLite refuses one of them without waiting,
    however long its busy timeout is (waiting could be for each other), so it is tried again for ``patience`` seconds.
    Raises apsw.BusyError when they are over.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.pragma("journal_mode", "WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
        time.sleep(random.uniform(0, LONGEST_WAIT))  # noqa: S311 - so that two do not meet again, not a secret
