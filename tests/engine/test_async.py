"""The engine under asyncio: the same answers, calls side by side, and work that ends when nobody waits for it."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest

from polyhop import Answer, AsyncPolyhop, IndexReport, Polyhop
from polyhop.asynchronous import _in_a_thread
from polyhop.errors import IndexLocked, IndexMissing, UsageError
from polyhop.reports import Progress
from polyhop.types import Hop
from tests.worlds.documents import HARBOUR_BRIDGE, write
from tests.worlds.settings import QUICK


def test_it_has_all_methods_of_the_engine() -> None:
    """With the same arguments, and nothing beside them; only a view of one moment stays in its thread."""
    ours = {name for name in vars(Polyhop) if not name.startswith("_")}
    theirs = {name for name in vars(AsyncPolyhop) if not name.startswith("_")}
    assert ours - theirs == {"view", "models"}
    assert theirs <= ours
    for name in theirs:
        assert inspect.signature(getattr(AsyncPolyhop, name)).parameters == (
            inspect.signature(getattr(Polyhop, name)).parameters
        )
        assert inspect.iscoroutinefunction(getattr(AsyncPolyhop, name))


def test_it_answers_like_the_engine(harbour_engine: Polyhop) -> None:
    async def asked() -> list[Answer]:
        async with AsyncPolyhop(harbour_engine.path, settings=QUICK) as engine:
            return await asyncio.gather(*(engine.ask(HARBOUR_BRIDGE, strategy=name) for name in ("paths", "hybrid")))

    for answer in asyncio.run(asked()):
        expected = harbour_engine.ask(HARBOUR_BRIDGE, strategy=answer.evidence.strategy)
        assert (answer.text, answer.citations) == (expected.text, expected.citations)
        assert answer.evidence.passages == expected.evidence.passages


def test_errors_reach_who_waits(tmp_path: Path) -> None:
    async def asked() -> None:
        async with AsyncPolyhop(tmp_path / "none.index") as engine:
            with pytest.raises(IndexMissing):
                await engine.ask("Who designed the lighthouse?")
            with pytest.raises(UsageError):
                await engine.search("?", k=0)

    asyncio.run(asked())


def test_the_loop_goes_on_while_it_works(harbour: Path) -> None:
    async def beats() -> tuple[int, IndexReport]:
        async with AsyncPolyhop(harbour.parent / "new.index", settings=QUICK) as engine:
            work, count = asyncio.create_task(engine.index(harbour)), 0
            while not work.done():
                await asyncio.sleep(0.001)
                count += 1
            return count, await work

    count, report = asyncio.run(beats())
    assert report.added == 4
    assert count > 5


def test_calls_that_write_follow_one_another(tmp_path: Path) -> None:
    async def written() -> tuple[int, int]:
        async with AsyncPolyhop(tmp_path / "birds.index", settings=QUICK) as engine:
            added = [engine.add_text(f"Bird {number} dives.", f"bird{number}", layers=["text"]) for number in range(3)]
            await asyncio.gather(*added)
            removed = await asyncio.gather(engine.remove("bird0"), engine.remove("bird1"))
            return (await engine.status()).documents, sum(len(each.removed) for each in removed)

    assert asyncio.run(written()) == (1, 2)


def test_a_listener_that_writes_is_told_that_somebody_does(tmp_path: Path) -> None:
    """Its own call holds the index, so that to wait would be to wait for ever."""
    with Polyhop(tmp_path / "birds.index", settings=QUICK) as engine:

        def listen(_: Progress) -> None:
            engine.add_text("A second bird.", "second", layers=["text"])

        with pytest.raises(IndexLocked):
            engine.add_text("A bird dives.", "first", layers=["text"], progress=listen)


def test_indexing_that_is_cancelled_stops_and_goes_on_later(tmp_path: Path) -> None:
    folder = write(tmp_path / "many", {f"{number}.txt": f"Bird {number} dives." for number in range(450)})
    first, stopped = threading.Event(), threading.Event()

    def listen(step: Progress) -> None:
        first.set()
        stopped.wait(30)  # until the call has been cancelled

    async def cancelled() -> tuple[int, IndexReport]:
        async with AsyncPolyhop(tmp_path / "many.index", settings=QUICK) as engine:
            work = asyncio.create_task(engine.index(folder, layers=("text",), progress=listen))
            await asyncio.to_thread(first.wait, 30)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
            stopped.set()
            await engine.close()  # waits until the thread has stopped; what it did is stored
            done = (await engine.status()).documents
            return done, await engine.index(folder, layers=("text",))

    done, report = asyncio.run(cancelled())
    assert 0 < done < 450
    assert (report.unchanged, report.added) == (done, 450 - done)


def test_a_question_that_is_cancelled_stops_at_the_next_hop(harbour_engine: Polyhop) -> None:
    first, cancelled, later = threading.Event(), threading.Event(), list[int]()

    def listen(place: int, _: Hop) -> None:
        if first.is_set():
            later.append(place)
        first.set()
        cancelled.wait(30)

    async def asked() -> None:
        async with AsyncPolyhop(harbour_engine.path, settings=QUICK) as engine:
            question = asyncio.create_task(engine.ask(HARBOUR_BRIDGE, strategy="paths", told=listen))
            assert await asyncio.to_thread(first.wait, 30)
            question.cancel()
            with pytest.raises(asyncio.CancelledError):
                await question
            cancelled.set()

    asyncio.run(asked())
    assert not later


def test_a_call_that_is_made_while_it_closes_waits_until_it_has(
    harbour_engine: Polyhop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is closed twice at once: nothing is closed beneath a call."""
    done: list[str] = []
    slow = threading.Event()

    def status(_: Polyhop) -> None:
        slow.wait(0.3)
        done.append("asked")

    async def closed() -> None:
        engine = AsyncPolyhop(harbour_engine.path, settings=QUICK)
        monkeypatch.setattr(engine.engine, "close", lambda: done.append("closed"))
        under_way = asyncio.create_task(engine.status())
        await asyncio.sleep(0)
        closing = [asyncio.create_task(engine.close()) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.gather(engine.status(), under_way, *closing)
        await engine.close()

    monkeypatch.setattr(AsyncPolyhop, "status", _in_a_thread(status))
    asyncio.run(closed())
    assert done == ["asked", "closed", "closed", "asked", "closed"]


def test_closing_waits_for_calls_under_way_and_the_next_call_opens_again(harbour_engine: Polyhop) -> None:
    async def closed() -> Answer:
        engine = AsyncPolyhop(harbour_engine.path, settings=QUICK)
        asked = asyncio.create_task(engine.ask(HARBOUR_BRIDGE))
        await asyncio.sleep(0)
        await engine.close()
        again = await engine.ask(HARBOUR_BRIDGE)
        await engine.close()
        assert (await asked).text == again.text
        return again

    assert asyncio.run(closed()).evidence.passages
