"""What the steps found becomes evidence: an order of passages, hops with their chains, and background."""

from __future__ import annotations

from dataclasses import replace

from polyhop.layers.view import View
from polyhop.plans import plan_of_questions
from polyhop.strategies.shared.leads import Lead
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.step_evidence import ranking
from tests.worlds.stepchain_moves import MakeGraph, step, stepping


def test_ways_come_first_and_then_single_passages_and_those_of_leads_by_turns(view: View) -> None:
    taken = stepping(view)
    taken.done = [step(0, 1), step(1, 1, 2)]
    taken.singles, taken.others = {1: 5.0, 3: 1.0, 4: 2.0}, {2: 3.0, 5: 9.0, 6: 8.0}
    order = ranking(taken, plan_of_questions(["Who built it?", "Where was #1 born?"]))
    assert list(order) == [1, 2, 5, 4, 6, 3]
    assert order[1] == 5.0
    assert order[2] == 3.0
    taken.done[0].lead = Lead(name="Oster", source=1, target=2, logit=4.0, score=9.0, span=None)
    taken.whole = Lead(name="Velm", source=6, target=3, logit=3.0, score=3.0, span=None)
    assert list(ranking(taken, plan_of_questions(["Who built it?", "Where was #1 born?"])))[:4] == [1, 2, 6, 3]
    taken.whole = replace(taken.whole, logit=5.0)  # it goes better with the question than what its steps lead to
    assert list(ranking(taken, plan_of_questions(["Who built it?", "Where was #1 born?"])))[:4] == [6, 3, 1, 2]


def test_what_steps_quoted_comes_before_all_that_was_retrieved(view: View) -> None:
    """The first quotation of each step before the second of any, then those of guesses, then where the whole leads."""
    taken = stepping(view)
    taken.done = [
        step(0, 1, sources=(7, 8), quotes=("one", "two"), established=True, settled=True),
        step(1, 2, sources=(9,), quotes=("a guess",), carried=True, settled=True),
        step(2, 3, sources=(4,), quotes=("three",), established=True, settled=True),
    ]
    taken.singles, taken.others = {1: 5.0, 2: 4.0, 3: 3.0}, {}
    taken.whole = Lead(name="Velm", source=6, target=6, logit=0.0, score=0.0, span=None)
    order = ranking(taken, plan_of_questions(["Who built it?", "Who owns it?", "Where was #1 born?"]))
    assert list(order)[:5] == [7, 4, 8, 9, 6]


def test_a_hop_shows_the_chains_that_lead_to_its_answer_first(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    mine = graph()
    mine.pull(number.values())
    chains = mine.walk("Who built the Gull?", [number["Gull"]]).kept
    taken = stepping(view)
    taken.done = [
        step(0, number["Gull"], chains=chains[::-1], answer="ada brook", established=True, settled=True),
        step(1, number["Gull"], chains=chains, answer="Nobody Known", established=True, settled=True),
        step(2, number["Gull"], chains=chains, answer="Ada Brook", settled=True),
        step(3, number["Gull"], chains=chains),
        AskedStep(position=4, question="Who?", passages=[], way=()),
    ]
    found, elsewhere, guess, last, nothing = (one.hop(view) for one in taken.done)
    assert found.chains[0].entities[-1] == "Ada Brook"
    assert [hop.status for hop in (found, elsewhere, guess, last, nothing)] == [
        *("resolved", "recovered", "unresolved", "recovered", "unresolved")
    ]
    assert len(found.chains) <= 5
    assert (nothing.passages, nothing.sentences, nothing.score) == ((), (), None)
