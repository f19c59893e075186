"""Which hops of what a strategy walked an answer rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.plans import Plan, Step, whole_question
from polyhop.reading.hops_found import held_against, hops_taken, looked_first, without_bridges
from polyhop.reading.pointing import Pointed, Pointing
from polyhop.reading.reader import Quote, Reading
from polyhop.types import AnswerKind, Clue, Evidence, Hop, Passage, Span

QUESTION = "What did Wenna Tarrick own?"


def passage(name: str, text: str) -> Passage:
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=name, text=text)


TARRICK = passage("Wenna Tarrick", "Wenna Tarrick of Sarnwick owned the Sorrel.")
SORREL = passage("Sorrel", "The Sorrel was built in Harrowmere.")
HARROWMERE = passage("Harrowmere", "Harrowmere is a port.")


def hop(one: Passage, found: str | None) -> Hop:
    span = Span(one.document_id, 0, len(one.text))
    return Hop(question=QUESTION, status="resolved", found=found, passages=(one,), sentences=(span,))


WALKED = (hop(TARRICK, "Sorrel"), hop(SORREL, "Harrowmere"), hop(HARROWMERE, None))


def evidence(*hops: Hop) -> Evidence:
    passages = (TARRICK, SORREL, HARROWMERE)
    return Evidence(question=QUESTION, strategy="paths", passages=passages, hops=hops, plan=whole_question(QUESTION))


def reading(one: Passage, text: str) -> Reading:
    return Reading(text=text, quotes=(Quote(one, 0, len(one.text)),), confidence=0.9)


def looked(found: str) -> Evidence:
    """Evidence of a strategy that has read its first passages, and what it found there."""
    return evidence(replace(hop(TARRICK, found), step=0, chance=0.9))


def test_a_value_that_was_read_otherwise_is_less_sure() -> None:
    owned = reading(TARRICK, "the Sorrel")
    assert held_against(owned, looked("Sorrel"), None) == owned
    assert held_against(owned, looked("the Sorrel and a boat"), None) == owned
    other = held_against(owned, looked("Harrowmere"), None)
    assert (other.text, other.note[:12]) == (owned.text, "'Harrowmere'")
    assert 0.7 < other.confidence < owned.confidence


def test_what_a_chain_went_on_from_is_not_its_answer() -> None:
    """The teacher of her teacher is not her teacher; what may be compared at last, or is no chain, is left as it is."""
    steps = (Step(question="Who taught Ada Brisk?"), Step(question="Who taught #1?", refers_to=(0,)))
    chain = Plan(shape="chain", steps=steps)
    walked = (replace(hop(TARRICK, "Wenna Tarrick"), step=0), replace(hop(SORREL, None), step=1))
    answers = tuple(Pointed(text=text, chance=0.5, quote=None) for text in ("wenna Tarrick", "Sorrel"))
    found = Pointing(question=QUESTION, answers=answers)
    asked = replace(evidence(*walked), plan=chain)
    assert [one.text for one in without_bridges(found, asked).answers] == ["Sorrel"]
    doubtful = replace(asked, hops=(replace(walked[0], status="unresolved"), walked[1]))
    assert without_bridges(found, doubtful) == without_bridges(found, evidence(*walked)) == found


def test_of_two_answers_nearly_as_likely_the_one_that_was_looked_at_counts() -> None:
    answers = tuple(
        Pointed(text=text, chance=chance, quote=None) for text, chance in (("a boat", 0.8), ("Sorrel", 0.7))
    )
    found = Pointing(question=QUESTION, answers=answers)
    assert [one.text for one in looked_first(found, looked("Sorrel")).answers] == ["Sorrel", "a boat"]
    assert looked_first(found, looked("a boat")) == found
    assert looked_first(found, evidence(*WALKED)) == found
    surer = replace(found, answers=(replace(answers[0], chance=0.95), answers[1]))
    assert looked_first(surer, looked("Sorrel")) == surer


def test_what_steps_lead_to_is_held_against_what_was_read_at_once() -> None:
    owned = reading(TARRICK, "the Sorrel")
    at_once = Pointing(question=QUESTION, answers=(Pointed(text="a boat", chance=0.9, quote=None),))
    assert held_against(owned, evidence(*WALKED), at_once).confidence < owned.confidence


def test_a_quotation_is_answered_as_the_value_that_was_read_in_it() -> None:
    quoted = replace(reading(TARRICK, TARRICK.text), kind=AnswerKind.QUOTATION)
    short = held_against(quoted, looked("the Sorrel"), None)
    assert (short.text, short.kind, short.quotes) == ("the Sorrel", AnswerKind.VALUE, quoted.quotes)
    assert held_against(quoted, looked("Harrowmere"), None) == quoted


def test_links_that_were_followed_are_no_look() -> None:
    owned = reading(TARRICK, "the Sorrel")
    assert held_against(owned, evidence(replace(hop(TARRICK, "Harrowmere"), step=0)), None) == owned


def test_what_lies_behind_the_passage_that_answers_is_no_hop() -> None:
    (only,) = hops_taken(QUESTION, reading(TARRICK, "the Sorrel"), evidence(*WALKED))
    assert (only.passages, only.found) == ((TARRICK,), "the Sorrel")


def test_what_leads_to_the_passage_that_answers_stays() -> None:
    first, second = hops_taken(QUESTION, reading(SORREL, "Harrowmere"), evidence(*WALKED))
    assert (first.found, second.found) == ("Sorrel", "Harrowmere")


def test_links_that_lead_to_an_answer_are_settled() -> None:
    """Before anything was read, none of the passages seemed to answer the question."""
    walked = (replace(one, status="unresolved") for one in WALKED)
    taken = hops_taken(QUESTION, reading(SORREL, "Harrowmere"), evidence(*walked))
    assert [one.status for one in taken] == ["resolved", "resolved"]


def test_another_way_is_no_part_of_this_one() -> None:
    other = (hop(HARROWMERE, None), *WALKED[:1], hop(SORREL, None))
    assert [one.passages[0] for one in hops_taken(QUESTION, reading(SORREL, "Harrowmere"), evidence(*other))] == [
        TARRICK,
        SORREL,
    ]


def test_an_answer_off_the_way_has_a_hop_of_its_own() -> None:
    (only,) = hops_taken(QUESTION, reading(HARROWMERE, "a port"), evidence(*WALKED[:1]))
    assert (only.passages, only.found, only.sentences[0].document_id) == ((HARROWMERE,), "a port", "Harrowmere")


def test_hops_along_links_settle_nothing_where_nothing_was_answered() -> None:
    """What led on from a passage would be taken for an answer."""
    taken = hops_taken(QUESTION, Reading(text=None), evidence(*WALKED))
    assert taken == tuple(replace(one, status="unresolved", found=None) for one in WALKED)


@pytest.mark.parametrize(("quoted", "stays"), [(TARRICK, False), (HARROWMERE, True)])
def test_a_hop_beside_the_plan_is_one_where_the_answer_rests_on_it(quoted: Passage, stays: bool) -> None:
    """Those that follow the plan stay, whatever is quoted."""
    clue = Clue(entity="Harrowmere", relation="is a", direction="forward", score=-3.0, sentences=())
    planned = (replace(hop(TARRICK, "Sorrel"), step=0), replace(hop(SORREL, None), step=1))
    beside = replace(hop(HARROWMERE, None), clues=(clue,))
    taken = hops_taken(QUESTION, reading(quoted, "a port"), evidence(*planned, beside))
    assert taken == ((*planned, beside) if stays else planned)


def test_the_last_hop_of_a_chain_says_what_was_read_and_where() -> None:
    """Strategies leave the last answer to the reader."""
    plan = Plan(
        shape="chain",
        steps=(Step(question="What did Wenna Tarrick own?"), Step(question="Where was #1 built?", refers_to=(0,))),
        source="rules",
    )
    planned = (replace(hop(TARRICK, "Sorrel"), step=0), replace(hop(HARROWMERE, None), step=1))
    first, last = hops_taken(QUESTION, reading(SORREL, "Harrowmere"), replace(evidence(*planned), plan=plan))
    assert first == planned[0]
    assert (last.status, last.found, last.passages) == ("recovered", "Harrowmere", (SORREL,))
    assert last.sentences == (Span("Sorrel", 0, len(SORREL.text)),)
