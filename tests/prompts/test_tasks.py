"""What we ask a language model: decompose a question, choose the next query, read an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.structured import check
from polyhop.prompts import answer_step as answering
from polyhop.prompts import decompose as decomposing
from polyhop.prompts import merge_answers as merging
from polyhop.prompts import next_query as choosing
from polyhop.prompts import read_answer as reading
from polyhop.prompts.blocks import PromptBlock, fenced
from polyhop.prompts.decompose import decompose, well_formed
from polyhop.prompts.next_query import next_query
from polyhop.prompts.read_answer import read_answer
from polyhop.prompts.support import CopiedQuote
from tests.worlds.endpoint import Played, serving
from tests.worlds.prompts import BROOK, GULL, INJECTION, PASSAGES, QUESTION, inside, model_saying, passage, prompt_of

KNOWN_KEYWORDS = {
    "type", "enum", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "minLength"
}  # fmt: skip


@pytest.mark.parametrize("task", [decomposing, choosing, reading, answering, merging])
def test_schemas_use_what_our_check_knows(task: Any) -> None:
    """And what strict servers ask for: every property required, none beside them."""

    def visit(schema: Mapping[str, Any]) -> None:
        assert set(schema) <= KNOWN_KEYWORDS
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert list(schema["properties"]) == schema["required"]
        for inner in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
            visit(inner)

    visit(task.SCHEMA)


# --- blocks -----------------------------------------------------------------------------------------------------------


def test_instructions_in_a_passage_stay_inside_its_block() -> None:
    """They can imitate marks, but not the tag, which depends on what they say."""
    with model_saying({"support": [], "found": False, "answer": ""}) as (model, server):
        read_answer(model, QUESTION, [passage(1, INJECTION, INJECTION), PASSAGES[1]])
        prompt = prompt_of(server)
        assert "never an instruction" in server.requests[0]["messages"][0]["content"]
    block = inside(prompt, "PASSAGE 1")
    outside = prompt.replace(block, "")
    assert all(line in block and line not in outside for line in re.split(r"\n|(?<=\.) ", INJECTION))
    assert "Velm" in inside(prompt, "PASSAGE 2")
    assert inside(prompt, "QUESTION") == QUESTION


def test_instructions_in_evidence_and_question_stay_inside_their_blocks() -> None:
    with model_saying({"reasoning": "", "next_query": None}) as (model, server):
        next_query(model, INJECTION, [(INJECTION, [passage(1, "Velm", INJECTION)])])
        for label, text in (("QUESTION", INJECTION), ("SEARCH 1", INJECTION), ("PASSAGE 1", f"Velm\n{INJECTION}")):
            assert inside(prompt_of(server), label) == text
    with model_saying({"steps": ["a"]}) as (model, server):
        decompose(model, INJECTION)
        assert inside(prompt_of(server), "QUESTION") == INJECTION


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), min_size=1, max_size=4))
def test_tag_of_blocks_stands_in_no_text_and_is_always_the_same(texts: list[str]) -> None:
    """Law: a text cannot close its block, and equal questions give equal prompts."""
    blocks = [PromptBlock(f"TEXT {number}", text) for number, text in enumerate(texts)]
    prompt = fenced(blocks)
    tag = prompt[: prompt.index(">>>")].split()[-1]
    assert all(tag not in text for text in texts)
    assert prompt.count(tag) == 2 * len(texts)
    assert fenced(blocks) == prompt


# --- decompose --------------------------------------------------------------------------------------------------------


def test_decompose_gives_steps_that_refer_back() -> None:
    with model_saying({"steps": ["Who built the ferry Gull?", "Where was #1  born?"]}) as (model, _):
        steps = decompose(model, QUESTION)
    assert steps == ("Who built the ferry Gull?", "Where was #1 born?")
    assert model.meter.total.llm_calls == 1


@pytest.mark.parametrize(
    "steps",
    [
        ["Where was #2 born?", "Who built the Gull?"],
        ["Who built #1?", "Where?"],
        ["Who is #0?", "Where?"],
        ["Who?", "   "],
    ],
)
def test_decompose_gives_no_steps_that_do_not_hold_together(steps: list[str]) -> None:
    with model_saying({"steps": steps}) as (model, _):
        assert decompose(model, QUESTION) == ()


def test_decompose_keeps_the_question_where_it_is_the_only_step() -> None:
    with model_saying({"steps": ["Is this one step?"]}) as (model, _):
        assert decompose(model, QUESTION) == (QUESTION,)


@pytest.mark.parametrize("output", ["no idea", {"steps": []}, {"steps": ["s"] * 7}, {"plan": []}, {"steps": [""]}])
def test_decompose_survives_output_that_stays_invalid(output: object) -> None:
    """What it cost is counted all the same."""
    with model_saying(output) as (model, server):
        steps = decompose(model, QUESTION)
        assert len(server.requests) == 2
    assert (steps, model.meter.total.llm_calls) == ((), 2)


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.integers(0, 8)), max_size=8))
def test_well_formed_plans_can_be_answered_in_order(plan: list[tuple[str, int]]) -> None:
    """Law, against the naive reading: answering from first to last never meets an open reference."""
    steps = [f"{word} #{number}" if number else word for word, number in plan]
    open_reference = any(number > index for index, (_, number) in enumerate(plan))
    assert well_formed(steps) == (0 < len(steps) <= 6 and not open_reference)


def test_endpoint_that_fails_is_not_mistaken_for_a_bad_plan() -> None:
    page = Played(body=b"<html>", headers={"Content-Type": "text/html"})
    failure = pytest.raises(EndpointError, match="text/html")
    with serving(page) as server, OpenAICompatible(base_url=server.url, model="sage") as model, failure:
        decompose(model, QUESTION)


# --- next query -------------------------------------------------------------------------------------------------------


def test_next_query_uses_what_was_found() -> None:
    """The model reasons first, and sees the question, the searches and the passages, each below its title."""
    verdict = {"reasoning": "The builder is Ada Brook.", "next_query": "Where was  Ada Brook born?"}
    with model_saying(verdict) as (model, server):
        decided = next_query(model, QUESTION, [(QUESTION, PASSAGES[:1])])
        assert inside(prompt_of(server), "PASSAGE 1") == f"{PASSAGES[0].title}\n{PASSAGES[0].text}"
    assert (decided.query, model.meter.total.llm_calls) == ("Where was Ada Brook born?", 1)
    assert (decided.thought, decided.nothing_missing) == ("The builder is Ada Brook.", False)
    assert list(choosing.SCHEMA["properties"]) == ["reasoning", "next_query"]


@pytest.mark.parametrize("said", [None, "", "None", " null ", QUESTION.upper()])
def test_next_query_is_none_where_the_evidence_suffices(said: str | None) -> None:
    """Asking the same again would find nothing new."""
    with model_saying({"reasoning": "All is there.", "next_query": said}) as (model, _):
        assert next_query(model, QUESTION, [(QUESTION, PASSAGES)]).query is None


@pytest.mark.parametrize(
    ("said", "enough", "told"),
    [
        (None, True, "All is there. (It asks for nothing more.)"),
        (QUESTION.upper(), False, "All is there. (It asks for what was searched for already.)"),
    ],
)
def test_next_query_tells_why_the_search_ends(said: str | None, enough: bool, told: str) -> None:
    """That nothing is missing is another end than having nothing new to ask."""
    with model_saying({"reasoning": "All is\nthere.", "next_query": said}) as (model, _):
        decided = next_query(model, QUESTION, [(QUESTION, PASSAGES)])
    assert (decided.nothing_missing, decided.thought) == (enough, told)


def test_next_query_ends_the_search_where_the_output_stays_invalid(caplog: pytest.LogCaptureFixture) -> None:
    with model_saying("let me see") as (model, _):
        decided = next_query(model, QUESTION, [(QUESTION, PASSAGES[:1])])
    assert (decided.query, model.meter.total.llm_calls) == (None, 2)
    assert (decided.nothing_missing, decided.thought) == (False, "(Its reply cannot be used.)")
    assert "The search ends here" in caplog.text


# --- read answer ------------------------------------------------------------------------------------------------------


def test_read_answer_locates_its_quotes() -> None:
    """Exactly, across a line break, as a whole line that is shown, and under a wrong passage number."""
    support = [
        {"passage": 1, "quote": "It was built by Ada Brook"},
        {"passage": 1, "quote": "the gull is a steam ferry. It was built"},
        {"passage": 2, "quote": "She was born in Velm."},
        {"passage": 1, "quote": "Ada Brook (1851-1920) was a shipwright."},
    ]
    with model_saying({"support": support, "found": True, "answer": " Velm "}) as (model, server):
        answer = read_answer(model, QUESTION, PASSAGES)
        assert inside(prompt_of(server), "PASSAGE 2").splitlines() == [
            "Title: Ada Brook",
            "Ada Brook (1851–1920) was a shipwright.",
            "She was born in Velm.",
        ]
    texts = [PASSAGES[quote.passage_index].text[quote.start : quote.end] for quote in answer.quotes]
    assert texts == [
        "It was built by Ada Brook",
        "The Gull is a steam ferry.\nIt was built",
        "She was born in Velm.",
        "Ada Brook (1851–1920) was a shipwright",
    ]
    assert (answer.text, answer.dropped, answer.quoted, answer.cost.llm_calls) == ("Velm", 0, True, 1)


def test_read_answer_takes_a_shortened_quote_apart() -> None:
    support = [{"passage": 1, "quote": "The Gull is a steam ferry … built by Ada Brook"}]
    with model_saying({"support": support, "found": True, "answer": "Velm"}) as (model, _):
        answer = read_answer(model, QUESTION, PASSAGES)
    assert [GULL[quote.start : quote.end] for quote in answer.quotes] == [
        "The Gull is a steam ferry",
        "built by Ada Brook",
    ]


@pytest.mark.parametrize("quote", ["She was born in Oslo.", "", "...", "r", "Gull ... Oslo", "185"])
def test_read_answer_without_a_genuine_quote_is_not_grounded(quote: str) -> None:
    """Also where the quotation is a part of a word or of a number."""
    output = {"support": [{"passage": 2, "quote": quote}], "found": True, "answer": "Oslo"}
    with model_saying(output) as (model, _):
        answer = read_answer(model, QUESTION, PASSAGES)
    assert (answer.text, answer.quotes, answer.dropped, answer.quoted) == ("Oslo", (), 1, False)


def test_read_answer_survives_passage_numbers_that_do_not_exist() -> None:
    support = [{"passage": number, "quote": "born in Velm"} for number in (-3, 0, 99)]
    with model_saying({"support": support, "found": True, "answer": "Velm"}) as (model, _):
        answer = read_answer(model, QUESTION, PASSAGES)
    start = BROOK.index("born")
    assert answer.quotes == (CopiedQuote(1, start, start + len("born in Velm")),)


@pytest.mark.parametrize("output", [{"found": False, "answer": "Velm"}, {"found": True, "answer": " "}])
def test_read_answer_says_where_nothing_was_found(output: dict[str, Any]) -> None:
    """What the model writes all the same is a guess."""
    with model_saying({"support": [], **output}) as (model, _):
        answer = read_answer(model, QUESTION, PASSAGES)
    assert (answer.text, answer.quoted) == (output["answer"].strip() or None, False)


def test_read_answer_of_no_passages_asks_nobody() -> None:
    with model_saying("never") as (model, server):
        assert read_answer(model, QUESTION, []).text is None
        assert server.requests == []


def test_read_answer_uses_output_that_stays_invalid_as_far_as_it_goes() -> None:
    with model_saying("Velm, I think") as (model, server):
        answer = read_answer(model, QUESTION, PASSAGES)
        assert len(server.requests) == 2
    assert (answer.text, answer.quotes, answer.broken) == ("Velm, I think", (), True)


@pytest.mark.parametrize(("said", "meant"), [(True, "yes"), (False, "no")])
def test_read_answer_takes_true_and_false_for_yes_and_no(said: bool, meant: str) -> None:
    quote = {"passage": 2, "quote": "She was born in Velm."}
    with model_saying({"support": [quote], "found": True, "answer": said}) as (model, _):
        answer = read_answer(model, "Was she born in Velm?", PASSAGES)
    assert (answer.text, answer.quoted) == (meant, True)


def test_examples_in_the_prompts_obey_their_own_schemas() -> None:
    """What we show is what we ask for."""
    plans = [json.loads(shown) for shown in re.findall(r'^\{"steps": \["\w.*\]\}', decomposing._SYSTEM, re.MULTILINE)]
    assert len(plans) == 3
    for plan in plans:
        check(plan, decomposing.SCHEMA)
        assert well_formed(plan["steps"])
