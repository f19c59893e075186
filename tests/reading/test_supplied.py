"""What a language model that read an answer says of the hops that our own models had only guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.reading.reader import Quote, Reading
from polyhop.reading.supplied import as_read
from polyhop.types import Evidence, Hop
from tests.worlds.prompts import BROOK, PASSAGES

GUESS = Hop(question="Who was the mother of Ada Brook?", status="unresolved", found="Wilma Fenn", passages=PASSAGES[:1])
TOLD = replace(PASSAGES[1], text=f"{BROOK}\nHer mother was Wilma Fenn.", end=len(BROOK) + 27)
SAID = Quote(TOLD, len(BROOK) + 1, len(TOLD.text))
EVIDENCE = Evidence(
    question="Where was her mother born?", strategy="auto", passages=PASSAGES, hops=(GUESS,), supplied=()
)
READ = Reading(text="Ossby", quotes=(SAID,), grounded=True, confidence=1.0)


def test_a_guess_is_settled_by_a_quotation_that_names_what_it_found_and_what_it_asks() -> None:
    """The title of its passage counts: it says who "her" is."""
    [hop] = as_read(EVIDENCE, READ).hops
    assert (hop.status, hop.found, hop.passages, hop.sentences) == ("resolved", "Wilma Fenn", (TOLD,), (SAID.span,))


@pytest.mark.parametrize(
    "reading",
    [
        replace(READ, text=None),
        replace(READ, grounded=False),
        replace(READ, quotes=(Quote(TOLD, 0, len(BROOK)),)),  # says nothing of the mother
        replace(READ, quotes=(Quote(PASSAGES[0], 0, 28),)),  # nor of Ada Brook
    ],
)
def test_a_guess_stays_one_where_no_answer_is_borne_out_or_nothing_quoted_tells_it(reading: Reading) -> None:
    assert as_read(EVIDENCE, reading).hops == (GUESS,)


def test_hops_of_strategies_that_look_nothing_up_are_left_as_they_are() -> None:
    evidence = replace(EVIDENCE, supplied=None)
    assert as_read(evidence, READ) is evidence
