"""However passages came and went, and into how many segments: the graph is that of those that are there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes import segment_plan
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.types import Mention, Passage, Sentence
from tests.worlds.growing_graph import Steps, gathered, grown
from tests.worlds.sentences import NAMES, Said, worlds

TEXTS = (" ".join(NAMES), "ada brisk met 霧島 in Fennick", "the Fennick of 1841")


def told(graph: ParseKG) -> dict[str, Any]:
    """All that a graph can be asked, in the words of the passages and not in its own numbers."""

    def sentence(position: int) -> tuple[Any, ...]:
        ends = ([graph.entity(entity).key for entity in links.of(position)] for links in (graph.heads, graph.tails))
        return (*graph.place(position), graph.hyperrelation(position), *ends)

    entities = list(graph.entities())
    asked = {text: (graph.named_in(text), graph.named_in(text, careful=True)) for text in TEXTS}
    return {
        "entities": [graph.entity(entity) for entity in entities],
        "may lead": [graph.may_lead(entity) for entity in entities],
        "out": [sorted(map(sentence, graph.out.of(entity).tolist())) for entity in entities],
        "into": [sorted(map(sentence, graph.into.of(entity).tolist())) for entity in entities],
        "mentioning": [graph.passages_mentioning(entity) for entity in entities],
        "titled": [graph.passages_titled(entity) for entity in entities],
        "led by": [graph.passages_led_by(entity) for entity in entities],
        "frequency": [graph.frequency(entity) for entity in entities],
        "named": {text: [[graph.entity(one).key for one in found] for found in both] for text, both in asked.items()},
        "found": [name for name in NAMES if graph.find(name) is not None],
        "contains": [[graph.entity(entity).key for entity in graph.entities_of(number)] for number in range(42)],
        "sentences": sorted(map(sentence, graph.sentences())),
        "counts": graph.counts(),
    }


some = st.sets(st.integers(1, 40), max_size=12)
steps = st.lists(st.tuples(some, some), min_size=1, max_size=9)


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(worlds(most=20), steps, st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from([0.2, 1.0]))
def test_however_passages_came_and_went_the_graph_is_that_of_those_that_are_there(
    said: Said, steps: Steps, share: float, most_dead: float
) -> None:
    """Also where segments are hardly ever written again: many small ones, with most of their rows dead."""
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_plan, "SHARE", share)
        patch.setattr(segment_plan, "MOST_DEAD", most_dead)
        graph, live = grown(said, steps, Path(place))
        found = told(graph)
        numbers = np.array(live, np.int64)
        whole = [gathered(said, numbers, Path(place) / "whole", ParseKG(Path(place), ()))] if live else []
        assert found == told(ParseKG.open(Path(place), whole, numbers))


def test_passages_that_name_nothing_are_a_segment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_plan, "SHARE", 1.0)  # what is new is never merged with what was there

    def passage(number: int) -> Passage:
        return Passage(id=str(number), document_id="d", ordinal=0, start=0, end=3, title="", text="any")

    ada = Mention(name="Ada Brisk", key="ada brisk", label="PERSON", start=1, end=2, head=True)
    sentence = Sentence(start=0, end=1, hyperrelation="a", mentions=(ada,))
    said: Said = {1: (passage(1), [sentence]), 2: (passage(2), []), 3: (passage(3), [sentence])}
    graph, _ = grown(said, [({1}, set()), ({2}, set()), ({3}, set()), (set(), {1})], tmp_path)
    assert [graph.entity(entity).name for entity in graph.entities()] == ["Ada Brisk"]
    assert graph.counts()["entities"] == 1
    assert graph.entities_of(2) == []
