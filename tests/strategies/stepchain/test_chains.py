"""Chains of facts: which say nothing new, and what they bear out."""

from __future__ import annotations

import pytest

from polyhop.layers.view import View
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.distinct_chains import distinct, longest
from tests.worlds.stepchain_moves import MakeGraph, chain_of, step

BROOK_BORN = ("Ada Brook", "was born in", "Velm")


@pytest.mark.parametrize(
    ("facts", "left"),
    [
        ([[BROOK_BORN], [("ada brook", "Born in", "Velm")]], [0]),
        ([[BROOK_BORN], [BROOK_BORN, ("Velm", "lies on", "Oar")]], [0, 1]),
        ([[BROOK_BORN, ("Velm", "lies on", "Oar")], [("Velm", "lies on", "Oar")], [BROOK_BORN]], [1, 2]),
        ([[("Gull", "built", "Brook")], [("Gull", "was built in", "1801 by Brook")]], [1]),
        ([[("Brook", "was an engineer of", "Velm")], [("Brook", "was", "engineer of Velm")]], [0]),
        ([[("Brook", "beat", "Reed")], [("Reed", "beat", "Brook")]], [0, 1]),
        ([[("Brook", "lived in", "Harrow")], [("Brook", "lived in", "Harrowmere")]], [0, 1]),
    ],
    ids=[
        *("in other letters", "longer", "its parts", "said in more words", "said in parts"),
        *("turned around", "about a longer name"),
    ],
)
def test_a_chain_that_says_nothing_new_is_left_out(facts: list[list[tuple[str, str, str]]], left: list[int]) -> None:
    """The others keep their order, and which of them stay does not depend on it."""
    chains = [chain_of(*each) for each in facts]
    assert distinct(chains) == [chains[place] for place in left]
    assert set(map(str, distinct(chains[::-1]))) == {str(chains[place]) for place in left}


def test_a_chain_that_another_one_begins_with_is_left_out() -> None:
    """Not one that it ends with, or passes by: that has another beginning."""
    whole = chain_of(BROOK_BORN, ("Velm", "lies on", "Oar"))
    assert longest([chain_of(BROOK_BORN), whole, chain_of(("Velm", "lies on", "Oar"))]) == [
        whole,
        chain_of(("Velm", "lies on", "Oar")),
    ]


def test_a_lesser_fact_of_another_sentence_stays() -> None:
    chains = [chain_of(("Gull", "built", "Brook")), chain_of(("Gull", "built in", "1801 by Brook"), sentence=20)]
    assert distinct(chains) == chains


def test_a_chain_that_ends_at_a_name_bears_it_out(graph: MakeGraph, number: dict[str, int]) -> None:
    """The best one in full, others less, and one that passes by not at all."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    one = step(0, number["Gull"], chains=mine.walk("Who built the Gull?", [number["Gull"]]).kept)
    assert one.borne("ada brook") == 1.0
    assert 0 < one.borne("Velm") < 1
    assert one.borne("Nobody Known") == 0.0
    assert step(0, number["Gull"]).borne("Ada Brook") == 0.0


@pytest.mark.parametrize(
    ("relation", "question", "told"),
    [
        ("sailed on", "Who sailed on the Gull?", True),
        ("did not sail on", "Who sailed on the Gull?", False),
        ("did not sail on", "Who did not sail on the Gull?", True),
        ("did not sail on until", "Who sailed on the Gull?", True),
    ],
    ids=["affirmed", "denied", "denied as asked", "denied until"],
)
def test_a_chain_that_denies_what_is_asked_bears_nothing_out(
    view: View, relation: str, question: str, *, told: bool
) -> None:
    """Whoever did not sail on the Gull stands at the end of the chain as well."""
    chain = chain_of(("Gull", relation, "Otto Reed"))
    one = AskedStep(position=0, question=question, passages=[], way=(), chains=(chain,))
    assert one.borne("Otto Reed") == (1.0 if told else 0.0)
    one.answer, one.established, one.settled = "Otto Reed", True, True
    assert one.hop(view).status == ("resolved" if told else "recovered")
