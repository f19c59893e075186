"""The retriever for LlamaIndex."""

from __future__ import annotations

import asyncio

import pytest

from polyhop.engine import Polyhop
from tests.worlds.documents import BRIDGE

pytestmark = pytest.mark.filterwarnings("ignore")  # what their package warns of when it is imported is theirs
pytest.importorskip("llama_index.core", reason="needs the extra 'llamaindex'", exc_type=ImportError)

from polyhop.integrations.llamaindex import PolyhopNodes  # noqa: E402


def test_nodes_say_where_they_stand_and_how_they_rank(engine: Polyhop) -> None:
    nodes = PolyhopNodes(engine, k=4, strategy="paths").retrieve(BRIDGE)
    assert 0 < len(nodes) <= 4
    with engine.view() as view:
        for one in nodes:
            text = view.record.document(one.metadata["document"]).text
            assert text[one.metadata["start"] : one.metadata["end"]] == one.text
    assert [one.node.ref_doc_id for one in nodes] == [one.metadata["document"] for one in nodes]
    assert [one.score for one in nodes] == [one.metadata["score"] for one in nodes]


def test_a_model_sees_the_title_and_not_the_rest(engine: Polyhop) -> None:
    from llama_index.core.schema import MetadataMode

    [node] = PolyhopNodes(engine, k=1, strategy="bm25").retrieve(BRIDGE)
    shown = node.node.get_content(metadata_mode=MetadataMode.LLM)
    assert node.metadata["title"] in shown
    assert "score" not in shown.removesuffix(node.text)


def test_it_retrieves_under_asyncio(engine: Polyhop) -> None:
    retriever = PolyhopNodes(engine, strategy="bm25")
    found = asyncio.run(retriever.aretrieve(BRIDGE))
    assert [one.node_id for one in found] == [one.node_id for one in retriever.retrieve(BRIDGE)]
