"""Iterative retrieval: each round searches for what was written about the passages of the rounds before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.models.choice import Models, load_models
from polyhop.settings import Settings
from polyhop.strategies.baselines.hybrid import Hybrid
from polyhop.strategies.baselines.iterative import Iterative, nearest_sentence
from polyhop.strategies.baselines.rounds import merged
from polyhop.strategies.baselines.telling import telling_sentence
from polyhop.types import Budget, Evidence, Passage
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE
from tests.worlds.endpoint import EndpointServer, in_turn, says, serving
from tests.worlds.opened import opened

WORLD = {  # each passage leads to the next, and only the first resembles the question
    **HARBOUR,
    "gannet.txt": "The gannet is a sea bird that nests on cliffs and dives for fish.",
    "gulls.txt": "Where lighthouses are built, gulls are born.",
    "oar.txt": "The River Oar rises in the Lorn Hills and is known for its otters.",
}
DRAFTER = Iterative(retrieved=2)
THINKER = Iterative(mode="ircot", retrieved=2)


@pytest.fixture(scope="module")
def index(index_of: Callable[..., Polyhop]) -> Path:
    """The small world; not to be changed."""
    path: Path = index_of(WORLD).path
    return path


@pytest.fixture(scope="module")
def view(index: Path, models: Models) -> Iterator[View]:
    with opened(index, models, ["text"]) as view:
        yield view


@contextmanager
def asking(index: Path, *outputs: object) -> Iterator[tuple[View, EndpointServer]]:
    """The small world with a language model that gives these outputs in turn, as JSON."""
    script = in_turn(*(says(output if isinstance(output, str) else json.dumps(output)) for output in outputs))
    with serving(script) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYHOP_BASE_URL", server.url)
        patch.setenv("POLYHOP_MODEL", "sage")
        models = load_models(Settings.from_mapping({"language_model": {"attempts": 1, "cache": "none"}}))
        with opened(index, models, ["text"]) as view:
            yield view, server
        models.close()


def titles(evidence: Evidence) -> list[str]:
    return [passage.title for passage in evidence.passages]


def draft(reasoning: str, answer: str = "") -> dict[str, str]:
    return {"reasoning": reasoning, "answer": answer}


def thought(text: str) -> dict[str, str]:
    return {"thought": text}


def prompts(server: EndpointServer) -> list[str]:
    return [request["messages"][-1]["content"] for request in server.requests]


# --- with a language model --------------------------------------------------------------------------------------------


def test_iter_retgen_searches_for_the_question_with_the_draft(index: Path) -> None:
    said = [
        draft("The lighthouse of Quillmouth was built by Ada Brisk."),
        draft("Ada Brisk was born in a town on the Oar,", "Fennick"),
    ]
    with asking(index, *said) as (view, server):
        evidence = DRAFTER.retrieve(HARBOUR_BRIDGE, view, Budget())
    assert [hop.question for hop in evidence.hops] == [
        HARBOUR_BRIDGE,
        f"The lighthouse of Quillmouth was built by Ada Brisk. {HARBOUR_BRIDGE}",
        f"Ada Brisk was born in a town on the Oar, Fennick {HARBOUR_BRIDGE}",
    ]
    assert [hop.found for hop in evidence.hops] == [None, "Fennick", None]
    assert {"quillmouth", "ada brisk", "fennick"} <= set(titles(evidence))
    assert evidence.cost.llm_calls == len(server.requests) == 2


def test_a_draft_is_made_from_the_last_round_alone(index: Path) -> None:
    with asking(index, draft("The gannet, a sea bird, nests on cliffs and dives for fish."), draft("No more.")) as (
        view,
        server,
    ):
        evidence = Iterative(retrieved=1).retrieve(HARBOUR_BRIDGE, view, Budget())
    second = evidence.hops[1].passages
    assert second
    assert second[0].text in prompts(server)[1]
    assert evidence.hops[0].passages[0].text not in prompts(server)[1]


def test_ircot_searches_for_the_last_thought_alone_and_reads_all_passages(index: Path) -> None:
    said = [thought("Ada Brisk was an engineer."), thought("Fennick is a town on the River Oar."), thought("x y")]
    with asking(index, *said) as (view, server):
        evidence = replace(THINKER, rounds=2, retrieved=1).retrieve(HARBOUR_BRIDGE, view, Budget())
    assert [hop.question for hop in evidence.hops] == [HARBOUR_BRIDGE, said[0]["thought"], said[1]["thought"]]
    assert said[0]["thought"] in prompts(server)[1]
    assert all(passage.text in prompts(server)[1] for hop in evidence.hops[:2] for passage in hop.passages)


def test_ircot_ends_with_the_answer(index: Path) -> None:
    said = [thought("Ada Brisk was born in Fennick."), thought("So the answer is: Fennick.")]
    with asking(index, *said) as (view, _):
        evidence = THINKER.retrieve(HARBOUR_BRIDGE, view, Budget())
    assert len(evidence.hops) == 2
    assert evidence.hops[-1].found == "Fennick"
    assert evidence.hops[-1].note == "So the answer is: Fennick."
    assert evidence.trail[-1] == "end: the answer was written"


def test_ircot_reads_no_more_than_it_may_collect(index: Path) -> None:
    with asking(index, thought("The gannet is a sea bird."), thought("So the answer is: a bird")) as (view, server):
        replace(THINKER, collected=3).retrieve(HARBOUR_BRIDGE, view, Budget())
    assert [prompt.count("<<<PASSAGE ") for prompt in prompts(server)] == [2, 3]


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
@pytest.mark.parametrize("calls", [0, 1, 2, 3])
def test_the_last_call_is_the_readers(strategy: Iterative, calls: int, index: Path) -> None:
    """Repairs count as well; with no call to spare, nobody is asked, and sentences are read instead."""
    with asking(index, "no JSON", "nor this") as (view, server):
        evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(llm_calls=calls))
        assert len(server.requests) == evidence.cost.llm_calls == max(0, calls - 1)
    assert evidence.passages
    assert ("language model" in evidence.trail[0]) == (calls > 1)


@pytest.mark.parametrize(("strategy", "said"), [(DRAFTER, draft("")), (THINKER, thought(" "))])
def test_a_model_with_nothing_to_say_ends_the_search(strategy: Iterative, said: object, index: Path) -> None:
    with asking(index, said) as (view, _):
        evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget())
    assert len(evidence.hops) == 1
    assert evidence.trail[-1] == "end: nothing more was written"


@pytest.mark.parametrize(
    ("strategy", "said"), [(DRAFTER, draft("Quillmouth is a harbour.")), (THINKER, thought("Quillmouth is a harbour."))]
)
def test_a_draft_that_repeats_itself_ends_the_search(strategy: Iterative, said: object, index: Path) -> None:
    with asking(index, said) as (view, server):
        evidence = replace(strategy, retrieved=1).retrieve(HARBOUR_BRIDGE, view, Budget())
    assert len(evidence.hops) <= 2
    assert len(server.requests) <= 2


# --- without one ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
def test_sentences_that_were_read_lead_to_passages_that_the_question_does_not_find(
    strategy: Iterative, view: View
) -> None:
    """The passage about the lighthouse names the engineer; what is asked resembles others more than her passage."""
    evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=3))
    first, second = ([passage.title for passage in hop.passages] for hop in evidence.hops[:2])
    assert "ada brisk" not in first
    assert second == ["ada brisk"]
    assert titles(evidence)[:2] == ["quillmouth", "ada brisk"]
    assert "Its lighthouse was built by Ada Brisk" in evidence.hops[0].note
    assert evidence.cost.llm_calls == 0
    assert "nobody" in evidence.trail[0]


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
def test_each_hop_shows_what_is_new_in_its_round(strategy: Iterative, view: View) -> None:
    evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget())
    shown = [passage.id for hop in evidence.hops for passage in hop.passages]
    assert len(shown) == len(set(shown))
    for hop in evidence.hops:
        assert (hop.status == "resolved") == bool(hop.passages) == bool(hop.sentences)


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
def test_a_round_without_anything_new_is_the_last(strategy: Iterative, view: View) -> None:
    evidence = replace(strategy, retrieved=len(WORLD)).retrieve(HARBOUR_BRIDGE, view, Budget(passages=len(WORLD)))
    assert [hop.status for hop in evidence.hops] == ["resolved", "unresolved"]
    assert evidence.trail[-1] == "end: the last round brought nothing new"


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
def test_no_round_begins_after_the_time_is_up(strategy: Iterative, view: View) -> None:
    evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(seconds=0.0))
    assert len(evidence.hops) == 1
    assert evidence.trail[-1] == "end: the time is up"


@pytest.mark.parametrize("retriever", ["hybrid", "dense", "bm25"])
def test_without_further_rounds_it_is_its_retriever(retriever: Any, view: View, index: Path) -> None:
    evidence = Iterative(rounds=0, retriever=retriever).retrieve(HARBOUR_BRIDGE, view, Budget(passages=4))
    with Polyhop(index, settings=Settings.from_mapping({"strategies": {"hybrid": {"rerank": False}}})) as engine:
        expected = engine.search(HARBOUR_BRIDGE, k=4, strategy=retriever)
    assert evidence.passages == expected.passages


def test_with_the_cross_encoder_the_first_round_is_hybrid(view: View) -> None:
    evidence = Iterative(rounds=0, rerank=True).retrieve(HARBOUR_BRIDGE, view, Budget())
    assert evidence.passages == Hybrid().retrieve(HARBOUR_BRIDGE, view, Budget()).passages


@pytest.mark.parametrize("strategy", [DRAFTER, THINKER])
def test_fewer_passages_are_the_first_of_more(strategy: Iterative, view: View) -> None:
    more = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=4)).passages
    for k in (1, 2, 3):
        assert strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=k)).passages == more[:k]


# --- its parts --------------------------------------------------------------------------------------------------------


def test_the_telling_sentence_adds_words_to_what_is_known(models: Models) -> None:
    text = "Ada Brisk was an engineer. She was born in Fennick."
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Ada Brisk", text=text)
    first = telling_sentence("Where was Ada Brisk born?", [], [passage], models, most=5)
    assert first is not None
    assert first.text == "Ada Brisk: She was born in Fennick."
    second = telling_sentence("Where was Ada Brisk born?", [first.text], [passage], models, most=5)
    assert second is not None
    assert second.text == "Ada Brisk was an engineer."
    assert telling_sentence("Where was Ada Brisk born?", [first.text, second.text], [passage], models, most=5) is None


def test_no_sentence_tells_anything_where_there_are_no_passages(models: Models) -> None:
    assert telling_sentence("Where was Ada Brisk born?", [], [], models, most=5) is None
    assert nearest_sentence("Where was Ada Brisk born?", []) == ()


def test_rounds_become_one_ranking() -> None:
    rankings = [((1, 0.9), (2, 0.8), (3, 0.7)), ((2, 0.6), (4, 0.5), (5, 0.4))]
    order = {how: [number for number, _ in merged(rankings, how, 2)] for how in ("turns", "latest", "collected")}
    assert order == {"turns": [1, 2, 3, 4, 5], "latest": [2, 4, 1, 3, 5], "collected": [1, 2, 4, 3, 5]}


RANKINGS = st.lists(
    st.lists(st.integers(0, 12), unique=True).map(lambda numbers: tuple((number, -1.0) for number in numbers)),
    max_size=4,
)


@given(RANKINGS, st.sampled_from(["turns", "latest", "collected"]), st.integers(1, 5))
def test_a_merged_ranking_has_every_passage_once(rankings: Any, how: Any, read: int) -> None:
    numbers = [number for number, _ in merged(rankings, how, read)]
    assert sorted(numbers) == sorted({number for ranking in rankings for number, _ in ranking})


@pytest.mark.parametrize("wrong", [{"retrieved": 0}, {"rounds": -1}, {"collected": 0}, {"depth": 0}, {"sentences": 0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Iterative(**wrong)  # type: ignore[arg-type]


def test_every_ablation_changes_the_strategy() -> None:
    for changes in Iterative.ablations.values():
        assert Iterative(**changes) != Iterative()  # type: ignore[arg-type]
