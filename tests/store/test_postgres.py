"""A record in Postgres on bad days: every fault says what to do, loses nothing, and gives no password away."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyhop.errors import (
    DocumentError,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    IndexTooNew,
    StorageFull,
    StoreError,
    StoreUnreachable,
    UsageError,
)
from polyhop.store.place import NOTE, place_of
from polyhop.store.record import Record
from tests.worlds.machine import may_mount, small_disk
from tests.worlds.postgres import Server
from tests.worlds.records import HARBOUR, document_of

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'polyhop[postgres]'")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "killed_postgres.py"


@pytest.fixture
def address(postgres: Server, tmp_path: Path) -> str:
    """A database with an index that has a document."""
    address = postgres.address()
    with Record.create_or_open(tmp_path / "index", address) as record:
        record.put(*document_of("harbour", *HARBOUR))
    return address


def schema(address: str) -> str:
    return address.partition("#")[2]


def refused(folder: Path, address: str, error: type[StoreError | UsageError], match: str) -> None:
    """Readers and writers are both refused, with a remedy and without a password."""
    for opener in (Record.open, Record.create_or_open):
        with pytest.raises(error, match=match) as caught:
            opener(folder, address)
        assert type(caught.value) is error
        assert caught.value.remedy
        assert "sesame" not in f"{caught.value} {caught.value.remedy}"


def test_a_server_that_does_not_run(tmp_path: Path) -> None:
    refused(tmp_path, f"postgresql://me:sesame@/db?host={tmp_path}", StoreUnreachable, "No such file")
    refused(tmp_path, "postgresql://me:sesame@127.0.0.1:9/db", StoreUnreachable, "refused")
    assert not list(tmp_path.iterdir())


def test_a_wrong_password(postgres: Server, tmp_path: Path) -> None:
    wrong = postgres.address(user="guarded:no-sesame")
    refused(tmp_path, wrong, StoreUnreachable, "password authentication failed")
    postgres.sql("GRANT CREATE ON DATABASE postgres TO guarded")
    right = wrong.replace("no-sesame", "sesame")
    with Record.create_or_open(tmp_path, right) as record:
        record.put(*document_of("harbour", *HARBOUR))
    assert "sesame" not in (tmp_path / NOTE).read_text()
    with Record.open(tmp_path, right) as record:
        assert record.count_documents() == 1
    with pytest.raises(StoreUnreachable, match="no password supplied") as caught:
        Record.open(tmp_path)
    assert "pgpass" in caught.value.remedy


def test_a_database_or_role_that_does_not_exist(postgres: Server, tmp_path: Path) -> None:
    for missing in (postgres.address(database="nowhere"), postgres.address(user="nobody")):
        with pytest.raises(StoreUnreachable, match="does not exist") as caught:
            Record.create_or_open(tmp_path, missing)
        assert "CREATE DATABASE" in caught.value.remedy


def test_a_parameter_that_nobody_knows_is_told_with_what_stands_there(address: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nosuch") as caught:
        Record.create_or_open(tmp_path, address.replace("?", "?nosuch=1&"))
    assert "sslmode" in caught.value.remedy


def test_an_address_of_something_else(tmp_path: Path) -> None:
    refused(tmp_path, "mysql://here/db", UsageError, "Postgres")
    refused(tmp_path, "postgresql:///db#pg_temp", UsageError, "cannot be called")


def test_a_folder_that_has_its_record_elsewhere(address: str, tmp_path: Path) -> None:
    refused(tmp_path / "index", f"{address}2", UsageError, "has its record at")
    Record.create_or_open(tmp_path / "plain").close()
    refused(tmp_path / "plain", address, UsageError, "in the folder")
    (tmp_path / "index" / NOTE).write_text("{")
    refused(tmp_path / "index", address, IndexCorrupt, "does not say")


def test_tables_of_others(postgres: Server, tmp_path: Path) -> None:
    postgres.sql("CREATE SCHEMA kitchen; CREATE TABLE kitchen.meta(name text)")
    refused(tmp_path, postgres.address("kitchen"), IndexCorrupt, "not a Polyhop index")
    assert postgres.sql("SELECT count(*) FROM kitchen.meta") == "0\n"


def test_a_newer_format(address: str, tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path / "index") as record:
        record.set_meta("format", "99")
    refused(tmp_path / "index", address, IndexTooNew, "format 99")


def test_an_older_format_is_migrated_by_the_next_writer(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyhop.store.postgres import migrations  # of the extra

    now = len(migrations.MIGRATIONS)
    newer = (*migrations.MIGRATIONS, "ALTER TABLE documents ADD COLUMN colour text")
    monkeypatch.setattr("polyhop.store.postgres.connecting.MIGRATIONS", newer)
    with pytest.raises(IndexCorrupt, match=f"format {now}") as caught:
        Record.open(tmp_path / "index")
    assert "polyhop index" in caught.value.remedy
    with Record.create_or_open(tmp_path / "index") as record:
        assert record._rows("SELECT id, colour FROM documents") == [("harbour", None)]
        assert record.meta("format") == str(now + 1)
    Record.open(tmp_path / "index").close()


@pytest.mark.parametrize("again", [False, True], ids=["dropped", "dropped and made again"])
def test_an_index_dropped_while_open(postgres: Server, address: str, tmp_path: Path, again: bool) -> None:
    with Record.open(tmp_path / "index") as reader:
        assert reader.count_documents() == 1
        postgres.sql(f"DROP SCHEMA {schema(address)} CASCADE")
        if again:
            Record.create_or_open(tmp_path / "other", address).close()
        with pytest.raises(IndexMissing, match="gone"):
            reader.check()
        with pytest.raises(IndexMissing, match="gone"), reader.snapshot():
            reader.count_documents()


def test_a_role_that_may_only_read(postgres: Server, address: str, tmp_path: Path) -> None:
    name = schema(address)
    postgres.sql(f"GRANT USAGE ON SCHEMA {name} TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO guest")
    guest = address.replace("postgres@", "guest@")
    with Record.open(tmp_path / "guest", guest) as reader:
        assert reader.passages([1])[0].text == HARBOUR[0]
    with (
        pytest.raises(StorageFull, match="cannot be written") as caught,
        Record.create_or_open(tmp_path / "guest", guest) as record,
    ):
        record.put(*document_of("mill", "The mill."))
    assert "GRANT" in caught.value.remedy
    with Record.create_or_open(tmp_path / "index") as record:  # the lock is free
        assert record.count_documents() == 1


def test_a_role_that_may_not_read_is_told_what_it_needs(postgres: Server, address: str, tmp_path: Path) -> None:
    """And not that there is no index, which it would then make."""
    name, guest = schema(address), address.replace("postgres@", "guest@")
    for granted in ("CONNECT ON DATABASE postgres", f"USAGE ON SCHEMA {name}", f"SELECT ON {name}.meta"):
        postgres.sql(f"GRANT {granted} TO guest")
        refused(tmp_path / "guest", guest, StoreUnreachable, "may not be read by this role")
    postgres.sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO guest")
    Record.open(tmp_path / "guest", guest).close()


def test_a_machine_that_vanishes_is_noticed_within_a_minute(address: str, tmp_path: Path) -> None:
    """By who waits for it, and by a server whose writer it was; what the address says itself holds."""
    from polyhop.store.postgres.connecting import connected  # of the extra

    places = [place_of(tmp_path, address), place_of(tmp_path, address.replace("?", "?keepalives_idle=300&"))]
    both = [connected(place) for place in places if place is not None]
    usual, own = (each.connection for each in both)
    assert [each.info.get_parameters()["tcp_user_timeout"] for each in (usual, own)] == ["60000", "60000"]
    assert [each.info.get_parameters()["keepalives_idle"] for each in (usual, own)] == ["30", "300"]
    query = "SELECT count(*) FROM pg_settings WHERE name LIKE 'tcp_keepalives_%' AND source = 'session'"
    assert usual.execute(query).fetchall() == [(3,)]


def test_a_server_that_ends_who_is_idle_ends_neither_who_asks_nor_who_writes(
    postgres: Server, address: str, tmp_path: Path
) -> None:
    """A model may take long between two statements, and locks go with the connection."""
    limits = postgres.sql("SELECT name FROM pg_settings WHERE name LIKE 'idle%timeout'").split()
    postgres.sql("".join(f"ALTER ROLE postgres SET {limit} = '50ms';" for limit in limits))
    try:
        with Record.create_or_open(tmp_path / "index", address) as record:
            with record.snapshot():
                before = record.count_documents()
                time.sleep(0.3)
                assert record.count_documents() == before
            time.sleep(0.3)
            with record.transaction():
                record.put(*document_of("mill", "The mill."))
                time.sleep(0.3)
                record.put(*document_of("inn", "The inn."))
    finally:
        postgres.sql("ALTER ROLE postgres RESET ALL")


def test_what_an_index_of_postgres_cannot_hold(address: str, tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path / "index") as record:
        with record.transaction():
            with pytest.raises(DocumentError, match="index row"):
                record.put(*document_of("long", "Text.", uri=secrets.token_hex(5000)))
            record.put(*document_of("mill", "The mill."))
        assert [row.id for row in record.documents()] == ["harbour", "mill"]


def put_while_killing(postgres: Server, record: Record) -> None:
    with record.transaction():
        record.put(*document_of("late", "Too late."))
        postgres.kill()
        record.put(*document_of("later", "Even later."))


def test_a_server_that_dies_takes_the_lock_along_but_nothing_that_was_stored(
    postgres: Server, address: str, tmp_path: Path
) -> None:
    with Record.open(tmp_path / "index") as reader, Record.create_or_open(tmp_path / "index") as record:
        record.put(*document_of("mill", "The mill."))
        with pytest.raises(StoreUnreachable):
            put_while_killing(postgres, record)
        for use in (reader.check, lambda: record.put(*document_of("later", "Even later."))):
            with pytest.raises(StoreUnreachable):
                use()
        postgres.start()
        with reader.snapshot():  # readers connect again
            assert [row.id for row in reader.documents()] == ["harbour", "mill"]
        with pytest.raises(StoreUnreachable):  # the lock went with the connection, and another may have it
            record.put(*document_of("later", "Even later."))
    with Record.create_or_open(tmp_path / "index") as record:
        assert record.put(*document_of("late", "In time.")) == "added"


def test_two_machines_have_one_writer(address: str, tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path / "index"), Record.open(tmp_path / "there", address) as there:
        assert "process" in (there.writer() or "")
        with pytest.raises(IndexLocked, match="being written to by process"):
            Record.create_or_open(tmp_path / "there", address)
    Record.create_or_open(tmp_path / "there", address).close()


@pytest.mark.parametrize("given", ["--store={}", "index.store={}", "{}"])
def test_a_password_on_the_command_line_of_who_writes_is_not_told(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """Not in the folder's note, to the server, nor to who waits."""
    secret = address.replace("postgres@", "postgres:sesame@")
    monkeypatch.setattr(sys, "argv", ["ph", given.format(secret)])
    with Record.create_or_open(tmp_path / "index", secret), Record.open(tmp_path / "there", address) as there:
        noted = (tmp_path / "index" / "writer.json").read_text()
        assert "postgresql://postgres@" in noted
        with pytest.raises(IndexLocked) as caught:
            Record.create_or_open(tmp_path / "there", address)
        assert "sesame" not in f"{noted} {there.writer()} {caught.value}"


def test_indexes_of_one_database_do_not_see_each_other(postgres: Server, tmp_path: Path) -> None:
    with (
        Record.create_or_open(tmp_path / "a", postgres.address("a")) as a,
        Record.create_or_open(tmp_path / "b", postgres.address("b")) as b,
    ):
        a.put(*document_of("harbour", *HARBOUR))
        assert (a.count_documents(), b.count_documents()) == (1, 0)
        assert a.size() > b.size() > 0


def fill(record: Record) -> int:
    """Store documents with rows until there is no space; how many the store acknowledged."""
    for number in range(200):
        try:
            with record.transaction():
                record.put(*document_of(f"d{number}", secrets.token_hex(200_000)))
                record.record_rows("text", "v1", [(number + 1, secrets.token_bytes(100_000))])
        except StorageFull:
            return number
    raise AssertionError("the disk is not full")


def test_a_full_disk_of_the_server_says_what_to_do(tmp_path: Path) -> None:
    """Also where it has no space for what a connection needs."""
    import psycopg

    from polyhop.store.postgres.faults import translated

    place = place_of(tmp_path, "postgresql:///db")
    assert place is not None
    for fault in (psycopg.errors.DiskFull("no"), psycopg.OperationalError("FATAL: could not write init file")):
        with pytest.raises(StoreError) as caught, translated(place):
            raise fault
        assert "Free space on its disk, and run the same command again" in caught.value.remedy


@may_mount
def test_a_full_disk_loses_nothing_and_the_same_work_goes_on_afterwards(postgres: Server, tmp_path: Path) -> None:
    with small_disk(postgres.folder / "small", kibibytes=24_000) as disk:
        shutil.chown(disk, "postgres", "postgres")
        postgres.sql(f"CREATE TABLESPACE small LOCATION '{disk}'")
        postgres.sql("CREATE DATABASE small TABLESPACE small")
        (disk / "ballast").write_bytes(b"\0" * 5_000_000)
        with Record.create_or_open(tmp_path / "index", postgres.address(database="small")) as record:
            stored = fill(record)
            (disk / "ballast").unlink()
            assert record.count_documents() == stored > 0
            assert record.put(*document_of("late", "There is room again.")) == "added"
            record.verify()
        postgres.sql("DROP DATABASE small")
        postgres.sql("DROP TABLESPACE small")


@pytest.mark.slow
def test_writers_readers_and_a_server_that_are_killed_leave_a_whole_record(postgres: Server) -> None:
    options = ("--kills", "2", "--documents", "20", "--writers", "2", "--readers", "2")
    done = subprocess.run([sys.executable, SCRIPT, *options], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
