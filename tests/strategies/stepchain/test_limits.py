"""What bounds a question of StepChain, and what is told of it: chains, tokens, time, and passages that fail."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.facts.layer import FactsLayer
from polyhop.models.choice import Models
from polyhop.ports import Below, Failure, Rows
from polyhop.types import Budget, Passage
from tests.worlds.stepchain import BORN, MOTHER, PIKE, Open, ask, chains, facts, search, told, walk
from tests.worlds.stepchain_sage import FIRST


@pytest.fixture(scope="module", autouse=True)
def _much_has_grown(grown: Polyhop) -> None:
    """So that there is more to walk over than limits allow, whichever test comes first."""
    for question in (BORN, MOTHER, FIRST):
        search(grown, question, retrieved=8)


def test_the_trail_has_every_chain_that_was_kept_with_its_score(grown: Polyhop) -> None:
    """A hop shows the best few of them; what a step was answered from is never cut in silence."""
    evidence = search(grown, **walk(depth=2, chains=60, tokens=4000))
    kept = sum(int(found[1]) for line in evidence.trail if (found := re.search(r"(\d+) of \d+ chains kept", line)))
    told_of = [line.strip().partition("  ")[2] for line in evidence.trail if re.match(r"    0\.\d\d  ", line)]
    assert len(told_of) == kept > sum(len(hop.chains) for hop in evidence.hops)
    assert set(chains(evidence.hops)) <= set(told_of)


@pytest.mark.parametrize("depth", [1, 3])
def test_chains_are_as_long_as_the_walk_is_deep(grown: Polyhop, depth: int) -> None:
    lengths = {
        len(chain.facts)
        for hop in search(grown, **walk(depth=depth, chains=60, tokens=4000)).hops
        for chain in hop.chains
    }
    assert lengths
    assert lengths <= set(range(1, depth + 1))


def test_what_a_walk_cut_off_is_told(grown: Polyhop) -> None:
    evidence = search(grown, **walk(fan_out=1, frontier=1))
    assert re.search(r"[1-9]\d* facts not followed", told(evidence))
    assert re.search(r"[1-9]\d* entities not expanded", told(evidence))
    kept = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) of (\d+) chains kept", told(search(grown)))]
    assert kept
    assert all(some < all_of_them for some, all_of_them in kept)


@pytest.mark.parametrize("tokens", [1, 20])
def test_chains_stay_within_their_tokens(grown: Polyhop, tokens: int) -> None:
    evidence = search(grown, **walk(tokens=tokens, chains=50))
    taken = [int(size) for size in re.findall(r"chains kept, (\d+) tokens", told(evidence))]
    assert taken
    assert max(taken) <= tokens
    assert bool(chains(evidence.hops)) == (tokens >= 20)


def test_a_passage_that_fails_is_named_and_the_question_goes_on(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not tried again by the next question, and named there, too."""
    original = FactsLayer.extract

    def failing(self: FactsLayer, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        rows = original(self, passages, models, below)
        return [
            Failure("it cannot be parsed") if passage.title == "Ada Brook" else row
            for passage, row in zip(passages, rows, strict=True)
        ]

    monkeypatch.setattr(FactsLayer, "extract", failing)
    engine = opened()
    for _ in range(2):
        answer = ask(engine)
        assert re.search(r"passage \d+ has no facts: it cannot be parsed", told(answer.evidence))
        assert "it cannot be parsed (Ada Brook)" in told(answer.evidence)
        assert answer.text == "Velm"
        assert "Ada Brook -(born in)-> Velm" not in chains(answer.evidence.hops)
    assert facts(engine).failed == 1


@pytest.mark.parametrize("question", [BORN, PIKE])
def test_time_that_is_over_leaves_steps_and_says_so(opened: Open, question: str) -> None:
    """But there is evidence all the same."""
    evidence = ask(opened(), question, Budget(seconds=0.0)).evidence
    assert evidence.passages
    assert len(evidence.hops) == 1
    assert ("1 sub-questions were left: the time allowed was over" in evidence.trail) == (question == BORN)
    assert "asked as a whole" not in told(evidence)


def test_no_more_passages_than_the_budget_allows(grown: Polyhop) -> None:
    whole = search(grown, k=8).passages
    for k in (1, 3):
        assert search(grown, k=k).passages == whole[:k]
