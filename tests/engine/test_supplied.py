"""What a language model lacks, while it reads, is looked up: and no more than that, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.reading.supplied import NO_ANSWER
from polyhop.types import Answer, Budget, Hop
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer
from tests.worlds.prompts import inside, model_saying, prompt_of
from tests.worlds.settings import QUICK

QUESTION = "Which town has a part in the story of the lens of Quillmouth?"
OTHERS = {
    f"other {number}.txt": f"The lens of harbour {number} stands in a town. It was made there." for number in range(8)
}
DOCUMENTS = {
    "lens.txt": "The lens of Quillmouth is a gift. It is there in memory of Ada Brisk.",
    "ada.txt": "Ada Brisk was an engineer. She was a pupil of the Tarn School.",
    "tarn.txt": "The Tarn School stands in Fennick. Piet Rook founded it in 1790.",
    **OTHERS,
}
PUPIL, PLACE = "Of which school was Ada Brisk a pupil?", "In which town stands the Tarn School?"


def reply(found: str, quote: str, lacking: Sequence[str], learnt: Sequence[str] | None) -> dict[str, Any]:
    """What a model says: an answer or none, a quotation or none; what it learnt only where something was looked up."""
    return {
        "support": [{"passage": 1, "quote": quote}] if quote else [],
        "found": bool(found),
        **({} if learnt is None else {"learnt": list(learnt)}),
        "lacking": list(lacking),
        "shape": "short",
        "answer": [{"text": found, "support": [1]}] if found else [],
    }


def lacks(*questions: str, quote: str = "", learnt: Sequence[str] | None = None) -> dict[str, Any]:
    """A reply that finds no answer."""
    return reply("", quote, questions, learnt)


def answers(text: str, quote: str, learnt: Sequence[str] | None = None) -> dict[str, Any]:
    """A reply that finds one."""
    return reply(text, quote, (), learnt)


LED_ON = (
    lacks(PUPIL, quote="It is there in memory of Ada Brisk."),
    lacks(PLACE, learnt=["the Tarn School"], quote="She was a pupil of the Tarn School."),
    answers("Fennick", "The Tarn School stands in Fennick.", learnt=["the Tarn School", "Fennick"]),
)
"""A question whose second and third passage do not look like it."""


@pytest.fixture(scope="module")
def lenses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in which most passages look more like the question than those that answer it."""
    folder = tmp_path_factory.mktemp("lenses")
    with Polyhop(folder / "an.index", settings=QUICK) as engine:
        engine.index(write(folder / "documents", DOCUMENTS), layers=["text"])
    return folder / "an.index"


def asked(
    lenses: Path, replies: Sequence[object], strategy: str = "auto", **more: Any
) -> tuple[Answer, EndpointServer]:
    """What is answered where a model gives these replies in turn, with two passages to read at a time."""
    budget = Budget(passages=2, **more)
    with model_saying(*replies) as (model, server), Polyhop(lenses, settings=QUICK, language_model=model) as engine:
        return engine.ask(QUESTION, strategy=strategy, budget=budget), server


def test_what_the_first_passages_answer_takes_one_call(lenses: Path) -> None:
    answer, server = asked(lenses, [answers("a gift", "The lens of Quillmouth is a gift.")])
    assert (answer.text, answer.grounded, answer.evidence.cost.llm_calls) == ("a gift", True, 1)
    assert answer.evidence.supplied == ()
    assert "LOOKED UP" not in prompt_of(server)


def test_what_a_reader_lacks_is_looked_up_until_it_answers(lenses: Path) -> None:
    answer, server = asked(lenses, LED_ON)
    assert (answer.text, answer.grounded) == ("Fennick", True)
    assert answer.evidence.supplied == (PUPIL, PLACE)
    assert answer.evidence.cost.llm_calls == len(server.requests) == len(LED_ON)
    assert answer.evidence.cost.prompt_tokens == 10 * len(LED_ON)
    assert inside(prompt_of(server), "LOOKED UP") == f"{PUPIL}\n{PLACE}"
    assert [line for line in answer.evidence.trail if PUPIL in line]


def test_each_look_up_is_a_hop_with_the_sentence_that_answers_it(lenses: Path) -> None:
    told: dict[int, Hop] = {}
    with model_saying(*LED_ON) as (model, _), Polyhop(lenses, settings=QUICK, language_model=model) as engine:
        answer = engine.ask(QUESTION, strategy="auto", budget=Budget(passages=2), told=told.__setitem__)
        said = [[engine.quote(span)[0] for span in hop.sentences] for hop in answer.evidence.hops]
    hops = [(hop.question, hop.found, hop.status) for hop in answer.evidence.hops]
    assert hops == [
        (QUESTION, "Ada Brisk", "resolved"),
        (PUPIL, "the Tarn School", "resolved"),
        (PLACE, "Fennick", "resolved"),
    ]
    assert said == [
        ["It is there in memory of Ada Brisk."],
        ["She was a pupil of the Tarn School."],
        ["The Tarn School stands in Fennick."],
    ]
    assert [told[place] for place in sorted(told)] == list(answer.evidence.hops)


def test_what_was_quoted_stays_before_what_is_found_for_it(lenses: Path) -> None:
    answer, _ = asked(lenses, LED_ON)
    assert [passage.title for passage in answer.evidence.passages] == ["ada", "tarn"]


@pytest.mark.parametrize("question", ["", " ", "?!", "…"])
def test_a_question_without_words_is_not_looked_up(question: str, lenses: Path) -> None:
    answer, server = asked(lenses, [lacks(question)])
    assert (answer.text, len(server.requests), answer.evidence.supplied) == (None, 1, ())


def test_a_question_of_thousands_of_words_is_looked_up_by_its_last(lenses: Path) -> None:
    answer, _ = asked(lenses, [lacks("Who was Ada Brisk? " * 2000), lacks(learnt=[""])])
    assert answer.evidence.supplied == ("Who was Ada Brisk?",)


def test_nothing_is_looked_up_twice(lenses: Path) -> None:
    answer, server = asked(lenses, [lacks(PUPIL), lacks(PUPIL.upper(), learnt=[""])])
    assert (answer.text, len(server.requests)) == (None, 2)
    assert [(hop.question, hop.status, hop.note) for hop in answer.evidence.hops] == [(PUPIL, "unresolved", NO_ANSWER)]


@pytest.mark.parametrize(
    ("strategy", "allowed", "calls"),
    [("auto(supplies=2)", 12, 2), ("auto(supplies=3)", 12, 3), ("auto", 1, 1), ("auto", 2, 2)],
)
def test_so_much_is_looked_up_at_most(strategy: str, allowed: int, calls: int, lenses: Path) -> None:
    """As the strategy says, and as many calls as are left; another reader never takes the last one's place."""
    always = [
        lacks(f"Who made the lens of harbour {at}?", f"Where is harbour {at}?", learnt=["", ""] if at else None)
        for at in range(8)
    ]
    answer, server = asked(lenses, always, strategy, llm_calls=allowed)
    assert len(server.requests) == calls
    assert (answer.text, answer.reader, answer.evidence.left_out) == (None, "grounded", ())


@pytest.mark.parametrize("strategy", ["hybrid", "auto(supplies=0)"])
def test_no_prompt_speaks_of_it_where_nothing_is_looked_up(strategy: str, lenses: Path) -> None:
    said = {**answers("a gift", "The lens of Quillmouth is a gift.")}
    del said["lacking"]
    answer, server = asked(lenses, [said], strategy)
    assert answer.evidence.supplied is None
    assert "lacking" not in str(server.requests)


def test_what_is_looked_up_ends_with_the_time_allowed(lenses: Path) -> None:
    answer, server = asked(lenses, LED_ON, seconds=0.0)
    assert (answer.text, len(server.requests)) == (None, 1)


def test_without_a_language_model_nothing_is_looked_up(lenses: Path) -> None:
    with Polyhop(lenses, settings=QUICK) as engine:
        assert engine.ask(QUESTION, strategy="auto").evidence.supplied is None
