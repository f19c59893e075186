"""Questions of one step and of several: short answers with the sentences that lead to them, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.models.choice import Models
from polyhop.planning.trained import TrainedPlanner
from polyhop.plans import Plan, Step
from polyhop.reading.reader import Reader, text_of
from polyhop.reading.steps import glance
from polyhop.reading.trained import Trained
from polyhop.types import Evidence, Hop, Passage, Span


def passage(title: str, text: str, start: int = 0) -> Passage:
    """A passage of a document of the same name."""
    return Passage(id=title, document_id=title, ordinal=0, start=start, end=start + len(text), title=title, text=text)


LIGHTHOUSE = passage(
    "Skerry Lighthouse",
    "Skerry Lighthouse stands on a rock off the Sable Coast. It was designed by the architect Ada Brisk in 1841.",
    start=100,
)
BRISK = passage(
    "Ada Brisk", "Ada Brisk was an engineer and architect. She was born in Fennick, the daughter of Jon Brisk."
)
FENNICK = passage("Fennick", "Fennick is a market town on the River Oss. It has a school and two mills.")
GUILD = passage(
    "Guild of Pilots", "The Guild of Pilots was founded in 1790 by Captain Ruben Stoll. It has ninety members."
)
WORLD = (GUILD, FENNICK, LIGHTHOUSE, BRISK)


def evidence(question: str, *passages: Passage, hops: tuple[Hop, ...] = ()) -> Evidence:
    """Passages as a strategy and the engine hand them over: with a plan."""
    scored = tuple(passages)
    plan = TrainedPlanner().plan(question, [], None)
    return Evidence(question=question, strategy="hybrid", passages=scored, hops=hops, plan=plan)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where was Ada Brisk born?", "Fennick"),
        ("Who founded the Guild of Pilots?", "Ruben Stoll"),
        ("When was the Guild of Pilots founded?", "1790"),
        ("Who was the architect of Skerry Lighthouse?", "Ada Brisk"),
        ("Where was the architect of Skerry Lighthouse born?", "Fennick"),
        ("Who was the father of the architect of Skerry Lighthouse?", "Jon Brisk"),
    ],
)
def test_read_answers(question: str, answer: str, models: Models) -> None:
    reading = Trained().read(question, evidence(question, *WORLD), models)
    assert reading.text == answer


def test_read_quotes_every_step(models: Models) -> None:
    question = "Where was the architect of Skerry Lighthouse born?"
    reading = Trained().read(question, evidence(question, *WORLD), models)
    assert [quote.passage.text[quote.start : quote.end] for quote in reading.quotes] == [
        "It was designed by the architect Ada Brisk in 1841.",
        "She was born in Fennick, the daughter of Jon Brisk.",
    ]


def test_read_takes_up_what_a_strategy_found_for_a_step(models: Models) -> None:
    """A strategy that went step by step already knows whom to ask about, and its sentences are quoted."""
    question = "Where was the person who drew the plans for the light on the rock born?"
    designed = Span(LIGHTHOUSE.document_id, 100 + LIGHTHOUSE.text.index("It was"), 100 + len(LIGHTHOUSE.text))
    hops = (
        Hop(
            question="Who drew the plans for the light on the rock?",
            status="resolved",
            found="Ada Brisk",
            passages=(LIGHTHOUSE,),
            sentences=(designed,),
            step=0,
        ),
        Hop(question="Where was Ada Brisk born?", status="resolved", passages=(BRISK,), step=1),
    )
    steps = (Step(question=hops[0].question), Step(question="Where was #1 born?", refers_to=(0,)))
    found = replace(evidence(question, LIGHTHOUSE, BRISK, GUILD, hops=hops), plan=Plan(shape="chain", steps=steps))
    reading = Trained().read(question, found, models)
    assert reading.text == "Fennick"
    assert reading.quotes[0].passage == LIGHTHOUSE
    assert LIGHTHOUSE.text[reading.quotes[0].start : reading.quotes[0].end].startswith("It was designed")


@pytest.mark.parametrize(
    "question",
    ["Where was Hal Ostrander born?", "Who composed the opera Vashti?", "Who is the mother of Pell Marrow?"],
)
def test_read_abstains_about_what_no_passage_mentions(question: str, models: Models) -> None:
    reading = Trained().read(question, evidence(question, *WORLD), models)
    assert reading.text is None
    assert reading.note


def test_read_abstains_without_passages(models: Models) -> None:
    assert Trained().read("Where was Ada Brisk born?", evidence("?"), models).text is None


def test_threshold_decides_how_sure_an_answer_must_be(models: Models) -> None:
    question = "Where was Ada Brisk born?"
    asked = evidence(question, *WORLD)
    confidence = Trained(threshold=0.0).read(question, asked, models).confidence
    assert 0.1 < confidence < 1.0
    assert Trained(threshold=1.0).read(question, asked, models).text is None


def test_confidence_is_higher_where_the_passages_answer(models: Models) -> None:
    question = "Where was Ada Brisk born?"
    with_answer = Trained(threshold=0.0).read(question, evidence(question, *WORLD), models)
    without = Trained(threshold=0.0).read(question, evidence(question, GUILD, FENNICK), models)
    assert with_answer.confidence > 2 * without.confidence


def test_glance_finds_the_bridge(models: Models) -> None:
    found = glance("Who designed Skerry Lighthouse?", WORLD[:3], models)[0]
    assert found.text == "Ada Brisk"
    assert found.text in text_of(found.quote)


def test_glance_finds_nothing_without_passages(models: Models) -> None:
    assert glance("Who designed Skerry Lighthouse?", (), models) == []


@settings(max_examples=15, deadline=None)
@given(question=st.text(min_size=1, max_size=60), text=st.text(max_size=120))
def test_quotes_stand_in_the_passages_whatever_is_asked(question: str, text: str, models: Models) -> None:
    """Any question about any text is read without an error, and quotes nothing but stretches of the passages."""
    reading = Trained(threshold=0.0).read(question, evidence(question, passage(text[:10], text), BRISK), models)
    assert 0.0 <= reading.confidence <= 1.0
    for quote in reading.quotes:
        assert 0 <= quote.start <= quote.end <= len(quote.passage.text)


def test_trained_is_a_reader() -> None:
    assert isinstance(Trained(), Reader)


def test_read_compares_what_a_strategy_found_on_its_way(models: Models) -> None:
    """Those who are compared are not named in the question, and who they are was found before: it is no less sure."""
    question = "Which building has the older architect, Skerry Lighthouse or Tarn Mill?"
    mill = passage("Tarn Mill", "Tarn Mill is a mill on the River Oss. Its architect was Hal Orme.")
    orme = passage("Hal Orme", "Hal Orme (born 4 May 1790) was an architect.")
    brisk = passage("Ada Brisk", "Ada Brisk (born 2 June 1812) was an architect.")
    led = tuple(
        Hop(question="?", status="resolved", found=found, passages=(one,), step=step)
        for step, (found, one) in enumerate([("Ada Brisk", LIGHTHOUSE), ("Hal Orme", mill)])
    )
    asked = evidence(question, LIGHTHOUSE, mill, brisk, orme, hops=led)
    assert asked.plan is not None
    assert [step.refers_to for step in asked.plan.steps] == [(), (), (0,), (1,)]
    reading = Trained().read(question, asked, models)
    assert reading.text == "Tarn Mill"
