"""Summaries of several texts: by their central sentences, by a language model, and what keeps them on disk."""

from __future__ import annotations

import _thread
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import EndpointError, StorageFull
from polyhop.indexes.central import SAME, central
from polyhop.layers.summaries.central_sentences import extractive_summary, sentences_of
from polyhop.layers.summaries.summariser import Summariser, WantedSummary
from polyhop.models.accounting import estimated_tokens
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.structured import check
from polyhop.models.tallied import Counted
from polyhop.models.within import Within
from polyhop.ports import Floats, LanguageModel
from polyhop.prompts import summarise as task
from polyhop.prompts.summarise import grounded, summarise
from polyhop.store.summary_store import Stored, SummaryStore
from tests.worlds.endpoint import EndpointServer, Played, Script, in_turn, refuses, says, serving
from tests.worlds.waiting import until

BRIDGE = [
    "The Long Weir\n\nThe Long Weir is a bridge in Ossby. It was built by Ada Brook in 1892.",
    "Ada Brook was a shipwright. She built the Long Weir in Ossby. In winter she kept bees.",
    "Ossby lies on the River Oar. The Long Weir crosses the River Oar at Ossby.",
]


# --- the most central of vectors --------------------------------------------------------------------------------------


def units(rows: Sequence[Sequence[float]]) -> Floats:
    array = np.array(rows, np.float32)
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True), np.float32)


def test_the_first_pick_is_nearest_to_the_middle() -> None:
    """And the next ones are near to it, but not to each other."""
    vectors = units([(1, 0, 0), (1, 1, 0.1), (0, 1, 0), (1, 1, 0.15), (-1, 0, 1)])
    assert central(vectors, 1).tolist() == [3]
    assert central(vectors, 3).tolist()[0] == 3
    assert 1 not in central(vectors, 5), "it says the same as the first"


def test_each_subject_is_heard() -> None:
    """Two groups: the second pick is of the other group."""
    vectors = units([(1, 0.05), (1, 0.2), (1, 0.4), (0.3, 1), (0.1, 1)])
    assert central(vectors, 2).tolist()[1] >= 3


def test_the_edges_of_picking() -> None:
    """Nothing to pick from, nothing wanted, opposites without a middle."""
    assert central(np.empty((0, 4), np.float32), 3).tolist() == []
    assert central(units([(1, 0)]), 0).tolist() == []
    assert central(units([(1, 0), (-1, 0)]), 5).tolist() == [0, 1]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(any), min_size=1, max_size=12),
    k=st.integers(0, 14),
)
def test_picks_are_few_and_differ(rows: list[list[float]], k: int) -> None:
    """At most k, each once, no two alike; fewer picks are the first ones of more picks."""
    vectors = units(rows)
    picks = central(vectors, k).tolist()
    assert len(picks) == len(set(picks)) <= k
    cosines = vectors[picks] @ vectors[picks].T - np.eye(len(picks))
    assert (cosines < SAME + 1e-6).all()
    assert picks[:2] == central(vectors, min(k, 2)).tolist()


# --- central sentences ------------------------------------------------------------------------------------------------


def test_a_summary_has_central_sentences_in_their_order(models: Models) -> None:
    """Letter for letter; what nothing else speaks of is left out."""
    summary = extractive_summary(BRIDGE, models.embedder.embed_passages, sentences=3)
    chosen = [sentence for sentence in sentences_of(BRIDGE) if sentence in summary]
    assert " ".join(chosen) == summary
    assert len(chosen) == 3
    assert "Long Weir" in summary
    assert "bees" not in summary


def test_headings_are_passed_over() -> None:
    """Where there are sentences; repeated ones count once, and line breaks within one are spaces."""
    texts = ["The Long Weir\n\nIt was\nbuilt in 1892.", "It was built in 1892."]
    assert sentences_of(texts) == ["It was built in 1892."]
    assert sentences_of(["The Long Weir", " "]) == ["The Long Weir"]


def test_a_summary_fits(models: Models) -> None:
    """Whatever the number of tokens; the one sentence that is too long is cut at a word."""
    sentences = sentences_of(BRIDGE)
    vectors = dict(zip(sentences, models.embedder.embed_passages(sentences), strict=True))
    for tokens in range(1, 40):
        summary = extractive_summary(BRIDGE, lambda texts: np.stack([vectors[text] for text in texts]), tokens=tokens)
        assert estimated_tokens(summary) <= tokens
        assert set(summary.split()) <= set(" ".join(BRIDGE).split())
    assert len(sentences_of([summary])) > 1


def test_little_is_not_chosen_from() -> None:
    """Nothing is embedded where all fits, and nothing says nothing."""

    def never(texts: Sequence[str]) -> Floats:
        raise AssertionError(texts)

    assert extractive_summary(["One stone is left here."], never) == "One stone is left here."
    assert extractive_summary([], never) == extractive_summary([" \n "], never) == ""
    assert extractive_summary(BRIDGE, never, sentences=0) == ""


# --- a language model -------------------------------------------------------------------------------------------------


@contextmanager
def model_saying(*outputs: object) -> Iterator[tuple[OpenAICompatible, EndpointServer]]:
    """A model that gives these outputs in turn: text as it is, anything else as JSON."""
    texts = [output if isinstance(output, str) else json.dumps(output) for output in outputs]
    script: Script | Played = in_turn(*(says(text) for text in texts))
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        yield model, server


def test_a_model_summarises() -> None:
    """It sees all texts as data and what they have in common; its summary becomes one line."""
    said = "Ada Brook built the Long Weir\nin 1892."
    with model_saying({"summary": said}) as (model, server):
        summary = summarise(model, BRIDGE, about="Ada Brook, Ossby", max_tokens=120)
    assert summary == "Ada Brook built the Long Weir in 1892."
    assert (model.meter.total.llm_calls, model.meter.total.tokens) == (1, 15)
    prompt = server.requests[0]["messages"][1]["content"]
    assert all(text in prompt for text in [*BRIDGE, "Ada Brook, Ossby", "at most 60 words"])
    check({"summary": "x"}, task.SCHEMA)


def test_what_a_model_adds_is_left_out() -> None:
    """A sentence with a name or number that no text has; other forms of a name may stand."""
    texts = ["Ada Brook built the Long Weir in Ossby in 1892. It is an Ossbyan work."]
    sound = "Ada Brook's bridge stands in Ossby. However, it is called the Ossby Weir. It dates from 1892."
    assert grounded(sound, texts) == sound
    assert grounded(f"{sound} She was born in Velm. It cost 1,200 crowns. It was built by Piet.", texts) == sound
    assert grounded("Ihr Werk ist die Brücke. 橋は1892年にできた。", [*texts, "Werk, Brücke"]) != ""
    assert grounded("", texts) == ""


def test_without_a_usable_answer_there_is_no_summary() -> None:
    """It was paid for nevertheless; an endpoint that is down is an error."""
    with model_saying("no", "{}") as (model, _):
        summary = summarise(model, BRIDGE)
        assert (summary, model.meter.total.llm_calls) == ("", 2)
    with pytest.raises(EndpointError):
        summarise(OpenAICompatible(base_url="http://127.0.0.1:9/v1", model="sage", attempts=1), BRIDGE)


def test_texts_that_are_too_many_are_not_all_shown() -> None:
    """Only what fits; a single text that is too long is cut; nobody is asked about nothing."""
    with model_saying({"summary": "It rains."}, {"summary": "It rains."}) as (model, server):
        summarise(model, ["rain " * 5000, "snow " * 3000, "hail " * 1000])
        summarise(model, ["", "rain " * 20_000])
        assert summarise(model, [" "]) == ""
    first, second = (request["messages"][1]["content"] for request in server.requests)
    assert "rain" in first
    assert "snow" in first or "hail" not in first
    assert len(second) < 40_000


@pytest.mark.parametrize("around", [lambda within: within, Counted], ids=["alone", "counted"])
def test_texts_are_cut_to_the_budget_of_a_question(around: Callable[[Within], LanguageModel]) -> None:
    """Also where the model that is within it is wrapped, and with what is said before the texts."""
    with model_saying({"summary": "It rains."}) as (model, server):
        assert summarise(around(Within(model, 1, context=200)), ["rain " * 500]) == "It rains."
    assert estimated_tokens(server.requests[0]["messages"][1]["content"]) in range(180, 201)


# --- the store --------------------------------------------------------------------------------------------------------


def kept(number: int) -> Stored:
    return Stored(f"key {number}", f"text {number} — ü", (number,))


def file_of(folder: Path) -> Path:
    (file,) = folder.glob("*.jsonl")
    return file


def test_a_summary_is_kept(tmp_path: Path) -> None:
    """Over runs; the first one of a key stays; other makers' are other summaries."""
    SummaryStore.open(tmp_path, "ada").put([kept(1), kept(2)])
    store = SummaryStore.open(tmp_path, "ada")
    store.put([Stored("key 1", "another text", ())])
    assert [store.get("key 1"), store.get("key 2"), store.get("key 3")] == ["text 1 — ü", "text 2 — ü", None]
    assert len(SummaryStore.open(tmp_path, "ada")) == 2
    assert len(SummaryStore.open(tmp_path, "piet")) == 0


@pytest.mark.parametrize("length", [1, 10, 40])
def test_a_torn_line_costs_one_summary(tmp_path: Path, length: int) -> None:
    """Also when others are written after it."""
    SummaryStore.open(tmp_path, "ada").put([kept(1), kept(2)])
    file = file_of(tmp_path)
    file.write_bytes(file.read_bytes()[:-length])
    store = SummaryStore.open(tmp_path, "ada")
    known = {number for number in (1, 2) if store.get(kept(number).key)}
    assert 1 in known
    store.put([kept(3)])
    again = SummaryStore.open(tmp_path, "ada")
    assert {number for number in (1, 2, 3) if again.get(kept(number).key)} == known | {3}


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b'"x"', b'{"key":1,"text":"x","passages":[]}', b"\xff\xfe", b"[" * 9000]
)
def test_a_damaged_line_is_passed_over(tmp_path: Path, line: bytes) -> None:
    """Whatever it holds."""
    SummaryStore.open(tmp_path, "ada").put([kept(1)])
    with file_of(tmp_path).open("ab") as file:
        file.write(line + b"\n")
    SummaryStore.open(tmp_path, "ada").put([kept(2)])
    assert len(SummaryStore.open(tmp_path, "ada")) == 2


def write_some(folder: Path, start: int) -> None:
    store = SummaryStore.open(folder, "ada")
    for number in range(start, start + 20):
        store.put([kept(number)])


def test_many_may_write(tmp_path: Path) -> None:
    """Threads and processes at once, and each sees what others wrote when it looks again."""
    early = SummaryStore.open(tmp_path, "ada")
    workers = [get_context("spawn").Process(target=write_some, args=(tmp_path, start)) for start in (0, 10)]
    for worker in workers:
        worker.start()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: early.put([kept(number)]), range(25, 45)))
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    early.refresh()
    assert len(early) == len(SummaryStore.open(tmp_path, "ada")) == 45
    assert all(json.loads(line) for line in file_of(tmp_path).read_text("utf-8").splitlines())


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And the summaries are there as long as the store is."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    store = SummaryStore.open(blocked / "communities", "ada")
    with caplog.at_level(logging.WARNING):
        store.put([kept(1)])
        store.put([kept(2)])
    assert (store.get("key 1"), store.get("key 2")) == ("text 1 — ü", "text 2 — ü")
    assert len(caplog.records) == 1


def test_of_removed_passages_no_text_stays(tmp_path: Path) -> None:
    """Not in the store, and not on disk."""
    SummaryStore.open(tmp_path, "ada").put([kept(1), kept(2), Stored("both", "text of both", (1, 2))])
    store = SummaryStore.open(tmp_path, "ada", np.array([2, 3], np.int64))
    assert [store.get(key) for key in ("key 1", "key 2", "both")] == [None, "text 2 — ü", None]
    assert b"text 1" not in file_of(tmp_path).read_bytes()
    store.put([kept(3)])
    assert len(SummaryStore.open(tmp_path, "ada")) == 2


def test_a_torn_line_goes_with_what_is_removed(tmp_path: Path) -> None:
    """It may hold a text of passages that are no more."""
    SummaryStore.open(tmp_path, "ada").put([kept(1), kept(2)])
    file = file_of(tmp_path)
    file.write_bytes(file.read_bytes()[:-1][:-5])
    SummaryStore.open(tmp_path, "ada", np.array([1], np.int64))
    assert b"text 2" not in file.read_bytes()
    assert len(SummaryStore.open(tmp_path, "ada")) == 1


def test_what_has_to_be_stored_is_an_error_where_it_cannot(tmp_path: Path) -> None:
    """Nobody is to pay for what is not kept."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    with pytest.raises(StorageFull):
        SummaryStore(blocked / "tree.jsonl", required=True).put([kept(1)])


# --- the writer -------------------------------------------------------------------------------------------------------


def wanted(count: int) -> list[WantedSummary]:
    """So many summaries, each of one text that says its number."""
    return [WantedSummary(key=f"k{one}", texts=[f"Weir {one} was built."], passages=(one,)) for one in range(count)]


def number_in(request: Mapping[str, Any]) -> int:
    return int(re.findall(r"Weir (\d+)", request["messages"][1]["content"])[0])


def weirs(request: Mapping[str, Any], **more: Any) -> Played:
    """A summary that says the number."""
    return says(json.dumps({"summary": f"Weir {number_in(request)} was built."}), **more)


@contextmanager
def writing(script: Script, **settings: Any) -> Iterator[tuple[OpenAICompatible, EndpointServer]]:
    """A model that keeps no answers: what is stored is in the store."""
    quick: dict[str, Any] = {"first_wait": 0.001, "longest_wait": 0.002, "attempts": 2, "concurrency": 3}
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage", **{**quick, **settings}) as one:
        yield one, server


def test_what_is_written_is_stored_at_once_and_counted(tmp_path: Path) -> None:
    """Several at a time, each under its key."""
    store = SummaryStore.open(tmp_path, "ada")
    with writing(lambda request: weirs(request, delay=0.02)) as (model, server):
        writer = Summariser(store, model, 100)
        writer.of(wanted(9))
    again = SummaryStore.open(tmp_path, "ada")
    assert [again.get(f"k{one}") for one in range(9)] == [f"Weir {one} was built." for one in range(9)]
    assert (writer.why, model.meter.total.llm_calls, server.busiest) == ("", 9, 3)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_one_that_is_refused_does_not_stop_the_others(tmp_path: Path, concurrency: int) -> None:
    """It is left for another time; a useless answer is kept as such, and what it cost is counted."""
    store = SummaryStore.open(tmp_path, "ada")

    def script(request: Mapping[str, Any]) -> Played:
        number = number_in(request)
        if number == 2:
            return refuses(400, "filtered")
        return says('{"summary": "It cost 70 crowns."}') if number == 4 else weirs(request)

    with writing(script, concurrency=concurrency) as (model, _):
        writer = Summariser(store, model, 100)
        writer.of(wanted(8))
    assert [one for one in range(8) if not store.get(f"k{one}")] == [2, 4]
    assert (store.get("k2"), store.get("k4")) == (None, "")
    assert (writer.why, model.meter.total.llm_calls) == ("", 7)


@pytest.mark.parametrize("trouble", [refuses(401, "who are you?"), refuses(400, "never"), refuses(503, "busy")])
def test_an_endpoint_that_is_at_fault_is_not_asked_further(tmp_path: Path, trouble: Played) -> None:
    """What was written before stays, and is not asked for again by the next run."""
    calls = iter(range(99))
    store = SummaryStore.open(tmp_path, "ada")
    with writing(lambda request: weirs(request) if next(calls) < 3 else trouble, concurrency=1) as (model, server):
        writer = Summariser(store, model, 100)
        writer.of(wanted(20))
        asked = len(server.requests)
        writer.of(wanted(20))
        assert len(server.requests) == asked <= 6
    assert writer.why
    assert len(SummaryStore.open(tmp_path, "ada")) == model.meter.total.llm_calls == 3


def test_a_call_that_a_cap_keeps_from_being_repaired_is_counted(tmp_path: Path) -> None:
    """The broken answer was paid for."""
    with writing(lambda _: says("no JSON"), call_cap=1) as (model, _):
        writer = Summariser(SummaryStore.open(tmp_path, "ada"), model, 100)
        writer.of(wanted(1))
    assert "calls" in writer.why
    assert model.meter.total.llm_calls == 1


def test_an_interruption_keeps_what_is_written(tmp_path: Path) -> None:
    """Ctrl-C does not wait for answers; whoever goes on afterwards pays for the rest only."""
    store = SummaryStore.open(tmp_path, "ada")
    with writing(partial(weirs_late, late=range(4, 99)), concurrency=2) as (model, server):
        pressed: list[float] = []

        def press() -> None:
            until(lambda: len(server.requests) == 6)
            pressed.append(time.monotonic())
            _thread.interrupt_main()

        threading.Thread(target=press).start()
        with pytest.raises(KeyboardInterrupt):
            Summariser(store, model, 100).of(wanted(12))
        assert time.monotonic() - pressed[0] < 0.5, "an answer takes twice as long"
        assert len(server.requests) == 6
        until(lambda: len(SummaryStore.open(tmp_path, "ada")) == 6)  # those under way were paid for, and come
        assert len(server.requests) == 6
        server.script = weirs
        Summariser(store, model, 100).of([one for one in wanted(12) if store.get(one.key) is None])
        assert len(server.requests) == 12
    assert all(store.get(f"k{one}") for one in range(12))


def weirs_late(request: Mapping[str, Any], late: range) -> Played:
    return weirs(request, delay=1.0 if number_in(request) in late else 0.0)
