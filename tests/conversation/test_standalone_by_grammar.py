"""Follow-up questions made to stand alone without a language model."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.conversation.frames import fragment_of, names_no_matter, without_link
from polyhop.conversation.grammar import by_grammar
from polyhop.conversation.standalone import standalone
from polyhop.conversation.thread import Exchange, Thread
from polyhop.models.choice import Models

LIGHTHOUSE = [("Who designed Harrowmere Lighthouse?", "Edda Marrish")]
WHO_IS = [("Who is Edda Marrish?", "architect")]
BORN = [("Where was Edda Marrish born?", "Pellingrove")]
DESCRIBED = [("Where was the architect of the Pellingrove lighthouse born?", None)]
WIFE = [("Where was the wife of Lisk born?", None)]
FAIR = [("Who opened the Lisk fair?", "Anna Berg")]
MASTER = [("Who is the master of the Lampwrights?", "John Smith"), ("Where was he born?", "Velm")]
MAYOR = ("Who is the mayor of Quillmouth?", "Mary Jones")
DOGS = [("Are dogs allowed on the Gull?", "no")]
TREASURER = [("Who is the treasurer of the co-operative?", None)]
BIKE = [("Who owns the e-bike?", None)]
CENTRE = [("Who opened the Ellerton Re-use Centre?", None)]
TOWN = [("Who lives in Stratford-upon-Avon?", None)]
EDITOR = [("Who pays the editor-in-chief?", None)]
HOURS = [("When does the shop open Monday-Friday?", None)]
LAMP = [("What does lamp code F31 mean?", "no flame")]
PUMP = [("Who mends the pump?", None)]
ANN = [("Where is Ann from?", None)]
BUILT = [("When was the Long Bridge built?", "1612")]


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (LIGHTHOUSE, "And where did she die?", "Where did Edda Marrish die?"),
        (LIGHTHOUSE, "When was it built?", "When was Harrowmere Lighthouse built?"),
        (LIGHTHOUSE, "When?", "When did Edda Marrish design Harrowmere Lighthouse?"),
        (LIGHTHOUSE, "What about the Long Bridge?", "Who designed the Long Bridge?"),
        (LIGHTHOUSE, "And her teacher?", "Who was Edda Marrish's teacher?"),
        (BORN, "And her teacher?", "Where was Edda Marrish's teacher born?"),
        (BORN, "And Tobren Lisk?", "Where was Tobren Lisk born?"),
        (BORN, "How many people live there?", "How many people live in Pellingrove?"),
        (DESCRIBED, "And when did he die?", "When did the architect of the Pellingrove lighthouse die?"),
        (WIFE, "When did he die?", "When did Lisk die?"),
        (FAIR, "Where does she live?", "Where does Anna Berg live?"),  # who answers a "who", not a place beside it
        ([*MASTER, MAYOR], "Where was she born?", "Where was Mary Jones born?"),  # who was "he" is not "she"
        (WHO_IS, "Where was she born?", "Where was Edda Marrish born?"),  # and not what she is
        (DOGS, "Why?", "Why aren't dogs allowed on the Gull?"),
        ([*DOGS, ("?!", None)], "Why?", "Why aren't dogs allowed on the Gull?"),
        ([("...", None)], "What about 1924?", "What about 1924?"),
        (DOGS, "Why not?", "Why aren't dogs allowed on the Gull?"),
        ([("Can it fly?\n", "yes")], "Why?", "Why can it fly?"),
        ([("Can it fly?", "No.")], "And why?", "Why can't it fly?"),
        (BUILT, "What happened in that year?", "What happened in 1612?"),
        (BUILT, "By whom?", "By whom was the Long Bridge built?"),
        (BUILT, "How about in Lissandra?", "When was the Long Bridge built in Lissandra?"),
        ([*LIGHTHOUSE, ("Where was she born?", "Pellingrove")], "Who taught her?", "Who taught Edda Marrish?"),
        (ANN, "Where did she work after the annexation?", "Where did Ann work after the annexation?"),
        ([("Who won?", "Ada Brisk")], "When?", "When did Ada Brisk win?"),
        (LAMP, "What do I do?", "What do I do about F31?"),
        (LAMP, "And what do we have to do then?", "What do we have to do then about F31?"),
        (LAMP, "What should be done?", "What should be done about F31?"),
        (PUMP, "What can I do?", "What can I do about the pump?"),
    ],
)
def test_a_follow_up_says_what_it_is_about(
    models: Models, before: list[tuple[str, str | None]], question: str, meant: str
) -> None:
    assert by_grammar(question, Thread.of(before), models.parser) == meant


@pytest.mark.parametrize(
    "question",
    ["What did we do?", "What have I done?", "What can you do?", "What does she do?", "How do we do?", "What is done?"],
)
def test_a_question_of_what_somebody_does_is_not_about_what_was_asked_before(question: str) -> None:
    assert not names_no_matter(question)


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (TREASURER, "When was it completed?", "When was the treasurer of the co-operative completed?"),
        (TREASURER, "What about cats?", "Who is cats?"),
        (BIKE, "Who paid for it?", "Who paid for the e-bike?"),
        (BIKE, "And the deposit?", "Who owns the deposit?"),
        (CENTRE, "And the harbour?", "Who opened the harbour?"),
        (CENTRE, "When was it built?", "When was the Ellerton Re-use Centre built?"),
        (EDITOR, "When was she born?", "When was the editor-in-chief born?"),
        (TOWN, "When was it founded?", "When was Stratford-upon-Avon founded?"),
        (TOWN, "What about Aix-en-Provence?", "Who lives in Aix-en-Provence?"),
        (HOURS, "What about Saturday?", "When does the shop open Saturday?"),
    ],
)
def test_a_hyphenated_word_is_taken_over_whole(
    models: Models, before: list[tuple[str, str | None]], question: str, meant: str
) -> None:
    assert by_grammar(question, Thread.of(before), models.parser) == meant


@pytest.mark.parametrize(
    "question",
    [
        "Which is older, Heron Bridge or the Long Bridge?",
        "What do I do on Sundays?",
        "Who founded the Guild of Lampwrights?",
        "Did Benno Trask sell his boat?",
        "Is it true that Benno Trask drowned?",
        "Wer gründete die Gilde der Lampenmacher?",
        "???",
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(models: Models, question: str) -> None:
    assert by_grammar(question, Thread.of(LIGHTHOUSE), models.parser) == question


def test_the_first_question_is_left_as_it_is(models: Models) -> None:
    assert by_grammar("And where did she die?", Thread(), models.parser) == "And where did she die?"


def test_what_an_earlier_question_was_taken_to_mean_is_not_found_out_again(models: Models) -> None:
    told = Thread(exchanges=(Exchange(question="And it?", answer="1612", standalone="When was Heron Bridge built?"),))
    assert by_grammar("Who built it?", told, models.parser) == "Who built Heron Bridge?"


def test_rules_are_named_as_the_source(models: Models) -> None:
    meant = standalone("Where did she die?", Thread.of(LIGHTHOUSE), models)
    assert (meant.question, meant.source) == ("Where did Edda Marrish die?", "rules")
    assert standalone("Who built Heron Bridge?", Thread.of(LIGHTHOUSE), models).source == ""


@settings(max_examples=30)
@given(st.text(max_size=40), st.text(max_size=40), st.none() | st.text(max_size=40))
def test_no_text_breaks_it(models: Models, question: str, asked: str, answer: str | None) -> None:
    """Law: whatever was typed before and now, there is a question in the end."""
    assert isinstance(by_grammar(question, Thread.of([(asked, answer)]), models.parser), str)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("And the Long Bridge?", "the Long Bridge"),
        ("How about 1924?", "1924"),
        ("in which year?", "in which year"),
        ("Why?", "Why"),
        ("Who decides that?", None),
        ("And where did he die?", None),
        ("The Long Bridge", None),
        ("", None),
    ],
)
def test_a_fragment_is_what_has_no_frame_of_its_own(question: str, left: str | None) -> None:
    found = fragment_of(question)
    assert (found.text if found else None) == left


def test_the_and_before_a_question_is_dropped() -> None:
    assert without_link("and where did he die?") == "Where did he die?"
    assert without_link("Andover is where?") == "Andover is where?"
