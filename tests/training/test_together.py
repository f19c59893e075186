"""Sentences of several texts as one window, and the contexts that stand beside one."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from polyhop.training.neighbours import Neighbours
from polyhop.training.rows import Kind, ReadingRow
from polyhop.training.together import Told, together

LIGHT = Told(
    title="Ostrand",
    text="Ostrand has a light. It was lit in 1803. Nobody paid for the oil.",
    places=(("1803", 35),),
)
PIER = Told(title="Velmouth", text="The pier of Velmouth was lit by oil. A ferry leaves at noon.")
QUESTION = "When was the light of Ostrand lit?"


def drawn(seed: int = 0) -> random.Random:
    """Chance that is the same each time."""
    return random.Random(seed)  # noqa: S311


def row(question: str, context: str, answer: str = "") -> ReadingRow:
    answers = ((answer, context.index(answer)),) if answer else ()
    kind: Kind = "span" if answer else "none"
    return ReadingRow(
        source="lights", licence="CC0-1.0", question=question, context=context, answers=answers, kind=kind
    )


def test_sentences_stand_under_the_titles_of_their_texts_which_are_no_answers() -> None:
    parts, places = together(QUESTION, [PIER, LIGHT], drawn())
    assert [part.text for part in parts if not part.answers] == ["Velmouth: ", "Ostrand: "]
    assert "".join(part.text for part in parts) == f"Velmouth: {PIER.text} Ostrand: {LIGHT.text} "
    (place,) = places
    assert parts[place.part].text[place.start : place.end] == "1803"


def test_the_sentence_that_answers_is_kept_before_all_others() -> None:
    parts, places = together(QUESTION, [PIER, LIGHT], drawn(), words=7)
    assert [part.text for part in parts] == ["Ostrand: ", "It was lit in 1803. "]
    assert [place.text for place in places] == ["1803"]


TALK = Told(
    title="Pier, Monday 3 May 2027",
    text="Ada: Who lights it?\nTom: Not me. Greta does.\nAda: Good.\nTom: It takes oil.",
    places=(("Greta", 33),),
    spoken=True,
)


FARES = Told(
    title="Ferry",
    text="Fares\n\nIt costs 9 kr. A dog rides free.\n\nTimes\n\nIt leaves at noon. Dogs wait.",
    places=(("noon", 61),),
    headings=((0, 5), (41, 46)),
)


def test_sentences_stand_under_their_headings_which_are_no_answers() -> None:
    parts, places = together("When does the ferry leave?", [FARES], drawn())
    assert [part.text for part in parts if not part.answers] == ["Ferry: ", "Fares ", "Times "]
    (place,) = places
    assert parts[place.part].text[place.start : place.end] == "noon"


def test_a_whole_text_has_its_headings_between_what_they_are_about() -> None:
    parts, places = FARES.whole(behind=2)
    assert [part.text.strip() for part in parts] == [
        "Ferry:",
        "Fares",
        "It costs 9 kr. A dog rides free.",
        "Times",
        "It leaves at noon. Dogs wait.",
    ]
    (place,) = places
    assert place.part == 2 + 4
    assert parts[4].text[place.start : place.end] == "noon"


def test_a_text_that_lost_its_answer_keeps_all_else() -> None:
    lost = FARES.lost()
    assert " ".join(lost.text.split()) == "Fares It costs 9 kr. A dog rides free. Times Dogs wait."
    assert [lost.text[start:end] for start, end in lost.headings] == ["Fares", "Times"]
    assert not lost.places


def test_what_is_said_is_read_whole_and_behind_what_was_said_before() -> None:
    parts, places = together("Which person lights the pier?", [TALK], drawn(), words=10)
    assert [part.text for part in parts[1:]] == ["Ada: Who lights it? ", "Tom: Not me. Greta does. "]
    (place,) = places
    assert parts[place.part].text[place.start : place.end] == "Greta"


def test_a_text_without_words_gives_nothing() -> None:
    assert together(QUESTION, [Told(title="Empty", text="  ")], drawn()) == ([], [])


@given(words=st.integers(0, 40), seed=st.integers(0, 9))
def test_no_more_words_are_read_together_than_there_is_room_for(words: int, seed: int) -> None:
    parts, places = together(QUESTION, [LIGHT, PIER, TALK], drawn(seed), words=words)
    assert sum(len(part.text.split()) for part in parts if part.answers) <= words
    for place in places:
        assert parts[place.part].text[place.start : place.end] == place.text


def test_neighbours_are_likest_to_the_question_and_hold_none_of_its_answers() -> None:
    asked = row(QUESTION, LIGHT.text, "1803")
    other = row("Who kept the light of Quillhaven?", "The light of Quillhaven was lit late.")
    same = row("When was the light of Harl lit?", "The light of Harl was lit in 1803 as well.", "1803")
    far = row("What is sold?", "Herring is sold on the quay.")
    found = Neighbours([asked, far, other, same]).near(asked, 3)
    assert found[0] == other
    assert same not in found
    assert asked not in found
