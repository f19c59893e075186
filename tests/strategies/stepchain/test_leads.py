"""Where a name that a passage has leads: to passages about it, or to those that name it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from polyhop.layers.view import View
from polyhop.strategies.shared.fuse import fused_among, fused_each
from polyhop.strategies.shared.leads import ALONE, CHAINED, Lead, Leads
from tests.worlds.stepchain_moves import leads_of


def names(leads: Sequence[Lead]) -> list[str]:
    return [lead.name for lead in leads]


def lead_on(leads: Leads, asked: str, *sources: int, borne: Callable[[str], float] = lambda _: 0.0) -> list[Lead]:
    """The leads of a step after which the birthplace is asked for."""
    return leads.of(asked, sources, lambda _: (), lambda name: f"Where was {name} born?", borne)


def test_a_name_leads_to_the_passage_about_it(view: View, number: dict[str, int]) -> None:
    """And is judged with it, for the whole question; the sentence that it was read in is kept."""
    [best] = lead_on(leads_of(view), "Who is the builder of the Gull?", number["Gull"])
    assert (best.name, best.source, best.target) == ("Ada Brook", number["Gull"], number["Ada Brook"])
    assert best.score > 0
    passage = view.passages([number["Gull"]])[0]
    assert best.span is not None
    assert best.span.document_id == passage.document_id
    said = passage.text[best.span.start - passage.start : best.span.end - passage.start]
    assert said == "It was built by Ada Brook in 1801."


def test_what_is_asked_about_is_no_answer(view: View, number: dict[str, int]) -> None:
    assert "Gull" not in names(lead_on(leads_of(view), "Who is the builder of the Gull?", number["Gull"]))


def test_a_name_that_no_passage_is_about_leads_to_those_that_name_it(view: View, number: dict[str, int]) -> None:
    """Or to where it was read; that costs it something."""
    question = "Where was the builder of the Pike born?"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("polyhop.strategies.shared.leads.ALONE", 0.0)
        leads = lead_on(leads_of(view, question), "Who is the builder of the Pike?", number["Pike"])
    reed = next(lead for lead in leads if lead.name == "Otto Reed")
    assert reed.target == number["Pike"]
    dear = lead_on(leads_of(view, question), "Who is the builder of the Pike?", number["Pike"])
    assert reed.score - ALONE < next(lead for lead in dear if lead.name == "Otto Reed").score < reed.score


@pytest.mark.parametrize("few", [2000, 0], ids=["few have it", "many have it"])
def test_only_a_name_that_another_passage_may_have_is_searched_for(
    view: View, number: dict[str, int], few: int
) -> None:
    """Otto Reed is named by the Pike's passage alone, Oster by that of the Sable Light, too.

    Where few passages have a name's words, the search is among these.
    """
    searched: list[str] = []

    def noted_of_all(questions: Sequence[str], *others: Any) -> list[list[tuple[int, float]]]:
        assert not questions or not few
        searched.extend(questions)
        return fused_each(questions, *others)

    def noted_of_few(question: str, *others: Any) -> list[tuple[int, float]]:
        searched.append(question)
        return fused_among(question, *others)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("polyhop.strategies.shared.leads.FEW", few)
        patched.setattr("polyhop.strategies.shared.leads.fused_each", noted_of_all)
        patched.setattr("polyhop.strategies.shared.leads.fused_among", noted_of_few)
        builder = lead_on(leads_of(view), "Who is the builder of the Pike?", number["Pike"])
        harbour = lead_on(leads_of(view), "Where does the Gull sail to?", number["Gull"])
    assert next(lead for lead in builder if lead.name == "Otto Reed").target == number["Pike"]
    assert next(lead for lead in harbour if lead.name == "Oster").target == number["Sable Light"]
    assert searched == ["Where was Oster born?"]


def test_the_better_a_lead_the_likelier_it_is_right() -> None:
    leads = [Lead(name="Oster", source=1, target=2, logit=0.0, score=score, span=None) for score in (-10.0, 3.0, 20.0)]
    chances = [lead.chance for lead in leads]
    assert chances == sorted(chances)
    assert 0 < chances[0] < 0.1 < 0.4 < chances[1] < 0.6 < 0.9 < chances[2] < 1


def test_a_name_that_chains_bear_out_is_worth_more(view: View, number: dict[str, int]) -> None:
    leads = leads_of(view)
    plain = lead_on(leads, "Who is the builder of the Gull?", number["Gull"])
    borne = lead_on(leads, "Who is the builder of the Gull?", number["Gull"], borne=lambda name: float(name == "Oster"))
    gained = {one.name: one.score - other.score for one in borne for other in plain if one.name == other.name}
    assert gained.pop("Oster", CHAINED) == pytest.approx(CHAINED)
    assert set(gained.values()) == {0.0}


def test_so_many_names_are_considered_and_no_more(view: View, number: dict[str, int]) -> None:
    for values in (1, 2):
        leads = lead_on(leads_of(view, values=values, links=0), "Who built the Tern?", number["Tern"])
        assert 1 <= len(set(names(leads))) <= values


def test_facts_and_the_text_say_what_a_passage_links_to(view: View, number: dict[str, int]) -> None:
    leads = leads_of(view)
    ada = view.passages([number["Ada Brook"]])[0]
    linked = leads.linked(number["Ada Brook"], ada, ["Hallow"], set(), {number["Ada Brook"]})
    assert sorted(linked) == sorted((name, number[name]) for name in ("Hallow", "Velm", "Wilma Fenn"))
    assert leads.linked(number["Ada Brook"], ada, [], {"velm", "wilma fenn"}, set()) == []


def test_no_links_are_followed_without_a_graph_to_say_so(view: View, number: dict[str, int]) -> None:
    assert leads_of(view, links=0).links == leads_of(view, without=("graph",)).links == 0
    assert (
        lead_on(leads_of(view, without=("graph",)), "Who is the builder of the Gull?", number["Gull"])[0].name
        == "Ada Brook"
    )


def test_a_question_that_was_not_taken_apart_is_led_on_by_what_passages_name(
    view: View, number: dict[str, int]
) -> None:
    leads = leads_of(view, "What is the birthplace of whoever built the Gull?")
    found = leads.beyond([number["Gull"], number["Sable Light"]], lambda _: ())
    assert (found[0].name, found[0].target) == ("Ada Brook", number["Ada Brook"])
    assert leads.beyond([], lambda _: ()) == []


def test_sources_that_say_nothing_lead_nowhere(view: View) -> None:
    assert lead_on(leads_of(view), "Who is the builder of the Gull?") == []


def test_those_nearest_to_the_question_keep_their_order(view: View, number: dict[str, int]) -> None:
    leads = leads_of(view)
    every = list(number.values())
    assert leads.nearest(every, len(every)) == every
    few = leads.nearest(every[::-1], 3)
    assert len(few) == 3
    assert few == [one for one in every[::-1] if one in few]
    assert number["Gull"] in few
    assert leads.nearest([], 2) == []
    assert leads.nearest([2, 2, 1, 2], 2) == [2, 1]
