"""Questions as they are taken from whoever asks."""

from __future__ import annotations

import time

import pytest

from polyhop.planning.asked import LONGEST_QUESTION, part_read, shortened

MAIL = "Dear all, the miller of Harl writes that the weir holds. " * 60
ASKED = "Where was Dr. Lund, who built the weir, born?"


@pytest.mark.parametrize(
    "text",
    [
        f"{MAIL}{ASKED}",
        f"{MAIL}{ASKED} Thank you! Ada",
        f"{MAIL}Is that so? {ASKED} Any ideas?",
        f"Who holds it, and why? {MAIL}{ASKED}",
    ],
)
def test_of_a_long_text_the_last_question_is_read(text: str) -> None:
    assert shortened(text) == ASKED
    assert part_read(text) == f"the last question in its {len(text.split())} words"


@pytest.mark.parametrize("text", [MAIL, f"{MAIL} Any ideas?", "weir " * 500 + "?"])
def test_of_a_long_text_that_asks_nothing_plainly_the_first_words_are_read(text: str) -> None:
    assert shortened(text) == " ".join(text.split()[:LONGEST_QUESTION])
    assert part_read(text) == "the first 400 words of the question"


def test_a_question_that_is_not_too_long_is_read_whole() -> None:
    text = f"{'The weir holds. ' * 100}{ASKED}"
    assert (shortened(text), part_read(text)) == (text, "")


@pytest.mark.parametrize("piece", ["a. ", "a? ", "?", "? ", "a.", "A. B? "])
def test_a_text_of_nothing_but_marks_is_shortened_in_time(piece: str) -> None:
    began = time.process_time()
    shortened(piece * 20_000)
    assert time.process_time() - began < 5.0
