"""How SQLite writes our files: into a log first, and synced; several processes may open one for the first time."""

from __future__ import annotations

import random
import time

import apsw

LONGEST_WAIT = 0.05  # seconds between two tries
SYNCHRONOUS = "FULL"  # a paid-for row survives a power cut too; measured cheap


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


def synced(connection: apsw.Connection) -> None:
    """Have each commit of a connection on the disk before it returns."""
    connection.pragma("synchronous", SYNCHRONOUS)
