"""The graph of an index as those read it who show it."""

from __future__ import annotations

from pathlib import Path

from polyhop.layers.read_graph import SentencesRead
from polyhop.types import Mention, Passage, Sentence
from tests.worlds.growing_graph import grown


def test_edges_of_an_entity_lead_to_others(tmp_path: Path) -> None:
    """Also where a sentence names it twice, as its head and as its tail."""
    text = "Ada Brisk and Piet Rook built what Ada Brisk drew."
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="", text=text)
    mentions = tuple(
        Mention(name=name, key=name.lower(), label="PERSON", start=start, end=start + 9, head=head)
        for name, start, head in (("Ada Brisk", 0, True), ("Piet Rook", 14, True), ("Ada Brisk", 35, False))
    )
    sentence = Sentence(start=0, end=len(text), hyperrelation="## and ## built what ## drew.", mentions=mentions)
    kg, _ = grown({1: (passage, [sentence])}, [({1}, set())], tmp_path)
    graph = SentencesRead(kg)
    ada, piet = graph.find("Ada Brisk"), graph.find("Piet Rook")
    assert ada is not None
    assert piet is not None
    ends = {entity: [(edge.subject, edge.object) for edge in graph.edges(entity, 9)] for entity in (ada, piet)}
    assert ends == {ada: [(piet, ada)], piet: [(piet, ada)]}
    assert [(edge.subject, edge.object) for edge in graph.stated()] == [(piet, ada)]
