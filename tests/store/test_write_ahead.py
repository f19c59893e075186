"""Several who open a file for the first time at once: each gets it, and nothing that they write is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from polyhop.models.cache import CachedResponse, ResponseCache
from polyhop.serve.server_file import ServerFile
from polyhop.store.write_ahead import write_ahead

AT_ONCE = 8


def at_once(action: Callable[[int], None]) -> None:
    """Do something from several threads at the same moment; the first error of any of them is raised."""
    start = threading.Barrier(AT_ONCE)

    def do(number: int) -> None:
        start.wait()
        action(number)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for done in [threads.submit(do, number) for number in range(AT_ONCE)]:
            done.result()


@pytest.mark.parametrize("attempt", range(20))
def test_a_server_file_opens_for_all_who_make_it_at_once(tmp_path: Path, attempt: int) -> None:
    path = tmp_path / "server" / "jobs.sqlite"
    files = [ServerFile(path, "CREATE TABLE jobs (number INTEGER)") for _ in range(AT_ONCE)]
    at_once(lambda number: _add(files[number], number))
    with closing(ServerFile(path, "")) as file:
        assert sorted(file.rows("SELECT number FROM jobs")) == [(number,) for number in range(AT_ONCE)]


def _add(file: ServerFile, number: int) -> None:
    with closing(file):
        file.change("INSERT INTO jobs VALUES (?)", number)


@pytest.mark.parametrize("attempt", range(20))
def test_a_response_cache_keeps_what_all_who_make_it_at_once_paid_for(tmp_path: Path, attempt: int) -> None:
    caches = [ResponseCache(tmp_path) for _ in range(AT_ONCE)]
    reply = CachedResponse(text="Pellingrove", finish="stop", prompt_tokens=40, completion_tokens=5)
    at_once(lambda number: caches[number].put(bytes([number]), "a-model", reply))
    for number in range(AT_ONCE):
        assert caches[0].get(bytes([number])) == reply
    for cache in caches:
        cache.close()


def test_a_file_that_another_keeps_is_given_up_after_the_patience(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    with closing(apsw.Connection(str(path))) as keeper, closing(apsw.Connection(str(path))) as other:
        keeper.execute("CREATE TABLE kept (one)")
        keeper.execute("BEGIN EXCLUSIVE")
        with pytest.raises(apsw.BusyError):
            write_ahead(other, patience=0.1)
        keeper.execute("COMMIT")
        write_ahead(other, patience=0.1)
        assert other.pragma("journal_mode") == "wal"
