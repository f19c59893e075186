"""A retriever for LlamaIndex (extra ``llamaindex``)."""

from __future__ import annotations

import asyncio

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from polyhop.engine import Polyhop
from polyhop.integrations.found import FoundPassage, found

_ABOUT_TEXT = ["title"]  # what of the metadata is put before the text for models; the rest is for programs


class PolyhopNodes(BaseRetriever):
    """The passages that together answer a question, best first, as LlamaIndex's nodes.

    ``engine``: the index, which whoever opened it closes; ``k``: passages; ``strategy``: how to find them, None for the
    best that the index allows. Metadata are those of ``FoundPassage``. Raises what ``Polyhop.search`` raises.
    """

    def __init__(self, engine: Polyhop, *, k: int = 5, strategy: str | None = None) -> None:
        super().__init__()
        self.engine = engine
        self.k = k
        self.strategy = strategy

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        passages = found(self.engine, query_bundle.query_str, k=self.k, strategy=self.strategy)
        return [_node(passage) for passage in passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(one: FoundPassage) -> NodeWithScore:
    metadata = one.metadata
    hidden = [name for name in metadata if name not in _ABOUT_TEXT]
    node = TextNode(
        id_=one.passage.id,
        text=one.passage.text,
        metadata=metadata,
        start_char_idx=one.passage.start,
        end_char_idx=one.passage.end,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=one.passage.document_id)},
    )
    return NodeWithScore(node=node, score=float(one.passage.score))
