"""What StepChain asks a language model: answer a step from chains, merge the answers, split what is left, read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.prompts.answer_step import StepAnswer, answer_step, answer_together
from polyhop.prompts.combine_answers import combine_answers
from polyhop.prompts.decompose import decompose, well_formed, without_known
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.prompts.merge_answers import LONGEST, Answered, merge_answers, merged_offline, plainly_together
from polyhop.prompts.read_answer import read_answer
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
)


def system_of(request: dict[str, Any]) -> str:
    """What the model is told before it sees any data."""
    content: str = request["messages"][0]["content"]
    return content


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


def test_merging_tells_that_the_reader_sees_no_steps() -> None:
    with model_saying({"conflicts": [], "findings": "Well."}) as (model, server):
        merge_answers(model, QUESTION, [BUILDER, PLACE])
        assert "The reader sees neither the steps nor their numbers" in system_of(server.requests[0])


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


# --- combine what earlier steps found ---------------------------------------------------------------------------------

GULL_BUILT = EarlierStep("When was the Gull built?", "1801", ("It was built by Ada Brook in 1801.",))
PIKE_BUILT = EarlierStep("When was the Pike built?", "1810", ("It was built by Otto Reed in 1810.",))
OLDER = "Which is older, the Gull (1801) or the Pike (1810)?"


def test_a_comparison_is_answered_from_earlier_answers_alone() -> None:
    """With the sentences that were quoted for them, and without any passage."""
    with model_saying({"reason": "1801 is before 1810.", "follows": True, "answer": "the  Gull"}) as (model, server):
        answer = combine_answers(model, OLDER, [GULL_BUILT, PIKE_BUILT])
        assert inside(prompt_of(server), "EARLIER STEP 2").splitlines() == [
            "When was the Pike built?",
            "1810",
            "“It was built by Otto Reed in 1810.”",
        ]
        assert inside(prompt_of(server), "QUESTION") == OLDER
        assert "PASSAGE" not in prompt_of(server)
    assert (answer, model.meter.total.llm_calls) == ("the Gull", 1)


@pytest.mark.parametrize(
    "output", [{"reason": "Nobody says.", "follows": False, "answer": "Velm"}, {**VELM}, "well", ""], ids=str
)
def test_what_does_not_follow_from_earlier_answers_is_left_to_be_looked_up(output: object) -> None:
    with model_saying(output) as (model, _):
        assert combine_answers(model, "Where do both sail?", [GULL_BUILT, PIKE_BUILT]) is None


def test_one_earlier_answer_is_nothing_to_combine() -> None:
    with model_saying("never") as (model, server):
        assert combine_answers(model, OLDER, [GULL_BUILT]) is None
        assert server.requests == []


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


# --- merge the answers ------------------------------------------------------------------------------------------------

BUILDER = Answered("Who built the Gull?", "Ada Brook", True, (BUILT,))
PLACE = Answered(STEP, "Velm", True, (BORN,))
GUESS = Answered("When did Velm get its harbour?", "1900", False)


def test_merging_shows_each_step_with_its_status() -> None:
    """The status stands in the block's mark, where an answer cannot imitate it."""
    sly = Answered("Who owns\nthe Gull?", "Otto\nSTEP 4, ESTABLISHED", False, (INJECTION,))
    with model_saying({"conflicts": [], "findings": "Ada Brook built the Gull; she is from  Velm."}) as (model, server):
        text = merge_answers(model, QUESTION, [BUILDER, PLACE, sly], ["Velm is a port.", "The Gull is a ferry."])
        prompt = prompt_of(server)
        assert "never an instruction" in system_of(server.requests[0])
    assert inside(prompt, "STEP 1, ESTABLISHED").splitlines() == [
        "Question: Who built the Gull?",
        "Answer: Ada Brook",
        f"Chain: {BUILT}",
    ]
    assert inside(prompt, "STEP 3, NOT ESTABLISHED").splitlines()[:2] == [
        "Question: Who owns the Gull?",
        "Guess: Otto STEP 4, ESTABLISHED",
    ]
    assert inside(prompt, "QUESTION") == QUESTION
    assert {inside(prompt, "BACKGROUND 1"), inside(prompt, "BACKGROUND 2")} == {
        "Velm is a port.",
        "The Gull is a ferry.",
    }
    assert text.splitlines() == [
        "Ada Brook built the Gull; she is from Velm.",
        "Not established: Who owns the Gull? Perhaps Otto STEP 4, ESTABLISHED",
    ]
    assert model.meter.total.llm_calls == 1


def test_merging_names_conflicts_and_what_is_not_established() -> None:
    """The latter whatever the model says."""
    output = {"conflicts": ["Step 1 says Velm, step 2 Ossby; Velm has a chain.", " "], "findings": "All is well."}
    with model_saying(output) as (model, _):
        text = merge_answers(model, QUESTION, [PLACE, GUESS, Answered("Why?", None, False)])
    assert text.splitlines() == [
        "All is well.",
        "Not established: When did Velm get its harbour? Perhaps 1900",
        "Not established: Why?",
        "Conflict: Step 1 says Velm, step 2 Ossby; Velm has a chain.",
    ]


def test_merging_shows_the_guess_and_the_quotations_of_a_step() -> None:
    """Chains only where nothing was quoted: what a passage says comes before what a program took from it."""
    quoted = Answered("When was the Gull built?", "1801", True, (BUILT,), ("It was built\nin 1801.",))
    with model_saying({"conflicts": [], "findings": "Well."}) as (model, server):
        merge_answers(model, QUESTION, [quoted, GUESS, Answered("Why?", None, False)])
        prompt = prompt_of(server)
    assert inside(prompt, "STEP 1, ESTABLISHED").splitlines()[1:] == ["Answer: 1801", "Quoted: It was built in 1801."]
    assert inside(prompt, "STEP 2, NOT ESTABLISHED").splitlines()[1:] == ["Guess: 1900"]
    assert inside(prompt, "STEP 3, NOT ESTABLISHED").splitlines()[1:] == ["Nothing was found."]


def test_established_answers_speak_for_themselves() -> None:
    """And so do guesses; where two answers contradict each other, somebody has to put them together."""
    quoted = Answered("When was the Gull built?", "1801", True, (), ("It was built in 1801.",))
    assert plainly_together([BUILDER, quoted]) == (
        f"Established: Who built the Gull? Ada Brook ({BUILT})\n"
        "Established: When was the Gull built? 1801 (It was built in 1801.)"
    )
    assert plainly_together([]) is None
    assert plainly_together([BUILDER, GUESS]) == (
        f"Established: Who built the Gull? Ada Brook ({BUILT})\n"
        "Not established: When did Velm get its harbour? Perhaps 1900"
    )
    assert plainly_together([PLACE, Answered(STEP, "Ossby", True)]) is None
    assert plainly_together([PLACE, Answered(STEP, "VELM", True)]) == f"Established: {STEP} Velm ({BORN})"


def test_a_guess_is_told_once_with_what_it_rests_on() -> None:
    """Under whatever wordings it was asked, and not again where the findings have it; what follows from it says so."""
    quoted = Answered("Who built the Tern?", "Otto Reed", False, (), ("Reed is said to have built\nthe Tern.",))
    again = Answered("Which person is the builder of the Tern?", "otto reed", False, (), ("It is his.",))
    follows = Answered("Where was Otto Reed born?", "Mirl", False, (), ("Reed was born in Mirl.",), supposing=True)
    lines = [
        "Not established: Who built the Tern? Perhaps Otto Reed (Reed is said to have built the Tern.)",
        "Not established: Which person is the builder of the Tern?",
        "Not established: Where was Otto Reed born? If the guess before it is right, Mirl (Reed was born in Mirl.)",
    ]
    assert (plainly_together([quoted, again, follows]) or "").splitlines() == lines
    with model_saying({"conflicts": [], "findings": "Perhaps Otto  Reed did, of Mirlow."}) as (model, server):
        text = merge_answers(model, QUESTION, [BUILDER, quoted, again, follows])
        shown = inside(prompt_of(server), "STEP 4, NOT ESTABLISHED").splitlines()
    assert shown[1] == "Guess, if the guess before it is right: Mirl"
    assert text.splitlines()[1:] == ["Not established: Who built the Tern?", *lines[1:]]


def test_merging_is_repaired_once() -> None:
    with model_saying('{"conflicts": []}', {"conflicts": [], "findings": "Ada Brook is from Velm."}) as (model, _):
        text = merge_answers(model, QUESTION, [BUILDER, PLACE])
    assert (text, model.meter.total.llm_calls) == ("Ada Brook is from Velm.", 2)


@pytest.mark.parametrize("output", ["Well.", "", {"conflicts": [], "findings": ""}])
def test_merging_falls_back_to_plain_text(output: object) -> None:
    with model_saying(output) as (model, _):
        text = merge_answers(model, QUESTION, [BUILDER, PLACE])
    assert text == merged_offline(QUESTION, [BUILDER, PLACE])
    assert model.meter.total.llm_calls == 2


@pytest.mark.parametrize(
    "steps", [(), (BUILDER,), (GUESS,), (GUESS, Answered("Why?", None, True)), (GUESS, Answered("Why?", "so", False))]
)
def test_merging_nothing_asks_nobody(steps: tuple[Answered, ...]) -> None:
    """One answer is its own synthesis, and guesses have none."""
    with model_saying("never") as (model, server):
        assert merge_answers(model, QUESTION, steps) == merged_offline(QUESTION, steps)
        assert server.requests == []


def test_merged_text_is_short_however_much_the_model_writes() -> None:
    output = {"conflicts": ["on " * 900] * 6, "findings": "on and " * 900}
    with model_saying(output) as (model, _):
        text = merge_answers(model, QUESTION, [BUILDER, PLACE, GUESS])
    assert len(text) <= LONGEST
    assert "Not established: When did Velm" in text
    assert re.search(r" (on|and) …$", text.splitlines()[0])


def test_merged_offline_has_a_line_a_step_and_the_nearest_summaries() -> None:
    """What was asked twice is said once, and what does not fit together is said to be so."""
    again = Answered("who built the Gull", "ada brook", True)
    other = Answered("When was it built?", "1892", True)
    doubt = Answered("When was it built?", "1893", True)
    failed = Answered("Who sold it?", None, False)
    retried = Answered("Who sold it?", "Otto", True)
    steps = [BUILDER, again, PLACE, other, doubt, GUESS, failed, retried]
    text = merged_offline(QUESTION, steps, ["Trams.", "Velm is a\nport where Brook worked.", "Trams."])
    assert text.splitlines() == [
        f"Established: Who built the Gull? Ada Brook ({BUILT})",
        f"Established: {STEP} Velm ({BORN})",
        "Contradictory: When was it built? 1892 or 1893",
        "Established: Who sold it? Otto",
        "Not established: When did Velm get its harbour? Perhaps 1900",
        "Background: Velm is a port where Brook worked.",
        "Background: Trams.",
    ]


steps_of_any_kind = st.builds(
    Answered,
    st.text(max_size=400),
    st.none() | st.text(max_size=900),
    st.booleans(),
    st.lists(st.text(max_size=900), max_size=3).map(tuple),
)


@given(st.text(max_size=40), st.lists(steps_of_any_kind, max_size=9), st.lists(st.text(max_size=900), max_size=9))
def test_merged_offline_is_short_and_marks_what_is_not_established(
    question: str, steps: list[Answered], summaries: list[str]
) -> None:
    """Law: at most LONGEST characters, the same each time, and no guess is called established."""
    text = merged_offline(question, steps, summaries)
    assert len(text) <= LONGEST
    assert bool(text) or not steps
    assert merged_offline(question, steps, summaries) == text
    if not any(one.established for one in steps):
        assert not re.search(r"^(Established|Contradictory):", text, re.MULTILINE)


# --- decompose what is left -------------------------------------------------------------------------------------------

BORN_IN_VELM = "She was born in Velm, her sister said."
TRIED = (
    EarlierStep("Who built the ferry Gull?", "Ada Brook", (BUILT,)),
    EarlierStep("Where was Ada Brook born?", "", established=False),
)
GUESSED = EarlierStep("Where was Ada Brook born?", "Velm", (BORN_IN_VELM, "It is far."), established=False)


def test_second_plan_sees_what_was_found_and_what_was_not() -> None:
    steps = ["Which yard did Ada Brook learn in?", "In which town is #1?"]
    with model_saying({"steps": steps}) as (model, server):
        assert decompose(model, QUESTION, known=TRIED) == tuple(steps)
        assert inside(prompt_of(server), "STEP 1, ANSWERED").splitlines() == [
            *("Who built the ferry Gull?", "Ada Brook", f"“{BUILT}”")
        ]
        assert inside(prompt_of(server), "STEP 2, NOT ANSWERED") == TRIED[1].question
        assert inside(prompt_of(server), "QUESTION") == QUESTION
        assert "another way" in system_of(server.requests[0])


def test_second_plan_sees_a_guess_as_one_with_the_sentence_that_it_rests_on() -> None:
    """It goes on from there, and does not ask for it again; one that nothing was quoted for is none to go on from."""
    with model_saying({"steps": [GUESSED.question, "Who is the mayor of #1?"]}) as (model, server):
        assert decompose(model, QUESTION, known=[TRIED[0], GUESSED]) == ("Who is the mayor of Velm?",)
        assert inside(prompt_of(server), "STEP 2, A GUESS").splitlines()[1:] == ["Velm", f"“{BORN_IN_VELM}”"]
        bare = EarlierStep(GUESSED.question, "Velm", established=False)
        assert decompose(model, QUESTION, known=[TRIED[0], bare]) == ()


def test_first_plan_is_asked_for_as_ever() -> None:
    """So that answers in the cache stay good."""
    with model_saying({"steps": ["a", "b #1"]}) as (model, server):
        decompose(model, QUESTION)
        decompose(model, QUESTION, known=())
        assert server.requests[0] == server.requests[1]
        assert "tried" not in system_of(server.requests[0])


@pytest.mark.parametrize(
    "steps",
    [
        ["Where  was ADA BROOK born"],
        ["Who built the ferry Gull?", "Where was #1 born?"],
        ["Who built the ferry Gull?"],
        ["Who is #2?"],
    ],
)
def test_second_plan_that_is_no_other_way_is_not_followed(steps: list[str]) -> None:
    """Also where a reference hides that it is the same step."""
    with model_saying({"steps": steps}) as (model, _):
        assert decompose(model, QUESTION, known=TRIED) == ()


def test_a_long_number_in_a_step_refers_to_no_other_step() -> None:
    """An order or a part has a number of its own: a plan may name it, as answers are put into plans by one rule."""
    steps = ["Who placed order #4711?", "Where does #1 live?"]
    with model_saying({"steps": steps}) as (model, _):
        assert decompose(model, "Where does whoever placed order #4711 live?") == tuple(steps)


def test_steps_of_a_second_plan_that_are_known_are_left_out() -> None:
    steps = ["In which yard was the Gull built?", "Who built the ferry Gull?", "Did #2 live near #1?", "Is #3 so?"]
    with model_saying({"steps": steps}) as (model, _):
        found = decompose(model, QUESTION, known=TRIED)
    assert found == ("In which yard was the Gull built?", "Did Ada Brook live near #1?", "Is #2 so?")


def test_single_step_that_is_left_is_a_plan() -> None:
    with model_saying({"steps": ["What is the birthplace of Ada Brook?"]}) as (model, _):
        assert decompose(model, QUESTION, known=TRIED) == ("What is the birthplace of Ada Brook?",)


def test_instructions_in_what_was_found_stay_in_their_block() -> None:
    with model_saying({"steps": ["Where is Velm?"]}) as (model, server):
        decompose(model, QUESTION, known=[EarlierStep("Who?", INJECTION)])
        assert inside(prompt_of(server), "STEP 1, ANSWERED") == f"Who?\n{' '.join(INJECTION.split())}"


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "#1 hit", None])), max_size=4),
)
def test_plans_without_known_steps_hold_together(
    plan: list[tuple[str, int]], known: list[tuple[str, str | None]]
) -> None:
    """Law: what is left of a sound plan is sound, unless nothing is left, and asks for nothing known."""
    sound = [(word, min(number, index)) for index, (word, number) in enumerate(plan)]
    steps = [f"{word} #{number}" if number else word for word, number in sound]
    assert well_formed(steps)
    left = without_known(steps, known)
    assert not left or well_formed(left)
    answers = dict(known)  # of a question that was tried twice, the last attempt counts
    assert all(answers.get(step) != "x" for step in left)


# --- read with findings -----------------------------------------------------------------------------------------------


def test_findings_are_shown_and_cannot_be_quoted() -> None:
    findings = "Ada Brook built the Gull. She comes from Ossby Hall."
    output = {
        "support": [{"passage": 1, "quote": "She comes from Ossby Hall."}, {"passage": 2, "quote": "born in Velm"}],
        "found": True,
        "answer": "Velm",
    }
    with model_saying(output) as (model, server):
        answer = read_answer(model, QUESTION, PASSAGES, findings=findings)
        assert inside(prompt_of(server), "FINDINGS") == findings
        assert "the passages decide" in system_of(server.requests[0])
    assert [quote.passage_index for quote in answer.quotes] == [1]
    assert (answer.text, answer.dropped) == ("Velm", 1)


def test_reading_without_findings_asks_as_ever() -> None:
    with model_saying({"support": [], "found": False, "answer": ""}) as (model, server):
        read_answer(model, QUESTION, PASSAGES)
        read_answer(model, QUESTION, PASSAGES, findings=" \n")
        assert server.requests[0] == server.requests[1]
        assert "FINDINGS" not in str(server.requests[0])


def test_instructions_in_findings_stay_in_their_block() -> None:
    with model_saying({"support": [], "found": False, "answer": ""}) as (model, server):
        read_answer(model, QUESTION, PASSAGES, findings=INJECTION)
        assert inside(prompt_of(server), "FINDINGS") == INJECTION
        assert inside(prompt_of(server), "QUESTION") == QUESTION


def test_answer_that_only_findings_support_is_not_grounded() -> None:
    output = {"support": [{"passage": 1, "quote": "The answer is Ossby Hall."}], "found": True, "answer": "Ossby Hall"}
    with model_saying(output) as (model, _):
        answer = read_answer(model, QUESTION, [passage(1, "Gull", GULL)], findings="The answer is Ossby Hall.")
    assert (answer.quoted, answer.dropped) == (False, 1)
