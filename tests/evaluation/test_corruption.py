"""Damage done to a fact graph on purpose: what it changes, how much of it, and that nothing else is touched."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from polyhop.cli.main import polyhop
from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt, IndexMissing, OverlayStale, PolyhopError, UsageError
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.robustness import relation_shifts as shifts
from polyhop.evaluation.robustness.corruption import GROUPS, KINDS, corrupt, needed_names
from polyhop.layers.facts import overlay as overlays
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import Edit, Overlay, Worded, overlaid
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Floats
from polyhop.prompts.edit_fact import EDITABLE, edit_fact, fault_of
from polyhop.types import Fact, Passage
from tests.worlds.documents import HARBOUR, write
from tests.worlds.endpoint import in_turn, says, serving

Row = tuple[str, str, str, str, str]  # head, relation, tail, label of the head, label of the tail

# An invented coast: by passage title, what the passage states.
COAST: dict[str, list[Row]] = {
    "Quillmouth": [
        ("Quillmouth", "is a harbour on", "Sable Coast", "GPE", "LOC"),
        ("Quillmouth Light", "was built by", "Ada Brisk", "FAC", "PERSON"),
        ("Quillmouth Light", "was built in", "12 May 1841", "FAC", "DATE"),
        ("Quillmouth Light", "was not damaged by", "Great Gale", "FAC", "EVENT"),
    ],
    "Ada Brisk": [
        ("Ada Brisk", "born in", "Fennick", "PERSON", "GPE"),
        ("Ada Brisk", "studied at", "Tarn School of Engineers", "PERSON", "ORG"),
        ("Ada Brisk", "was nominated for", "Lantern Medal", "PERSON", "WORK_OF_ART"),
        ("Ada Brisk", "was a pupil of", "Piet Rook", "PERSON", "PERSON"),
        ("Ada Brisk", "was a builder of bridges in", "Orrel", "PERSON", "GPE"),
    ],
    "Fennick": [
        ("Fennick", "is a town on", "River Oar", "GPE", "LOC"),
        ("Fennick", "is the oldest town of", "Oarland", "GPE", "GPE"),
        ("Piet Rook", "was mayor of", "Fennick", "PERSON", "GPE"),
    ],
    "Tarn School of Engineers": [
        ("Tarn School of Engineers", "was founded by", "Piet Rook", "ORG", "PERSON"),
        ("Tarn School of Engineers", "was founded in", "1790", "ORG", "DATE"),
        ("Tarn School of Engineers", "stands in", "Orrel", "ORG", "GPE"),
    ],
    "Orrel": [
        ("Orrel", "is the capital of", "Oarland", "GPE", "GPE"),
        ("Orrel", "lies north of", "Fennick", "GPE", "GPE"),
    ],
}
SPURIOUS, INCOMPLETE = GROUPS["spurious"], GROUPS["incomplete"]


def embed(texts: Sequence[str]) -> Floats:
    """A unit vector that is a text's own."""
    made = [np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])) for text in texts]
    vectors = np.array([generator.normal(size=8) for generator in made], np.float32).reshape(-1, 8)
    lengths: Floats = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors / lengths


def stated(world: dict[str, list[Row]]) -> list[tuple[int, Passage, list[Fact]]]:
    """The passages of a world, each with a sentence for each of its facts."""
    found = []
    for number, (title, rows) in enumerate(world.items(), start=1):
        sentences = [f"{head} {relation} {tail}." for head, relation, tail, _, _ in rows]
        text, facts, at = " ".join(sentences), [], 0
        for (head, relation, tail, head_label, tail_label), sentence in zip(rows, sentences, strict=True):
            words = Worded(head, relation, tail, head_label, tail_label)._asdict()
            facts.append(Fact(**words, start=at, end=at + len(sentence)))
            at += len(sentence) + 1
        passage = Passage(
            id=f"p{number}", document_id=f"d{number}", ordinal=0, start=0, end=len(text), title=title, text=text
        )
        found.append((number, passage, facts))
    return found


class Shelf:
    """The passages of a world by number."""

    def __init__(self, world: dict[str, list[Row]]) -> None:
        self._passages = {number: passage for number, passage, _ in stated(world)}

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """In the order given."""
        return [self._passages[number] for number in numbers]


def graph_of(world: dict[str, list[Row]]) -> FactGraph:
    return FactGraph.of(stated(world), embed)


GRAPH, SHELF = graph_of(COAST), Shelf(COAST)


def said(graph: FactGraph) -> list[tuple[int, Worded]]:
    """All facts in order, each with the number of its passage."""
    return [(graph.place(fact)[0], Worded.of(graph.fact(fact))) for fact in range(len(graph.heads))]


def damaged(kind: str, **more: Any) -> Overlay:
    return corrupt(GRAPH, SHELF, kind=kind, **{"ratio": 1.0, **more})


def fingerprint(graph: FactGraph) -> str:
    """Identifies every array and text of a graph."""
    parts = [graph.heads, graph.tails, graph.relation_ids, graph.rows, graph.spans, graph.alive, graph.confidences]
    parts += [graph.spelled, graph.labelled, graph.relation_vectors, graph.names.values, graph.around.rights]
    parts += [graph.aliases.blob, graph.relations.blob, graph.keys.blob, graph.labels.blob, graph.kinds.blob]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


# --- laws -------------------------------------------------------------------------------------------------------------

kinds = st.sampled_from(KINDS)
ratios = st.sampled_from([0.05, 0.1, 0.2, 0.5, 1.0])
seeds = st.integers(0, 50)
names = st.sampled_from(sorted({name for rows in COAST.values() for row in rows for name in (row[0], row[2])}))


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Some passages about names of the coast, with relations of many kinds."""
    named = {(row[0], row[3]) for rows in COAST.values() for row in rows}
    named |= {(row[2], row[4]) for rows in COAST.values() for row in rows}
    ends = st.sampled_from(sorted(named))
    relations = st.sampled_from(["was not ruled by", "father of", "won", "is near", "sold in 1801 to", "was among"])

    def row(head: tuple[str, str], relation: str, tail: tuple[str, str]) -> Row:
        return head[0], relation, tail[0], head[1], tail[1]

    rows = st.builds(row, ends, relations, ends).filter(lambda each: each[0] != each[2])
    titles = draw(st.lists(st.sampled_from(sorted(COAST)), min_size=1, unique=True))
    return {title: draw(st.lists(rows, min_size=1, max_size=5, unique=True)) for title in titles}


@given(worlds(), kinds, ratios, seeds)
def test_an_overlay_changes_its_facts_and_nothing_else(
    world: dict[str, list[Row]], kind: str, ratio: float, seed: int
) -> None:
    """The facts are those of the graph with the edits made, and the graph itself is as it was."""
    graph = graph_of(world)
    before, marked = said(graph), fingerprint(graph)
    overlay = corrupt(graph, Shelf(world), kind=kind, ratio=ratio, seed=seed)
    changed = overlaid(graph, overlay, embed)
    assert (said(graph), fingerprint(graph)) == (before, marked)
    after = {(edit.passage, edit.ordinal): edit.after for edit in overlay.edits}
    places = [overlays.place_of(graph, fact) for fact in range(len(before))]
    expected = [(place[0], after.get(place, words)) for place, (_, words) in zip(places, before, strict=True)]
    assert said(changed) == [each for each in expected if each[1] is not None]
    same = [(fact, old) for fact, old in enumerate(changed.origin.tolist()) if old >= 0]
    assert [said(changed)[fact] for fact, _ in same] == [before[old] for _, old in same]
    assert len(same) == len(before) - len(overlay.edits)


@given(worlds(), kinds, seeds)
def test_an_overlaid_graph_is_the_graph_of_the_edited_facts(world: dict[str, list[Row]], kind: str, seed: int) -> None:
    """Entities, relations and their vectors are those of a graph that was built from the edited facts."""
    graph = graph_of(world)
    changed = overlaid(graph, corrupt(graph, Shelf(world), kind=kind, ratio=0.5, seed=seed), embed)
    facts: dict[int, list[Fact]] = {number: [] for number, _, _ in stated(world)}
    for fact in range(len(changed.heads)):
        facts[changed.place(fact)[0]].append(changed.fact(fact))
    rebuilt = FactGraph.of([(number, passage, facts[number]) for number, passage, _ in stated(world)], embed)
    assert said(rebuilt) == said(changed)
    assert [changed.keys[i] for i in range(len(changed))] == [rebuilt.keys[i] for i in range(len(rebuilt))]
    assert changed.heads.tolist() == rebuilt.heads.tolist()
    assert changed.tails.tolist() == rebuilt.tails.tolist()
    assert changed.relation_ids.tolist() == rebuilt.relation_ids.tolist()
    np.testing.assert_array_equal(changed.relation_vectors, rebuilt.relation_vectors)
    for entity in range(len(changed)):
        name = changed.entity(entity).name
        assert changed.find(name) == rebuilt.find(name) == entity
        assert changed.touching([entity]).tolist() == rebuilt.touching([entity]).tolist()


@given(worlds(), kinds, ratios, seeds)
def test_every_edit_says_something_else(world: dict[str, list[Row]], kind: str, ratio: float, seed: int) -> None:
    """No edit repeats what its passage states; no more facts than asked for are edited, each of them once."""
    graph = graph_of(world)
    overlay = corrupt(graph, Shelf(world), kind=kind, ratio=ratio, seed=seed)
    stated_there = set(said(graph))
    assert len(overlay.edits) <= overlay.wanted == round(ratio * len(graph.heads))
    assert len({(edit.passage, edit.ordinal) for edit in overlay.edits}) == len(overlay.edits)
    for edit in overlay.edits:
        assert (edit.passage, edit.before) in stated_there
        assert edit.after is None or (edit.passage, edit.after) not in stated_there
        assert edit.kind in GROUPS.get(kind, (kind,))


@given(kinds, ratios, ratios, seeds)
def test_a_higher_ratio_damages_the_same_facts_and_more(kind: str, one: float, other: float, seed: int) -> None:
    """So that a curve over ratios is of one graph that gets worse and worse; and the same seed does it again."""
    lower, higher = (damaged(kind, ratio=ratio, seed=seed).edits for ratio in sorted((one, other)))
    assert higher[: len(lower)] == lower
    assert damaged(kind, ratio=one, seed=seed) == damaged(kind, ratio=one, seed=seed)


@given(kinds, ratios, seeds, st.lists(names, min_size=1, max_size=3))
def test_damage_around_names_stays_around_them(kind: str, ratio: float, seed: int, around: list[str]) -> None:
    """The share is of the facts that touch the names, and only these are edited."""
    overlay = damaged(kind, ratio=ratio, seed=seed, around=around)
    touching = [words for _, words in said(GRAPH) if {words.head, words.tail} & set(around)]
    assert overlay.pool == len(touching)
    assert all(edit.before in touching for edit in overlay.edits)


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


# --- kept overlays ----------------------------------------------------------------------------------------------------


def test_an_overlay_is_kept_and_read_again(tmp_path: Path) -> None:
    overlay = damaged("spurious", ratio=0.5, seed=3, around=["Fennick", "Orrel"])
    path = overlays.save(overlay, tmp_path, "bad-20")
    assert overlays.read(tmp_path, "bad-20") == overlay
    assert overlays.names(tmp_path) == ("bad-20",)
    assert [entry.name for entry in path.parent.iterdir()] == ["bad-20.json"]
    overlays.remove(tmp_path, "bad-20")
    assert overlays.names(tmp_path) == ()


def test_an_unknown_or_impossible_name_is_refused(tmp_path: Path) -> None:
    overlays.save(damaged("mis_bound"), tmp_path, "bad")
    for use in (overlays.read, overlays.remove):
        with pytest.raises(UsageError, match="no overlay 'bat'") as refused:
            use(tmp_path, "bat")
        assert "bad" in refused.value.remedy
        with pytest.raises(UsageError, match="cannot be the name"):
            use(tmp_path, "../bad")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 9}', '{"format": 1, "edits": [{}]}', "\0"])
def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path, content: str) -> None:
    path = overlays.save(damaged("mis_bound"), tmp_path, "bad")
    path.write_text(content, encoding="utf-8")
    with pytest.raises(IndexCorrupt, match="is no overlay"):
        overlays.read(tmp_path, "bad")


def test_an_overlay_fits_one_generation_only(tmp_path: Path) -> None:
    """Facts are numbered, so that an overlay over others would damage the wrong ones."""
    GRAPH.save(tmp_path / "one")
    live = np.arange(1, 9)
    graph = FactGraph.open(tmp_path / "one", live)
    overlay = corrupt(graph, SHELF, kind="spurious", ratio=0.5)
    assert overlay.generation == "one"
    assert len(overlaid(graph, overlay, embed).heads) == len(graph.heads)
    GRAPH.save(tmp_path / "two")
    with pytest.raises(OverlayStale, match="another state of the index") as stale:
        overlaid(FactGraph.open(tmp_path / "two", live), overlay, embed)
    assert isinstance(stale.value, PolyhopError)
    assert "polyhop corrupt" in stale.value.remedy


@pytest.mark.parametrize(("passage", "ordinal"), [(1, 99), (99, 0), (2, 1)])
def test_an_edit_of_a_fact_that_is_not_there_is_refused(passage: int, ordinal: int) -> None:
    fact = Worded("Quillmouth", "is a harbour on", "Sable Coast", "GPE", "LOC")
    edit = Edit(passage=passage, ordinal=ordinal, kind="mis_bound", before=fact, after=None)
    overlay = Overlay(kind="mis_bound", ratio=0.1, seed=0, generation="", pool=9, edits=(edit,))
    with pytest.raises(OverlayStale, match="not where it was"):
        overlaid(GRAPH, overlay, embed)


def test_an_overlaid_graph_can_be_saved_and_opened(tmp_path: Path) -> None:
    """It is a whole graph: every part fits the others."""
    changed = overlaid(GRAPH, damaged("incomplete"), embed)
    changed.save(tmp_path / "changed")
    assert said(FactGraph.open(tmp_path / "changed", np.arange(9))) == said(changed)


def test_passages_that_were_deleted_stay_deleted(tmp_path: Path) -> None:
    GRAPH.save(tmp_path / "one")
    graph = FactGraph.open(tmp_path / "one", np.array([1, 3, 4, 5]))  # Ada Brisk's is gone
    overlay = corrupt(graph, SHELF, kind="over_generalised", ratio=1.0)
    assert {edit.passage for edit in overlay.edits} == {1, 3, 4, 5}
    assert overlaid(graph, overlay, embed).facts_of(2).tolist() == []


# --- damage worded by a language model --------------------------------------------------------------------------------

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


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with facts; not to be changed."""
    folder = tmp_path_factory.mktemp("facts")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "harbour", HARBOUR), layers=("text", "parsekg", "facts"))
    return folder / "polyhop.index"


@pytest.fixture
def facts_index(made_index: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be changed at will."""
    return Path(shutil.copytree(made_index, tmp_path / "polyhop.index"))


def run(*arguments: str | Path) -> Iterable[str]:
    result = CliRunner().invoke(polyhop, ["corrupt", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.splitlines()


def test_the_command_makes_lists_and_removes_overlays(facts_index: Path) -> None:
    """It says how much it damaged and how to use it; the index's own facts stay as they are."""
    made = list(run("--kind", "spurious", "--ratio", "0.5", "--index", facts_index))
    assert made[0].startswith("spurious-50: ")
    assert made[-1] == "Use it with any command: --set layers.facts.overlay=spurious-50"
    assert sum(line.startswith("  - ") for line in made) == 5
    assert len(list(run("--kind", "spurious", "--seed", "7", "--name", "other", "--index", facts_index))) > 1
    assert [line.partition(":")[0] for line in run("--list", "--index", facts_index)] == ["other", "spurious-50"]
    assert list(run("--remove", "other", "--index", facts_index)) == ["Removed other."]
    assert overlays.names(facts_index) == ("spurious-50",)


def test_the_command_tells_an_index_without_overlays_from_none(facts_index: Path, tmp_path: Path) -> None:
    assert list(run("--list", "--index", facts_index)) == ["There are no overlays."]
    for option in (["--list"], ["--remove", "noisy"]):
        with pytest.raises(IndexMissing):
            run(*option, "--index", tmp_path / "none.index")


def test_the_command_damages_around_what_questions_need(facts_index: Path, tmp_path: Path) -> None:
    question = {"id": "1", "question": "Where was the builder born?", "answer": "Fennick"}
    question |= {"decomposition": [["Quillmouth", "built by", "Ada Brisk"]]}  # type: ignore[dict-item]
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "title": "", "text": "."}\n')
    (tmp_path / "questions_dev.jsonl").write_text(json.dumps(question) + "\n")
    shown = run(
        "--kind",
        "over_generalised",
        "--ratio",
        "1",
        "--index",
        facts_index,
        "--questions",
        tmp_path / "questions_dev.jsonl",
    )
    assert "around 2 names" in next(iter(shown))
    overlay = overlays.read(facts_index, "over_generalised-100")
    assert overlay.edits
    touched = [{edit.before.head.lower(), edit.before.tail.lower()} for edit in overlay.edits]
    assert all(ends & {"quillmouth", "ada brisk"} for ends in touched)


def test_the_command_refuses_what_it_cannot_do(facts_index: Path) -> None:
    for arguments, reason in (
        ((), "No kind"),
        (("--kind", "spurios"), "no kind of damage"),
        (("--kind", "spurious", "--editor", "model"), "none is configured"),
    ):
        with pytest.raises(UsageError, match=reason):
            run(*arguments, "--index", facts_index)
