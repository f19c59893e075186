"""Indexing with a language model that fails or is interrupted: what was paid for is kept, and not paid for twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from polyhop.errors import EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Message
from polyhop.store.record import Record
from tests.worlds.endpoint import Played, refuses, serving
from tests.worlds.logbook import ROWS, knowing
from tests.worlds.machine import posix
from tests.worlds.paid_logbook import Place, facts, failing_from

# --- endpoints and people that stop in the middle ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (refuses(503, "out to lunch"), "out to lunch"),
        (refuses(401, "no such key"), "401"),
        (Played(body=b"{}" * 99, hang_up=True), "in vain"),
        (Played(body=b"<p>Welcome!</p>", headers={"Content-Type": "text/html"}), "not answer with a completion"),
    ],
)
def test_an_endpoint_that_fails_in_the_middle_leaves_what_was_done(place: Place, trouble: Played, said: str) -> None:
    place.server.script = failing_from(6, trouble)
    with pytest.raises(EndpointError, match=said) as caught:
        place.index()
    assert "Layer facts: 16 of 40 passages were done before and are stored." in str(caught.value)
    assert caught.value.remedy
    assert len(place.rows()) == 16
    with place.engine() as engine:
        paid = len(place.server.requests) if trouble.hang_up else 5  # what is granted and breaks off may be charged
        assert engine.status().layers[0].cost.llm_calls == paid, "a call of the third chunk was paid for"
        assert engine.status().layers[0].failed == 0
    place.server.script = knowing
    rest = place.index()
    assert (facts(rest).extracted, facts(rest).left, rest.cost.llm_calls) == (24, 0, 5)
    assert sorted(place.rows()) == list(range(1, ROWS + 1))


@posix
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_interrupted_pays_again_for_what_was_under_way_only(place: Place, sent: signal.Signals) -> None:
    place.server.script = lambda request: replace(knowing(request), delay=0.1)
    command = [sys.executable, "-m", "polyhop.cli.main", *place.arguments()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while process.poll() is None and len(place.server.requests) < 6 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, sent)
    out, err = process.communicate(timeout=60)
    asked = len(place.server.requests)
    assert 6 <= asked < 10
    assert b"Traceback" not in err
    assert out == b""
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert b"What was done is stored: the same command goes on from there." in err
    with Record.open(place.folder / "an.index") as record:
        record.verify()
    kept = len(place.rows())
    assert kept in (8, 16, 24)
    place.server.script = knowing
    rest = place.index()
    assert (facts(rest).extracted, facts(rest).reused, facts(rest).left) == (ROWS - kept, kept, 0)
    assert len(place.server.requests) <= 10 + 2, "two calls were under way"


def test_damage_to_what_a_model_was_paid_for_is_mended_without_asking_it(place: Place) -> None:
    """The rows are in the record: only what was gathered of them is made again."""
    place.index()
    asked, rows = len(place.server.requests), place.rows()
    gathered = (place.folder / "an.index" / "generations" / "facts").rglob("*.npy")
    before = {file: file.read_bytes() for file in gathered}
    for file in before:
        file.write_bytes(b"")
    place.index()
    assert (len(place.server.requests), place.rows()) == (asked, rows)
    assert {file: file.read_bytes() for file in before} == before


# --- errors of endpoints say whether repeating helps ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "status"),
    [
        (refuses(401, "no"), 401),
        (refuses(400, "filtered"), 400),
        (refuses(400, "maximum context length exceeded"), 413),
        (refuses(503, "busy"), None),
        (Played(body=b"Hello", headers={"Content-Type": "text/plain"}), 200),
        (Played(body=b"{}" * 99, hang_up=True), None),
    ],
)
def test_errors_of_an_endpoint_carry_the_status_of_a_final_answer(played: Played, status: int | None) -> None:
    with (
        serving(played) as server,
        OpenAICompatible(base_url=server.url, model="sage", attempts=2, first_wait=0.001, longest_wait=0.002) as model,
        pytest.raises(EndpointError) as caught,
    ):
        model.complete([Message("user", "Who landed?")])
    assert caught.value.status == status


def test_a_prompt_that_cannot_fit_has_the_status_for_it() -> None:
    with (
        OpenAICompatible(base_url="http://localhost:1/v1", model="sage", max_context=100) as model,
        pytest.raises(EndpointError) as caught,
    ):
        model.complete([Message("user", "gull " * 900)])
    assert caught.value.status == 413
