"""StepChain without one of its parts, and with settings that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import SettingError
from polyhop.registry import configured
from polyhop.strategies.stepchain.strategy import StepChain
from polyhop.strategies.strategy import ablations_of
from tests.worlds.prompts import inside
from tests.worlds.stepchain import BORN, Open, ask, assert_exact, chains, extracted, facts, search, titles, told, walk
from tests.worlds.stepchain_sage import Sage, sagely


def test_without_decomposition_the_question_is_its_own_only_step(grown: Polyhop) -> None:
    evidence = search(grown, without="decomposition")
    assert [hop.question for hop in evidence.hops] == [BORN]
    assert evidence.trail[0] == f"taken apart by nobody (single): {BORN}"


def test_without_the_graph_nothing_is_extracted(opened: Open) -> None:
    engine = opened()
    answer = ask(engine, without="graph", communities=3)
    assert [layer.name for layer in engine.status().layers] == ["text"]
    assert chains(answer.evidence.hops) == []
    assert "graph:" not in told(answer.evidence)
    assert answer.text == "Velm"


def test_without_reasoning_the_graph_tells_facts_and_no_chains_of_them(opened: Open) -> None:
    """Otherwise a language model would see the same with the graph as without it."""
    sage = Sage()
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, without="reasoning").evidence
        assert extracted(evidence) == facts(engine).done > 0
    assert {len(chain.facts) for hop in evidence.hops for chain in hop.chains} == {1}
    assert "Gull -(was built by)-> Ada Brook [1]" in inside(sage.prompts["step"][0], "CHAINS")


@pytest.mark.parametrize("label", StepChain.ablations)
def test_all_ablations_run(grown: Polyhop, label: str) -> None:
    changes: Mapping[str, Any] = ablations_of("stepchain")[label]
    assert configured(StepChain, changes, "stepchain") != StepChain()
    evidence = search(grown, **changes)
    assert "Gull" in titles(evidence)
    assert_exact(evidence, grown)


@pytest.mark.parametrize(
    "wrong",
    [
        *({name: 0} for name in ("retrieved", "values")),
        *({f"walk.{name}": 0} for name in ("seeds", "depth", "frontier", "fan_out", "chains")),
        *({"support": share} for share in (-0.1, 1.1)),
        {"walk.depth": -2},
        {"scope": "mine"},
        {"walk.depth": "deep"},
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(grown: Polyhop, wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong)).removeprefix("walk.")):
        ask(grown, **wrong)


def test_unknown_settings_name_the_nearest(grown: Polyhop) -> None:
    with pytest.raises(SettingError) as error:
        ask(grown, **walk(fanout=3))
    assert "fan_out" in error.value.remedy
    with pytest.raises(SettingError) as error:
        ask(grown, fan_out=3)
    assert "walk.fan_out" in error.value.remedy


def test_there_may_be_no_links_no_summaries_and_no_chains(grown: Polyhop) -> None:
    evidence = search(grown, links=0, communities=3, **walk(tokens=0))
    assert titles(evidence)[0] == "Gull"
    assert chains(evidence.hops) == []
