"""Paid answers are kept on disk and never paid for twice, whatever happens to the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import EndpointError, OutputInvalid
from polyhop.models.accounting import Request
from polyhop.models.cache import CachedResponse, ResponseCache, cache_key
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Message
from polyhop.types import Cost
from tests.worlds.endpoint import EndpointServer, in_turn, refuses, says, serving


def client(server: EndpointServer, folder: Path, **settings: Any) -> OpenAICompatible:
    """A client that keeps its answers in a folder."""
    return OpenAICompatible(base_url=server.url, model="sage", cache=str(folder), **settings)


HELLO = (Message("user", "Who built the Lantern Bridge?"),)
ANSWER = CachedResponse(text="Ada Brook", finish="stop", prompt_tokens=10, completion_tokens=5)


def test_second_call_makes_no_request_and_costs_nothing(tmp_path: Path) -> None:
    """Also in a new process, which is what a new client stands for."""
    with serving(says("Ada Brook")) as server:
        for cached in (False, True):
            with client(server, tmp_path) as model:
                completion = model.complete(HELLO)
                assert completion.text == "Ada Brook"
                assert (completion.cost == Cost()) is cached
        assert len(server.requests) == 1


def test_one_request_of_several_threads_is_paid_for_once(tmp_path: Path) -> None:
    """Whether they share a client or not: the others wait for what the first gets, and it costs them nothing."""
    with serving(says("Ada Brook", delay=0.1)) as server:
        with client(server, tmp_path) as model, client(server, tmp_path) as another:
            answers = at_once(*[lambda one=one: one.complete(HELLO) for one in (model, another) * 3])
        assert [answer.text for answer in answers] == ["Ada Brook"] * 6
        assert sum(answer.cost.llm_calls for answer in answers) == 1
        assert len(server.requests) == 1


def test_what_another_process_is_paying_for_is_waited_for(tmp_path: Path) -> None:
    program = (
        "import sys; from polyhop.models.cache import *; cache, key = ResponseCache(sys.argv[1]), cache_key('asked')\n"
        "cache.get(key)\n"
        "with cache.after_others(key):\n"
        "    print('paying', flush=True); sys.stdin.readline()\n"
        "    cache.put(key, 'sage', CachedResponse(text='x', finish='stop', prompt_tokens=1, completion_tokens=1))\n"
    )
    cache, key = ResponseCache(tmp_path), cache_key("asked")
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "paying\n"
        threading.Timer(0.2, other.stdin.close).start()
        with cache.after_others(key):
            assert cache.get(key)
    assert not list(tmp_path.glob("*.lock"))
    cache.close()


def test_who_waited_in_vain_asks_too(tmp_path: Path) -> None:
    with serving(in_turn(refuses(403, "not today"), says("Ada Brook"))) as server, client(server, tmp_path) as model:

        def asked() -> str:
            try:
                return model.complete(HELLO).text
            except EndpointError as error:
                return str(error.status)

        assert sorted(at_once(asked, asked)) == ["403", "Ada Brook"]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What some calls give that begin together, each in a thread."""
    together = threading.Barrier(len(calls))

    def begin(call: Callable[[], Any]) -> Any:
        together.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))


def test_anything_that_changes_the_answer_is_another_entry(tmp_path: Path) -> None:
    with serving(says('{"a": 1}')) as server:
        for seed in (0, 1):
            with client(server, tmp_path, seed=seed) as model:
                model.complete(HELLO)
                model.complete(HELLO, max_tokens=99)
                model.complete(HELLO, schema={"type": "object"})
                model.complete([*HELLO, Message("user", "Hurry.")])
        assert len(server.requests) == 8
        for other in ({"temperature": None}, {"temperature": 0.5}, {"top_p": 0.5}, {"reasoning_effort": "low"}):
            with client(server, tmp_path, **other) as model:
                model.complete(HELLO)
        assert len(server.requests) == 12


def test_failures_are_not_kept_but_a_cut_off_answer_was_paid_for(tmp_path: Path) -> None:
    answers = in_turn(refuses(400, "no"), says(""), says("too lo", finish="length"))
    with serving(answers) as server, client(server, tmp_path) as model:
        for error in (EndpointError, OutputInvalid, OutputInvalid, OutputInvalid):
            with pytest.raises(error):
                model.complete(HELLO)
        assert len(server.requests) == 3


def test_forecast_leaves_out_what_is_kept(tmp_path: Path) -> None:
    known, unknown = Request(messages=HELLO, max_tokens=32), Request(messages=HELLO, max_tokens=64)
    with serving(says("yes")) as server, client(server, tmp_path) as model:
        model.complete(HELLO, max_tokens=32)
        assert model.forecast([known, unknown]).llm_calls == 1


def test_cache_key_does_not_depend_on_the_order_of_a_mapping() -> None:
    assert cache_key({"a": 1, "b": 2}) == cache_key({"b": 2, "a": 1})
    assert cache_key("a", "b") != cache_key("ab")


def test_cache_serves_many_threads(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "new" / "folder")
    found: list[CachedResponse | None] = []

    def work(number: int) -> None:
        for step in range(20):
            cache.put(cache_key(number, step), "sage", ANSWER)
            found.append(cache.get(cache_key(number, step)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache.close()
    assert found == [ANSWER] * 80


def test_cache_serves_many_processes(tmp_path: Path) -> None:
    """Processes that create the file and write to it at the same moment lose nothing."""
    program = (
        "import sys, logging; from polyhop.models.cache import *; cache = ResponseCache(sys.argv[1])\n"
        "for step in range(50):\n"
        "    one = CachedResponse(text='x', finish='stop', prompt_tokens=1, completion_tokens=1)\n"
        "    cache.put(cache_key(sys.argv[2], step), 'sage', one)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen([*command, str(number)], stderr=subprocess.PIPE) for number in range(4)]
    assert [process.communicate()[1] for process in running] == [b""] * 4
    cache = ResponseCache(tmp_path)
    assert all(cache.get(cache_key(str(number), step)) for number in range(4) for step in range(50))
    cache.close()


@pytest.mark.parametrize("content", [b"this is no database " * 400, b"SQLite format 3\0" + b"\xff" * 9000])
def test_damaged_cache_is_moved_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes) -> None:
    (tmp_path / ResponseCache.FILE).write_bytes(content)
    cache = ResponseCache(tmp_path)
    assert cache.get(b"key") is None
    cache.put(b"key", "sage", ANSWER)
    assert cache.get(b"key") == ANSWER
    cache.close()
    aside = [path for path in tmp_path.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in aside] == [content]
    assert "is damaged" in caplog.text


def test_cache_with_a_foreign_table_is_moved_aside(tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / ResponseCache.FILE)
    foreign.execute("CREATE TABLE responses (something TEXT)")
    foreign.close()
    cache = ResponseCache(tmp_path)
    cache.put(b"key", "sage", ANSWER)
    assert cache.get(b"key") == ANSWER
    cache.close()


def test_cache_damaged_while_in_use_does_no_harm(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path)
    for number in range(300):
        cache.put(
            cache_key(number), "sage", CachedResponse(text="x" * 500, finish="", prompt_tokens=1, completion_tokens=1)
        )
    cache.close()
    path = tmp_path / ResponseCache.FILE
    content = bytearray(path.read_bytes())
    content[4096:-4096] = b"\xa5" * (len(content) - 8192)  # the first page is whole: the damage shows while reading
    path.write_bytes(content)
    for number in range(300):
        cache.get(cache_key(number))
    cache.put(b"key", "sage", ANSWER)
    assert cache.get(b"key") == ANSWER
    cache.close()


def test_cache_that_cannot_be_made_is_done_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file stands where its folder should be: one warning, and the answers arrive all the same."""
    (tmp_path / "taken").write_text("not a folder")
    with serving(says("still here")) as server, client(server, tmp_path / "taken") as model:
        assert [model.complete(HELLO).text for _ in range(3)] == ["still here"] * 3
    assert caplog.text.count("cannot be used") == 1


def test_cache_on_a_full_disk_is_done_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A limit on the file's pages stands for the disk: SQLite reports both as full."""
    cache = ResponseCache(tmp_path)
    cache.put(b"small", "sage", ANSWER)
    assert cache._connection is not None
    cache._connection.execute("PRAGMA max_page_count = 4")
    cache.put(b"large", "sage", CachedResponse(text="x" * 100_000, finish="", prompt_tokens=1, completion_tokens=1))
    assert cache.get(b"large") is None
    assert cache.get(b"small") == ANSWER
    cache.close()
    assert "full" in caplog.text
