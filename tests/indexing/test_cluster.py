"""A cluster of Ray's: the same rows as here, none twice, whatever dies meanwhile."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import PolyhopError
from polyhop.indexing.executors.cluster import IN_FLIGHT, Cluster
from polyhop.indexing.executors.inline import Inline
from polyhop.models.choice import Models
from polyhop.ports import Chunk, Failure
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Passage
from tests.worlds.commands import Run
from tests.worlds.deadly import with_deadly_layer
from tests.worlds.waiting import until

pytest.importorskip("ray", reason="Ray is not installed: pip install 'polyhop[ray]'")
pytestmark = pytest.mark.slow

ROWS = 400
PEOPLE = ("Ada Brisk", "Piet Rook", "Nan Soller", "Ivo Tull", "Mira Dane")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of two cores on this machine, which also has the deadly layer."""
    site = with_deadly_layer(tmp_path_factory.mktemp("site"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats", "--block"]
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", f"--port={port}", *options]
    environment = {**os.environ, "PYTHONPATH": str(site), "RAY_AUTH_MODE": "disabled"}
    with (site / "log").open("w") as log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as head:
        started = psutil.Process(head.pid)
        try:
            until(lambda: "runtime started" in (site / "log").read_text() or head.poll() is not None, seconds=120)
            assert head.poll() is None, (site / "log").read_text()
            yield f"127.0.0.1:{port}"
        finally:
            parts = started.children(recursive=True)
            for process in (*parts, started):
                with suppress(psutil.NoSuchProcess):
                    process.terminate()
            for process in psutil.wait_procs(parts, timeout=10)[1]:
                process.kill()


def workers() -> list[psutil.Process]:
    """The processes of actors on this machine."""
    found = []
    for process in psutil.process_iter():
        try:
            if "ray::ClusterWorker" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def chunks_of(texts: list[str], size: int) -> list[Chunk]:
    passages = [
        Passage(id=str(n), document_id="d", ordinal=n, start=0, end=len(text), title=f"Title {n}", text=text)
        for n, text in enumerate(texts)
    ]
    return [Chunk(passages[start : start + size]) for start in range(0, len(passages), size)]


def landings(count: int) -> list[str]:
    return [f"{PEOPLE[number % 5]} landed at Quillmouth in {1800 + number}." for number in range(count)]


def test_a_cluster_gives_what_this_process_gives_though_a_worker_is_killed(address: str, models: Models) -> None:
    chunks = chunks_of(landings(600), 20)
    here = list(Inline(models=models).extract("parsekg", Settings(), chunks))
    there, taken = [], 0

    def handed_out() -> Iterator[Chunk]:
        nonlocal taken
        for chunk in chunks:
            taken += 1
            yield chunk

    with Cluster(address=address) as cluster:
        for rows in cluster.extract("parsekg", Settings(), handed_out()):
            there.append(rows)
            assert taken - len(there) <= IN_FLIGHT * 2
            if len(there) in (3, 15):
                workers()[0].kill()
    assert [list(rows) for rows in there] == [list(rows) for rows in here]
    until(lambda: not workers(), seconds=60)


def test_a_passage_that_kills_its_worker_fails_alone(address: str) -> None:
    texts = ["one", "poison", "three", "fo", "f", "six"]
    with Cluster(address=address, workers=1) as cluster:
        rows = [row for chunk in cluster.extract("deadly", Settings(), chunks_of(texts, 3)) for row in chunk]
    assert [row for row in rows if not isinstance(row, Failure)] == [b"3", b"5", b"2", b"1", b"3"]
    assert isinstance(rows[1], Failure)


def test_what_a_worker_cannot_do_is_said_as_an_error_with_its_remedy(address: str) -> None:
    settings = Settings().with_models(parser="spacy-xl")
    with (
        pytest.raises(PolyhopError, match="no parser named 'spacy-xl'") as caught,
        Cluster(address=address, workers=1) as cluster,
    ):
        list(cluster.extract("parsekg", settings, chunks_of(["one"], 1)))
    assert "Known: spacy-md, spacy-sm" in caught.value.remedy


def test_an_address_where_there_is_no_cluster(tmp_path: Path, run: Run) -> None:
    found = run("index", rows_in(tmp_path), "--index", tmp_path / "i", "--executor", "ray", "--address", "127.0.0.1:9")
    assert found.code == 1
    assert "Ray cannot be used at 127.0.0.1:9" in found.err


def rows_in(folder: Path) -> Path:
    """A file of short rows."""
    lines = [json.dumps({"id": f"r{number}", "text": text}) for number, text in enumerate(landings(ROWS))]
    (folder / "rows.jsonl").write_text("\n".join(lines))
    return folder / "rows.jsonl"


def everything(index: Path) -> dict[str, object]:
    """All rows of an index, and how often each was made."""
    with Record.open(index) as record:
        record.verify()
        held: dict[str, object] = {layer: dict(record.payloads(layer)) for layer in record.layers()}
        return {**held, "attempts": record._rows("SELECT DISTINCT attempts FROM ledger")}


@pytest.mark.timeout(900)  # three runs, each with workers that load their models anew
def test_an_index_is_the_same_after_ctrl_c_and_a_killed_driver(address: str, tmp_path: Path) -> None:
    rows = rows_in(tmp_path)
    with Polyhop(tmp_path / "here") as engine:
        engine.index(rows, layers=["parsekg"])
    command = [sys.executable, "-c", "import sys; from polyhop.cli.main import main; main(sys.argv[1:])"]
    options = ["--index", str(tmp_path / "there"), "--layers", "parsekg", "--executor", "ray", "--address", address]
    for sign, code in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL), (None, 0)):
        driver = subprocess.Popen([*command, "index", str(rows), *options], start_new_session=True)
        if sign is not None:
            until(lambda: len(workers()) == 2, seconds=120)
            time.sleep(2)
            os.killpg(driver.pid, sign)
        assert driver.wait(240) == code
        until(lambda: not workers(), seconds=60)  # nobody's work goes on
    assert everything(tmp_path / "there") == everything(tmp_path / "here")
