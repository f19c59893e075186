"""The items of lists in documents."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.reading.enumerations import items_around, items_at, items_within

MANUAL = """Before you start

You need the following:
- a clean cloth
- lamp oil,
  grade two or better
- a match

Keep children away. The lamp is hot.
"""
STEPS = "To change the wick:\n1. Let the lamp cool.\n2. Lift the glass.\n3) Turn the wheel.\nThen light it."


def told(text: str, items: list[tuple[int, int]]) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in items]


@pytest.mark.parametrize("place", ["You need the following:", "a clean cloth", "lamp oil", "a match"])
def test_a_list_is_found_from_its_introduction_and_from_each_item(place: str) -> None:
    start = MANUAL.index(place)
    items = items_at(MANUAL, start, start + len(place))
    assert told(MANUAL, items) == ["a clean cloth", "lamp oil, grade two or better", "a match"]


def test_steps_are_a_list_in_their_order() -> None:
    assert told(STEPS, items_at(STEPS, 0, 19))[:2] == ["Let the lamp cool.", "Lift the glass."]


@pytest.mark.parametrize("place", ["Before you start", "Keep children away."])
def test_prose_beside_a_list_is_no_list(place: str) -> None:
    start = MANUAL.index(place)
    assert items_at(MANUAL, start, start + len(place)) == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a wick, oil and a match", ["a wick", "oil", "a match"]),
        ("Ada Brisk and Piet Rook", ["Ada Brisk", "Piet Rook"]),
        ("oil; a match; and a cloth", ["oil", "a match", "a cloth"]),
        ("the lighthouse of Quillmouth", []),
        ("you and me", ["you", "me"]),
        ("a wick; oil; she's to bring the match", ["a wick", "oil"]),
        ("Ada; he is the one with the hat, and Piet", []),
    ],
)
def test_a_stretch_lists_what_commas_and_conjunctions_part(text: str, items: list[str]) -> None:
    assert told(text, items_within(text, 0, len(text))) == items


FAULTS = """The inspection found these faults:
(a) a cracked seat on the
    small ferry
(b) a loose plank
The ferry stays ashore until they are mended.

Changed
- the mast

1. Lift the lamp.

2. Turn the wheel.
"""


@pytest.mark.parametrize(
    ("place", "items"),
    [
        ("The inspection", ["a cracked seat on the small ferry", "a loose plank"]),
        ("(b) a loose plank", ["a cracked seat on the small ferry", "a loose plank"]),
        ("The ferry stays", []),
        ("- the mast", []),  # one item is no list, and numbers behind a dash are another
        ("2. Turn", ["Lift the lamp.", "Turn the wheel."]),
    ],
)
def test_an_item_goes_on_in_its_sentence_or_indented_and_a_list_over_blank_lines(place: str, items: list[str]) -> None:
    start = FAULTS.index(place)
    end = FAULTS.index("\n", start)
    assert told(FAULTS, items_at(FAULTS, start, end)) == items


LEASE = """1. Rent. It is paid
each month.
2. The tenants shall
   (a) sweep;
   (b) not keep
       geese.

3. Ending. All is handed back.
"""


def test_a_list_within_an_item_is_one_by_itself() -> None:
    start = LEASE.index("(b)")
    assert told(LEASE, items_at(LEASE, start, start + 9)) == ["sweep;", "not keep geese."]
    outer = told(LEASE, items_at(LEASE, 0, 10))
    assert outer[1:] == ["The tenants shall (a) sweep; (b) not keep geese.", "Ending. All is handed back."]


def test_sections_with_numbers_are_no_list() -> None:
    text = "".join(f"{number}. {'The ferry was late. ' * 20}\n\n" for number in (1, 2, 3))
    assert items_at(text, 0, 20) == []


@given(st.text(alphabet="ab1.-*) \n,;", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_items_lie_in_the_text_in_order_and_apart(text: str, first: int, second: int) -> None:
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    for items in (items_at(text, start, end), items_within(text, start, end)):
        assert items == [] or len(items) >= 2
        for begin, stop in items:
            assert 0 <= begin <= stop <= len(text)
        assert all(one[1] <= other[0] for one, other in pairwise(items))


@pytest.mark.parametrize(
    ("sentence", "part", "items"),
    [
        (
            "Present: Ada Brisk (chair), Piet Rook, Mia Tarn",
            "Piet Rook",
            ["Ada Brisk (chair)", "Piet Rook", "Mia Tarn"],
        ),
        ("Tar, rope and wet sails must not lie there.", "Tar", ["Tar", "rope", "wet sails"]),
        (
            "It is not for people who are ill, for children, and for dogs that bite.",
            "people who are ill",
            ["people who are ill", "for children", "for dogs that bite"],
        ),
        ("We take cats, dogs and mice, but no owls, eels or bats.", "owls", ["owls", "eels", "bats"]),
        ("They built the mill, a weir and two sheds.", "a weir", ["a weir", "two sheds"]),
        ("The hall, beside the quay, opened two rooms and a stair.", "two rooms", ["two rooms", "a stair"]),
        ("It was sold to Rook and the weir was mended by Tarn.", "Tarn", []),
        ("It was built by Rook, who died in 1900, and Tarn.", "Rook", []),
        ("The song was written by Rook and sung by Tarn.", "Rook", []),
        ("The Orsa Hills, more commonly called the Backs, rise in the west and the north.", "The Orsa Hills", []),
        ("The party is on 28 June, not on 21 June, as the pier is wet.", "28 June", []),
    ],
)
def test_a_part_of_an_enumeration_in_a_sentence_leads_to_all_of_it(sentence: str, part: str, items: list[str]) -> None:
    at = sentence.index(part)
    assert told(sentence, items_around(sentence, at, at + len(part), (0, len(sentence)))) == items


@pytest.mark.parametrize(
    ("sentence", "part", "items"),
    [
        ("She went on to build the mill at Tarn and the weir.", "the weir", ["the mill at Tarn", "the weir"]),
        ("They built the mill, a weir and two sheds.", "a weir", ["the mill", "a weir", "two sheds"]),
        ("It was sold to Rook and the weir was mended by Tarn.", "Tarn", []),
        ("They spoke of mills and the weir.", "the weir", []),
    ],
)
def test_objects_of_one_verb_are_an_enumeration_where_a_list_is_asked_for(
    sentence: str, part: str, items: list[str]
) -> None:
    at = sentence.index(part)
    assert told(sentence, items_around(sentence, at, at + len(part), (0, len(sentence)), objects=True)) == items
