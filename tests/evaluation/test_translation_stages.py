"""The benchmark that says where a question's time goes in KG-Translator counts no second twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.scripts import benchmark

STAGES = benchmark("translation_stages")
SECONDS = st.lists(st.floats(0, 5), min_size=len(STAGES.WATCHED) + 1, max_size=len(STAGES.WATCHED) + 1)


@given(SECONDS)
def test_stages_are_what_each_takes_by_itself(seconds: list[float]) -> None:
    """A watch counts an inner stage in the outer one too; a question takes all stages and the rest."""
    *by_itself, rest = seconds
    names = [stage for stage, _, _ in STAGES.WATCHED]
    true = dict(zip(names, by_itself, strict=True))
    watched = dict(true)
    for name in names:
        for inner, outer in STAGES.WITHIN.items():
            if name == inner:
                watched[outer] += true[inner]
    total = sum(true.values()) + rest
    found = STAGES.own_seconds(watched, total)
    for name in names:
        assert found[name] == pytest.approx(true[name], abs=1e-9)
    assert found[STAGES.REST] == pytest.approx(rest, abs=1e-9)
    assert sum(found.values()) == pytest.approx(total, abs=1e-9)


def test_a_stage_that_did_not_run_took_no_time() -> None:
    found = STAGES.own_seconds({}, 2.0)
    assert found == {**dict.fromkeys((stage for stage, _, _ in STAGES.WATCHED), 0.0), STAGES.REST: 2.0}


def test_every_method_that_is_watched_is_there() -> None:
    for _, owner, names in STAGES.WATCHED:
        assert all(callable(getattr(owner, name)) for name in names)
