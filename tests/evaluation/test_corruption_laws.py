"""Laws of damage done to a fact graph: nothing else is touched, and a higher ratio damages the same facts and more."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhop.evaluation.robustness.corruption import GROUPS, KINDS, corrupt
from polyhop.layers.facts import overlay as overlays
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import overlaid
from polyhop.types import Fact
from tests.worlds.coast import COAST, GRAPH, Row, Shelf, damaged, embed, graph_of, said, stated


def fingerprint(graph: FactGraph) -> str:
    """Identifies every array and text of a graph."""
    parts = [graph.heads, graph.tails, graph.relation_ids, graph.rows, graph.spans, graph.alive, graph.confidences]
    parts += [graph.spelled, graph.labelled, graph.relation_vectors, graph.names.values, graph.around.rights]
    parts += [graph.aliases.blob, graph.relations.blob, graph.keys.blob, graph.labels.blob, graph.kinds.blob]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


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
