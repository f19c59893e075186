"""Which of the options is meant by what was pointed at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.reading.measured import meant_of


@pytest.mark.parametrize(
    ("said", "options", "meant"),
    [
        ("soft limit", ("the soft", "the hard limit"), "the soft"),
        ("the hard limit", ("the soft", "the hard limit"), "the hard limit"),
        ("hard", ("the soft", "the hard limit"), "the hard limit"),
        ("the soft and the hard limit", ("the soft", "the hard limit"), ""),
        ("The mill at Varn", ("the mill", "the weir"), "the mill"),
        ("the public library", ("the museum", "the public library"), "the public library"),
        ("28 May", ("28th of May", "2 June"), "28th of May"),
        ("colza oil", ("colza oil", "lamp oil"), "colza oil"),
        ("oil", ("colza oil", "lamp oil"), ""),
        ("paraffin", ("colza oil", "lamp oil"), ""),
        ("the weir at Varn", ("the mill", "the weir", "the lock"), "the weir"),
        ("mill and lock", ("the mill", "the weir", "the lock"), ""),
    ],
)
def test_what_is_said_means_the_option_that_it_is_part_of(said: str, options: tuple[str, ...], meant: str) -> None:
    assert meant_of(said, options) == meant


names = st.lists(st.sampled_from(["red", "blue", "lamp", "boat", "old"]), min_size=1, max_size=3, unique=True).map(
    " ".join
)


@given(names, names, names)
def test_an_option_means_itself_and_nothing_means_both(said: str, one: str, other: str) -> None:
    assert meant_of(said, (one, other)) in (one, other, "")
    if set(one.split()) != set(other.split()):
        assert meant_of(one, (one, other)) == one
        assert meant_of(other, (one, other)) == other
