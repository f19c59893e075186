"""The day that only the rest of its document tells is shown to models that read a passage, and to no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import polyhop
from polyhop.engine import Polyhop
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.prompts import extract_facts, write_questions
from polyhop.prompts.answer_step import answer_step
from polyhop.prompts.blocks import date_line
from polyhop.prompts.draft_answer import draft_answer
from polyhop.prompts.next_thought import next_thought
from polyhop.prompts.read_answer import ReadAnswer, read_answer
from polyhop.settings import Settings
from polyhop.strategies.translator.next_queries import AskedQuery, ModelSteps
from polyhop.types import Occasion, Passage
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer, Played, says, serving

QUESTION = "When did Ada land at the mill?"
DAY = "Date: 2031-02-04"
TEXT = "Ada Brisk: I landed at the mill.\nOtto Fell: Then let us begin at noon."


def passage(title: str = "chat", occasion: Occasion | None = None, text: str = TEXT) -> Passage:
    """A passage of a chat."""
    return Passage(
        id="p", document_id="d", ordinal=3, start=0, end=len(text), title=title, text=text, occasion=occasion
    )


PLAIN = passage()
TOLD = passage(occasion=Occasion(day="20310204", month_first=True))

READ: dict[str, Any] = {  # each task that reads passages, with what a model answers it
    "read answer": (read_answer, {"support": [], "found": False, "answer": ""}),
    "answer step": (
        lambda model, question, passages: answer_step(model, question, [], passages),
        {"support": [], "answer": "", "sufficient": False},
    ),
    "draft answer": (draft_answer, {"reasoning": "x", "answer": "x"}),
    "next thought": (
        lambda model, question, passages: next_thought(model, question, passages, []),
        {"thought": "x"},
    ),
}


def asked(task: str, passages: Sequence[Passage]) -> list[dict[str, str]]:
    """The messages that a task sends."""
    call, said = READ[task]
    with serving(says(json.dumps(said))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        call(model, QUESTION, passages)
        messages: list[dict[str, str]] = server.requests[0]["messages"]
    return messages


@pytest.mark.parametrize("task", READ)
def test_a_model_that_reads_is_shown_the_date_below_the_title(task: str) -> None:
    prompt = asked(task, [PLAIN, TOLD])[1]["content"]
    first, second = re.findall(r"<<<PASSAGE \d \w+>>>\n(.*?)\n<<<END", prompt, re.DOTALL)
    assert DAY not in first
    assert re.match(rf"(?:Title: )?chat\n{DAY}\n(?:\(s1\) )?Ada Brisk: I landed", second)
    assert second.replace(f"{DAY}\n", "") == first


@pytest.mark.parametrize("task", READ)
@pytest.mark.parametrize("occasion", [None, Occasion(), Occasion(recorded=True)])
def test_without_a_date_a_prompt_is_what_it_always_was(task: str, occasion: Occasion | None) -> None:
    """Answers that were paid for are found in the cache by their prompts."""
    messages = asked(task, [passage(occasion=occasion)])
    assert messages == asked(task, [PLAIN])
    assert not any('"Date:"' in message["content"] or DAY in message["content"] for message in messages)


def test_a_passage_without_a_title_begins_with_its_date() -> None:
    prompt = asked("draft answer", [passage(title="", occasion=TOLD.occasion)])[1]["content"]
    assert re.search(rf">>>\n{DAY}\nAda Brisk: ", prompt)


def test_days_are_written_as_iso_dates() -> None:
    assert date_line(TOLD) == (DAY,)
    assert date_line(passage(occasion=Occasion(recorded=True))) == date_line(PLAIN) == ()


def reading(quotes: Sequence[str], passages: Sequence[Passage]) -> tuple[ReadAnswer, str]:
    """What comes of an answer with these quotations, and the rules that the model was given."""
    said = {
        "support": [{"passage": 1, "quote": quote} for quote in quotes],
        "found": True,
        "answer": "on 4 February 2031",
    }
    with serving(says(json.dumps(said))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        answer = read_answer(model, QUESTION, passages)
        rules: str = server.requests[0]["messages"][0]["content"]
    return answer, rules


def test_the_date_is_neither_a_quotation_nor_a_wrong_one() -> None:
    answer, rules = reading([DAY, "I landed at the mill."], [TOLD])
    assert (len(answer.quotes), answer.dropped, answer.text) == (1, 0, "on 4 February 2031")
    assert "never the line" in rules
    alone, _ = reading([DAY], [TOLD])
    assert (alone.quotes, alone.dropped, alone.quoted) == ((), 0, False)


def test_a_date_that_stands_in_a_passage_is_quoted_as_ever() -> None:
    first = passage(text=f"{DAY}\n{TEXT}")
    answer, _ = reading([DAY], [first, TOLD])
    assert [(quote.passage_index, quote.start, quote.end) for quote in answer.quotes] == [(0, 0, len(DAY))]
    invented, rules = reading(["Date: 2031-02-05", DAY], [PLAIN])
    assert (invented.quotes, invented.dropped) == ((), 2)
    assert "never the line" not in rules


def test_what_asks_for_the_next_search_sees_the_date() -> None:
    with (
        serving(says(json.dumps({"reasoning": "", "next_query": None}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        steps = ModelSteps(QUESTION, Within(model, 3), 3, "sage")
        steps.next([AskedQuery(query=QUESTION, passages=(TOLD, replace(PLAIN, id="another")))])
        prompt = server.requests[0]["messages"][1]["content"]
    assert re.search(rf"<<<PASSAGE 1 \w+>>>\n{TOLD.title}\n{DAY}\nAda Brisk: ", prompt)
    assert re.search(rf"<<<PASSAGE 2 \w+>>>\n{PLAIN.title}\nAda Brisk: ", prompt)


def test_what_asks_for_the_next_search_sees_each_passage_once() -> None:
    """A query that brings what one before it brought shows what comes after that."""
    with (
        serving(says(json.dumps({"reasoning": "", "next_query": None}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        steps = ModelSteps(QUESTION, Within(model, 3), 4, "sage")
        first, second, *more = [
            replace(PLAIN, id=title, title=title) for title in ("One", "Two", "Three", "Four", "Five")
        ]
        both = AskedQuery(query=QUESTION, passages=(first, second))
        again, other = (AskedQuery(query=asked, passages=(second, first)) for asked in ("Who?", "When?"))
        steps.next([both, again, replace(other, passages=(second, first, *more))])
        prompt = server.requests[0]["messages"][1]["content"]
    blocks = re.findall(r"<<<(SEARCH \d|PASSAGE \d) ", prompt)
    assert blocks == [
        *("SEARCH 1", "PASSAGE 1", "PASSAGE 2", "SEARCH 2"),
        *("SEARCH 3", "PASSAGE 3", "PASSAGE 4", "PASSAGE 5"),
    ]
    assert re.search(r"<<<SEARCH 2 \w+>>>\nWho\?\n\(It found no", prompt)
    assert re.findall(r"<<<PASSAGE \d \w+>>>\n(.+)", prompt) == ["One", "Two", "Three", "Four", "Five"]


def test_a_model_that_extracts_facts_is_sent_the_same_whatever_the_document_tells() -> None:
    """Otherwise rows that were paid for would depend on what can change without them."""
    batches = extract_facts.batches()
    with (
        serving(says(json.dumps({"facts": []}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        for one in (PLAIN, TOLD):
            batches.ask(model, [one])
        sent = [request["messages"] for request in server.requests]
        assert batches.forecast(model, [PLAIN]) == batches.forecast(model, [TOLD])
    assert len(sent) == 2
    assert sent[0] == sent[1]


def test_a_model_that_writes_questions_is_told_the_day_and_may_answer_with_it() -> None:
    """A question without it would ask for one of many landings."""
    pairs = [
        {"passage": 1, "question": "Who landed on 4 February 2031?", "answer": "Ada Brisk"},
        {"passage": 1, "question": "When did Ada Brisk land at the mill?", "answer": "on 4 February 2031"},
        {"passage": 1, "question": "When did Ada Brisk leave?", "answer": "on 5 February 2031"},
    ]
    with (
        serving(says(json.dumps({"pairs": pairs}))) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        [outcome], _ = write_questions.batches().ask(model, [TOLD])
        prompt = server.requests[0]["messages"][1]["content"]
        write_questions.batches().ask(model, [PLAIN])
        plain = server.requests[-2]["messages"][1]["content"]
    assert isinstance(outcome, write_questions.WrittenQuestions)
    assert [one.answer for one in outcome.questions] == ["Ada Brisk", "on 4 February 2031"]
    assert f"Title: chat\n{DAY}\n\nAda Brisk:" in prompt
    assert DAY not in plain


def test_no_layer_reads_an_occasion() -> None:
    """Rows depend on title and text alone (docs/decisions/0028)."""
    files = (Path(polyhop.__file__).parent / "layers").rglob("*.py")
    reading = [
        file.name
        for file in files
        if re.search(r"\.occasion\b|\btranscript_in\b|\bdate_line\b", file.read_text("utf-8"))
    ]
    assert reading == []


def answering(request: Mapping[str, Any]) -> Played:
    """An endpoint that finds no facts and no answer, and asks one question of each passage."""
    if "pairs" in request["messages"][0]["content"]:
        numbers = re.findall(r"<<<PASSAGE (\d)", request["messages"][1]["content"])
        pairs = [{"passage": int(n), "question": "Who landed?", "answer": "I landed"} for n in numbers]
        return says(json.dumps({"pairs": pairs}))
    asked = "<<<QUESTION" in request["messages"][1]["content"]
    return says(json.dumps({"support": [], "found": False, "answer": ""} if asked else {"facts": []}))


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[tuple[Polyhop, EndpointServer]]:
    """An index of a long chat with one date, above everything; its facts were extracted by a language model."""
    who = ("Ada Brisk", "Otto Fell")
    lines = [f"{who[n % 2]}: I landed at buoy {n}. Then I went on to the mill." for n in range(40)]
    documents = write(tmp_path / "docs", {"chat.txt": "\n".join(["Date: 4 February 2031", *lines])})
    with serving(answering) as server:
        changes = {
            "models.language_model": "openai",
            "language_model.base_url": server.url,
            "language_model.model": "sage",
            "language_model.cache": tmp_path / "cache",
            "layers.facts.extractor": "language_model",
            "layers.questions.generator": "language_model",
            "chunking.tokens": 128,
            "chunking.overlap": 0,
        }
        chosen = Settings.read(None, [f"{key}={value}" for key, value in changes.items()])
        with Polyhop(tmp_path / "an.index", settings=chosen) as engine:
            engine.index(documents, layers=["text", "facts"])
            yield engine, server


def test_of_a_long_chat_the_reader_is_told_the_day_and_the_extractor_is_not(
    chat: tuple[Polyhop, EndpointServer],
) -> None:
    engine, server = chat
    extracted = [request["messages"][1]["content"] for request in server.requests]
    assert len(extracted) > 1
    assert not any(DAY in prompt for prompt in extracted)
    server.requests.clear()
    answer = engine.ask("Who landed at buoy 33?", strategy="bm25")
    told = [passage.occasion is not None for passage in answer.evidence.passages]
    assert any(told)
    (request,) = server.requests
    assert request["messages"][1]["content"].count(f"Title: chat\n{DAY}\n") == sum(told)


def test_of_a_long_chat_whoever_writes_questions_is_told_the_day(chat: tuple[Polyhop, EndpointServer]) -> None:
    engine, server = chat
    server.requests.clear()
    engine.index(layers=["questions"])
    with engine.view() as view:
        told = sum(one.occasion is not None for one in view.record.passages(view.record.numbers().tolist()))
    prompts = "".join(request["messages"][1]["content"] for request in server.requests)
    assert prompts.count(f"Title: chat\n{DAY}\n\n") == told > 1


def test_a_passage_that_tells_its_day_itself_is_shown_as_it_is(chat: tuple[Polyhop, EndpointServer]) -> None:
    engine, _ = chat
    with engine.view() as view:
        first, *others = view.record.passages(view.record.numbers().tolist())
    assert date_line(first) == ()
    assert {date_line(one) for one in others} == {(DAY,)}
    assert {date_line(replace(one, occasion=None)) for one in others} == {()}
