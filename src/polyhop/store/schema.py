"""The tables of ``record.sqlite``, how the file comes into being, and how one is told from a foreign or newer one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import apsw

from polyhop.errors import IndexCorrupt, IndexTooNew, StoreError
from polyhop.indexes.segments import sync_folder
from polyhop.store.write_ahead import synced

FORMAT = 1
APPLICATION_ID = 0x504C5948  # "PLYH": marks the file as ours
BLOCK = 8192  # characters; a passage is cut out of one or two blocks, however long its document is
SAFE_SQLITE = (3, 51, 3)  # earlier ones can lose commits when the write-ahead log is reset
BUSY_MILLISECONDS = 10_000
CACHE_KIBIBYTES = 8192
WORTH_GIVING_BACK = 16 << 20  # bytes

TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    uri TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    metadata TEXT NOT NULL,
    whole INTEGER NOT NULL,
    stamp TEXT NOT NULL
);
CREATE INDEX documents_by_uri ON documents(uri);
CREATE INDEX documents_by_sha256 ON documents(sha256);

-- a document's text, {BLOCK} characters a block: stored once, and cheap to cut passages from
CREATE TABLE blocks(
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY(document, position)
);

CREATE TABLE passages(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    title TEXT NOT NULL,
    digest BLOB NOT NULL
);
CREATE INDEX passages_by_document ON passages(document, ordinal);

-- one row is both the ledger entry and what a layer derived from a passage: they cannot disagree
CREATE TABLE ledger(
    layer TEXT NOT NULL,
    passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL CHECK(state IN ('done', 'failed')),
    error TEXT,
    attempts INTEGER NOT NULL,
    payload BLOB,
    PRIMARY KEY(layer, passage),
    CHECK((state = 'done') = (payload IS NOT NULL) AND (state = 'failed') = (error IS NOT NULL))
);
CREATE INDEX ledger_by_passage ON ledger(passage);
CREATE INDEX ledger_by_state ON ledger(layer, fingerprint, state, passage);

CREATE TABLE generations(layer TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL) WITHOUT ROWID;
"""

# What came later than format 1, and is made by the next writer where it lacks: earlier versions keep it up without
# knowing of it. The numbers of passages that are gone, in order, so that what changed need not be found by reading all.
ADDED = """
CREATE TABLE IF NOT EXISTS removed(place INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS passage_removed AFTER DELETE ON passages
    BEGIN INSERT INTO removed(passage) VALUES (old.number); END;
"""


def connect(path: Path, *, write: bool) -> apsw.Connection:
    """A connection to an existing record.

    A folder that cannot be written (a read-only disk) has no writer either: its record is read as it is, without the
    shared memory that readers beside a writer need.
    """
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < SAFE_SQLITE:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} can lose data when several processes use it.",
            remedy="Upgrade it with: pip install --upgrade apsw",
        )
    if write:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.pragma("secure_delete", True)  # else the text of a removed document stays in the file's free pages
    elif _sealed(path):
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)
    else:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.pragma("foreign_keys", True)
    synced(connection)
    connection.pragma("cache_size", -CACHE_KIBIBYTES)
    return connection


def give_back(connection: apsw.Connection) -> None:
    """Make the file of a record smaller where most of it has come free, so that the disk has the room again.

    What is left is written anew, so it is not done for little. Who reads meanwhile goes on with what was there.
    """
    free, pages = connection.pragma("freelist_count"), connection.pragma("page_count")
    if free * connection.pragma("page_size") >= WORTH_GIVING_BACK and 2 * free > pages:
        connection.execute("VACUUM")


def create(path: Path, *, version: str) -> None:
    """Make an empty record. The file appears complete or not at all; the caller holds the writer's lock."""
    draft = path.with_name(path.name + ".new")
    for stale in (draft, path):
        for suffix in ("", "-wal", "-shm", "-journal"):
            if stale is draft or suffix:
                stale.with_name(stale.name + suffix).unlink(missing_ok=True)
    connection = apsw.Connection(str(draft))
    try:
        connection.pragma("journal_mode", "WAL")
        synced(connection)
        connection.execute("BEGIN")  # not "with connection": its rollback would hide what a full disk says
        connection.execute(TABLES + ADDED)
        facts = [("created", datetime.now(UTC).isoformat(timespec="seconds")), ("polyhop", version)]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", facts)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", FORMAT)
        connection.execute("COMMIT")
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)  # closing would fail on a full disk unheard
    finally:
        connection.close()
    draft.replace(path)
    sync_folder(path.parent)


def verify(connection: apsw.Connection, path: Path) -> None:
    """Raise IndexCorrupt or IndexTooNew unless the record is ours and of a format that this version reads."""
    if connection.pragma("application_id") != APPLICATION_ID:
        raise IndexCorrupt(f"{path} is not a Polyhop index.")
    found = connection.pragma("user_version")
    if found > FORMAT:
        raise IndexTooNew(f"The index at {path.parent} has format {found}; this Polyhop reads up to {FORMAT}.")
    if found < FORMAT:
        raise IndexCorrupt(f"The index at {path.parent} has format {found}, which this Polyhop does not read.")
    connection.execute("SELECT count(*) FROM sqlite_schema").get  # noqa: B018  # reads the first page: truncation shows


def bring_up_to_date(connection: apsw.Connection) -> None:
    """Make the tables that the file of an earlier version lacks; the caller holds the writer's lock."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'passage_removed'").get is None:
        connection.execute(f"BEGIN IMMEDIATE; {ADDED} COMMIT")


def _sealed(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size)
