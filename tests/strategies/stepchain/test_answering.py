"""StepChain as a whole, without a language model: chains that stand in documents, and a graph that grows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.types import Evidence
from tests.worlds.documents import write
from tests.worlds.settings import QUICK
from tests.worlds.stepchain import (
    BORN,
    MOTHER,
    PIKE,
    Open,
    ask,
    assert_exact,
    chains,
    extracted,
    facts,
    search,
    titles,
    told,
)


def test_a_question_of_two_hops_is_answered_along_a_chain(grown: Polyhop) -> None:
    """What the first sub-question finds is written into the second, and every arrow has its sentence."""
    answer = ask(grown)
    first, second = answer.evidence.hops
    assert (first.question, first.found, first.status) == ("Who is the builder of the Gull?", "Ada Brook", "resolved")
    assert second.question == "Where was Ada Brook born?"
    assert str(first.chains[0]) == "Gull -(was built by)-> Ada Brook"
    assert str(second.chains[0]) == "Ada Brook -(born in)-> Velm"
    assert titles(answer.evidence)[:2] == ["Gull", "Ada Brook"]
    assert answer.text == "Velm"
    assert answer.evidence.strategy == "stepchain"
    assert answer.evidence.cost.llm_calls == 0
    assert_exact(answer.evidence, grown)


@pytest.mark.parametrize("question", [MOTHER, "Which ferry was built first, the Gull or the Pike?"])
def test_chains_of_all_questions_stand_in_the_documents(grown: Polyhop, question: str) -> None:
    evidence = search(grown, question)
    assert chains(evidence.hops)
    assert_exact(evidence, grown)


def essence(evidence: Evidence) -> Evidence:
    """Evidence without how long it took and how much of it was there before."""
    trail = [re.sub(r"\d+ passages extracted now", "", line) for line in evidence.trail]
    return replace(evidence, trail=tuple(trail), cost=replace(evidence.cost, seconds=0.0))


def test_what_one_question_extracted_serves_all_others(opened: Open) -> None:
    """The first pays, the same again pays nothing and finds the same, and one about the same things pays less."""
    engine = opened()
    first = search(engine)
    assert extracted(first) == facts(engine).done > 0
    assert facts(engine).whole is False
    again = search(engine)
    assert extracted(again) == 0
    assert again.passages == first.passages
    assert [(hop.question, hop.found, hop.status, hop.passages) for hop in again.hops] == [
        (hop.question, hop.found, hop.status, hop.passages) for hop in first.hops
    ]
    related = search(engine, MOTHER)
    assert extracted(related) < extracted(first)
    assert facts(engine).done == extracted(first) + extracted(related)


def test_a_graph_of_its_own_does_not_depend_on_other_questions(opened: Open) -> None:
    """All of the evidence is the same, though nothing had to be extracted the second time."""
    fresh, used = opened(), opened()
    for question in (PIKE, MOTHER):
        search(used, question)
    expected, evidence = (search(engine, BORN, scope="question") for engine in (fresh, used))
    assert extracted(expected) > extracted(evidence)
    assert essence(evidence) == essence(expected)


def test_a_shared_graph_has_what_other_questions_pulled_in(opened: Open) -> None:
    """Nobody else asks about the mother; her birthplace is a step further than this question retrieves."""
    fresh, used = opened(), opened()
    search(used, "Where was Wilma Fenn born?")
    one, other = (search(engine, PIKE, retrieved=1) for engine in (fresh, used))
    mine = search(used, PIKE, retrieved=1, scope="question")

    def size(evidence: Evidence) -> int:
        found = re.search(r"graph: \d+ entities, (\d+) facts", told(evidence))
        assert found is not None
        return int(found[1])

    assert size(other) > size(one) == size(mine)


def test_facts_of_another_question_join_its_chains(opened: Open) -> None:
    engine = opened()
    search(engine, "Where was Ada Brook born?", retrieved=1)
    shared, own = (search(engine, "Who built the Gull?", retrieved=1, scope=scope) for scope in ("shared", "question"))
    assert "Gull -(was built by)-> Ada Brook -(born in)-> Velm" in chains(shared.hops)
    assert "Velm" not in " ".join(chains(own.hops))
    assert_exact(shared, engine)


def test_the_last_answer_is_left_to_the_reader(grown: Polyhop) -> None:
    """So that nothing is said about whether it is established: nobody looked."""
    evidence = search(grown)
    assert evidence.hops[-1].found is None
    assert evidence.synthesis.startswith("Established: Who is the builder of the Gull? Ada Brook (Gull -(was built by)")
    assert "Ada Brook born" not in evidence.synthesis


@pytest.mark.parametrize(
    "question",
    [
        "why",
        "Wo wurde die Tochter geboren?",
        "東京タワーはどこですか",
        f"Who built the Gull {'of the old harbour ' * 60}?",
    ],
    ids=["one word", "German", "Japanese", "very long"],
)
def test_any_question_is_answered_or_not_found(grown: Polyhop, question: str) -> None:
    evidence = search(grown, question)
    assert evidence.passages
    assert evidence.hops
    assert_exact(evidence, grown)


@pytest.mark.parametrize("documents", [{}, {"one.txt": "The Gull was built by Ada Brook."}], ids=["none", "one"])
def test_small_indexes_are_enough(documents: Mapping[str, str], tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        engine.index(write(tmp_path / "documents", documents), layers=["text"])
        answer = ask(engine, "Who built the Gull?", communities=3)
    assert len(answer.evidence.passages) == len(documents)
    assert (answer.text is None) == (not documents)
