"""In which forms a passage is asked, and which of them it lacks."""

from __future__ import annotations

import pytest

from polyhop.prompts.question_forms import FORMS, form_of, lacking


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Who built the pier?", "who"),
        ("Whose boat was lost?", "who"),
        ("In which year was the pier built?", "what"),
        ("When did it open?", "when"),
        ("For how long was it closed?", "how"),
        ("Why was it closed?", "why"),
        ("Did Ada Brisk agree?", "whether"),
        ("Is the pier longer than the one that Otto Fell built?", "whether"),
        ("List the boats that were lost.", "request"),
        ("Compare the pier with the bridge.", "request"),
    ],
)
def test_the_form_of_a_question_is_what_it_asks_with(question: str, form: str) -> None:
    assert form_of(question) == form


def test_a_passage_has_to_be_asked_in_half_as_many_forms_as_it_has_questions_and_five_at_most() -> None:
    alike = [f"Who owned boat {number}?" for number in range(20)]
    others = ["What was lost?", "Why?", "Where was it?", "How was it found?"]
    assert lacking(alike[:3]) == ()
    assert lacking(alike[:4]) == tuple(form for form in FORMS if form != "who")
    assert lacking([*alike, *others]) == ()
    assert set(lacking([*alike, *others[:3]])) == {"when", "how", "whether", "request"}


def test_forms_say_nothing_of_questions_in_other_languages() -> None:
    assert lacking([f"Wem gehörte Boot {number}?" for number in range(20)]) == ()
