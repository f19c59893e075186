"""A strategy is named alone or with settings in brackets; both go wherever a strategy is named."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import SettingError, UnknownComponent, UsageError
from polyhop.settings import Settings
from polyhop.strategies.strategy import (
    ablations_of,
    base_name,
    canonical,
    parse_variant,
    split_names,
    strategy_of,
    variant_name,
)
from tests.worlds.documents import BRIDGE
from tests.worlds.settings import QUICK

WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.one_of(
    st.booleans(), st.integers(), st.floats(allow_nan=False), WORDS, st.none(), st.lists(WORDS, min_size=2).map(tuple)
)


@pytest.mark.parametrize(
    ("name", "base", "own"),
    [
        ("paths", "paths", {}),
        ("paths()", "paths", {}),
        ("paths(plan=false)", "paths", {"plan": "false"}),
        (" paths ( plan = false , links=4 ) ", "paths", {"plan": "false", "links": "4"}),
        ("x(check=fixed(0.5), a=1)", "x", {"check": "fixed(0.5)", "a": "1"}),
        ("x(names=(a, b), a=1)", "x", {"names": "a, b", "a": "1"}),
        ("x(check=(a)(b))", "x", {"check": "(a)(b)"}),
        ("x(plans=/some folder/plans=1.jsonl)", "x", {"plans": "/some folder/plans=1.jsonl"}),
    ],
)
def test_a_name_is_a_strategy_and_settings_of_its_own(name: str, base: str, own: dict[str, str]) -> None:
    assert parse_variant(name) == (base, own)
    assert base_name(name) == base


@pytest.mark.parametrize(
    "name", ["", "paths(", "paths)", "paths(plan)", "paths(=1)", "paths(plan=)", "a b", "paths(x=1)y", "paths)x=1("]
)
def test_a_name_that_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_variant(name)
    assert "paths(plan=false" in caught.value.remedy


def test_a_setting_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'links=2' .* is given twice"):
        parse_variant("paths(links=1, links=2)")


@given(WORDS, st.dictionaries(WORDS, VALUES, max_size=4))
def test_a_written_name_is_read_as_it_was_meant(base: str, own: dict[str, object]) -> None:
    name = variant_name(base, own)
    found, settings = parse_variant(name)
    assert found == base
    assert list(settings) == list(own)
    assert variant_name(found, settings) == canonical(name) == name


@given(st.text(alphabet="ab=,() ", max_size=20))
@example("a()=()")  # brackets that are even, but not within
@example("a((=,)())")
def test_any_text_is_a_name_or_refused(text: str) -> None:
    try:
        name = canonical(text)
    except UsageError:
        return
    assert canonical(name) == name
    assert split_names(name) == (name,)


def test_a_list_of_names_is_parted_outside_brackets() -> None:
    assert split_names("bm25,paths(plan=false,links=4) , bm25,,x(a=(1,2))") == (
        "bm25",
        "paths(plan=false, links=4)",
        "x(a=(1,2))",
    )
    assert split_names(" , ") == ()


def test_the_settings_of_a_name_go_on_top_of_the_others() -> None:
    settings = Settings.read(changes=["strategies.paths.links=3", "strategy.starts=2"])
    plain, changed = strategy_of("paths", settings), strategy_of("paths(links=5, plan=off)", settings)
    assert dataclasses.replace(plain, links=5, plan=False) == changed  # type: ignore[type-var]
    assert strategy_of("paths()", settings) == plain


def test_unknown_settings_and_values_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(SettingError) as caught:
        strategy_of("paths(linsk=4)", Settings())
    assert "Did you mean 'links'?" in caught.value.remedy
    with pytest.raises(SettingError, match=r"strategies\.paths\.links"):
        strategy_of("paths(links=many)", Settings())
    with pytest.raises(UnknownComponent) as unknown:
        strategy_of("pahts(links=4)", Settings())
    assert "Did you mean 'paths'?" in unknown.value.remedy


@pytest.mark.parametrize("name", registry.names("strategies"))
def test_every_declared_ablation_changes_its_strategy(name: str) -> None:
    """Labels are words, settings are the strategy's, and the strategy without the part is another one.

    A value of a series that is varied may be the strategy's own; another value of the same settings is not.
    """
    unchanged = strategy_of(name, Settings())
    same: set[frozenset[str]] = set()
    others: set[frozenset[str]] = set()
    for label, changes in ablations_of(name).items():
        assert label.strip() == label != ""
        equal = strategy_of(variant_name(name, changes), Settings()) == unchanged
        (same if equal else others).add(frozenset(changes))
    assert same <= others


def test_the_engine_takes_a_variant_wherever_it_takes_a_strategy(engine: Polyhop) -> None:
    with_plan = engine.search(BRIDGE, k=3, strategy="paths")
    without = engine.search(BRIDGE, k=3, strategy="paths(plan=false)")
    assert any("the plan asks" in line for line in with_plan.trail)
    assert not any("the plan asks" in line for line in without.trail)
    assert engine.search(BRIDGE, k=3, strategy="paths(plan=true)").trail == with_plan.trail
    assert strategy_of("paths(plan=true)", QUICK) == strategy_of("paths", QUICK)
    assert engine.strategy_for("paths(plan=false)") == "paths(plan=false)"
    with pytest.raises(SettingError, match="no setting 'plam'"):
        engine.strategy_for("paths(plam=false)")
