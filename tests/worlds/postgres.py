"""A real server of Postgres, started by the tests in a folder of its own, and ended with them."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

ROLES = "CREATE ROLE guarded LOGIN PASSWORD 'sesame'; CREATE ROLE guest LOGIN"
RULES = "local all guarded scram-sha-256\nlocal all all trust\n"


@dataclass(frozen=True)
class Server:
    """A server that listens at a socket in its folder."""

    folder: Path
    programs: Path

    def address(self, name: str = "", *, user: str = "postgres", database: str = "postgres") -> str:
        """The address of an index; without a name, of a new one."""
        index = name or f"i{secrets.token_hex(8)}"
        return f"postgresql://{user}@/{database}?host={self.folder}#{index}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        """What psql says to a statement."""
        where = ("-h", str(self.folder), "-U", "postgres", "-d", database)
        command = (str(self.programs / "psql"), *where, "-v", "ON_ERROR_STOP=1", "-Atqc", statement)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self) -> None:
        """Start it, also after it was killed, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -F -c autovacuum=off"
        data, log = str(self.folder / "data"), str(self.folder / "log")
        _as_its_user(self.programs / "pg_ctl", "-D", data, "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        """Stop it, whoever is connected."""
        _as_its_user(self.programs / "pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def kill(self) -> None:
        """Kill it and what it has started."""
        postmaster = psutil.Process(int((self.folder / "data/postmaster.pid").read_text().split()[0]))
        killed = [postmaster, *postmaster.children()]
        for process in killed:
            process.kill()
        psutil.wait_procs(killed, timeout=10)


@contextmanager
def server_running() -> Iterator[Server]:
    """A server; skips the test where the programs or the library are missing."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'polyhop[postgres]'")
    programs = _programs()
    if programs is None:
        pytest.skip("no server of Postgres is installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="polyhop-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        options = ("-U", "postgres", "-E", "UTF8", "--locale=C", "-N")
        _as_its_user(programs / "initdb", "-D", str(folder / "data"), *options)
        (folder / "data/pg_hba.conf").write_text(RULES)
        server = Server(folder, programs)
        server.start()
        try:
            server.sql(ROLES)
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _programs() -> Path | None:
    """Where the programs of the newest server are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    there = found[-1] if found else shutil.which("initdb")
    return Path(there).parent if there else None


def _as_its_user(program: Path, *arguments: str) -> None:
    """Run a program of the server, which refuses to run as root."""
    user = "postgres" if os.geteuid() == 0 else None
    groups: list[str] | None = None if user is None else []
    command, silent = [str(program), *arguments], subprocess.DEVNULL
    subprocess.run(
        command, check=True, stdout=silent, stderr=silent, cwd="/", user=user, group=user, extra_groups=groups
    )
