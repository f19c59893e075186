"""Two events whose order is asked are looked for by themselves, and their passages taken by turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyhop.strategies.qcg.two_events import events_of, interleaved
from tests.worlds.questioned_harbour import BUILDER

Rankings = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4)


def test_two_events_whose_order_is_asked_are_taken_apart() -> None:
    """Each stands alone; any other question stays whole."""
    asked = "Did Piet Rook found the Tarn School before Ada Brisk built the lighthouse?"
    assert events_of(asked) == ("Piet Rook found the Tarn School", "Ada Brisk built the lighthouse")
    assert len(events_of("How many days passed between Orsk asking for a boat and Vell selling one?")) == 2
    assert events_of(BUILDER) == (BUILDER,)


def test_rankings_are_taken_by_turns() -> None:
    first, second = [(1, 0.9), (2, 0.8), (3, 0.1)], [(4, 0.7), (1, 0.6)]
    assert interleaved([first, second]) == [(1, 0.9), (4, 0.7), (2, 0.7), (3, 0.1)]
    assert interleaved([first]) == first
    assert interleaved([[], second]) == second


@given(Rankings)
def test_every_passage_is_taken_once_and_no_ranking_waits_for_long(rankings: list[list[int]]) -> None:
    """All that the first i of each ranking hold is among the first i times as many as there are rankings."""
    found = interleaved([[(number, 1 / (1 + place)) for place, number in enumerate(one)] for one in rankings])
    numbers, scores = [number for number, _ in found], [score for _, score in found]
    assert sorted(numbers) == sorted({number for one in rankings for number in one})
    assert scores == sorted(scores, reverse=True)
    for i in range(1, 11):
        assert {number for one in rankings for number in one[:i]} <= set(numbers[: i * len(rankings)])
