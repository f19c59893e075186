"""A reranker behind an HTTP endpoint that speaks ``/rerank``: Cohere, Jina, vLLM, llama.cpp and others."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

import numpy as np

from polyhop.errors import EndpointError
from polyhop.models.cross_encoder import LOGITS
from polyhop.models.reply import Reply
from polyhop.models.side_by_side import side_by_side
from polyhop.models.transport import Served
from polyhop.ports import Floats

log = logging.getLogger(__name__)

Shape = Literal["documents", "texts"]
_REFUSALS: Final = frozenset({400, 422})  # with these, servers say which part of a request they do not know
_SURE: Final = 1 / (1 + math.exp(-LOGITS))  # the probability that the highest logit stands for


@dataclass(frozen=True, kw_only=True)
class RerankEndpoint(Served):
    """A cross-encoder served over ``POST base_url/rerank``; threads may share it.

    Two shapes are spoken. ``documents``: {query, documents, model, top_n} is answered with {results: [{index,
    relevance_score}]}, as Cohere, Jina, vLLM and llama.cpp do. ``texts``: {query, texts} is answered with [{index,
    score}], as text-embeddings-inference does, which is asked for raw scores. Waits are seconds.
    """

    path: ClassVar[str] = "/rerank"
    example: ClassVar[str] = "http://localhost:8080/v1"
    section: ClassVar[str] = "reranker"

    model: str = ""  # none is sent where it is empty
    shape: Literal["auto", "documents", "texts"] = "auto"  # auto: documents, and texts where the server refuses these
    scores: Literal["probabilities", "logits"] = "probabilities"  # what the shape documents is answered with
    batch: int = 32  # texts of a request, at most
    timeout: float = 60.0  # for one answer; after one that was too slow, twice as long
    attempts: int = 6  # of a request, at most
    patience: float = 120.0  # no attempt begins later than this after the first
    _learnt: list[Shape] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise ValueError("batch must be at least 1")
        self._have(_learnt=["documents" if self.shape == "auto" else self.shape])

    @property
    def name(self) -> str:
        """Model and host, as in ``bge-reranker-v2-m3@localhost:8080``."""
        return f"{self.model or 'reranker'}@{super().name}"

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits of shape (len(texts),), at most 11 either way where the server gives probabilities.

        Raises EndpointError where the server is not to be had, refuses, or does not give each text one score.
        """
        batches = [texts[start : start + self.batch] for start in range(0, len(texts), self.batch)]
        scored = side_by_side(lambda batch: self._scored(question, batch), batches, self.concurrency)
        return np.array([score for batch in scored for score in batch], np.float32)

    def _scored(self, question: str, texts: Sequence[str]) -> list[float]:
        with self._slots:
            shape, reply = self._asked(question, texts)
        rows = list(self._rows(reply, shape))
        found = {index: score for index, score in rows if 0 <= index < len(texts)}
        if len(rows) != len(texts) or len(found) != len(texts):
            raise self._garbled(f"{len(rows)} scores, for {len(found)} of {len(texts)} texts")
        scores = [found[place] for place in range(len(texts))]
        return scores if shape == "texts" or self.scores == "logits" else [self._logit(score) for score in scores]

    def _asked(self, question: str, texts: Sequence[str]) -> tuple[Shape, Reply]:
        """What the server answers, and in which shape it was asked; in which one it wants to be is learnt once."""
        while True:
            shape = self._learnt[0]
            body = json.dumps(self._body(shape, question, texts)).encode("ascii")
            reply = self._transport.post(body, lambda reply: reply.no_credit)
            if reply.ok:
                return shape, reply
            unknown = reply.status in _REFUSALS and "texts" in reply.words
            if self.shape == "auto" and shape == "documents" and unknown:
                log.info("%s wants texts instead of documents: %s", self.name, reply.told)
                self._learnt[0] = "texts"
                continue
            raise self._refused(reply)

    def _body(self, shape: Shape, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        if shape == "texts":
            return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}
        named = {"model": self.model} if self.model else {}
        return {**named, "query": question, "documents": list(texts), "top_n": len(texts), "return_documents": False}

    def _rows(self, reply: Reply, shape: Shape) -> Iterator[tuple[int, float]]:
        """Index and score of each row of an answer. Raises EndpointError for one that is not in its shape."""
        content = reply.json()
        rows = content.get("results") if shape == "documents" and isinstance(content, dict) else content
        if not isinstance(rows, list):
            raise self._garbled(f"no list of scores but {reply.told[:200]}")
        for row in rows:
            index, score = (row.get("index"), _score(row)) if isinstance(row, dict) else (None, None)
            if not isinstance(index, int) or score is None:
                raise self._garbled(f"a row without an index or a score that is a number: {str(row)[:200]}")
            yield index, score

    def _logit(self, probability: float) -> float:
        if not 0 <= probability <= 1:
            raise EndpointError(
                f"{self.name} gave the score {probability:g}, which is no probability.",
                remedy="If it gives logits, say so: --set reranker.scores=logits",
            )
        certain = min(max(probability, 1 - _SURE), _SURE)
        return math.log(certain / (1 - certain))

    def _garbled(self, what: str) -> EndpointError:
        return EndpointError(
            f"{self.name} answered with {what}.",
            remedy="Check that its address is that of a reranker, without /rerank at its end, and reranker.shape.",
        )

    def _refused(self, reply: Reply) -> EndpointError:
        remedies = {
            401: "Set POLYHOP_RERANKER_API_KEY to a key that this endpoint accepts.",
            403: "Set POLYHOP_RERANKER_API_KEY to a key that may use this model.",
            404: "Check the address, which often ends in /v1, and the name of the model (reranker.model).",
            413: "Lower reranker.batch.",
            422: "Lower reranker.batch, or set reranker.shape to what the server speaks.",
        }
        return self._refusal(reply, remedies)


def _score(row: Mapping[str, Any]) -> float | None:
    found = row.get("relevance_score", row.get("score"))
    is_number = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)
    return float(found) if is_number else None
