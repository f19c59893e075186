"""Where the translator looks further when its queries are asked: at what the passages found speak of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.settings import Settings
from polyhop.strategies.translator import onward
from polyhop.strategies.translator.onward import LeadsOn
from polyhop.strategies.translator.strategy import KGTranslator
from polyhop.types import Evidence

ASKED = "Who was the architect of Harrowmere Lighthouse?"  # a plan of one step


@pytest.fixture
def view(engine: Polyhop) -> Iterator[View]:
    """The world, as strategies see it."""
    with engine.view() as view:
        yield view


def number_of(view: View, title: str) -> int:
    """The first passage about something."""
    found = view.kg.find(title)
    assert found is not None
    return view.kg.passages_titled(found)[0]


def leading(view: View, found: int, question: str = ASKED, *, width: int = 9) -> LeadsOn:
    """What leads on from one passage."""
    return LeadsOn(question=question, found=[found], over=view, width=width)


def names(view: View, entities: list[int]) -> list[str]:
    """What entities are called."""
    return [view.kg.entity(entity).name for entity in entities]


def found(index: Path, **switches: object) -> Evidence:
    """What the translator finds under some switches."""
    small = {"alpha": 2, "beta": 2, "longest": 8, "hops": 2, **switches}
    with Polyhop(index, settings=Settings.from_mapping({"strategy": small})) as engine:
        return engine.search(ASKED, strategy="translator")


def test_whom_a_passage_names_leads_on(view: View) -> None:
    """The lighthouse was designed by Edda Marrish, who leads sentences elsewhere."""
    lighthouse = number_of(view, "Harrowmere Lighthouse")
    assert "Edda Marrish" in names(view, leading(view, lighthouse, width=9).named_by_found([]))


def test_what_is_asked_about_does_not_lead_on(view: View) -> None:
    """Nor what was translated before: both have led somewhere already."""
    lighthouse, marrish = number_of(view, "Harrowmere Lighthouse"), view.kg.find("Edda Marrish")
    assert marrish is not None
    led = names(view, leading(view, lighthouse, width=9).named_by_found([marrish]))
    assert {"Harrowmere Lighthouse", "Edda Marrish"}.isdisjoint(led)


def test_what_a_passage_is_about_is_spoken_of_elsewhere(view: View) -> None:
    """The other way: sentences of other passages that lead to what was found."""
    marrish = number_of(view, "Edda Marrish")
    assert "Edda Marrish" in names(view, leading(view, marrish, "When was she born?").spoken_of())


def test_only_the_nearest_lead_on(view: View) -> None:
    """As many as are asked for, and the same as among more."""
    lighthouse = number_of(view, "Harrowmere Lighthouse")
    every = leading(view, lighthouse, width=9).named_by_found([])
    assert leading(view, lighthouse, width=1).named_by_found([]) == every[:1]


def test_what_everything_names_leads_nowhere(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name in very many passages is no way to one of them."""
    monkeypatch.setattr(onward, "COMMON", 0)
    lighthouse = number_of(view, "Harrowmere Lighthouse")
    assert leading(view, lighthouse, width=9).named_by_found([]) == []


def test_what_leads_on_stands_behind_the_best_of_the_queries(world_index: Path) -> None:
    """Its passages are others than those found, and its hop belongs to no step of the plan."""
    without, with_it = found(world_index, onward=0), found(world_index)
    assert [hop.step for hop in with_it.hops] == [*(hop.step for hop in without.hops), None]
    assert [one.id for one in with_it.passages[:2]] == [one.id for one in without.passages[:2]]
    assert {one.id for one in without.passages} < {one.id for one in with_it.passages}
    last = with_it.hops[-1]
    assert last.question == ASKED
    assert last.clues
    assert {one.id for one in last.passages}.isdisjoint(one.id for hop in without.hops for one in hop.passages)


def test_one_query_is_one_query(world_index: Path) -> None:
    """Who wants a single translation gets that."""
    assert len(found(world_index, hops=1).hops) == 1


def test_what_leads_on_cannot_be_negative() -> None:
    """A clear refusal."""
    with pytest.raises(ValueError, match="onward is at least 0"):
        KGTranslator(onward=-1)
