"""Asking a model several things at once: order, errors, caps and interruptions, against a real HTTP server."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.side_by_side import concurrency_of, side_by_side
from polyhop.models.tallied import Counted
from polyhop.ports import LanguageModel, Message
from tests.worlds.endpoint import Played, refuses, says, serving


def asking(model: LanguageModel, max_tokens: int = 50) -> Callable[[str], str]:
    """What the model says to a word."""
    return lambda word: model.complete([Message("user", word)], max_tokens=max_tokens).text


def word_of(request: dict[str, Any]) -> str:
    return str(request["messages"][0]["content"])


WORDS = [str(number) for number in range(12)]


def test_order_is_kept_and_so_many_are_asked_at_once() -> None:
    """Also where later answers come first."""

    def script(request: dict[str, Any]) -> Played:
        number = int(word_of(request))
        return says(f"answer {number}", delay=0.02 if number % 2 else 0.04)

    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", concurrency=3) as model:
        assert side_by_side(asking(model), WORDS, concurrency_of(model)) == [f"answer {word}" for word in WORDS]
    assert 1 < server.busiest <= 3


@given(items=st.lists(st.integers(), max_size=20), at_once=st.integers(0, 5))
def test_it_is_a_map(items: list[int], at_once: int) -> None:
    """However many are asked at once; one at a time in the thread of the caller."""
    threads: list[threading.Thread] = []

    def ask(item: int) -> int:
        threads.append(threading.current_thread())
        return item * 2

    assert side_by_side(ask, items, at_once) == [item * 2 for item in items]
    if min(at_once, len(items)) < 2:
        assert set(threads) <= {threading.current_thread()}


@pytest.mark.parametrize("at_once", [1, 3])
def test_an_error_lets_no_further_item_begin(at_once: int) -> None:
    """What was under way is finished before it is raised."""

    def script(request: dict[str, Any]) -> Played:
        return refuses(401, "no") if word_of(request) == "1" else says("yes", delay=0.05)

    said: list[str] = []
    settings: dict[str, Any] = {"concurrency": at_once, "attempts": 1}
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", **settings) as model:
        ask = asking(model)
        with pytest.raises(EndpointError, match="401"):
            side_by_side(lambda word: said.append(ask(word)), WORDS, at_once)
        assert len(server.requests) <= at_once + 1
        assert len(said) == len(server.requests) - 1


def test_a_defect_comes_to_light_where_the_items_are() -> None:
    """It does not die with its thread, and nothing is done twice."""
    asked: list[int] = []

    def ask(item: int) -> int:
        asked.append(item)
        return 10 // item

    with pytest.raises(ZeroDivisionError):
        side_by_side(ask, [1, 2, 0, 3], 2)
    assert len(asked) == len(set(asked))


def test_what_finds_no_room_beside_others_is_asked_alone() -> None:
    """A call may take 60 tokens and takes 15: only two fit under the cap at once, and all six one after the other."""
    settings: dict[str, Any] = {"concurrency": 4, "token_cap": 140}
    with serving(says("ok", delay=0.02)) as server, OpenAICompatible(base_url=server.url, model="s", **settings) as one:
        assert side_by_side(asking(one), WORDS[:6], 4) == ["ok"] * 6
        assert one.meter.total.tokens == 90


def test_a_cap_is_never_passed_and_then_said() -> None:
    """What was answered before is there for whoever keeps it, each item once."""
    said: dict[str, str] = {}
    settings: dict[str, Any] = {"concurrency": 4, "call_cap": 5}
    with serving(says("ok", delay=0.01)) as server, OpenAICompatible(base_url=server.url, model="s", **settings) as one:
        ask, counted = asking(one), Counted(one)
        with pytest.raises(BudgetExceeded, match="5 of the 5 allowed"):
            side_by_side(lambda word: said.setdefault(word, asking(counted)(word)), WORDS, counted.concurrency)
        with pytest.raises(BudgetExceeded):
            ask("more")
        assert len(server.requests) == len(said) == counted.cost.llm_calls == 5


def test_an_interruption_returns_at_once_and_keeps_what_is_paid(tmp_path: Path) -> None:
    """Ctrl-C while two of many slow answers are on their way: no other begins, and these arrive in the cache."""
    settings: dict[str, Any] = {"concurrency": 2, "cache": str(tmp_path)}
    with (
        serving(says("late", delay=1.0)) as server,
        OpenAICompatible(base_url=server.url, model="s", **settings) as one,
    ):
        began = time.monotonic()
        threading.Timer(0.3, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            side_by_side(asking(one), WORDS, 2)
        assert time.monotonic() - began < 0.9
        time.sleep(1.2)
        assert len(server.requests) == 2
        assert side_by_side(asking(one), WORDS[:2], 2) == ["late", "late"]
        assert len(server.requests) == 2
