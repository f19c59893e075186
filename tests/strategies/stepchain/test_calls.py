"""How often StepChain asks a language model, and how many tokens that takes: never more than its budget allows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.settings import Settings
from polyhop.types import Answer, Budget
from tests.worlds.endpoint import Played, says, serving
from tests.worlds.stepchain import Open, ask, extracted, facts, titles, told
from tests.worlds.stepchain_sage import Doubting, Sage, sagely


def test_steps_take_so_many_further_calls_and_no_more(opened: Open) -> None:
    """Second tries, another plan and its steps: without a bound, what nothing answers took most calls of all."""
    chain = ("Who built the Gull?", "Where was #1 born?", "Who is the mayor of #2?")
    knows = {chain[0]: Sage().knows[chain[0]]}
    other = ("Which ferry did Ada Brook own?", "Who steered #1?")
    taken = []
    for further in (0, 1, 2, 3, 9):
        sage = Sage(plans=[chain, other], knows=knows)
        with sagely(opened, sage) as (engine, _):
            evidence = ask(
                engine, "Who is the mayor of where the builder of the Gull was born?", further=further
            ).evidence
        taken.append(sage.tasks[1:-1])
        assert evidence.cost.llm_calls <= 2 + len(chain) + further
    tried = ["step", "step", "step"]  # the third of the plan is not asked: its call goes into a second try
    assert taken == [tried, tried, *([*tried, "decompose", *["step"] * more] for more in (1, 2, 2))]


@pytest.mark.parametrize(
    ("extractor", "calls"),
    [
        *(("language_model", calls) for calls in (0, 1, 2, 3, 4, 6, 12)),
        *(("syntax", calls) for calls in (1, 2, 12)),
    ],
)
def test_no_question_asks_more_often_than_its_budget_allows(opened: Open, calls: int, extractor: str) -> None:
    """The reader's call and those of extraction included; what the evidence says it cost is what the server saw."""
    sage = Sage() if extractor == "language_model" else Sage(knows={})
    with sagely(opened, sage, extractor=extractor, passages_a_call=1) as (engine, server):
        evidence = ask(engine, budget=Budget(llm_calls=calls), communities=3 * (extractor == "syntax")).evidence
        assert len(server.requests) <= calls
        assert evidence.cost.llm_calls == len(server.requests)
        assert evidence.cost.prompt_tokens == 10 * len(server.requests)
    assert sage.tasks[-1:] == ["read"][:calls]
    assert "Gull" in titles(evidence)


def test_extraction_leaves_calls_for_the_steps_and_names_what_it_left(opened: Open) -> None:
    sage = Sage()
    with sagely(opened, sage, extractor="language_model", passages_a_call=1) as (engine, server):
        evidence = ask(engine, budget=Budget(llm_calls=7)).evidence
        assert sage.tasks.count("step") == 2
        assert 0 < sage.tasks.count("extract") == facts(engine).done
        assert facts(engine).cost.llm_calls == sage.tasks.count("extract")
        assert re.search(r"[1-9]\d* passages were not extracted: No calls", told(evidence))
        [left] = re.findall(r"not extracted: .*\((.*)\)", told(evidence))
        assert left == "Tern"
        before = len(server.requests)
        again = ask(engine, budget=Budget(llm_calls=30)).evidence
        assert extracted(again) > 0
        assert "not extracted" not in told(again)
        assert again.cost.llm_calls == len(server.requests) - before
    assert [hop.found for hop in evidence.hops] == ["Ada Brook", "Velm"]


def test_a_model_with_few_calls_is_worth_no_less_than_none(opened: Open) -> None:
    """A step for whose answer nobody can be asked is answered as without a model."""
    sage = Sage()
    with sagely(opened, sage) as (engine, _):
        for calls in (0, 2):
            evidence = ask(engine, budget=Budget(llm_calls=calls)).evidence
            assert [hop.question for hop in evidence.hops][-1] == "Where was Ada Brook born?", calls
            assert titles(evidence)[:2] == ["Gull", "Ada Brook"], calls


def test_what_nobody_was_asked_is_not_told_as_asked(opened: Open) -> None:
    sage = Sage(knows={})
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, budget=Budget(llm_calls=3)).evidence
    assert sage.tasks.count("step") <= 1
    assert told(evidence).count("asked again") == 0


def test_summaries_come_out_of_the_same_budget(opened: Open) -> None:
    sage = Sage()
    with sagely(opened, sage) as (engine, server):
        evidence = ask(engine, budget=Budget(llm_calls=6), communities=3).evidence
        assert sage.tasks[-2:] == ["merge", "read"]
        assert sage.tasks.count("summarise") == 1
        assert evidence.cost.llm_calls == len(server.requests) == 6
    assert "BACKGROUND 1" in sage.prompts["merge"][0]
    assert re.search(r"1 summaries made now, [1-9]\d* left", told(evidence))


RIVER = "On which river does the birthplace of the architect of Harrowmere Lighthouse stand?"
OLDER = "Who was older, Edda Marrish or Tobren Lisk?"
EXPECTED = {
    RIVER: Sage(
        plans=[("Who designed Harrowmere Lighthouse?", "Where was #1 born?", "On which river does #2 stand?")],
        knows={
            "Who designed Harrowmere Lighthouse?": ("Edda Marrish", "designed by the architect Edda Marrish"),
            "Where was Edda Marrish born?": ("Pellingrove", "Edda Marrish was born in Pellingrove in 1271"),
            "On which river does Pellingrove stand?": ("River Lorrin", "orchards and mills on the River Lorrin"),
        },
        answer=("River Lorrin", "orchards and mills on the River Lorrin"),
    ),
    OLDER: Sage(
        plans=[
            ("When was Edda Marrish born?", "When was Tobren Lisk born?", "Who was older, Edda (#1) or Tobren (#2)?")
        ],
        knows={
            "When was Edda Marrish born?": ("1271", "Edda Marrish was born in Pellingrove in 1271"),
            "When was Tobren Lisk born?": ("1264", "Tobren Lisk (1264-1331) was an engineer"),
        },
        follows={"Who was older, Edda (1271) or Tobren (1264)?": "Tobren Lisk"},
        answer=(
            *("Tobren Lisk", "Tobren Lisk (1264-1331) was an engineer"),
            "Edda Marrish was born in Pellingrove in 1271",
        ),
    ),
}


def counted(sage: Sage) -> Callable[[Mapping[str, Any]], Played]:
    """The same model, with about as many tokens as a real one would count: a quarter of the characters."""

    def script(request: Mapping[str, Any]) -> Played:
        said = json.loads(sage(request).body)["choices"][0]["message"]["content"]
        read = sum(len(message["content"]) for message in request["messages"])
        return says(said, usage={"prompt_tokens": read // 4, "completion_tokens": len(said) // 4})

    return script


def answered(question: str, sage: Sage, index: Path) -> Answer:
    """What such a model answers over an index that has its facts, with settings as they are."""
    with serving(counted(sage)) as server:
        model = {"base_url": server.url, "model": "sage", "attempts": 1, "cache": "none"}
        settings = Settings.from_mapping({"models": {"language_model": "openai"}, "language_model": model})
        with Polyhop(index, settings=settings) as engine:
            return ask(engine, question)


@pytest.mark.parametrize("question", EXPECTED, ids=["three links", "a comparison"])
def test_a_question_of_three_steps_takes_five_calls_and_7000_tokens_at_most(question: str, fresh_index: Path) -> None:
    """Where the facts are there. A comparison took 12 calls and 20,400 tokens once."""
    sage = EXPECTED[question]
    answer = answered(question, sage, fresh_index)
    assert answer.text == sage.answer[0]
    assert [hop.status == "unresolved" for hop in answer.evidence.hops] == [False] * 3
    assert answer.evidence.cost.llm_calls == {RIVER: 5, OLDER: 4}[question]
    assert answer.evidence.cost.tokens <= 7000


@pytest.mark.parametrize("known", [0, 1, 2])
@pytest.mark.parametrize("guessed", [False, True])
def test_a_question_of_three_steps_that_nothing_answers_takes_8_calls_and_9100_tokens_at_most(
    known: int, guessed: bool, fresh_index: Path
) -> None:
    """Where the facts are there. Such questions took 10 calls and 12,800 tokens: the most of all."""
    steps = EXPECTED[RIVER].plans[0]
    knows = EXPECTED[RIVER].knows if guessed else dict(list(EXPECTED[RIVER].knows.items())[:known])
    doubted = dict.fromkeys(list(EXPECTED[RIVER].knows)[known:], "nowhere")
    other = ("Which towns lie on a river?", "Which of #1 is Edda Marrish from?", "On which river does #2 stand?")
    sage = Doubting(plans=[steps, other], knows=knows, doubts=doubted, answer=("nothing", "nowhere"))
    cost = answered(RIVER, sage, fresh_index).evidence.cost
    assert cost.llm_calls <= 8
    assert cost.tokens <= 9100
    assert ("decompose" in sage.tasks[1:]) == (not guessed and known < 2)  # nothing waits for the last step
