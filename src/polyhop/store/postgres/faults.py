"""The one place where Postgres's errors become Polyhop's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import errors as faults

from polyhop.errors import (
    DocumentError,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    StorageFull,
    StoreError,
    StoreUnreachable,
)
from polyhop.store.place import StorePlace

GONE = (faults.UndefinedTable, faults.InvalidSchemaName, faults.UndefinedFunction)
BUSY = (faults.LockNotAvailable, faults.DeadlockDetected, faults.SerializationFailure, faults.QueryCanceled)
FULL = (faults.DiskFull, faults.OutOfMemory, faults.IoError)
BARRED = (faults.InsufficientPrivilege, faults.ReadOnlySqlTransaction)
DAMAGED = (
    faults.DataCorrupted,
    faults.IndexCorrupted,
    faults.IntegrityError,
    faults.SyntaxError,
    faults.UndefinedColumn,
)
UNFIT = (faults.ProgramLimitExceeded, faults.UntranslatableCharacter, faults.CharacterNotInRepertoire)
MAY_WRITE: Final = (
    "Use a role that may write and a server that is no standby. Whoever indexes first needs CREATE on the database, "
    "and whoever asks INSERT and UPDATE on the table generations: GRANT ... ON ... TO ..."
)
FREE_SPACE: Final = "Free space on its disk, and run the same command again: what was stored there is not lost."
REMEDIES: Final = {  # by what a server says that lets nobody in
    "password": "Give the password in the address, in ~/.pgpass or as PGPASSWORD.",
    "pg_hba.conf": "Have the server's pg_hba.conf let this user and machine in.",
    "does not exist": "Make what is missing first: CREATE ROLE and CREATE DATABASE, or correct --store.",
    "could not write": FREE_SPACE,  # what it needs for a connection
    "too many clients": "Raise the server's max_connections, or serve fewer workspaces and workers.",
    "starting up": "The server is starting: try again in a moment.",
    "shutting down": "Start the server again.",
    "URI query parameter": "Behind the ? of the address stand parameters of libpq, such as host, sslmode and passfile.",
}


@contextmanager
def translated(place: StorePlace) -> Iterator[None]:
    """Raise each fault of the database as a StoreError, and text that it cannot hold as DocumentError."""
    try:
        yield
    except psycopg.Error as fault:
        raise _from_postgres(fault, place) from fault
    except UnicodeEncodeError as fault:
        excerpt = fault.object[max(0, fault.start - 20) : fault.end + 20]
        raise DocumentError(f"Not valid Unicode, so it cannot be stored or looked up: {excerpt!a}") from fault


def _from_postgres(fault: psycopg.Error, place: StorePlace) -> StoreError | DocumentError:
    said = " ".join(str(fault).split())
    if isinstance(fault, UNFIT):
        return DocumentError(f"Postgres cannot store this ({said}).")
    if isinstance(fault, GONE):
        return IndexMissing(f"The index at {place} is gone: it was deleted while in use.")
    if isinstance(fault, BUSY):
        return IndexLocked(f"The index at {place} is busy: another process kept it for too long ({said}).")
    if isinstance(fault, FULL):
        return StorageFull(f"The server of {place} has no space left ({said}).", remedy=FREE_SPACE)
    if isinstance(fault, BARRED):
        return StorageFull(f"The index at {place} cannot be written ({said}).", remedy=MAY_WRITE)
    if isinstance(fault, DAMAGED):
        return IndexCorrupt(f"The index at {place} is damaged ({said}).", remedy="Restore the database from a backup.")
    known = next((remedy for words, remedy in REMEDIES.items() if words in said), None)
    if isinstance(fault, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnreachable(f"The database of the index at {place} cannot be used ({said}).", remedy=known)
    return StoreError(f"The index at {place} cannot be used ({said}).", remedy=known)
