"""What all retrievers for other libraries share."""

from __future__ import annotations

import json

from polyhop.engine import Polyhop
from polyhop.integrations.found import found
from tests.worlds.documents import BRIDGE


def test_what_is_found_says_where_it_stands_and_to_which_hop_it_belongs(engine: Polyhop) -> None:
    passages = found(engine, BRIDGE, k=4, strategy="paths")
    assert 0 < len(passages) <= 4
    for one in passages:
        told = json.loads(json.dumps(one.metadata))
        with engine.view() as view:
            text = view.record.document(told["document"]).text
        assert text[told["start"] : told["end"]] == one.passage.text
        assert len(told["hops"]) == len(told["hop_questions"])
    assert {1, 2} <= {hop for one in passages for hop in one.hops}
