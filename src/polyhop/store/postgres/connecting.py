"""Connections to the database of a record, its tables, and the lock that makes a process its one writer."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Final

import psycopg
from psycopg import errors, sql

from polyhop.errors import IndexCorrupt, IndexLocked, IndexMissing, IndexTooNew, StoreError, StoreUnreachable
from polyhop.store.changes import SAVE_META
from polyhop.store.place import StorePlace
from polyhop.store.postgres.dialect import PostgresConnection
from polyhop.store.postgres.faults import translated
from polyhop.store.postgres.migrations import MIGRATIONS
from polyhop.store.writer_lock import NAMELESS, Holder, patience

OLDEST: Final = 130_000  # version 13, which tells snapshots by name
NOTICING: Final = {  # that the other machine is gone, within a minute; without, the system takes hours
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
BY_THE_SERVER: Final = """
    SELECT set_config('search_path', quote_ident(?), false), set_config('tcp_keepalives_idle', '30', false),
        set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false),
        (SELECT count(set_config(name, '0', false)) FROM pg_settings  -- a model may take long between two statements
            WHERE name IN ('idle_session_timeout', 'idle_in_transaction_session_timeout'))
"""
READABLE: Final = """
    SELECT c.relname, c.relkind <> 'r' OR has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = ?
"""
LET_IN: Final = (
    "Whoever asks needs USAGE on the schema, SELECT on its tables, and INSERT and UPDATE on its table generations: "
    "GRANT ... ON ... TO ..."
)
LOCKS: Final = 0x504C5948  # "PLYH": tells our locks from those of others in the same database
STRIPE_LOCKS: Final = LOCKS + 1  # on passages
LONGEST_WAIT: Final = 2_000_000.0  # seconds; the server counts milliseconds in 32 bits


def connected(place: StorePlace) -> PostgresConnection:
    """A connection whose tables are those of the index. Raises StoreUnreachable, StoreError."""
    with translated(place):
        limits = {name: value for name, value in NOTICING.items() if name not in place.url}
        here = Holder.here()
        name = f"polyhop {here.pid} {here.host} {here.command}".encode("ascii", "replace").decode()
        connection = psycopg.connect(
            place.url, autocommit=True, application_name=name[:63], client_encoding="utf8", **limits
        )
        if connection.info.server_version < OLDEST or connection.info.parameter_status("server_encoding") != "UTF8":
            connection.close()
            raise StoreError(
                f"The database of {place} cannot have the record of an index.",
                remedy="Use Postgres 13 or newer, and a database whose encoding is UTF8.",
            )
        spoken = PostgresConnection(connection)
        spoken.execute(BY_THE_SERVER, (place.schema,))
        return spoken


def verify(spoken: PostgresConnection, place: StorePlace) -> str:
    """The identity of the index. Raises IndexMissing, IndexCorrupt, IndexTooNew, StoreUnreachable."""
    found = _format(spoken, place)
    if found is None:
        raise IndexMissing(f"There is no index at {place}.")
    if found < len(MIGRATIONS):
        raise IndexCorrupt(
            f"The index at {place} has format {found}, which this Polyhop does not read.",
            remedy="Bring it up to date with: polyhop index PATH...",
        )
    with translated(place):
        return str(spoken.execute("SELECT value FROM meta WHERE key = 'identity'").get)


def migrate(spoken: PostgresConnection, place: StorePlace, *, version: str) -> None:
    """Make the tables, or bring them up to date; the caller holds the lock. Raises IndexCorrupt, IndexTooNew."""
    found = _format(spoken, place)
    if found == len(MIGRATIONS):
        return
    with translated(place), spoken.connection.transaction():
        if not spoken.execute("SELECT count(*) FROM pg_namespace WHERE nspname = ?", (place.schema,)).get:
            spoken.connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(place.schema)))
        for migration in MIGRATIONS[found or 0 :]:
            spoken.connection.execute(migration.encode())
        created = datetime.now(UTC).isoformat(timespec="seconds")
        facts = [("created", created), ("polyhop", version), ("identity", secrets.token_hex(16))] if not found else []
        spoken.executemany("INSERT INTO meta VALUES (?, ?)", facts)
        spoken.execute(SAVE_META, ("format", str(len(MIGRATIONS))))


def lock(spoken: PostgresConnection, place: StorePlace, *, wait: float) -> None:
    """Take the right to write, for as long as the connection lasts. Raises IndexLocked, naming the holder."""
    seconds = min(patience(wait), LONGEST_WAIT)
    with translated(place):
        spoken.execute("SELECT set_config('lock_timeout', ?, false)", (f"{max(int(seconds * 1000), 1)}ms",))
        try:
            spoken.execute("SELECT pg_advisory_lock(?, hashtext(?))", (LOCKS, place.schema))
        except errors.LockNotAvailable:
            holder = holder_of(spoken, place) or NAMELESS
            raise IndexLocked(f"The index at {place} is being written to by {holder}") from None
        spoken.execute("SELECT set_config('lock_timeout', '0', false)")


def unlock(spoken: PostgresConnection) -> None:
    """Let others write at once: the server takes its time to notice that a connection has ended."""
    spoken.execute("SELECT pg_advisory_unlock_all()")


def holder_of(spoken: PostgresConnection, place: StorePlace) -> str | None:
    """Who has the right to write, in words; None where nobody has."""
    query = """
        SELECT a.application_name, a.backend_start FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ?
            AND l.objid = (CAST(hashtext(?) AS bigint) & 4294967295)
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
    with translated(place):
        row = spoken.execute(query, (LOCKS, place.schema)).get
    if row is None:
        return None
    named, since = re.fullmatch(r"polyhop (\d+) (\S+) (.*)", row[0] or ""), row[1]
    if named is None or since is None:
        return NAMELESS
    pid, host, command = named.groups()
    return str(
        Holder(pid=int(pid), host=host, since=since.astimezone(UTC).isoformat(timespec="seconds"), command=command)
    )


def _format(spoken: PostgresConnection, place: StorePlace) -> int | None:
    """The format of the tables; None where there are none. Raises IndexCorrupt, IndexTooNew, StoreUnreachable."""
    with translated(place):
        tables: dict[str, bool] = dict(spoken.execute(READABLE, (place.schema,)))
        if not tables:
            return None
        found = None
        if {"meta", "documents", "ledger"} <= tables.keys():
            if not all(tables.values()):  # the server would say that there is no such table
                raise StoreUnreachable(f"The index at {place} may not be read by this role.", remedy=LET_IN)
            found = spoken.execute("SELECT value FROM meta WHERE key = 'format'").get
    if found is None:
        raise IndexCorrupt(
            f"{place} is not a Polyhop index: there are other tables.",
            remedy="Choose another name behind # in --store.",
        )
    if int(found) > len(MIGRATIONS):
        raise IndexTooNew(f"The index at {place} has format {found}; this Polyhop reads up to {len(MIGRATIONS)}.")
    return int(found)
