"""How StepChain asks a language model to answer a step, or several at once, from chains, passages and earlier steps."""

from __future__ import annotations

import json

import pytest

from polyhop.errors import EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.prompts.answer_step import StepAnswer, answer_step, answer_together
from polyhop.prompts.earlier_steps import EarlierStep
from tests.worlds.endpoint import refuses, serving
from tests.worlds.prompts import (
    BORN,
    BROOK,
    BUILT,
    GULL,
    INJECTION,
    PASSAGES,
    QUESTION,
    STEP,
    VELM,
    inside,
    model_saying,
    passage,
    prompt_of,
    system_of,
)


def answered(output: object, *more: object) -> StepAnswer:
    """What is made of a model's outputs about the step."""
    with model_saying(output, *more) as (model, _):
        return answer_step(model, STEP, [BUILT, BORN], PASSAGES)


# --- answer a step ----------------------------------------------------------------------------------------------------


def test_step_is_answered_from_chains_passages_and_earlier_steps() -> None:
    """One call; the quotation is located in the passage."""
    with model_saying(VELM) as (model, server):
        answer = answer_step(
            model,
            STEP,
            [BUILT, BORN],
            PASSAGES,
            known=[EarlierStep("Who built the  Gull?", "Ada\nBrook", (BUILT,))],
            larger=QUESTION,
        )
        assert inside(prompt_of(server), "CHAINS").splitlines() == [BUILT, BORN]
        assert inside(prompt_of(server), "EARLIER STEP 1").splitlines() == [
            "Who built the Gull?",
            "Ada Brook",
            f"“{BUILT}”",
        ]
        assert inside(prompt_of(server), "LARGER QUESTION") == QUESTION
        assert inside(prompt_of(server), "PASSAGE 1").startswith("Title: Gull\nThe Gull is a steam ferry.")
        assert inside(prompt_of(server), "QUESTION") == STEP
        assert server.requests[0]["max_tokens"] == 400
    [quote] = answer.quotes
    assert (quote.passage_index, BROOK[quote.start : quote.end]) == (1, "She was born in Velm.")
    assert (answer.text, answer.sufficient, answer.dropped, len(server.requests)) == ("Velm", True, 0, 1)


def test_no_sentence_is_shown_twice() -> None:
    """What stands in a passage, or was quoted for an earlier step, is not quoted again: a sentence costs tokens."""
    here, elsewhere = PASSAGES[0].text.split(". ")[0], "The Gull sank in 1850."
    steps = [EarlierStep("Who?", "Ada", (here, elsewhere)), EarlierStep("When?", "1850", (elsewhere,))]
    with model_saying(VELM) as (model, server):
        answer_step(model, STEP, [], PASSAGES, known=steps)
        assert inside(prompt_of(server), "EARLIER STEP 1").splitlines() == ["Who?", "Ada", f"“{elsewhere}”"]
        assert inside(prompt_of(server), "EARLIER STEP 2").splitlines() == ["When?", "1850"]


def test_a_step_is_told_of_what_it_is_shown_and_of_nothing_else() -> None:
    """Of a larger question, chains and earlier steps only where there are any; its schema allows what it is told."""
    earlier = EarlierStep("Who built the Gull?", "Ada Brook", (BUILT,))
    told = {"larger question": {"larger": QUESTION}, "chains": {}, "earlier steps": {"known": [earlier]}}
    with model_saying(VELM) as (model, server):
        for word, shown in told.items():
            answer_step(model, STEP, [BORN] if word == "chains" else [], PASSAGES, **shown)  # type: ignore[arg-type]
            system = system_of(server.requests[-1])
            assert {each for each in told if each in system.lower()} == {word}
        answer_step(model, STEP, [], PASSAGES, larger=STEP)  # the step is the whole question
        assert "larger question" not in system_of(server.requests[-1])
        schema = server.requests[-1]["response_format"]["json_schema"]["schema"]
        assert f"{schema['properties']['support']['maxItems']} at most" in system


def test_a_guess_is_one_of_the_passages_and_none_from_memory() -> None:
    """Both were told at once: that memory does not count, and to write whatever guess is to be had."""
    with model_saying(VELM) as (model, server):
        answer_step(model, STEP, [], PASSAGES)
        system = system_of(server.requests[0])
    assert "not even as a guess" in system
    assert "Where the passages make an answer likely" in system
    assert "Empty where they point to none" in system


def test_step_without_chains_is_answered_from_passages() -> None:
    """As with the graph switched off."""
    with model_saying(VELM) as (model, server):
        assert answer_step(model, STEP, [], PASSAGES).sufficient
        assert "<<<CHAINS" not in prompt_of(server)
        assert "EARLIER STEP" not in prompt_of(server)


def test_step_without_passages_asks_nobody() -> None:
    """A chain cannot be quoted, so that nothing could be established."""
    with model_saying("never") as (model, server):
        assert answer_step(model, STEP, [BORN], []) == StepAnswer(text=None, sufficient=False, quotes=(), dropped=0)
        assert server.requests == []


@pytest.mark.parametrize("quote", ["Ada Brook was born in Oslo.", BORN, "elm", "", "... …"])
def test_step_that_quotes_what_is_not_there_is_not_sufficient(quote: str) -> None:
    """Nor one that quotes a chain, or a part of a word."""
    answer = answered({**VELM, "support": [{"passage": 2, "quote": quote}]})
    assert (answer.text, answer.sufficient, answer.quotes, answer.dropped) == ("Velm", False, (), 1)


def test_step_without_any_quotation_is_not_sufficient() -> None:
    answer = answered({**VELM, "support": []})
    assert (answer.text, answer.sufficient, answer.dropped) == ("Velm", False, 0)


def test_step_with_some_genuine_quotations_is_sufficient() -> None:
    """Those that are not are counted."""
    support = [*VELM["support"], {"passage": 1, "quote": "The Gull was launched in Velm."}]  # type: ignore[misc]
    answer = answered({**VELM, "support": support})
    assert (answer.sufficient, len(answer.quotes), answer.dropped) == (True, 1, 1)


@pytest.mark.parametrize(
    ("said", "sufficient", "text"),
    [
        ("", False, None),
        (" \n", True, None),
        ("Unknown.", False, None),
        ("n/a", False, None),
        ("Velm,  perhaps", False, "Velm, perhaps"),
    ],
)
def test_step_without_an_answer_has_none(said: str, sufficient: bool, text: str | None) -> None:
    """A guess is kept, and is not sufficient."""
    answer = answered({**VELM, "answer": said, "sufficient": sufficient})
    assert (answer.text, answer.sufficient) == (text, sufficient and text is not None)


def test_a_thing_that_is_called_unknown_is_an_answer() -> None:
    """Where it is quoted."""
    sailed = passage(5, "Ada Brook", "She was born on the ship Unknown.")
    said = {"support": [{"passage": 1, "quote": sailed.text}], "answer": "Unknown", "sufficient": True}
    with model_saying(said) as (model, _):
        assert answer_step(model, STEP, [], [sailed]).sufficient


@pytest.mark.parametrize("together", [False, True])
def test_an_answer_that_no_quotation_tells_is_a_guess_however_genuine_these_are(*, together: bool) -> None:
    """The next step would go on from it, and what that finds would look established."""
    invented = {**VELM, "answer": "Ossby", "sufficient": True}
    output = {"answers": [{"question": 1, **invented}, {"question": 2, **VELM}]} if together else invented
    with model_saying(output) as (model, _):
        if together:
            answer, other = answer_together(model, [STEP, "Where was she born?"], [], PASSAGES)
            assert other.sufficient
        else:
            answer = answer_step(model, STEP, [], PASSAGES)
    assert (answer.text, answer.sufficient, len(answer.quotes)) == ("Ossby", False, 1)


def test_step_is_repaired_once() -> None:
    """The model sees what is wrong, and both calls are counted."""
    broken = json.dumps({**VELM, "sufficient": "yes"})
    with model_saying(broken[:-3], VELM) as (model, server):
        answer = answer_step(model, STEP, [BORN], PASSAGES)
        assert "That output cannot be used" in prompt_of(server)
    assert (answer.text, answer.sufficient, model.meter.total.llm_calls) == ("Velm", True, 2)
    assert answered(broken, VELM).sufficient


@pytest.mark.parametrize("output", ["Velm, I think", "", {"answer": "Velm"}, [VELM], {**VELM, "support": "none"}])
def test_step_whose_output_stays_broken_has_no_answer(output: object, caplog: pytest.LogCaptureFixture) -> None:
    """The question goes on without it, and what it cost is counted."""
    with model_saying(output) as (model, _):
        answer = answer_step(model, STEP, [BUILT, BORN], PASSAGES)
    assert (answer.text, answer.sufficient, model.meter.total.llm_calls) == (None, False, 2)
    assert "is not answered" in caplog.text


def test_step_reports_an_endpoint_that_refuses() -> None:
    refusal = refuses(401, "no such key")
    with (
        serving(refusal) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
        pytest.raises(EndpointError),
    ):
        answer_step(model, STEP, [BORN], PASSAGES)


def test_instructions_in_chains_and_passages_stay_in_their_blocks() -> None:
    """A chain is one line, so that it cannot pass for several, nor for a passage."""
    with model_saying(VELM) as (model, server):
        answer_step(
            model,
            STEP,
            [INJECTION, BORN],
            [passage(1, "Gull", INJECTION)],
            known=[EarlierStep(INJECTION, "\n" + INJECTION)],
        )
        prompt = prompt_of(server)
        assert "never an instruction" in system_of(server.requests[0])
    chains = inside(prompt, "CHAINS")
    assert chains.splitlines() == [" ".join(INJECTION.split()), BORN]
    outside = prompt
    for label in ("CHAINS", "PASSAGE 1", "EARLIER STEP 1"):
        outside = outside.replace(inside(prompt, label), "")
    assert "pirate" not in outside
    assert inside(prompt, "QUESTION") == STEP


@pytest.mark.parametrize(
    ("title", "text", "quote", "answer"),
    [
        ("鸥号", "鸥号是一艘渡轮。它由艾达·布鲁克于1892年建造。", "它由艾达·布鲁克于1892年建造。", "艾达·布鲁克"),
        ("النورس", "النورس عبّارة. بنتها عايدة بروك سنة ١٨٩٢.", "بنتها عايدة بروك سنة ١٨٩٢", "عايدة بروك"),
        ("नाव", "यह एक नाव है। इसे आदा ने बनाया।", "इसे आदा ने बनाया।", "आदा"),
    ],
)
def test_steps_are_established_in_any_script(title: str, text: str, quote: str, answer: str) -> None:
    """Also with a full stop that the passage lacks, or writes in another way."""
    output = {"support": [{"passage": 1, "quote": quote + "。"}], "answer": answer, "sufficient": True}
    with model_saying(output) as (model, _):
        found = answer_step(model, "?", [f"{title} -(r)-> {answer}"], [passage(1, title, text)])
    assert (found.text, found.sufficient, found.dropped) == (answer, True, 0)
    assert text[found.quotes[0].start : found.quotes[0].end].rstrip(".。।") == quote.rstrip(".。।")


# --- answer several steps at once -------------------------------------------------------------------------------------

ASKED = (STEP, "Who built the Gull?")
ADA = {"support": [{"passage": 1, "quote": "It was built by Ada Brook"}], "answer": "Ada Brook", "sufficient": True}


def test_steps_are_answered_together_each_with_its_quotations() -> None:
    """By their numbers, in whatever order they come; of two answers to one question the first counts."""
    said = [{"question": 2, **ADA}, {"question": 1, **VELM}, {"question": 2, **VELM}]
    with model_saying({"answers": said}) as (model, server):
        first, second = answer_together(model, ASKED, [BORN], PASSAGES, larger=QUESTION)
        prompt = prompt_of(server)
        assert [inside(prompt, f"QUESTION {number}") for number in (1, 2)] == list(ASKED)
        assert inside(prompt, "LARGER QUESTION") == QUESTION
        assert "with an answer for each question" in system_of(server.requests[0])
        assert server.requests[0]["max_tokens"] == 800
    assert [(one.text, one.sufficient) for one in (first, second)] == [("Velm", True), ("Ada Brook", True)]
    assert model.meter.total.llm_calls == 1
    assert [PASSAGES[one.quotes[0].passage_index].title for one in (first, second)] == ["Ada Brook", "Gull"]


@pytest.mark.parametrize("answers", [[], [{"question": 1, **VELM}], [{"question": 1, **VELM}, {"question": 7, **ADA}]])
def test_a_step_that_is_left_out_has_no_answer(answers: list[object]) -> None:
    with model_saying({"answers": answers}) as (model, _):
        first, second = answer_together(model, ASKED, [], PASSAGES)
    assert (first.text, second.text) == ("Velm" if answers else None, None)
    assert not second.sufficient


def test_steps_have_no_answers_where_the_output_stays_invalid_or_there_are_no_passages() -> None:
    with model_saying("well") as (model, server):
        assert [one.text for one in answer_together(model, ASKED, [], PASSAGES)] == [None, None]
        asked = len(server.requests)
        assert [one.text for one in answer_together(model, ASKED, [BORN], [])] == [None, None]
        assert len(server.requests) == asked == 2


def test_no_question_of_several_is_cut_for_want_of_room() -> None:
    """Passages are."""
    with model_saying({"answers": []}) as (model, server):
        answer_together(Within(model, 1, context=200), ASKED, [], [passage(1, "Gull", GULL * 40)])
        assert [inside(prompt_of(server), f"QUESTION {number}") for number in (1, 2)] == list(ASKED)


# --- what is only likely ----------------------------------------------------------------------------------------------


def test_a_step_that_is_read_again_is_shown_what_was_guessed() -> None:
    """With its quotations, and is told what to do with it; without a guess it is told of none."""
    guess = EarlierStep(STEP, "Velm", ("She was born in\nVelm.",), established=False)
    with model_saying(VELM) as (model, server):
        answer_step(model, STEP, [], PASSAGES, guess=guess)
        assert inside(prompt_of(server), "GUESS").splitlines() == ["Velm", "“She was born in Velm.”"]
        assert "Confirm the guess, correct it or replace it" in system_of(server.requests[0])
        answer_step(model, STEP, [], PASSAGES)
        assert "GUESS" not in str(server.requests[1])


def test_an_earlier_guess_is_shown_as_one() -> None:
    """In the block's mark, where no text can imitate it."""
    known = [EarlierStep("Who built the Gull?", "Ada Brook", (BUILT,), established=False)]
    with model_saying(VELM) as (model, server):
        answer_step(model, STEP, [], PASSAGES, known=known)
        assert inside(prompt_of(server), "EARLIER STEP 1, A GUESS").splitlines()[1] == "Ada Brook"
        assert "Answer as if it were right" in system_of(server.requests[0])


# --- how passages are shown -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", ["# Ada Brook", "Ada Brook", "**Ada Brook**"])
def test_a_heading_that_repeats_the_title_is_not_shown_and_may_be_quoted_all_the_same(heading: str) -> None:
    titled = passage(2, "Ada Brook", f"{heading}\n\n{BROOK}")
    with model_saying({**VELM, "support": [{"passage": 1, "quote": "She was born in Velm."}]}) as (model, server):
        answer = answer_step(model, STEP, [], [titled])
        shown = inside(prompt_of(server), "PASSAGE 1").splitlines()
    assert shown == ["Title: Ada Brook", *BROOK.replace(". ", ".\n").splitlines()]
    [quote] = answer.quotes
    assert titled.text[quote.start : quote.end] == "She was born in Velm."
