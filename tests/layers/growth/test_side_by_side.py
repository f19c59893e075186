"""Threads, processes and writers beside each other: each passage is extracted once, and nothing that was is lost."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexMissing
from polyhop.layers.facts import growth as module
from polyhop.layers.facts.growth import Pulled
from polyhop.store.record import Record
from tests.worlds.endpoint import Played
from tests.worlds.growing_facts import ROWS, Logbook, pull, recent, status_of, stored
from tests.worlds.logbook import knowing
from tests.worlds.machine import may_mount, posix, small_disk
from tests.worlds.settings import QUICK


def test_threads_that_want_the_same_passages_extract_each_once(logbook: Logbook) -> None:
    logbook.server.script = lambda request: replace(knowing(request), delay=0.02)
    wanted = [range(1, 17), range(8, ROWS + 1), range(ROWS, 0, -1)]
    found: list[Pulled] = []
    with logbook.engine(f"language_model.cache={logbook.folder / 'none'}") as engine:
        threads = [threading.Thread(target=lambda own=own: found.append(pull(engine, own))) for own in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(out.extracted for out in found) == ROWS
        assert sorted(len(out.facts) for out in found) == [16, 17, ROWS]
        assert len(logbook.server.requests) == status_of(engine).cost.llm_calls
    assert len(logbook.asked) == len(set(logbook.asked)) == ROWS


PROGRAM = """
import sys
from polyhop.engine import Polyhop
from polyhop.settings import Settings
with Polyhop(sys.argv[1], settings=Settings.read(None, sys.argv[3:])) as engine, engine.view() as view:
    print(view.growth.pull([int(number) for number in sys.argv[2].split(",")]).extracted)
"""


def started(engine: Polyhop, numbers: Sequence[int], *changes: str) -> subprocess.Popen[str]:
    """Another process that pulls."""
    listed = ",".join(map(str, numbers))
    tree = engine.settings.to_mapping()
    own = [f"{section}.{key}={tree[section][key]}" for section in ("language_model",) for key in tree[section]]
    own += ["models.language_model=openai", "layers.facts.extractor=language_model", *changes]
    command = [sys.executable, "-c", PROGRAM, str(engine.path), listed, *own]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_want_the_same_passages_extract_each_once(logbook: Logbook) -> None:
    """They have a cache each, so that only the locks keep them from asking twice."""
    logbook.server.script = lambda request: replace(knowing(request), delay=0.1)
    with logbook.engine() as engine:
        numbers = range(1, ROWS + 1)
        caches = [f"language_model.cache={logbook.folder / name}" for name in ("a", "b")]
        both = [started(engine, numbers, cache) for cache in caches]
        counts = [int(process.communicate(timeout=60)[0]) for process in both]
        assert sum(counts) == ROWS
        assert len(stored(engine)) == ROWS
    assert len(logbook.asked) == len(set(logbook.asked)) == ROWS


@posix
def test_a_process_that_is_killed_loses_nothing_that_was_committed(logbook: Logbook) -> None:
    hanging, calls = threading.Event(), iter(range(99))

    def slow(request: dict[str, Any]) -> Played:
        if next(calls) < 2:
            return knowing(request)
        hanging.set()
        return replace(knowing(request), delay=5.0)

    logbook.server.script = slow
    with logbook.engine() as engine:
        with started(engine, range(1, ROWS + 1)) as process:
            assert hanging.wait(60)
            process.kill()
        assert sorted(stored(engine)) == list(range(1, 9))
        logbook.server.script = knowing
        paid = status_of(engine).cost.llm_calls
        rest = pull(engine, range(1, ROWS + 1))
        assert (rest.extracted, len(rest.facts), status_of(engine).cost.llm_calls - paid) == (ROWS - 8, ROWS, 4)


def test_beside_another_writer_facts_stay_in_memory(
    engine: Polyhop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking:
        with Record.create_or_open(engine.path), caplog.at_level(logging.WARNING):
            first = pull(asking, [1, 2])
            assert (first.extracted, pull(asking, [2, 1]).extracted) == (2, 0)
            assert pull(asking, [1, 2]).facts == first.facts
            assert pull(asking, [3]).extracted == 1
            assert recent(asking) == [1, 2, 3]
            assert stored(engine) == {}
        assert caplog.text.count("stay in memory") == 1
        assert pull(asking, [4]).extracted == 1
        assert sorted(stored(engine)) == [1, 2, 3, 4]


def test_what_could_not_be_stored_is_stored_when_the_engine_closes(
    engine: Polyhop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking, Record.create_or_open(engine.path) as writer:
        pull(asking, [1])
        writer.close()
    assert sorted(stored(engine)) == [1]


@posix
def test_an_engine_goes_on_where_facts_were_kept_for_an_index_that_is_gone(
    engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They are lost with it, and the index that is made under its name can be asked."""
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking:
        with Record.create_or_open(engine.path):
            pull(asking, [1])
        shutil.rmtree(engine.path)
        with pytest.raises(IndexMissing):
            pull(asking, [1])
        assert "Facts are lost" in caplog.text
        with Polyhop(engine.path, settings=QUICK) as anew:
            anew.index(harbour, layers=["text"])
        assert pull(asking, [1]).extracted == 1


@may_mount
def test_a_read_only_index_can_be_asked(tmp_path: Path, harbour: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=8192) as disk:
        with Polyhop(disk / "an.index", settings=QUICK) as engine:
            engine.index(harbour, layers=["text"])
            pull(engine, [1])
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with Polyhop(disk / "an.index", settings=QUICK) as engine:
            assert pull(engine, [1, 2]).extracted == 1
            assert pull(engine, [1, 2]).extracted == 0
            assert recent(engine) == [1, 2]
            assert status_of(engine).done == 1
