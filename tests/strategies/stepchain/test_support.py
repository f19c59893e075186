"""How far a fact is borne out by the sentence that it is said to stand in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.strategies.stepchain.step_graph import support_of
from polyhop.types import Fact, Passage


def stated(head: str, relation: str, tail: str, title: str = "Ada Brook") -> float:
    """The support of a fact in a sentence about a passage's title."""
    text = "She was a shipwright. She was born in Velm."
    start = text.index("She was born")
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)
    return support_of(Fact(head=head, relation=relation, tail=tail, start=start, end=len(text)), passage)


def test_a_fact_that_its_sentence_states_has_full_support() -> None:
    """Whatever the case; the title says who "she" is."""
    assert stated("Ada Brook", "was born in", "Velm") == stated("ADA BROOK", "Born In", "velm") == 1.0


def test_each_part_that_is_not_in_the_sentence_takes_its_share() -> None:
    assert stated("Ada Brook", "home town", "Velm") == pytest.approx(2 / 3)
    assert stated("Otto Reed", "was born in", "Velm") == pytest.approx(2 / 3)
    assert stated("Ada Brook", "was born in", "Upper Velm") == pytest.approx(5 / 6)
    assert stated("Otto Reed", "painted", "Oster") == 0.0


def test_other_sentences_and_the_title_bear_no_relation_out() -> None:
    assert stated("Ada Brook", "shipwright", "Velm") == pytest.approx(2 / 3)
    assert stated("Velm", "brook", "Velm") == pytest.approx(2 / 3)


def test_a_part_without_words_needs_no_support() -> None:
    assert stated("Ada Brook", "…", "Velm") == 1.0


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_support_is_a_share(head: str, relation: str, tail: str, title: str) -> None:
    assert 0.0 <= stated(head, relation, tail, title) <= 1.0
