"""Headings are known by their marks, or because they stand alone and are no sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.heading_lines import heading_lines
from polyhop.layers.facts.syntax.facts import facts_of
from polyhop.models.spacy_parser import SpacyParser
from polyhop.types import Passage

LIFE = "Edda Marrish was an architect.\n\n{}\n\nEdda Marrish was born in Pellingrove. Her plan was chosen in 1301."


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("## Life\nShe was born.", ["## Life"]),
        ("The Mill\n\nIt stands on the Orla.\n\nIts keeper\n\nLena Voss.", ["The Mill", "Its keeper"]),
        ("It stands on the Orla.\n\nMore.", []),
        ("Two\nlines\n\nThe end", []),
        ("1742\n\nBuilt.", []),
        ("#1 of the mills\nText.", []),
        ("Dear Piet,\n\nthe lamp is whole.", []),
        ("x" * 200 + "\n\nText.", []),
    ],
)
def test_headings_are_told_from_the_text(text: str, headings: list[str]) -> None:
    assert [text[start:end] for start, end in heading_lines(text)] == headings


@given(st.text(alphabet="aB#. \n,", max_size=80))
def test_headings_are_lines_in_order(text: str) -> None:
    before = 0
    for start, end in heading_lines(text):
        assert before <= start < end
        assert text[start:end] == text[start:end].strip()
        assert "\n" not in text[start:end]
        before = end


@pytest.mark.parametrize("heading", ["## Life", "Life", "### Early *life* and work"])
def test_a_heading_is_a_sentence_of_its_own_and_states_nothing(heading: str) -> None:
    text = LIFE.format(heading)
    (parsed,) = SpacyParser().parse([text])
    said = [text[sentence.start : sentence.end] for sentence in parsed]
    assert said[:3] == ["Edda Marrish was an architect.", heading, "Edda Marrish was born in Pellingrove."]
    passage = Passage(id="a", document_id="a", ordinal=0, start=0, end=len(text), title="Edda Marrish", text=text)
    assert not any("#" in text[name.start : name.end] for sentence in parsed for name in sentence.entities)
    facts = facts_of(passage, parsed)
    assert ("Edda Marrish", "born in", "Pellingrove") in {(fact.head, fact.relation, fact.tail) for fact in facts}
    assert not [fact for fact in facts if "life" in (fact.head + fact.tail).lower() or "#" in fact.head + fact.tail]


def test_the_first_sentence_stands_behind_the_title() -> None:
    """A text often begins with its title: what the first sentence says of its subject is said below it."""
    text = "# Edda Marrish\n\nEdda Marrish (1271–1338) was an architect of Tavrelle."
    (parsed,) = SpacyParser().parse([text])
    passage = Passage(id="a", document_id="a", ordinal=0, start=0, end=len(text), title="Edda Marrish", text=text)
    stated = {(fact.head, fact.relation, fact.tail) for fact in facts_of(passage, parsed)}
    assert {("Edda Marrish", "born in", "1271"), ("Edda Marrish", "died in", "1338")} <= stated
