"""Whoever asks may hear what a language model writes of the answer while it writes; the answer is what was checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.models.endpoint import OpenAICompatible
from polyhop.types import Answer, Cost
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import EndpointServer, Played, in_turn, says, serving, streamed
from tests.worlds.sage import sage
from tests.worlds.settings import QUICK

Script = Callable[[dict[str, Any]], Played]
BORN = "Edda Marrish was born in Pellingrove in 1271"


class Draft:
    """What was told of a draft, and what it was like after each time."""

    def __init__(self) -> None:
        self.states = [""]

    def __call__(self, start: int, text: str) -> None:
        """More of it."""
        assert start <= len(self.states[-1])
        self.states.append(self.states[-1][:start] + text)


@contextmanager
def asking(index: Path, script: Script) -> Iterator[tuple[Polyhop, EndpointServer]]:
    """The world, asked with a language model behind an endpoint."""
    with (
        serving(script) as server,
        OpenAICompatible(base_url=server.url, model="sage", first_wait=0.001, longest_wait=0.002) as model,
        Polyhop(index, settings=QUICK, language_model=model) as engine,
    ):
        yield engine, server


def reply(text: str, quote: str = BORN) -> Played:
    """An answer in parts, as a stream."""
    parts = [{"text": text, "support": [1]}]
    support = [{"passage": number, "quote": quote} for number in (1, 2, 3)]
    return streamed(says(json.dumps({"support": support, "found": True, "shape": "text", "answer": parts})))


def timeless(answer: Answer) -> Mapping[str, Any]:
    told = answer.to_dict()
    told["evidence"]["cost"]["seconds"] = 0
    return told


@pytest.mark.parametrize("strategy", registry.names("strategies"))
def test_only_the_reply_that_is_the_answer_is_heard_and_nothing_else_changes(world_index: Path, strategy: str) -> None:
    draft = Draft()
    with asking(world_index, sage) as (engine, _):
        engine.ask(BRIDGE, strategy=strategy)  # extracts what is extracted once
        answer = engine.ask(BRIDGE, strategy=strategy, drafted=draft)
        whole = engine.ask(BRIDGE, strategy=strategy)
    assert all("Pellingrove".startswith(state) for state in draft.states), "a plan or the answer to a step never is"
    assert draft.states[-1] == answer.text == "Pellingrove"
    assert len(draft.states) > 2, "as it is written"
    assert timeless(answer) == timeless(whole)


def test_a_draft_is_told_while_it_is_written(world_index: Path) -> None:
    sentence = "She was born in Pellingrove, in 1271, as the chronicle says."
    draft = Draft()
    with asking(world_index, lambda _: reply(sentence)) as (engine, _):
        answer = engine.ask(BRIDGE, strategy="bm25", drafted=draft)
    assert answer.text == draft.states[-1] == sentence
    for before, after in pairwise(draft.states):
        assert after.startswith(before)
        assert 0 < len(after) - len(before) <= 14


def test_what_the_check_does_not_let_pass_was_only_a_draft(world_index: Path) -> None:
    draft = Draft()
    with asking(world_index, lambda _: reply("In Velm.", quote="She was born in Velm.")) as (engine, _):
        answer = engine.ask(BRIDGE, strategy="bm25", drafted=draft)
    assert (draft.states[-1], answer.text, answer.reader) == ("In Velm.", "Pellingrove", "trained")


def test_a_draft_is_taken_back_where_the_reply_has_to_be_repaired(world_index: Path) -> None:
    draft = Draft()
    cut_off = streamed(says('{"support": [], "found": true, "shape": "text", "answer": [{"text": "She was'))
    with asking(world_index, in_turn(cut_off, reply("In Pellingrove."))) as (engine, _):
        answer = engine.ask(BRIDGE, strategy="bm25", drafted=draft)
    assert "She was" in draft.states
    assert "" in draft.states[1:]
    assert draft.states[-1] == answer.text == "In Pellingrove."


def test_what_the_listener_raises_ends_the_work_and_what_it_took_is_told(world_index: Path) -> None:
    spent: list[Cost] = []

    def refuse(start: int, text: str) -> None:
        raise InterruptedError

    with asking(world_index, sage) as (engine, _):
        with pytest.raises(InterruptedError):
            engine.ask(BRIDGE, strategy="bm25", drafted=refuse, spent=spent.append)
        assert engine.ask(BRIDGE, strategy="bm25").text == "Pellingrove", "nothing stays behind"
    assert spent[0].llm_calls == 1
    assert spent[0].tokens > 0


def test_without_a_language_model_there_is_no_draft(engine: Polyhop) -> None:
    draft = Draft()
    engine.ask(BRIDGE, strategy="paths", drafted=draft)
    assert draft.states == [""]
