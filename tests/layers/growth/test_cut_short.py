"""Where passages fail, calls run out or the endpoint refuses, growing keeps what was answered and leaves the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import EndpointError
from polyhop.layers.facts.layer import FactsLayer
from polyhop.models.within import Within
from polyhop.ports import Rows
from polyhop.types import Passage
from tests.worlds.endpoint import Played, refuses, says
from tests.worlds.growing_facts import ROWS, Logbook, pull, status_of, stored
from tests.worlds.logbook import knowing, shown_in


def allowed(engine: Polyhop, calls: int) -> Within:
    """The configured model, which may be asked so many times during one question."""
    model = engine.models.language_model
    assert model is not None
    return Within(model, calls)


def test_a_passage_that_fails_is_marked_and_the_others_come_through(logbook: Logbook) -> None:
    def stubborn(request: dict[str, Any]) -> Played:
        return says("no idea") if "day 2." in str(request["messages"][1]) else knowing(request)

    logbook.server.script = stubborn
    with logbook.engine() as engine:
        out = pull(engine, [1, 2, 3, 4, 5])
        assert (out.extracted, sorted(out.facts), list(out.failed), out.left) == (4, [1, 2, 4, 5], [3], ())
        assert "no JSON that fits" in out.failed[3]
        calls = len(logbook.server.requests)
        again = pull(engine, [3, 4])
        assert (again.extracted, again.failed, list(again.facts)) == (0, out.failed, [4])
        assert (len(logbook.server.requests), status_of(engine).failed) == (calls, 1)


def test_where_nothing_more_may_be_asked_the_rest_is_left(logbook: Logbook) -> None:
    with logbook.engine() as engine:
        out = pull(engine, range(1, ROWS + 1), model=allowed(engine, 3))
        assert (out.extracted, out.left) == (12, tuple(range(13, ROWS + 1)))
        assert out.note.startswith("No calls")
        assert (len(logbook.server.requests), status_of(engine).cost.llm_calls) == (3, 3)
        assert len(stored(engine)) == 12
        assert pull(engine, [1, 12], model=allowed(engine, 0)).left == ()
        nothing = pull(engine, [1, 20], model=allowed(engine, 0))
        assert (sorted(nothing.facts), nothing.left) == ([1], (20,))
        rest = pull(engine, range(1, ROWS + 1))
        assert (rest.extracted, rest.left, rest.note) == (12, (), "")
    assert len(logbook.asked) == ROWS


def test_what_was_answered_before_a_cap_inside_a_chunk_is_kept(logbook: Logbook) -> None:
    """A chunk is two calls here, and the cap falls between them."""
    with logbook.engine("language_model.call_cap=3") as engine:
        out = pull(engine, range(1, ROWS + 1))
        assert (out.extracted, len(stored(engine)), len(out.left)) == (12, 12, 12)
        assert "Raise the cap on calls" in out.note


def test_what_was_answered_before_a_cap_is_looked_for_once(logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Call by call, and then passage by passage, however many calls ran side by side."""
    asked, extract = list[int](), FactsLayer.extract

    def counted(self: FactsLayer, passages: Sequence[Passage], *given: Any) -> Sequence[Rows]:
        asked.append(len(passages))
        return extract(self, passages, *given)

    monkeypatch.setattr(FactsLayer, "extract", counted)
    with logbook.engine("language_model.concurrency=6", "language_model.call_cap=3") as engine:
        out = pull(engine, range(1, ROWS + 1))
        assert (out.extracted, len(stored(engine)), len(out.left)) == (12, 12, 12)
    assert asked == [ROWS, *[4] * 6, *[1] * 12]


def test_what_was_answered_passage_by_passage_before_a_cap_is_kept(logbook: Logbook) -> None:
    """An answer for several that stays broken is asked for again for each of them."""
    logbook.server.script = lambda request: knowing(request) if len(shown_in(request)) == 1 else says("What?")
    with logbook.engine("language_model.call_cap=4", "language_model.concurrency=1") as engine:
        out = pull(engine, [1, 2, 3, 4])
        assert (sorted(stored(engine)), out.left, status_of(engine).cost.llm_calls) == ([1, 2], (3, 4), 4)


def test_trouble_with_the_endpoint_is_an_error_once_what_was_answered_is_stored(logbook: Logbook) -> None:
    calls = iter(range(99))
    logbook.server.script = lambda request: knowing(request) if next(calls) < 2 else refuses(401, "no such key")
    with logbook.engine() as engine:
        with pytest.raises(EndpointError, match="401"):
            pull(engine, range(1, ROWS + 1))
        assert (len(stored(engine)), status_of(engine).failed) == (8, 0)


def test_without_an_endpoint_nothing_is_extracted(logbook: Logbook) -> None:
    with logbook.engine() as engine:
        pull(engine, [1, 2])
    with logbook.engine("models.language_model=none") as engine:
        out = pull(engine, [1, 2, 3])
        assert (sorted(out.facts), out.extracted, out.left) == ([1, 2], 0, (3,))
        assert "none is configured" in out.note
