"""The graph of one question grows with the passages that are pulled in, and walks over it are chains of facts."""

from __future__ import annotations

from collections import Counter

import pytest

from polyhop.layers.view import View
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.step_graph import ENDS
from tests.worlds.stepchain import BORN
from tests.worlds.stepchain_moves import MakeGraph, stepping


def test_a_graph_grows_with_each_passage_that_is_pulled_in(graph: MakeGraph, number: dict[str, int]) -> None:
    mine = graph()
    assert mine.graph.counts == {"entities": 0, "facts": 0}
    mine.pull([number["Gull"]])
    few = mine.graph.counts
    assert few["facts"] > 0
    mine.pull([number["Gull"]])
    assert mine.graph.counts == few
    mine.pull([number["Gull"], number["Ada Brook"]])
    assert mine.graph.counts["facts"] > few["facts"]
    assert mine.failed == {}
    assert mine.left == {}


def test_the_order_in_which_passages_are_pulled_does_not_matter(graph: MakeGraph, number: dict[str, int]) -> None:
    one, other = graph(), graph()
    one.pull([number["Gull"], number["Ada Brook"]])
    other.pull([number["Ada Brook"]])
    other.pull([number["Gull"]])
    near = [number["Gull"], number["Ada Brook"]]
    walks = [{str(chain.chain) for chain in each.walk(BORN, near).kept} for each in (one, other)]
    assert walks[0] == walks[1]


def test_a_passage_without_facts_is_no_trouble(graph: MakeGraph, view: View) -> None:
    """Nor is one that is not there any more."""
    mine = graph()
    mine.pull([])
    mine.pull([9999])
    assert mine.graph.counts["facts"] == 0
    assert mine.walk(BORN, [9999]) == ((), "no entity to begin with")
    assert mine.named_by(9999) == []


def test_a_passage_names_what_stands_at_the_ends_of_its_facts(graph: MakeGraph, number: dict[str, int]) -> None:
    """Dates and the like aside, which lead to no passage."""
    mine = graph()
    mine.pull([number["Gull"], number["Pike"]])
    assert {"Gull", "Ada Brook", "Oster"} <= set(mine.named_by(number["Gull"]))
    assert not {"Otto Reed", "1801"} & set(mine.named_by(number["Gull"]))


def test_a_walk_begins_at_what_is_named_and_keeps_the_best_chains(graph: MakeGraph, number: dict[str, int]) -> None:
    """Each with the passages that state its facts; two at most lead from one entity to another."""
    mine = graph()
    mine.pull(number.values())
    kept, told = mine.walk("Who built the Gull?", [number["Gull"]])
    assert told.startswith("from Gull, ")
    assert str(kept[0].chain) == "Gull -(was built by)-> Ada Brook"
    assert kept[0].passages == (number["Gull"],)
    assert [chain.chain.score for chain in kept] == sorted((chain.chain.score for chain in kept), reverse=True)
    ends = Counter((chain.chain.entities[0], chain.end) for chain in kept)
    assert max(ends.values()) <= ENDS
    passages = mine.over.passages(list(number.values()))
    by_id = {passage.id: place for place, passage in zip(number.values(), passages, strict=True)}
    for chain in kept:
        assert tuple(by_id[fact.passage_id] for fact in chain.chain.facts) == chain.passages
        assert len(set(chain.chain.entities)) == len(chain.chain.entities)


def test_a_walk_may_begin_anywhere_in_the_graph(graph: MakeGraph, number: dict[str, int]) -> None:
    """Where seeds are what is nearest by its vector alone, as in the paper, and not what the step's passages name."""
    mine = graph(seeds=20)
    mine.pull(number.values())
    here = mine.walk("Who built the Gull?", [number["Gull"]]).told.partition(":")[0]
    mine.seeds_near = False
    anywhere = mine.walk("Who built the Gull?", [number["Gull"]]).told.partition(":")[0]
    assert "Otto Reed" not in here
    assert "Otto Reed" in anywhere


@pytest.mark.parametrize("chains", [1, 3])
def test_no_more_chains_are_kept_than_wanted(graph: MakeGraph, number: dict[str, int], chains: int) -> None:
    whole, few = graph(), graph(chains=chains)
    for each in (whole, few):
        each.pull(number.values())
    near = [number["Gull"]]
    assert few.walk("Who built the Gull?", near).kept == whole.walk("Who built the Gull?", near).kept[:chains]
    assert f" {chains} of " in few.walk("Who built the Gull?", near).told


def test_chains_without_support_are_left_out_of_a_walk_and_counted(graph: MakeGraph, number: dict[str, int]) -> None:
    """Where others pulled in facts that this question would not have."""
    mine = graph(shared=True, support=0.99)
    mine.pull([number["Gull"]])
    whole = graph(shared=True)
    whole.pull([number["Gull"]])
    mine.support = 1.01
    kept, told = mine.walk("Who built the Gull?", [number["Gull"]])
    assert kept == ()
    assert "chains without support" in told
    assert whole.walk("Who built the Gull?", [number["Gull"]]).kept


def test_a_walk_that_has_nowhere_to_begin_is_seeded_from_the_whole_question(view: View) -> None:
    taken = stepping(view, scope="question")
    chains = taken._grown(AskedStep(position=0, question="Who built the Gull?", passages=[], way=()))
    assert str(chains.kept[0].chain) == "Gull -(was built by)-> Ada Brook"
    assert chains.told.endswith("(seeded from 4 more passages)")
