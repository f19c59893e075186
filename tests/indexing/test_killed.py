"""Killed at any moment and started again: the index is that of an undisturbed run, and nothing is done twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from polyhop.engine import Polyhop
from polyhop.store.record import FILE, Record
from tests.worlds.records import failures

ROWS = 450
PLACES = ("Quillmouth", "Fennick", "Tarn Bay", "Grebe Marsh", "Oar Falls")
PEOPLE = ("Ada Brisk", "Piet Rook", "Nan Soller", "Ivo Tull", "Mira Dane", "Otto Finch", "Bea Larch")
posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of short rows: several transactions of reading, several chunks of every layer, two worker processes."""
    path = tmp_path_factory.mktemp("rows") / "logbook.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            person, place = PEOPLE[number % len(PEOPLE)], PLACES[number % len(PLACES)]
            row = {"id": f"r{number}", "title": f"Entry {number}", "text": f"{person} landed at {place}."}
            file.write(json.dumps(row) + "\n")
    return path


def command(rows: Path, index: Path) -> list[str]:
    return [sys.executable, "-m", "polyhop.cli.main", "index", str(rows), "--index", str(index)]


def started(rows: Path, index: Path) -> subprocess.Popen[bytes]:
    """An indexing run in a process group of its own, as a terminal gives it."""
    return subprocess.Popen(
        command(rows, index), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def everything(index: Path) -> dict[str, Any]:
    """All that an index holds and finds, but not when it was made."""
    with Record.open(index) as record:
        record.verify()
        held: dict[str, Any] = {"documents": list(record.documents()), "numbers": record.numbers().tolist()}
        for layer in record.layers():
            held[f"{layer} rows"] = dict(record.payloads(layer))
            held[f"{layer} failures"] = failures(record, layer)
            held[f"{layer} generation"] = record.generation(layer)
    with Polyhop(index) as engine:
        status = engine.status()
        held["status"] = (status.documents, status.passages, status.entities, status.layers, status.writer)
        for question in ("Who landed at Grebe Marsh?", "Ada Brisk", "Entry 17"):
            for strategy in ("bm25", "dense"):
                held[f"{strategy} {question}"] = engine.search(question, k=30, strategy=strategy).passages
    held["files"] = sorted(
        str(path.relative_to(index)) for path in index.rglob("*") if not path.name.startswith(("record.", "writer."))
    )
    return held


def attempts(index: Path) -> set[int]:
    """How often each passage was done, over all layers."""
    with Record.open(index) as record:
        return {row[0] for row in record._rows("SELECT attempts FROM ledger")}


@pytest.fixture(scope="module")
def undisturbed(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The index of a run that nobody disturbed, and how many seconds it took."""
    index = tmp_path_factory.mktemp("undisturbed") / "polyhop.index"
    began = time.monotonic()
    subprocess.run(command(rows, index), check=True, capture_output=True)
    return index, time.monotonic() - began


@posix
def test_a_run_that_is_killed_again_and_again_ends_like_one_that_is_not(
    rows: Path, undisturbed: tuple[Path, float], tmp_path: Path
) -> None:
    """SIGKILL at moments spread over starting, reading, extracting and gathering; then once to the end."""
    whole, seconds = undisturbed
    index = tmp_path / "polyhop.index"
    chance = random.Random(11)  # noqa: S311
    killed = 0
    for share in (0.2, *(chance.uniform(0.3, 0.8) for _ in range(3))):
        process = started(rows, index)
        try:
            process.communicate(timeout=share * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            killed += 1
        else:
            seconds /= 2  # the machine was busier when it was measured
    assert killed >= 1
    last = subprocess.run(command(rows, index), check=True, capture_output=True)
    assert b"Traceback" not in last.stderr
    assert everything(index) == everything(whole)
    assert attempts(index) == attempts(whole) == {1}, "what was stored is not done again"


@posix
def test_killed_while_reading_nothing_is_half_there(rows: Path, tmp_path: Path) -> None:
    """The moment the index appears is the most delicate one."""
    index = tmp_path / "polyhop.index"
    for _ in range(3):
        process = started(rows, index)
        while process.poll() is None and not (index / "record.sqlite").exists():
            time.sleep(0.001)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        with Record.open(index) as record:
            record.verify()
            assert record.count_documents() in (0, 200, 400, ROWS)


def group_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that a run has started."""
    return list(psutil.Process(process.pid).children(recursive=True))


@posix
@pytest.mark.parametrize("stage", ["as soon as it reads", "as soon as its workers start", "while its workers work"])
def test_control_c_ends_with_a_word_and_leaves_no_process_behind(rows: Path, tmp_path: Path, stage: str) -> None:
    """The terminal sends SIGINT to the whole group; what was done is stored, and the next run goes on from there."""
    index = tmp_path / "polyhop.index"
    process = started(rows, index)
    workers: list[psutil.Process] = []
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if stage == "as soon as it reads" and (index / "record.sqlite").exists():
            break
        workers = group_of(process)
        if len(workers) == 2:
            break
        time.sleep(0.02)  # each look at the processes of this machine takes a while itself
    if stage == "while its workers work":
        time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"Interrupted. What was done is stored: the same command goes on from there." in err
    assert out == b""
    gone, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive
    assert len(gone) == len(workers)
    with Record.open(index) as record:
        record.verify()


@posix
def test_after_control_c_the_same_command_goes_on(rows: Path, undisturbed: tuple[Path, float], tmp_path: Path) -> None:
    whole, seconds = undisturbed
    index = tmp_path / "polyhop.index"
    process = started(rows, index)
    try:
        process.communicate(timeout=seconds / 2)
    except subprocess.TimeoutExpired:
        while not (index / FILE).exists() and process.poll() is None:  # half the time was for starting
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate()
    with Record.open(index) as record:
        before = sum(len(dict(record.payloads(layer))) for layer in record.layers())
    last = subprocess.run([*command(rows, index), "--json"], check=True, capture_output=True)
    report = json.loads(last.stdout)
    assert sum(layer["extracted"] for layer in report["layers"]) == 2 * ROWS - before
    assert everything(index) == everything(whole)
