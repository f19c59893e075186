"""A graph of several parts answers as the graph of all their passages does, whatever is split and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.breadth_first import breadth_first
from polyhop.layers.facts.graph import TITLE, FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.facts.stated import Stated
from polyhop.ports import Floats, Ints
from polyhop.types import Fact, Passage


def fact(head: str, relation: str, tail: str, **more: object) -> Fact:
    """A fact whose evidence is the first letter of its passage."""
    return Fact(head=head, relation=relation, tail=tail, start=0, end=1, **more)  # type: ignore[arg-type]


def titled(title: str, *told: tuple[str, str]) -> list[Fact]:
    """Facts that a passage states about its title."""
    return [fact(title, relation, tail, head_label=TITLE) for relation, tail in told]


HARBOUR: dict[str, list[Fact]] = {
    "Quillmouth": [
        *titled("Quillmouth", ("is on", "the Sable Coast")),
        fact("lighthouse", "was built by", "Ada Brisk"),
    ],
    "Ada Brisk": titled("Ada Brisk", ("was born in", "Fennick"), ("studied at", "the Tarn School")),
    "Tarn School": titled("Tarn School", ("was founded by", "Piet Rook"), ("stands in", "Fennick")),
    "River Oar": titled("River Oar", ("rises near", "Fennick"), ("reaches the sea at", "Quillmouth")),
    "Sable Coast": titled("The Sable Coast", ("faces", "the Grey Sea")),
    "Piet Rook": [
        *titled("Piet Rook", ("was", "a surveyor")),
        fact("PIET ROOK", "taught", "Ada  Brisk", confidence=0.5),
    ],
}


def stated(facts: dict[str, list[Fact]]) -> list[Stated]:
    """Passages given by their titles, numbered in order."""
    return [
        (number, Passage(id=title, document_id=title, ordinal=0, start=0, end=1, title=title, text="…"), found)
        for number, (title, found) in enumerate(facts.items(), 1)
    ]


ALL = stated(HARBOUR)


def embed(texts: Sequence[str]) -> Floats:
    """Unit vectors that differ where the texts do, and are the same in every graph."""
    rows = np.array([[len(text), sum(map(ord, text)) % 97, 1] for text in texts], np.float32).reshape(-1, 3)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def graph(passages: Iterable[Stated]) -> FactGraph:
    """The graph of some passages."""
    return FactGraph.of(passages, embed)


def grown(*parts: Iterable[Stated]) -> GrownGraph:
    """The union of the graphs of parts."""
    return GrownGraph.of([graph(part) for part in parts])


Told = tuple[int, str, str, str]


def told(over: GrownGraph, facts: Iterable[int]) -> Counter[Told]:
    """Facts by what they say and where, with the keys of their ends."""
    places = np.array(sorted(facts), np.int64)
    ends = zip(*(column.tolist() for column in over.ends(places)), strict=True)
    return Counter(
        (over.place(place)[0], over.entity(head).key, over.fact(place).relation, over.entity(tail).key)
        for place, (head, tail) in zip(places.tolist(), ends, strict=True)
    )


def stating(over: GrownGraph, facts: Ints) -> list[int]:
    """The numbers of the passages that state facts, once each."""
    return list(dict.fromkeys(over.place(place)[0] for place in facts.tolist()))


def titled_after(over: GrownGraph, entity: int) -> list[int]:
    """The numbers of the passages whose title an entity is."""
    facts = over.touching([entity])
    leads = facts[over.ends(facts)[0] == entity]
    return sorted({over.place(place)[0] for place in leads.tolist() if over.fact(place).head_label == "TITLE"})


def of_each(over: GrownGraph, entities: Mapping[str, int]) -> list[Ints]:
    """The facts of each of some entities, which are looked up together."""
    facts, starts = over.touching_each(list(entities.values()))
    return [facts[start:end] for start, end in pairwise(starts.tolist())]


def answers(over: GrownGraph) -> dict[str, object]:
    """What a graph says, by names and numbers of passages: nothing of it depends on positions."""
    entities = {over.entity(place).key: place for place in range(len(over))}
    assert len(entities) == len(over)
    every = over.touching(range(len(over)))
    cosines = over.similarities(embed(["was born in"])[0])
    return {
        "counts": over.counts,
        "facts": told(over, every.tolist()),
        "of passages": [told(over, over.facts_of(number).tolist()) for number in range(len(ALL) + 2)],
        "touching": {key: told(over, over.touching([place]).tolist()) for key, place in entities.items()},
        "of each": {
            key: told(over, facts.tolist()) for key, facts in zip(entities, of_each(over, entities), strict=True)
        },
        "titled": {key: titled_after(over, place) for key, place in entities.items()},
        "stating": {key: sorted(stating(over, over.touching([place]))) for key, place in entities.items()},
        "spellings": {
            key: frozenset([over.entity(place).name, *over.entity(place).aliases]) for key, place in entities.items()
        },
        "found": [name_of(over, over.find(name)) for name in ("ada brisk", "The Sable Coast", "sable coast", "Nobody")],
        "named": [
            over.entity(place).key for place in over.named_in("Was Ada Brisk at the Tarn School by the Sable Coast?")
        ],
        "sure": sorted(over.confidences(every).tolist()),
        "cosines": sorted(round(cosine, 5) for cosine in cosines(every).tolist()),
    }


def name_of(over: GrownGraph, entity: int | None) -> str | None:
    """The key of an entity, if there is one."""
    return None if entity is None else over.entity(entity).key


WHOLE = answers(grown(ALL))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sets(st.integers(0, len(ALL) - 1)), min_size=1, max_size=4))
def test_a_union_of_parts_is_the_graph_of_all_their_passages(parts: list[set[int]]) -> None:
    """Parts may have passages in common, and may be empty; what no part has is in one more."""
    rest = set(range(len(ALL))) - set().union(*parts)
    split = [[ALL[place] for place in sorted(part)] for part in [*parts, rest]]
    assert answers(grown(*split)) == WHOLE


@settings(deadline=None, max_examples=20)
@given(st.permutations([[0, 1, 2], [1, 3], [], [4, 5, 0]]))
def test_the_order_of_parts_changes_no_answer(parts: list[list[int]]) -> None:
    assert answers(grown(*([ALL[place] for place in part] for part in parts))) == WHOLE


def test_one_part_answers_for_itself() -> None:
    alone = graph(ALL)
    over = GrownGraph.of([graph([]), alone, graph([])])
    facts = np.arange(len(alone.heads))
    assert len(over) == len(alone)
    assert over.touching([0, 1]).tolist() == alone.touching([0, 1]).tolist()
    assert [over.entity(place) for place in range(len(over))] == [alone.entity(place) for place in range(len(alone))]
    assert [over.fact(place) for place in facts.tolist()] == [alone.fact(place) for place in facts.tolist()]
    assert all(np.shares_memory(found, whole) for found, whole in [(over.parts[0].heads, alone.heads)])


def test_there_may_be_nothing() -> None:
    for empty in (GrownGraph.of([]), grown([]), grown([], [])):
        none = np.empty(0, np.int64)
        assert (len(empty), empty.counts) == (0, {"entities": 0, "facts": 0})
        assert empty.find("Ada Brisk") is None
        assert empty.named_in("Ada Brisk") == []
        assert [len(empty.touching([])), len(empty.facts_of(1))] == [0, 0]
        assert [len(column) for column in (*empty.ends(none), empty.confidences(none))] == [0, 0, 0]
        assert len(empty.similarities(embed(["x"])[0])(none)) == 0


def test_positions_of_the_first_part_stay() -> None:
    """What was found in the large graph still holds when a small one joins it."""
    first = graph(ALL[:4])
    over = GrownGraph.of([first, graph(ALL[2:])])
    assert [over.entity(place).key for place in range(len(first))] == [first.keys[place] for place in range(len(first))]
    assert [over.fact(place) for place in range(len(first.heads))] == [first.fact(p) for p in range(len(first.heads))]


def test_facts_are_asked_for_in_any_order() -> None:
    over = grown(ALL[:2], ALL[2:])
    facts = over.touching(range(len(over)))[::-1].copy()
    assert [over.confidences(facts)[place] for place in range(len(facts))] == [
        np.float32(over.fact(place).confidence) for place in facts.tolist()
    ]
    assert stating(over, facts) == [6, 5, 4, 3, 2, 1]


def test_deleted_passages_do_not_show(tmp_path: Path) -> None:
    """Passage 2 is gone from the large part, where it is on disk; 3 lives on in the other one."""
    graph(ALL[:4]).save(tmp_path / "graph")
    opened = FactGraph.open(tmp_path / "graph", np.array([1, 4]))
    for parts in permutations([opened, graph(ALL[2:])]):
        over = GrownGraph.of(parts)
        facts = over.touching(range(len(over)))
        assert {over.place(place)[0] for place in facts.tolist()} == {1, 3, 4, 5, 6}
        assert over.counts["facts"] == len(facts) == sum(len(ALL[number - 1][2]) for number in (1, 3, 4, 5, 6))
        assert (over.facts_of(2).tolist(), len(over.facts_of(3))) == ([], 2)
        assert titled_after(over, over.find("Ada Brisk") or 0) == []


def test_names_within_longer_names_of_other_parts_do_not_count() -> None:
    """One part knows the Sable, the other one the Sable Coast."""
    sable = stated({"One": [fact("Sable", "is", "a river")], "Two": [fact("Sable Coast", "is", "a coast")]})
    for parts in permutations([sable[:1], sable[1:]]):
        over = grown(*parts)
        assert [over.entity(place).name for place in over.named_in("Where is the Sable Coast?")] == ["Sable Coast"]


BELLS = stated(
    {
        "John Bell (painter)": titled("John Bell (painter)", ("painted", "Quillmouth")),
        "John Bell (officer)": titled("John Bell (officer)", ("sailed from", "Quillmouth")),
        "Quillmouth": [fact("John Bell", "lived in", "Quillmouth")],
    }
)


def test_titles_with_other_brackets_are_other_entities() -> None:
    """Each part alone takes its John Bell for the only one."""
    for parts in permutations([BELLS[:1], BELLS[1:2]]):
        over = grown(*parts)
        bells = sorted(titled_after(over, place) for place in range(len(over)) if over.entity(place).key == "john bell")
        assert bells == [[1], [2]]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_title_finds_its_own_among_those_that_a_part_tells_apart(order: tuple[int, ...]) -> None:
    parts = [BELLS[:2], [(4, *BELLS[0][1:])]]
    over = grown(*(parts[place] for place in order))
    assert titled_after(over, over.find("John Bell (painter)") or 0) == [1, 4]
    assert titled_after(over, over.find("John Bell (officer)") or 0) == [2]


def known_as(name: str, other: str) -> list[Fact]:
    """An alias that a fact states."""
    return [fact(name, "also known as", other)]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_an_alias_of_one_part_joins_the_entity_of_that_name_in_another(order: tuple[int, ...]) -> None:
    passages = stated({"One": known_as("Ada Brisk", "Old Patience"), "Two": [fact("Old Patience", "saw", "Fennick")]})
    over = grown(*([passages[place]] for place in order))
    ada = over.find("Ada Brisk")
    assert ada is not None
    assert over.find("Old Patience") == ada
    assert stating(over, over.touching([ada])) == [passages[place][0] for place in order]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(known_as("Ada Brisk", "Brisk"), fact("Brisk", "is", "a brand"), id="one word of a longer name"),
        pytest.param(
            [*known_as("Ada Brisk", "Old Patience"), *titled("Ada Brisk", ("saw", "Fennick"))],
            fact("Old Patience", "is", "a lighthouse", head_label=TITLE),
            id="both are titles",
        ),
    ],
)
def test_an_alias_that_says_too_little_joins_nothing(one: list[Fact], other: Fact) -> None:
    passages = stated({"One": one, "Two": [other]})
    for parts in permutations([passages[:1], passages[1:]]):
        over = grown(*parts)
        assert over.find("Ada Brisk") != over.find(other.head)


def test_entities_that_a_part_tells_apart_stay_so() -> None:
    """A small part says that two are one; the large one has them as two, and has seen more."""
    two = stated({"One": [fact("Ada Brisk", "met", "Old Patience")], "Two": known_as("Ada Brisk", "Old Patience")})
    over = grown(two[:1], two[1:])
    assert over.find("Ada Brisk") != over.find("Old Patience")
    assert told(over, over.touching(range(len(over))).tolist()).total() == 2


def test_cosines_are_those_of_the_relations() -> None:
    over = grown(ALL[:3], ALL[2:])
    vector = embed(["studied at"])[0]
    cosines = over.similarities(vector)
    facts = over.touching(range(len(over)))
    for asked in (facts[:3], facts[::-1], facts):
        expected = [float(embed([over.fact(place).relation])[0] @ vector) for place in asked.tolist()]
        assert np.allclose(cosines(asked), expected, atol=1e-6)


def test_a_walk_goes_from_part_to_part() -> None:
    """The lighthouse, its builder and her birthplace are in parts of their own."""
    over = grown(ALL[:1], ALL[1:2], ALL[2:])
    start, end = over.find("lighthouse"), over.find("Fennick")
    assert start is not None
    walked = breadth_first([(start, 1.0)], over, lambda facts: over.confidences(facts))
    chains = [[over.entity(place).name for place in path.entities] for path in walked.paths if path.entities[-1] == end]
    assert chains == [["lighthouse", "Ada Brisk", "Fennick"]]


def test_parts_are_not_copied() -> None:
    first = graph(ALL[:3])
    over = GrownGraph.of([first, graph(ALL[3:])])
    assert over.parts[0] is first
    assert replace(over).parts[0].heads is first.heads
