"""The retriever for LangChain."""

from __future__ import annotations

import asyncio

import pytest

from polyhop.engine import Polyhop
from tests.worlds.documents import BRIDGE

pytest.importorskip("langchain_core", reason="needs the extra 'langchain'")

from polyhop.integrations.langchain import PolyhopRetriever

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_documents_say_where_they_stand_and_to_which_hop_they_belong(engine: Polyhop) -> None:
    documents = PolyhopRetriever(engine=engine, k=4, strategy="paths").invoke(BRIDGE)
    assert 0 < len(documents) <= 4
    with engine.view() as view:
        for one in documents:
            text = view.record.document(one.metadata["document"]).text
            assert text[one.metadata["start"] : one.metadata["end"]] == one.page_content
            assert one.metadata["source"]
    hops = {hop for one in documents for hop in one.metadata["hops"]}
    assert {1, 2} <= hops
    assert all(len(one.metadata["hops"]) == len(one.metadata["hop_questions"]) for one in documents)


def test_what_it_does_not_know_is_refused_and_not_ignored(engine: Polyhop) -> None:
    """Whoever asks for a filter must not get what it would have left out."""
    with pytest.raises(TypeError, match="filter"):
        PolyhopRetriever(engine=engine, strategy="bm25").invoke(BRIDGE, filter={"source": "edda_marrish.md"})


def test_it_retrieves_under_asyncio(engine: Polyhop) -> None:
    retriever = PolyhopRetriever(engine=engine, strategy="bm25")
    assert asyncio.run(retriever.ainvoke(BRIDGE)) == retriever.invoke(BRIDGE)
