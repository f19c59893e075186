"""Executors: wherever extraction runs, its rows are the same, and what one passage does to a worker hurts no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import PolyhopError
from polyhop.indexing.executors import cluster
from polyhop.indexing.executors.inline import Inline
from polyhop.indexing.executors.processes import Processes
from polyhop.indexing.executors.worker import decode_rows, encode_job
from polyhop.models.choice import Models
from polyhop.ports import Chunk, Failure
from polyhop.settings import Settings
from polyhop.types import Passage
from tests.worlds.deadly import with_deadly_layer

TEXTS = (
    "Ada Brisk built the lighthouse of Quillmouth in 1841. She was born in Fennick.",
    "Fennick lies on the River Oar.",
    "昨日は雨が降った。",
    "",
    "The Tarn School was founded by Piet Rook.\n\nIt teaches engineers.",
)


def passage_of(number: int, text: str) -> Passage:
    return Passage(
        id=f"p{number}", document_id=f"d{number}", ordinal=0, start=0, end=len(text), title=f"Title {number}", text=text
    )


def chunks_of(count: int, size: int = 2) -> list[Chunk]:
    return [
        Chunk([passage_of(chunk * size + item, TEXTS[(chunk * size + item) % len(TEXTS)]) for item in range(size)])
        for chunk in range(count)
    ]


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    return [child for child in process.children() if "polyhop.indexing.executors.worker" in child.cmdline()]


def starting(most: int) -> Callable[..., object]:
    """What starts so many processes, and then no more."""
    left = iter([subprocess.Popen] * most)

    def start(*arguments: Any, **options: Any) -> object:
        for popen in left:
            return popen(*arguments, **options)
        raise OSError("no more processes")

    return start


def test_worker_processes_give_what_this_process_gives_in_the_order_of_the_chunks(models: Models) -> None:
    chunks = chunks_of(7)
    here = list(Inline(models=models).extract("parsekg", Settings(), chunks))
    with Processes(workers=2) as executor:
        there = list(executor.extract("parsekg", Settings(), chunks))
    assert [list(rows) for rows in there] == [list(rows) for rows in here]
    assert not workers_of(psutil.Process())


def test_only_a_few_chunks_are_in_flight(models: Models) -> None:
    """However large a corpus is, what waits for the workers is bounded."""
    taken = 0

    def chunks() -> Iterator[Chunk]:
        nonlocal taken
        for chunk in chunks_of(12, size=1):
            taken += 1
            yield chunk

    with Processes(workers=2) as executor:
        for given_back, _ in enumerate(executor.extract("parsekg", Settings(), chunks())):
            assert taken - given_back <= 2 * 2
    assert taken == 12


def test_workers_end_when_the_work_is_given_up() -> None:
    with Processes(workers=2) as executor:
        assert next(executor.extract("parsekg", Settings(), chunks_of(20)))
        assert len(workers_of(psutil.Process())) == 2
    assert not workers_of(psutil.Process())


def test_what_a_worker_cannot_do_is_said_as_an_error_with_its_remedy() -> None:
    with pytest.raises(PolyhopError, match="no parser named 'spacy-xl'") as caught, Processes(workers=1) as executor:
        list(executor.extract("parsekg", Settings().with_models(parser="spacy-xl"), chunks_of(1)))
    assert "Known: spacy-md, spacy-sm" in caught.value.remedy


def test_a_passage_that_kills_its_worker_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when memory runs out: the others of its chunk are done, by a new worker."""
    monkeypatch.setenv("PYTHONPATH", str(with_deadly_layer(tmp_path)))
    texts = ["one", "poison", "three", "fo", "f", "poison too"]
    passages = [passage_of(number, text) for number, text in enumerate(texts)]
    with Processes(workers=1) as executor:
        (first, second) = executor.extract("deadly", Settings(), [Chunk(passages[:3]), Chunk(passages[3:])])
    rows = [*first, *second]
    assert [row for row in rows if not isinstance(row, Failure)] == [b"3", b"5", b"2", b"1"]
    failed = [position for position, row in enumerate(rows) if isinstance(row, Failure)]
    assert failed == [1, 5]
    assert not workers_of(psutil.Process())


def test_workers_that_cannot_be_started_again_end_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the system has no room for another process: nobody waits for one that never comes."""
    monkeypatch.setenv("PYTHONPATH", str(with_deadly_layer(tmp_path)))
    chunks = [Chunk([passage_of(number, "poison")]) for number in range(6)]
    with Processes(workers=2) as executor:
        monkeypatch.setattr(subprocess, "Popen", starting(0))
        with pytest.raises(PolyhopError, match="could not be started"):
            list(executor.extract("deadly", Settings(), chunks))
    assert not workers_of(psutil.Process())


def test_workers_end_where_another_one_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", starting(1))
    with pytest.raises(PolyhopError, match="no more processes") as caught, Processes(workers=2):
        pass
    assert caught.value.remedy == "Try --workers 1."
    assert not workers_of(psutil.Process())


def test_a_cluster_that_starts_no_worker_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next try meets what is wrong, and not a cluster that is in use already; Ray need not be installed."""
    joined: list[str] = []

    def resources() -> Mapping[str, float]:
        raise ConnectionError("the cluster is gone")

    ray = SimpleNamespace(
        init=lambda address, **_: joined.append(address), shutdown=joined.clear, cluster_resources=resources
    )
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(cluster, "check_installed", lambda *_, **__: None)
    with pytest.raises(ConnectionError, match="the cluster is gone"), cluster.Cluster(address="auto"):
        pass
    assert joined == []


PARENT = """
import sys
from polyhop.indexing.executors.processes import Processes
from polyhop.ports import Chunk
from polyhop.settings import Settings
from polyhop.types import Passage

text = sys.argv[1]
passages = [Passage(id=str(n), document_id="d", ordinal=n, start=0, end=len(text), title="", text=text) for n in (0, 1)]
with Processes(workers=2) as executor:
    list(executor.extract("deadly", Settings(), [Chunk([passage]) for passage in passages]))
"""


def ended(process: psutil.Process) -> bool:
    """An orphan that has ended is a zombie until somebody waits for it, and perhaps nobody does."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("text", ["endless and busy", "endless and asleep"])
def test_workers_end_with_a_killed_parent_in_the_middle_of_a_chunk(tmp_path: Path, text: str) -> None:
    """However the parent ends, and whatever they are doing; and they say nothing about it."""
    environment = {**os.environ, "PYTHONPATH": str(with_deadly_layer(tmp_path))}
    command = [sys.executable, "-c", PARENT, text]
    parent = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, encoding="utf-8")
    assert parent.stderr is not None
    with parent.stderr as said:
        workers = [psutil.Process(int(said.readline().removeprefix("at work "))) for _ in range(2)]
        parent.kill()
        parent.wait()
        killed = time.monotonic()
        while not all(map(ended, workers)):
            assert time.monotonic() - killed < 5, "workers outlive their parent"
            time.sleep(0.02)
        assert said.read() == ""


@given(st.text(), st.text())
def test_any_passage_survives_the_way_to_a_worker(title: str, text: str) -> None:
    """One job is one line, whatever a text says, line breaks and lone surrogates included."""
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)
    line = encode_job("parsekg", Settings(), Chunk([passage], {"parsekg": [b"\0\n"], "text": [None]}))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    job = json.loads(line)
    assert Passage(**job["passages"][0]) == passage
    assert job["below"] == {"parsekg": ["AAo="], "text": [None]}


def test_rows_come_back_as_bytes_or_failures() -> None:
    line = b'{"rows": [{"rows": "AAH/"}, {"failure": "too long"}, {"rows": ""}]}\n'
    assert decode_rows(line) == [b"\0\x01\xff", Failure("too long"), b""]
