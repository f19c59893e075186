"""What a language model says to a step, from passages and chains, with sentences that it quotes."""

from __future__ import annotations

from typing import Any

import pytest

from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.ports import LanguageModel
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.strategies.stepchain.step_answers import StepReader
from tests.worlds.endpoint import asked, says
from tests.worlds.prompts import inside, model_saying, prompt_of
from tests.worlds.stepchain import BORN
from tests.worlds.stepchain_moves import MakeGraph
from tests.worlds.stepchain_sage import ASKED

VELM = {"support": [{"passage": 1, "quote": "She was born in Velm."}], "answer": "Velm", "sufficient": True}


def reader_of(model: LanguageModel, view: View, *, calls: int = 1, tokens: int = 500) -> StepReader:
    """Reads for steps of a question with a model that may be asked so often, and shown so much at once."""
    return StepReader(model=Within(model, calls), over=view, question=BORN, tokens=tokens, most=tokens)


def test_an_answer_has_its_passage_and_its_sentence(view: View, number: dict[str, int]) -> None:
    with model_saying(VELM) as (model, _):
        reader = reader_of(model, view)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"], number["Velm"]], [])
    assert found is not None
    assert (found.text, found.established, found.sources) == ("Velm", True, (number["Ada Brook"],))
    [span] = found.spans
    document = view.record.document(span.document_id)
    assert document.text[span.start : span.end] == "She was born in Velm."
    assert found.quotes == ("She was born in Velm.",)
    assert found.shown == (number["Ada Brook"], number["Velm"])


def test_each_fact_of_a_chain_names_the_passage_that_is_shown_for_it(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """So that the model knows where to look for the sentence; a chain that nothing shown states is not told."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    chains = mine.walk("Where was the builder of the Gull born?", [number["Gull"]]).kept
    [chain] = [one for one in chains if str(one.chain) == "Gull -(was built by)-> Ada Brook -(born in)-> Velm"]
    with model_saying(VELM) as (model, server):
        reader = reader_of(model, view, calls=2, tokens=5000)
        reader.answer(BORN, [chain], [number[title] for title in ("Velm", "Ada Brook", "Gull")], [])
        assert inside(prompt_of(server), "CHAINS") == "Gull -(was built by)-> Ada Brook [3] -(born in)-> Velm [2]"
        reader.answer(BORN, [chain], [number["Ada Brook"]], [])
        assert "<<<CHAINS" not in prompt_of(server)


def test_the_order_of_chains_does_not_depend_on_their_scores(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """Which differ by a hair from machine to machine: the same evidence is the same prompt."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    chains = mine.walk("Where was the builder of the Gull born?", [number["Gull"]]).kept
    shown = [number["Gull"], number["Ada Brook"]]
    with model_saying(VELM) as (model, server):
        reader = reader_of(model, view, calls=2, tokens=5000)
        reader.answer(BORN, chains, shown, [])
        told = prompt_of(server)
        reader.answer(BORN, chains[::-1], shown, [])
        assert prompt_of(server) == told


def test_a_reader_sees_as_many_passages_as_fit_beside_the_chains(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """One at least."""
    mine = graph()
    mine.pull([number["Ada Brook"]])
    chains = mine.walk("Where was Ada Brook born?", [number["Ada Brook"]]).kept
    for tokens, shown, beside in ((5000, 3, []), (5000, 3, chains), (5, 1, []), (45, 1, chains)):
        with model_saying(VELM) as (model, server):
            reader = reader_of(model, view, tokens=tokens)
            numbers = [number["Ada Brook"], number["Velm"], number["Hallow"]]
            assert reader.answer("Where was Ada Brook born?", beside, numbers, []) is not None
            assert prompt_of(server).count("<<<PASSAGE ") == shown
            assert inside(prompt_of(server), "PASSAGE 1").startswith("Title: Ada Brook")


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({**VELM, "sufficient": False}, "a guess that no passage bears out: Velm"),
        ({**VELM, "support": []}, "a guess that no passage bears out: Velm"),
        ({"support": [], "answer": "", "sufficient": False}, "the passages do not say"),
    ],
    ids=["it says so", "nothing is quoted", "nothing is answered"],
)
def test_what_is_not_established_is_a_guess_at_most(
    view: View, number: dict[str, int], said: dict[str, Any], note: str
) -> None:
    with model_saying(said) as (model, _):
        reader = reader_of(model, view)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], [])
    assert found is not None
    assert (found.established, found.note) == (False, note)
    assert found.text == (said["answer"] or None)


def test_what_a_model_does_not_say_in_the_form_asked_for_is_not_what_passages_do_not_say(
    view: View, number: dict[str, int]
) -> None:
    """They count as unread: a second try would otherwise be shown all others but them."""
    left_out = {"answers": [{"question": 2, **VELM}]}
    with model_saying("I cannot help with that.", "Sorry.", left_out) as (model, _):
        reader = reader_of(model, view, calls=9)
        assert reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], []) is None
        read = reader.together(["Who built the Gull?", "Where was she born?"], [], [number["Ada Brook"]], [])
    assert read is not None
    first, second = read
    assert first is None
    assert second is not None
    assert second.established


def test_a_reader_without_calls_asks_nobody(view: View, number: dict[str, int]) -> None:
    with asked(says("never")) as (model, server):
        reader = StepReader(model=Within(model, 1).share(1), over=view, question=BORN, tokens=500, most=500)
        assert reader.answer(BORN, [], [number["Ada Brook"]], []) is None
        assert reader.other_steps([EarlierStep(BORN, "", established=False)]) is None
        assert reader.again(EarlierStep(BORN, ""), [], [number["Ada Brook"]], []) is None
        assert reader.combined(BORN, [EarlierStep("Who?", "Ada"), EarlierStep("Who else?", "Otto")]) is None
        assert server.requests == []


@pytest.mark.parametrize("copied", ["She was born in Velm", "born in Velm.", "SHE  WAS BORN IN VELM"])
def test_what_was_quoted_is_shown_again_as_whole_sentences(view: View, number: dict[str, int], copied: str) -> None:
    """So that it can be cited again; a clause, or a sentence without its full stop, cannot."""
    with model_saying({**VELM, "support": [{"passage": 1, "quote": copied}] * 2}) as (model, _):
        reader = reader_of(model, view)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], [])
    assert found is not None
    assert (found.quotes, len(found.spans)) == (("She was born in Velm.",), 1)


def test_the_question_itself_is_no_other_way(view: View) -> None:
    for steps, expected in (([BORN], None), (ASKED, ASKED)):
        with model_saying({"steps": steps}) as (model, _):
            reader = reader_of(model, view, tokens=9)
            other = reader.other_steps([EarlierStep("Who?", "", established=False)])
        assert other == expected
