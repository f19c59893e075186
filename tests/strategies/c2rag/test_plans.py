"""Plans that were recorded are replayed, and mended before they are resolved."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.layers.view import View
from polyhop.planning.mending import mended
from polyhop.plans import Constant, Constraint, Placeholder, Plan, plan_of_constraints
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget
from tests.worlds.c2rag import DEEP, Retrieve, constraint, replaying, titles
from tests.worlds.ferries import CHAIN, CHAINED, recorded


def test_replayed_plans_are_mended(retrieve: Retrieve) -> None:
    """A name in a broken encoding is that of the question, and a kinship word becomes a constraint for each step."""
    question = "Which town is known for Löwen Glass?"
    broken = "Löwen Glass".encode().decode("gbk")
    evidence = retrieve(("?town", "known for", broken), question=question)
    assert "Löwen Glass" in evidence.hops[0].question
    assert broken not in "\n".join(evidence.trail)
    assert titles(evidence.hops[0])[0] == "Velm"
    first, second = retrieve(("Ada Brook", "maternal grandmother", "?woman")).hops
    assert (first.found, second.placeholder) == ("Wilma Fenn", "?woman")
    assert second.question == "Who is the mother of Wilma Fenn?"


def test_a_question_without_a_recorded_plan_is_planned(over: View, tmp_path: Path) -> None:
    planned = replaying(recorded(tmp_path / "plans", "Another question?", *CHAINED), over)
    evidence = DEEP.retrieve("Who built the Gull?", planned, Budget())
    assert evidence.trail[0] == "plan by trained"
    assert evidence.hops[0].found == "Ada Brook"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1: not JSON"),
        (b'{"question": "\xff"}', "line 1: not UTF-8, in byte 15"),
        (b"[]", "line 1"),
        (None, "cannot be"),
    ],
)
def test_broken_files_of_plans_are_reported(over: View, tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "plans").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        C2RAG().retrieve(CHAIN, replaying(tmp_path / "plans", over), Budget())


def plan_of(*constraints: Constraint) -> Plan:
    return plan_of_constraints(constraints, "recorded")


@pytest.mark.parametrize(
    ("name", "encoding"), [("Löwen Tide", "gbk"), ("Löwen Tide", "latin-1"), ("Žofia", "cp1252"), ("Márta", "latin-1")]
)
def test_a_name_in_a_broken_encoding_is_spelled_as_the_question_spells_it(name: str, encoding: str) -> None:
    """Also in the words of the constraint, by which texts are judged."""
    broken = name.encode("utf-8").decode(encoding)
    assert broken != name
    question = f"Who is the mother of {name}?"
    found = mended(plan_of(constraint(broken, "mother", "?m", question=f"Who is the mother of {broken}?")), question)
    assert found.constraints == (constraint(name, "mother", "?m", question=question),)
    assert found.source == "recorded"


def test_names_that_the_question_has_or_that_cannot_be_mended_stay() -> None:
    question = "Who is the mother of Ada Brook?"
    for name in ("Ada Brook", "ada brook", "Wilma", "Löwe", "雨"):
        plan = plan_of(constraint(name, "mother", "?m"))
        assert mended(plan, question) == plan


def test_a_kinship_word_becomes_a_constraint_for_each_step() -> None:
    found = mended(plan_of(constraint("Ada Brook", "Maternal grandfather", "?man", question="Who?")), "?")
    first, second = found.constraints
    assert (first.head, first.relation) == (Constant("Ada Brook"), "mother")
    assert first.tail == second.head
    assert isinstance(first.tail, Placeholder)
    assert first.tail.type == "mother"
    assert (second.relation, second.tail) == ("father", Placeholder("?man", "man"))
    assert first.variants[0] == "mother"
    assert len(first.variants) > 1
    three = mended(plan_of(constraint("Ada Brook", "has great-grandmother", "?w")), "?")
    assert [one.relation for one in three.constraints] == ["parent", "parent", "mother"]


def test_two_kinship_words_about_one_placeholder_do_not_mix_their_steps() -> None:
    found = mended(plan_of(constraint("A", "uncle", "?x"), constraint("B", "grandmother", "?y")), "?")
    assert len({one.tail for one in found.constraints}) == 4


def test_a_kinship_word_between_known_ends_is_left_to_be_verified() -> None:
    plan = plan_of(constraint("Ada Brook", "uncle", "Otto Reed"))
    assert mended(plan, "?") == plan


@given(st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["uncle", "mother", "aunt"])), max_size=3), st.text())
def test_mending_what_is_mended_changes_nothing(rows: list[tuple[str, str]], question: str) -> None:
    """Law, whatever letters a name has."""
    plan = plan_of(*(Constraint(Constant(name), word, (word,), Placeholder("?p")) for name, word in rows))
    once = mended(plan, question)
    assert mended(once, question) == once
