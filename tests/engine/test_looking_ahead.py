"""What has changed is opened beside questions, and what has not is taken over from what was open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import IndexMissing
from polyhop.indexing import looking_ahead
from polyhop.layers.text.layer import TextLayer
from polyhop.store.record import Record
from tests.worlds.settings import QUICK

BRIDGE = "Who designed the lighthouse that was built in the town where Ilse Fennick was born?"
GULL = "Which gull was seen from the lighthouse?"
LONG = 20.0  # seconds that a busy machine may take


@pytest.fixture
def server(harbour_engine: Polyhop) -> Iterator[Polyhop]:
    """An engine that looks ahead, as that of a server does, and has been asked once."""
    with Polyhop(harbour_engine.path, settings=QUICK, beside=True) as engine:
        engine.search(GULL, strategy="bm25")
        yield engine


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + LONG
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def best(engine: Polyhop, strategy: str, question: str = GULL) -> list[tuple[str, float | None]]:
    return [(passage.text, passage.score) for passage in engine.search(question, k=50, strategy=strategy).passages]


def test_the_first_question_after_a_change_finds_it_opened(server: Polyhop, harbour_engine: Polyhop) -> None:
    opened: list[str] = []
    usual = TextLayer.open

    def noted(layer: TextLayer, *arguments: object) -> object:
        opened.append(threading.current_thread().name)
        return usual(layer, *arguments)  # type: ignore[arg-type]

    with patch.object(TextLayer, "open", noted):
        harbour_engine.add_text("A gull called Orrin was seen from the lighthouse.", "gull.txt")
        with Record.open(server.path) as record:
            until(lambda: server._opened is not None and server._opened[0].endswith(record.state()))
        assert "Orrin" in best(server, "bm25")[0][0]
    assert set(opened) == {"looking ahead"}


def test_a_question_sees_what_was_found_before_it_though_nobody_looked_ahead(
    server: Polyhop, harbour_engine: Polyhop
) -> None:
    with patch.object(looking_ahead, "EVERY", LONG):
        for name in ("Orrin", "Maude"):
            harbour_engine.add_text(f"A gull called {name} was seen from the lighthouse.", f"{name}.txt")
            assert any(name in text for text, _ in best(server, "bm25"))


@pytest.mark.parametrize("strategy", ["bm25", "dense", "hybrid(rerank=false)", "paths"])
def test_who_took_over_what_was_open_finds_what_who_opens_all_finds(
    server: Polyhop, harbour_engine: Polyhop, strategy: str
) -> None:
    """Change after change: documents come, are replaced, and go."""
    changes: list[Callable[[], object]] = [
        lambda: harbour_engine.add_text("A gull called Orrin was seen from the lighthouse.", "gull.txt"),
        lambda: harbour_engine.add_text("Ilse Fennick was seen by a gull called Maude.", "gull.txt"),
        lambda: harbour_engine.remove("fennick.txt"),
        lambda: harbour_engine.remove("gull.txt"),
    ]
    for change in changes:
        change()
        with Polyhop(server.path, settings=QUICK) as afresh:
            for question in (GULL, BRIDGE):
                assert best(server, strategy, question) == best(afresh, strategy, question)


def test_a_question_over_what_was_there_goes_on_while_others_are_opened(
    server: Polyhop, harbour_engine: Polyhop
) -> None:
    """What it has mapped is not closed under it, though its files are gone."""
    with server.view() as before:
        found = best(server, "paths")
        for number in range(3):
            harbour_engine.add_text(f"Gull {number} was seen from the lighthouse.", f"gull{number}.txt")
            seen = before
            until(lambda seen=seen: server._opened is not None and server._opened[1] is not seen)  # type: ignore[misc]
        assert best(server, "paths") == found
    assert best(server, "paths") != found


def test_a_layer_that_did_not_change_is_not_opened_again(fresh_index: Path) -> None:
    """And one that did is, even if only what is said of it changed."""
    with Polyhop(fresh_index, settings=QUICK) as engine:
        with engine.view() as view:
            before = dict(view.layers)
        with Record.create_or_open(fresh_index) as record:
            current = record.generation("text")
            assert current is not None
            record.set_generation("text", current.name, {**current.description, "remark": "the same once more"})
        with engine.view() as view:
            assert {name for name, index in view.layers.items() if index is not before[name]} == {"text"}


def test_nobody_looks_when_no_question_comes_any_more(server: Polyhop) -> None:
    def looking() -> bool:  # this server: others of the same process may still be looking
        assert server._lookout is not None
        work = server._lookout._work
        return work is not None and work.is_alive()

    with patch.object(looking_ahead, "QUIET", 0.0):
        server.search(GULL, strategy="bm25")
        until(lambda: not looking())
    server.search(GULL, strategy="bm25")
    assert looking()
    server.close()
    until(lambda: not looking())


def test_an_index_that_is_gone_is_told_to_who_asks(server: Polyhop, tmp_path: Path) -> None:
    server.path.rename(tmp_path / "elsewhere")
    time.sleep(2 * looking_ahead.EVERY)
    with pytest.raises(IndexMissing):
        server.search(GULL, strategy="bm25")
