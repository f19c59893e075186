"""The sentence that is shown behind a hop, where no model has pointed at one."""

from __future__ import annotations

from polyhop.strategies.shared.support import overlapping_span
from polyhop.types import Passage

ASKED = "Who is the captain of the Meridian Thrush?"
SHIP = Passage(
    id="ship#0",
    document_id="ship",
    title="Meridian Thrush",
    text="The Meridian Thrush was a brig with a captain of her own. Hugh Penderry built her. She sank.",
    start=10,
    end=102,
    ordinal=0,
)


def shown(must_name: str | None) -> str:
    span = overlapping_span(ASKED, SHIP, must_name=must_name)
    return SHIP.text[span.start - SHIP.start : span.end - SHIP.start]


def test_the_sentence_behind_a_hop_is_one_that_names_what_was_found() -> None:
    assert shown("hugh Penderry") == "Hugh Penderry built her."


def test_the_sentence_behind_a_hop_is_the_one_like_the_question_where_none_names_what_was_found() -> None:
    assert shown("Jonas Threlk") == shown(None) == "The Meridian Thrush was a brig with a captain of her own."
