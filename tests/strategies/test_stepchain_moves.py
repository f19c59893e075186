"""The moves of StepChain one by one: support, sub-questions, a question's graph and its walks, leads, step answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.plans import plan_of_questions
from polyhop.prompts.earlier_steps import EarlierStep
from polyhop.strategies.shared.fuse import fused, fused_among, fused_each
from polyhop.strategies.shared.leads import ALONE, CHAINED, Lead, Leads
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.community_context import background
from polyhop.strategies.stepchain.distinct_chains import distinct, longest
from polyhop.strategies.stepchain.independent_steps import asked_together
from polyhop.strategies.stepchain.step_answers import StepReader
from polyhop.strategies.stepchain.step_evidence import ranking
from polyhop.strategies.stepchain.step_graph import ENDS, EvidenceChain, GraphWalk, StepGraph, support_of
from polyhop.strategies.stepchain.step_passages import FRONTIER
from polyhop.strategies.stepchain.stepping import Stepping
from polyhop.strategies.stepchain.strategy import StepChain
from polyhop.types import Budget, Chain, Fact, Passage, Span, Triple
from tests.worlds.documents import write
from tests.worlds.endpoint import asked, says
from tests.worlds.ferries import CORPUS
from tests.worlds.prompts import inside, model_saying, prompt_of
from tests.worlds.settings import QUICK

BORN = "Where was the builder of the Gull born?"
MAYOR = "Who is the mayor of the town where the builder of the Tern was born?"
MakeGraph = Callable[..., StepGraph]


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """The ferries with their texts only; facts grow as tests need them."""
    folder = tmp_path_factory.mktemp("moves")
    with Polyhop(folder / "an.index", settings=QUICK) as engine:
        engine.index(write(folder / "documents", CORPUS), layers=["text"])
        with engine.view() as view:
            yield view


@pytest.fixture(scope="module")
def number(view: View) -> dict[str, int]:
    """The numbers of the passages by title."""
    numbers = view.record.numbers().tolist()
    return {passage.title: number for number, passage in zip(numbers, view.passages(numbers), strict=True)}


@pytest.fixture
def graph(view: View) -> MakeGraph:
    """Makes graphs of one question."""

    def make(*, shared: bool = False, support: float = 0.5, **changes: Any) -> StepGraph:
        walk = GraphWalk(**{"chains": 50, "tokens": 5000, **changes})
        return StepGraph(over=view, shared=shared, support=support, settings=walk)

    return make


def test_questions_searched_together_find_what_each_finds(view: View) -> None:
    asked = [BORN, "Who built the Gull?", "harbour", ""]
    assert fused_each(asked, view, 3) == [fused(question, view, 3) for question in asked]
    assert fused_each([], view, 3) == []


def stepping(view: View, question: str = BORN, **changes: Any) -> Stepping:
    """What a strategy sets up for a question."""
    return StepChain(**{"retrieved": 4, **changes})._stepping(question, view, Budget(), None)


def leads_of(view: View, question: str = BORN, **changes: Any) -> Leads:
    return stepping(view, question, **changes).leads


# --- support ----------------------------------------------------------------------------------------------------------


def stated(head: str, relation: str, tail: str, title: str = "Ada Brook") -> float:
    """The support of a fact in a sentence about a passage's title."""
    text = "She was a shipwright. She was born in Velm."
    start = text.index("She was born")
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)
    return support_of(Fact(head=head, relation=relation, tail=tail, start=start, end=len(text)), passage)


def test_a_fact_that_its_sentence_states_has_full_support() -> None:
    """Whatever the case; the title says who "she" is."""
    assert stated("Ada Brook", "was born in", "Velm") == stated("ADA BROOK", "Born In", "velm") == 1.0


def test_each_part_that_is_not_in_the_sentence_takes_its_share() -> None:
    assert stated("Ada Brook", "home town", "Velm") == pytest.approx(2 / 3)
    assert stated("Otto Reed", "was born in", "Velm") == pytest.approx(2 / 3)
    assert stated("Ada Brook", "was born in", "Upper Velm") == pytest.approx(5 / 6)
    assert stated("Otto Reed", "painted", "Oster") == 0.0


def test_other_sentences_and_the_title_bear_no_relation_out() -> None:
    assert stated("Ada Brook", "shipwright", "Velm") == pytest.approx(2 / 3)
    assert stated("Velm", "brook", "Velm") == pytest.approx(2 / 3)


def test_a_part_without_words_needs_no_support() -> None:
    assert stated("Ada Brook", "…", "Velm") == 1.0


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_support_is_a_share(head: str, relation: str, tail: str, title: str) -> None:
    assert 0.0 <= stated(head, relation, tail, title) <= 1.0


# --- sub-questions ----------------------------------------------------------------------------------------------------


def test_our_own_model_takes_a_question_apart_where_nobody_can_be_asked(view: View) -> None:
    """A model that may not be asked changes nothing."""
    plan = view.plan(BORN, prefer="steps")
    assert [step.question for step in plan.steps] == ["Who is the builder of the Gull?", "Where was #1 born?"]
    assert (plan.source, plan.shape) == ("trained", "chain")
    with asked(says("never")) as (model, server):
        assert view.plan(BORN, Within(model, 0), prefer="steps") == plan
        assert server.requests == []


# --- the graph of a question ------------------------------------------------------------------------------------------


def test_a_passage_keeps_the_best_score_of_all_steps(view: View) -> None:
    """What answers a later step was judged for an earlier one, too, of which it says nothing."""
    walked = stepping(view, MAYOR)
    walked.take(view.plan(MAYOR, prefer="steps"), time.monotonic(), Budget())
    judged = [dict(walked.passages.of(one.question, later=place > 0)) for place, one in enumerate(walked.done)]
    assert any(score > judged[0].get(number, score) for one in judged[1:] for number, score in one.items())
    for number, score in walked.singles.items():
        assert score == pytest.approx(max(one[number] for one in judged if number in one), abs=0.01)


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


# --- which steps are asked together -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "first", "answered", "together"),
    [
        (("Who built A?", "When was #1 born?", "Who built B?", "When was #3 born?"), 0, (), [0, 2]),
        (("Who built A?", "When was #1 born?", "Who built B?", "When was #3 born?"), 1, (0, 2), [1, 3]),
        (("Who built A?", "When was #1 born?", "Where was #2?"), 0, (), [0]),
        (("Who built A?", "How was it built in spite of that doubt?"), 0, (), [0]),  # speaks of what came before
        (("Who built A?", "Who built B?", "Which is older, #1 or #2?"), 2, (0, 1), [2]),
        (("Who built A?", "When was #1 born?", "Who built B?"), 1, (), [1]),  # waits itself
        (("A?", "B?", "C?", "D?", "E?"), 0, (), [0, 1, 2, 3]),
    ],
)
def test_steps_that_need_only_what_is_answered_are_asked_together(
    steps: tuple[str, ...], first: int, answered: tuple[int, ...], together: list[int]
) -> None:
    assert asked_together(plan_of_questions(steps), first, answered) == together


# --- what the graph asks for ------------------------------------------------------------------------------------------


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


def test_a_walk_that_has_nowhere_to_begin_is_seeded_from_the_whole_question(view: View) -> None:
    taken = stepping(view, scope="question")
    chains = taken._grown(AskedStep(position=0, question="Who built the Gull?", passages=[], way=()))
    assert str(chains.kept[0].chain) == "Gull -(was built by)-> Ada Brook"
    assert chains.told.endswith("(seeded from 4 more passages)")


# --- leads ------------------------------------------------------------------------------------------------------------


def names(leads: Sequence[Lead]) -> list[str]:
    return [lead.name for lead in leads]


def lead_on(leads: Leads, asked: str, *sources: int, borne: Callable[[str], float] = lambda _: 0.0) -> list[Lead]:
    """The leads of a step after which the birthplace is asked for."""
    return leads.of(asked, sources, lambda _: (), lambda name: f"Where was {name} born?", borne)


def test_a_name_leads_to_the_passage_about_it(view: View, number: dict[str, int]) -> None:
    """And is judged with it, for the whole question; the sentence that it was read in is kept."""
    [best, *others] = lead_on(leads_of(view), "Who is the builder of the Gull?", number["Gull"])
    assert (best.name, best.source, best.target) == ("Ada Brook", number["Gull"], number["Ada Brook"])
    assert best.score > 0
    assert all(best.score >= lead.score for lead in others)
    passage = view.passages([number["Gull"]])[0]
    assert best.span is not None
    assert best.span.document_id == passage.document_id
    said = passage.text[best.span.start - passage.start : best.span.end - passage.start]
    assert said == "It was built by Ada Brook in 1801."


def test_what_is_left_of_a_question_has_the_answers_so_far_and_says_what_else_is_sought(view: View) -> None:
    """The first step is judged by all of it: nothing is left out yet."""
    taken = stepping(view, scope="question")
    steps = ["Who is the builder of the Gull?", "Who is the sister of #1?", "Where was #2 born?"]
    plan = plan_of_questions(steps)
    first = AskedStep(position=0, question=steps[0], passages=[], way=())
    first.answer, first.carried = "Ada Brook", True
    second = AskedStep(position=1, question="Who is the sister of Ada Brook?", passages=[], way=())
    taken.done = [first, second]
    assert taken._left(first, plan) == BORN
    assert taken._left(second, plan) == "Who is the sister of Ada Brook? Where was the sister born?"


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


def test_a_chain_that_ends_at_a_name_bears_it_out(graph: MakeGraph, number: dict[str, int]) -> None:
    """The best one in full, others less, and one that passes by not at all."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    one = step(0, number["Gull"], chains=mine.walk("Who built the Gull?", [number["Gull"]]).kept)
    assert one.borne("ada brook") == 1.0
    assert 0 < one.borne("Velm") < 1
    assert one.borne("Nobody Known") == 0.0
    assert step(0, number["Gull"]).borne("Ada Brook") == 0.0


@pytest.mark.parametrize(
    ("relation", "question", "told"),
    [
        ("sailed on", "Who sailed on the Gull?", True),
        ("did not sail on", "Who sailed on the Gull?", False),
        ("did not sail on", "Who did not sail on the Gull?", True),
        ("did not sail on until", "Who sailed on the Gull?", True),
    ],
)
def test_a_chain_that_denies_what_is_asked_bears_nothing_out(
    view: View, relation: str, question: str, *, told: bool
) -> None:
    """Whoever did not sail on the Gull stands at the end of the chain as well."""
    chain = chain_of(("Gull", relation, "Otto Reed"))
    one = AskedStep(position=0, question=question, passages=[], way=(), chains=(chain,))
    assert one.borne("Otto Reed") == (1.0 if told else 0.0)
    one.answer, one.established, one.settled = "Otto Reed", True, True
    assert one.hop(view).status == ("resolved" if told else "recovered")


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


# --- step answers -----------------------------------------------------------------------------------------------------

VELM = {"support": [{"passage": 1, "quote": "She was born in Velm."}], "answer": "Velm", "sufficient": True}


def test_an_answer_has_its_passage_and_its_sentence(view: View, number: dict[str, int]) -> None:
    with model_saying(VELM) as (model, _):
        reader = StepReader(model=Within(model, 1), over=view, question=BORN, tokens=500, most=500)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"], number["Velm"]], [])
    assert found is not None
    assert (found.text, found.established, found.sources) == ("Velm", True, (number["Ada Brook"],))
    [span] = found.spans
    document = view.record.document(span.document_id)
    assert document.text[span.start : span.end] == "She was born in Velm."
    assert found.quotes == ("She was born in Velm.",)
    assert found.shown == (number["Ada Brook"], number["Velm"])


def test_each_fact_of_a_chain_names_the_passage_that_is_shown_for_it(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """So that the model knows where to look for the sentence; a chain that nothing shown states is not told."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    chains = mine.walk("Where was the builder of the Gull born?", [number["Gull"]]).kept
    [chain] = [one for one in chains if str(one.chain) == "Gull -(was built by)-> Ada Brook -(born in)-> Velm"]
    with model_saying(VELM) as (model, server):
        reader = StepReader(model=Within(model, 2), over=view, question=BORN, tokens=5000, most=5000)
        reader.answer(BORN, [chain], [number[title] for title in ("Velm", "Ada Brook", "Gull")], [])
        assert inside(prompt_of(server), "CHAINS") == "Gull -(was built by)-> Ada Brook [3] -(born in)-> Velm [2]"
        reader.answer(BORN, [chain], [number["Ada Brook"]], [])
        assert "<<<CHAINS" not in prompt_of(server)


def test_the_order_of_chains_does_not_depend_on_their_scores(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """Which differ by a hair from machine to machine: the same evidence is the same prompt."""
    mine = graph()
    mine.pull([number["Gull"], number["Ada Brook"]])
    chains = mine.walk("Where was the builder of the Gull born?", [number["Gull"]]).kept
    shown = [number["Gull"], number["Ada Brook"]]
    with model_saying(VELM) as (model, server):
        reader = StepReader(model=Within(model, 2), over=view, question=BORN, tokens=5000, most=5000)
        reader.answer(BORN, chains, shown, [])
        told = prompt_of(server)
        reader.answer(BORN, chains[::-1], shown, [])
        assert prompt_of(server) == told


def test_a_reader_sees_as_many_passages_as_fit_beside_the_chains(
    view: View, graph: MakeGraph, number: dict[str, int]
) -> None:
    """One at least."""
    mine = graph()
    mine.pull([number["Ada Brook"]])
    chains = mine.walk("Where was Ada Brook born?", [number["Ada Brook"]]).kept
    for tokens, shown, beside in ((5000, 3, []), (5000, 3, chains), (5, 1, []), (45, 1, chains)):
        with model_saying(VELM) as (model, server):
            reader = StepReader(model=Within(model, 1), over=view, question=BORN, tokens=tokens, most=tokens)
            numbers = [number["Ada Brook"], number["Velm"], number["Hallow"]]
            assert reader.answer("Where was Ada Brook born?", beside, numbers, []) is not None
            assert prompt_of(server).count("<<<PASSAGE ") == shown
            assert inside(prompt_of(server), "PASSAGE 1").startswith("Title: Ada Brook")


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ({**VELM, "sufficient": False}, "a guess that no passage bears out: Velm"),
        ({**VELM, "support": []}, "a guess that no passage bears out: Velm"),
        ({"support": [], "answer": "", "sufficient": False}, "the passages do not say"),
    ],
)
def test_what_is_not_established_is_a_guess_at_most(
    view: View, number: dict[str, int], said: dict[str, Any], note: str
) -> None:
    with model_saying(said) as (model, _):
        reader = StepReader(model=Within(model, 1), over=view, question=BORN, tokens=500, most=500)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], [])
    assert found is not None
    assert (found.established, found.note) == (False, note)
    assert found.text == (said["answer"] or None)


def test_what_a_model_does_not_say_in_the_form_asked_for_is_not_what_passages_do_not_say(
    view: View, number: dict[str, int]
) -> None:
    """They count as unread: a second try would otherwise be shown all others but them."""
    left_out = {"answers": [{"question": 2, **VELM}]}
    with model_saying("I cannot help with that.", "Sorry.", left_out) as (model, _):
        reader = StepReader(model=Within(model, 9), over=view, question=BORN, tokens=500, most=500)
        assert reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], []) is None
        read = reader.together(["Who built the Gull?", "Where was she born?"], [], [number["Ada Brook"]], [])
    assert read is not None
    first, second = read
    assert first is None
    assert second is not None
    assert second.established


def test_a_reader_without_calls_asks_nobody(view: View, number: dict[str, int]) -> None:
    with asked(says("never")) as (model, server):
        reader = StepReader(model=Within(model, 1).share(1), over=view, question=BORN, tokens=500, most=500)
        assert reader.answer(BORN, [], [number["Ada Brook"]], []) is None
        assert reader.other_steps([EarlierStep(BORN, "", established=False)]) is None
        assert reader.again(EarlierStep(BORN, ""), [], [number["Ada Brook"]], []) is None
        assert reader.combined(BORN, [EarlierStep("Who?", "Ada"), EarlierStep("Who else?", "Otto")]) is None
        assert server.requests == []


@pytest.mark.parametrize("copied", ["She was born in Velm", "born in Velm.", "SHE  WAS BORN IN VELM"])
def test_what_was_quoted_is_shown_again_as_whole_sentences(view: View, number: dict[str, int], copied: str) -> None:
    """So that it can be cited again; a clause, or a sentence without its full stop, cannot."""
    with model_saying({**VELM, "support": [{"passage": 1, "quote": copied}] * 2}) as (model, _):
        reader = StepReader(model=Within(model, 1), over=view, question=BORN, tokens=500, most=500)
        found = reader.answer("Where was Ada Brook born?", [], [number["Ada Brook"]], [])
    assert found is not None
    assert (found.quotes, len(found.spans)) == (("She was born in Velm.",), 1)


def chain_of(*facts: tuple[str, str, str], sentence: int = 0) -> EvidenceChain:
    """A chain whose facts stand in one sentence of a passage."""
    span = Span("d", sentence, sentence + 9)
    stated = [
        Triple(head=head, relation=relation, tail=tail, passage_id="p", span=span, score=1.0)
        for head, relation, tail in facts
    ]
    entities = (facts[0][0], *(tail for _, _, tail in facts))
    return EvidenceChain(
        Chain(entities=entities, facts=tuple(stated), forward=(True,) * len(facts), score=1.0), (1,) * len(facts)
    )


BROOK_BORN = ("Ada Brook", "was born in", "Velm")


@pytest.mark.parametrize(
    ("facts", "left"),
    [
        ([[BROOK_BORN], [("ada brook", "Born in", "Velm")]], [0]),
        ([[BROOK_BORN], [BROOK_BORN, ("Velm", "lies on", "Oar")]], [0, 1]),
        ([[BROOK_BORN, ("Velm", "lies on", "Oar")], [("Velm", "lies on", "Oar")], [BROOK_BORN]], [1, 2]),
        ([[("Gull", "built", "Brook")], [("Gull", "was built in", "1801 by Brook")]], [1]),
        ([[("Brook", "was an engineer of", "Velm")], [("Brook", "was", "engineer of Velm")]], [0]),
        ([[("Brook", "beat", "Reed")], [("Reed", "beat", "Brook")]], [0, 1]),
        ([[("Brook", "lived in", "Harrow")], [("Brook", "lived in", "Harrowmere")]], [0, 1]),
    ],
)
def test_a_chain_that_says_nothing_new_is_left_out(facts: list[list[tuple[str, str, str]]], left: list[int]) -> None:
    """The others keep their order, and which of them stay does not depend on it."""
    chains = [chain_of(*each) for each in facts]
    assert distinct(chains) == [chains[place] for place in left]
    assert set(map(str, distinct(chains[::-1]))) == {str(chains[place]) for place in left}


def test_a_chain_that_another_one_begins_with_is_left_out() -> None:
    """Not one that it ends with, or passes by: that has another beginning."""
    whole = chain_of(BROOK_BORN, ("Velm", "lies on", "Oar"))
    assert longest([chain_of(BROOK_BORN), whole, chain_of(("Velm", "lies on", "Oar"))]) == [
        whole,
        chain_of(("Velm", "lies on", "Oar")),
    ]


def test_a_lesser_fact_of_another_sentence_stays() -> None:
    chains = [chain_of(("Gull", "built", "Brook")), chain_of(("Gull", "built in", "1801 by Brook"), sentence=20)]
    assert distinct(chains) == chains


def test_the_question_itself_is_no_other_way(view: View) -> None:
    for steps, expected in (([BORN], None), (["Who built the Gull?", "Where was #1 born?"], True)):
        with model_saying({"steps": steps}) as (model, _):
            reader = StepReader(model=Within(model, 1), over=view, question=BORN, tokens=9, most=9)
            other = reader.other_steps([EarlierStep("Who?", "", established=False)])
        assert other == (tuple(steps) if expected else None)


# --- evidence ---------------------------------------------------------------------------------------------------------


def step(position: int, *way: int, **more: Any) -> AskedStep:
    logit = 1.0 if way else None
    return AskedStep(
        position=position, question="Who?", passages=[(one, 1.0) for one in way], way=way, logit=logit, **more
    )


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


# --- communities ------------------------------------------------------------------------------------------------------


def test_background_is_what_is_nearest_to_the_question(view: View, graph: MakeGraph, number: dict[str, int]) -> None:
    mine = graph()
    mine.pull(number.values())
    one, told = background("Who is the mayor of Velm?", mine.graph, view, 1, None)
    assert len(one) == 1
    assert "Jory Pell" in one[0]
    assert "communities" in told
    assert background("Who is the mayor of Velm?", mine.graph, view, 0, None)[0] == []
    assert background("Who?", graph().graph, view, 3, None)[0] == []
