"""Passages for a step: near in words and vectors, named by it, and what the graph asks for."""

from __future__ import annotations

import time

import pytest

from polyhop.layers.view import View
from polyhop.strategies.shared.fuse import fused, fused_each
from polyhop.strategies.stepchain.step_passages import FRONTIER
from polyhop.types import Budget
from tests.worlds.stepchain import BORN
from tests.worlds.stepchain_moves import MakeGraph, step, stepping


def test_questions_searched_together_find_what_each_finds(view: View) -> None:
    asked = [BORN, "Who built the Gull?", "harbour", ""]
    assert fused_each(asked, view, 3) == [fused(question, view, 3) for question in asked]
    assert fused_each([], view, 3) == []


MAYOR = "Who is the mayor of the town where the builder of the Tern was born?"


def test_a_passage_keeps_the_best_score_of_all_steps(view: View) -> None:
    """What answers a later step was judged for an earlier one, too, of which it says nothing."""
    walked = stepping(view, MAYOR)
    walked.take(view.plan(MAYOR, prefer="steps"), time.monotonic(), Budget())
    judged = [dict(walked.passages.of(one.question, later=place > 0)) for place, one in enumerate(walked.done)]
    assert any(score > judged[0].get(number, score) for one in judged[1:] for number, score in one.items())
    for number, score in walked.singles.items():
        assert score == pytest.approx(max(one[number] for one in judged if number in one), abs=0.01)


def test_the_frontier_is_asked_for_by_entities_relations_and_the_answer(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """No passage is about Jory Pell, so that his name alone leads nowhere: what the chain passes through does."""
    mine = graph()
    mine.pull([number["Velm"]])
    chains = mine.walk("Who is the mayor of Velm?", [number["Velm"]]).kept
    before = step(0, number["Velm"], chains=chains, answer="Jory Pell", established=True)
    taken = stepping(view, retrieved=2)
    alone = [one for one, _ in taken.passages.of("Which river is near?", later=True)]
    beside = [one for one, _ in taken.passages.of("Which river is near?", [before], later=True)]
    assert number["Velm"] not in alone
    assert number["Velm"] in beside
    assert len(beside) <= len(alone) + FRONTIER


def test_a_passage_that_a_step_names_is_looked_for_by_its_title(view: View, number: dict[str, int]) -> None:
    """Unless that is worth nothing: then what is near in words and vectors is all there is."""
    asked = "Which lamps, rowers, shipwrights and rivers are there in Hallow?"
    favoured, plain = (stepping(view, retrieved=1, named_bonus=bonus).passages.of(asked) for bonus in (2.0, 0.0))
    assert number["Hallow"] in dict(favoured)
    assert len(plain) == 1
