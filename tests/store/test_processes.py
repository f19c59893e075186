"""Several processes and one store: the lock, kill -9 at any moment, and readers beside a writer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhop.errors import IndexLocked
from polyhop.store.record import Record
from polyhop.store.writer_lock import NOTE, writer
from tests.worlds.records import derive, document_of, dump

DOCUMENTS = 60
Home = Callable[[str], Path]


def build(folder: Path) -> None:
    """Index everything that is not there yet, saying aloud what is stored: run here, or in a process to be killed."""
    with Record.create_or_open(folder, wait=10) as record:
        for number in range(DOCUMENTS):
            with record.transaction():
                record.put(*document_of(f"d{number}", f"{number} one. ", f"{number} two."))
            say(f"document d{number}")
        for layer in ("text", "facts"):
            batch = []
            for number, passage in record.pending(layer, "v1"):
                batch.append((number, derive(layer, "v1", passage.text)))
                if len(batch) == 4:
                    record.record_rows(layer, "v1", batch)
                    say(f"{layer} {' '.join(str(number) for number, _ in batch)}")
                    batch = []
            record.record_rows(layer, "v1", batch)
            record.set_generation(layer, "g1", {"passages": record.count_passages()})
    say("finished")


def say(line: str) -> None:
    """Acknowledge: the parent may count on it from here."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process that can import the tests."""
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n{code}",
    ]
    return subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


BUILD = "from pathlib import Path; from tests.store.test_processes import build; build(Path(sys.argv[1]))"
HOLD = (
    "from polyhop.store.record import Record\n"
    "record = Record.create_or_open(sys.argv[1]); print('held', flush=True); sys.stdin.read(); record.close()"
)


def hold(folder: Path) -> subprocess.Popen[str]:
    """A process that is the writer until its input ends."""
    command = [sys.executable, "-c", f"import sys\n{HOLD}", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_killed_at_any_moment_and_resumed_equals_never_killed(home: Home) -> None:
    """Whatever was acknowledged before a kill -9 is there after it; the end is as if nothing had happened."""
    chance = random.Random(7)  # noqa: S311
    folder = home("killed")
    acknowledged: list[str] = []
    for _ in range(6):
        process = start(BUILD, folder)
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().strip() for _ in range(chance.randrange(1, 2 * DOCUMENTS))]
        process.kill()
        acknowledged += process.stdout.read().split("\n")[:-1]
        process.wait()
        process.stdout.close()
        check_acknowledged(folder, acknowledged)
    build(folder)
    whole = home("spared")
    build(whole)
    with Record.open(folder) as killed, Record.open(whole) as spared:
        killed.verify()
        assert dump(killed) == dump(spared)
        assert killed.generation("facts") == spared.generation("facts")


def check_acknowledged(folder: Path, acknowledged: list[str]) -> None:
    """Each line that a builder said is true of the store."""
    with Record.open(folder) as record:
        record.verify()
        documents = {row.id for row in record.documents()}
        done = {layer: dict(record.payloads(layer)) for layer in ("text", "facts")}
        for line in acknowledged:
            kind, *rest = line.split()
            if kind == "document":
                assert rest[0] in documents
            elif kind in done:
                assert all(int(number) in done[kind] for number in rest)


def test_a_second_writer_is_told_who_the_first_one_is(home: Home) -> None:
    folder = home("index")
    process = hold(folder)
    with pytest.raises(IndexLocked, match=f"process {process.pid} on .* since 2.*: -c") as caught:
        Record.create_or_open(folder)
    assert caught.value.remedy
    assert f"process {process.pid}" in (writer(folder) or "")
    Record.open(folder).close()  # readers are welcome
    process.communicate("")
    assert writer(folder) is None
    Record.create_or_open(folder).close()


def test_a_second_record_in_the_same_process_is_refused_too(home: Home) -> None:
    folder = home("index")
    with Record.create_or_open(folder), pytest.raises(IndexLocked, match=str(os.getpid())):
        Record.create_or_open(folder)


def test_a_second_writer_may_wait(home: Home) -> None:
    folder = home("index")
    with Record.create_or_open(folder):
        waiting = start(BUILD, folder)
        time.sleep(1)
        assert waiting.poll() is None
    output, _ = waiting.communicate(timeout=60)
    assert output.endswith("finished\n")


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    process = hold(tmp_path)
    process.kill()
    process.communicate()
    assert (tmp_path / NOTE).exists()  # its note stays, and is not believed
    assert writer(tmp_path) is None
    Record.create_or_open(tmp_path).close()
    assert not (tmp_path / NOTE).exists()


def test_a_holder_that_left_no_note_is_still_respected(tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path):
        for note in ("{", '{"pid": 1}', "[]", None):
            if note is None:
                (tmp_path / NOTE).unlink()
            else:
                (tmp_path / NOTE).write_text(note)
            with pytest.raises(IndexLocked, match="left no name"):
                Record.create_or_open(tmp_path)


def test_a_folder_without_an_index_has_no_writer(tmp_path: Path) -> None:
    assert writer(tmp_path / "nothing") is None
    assert not (tmp_path / "nothing").exists()


def test_readers_see_only_whole_commits_while_a_writer_works(home: Home) -> None:
    """Two passages a document, and rows four at a time: no reader ever sees half of one."""
    folder = home("index")
    Record.create_or_open(folder).close()
    process = start(BUILD, folder)
    seen = set()
    with Record.open(folder) as reader:
        while process.poll() is None:
            with reader.snapshot():
                documents, passages = reader.count_documents(), reader.count_passages()
                assert passages == 2 * documents
                numbers = reader.numbers().tolist()
                assert len(reader.passages(numbers)) == passages
                rows = len(dict(reader.payloads("text")))
                assert rows % 4 == 0
                assert reader.layer_status("text", "v1").missing == passages - rows
                seen.add((documents, rows))
            time.sleep(0.001)
        assert reader.layer_status("facts", "v1").done == 2 * DOCUMENTS
    process.communicate()
    assert process.returncode == 0
    assert len(seen) > 2
