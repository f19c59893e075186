"""Damage done to a fact graph on purpose: each kind by rules, around what questions need, and by a language model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polyhop.errors import UsageError
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.robustness import relation_shifts as shifts
from polyhop.evaluation.robustness.corruption import GROUPS, corrupt, needed_names
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import Overlay, Worded, overlaid
from polyhop.models.endpoint import OpenAICompatible
from polyhop.prompts.edit_fact import EDITABLE, edit_fact, fault_of
from polyhop.types import Fact
from tests.worlds.coast import COAST, GRAPH, SHELF, Row, Shelf, damaged, embed, stated
from tests.worlds.endpoint import in_turn, says, serving

# --- kinds ------------------------------------------------------------------------------------------------------------


def words(overlay: Overlay) -> dict[str, str | None]:
    """By the fact as it was, what it is now."""
    return {str(edit.before): None if edit.after is None else str(edit.after) for edit in overlay.edits}


def test_over_generalising_fits_every_fact() -> None:
    """A nomination becomes a prize; what no row of the table fits becomes a vague link."""
    found = words(damaged("over_generalised"))
    assert len(found) == len(GRAPH.heads)
    nominated = found["Ada Brisk -(was nominated for)-> Lantern Medal"]
    assert nominated in ("Ada Brisk -(won)-> Lantern Medal", "Ada Brisk -(received)-> Lantern Medal")


@pytest.mark.parametrize(
    ("relation", "claimed"),
    [
        ("was nominated for", "won"),
        ("planned to build", "carried out build"),
        ("was reportedly a friend of", "was certainly a friend of"),
        ("is the capital of", "is a town in"),
        ("hums", "is associated with"),
    ],
)
def test_relations_are_over_generalised(relation: str, claimed: str) -> None:
    assert claimed in shifts.over_generalised(relation)


def test_a_vague_relation_cannot_be_made_vaguer() -> None:
    assert shifts.over_generalised("is associated with") == []


def test_a_wrong_end_is_of_the_right_kind_and_from_nearby() -> None:
    """A place stands for a place, a person for a person; and what the graph states already is not wrong."""
    labels = {row[i]: row[i + 3 - i // 2] for rows in COAST.values() for row in rows for i in (0, 2)}
    edits = damaged("mis_bound").edits
    assert edits
    for edit in edits:
        assert edit.after is not None
        assert edit.after._replace(tail=edit.before.tail, tail_label=edit.before.tail_label) == edit.before
        assert (labels[edit.after.tail] == "PERSON") == (edit.before.tail_label == "PERSON")
        head = GRAPH.find(edit.before.head)
        assert head is not None
        linked = {end for fact in GRAPH.touching([head]).tolist() for end in Worded.of(GRAPH.fact(fact))[:3:2]}
        assert edit.after.tail not in linked


def test_meaning_is_flipped() -> None:
    """A negation is lost first, then an opposite is looked for, and last the ends change places."""
    found = words(damaged("semantic_flip"))
    gale = "Quillmouth Light -(was not damaged by)-> Great Gale"
    assert found[gale] == "Quillmouth Light -(was damaged by)-> Great Gale"
    assert found["Orrel -(lies north of)-> Fennick"] == "Orrel -(lies south of)-> Fennick"
    assert found["Piet Rook -(was mayor of)-> Fennick"] == "Fennick -(was mayor of)-> Piet Rook"
    assert "Quillmouth Light -(was built in)-> 12 May 1841" not in {
        key for key, value in found.items() if value and value.startswith("12 May")
    }


@pytest.mark.parametrize(
    ("relation", "flipped"),
    [
        ("was not elected to", "was elected to"),
        ("didn't join", "did join"),
        ("failed to reach", "managed to reach"),
        ("never left", "left"),
        ("ruled", None),
        ("notes", None),
    ],
)
def test_negations_are_lost(relation: str, flipped: str | None) -> None:
    assert shifts.affirmed(relation) == flipped


def test_opposites_go_both_ways_and_only_for_whole_words() -> None:
    assert shifts.opposite("was the father of") == "was the son of"
    assert shifts.opposite("was the son of") == "was the father of"
    assert shifts.opposite("wondered at") is None
    assert shifts.symmetric("is married to")
    assert not shifts.symmetric("directed by")


def test_bridges_are_facts_that_lead_on() -> None:
    """What is stated of nothing else, such as a date, is no bridge."""
    overlay = damaged("missing_bridge")
    assert overlay.edits
    assert all(edit.after is None for edit in overlay.edits)
    found = words(overlay)
    assert "Ada Brisk -(born in)-> Fennick" in found
    assert "Tarn School of Engineers -(was founded in)-> 1790" not in found


def test_a_fact_between_needed_names_is_a_bridge_though_nothing_leads_on() -> None:
    needed = ["Quillmouth Light", "Great Gale"]
    found = words(damaged("missing_bridge", around=needed))
    assert "Quillmouth Light -(was not damaged by)-> Great Gale" in found


def test_qualifiers_are_dropped() -> None:
    """From a name, from a relation, from a date; a fact that only says when is gone."""
    found = words(damaged("dropped_qualifier"))
    assert found["Ada Brisk -(studied at)-> Tarn School of Engineers"] == "Ada Brisk -(studied at)-> Tarn School"
    assert found["Ada Brisk -(was a builder of bridges in)-> Orrel"] == "Ada Brisk -(was a builder in)-> Orrel"
    assert found["Quillmouth Light -(was built in)-> 12 May 1841"] == "Quillmouth Light -(was built in)-> 12 May"


def test_a_fact_that_only_says_when_is_dropped_where_the_sentence_says_more() -> None:
    rows: list[Row] = [
        ("Oar Mill", "was sold to", "Piet Rook", "", "PERSON"),
        ("Oar Mill", "was sold in", "1802", "", "DATE"),
    ]
    [(number, passage, (sold, when))] = stated({"Oar Mill": rows})
    one = [
        sold,
        Fact(head=when.head, relation=when.relation, tail=when.tail, tail_label="DATE", start=sold.start, end=sold.end),
    ]
    graph = FactGraph.of([(number, passage, one)], embed)
    [edit] = corrupt(graph, Shelf({"Oar Mill": rows}), kind="dropped_qualifier", ratio=1.0).edits
    assert (edit.before.tail, edit.after) == ("1802", None)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_mixes_its_kinds(group: str) -> None:
    """Evenly, as long as there are facts that each of them fits."""
    counts = damaged(group, ratio=0.4).kinds
    assert set(counts) == set(GROUPS[group])
    assert max(counts.values()) - min(counts.values()) <= 1


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="no kind of damage 'spurios'") as refused:
        damaged("spurios")
    assert "spurious" in refused.value.remedy
    for ratio in (0.0, -0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match="ratio"):
            damaged("mis_bound", ratio=ratio)


def test_a_graph_without_facts_is_not_damaged() -> None:
    graph = FactGraph.of([], embed)
    overlay = corrupt(graph, SHELF, kind="spurious", ratio=1.0)
    assert overlay.edits == ()
    assert len(overlaid(graph, overlay, embed)) == 0


# --- what questions need ----------------------------------------------------------------------------------------------


def test_needed_names_are_those_of_decompositions_and_supporting_titles() -> None:
    """Triples give both ends, steps their answers and what they ask about; references to other steps name nothing."""
    steps: list[Any] = [
        {"question": "Quillmouth Light >> built by", "answer": "Ada Brisk"},
        {"question": "#1 >> birthplace", "answer": "Fennick"},
    ]
    triples = [["Orrel", "capital of", "Oarland"], "nonsense"]
    questions = [
        Question(id="1", text="?", answer="Fennick", supporting=("p2", "p9"), extra={"decomposition": steps}),
        Question(id="2", text="?", answer="Oarland", extra={"decomposition": triples}),
    ]
    found = needed_names(questions, SHELF, {"p2": 2})
    assert set(found) == {"Quillmouth Light", "Ada Brisk", "Fennick", "Orrel", "Oarland"}


# --- damage worded by a language model --------------------------------------------------------------------------------

SPURIOUS, INCOMPLETE = GROUPS["spurious"], GROUPS["incomplete"]
NOMINATED = Fact(head="Ada Brisk", relation="was nominated for", tail="Lantern Medal", start=0, end=40)
USELESS: list[Any] = [
    {"head": "Ada Brisk", "relation": "was nominated for", "tail": "Lantern Medal"},
    {"head": "Ada Brisk", "relation": "", "tail": "Lantern Medal"},
    {"head": "Somebody", "relation": "won", "tail": "Lantern Medal"},
    {"head": "Ada Brisk", "relation": " ".join(["very"] * 20), "tail": "Lantern Medal"},
    "I would rather not.",
]


def edited(*answers: Any, kind: str = "over_generalised") -> tuple[str, str, str] | None:
    """What comes of a model's answers; what is no text is sent as JSON."""
    texts = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
    with serving(in_turn(*map(says, texts))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        return edit_fact(model, kind, NOMINATED, "Ada Brisk was nominated for the Lantern Medal.", ["Fennick"])


def test_a_model_words_the_damage() -> None:
    won = {"head": "Ada  Brisk", "relation": "won", "tail": "Lantern Medal"}
    assert edited(won) == ("Ada Brisk", "won", "Lantern Medal")


@pytest.mark.parametrize("answer", USELESS)
def test_a_useless_answer_is_none(answer: Any) -> None:
    assert edited(answer, answer) is None


@pytest.mark.parametrize(
    ("kind", "words", "fits"),
    [
        ("mis_bound", ("Ada Brisk", "was nominated for", "Fennick"), True),
        ("mis_bound", ("Ada Brisk", "won", "Fennick"), False),
        ("semantic_flip", ("Lantern Medal", "was nominated for", "Ada Brisk"), True),
        ("semantic_flip", ("Ada Brisk", "was refused", "Lantern Medal"), True),
        ("semantic_flip", ("Ada Brisk", "was refused", "Fennick"), False),
        ("dropped_qualifier", ("Ada Brisk", "was nominated for", "Medal"), True),
        ("dropped_qualifier", ("Ada Brisk", "was nominated for", "Silver Medal"), False),
    ],
)
def test_an_edit_has_to_be_of_its_kind(kind: str, words: tuple[str, str, str], fits: bool) -> None:
    assert (fault_of(kind, NOMINATED, words) is None) == fits


def test_every_kind_but_removal_can_be_worded() -> None:
    assert set(EDITABLE) == {*SPURIOUS, *INCOMPLETE} - {"missing_bridge"}


def test_where_the_model_fails_the_rule_stands() -> None:
    """One fact is worded by the model, the other by the rule; which facts they are does not depend on the editor."""
    ruled = damaged("over_generalised", ratio=0.12, seed=1)
    assert len(ruled.edits) == 2
    first = ruled.edits[0].before
    good = {"head": first.head, "relation": "is somehow near", "tail": first.tail}
    texts = [json.dumps(good), "no", "no"]
    with serving(in_turn(*map(says, texts))) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        worded = damaged("over_generalised", ratio=0.12, seed=1, editor=model)
    assert [edit.before for edit in worded.edits] == [edit.before for edit in ruled.edits]
    assert worded.edits[0].after == first._replace(relation="is somehow near")
    assert worded.edits[0].editor == model.name
    assert worded.edits[1] == ruled.edits[1]
