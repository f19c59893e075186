"""One process writes, others read meanwhile: nobody waits, nobody sees half of something, nobody gets a traceback."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import ref

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexLocked, IndexMissing, PolyhopError
from polyhop.reports import Progress
from polyhop.store.record import FileRecord, Record
from polyhop.types import Span
from tests.worlds.documents import BRIDGE, HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.settings import QUICK

ROUNDS = 12
WRITER = f"""
import sys
from pathlib import Path
from polyhop.engine import Polyhop

index, folder = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
with Polyhop(index) as engine:
    for number in range({ROUNDS}):
        (Path(folder) / f"gull{{number}}.txt").write_text(f"Gull {{number}} was seen from the lighthouse.")
        if number % 3 == 2:
            (Path(folder) / f"gull{{number - 1}}.txt").unlink()
        engine.index(folder)
        print(number, flush=True)
"""


@contextmanager
def another_process(program: str, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs beside this one and is gone afterwards."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "ready"
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_threads_ask_while_another_process_indexes(harbour_engine: Polyhop, harbour: Path) -> None:
    """Every answer is consistent: what is found can be quoted, and nobody is ever told that the index is damaged."""
    done = threading.Event()
    seen: list[int] = []

    def ask(strategy: str) -> int:
        asked = 0
        while not done.is_set():
            evidence = harbour_engine.search("What was seen from the lighthouse?", k=50, strategy=strategy)
            assert "quillmouth" in {passage.title for passage in evidence.passages}
            for passage in evidence.passages:
                assert passage.text
            seen.append(len(evidence.passages))
            asked += 1
        return asked

    with another_process(WRITER, harbour_engine.path, harbour) as process, ThreadPoolExecutor(4) as threads:
        questions = [threads.submit(ask, strategy) for strategy in ("bm25", "dense", "bm25", "dense")]
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        rounds = [int(line) for line in process.stdout]
        done.set()
        assert all(question.result() > 0 for question in questions)
    assert rounds == list(range(ROUNDS))
    left = harbour_engine.search("Gull seen from the lighthouse", k=50, strategy="dense")
    assert len(left.passages) == len(HARBOUR) + ROUNDS - ROUNDS // 3
    assert len(set(seen)) > 1, "readers see what was gathered while they ask"


def test_a_question_inside_a_view_is_answered_from_it_whatever_came_since(
    harbour_engine: Polyhop, harbour: Path
) -> None:
    """As the server asks; meanwhile a document goes, and another thread has opened what there is now."""
    with harbour_engine.view() as view, ThreadPoolExecutor(1) as other, Polyhop(harbour_engine.path) as writer:
        before = harbour_engine.search("lighthouse", k=50, strategy="dense").passages
        writer.remove("fennick.txt")
        writer.remove("quillmouth.txt")
        found = other.submit(harbour_engine.search, "lighthouse", k=50, strategy="dense").result().passages
        assert len(found) == len(before) - 2
        assert harbour_engine.search("lighthouse", k=50, strategy="dense").passages == before
        with harbour_engine.view() as inner:
            assert inner is view
    assert harbour_engine.search("lighthouse", k=50, strategy="dense").passages == found


@pytest.mark.slow
def test_status_can_be_asked_while_another_process_indexes(harbour_engine: Polyhop, harbour: Path) -> None:
    writers = set()
    with another_process(WRITER, harbour_engine.path, harbour) as process:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        while process.poll() is None:
            status = harbour_engine.status()
            assert status.documents >= len(HARBOUR)
            assert status.bytes > 0
            for layer in status.layers:
                assert layer.done + layer.missing + layer.stale + layer.failed == status.passages
            time.sleep(0.05)  # whoever asks leaves the other its turn
            writers.add(status.writer and status.writer.split(" ")[1])
    assert {str(process.pid)} <= writers <= {str(process.pid), None}


HOLDER = """
import sys
from polyhop.store.record import Record

with Record.create_or_open(sys.argv[1]):
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_a_second_writer_is_told_who_the_first_is(harbour_engine: Polyhop, harbour: Path) -> None:
    with another_process(HOLDER, harbour_engine.path) as process:
        with pytest.raises(IndexLocked, match=f"process {process.pid} ") as caught:
            harbour_engine.index(harbour)
        assert "Wait" in caught.value.remedy
        with pytest.raises(IndexLocked):
            harbour_engine.remove("fennick.txt")
        assert harbour_engine.index(harbour, dry_run=True).unchanged == 4, "looking is free"
        assert harbour_engine.search("lighthouse", strategy="bm25").passages, "and so is asking"
    assert harbour_engine.index(harbour).unchanged == 4, "a killed writer holds nothing"


def test_a_second_writer_that_waits_gets_its_turn(harbour_engine: Polyhop, harbour: Path) -> None:
    with another_process(HOLDER, harbour_engine.path) as process:
        assert process.stdin is not None
        timer = threading.Timer(0.5, process.stdin.close)
        timer.start()
        began = time.monotonic()
        assert harbour_engine.index(harbour, wait=60).unchanged == 4
        assert time.monotonic() - began >= 0.4
        timer.join()


def test_two_threads_of_one_process_write_one_after_the_other(tmp_path: Path, harbour: Path) -> None:
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine, ThreadPoolExecutor(2) as threads:
        reports = [threads.submit(engine.index, harbour, wait=60) for _ in range(2)]
        assert sorted(report.result().added for report in reports) == [0, 4]


def test_threads_share_one_engine(harbour_engine: Polyhop) -> None:
    """The first questions of all threads come at once, when nothing is open yet."""
    harbour_engine.close()
    start = threading.Barrier(6)

    def ask() -> list[str]:
        start.wait()
        found = harbour_engine.search(HARBOUR_BRIDGE, strategy="hybrid").passages
        return [passage.title for passage in found]

    with ThreadPoolExecutor(6) as threads:
        answers = [future.result() for future in [threads.submit(ask) for _ in range(6)]]
    assert len(answers[0]) == 4
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.skipif(os.name != "posix", reason="Windows does not delete files that are open")
@pytest.mark.parametrize("how", ["search", "ask", "status", "remove", "quote"])
def test_an_index_that_is_deleted_while_it_is_open_is_missed(harbour_engine: Polyhop, how: str) -> None:
    span_of = harbour_engine.search("lighthouse", strategy="bm25").passages[0]
    shutil.rmtree(harbour_engine.path)
    calls: dict[str, Callable[[], object]] = {
        "search": lambda: harbour_engine.search("lighthouse"),
        "ask": lambda: harbour_engine.ask("Who built the lighthouse?"),
        "status": harbour_engine.status,
        "remove": lambda: harbour_engine.remove("fennick.txt"),
        "quote": lambda: harbour_engine.quote(Span(span_of.document_id, 0, 1)),
    }
    with pytest.raises(IndexMissing) as caught:
        calls[how]()
    assert "polyhop index" in caught.value.remedy
    assert not harbour_engine.path.exists()


@pytest.mark.skipif(os.name != "posix", reason="Windows does not delete files that are open")
def test_an_index_that_is_made_again_is_found_again(harbour_engine: Polyhop, harbour: Path) -> None:
    assert harbour_engine.search("lighthouse", strategy="bm25").passages
    shutil.rmtree(harbour_engine.path)
    with Polyhop(harbour_engine.path) as other:
        other.index(write(harbour.parent / "new", {"gull.txt": "A gull sat on the lighthouse."}))
    with suppress(IndexMissing):  # said once, to whoever had the old one open
        harbour_engine.search("lighthouse", strategy="bm25")
    found = harbour_engine.search("lighthouse", strategy="bm25").passages
    assert [passage.title for passage in found] == ["gull"]


def test_questions_while_the_index_is_deleted_end_in_one_kind_of_error(harbour_engine: Polyhop) -> None:
    """Whatever a thread was about to read, what it is told is that the index is gone."""
    ready = threading.Barrier(4)

    def ask() -> str:
        ready.wait()
        while True:
            try:
                harbour_engine.search("Who built the lighthouse?", strategy="dense")
            except PolyhopError as error:
                return type(error).__name__

    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(ask) for _ in range(3)]
        ready.wait()
        time.sleep(0.2)
        shutil.rmtree(harbour_engine.path, ignore_errors=os.name != "posix")
        assert {future.result() for future in asked} == {"IndexMissing"}


def test_a_record_is_closed_while_another_thread_reads_it(harbour_engine: Polyhop) -> None:
    """As when the index is deleted under several threads: the first to notice closes it for all of them."""
    reading, done = threading.Event(), threading.Event()

    def wait(*_: object) -> int:
        reading.set()
        return int(done.wait(10))

    def read(record: FileRecord) -> object:
        with record._reading() as connection:  # a read that lasts
            connection.create_scalar_function("wait", wait, 0)
            return connection.execute("SELECT wait()").get

    with ThreadPoolExecutor(1) as thread, Record.open(harbour_engine.path) as record:
        assert isinstance(record, FileRecord)
        read_there = thread.submit(read, record)
        assert reading.wait(10)
        record.close()
        done.set()
        assert read_there.result() == 1


def test_a_closed_engine_opens_again_when_it_is_used(harbour_engine: Polyhop) -> None:
    before = harbour_engine.search("lighthouse", strategy="bm25").passages
    harbour_engine.close()
    harbour_engine.close()
    assert harbour_engine.search("lighthouse", strategy="bm25").passages == before


@pytest.mark.parametrize(("strategy", "layer"), [("paths", "parsekg"), ("qcg", "questions")])
def test_a_closed_engine_lets_go_of_its_files_at_once(engine: Polyhop, strategy: str, layer: str) -> None:
    """And not when Python next looks for circles of objects: on Windows an open file keeps its folder from going."""
    gc.disable()
    try:
        with Polyhop(engine.path, settings=engine.settings) as ours:
            ours.search(BRIDGE, strategy=strategy)
            with ours.view() as view:
                opened = ref(view.layers[layer])
            del view
        assert opened() is None
    finally:
        gc.enable()


def test_an_open_reader_sees_what_the_same_process_writes(harbour_engine: Polyhop, harbour: Path) -> None:
    assert len(harbour_engine.search("gull lighthouse", strategy="bm25").passages) == 1
    stages: list[str] = []

    def ask_meanwhile(step: Progress) -> None:
        stages.append(step.stage)
        assert len(harbour_engine.search("gull lighthouse", strategy="bm25").passages) in (1, 2)

    write(harbour, {"gull.txt": "A gull sat on the lighthouse."})
    harbour_engine.index(harbour, progress=ask_meanwhile)
    assert "gathering text" in stages
    assert len(harbour_engine.search("gull lighthouse", strategy="bm25").passages) == 2
