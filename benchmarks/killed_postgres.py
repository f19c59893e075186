"""Kills writers, readers and the server of a record in Postgres again and again, and looks at what is left.

    python benchmarks/killed_postgres.py --kills 30

Writers take turns at one record, each from a folder of its own, and note what the store has acknowledged; readers look
all the while whether they ever see half of something. In each round one writer, one reader and the server get SIGKILL
and are started again. At the end the record must be that of a run in SQLite which nobody killed: all that was
acknowledged, each row committed once. Needs Debian's package postgresql, and the extras postgres and dev.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from polyhop.errors import IndexLocked, IndexMissing, StoreUnreachable
from polyhop.store.record import Record
from tests.worlds.postgres import Server, server_running
from tests.worlds.records import derive, document_of, dump

TURN = 5  # documents that a writer stores before it lets another
BATCH = 4  # rows in a transaction


def main() -> None:
    """Play a part, or kill those who do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30, help="rounds: in each a writer, a reader and the server")
    parser.add_argument("--documents", type=int, default=200, help="of each writer")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", nargs=4, metavar=("KIND", "NAME", "FOLDER", "ADDRESS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        kind, name, folder, address = arguments.part
        play = write if kind == "writer" else read
        play(name, Path(folder), address, arguments.documents)
        return
    with server_running() as server, tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if Trial(server, Path(folder), arguments).passed() else 1)


def write(name: str, folder: Path, address: str, documents: int) -> None:
    """Store documents and rows, some at a time, and note what was acknowledged; until all is there."""
    said = (folder.parent / f"{folder.name}.said").open("a", buffering=1)
    while True:
        with suppress(StoreUnreachable, IndexLocked), Record.create_or_open(folder, address, wait=5) as record:
            there = {row.id for row in record.documents()}
            lacking = [n for n in range(documents) if f"{name}-{n}" not in there]
            for number in lacking[:TURN]:
                record.put(*document_of(f"{name}-{number}", f"{name} {number} one. ", f"{name} {number} two."))
                said.write(f"{name}-{number}\n")
            pending = [(number, derive("text", "v1", passage.text)) for number, passage in record.pending("text", "v1")]
            for start in range(0, len(pending), BATCH):
                record.record_rows("text", "v1", pending[start : start + BATCH])
            if len(lacking) <= TURN:
                return
        time.sleep(0.01)


def read(name: str, folder: Path, address: str, documents: int) -> None:
    """Look for halves of things, until killed."""
    while True:
        with suppress(StoreUnreachable, IndexMissing), Record.open(folder, address) as record:
            while True:
                with record.snapshot():
                    passages = record.passages(record.numbers().tolist())
                    rows = dict(record.payloads("text"))
                    assert len(passages) == 2 * record.count_documents()
                    assert record.layer_status("text", "v1").missing == len(passages) - len(rows)
                time.sleep(0.05)


class Trial:
    """Writers and readers of one record, and what became of them."""

    def __init__(self, server: Server, folder: Path, arguments: argparse.Namespace) -> None:
        self.server, self.folder, self.options = server, folder, arguments
        self.address = server.address("killed")
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ended_badly: list[str] = []

    def passed(self) -> bool:
        """Whether the record is at the end what it would be without kills."""
        chance, began = random.Random(self.options.seed), time.monotonic()  # noqa: S311
        writers = [f"writer{number}" for number in range(self.options.writers)]
        readers = [f"reader{number}" for number in range(self.options.readers)]
        for name in (*writers, *readers):
            self.start(name)
        for _ in range(self.options.kills):
            time.sleep(chance.uniform(0.3, 1.5))
            for name in (chance.choice(writers), chance.choice(readers)):
                self.kill(name)
                self.start(name)
            self.server.kill()
            self.server.start()
        for name in writers:
            self.running[name].wait()
            self.look_at(name)
        for name in readers:
            self.kill(name)
        passed = self.is_whole()
        print(f"{self.options.kills} kills each of a writer, a reader and the server, {time.monotonic() - began:.0f} s")
        return passed

    def start(self, name: str) -> None:
        """Start a part."""
        part = [name.rstrip("0123456789"), name, str(self.folder / name), self.address]
        command = [sys.executable, __file__, "--documents", str(self.options.documents), "--part", *part]
        self.running[name] = subprocess.Popen(command)

    def kill(self, name: str) -> None:
        """Kill a part, unless it has ended by itself."""
        self.look_at(name)
        self.running[name].kill()
        self.running[name].wait()

    def look_at(self, name: str) -> None:
        """Note a part that has ended by itself, but not well."""
        if self.running[name].poll():
            self.ended_badly.append(name)

    def is_whole(self) -> bool:
        """Compare the record with one that nobody disturbed, and with what was acknowledged."""
        texts = [(f"writer{w}", n) for w in range(self.options.writers) for n in range(self.options.documents)]
        with Record.create_or_open(self.folder / "spared") as spared:
            for name, number in texts:
                spared.put(*document_of(f"{name}-{number}", f"{name} {number} one. ", f"{name} {number} two."))
            rows = [(number, derive("text", "v1", passage.text)) for number, passage in spared.pending("text", "v1")]
            spared.record_rows("text", "v1", rows)
            expected = dump(spared)
        said = [line for file in self.folder.glob("*.said") for line in file.read_text().split()]
        with Record.open(self.folder / "reader0", self.address) as record:
            record.verify()
            found, known = dump(record), {row.id for row in record.documents()}
            attempts = {row[0] for row in record._rows("SELECT attempts FROM ledger")}
        verdicts = {
            "all that was acknowledged": set(said) <= known,
            "nothing twice": len(said) == len(set(said)) and attempts == {1},
            "as without kills": found == expected,
            "nobody saw half of something": not self.ended_badly,
        }
        for what, holds in verdicts.items():
            print(f"{what:<28} {'yes' if holds else 'NO'}")
        return all(verdicts.values())


if __name__ == "__main__":
    main()
