"""The trained reader: the shape of an answer, its quotations, and what is not answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.english.answer_type import AnswerShape, answer_shape
from polyhop.models.choice import Models, load_models
from polyhop.plans import plan_of_questions
from polyhop.reading.pointing import Pointed, Pointing, Supporting
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.trained import Trained
from polyhop.reading.weighing import Weighed
from polyhop.types import AnswerKind, Evidence, Hop, Passage
from tests.worlds.settings import QUICK

MANUAL = """Cleaning the lamp

Clean the lamp every 35 days, because soot on the glass dims the light.

You need the following tools:
- a soft cloth
- lamp oil
- a brass brush

The lamp must never be cleaned while it is hot."""
HEADINGS = ((0, 17),)
MINUTES = "Ada Brisk presided. Piet Rook said that the ferry had been late because the river was in flood."
FERRIES = "The Grebe carries 40 passengers. The Heron carries 65 passengers."


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(QUICK)


def passage(number: int, title: str, text: str, headings: tuple[tuple[int, int], ...] = ()) -> Passage:
    name = f"p{number}"
    return Passage(
        id=name, document_id=name, ordinal=0, start=0, end=len(text), title=title, text=text, headings=headings
    )


PASSAGES = (
    passage(0, "manual", MANUAL, HEADINGS),
    passage(1, "minutes", MINUTES),
    passage(2, "ferries", FERRIES),
)


def read(question: str, models: Models) -> Reading:
    return Trained().read(question, Evidence(question=question, strategy="dense", passages=PASSAGES), models)


def quoted(reading: Reading) -> str:
    return " ".join(quote.passage.text[quote.start : quote.end] for quote in reading.quotes)


def test_a_sentence_that_has_nothing_to_do_with_the_answer_is_not_quoted(models: Models) -> None:
    reading = read("Who presided?", models)
    assert (reading.text, quoted(reading)) == ("Ada Brisk", "Ada Brisk presided.")


def test_a_value_is_quoted_with_its_sentence(models: Models) -> None:
    reading = read("How often must the lamp be cleaned?", models)
    assert reading.text is not None
    assert "35 days" in reading.text
    assert "soot on the glass" in quoted(reading)


def test_a_list_has_its_items_each_with_its_place(models: Models) -> None:
    reading = read("Which tools are needed to clean the lamp?", models)
    assert (reading.kind, [text for text, *_ in reading.items]) == (
        AnswerKind.LIST,
        ["a soft cloth", "lamp oil", "a brass brush"],
    )
    for text, *quotes in reading.items:
        assert [quote.passage.text[quote.start : quote.end] for quote in quotes] == [text]


def test_a_reason_is_told_in_a_clause_or_a_sentence(models: Models) -> None:
    reading = read("Why was the ferry late?", models)
    assert reading.text is not None
    assert "flood" in reading.text


def test_how_to_do_something_is_told_in_its_steps(models: Models) -> None:
    text = "Changing the wick\n\nTo change the wick:\n1. put out the lamp\n2. pull the old wick\n3. trim the new one"
    manual = passage(3, "handbook", text, ((0, 17),))
    question = "How do I change the wick?"
    reading = Trained().read(question, Evidence(question=question, strategy="dense", passages=(manual,)), models)
    assert [item[0] for item in reading.items] == ["put out the lamp", "pull the old wick", "trim the new one"]


def test_a_list_does_not_tell_when_something_was() -> None:
    """What was changed in a version is no answer to when that came out."""
    text = "Changed:\n* The gate opens.\n* The wheel turns."
    notes = passage(3, "Tide 2.1", text)
    said = ("* The gate opens.", "* The wheel turns.")
    places = [(text.index(each), text.index(each) + len(each)) for each in said]
    sentences = tuple(Supporting(0.8, Quote(notes, *place)) for place in places)

    def items(question: str) -> int:
        found = Pointing(question=question, sentences=sentences)
        return len(Trained()._quotation("value", found).items)

    assert items("Which parts did Tide 2.1 change?") == 2
    assert items("When was Tide 2.1 released?") == 0


def test_what_alone_may_ask_for_a_list(models: Models) -> None:
    reading = read("What do you need to clean the lamp?", models)
    assert [text for text, *_ in reading.items] == ["a soft cloth", "lamp oil", "a brass brush"]


def test_a_noun_of_one_thing_asks_for_one_of_an_enumeration(models: Models) -> None:
    shown = "Her glass was shown at the Tarn Museum in Velm, the Skarrow Museum in Oar and the Moon Gallery in Fennick."
    evidence = Evidence(question="", strategy="dense", passages=(passage(0, "Ada Brisk", shown),))

    def answer(question: str) -> str:
        return Trained().read(question, replace(evidence, question=question), models).text or ""

    assert answer("Ada Brisk has had glass shown at which museum in Velm?") == "Tarn Museum"
    assert "Skarrow" in answer("Which museums have shown the glass of Ada Brisk?")


def test_a_choice_is_one_of_the_options_and_nothing_else(models: Models) -> None:
    reading = read("Which ferry carries more passengers, the Grebe or the Heron?", models)
    assert reading.text in (None, "the Grebe", "the Heron", "Grebe", "Heron")


@pytest.mark.parametrize(
    ("question", "answer"),
    [("May the lamp be cleaned while it is hot?", "no"), ("Does soot on the glass dim the light?", "yes")],
)
def test_a_verdict_goes_by_what_the_sentence_denies(question: str, answer: str, models: Models) -> None:
    reading = read(question, models)
    assert (reading.text, reading.kind) == (answer, AnswerKind.VERDICT)
    assert reading.quotes


def test_of_two_things_that_a_question_offers_the_one_is_taken_that_is_pointed_at(models: Models) -> None:
    text = "Diving from the pier is allowed at any time. Swimming in the harbour is not allowed."
    question = "Is diving or swimming allowed?"
    evidence = Evidence(question=question, strategy="dense", passages=(passage(4, "harbour", text),))
    assert Trained().read(question, evidence, models).text == "diving"


def test_of_two_things_that_a_question_offers_each_is_asked_where_none_is_pointed_at(models: Models) -> None:
    text = "Nobody may swim in the harbour. Everybody may fish from the pier."
    question = "Is swimming or fishing allowed?"
    evidence = Evidence(question=question, strategy="dense", passages=(passage(4, "harbour", text),))
    reading = Trained().read(question, evidence, models)
    assert reading.text in (None, "fishing")
    assert "Is swimming allowed? no; Is fishing allowed? yes" in reading.note


def test_a_yes_answers_where_several_of_what_a_question_joins_hold(models: Models) -> None:
    text = "Dogs are not allowed on board. Cats are allowed on board. Birds are allowed on board."
    question = "May dogs or cats or birds come on board?"
    evidence = Evidence(question=question, strategy="dense", passages=(passage(4, "rules", text),))
    reading = Trained(stance="best").read(question, evidence, models)
    assert (reading.text, reading.kind) == ("yes", AnswerKind.VERDICT)
    assert "May dogs come on board? no; May cats come on board? yes" in reading.note


def test_of_two_things_that_a_question_compares_the_amounts_are_read(models: Models) -> None:
    question = "Does sweeping or tarring take longer?"
    text = "Prices\n\nJob: Sweeping; Length: 30 min; Price: 52\nJob: Tarring; Length: 20 min; Price: 65"
    evidence = Evidence(question=question, strategy="dense", passages=(passage(5, "prices", text, ((0, 6),)),))
    reading = Trained().read(question, evidence, models)
    assert (reading.text, reading.kind) == ("sweeping", AnswerKind.CHOICE)


def test_a_row_is_not_the_most_of_all_where_none_were_compared(models: Models) -> None:
    rows = tuple(
        passage(at, f"Lamp {at}", f"Lamp: {name}\nWeight: {weight} kg")
        for at, (name, weight) in enumerate((("Grebe", 3), ("Heron", 9)))
    )
    question = "Which lamp is the heaviest?"
    reading = Trained().read(question, Evidence(question=question, strategy="dense", passages=rows), models)
    assert reading.text is None


def test_a_summary_is_made_of_sentences_that_stand_there(models: Models) -> None:
    reading = read("Summarise the minutes.", models)
    assert reading.kind is AnswerKind.EXTRACT
    assert reading.quotes


@pytest.mark.parametrize("question", ["Cleaning the lamp?", "What does the manual say about the lamp?", "Who is hot?"])
def test_a_heading_or_a_title_is_no_answer(question: str, models: Models) -> None:
    reading = read(question, models)
    assert reading.text not in ("Cleaning the lamp", "manual", "minutes", "ferries")


def test_what_is_not_told_is_not_answered_and_the_closest_is_quoted(models: Models) -> None:
    reading = read("What is the capital of Mars?", models)
    assert reading.text is None
    assert reading.quotes


def test_where_the_stance_is_best_what_is_too_unsure_is_answered_and_marked(models: Models) -> None:
    """As the papers measure: whoever answers everything says what is likeliest, and we say that it is a guess."""
    question = "Who is the mayor of Velm?"
    evidence = Evidence(question=question, strategy="dense", passages=PASSAGES)
    cautious, best = (Trained(stance=stance).read(question, evidence, models) for stance in ("cautious", "best"))
    assert cautious.text is None
    assert best.text is not None
    assert (best.grounded, best.confidence) == (False, cautious.confidence)


def test_a_brief_answer_is_no_sentence_though_that_is_surer(models: Models) -> None:
    question = "Why must the lamp be cleaned?"
    evidence = Evidence(question=question, strategy="dense", passages=PASSAGES)
    kinds = [Trained(brief=brief, stance="best").read(question, evidence, models).kind for brief in (False, True)]
    assert kinds[1] is AnswerKind.VALUE, kinds


def test_an_answer_is_no_surer_than_what_the_strategy_found_on_the_way(models: Models) -> None:
    """The same passages and hops; only how likely the first hop is to be right differs."""
    question = "Where was the one who presided born?"
    born = passage(3, "Ada Brisk", "Ada Brisk was born in Velm, and became harbour master there.")
    plan = plan_of_questions(["Who presided?", "Where was #1 born?"])

    def read_after(chance: float | None) -> Reading:
        hop = Hop(question="Who presided?", status="recovered", found="Ada Brisk", step=0, chance=chance)
        evidence = Evidence(question=question, strategy="stepchain", passages=(born,), hops=(hop,), plan=plan)
        return Trained(threshold=0.0).read(question, evidence, models)

    sure, unsure, untold = read_after(1.0), read_after(0.25), read_after(None)
    assert sure.text == unsure.text == untold.text == "Velm"
    assert sure.confidence == untold.confidence
    assert unsure.confidence < sure.confidence


LINE = "In the book of May there stand three things that we have to mend:"


def test_what_a_list_is_called_above_it_stands_for_the_list(models: Models) -> None:
    """Three things are no answer to what they found, but they are to how many."""
    text = f"{LINE}\n- the north wall\n- the ladder\n- the bell"
    quote = Quote(passage(3, "book", text), 0, len(LINE))
    pointed = Pointed(text="three things", chance=0.8, quote=quote)
    read = Pointing(question="", answers=(pointed,), sentences=(Supporting(0.9, quote),))
    weighed = Weighed(each=read, together=read, found=read)
    for question, items in (
        ("What did they write into the book of May?", ["the north wall", "the ladder", "the bell"]),
        ("How many things did they have to mend?", []),
    ):
        reading = Trained()._shaped(question, answer_shape(question), weighed, [quote.passage], models)
        assert [item for item, *_ in reading.items] == items
        assert reading.confidence == 0.8


BEHIND = {"a list": "\n- the north wall\n- the ladder\n- the bell", "nothing": "\n\nThe lamp was lit at dusk."}


@pytest.mark.parametrize("behind", BEHIND)
def test_a_line_that_introduces_something_is_no_answer_by_itself(behind: str) -> None:
    """What it introduces is, where that is a list."""
    text = LINE + BEHIND[behind]
    quote = Quote(passage(3, "book", text), 0, len(LINE))
    found = Pointing(question="", sentences=(Supporting(0.9, quote),))
    shapes: tuple[AnswerShape, ...] = ("open", "explanation", "value")
    for shape in shapes:
        reading = Trained()._quotation(shape, found)
        if behind == "a list":
            assert [item for item, *_ in reading.items] == ["the north wall", "the ladder", "the bell"]
            assert reading.confidence == 0.9
        else:
            assert reading.confidence == 0.0


def test_what_the_steps_find_is_the_answer_and_not_a_sentence(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much surer the sentence is; a reason takes one."""
    quote = Quote(PASSAGES[1], MINUTES.index("Piet"), len(MINUTES))
    sentence = Reading(text=MINUTES[quote.start :], kind=AnswerKind.QUOTATION, quotes=(quote,), confidence=0.9)
    value = Reading(text="Piet Rook", quotes=(quote,), confidence=0.6)
    monkeypatch.setattr(Trained, "_shaped", lambda *_: sentence)
    monkeypatch.setattr(Trained, "_planned", lambda *_: value)
    assert read("Who said that the ferry had been late?", models).text == "Piet Rook"
    assert read("Why had the ferry been late?", models).kind is AnswerKind.QUOTATION
