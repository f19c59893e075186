"""A retriever for LangChain (extra ``langchain``)."""

from __future__ import annotations

import asyncio

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from polyhop.engine import Polyhop
from polyhop.integrations.found import FoundPassage, found


class PolyhopRetriever(BaseRetriever):
    """The passages that together answer a question, best first, as LangChain's documents.

    Metadata: ``document``, ``title``, ``source``, ``page`` and ``where`` (the page or such in words), ``start`` and
    ``end`` (characters of the document's text), ``score``, and ``hops`` with ``hop_questions``: the steps of the way
    that a passage belongs to. Raises what ``Polyhop.search`` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    engine: Polyhop  # the index; whoever opened it closes it
    k: int = Field(default=5, ge=1)  # passages
    strategy: str | None = None  # how to find them; None: the best that the index allows

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return self._documents(query, k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._documents, query, k)

    def _documents(self, query: str, k: int | None) -> list[Document]:
        passages = found(self.engine, query, k=self.k if k is None else k, strategy=self.strategy)
        return [_document(passage) for passage in passages]


def _document(one: FoundPassage) -> Document:
    return Document(id=one.passage.id, page_content=one.passage.text, metadata=one.metadata)
