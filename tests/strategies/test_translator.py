"""What the translator says is in the graph, with the real model and a real index."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.settings import Settings
from polyhop.types import Clue

QUESTION = "Who was the architect of Harrowmere Lighthouse?"


def clues(index: Path, **switches: object) -> list[Clue]:
    """The clues that are shown for one question, under some switches."""
    sections = {"strategy": {"alpha": 2, "beta": 2, "longest": 8, "hops": 1, **switches}}
    with Polyhop(index, settings=Settings.from_mapping(sections)) as engine:
        evidence = engine.search(QUESTION, strategy="translator")
    return [clue for hop in evidence.hops for clue in hop.clues]


def sentences(clue: Clue, index: Path) -> list[str]:
    with Polyhop(index) as engine:
        return [" ".join(engine.quote(span)[0].split()) for span in clue.sentences]


def test_a_clue_is_said_by_its_sentences(world_index: Path) -> None:
    """Eq. 8: the words of the relation stand in each sentence that the clue is traced to."""
    found = clues(world_index)
    assert found
    for clue in found:
        assert clue.tail is None
        assert all(clue.relation in sentence for sentence in sentences(clue, world_index))


def test_a_triple_ends_in_an_entity_of_its_sentences(world_index: Path) -> None:
    """Eq. 12: the third stage names an entity at the other end, and narrows the sentences to those that hold it."""
    found = [clue for clue in clues(world_index, triples=True) if clue.tail]
    assert found
    for clue in found:
        assert clue.tail is not None
        assert all(clue.tail.casefold() in sentence.casefold() for sentence in sentences(clue, world_index))


@pytest.mark.parametrize(
    "switches", [{"reverse": "off"}, {"reverse": "first"}, {"directed": False}, {"ner_entities": False}]
)
def test_every_variant_of_the_paper_runs(world_index: Path, switches: dict[str, object]) -> None:
    """The switches of Table 2 and of the appendix give evidence, too, and say what they said."""
    with Polyhop(world_index, settings=Settings.from_mapping({"strategy": {"hops": 1, **switches}})) as engine:
        evidence = engine.search(QUESTION, strategy="translator")
    directions = {clue.direction for hop in evidence.hops for clue in hop.clues}
    assert switches.get("reverse") != "off" or "reverse" not in directions
    assert evidence.trail
