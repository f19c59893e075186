"""Sentences are weighed in their place: under their heading, and behind what was said before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.models.choice import Models, load_models
from polyhop.reading.pointing import Pointed, Pointing, point, point_together
from polyhop.reading.reader import text_of
from polyhop.reading.weighing import (
    SENTENCES,
    ReadingWeights,
    answer_signs,
    chance_of,
    sentence_signs,
    supported,
    weighed,
)
from polyhop.types import Passage
from tests.worlds.settings import QUICK

LAMPS = """Grebe lamp

It burns colza oil. The keeper winds its clockwork every six hours.

Heron lamp

It burns paraffin. The keeper winds its clockwork every four hours."""
HEADINGS = tuple((at, at + 10) for at in (0, LAMPS.index("Heron lamp")))
PASSAGE = Passage(
    id="p", document_id="d", ordinal=0, start=0, end=len(LAMPS), title="manual", text=LAMPS, headings=HEADINGS
)
QUESTION = "What does the Heron lamp burn?"


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(QUICK)


@pytest.fixture(scope="module")
def each(models: Models) -> Pointing:
    return point(QUESTION, [PASSAGE], models)


def test_the_sentence_under_the_heading_that_was_asked_about_is_likelier(each: Pointing, models: Models) -> None:
    """Word for word the question fits both lamps alike: only the heading tells them apart."""
    signs = {text_of(quote): one for quote, one in sentence_signs(QUESTION, each.sentences, models).items()}
    assert signs["It burns paraffin."][1] > signs["It burns colza oil."][1]
    likeliest = supported(each, models).sentences[0]
    assert text_of(likeliest.quote) == "It burns paraffin."


def test_sentences_of_running_text_are_read_alone(models: Models) -> None:
    text = "Heron Lamp stands in Varn. It burns paraffin."
    running = Passage(id="p2", document_id="p2", ordinal=0, start=0, end=len(text), title="Heron Lamp", text=text)
    found = sentence_signs(QUESTION, point(QUESTION, [running], models).sentences, models)
    assert len(found) == 2
    assert all(alone == behind for _, alone, behind in found.values())


def test_sentences_are_weighed_up_to_a_number_and_sorted(each: Pointing, models: Models) -> None:
    found = supported(each, models).sentences
    assert len(found) == min(SENTENCES, len(each.sentences))
    assert [one.chance for one in found] == sorted((one.chance for one in found), reverse=True)
    assert all(0 <= one.chance <= 1 for one in found)


def test_an_answer_counts_once_however_it_was_read(each: Pointing, models: Models) -> None:
    read = supported(each, models)
    together = point_together(QUESTION, [one.quote for one in read.sentences], models)
    answers = weighed(read, together).answers
    assert answers[0].text == "paraffin"
    assert len({one.text.lower() for one in answers}) == len(answers)


def test_an_answer_that_both_readings_hold_likeliest_counts_more(each: Pointing) -> None:
    oil, paraffin = (Pointed(text=text, chance=0.5, quote=None) for text in ("colza oil", "paraffin"))
    alone = replace(each, answers=(paraffin, oil))
    same, apart = (dict(answer_signs(alone, replace(each, answers=one))) for one in ((paraffin, oil), (oil, paraffin)))
    assert same[paraffin][:-1] == apart[paraffin][:-1]
    assert (same[paraffin][-1], apart[paraffin][-1], same[oil][-1]) == (1.0, 0.0, 0.0)


def test_weights_of_nothing_leave_the_bias() -> None:
    zero = ReadingWeights(sentence=(0.0, 0.0, 0.0), sentence_bias=0.0)
    assert chance_of((9.0, -3.0, 2.0), zero.sentence, zero.sentence_bias) == 0.5


def test_nothing_to_read_is_weighed_as_nothing(models: Models) -> None:
    empty = supported(Pointing(question=QUESTION), models)
    assert weighed(empty, Pointing(question=QUESTION)).answers == ()


def test_an_answer_is_less_likely_where_the_best_sentences_together_do_not_answer(each: Pointing) -> None:
    told, untold = (weighed(each, Pointing(question=QUESTION, none=none)).answers for none in (0.1, 0.9))
    assert told[0].chance > untold[0].chance
