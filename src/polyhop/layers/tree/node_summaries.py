"""The summaries of a tree: central sentences, or a language model's, which are kept so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.layers.summaries.central_sentences import extractive_summary, word_vectors
from polyhop.layers.summaries.summariser import Summariser, WantedSummary

FILE: Final = "summaries/tree.jsonl"  # in the folder of the index: the summaries that were paid for


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Texts that are to be summed up, and the marks of all passages that they come from."""

    texts: tuple[str, ...]
    passages: tuple[str, ...]


@dataclass(kw_only=True)
class NodeSummaries:
    """Sums up the clusters of one gathering, and counts what came of it."""

    sentences: int  # of a summary without a language model, at most
    max_tokens: int  # of a summary
    maker: str  # whose kept summaries are used
    summariser: Summariser | None = None  # None: no language model was ever paid
    lacking: int = 0  # summaries that the language model should have made, and did not

    def of(self, works: Sequence[Work]) -> list[str]:
        """A summary of each; of central sentences where no language model is asked, or it gave none."""
        if self.summariser is None:
            return [self._central(work) for work in works]
        wanted = [WantedSummary(key=_key(work, self.maker), texts=work.texts, passages=work.passages) for work in works]
        found = self.summariser.of(wanted)
        self.lacking += found.count(None)
        return [text or self._central(work) for text, work in zip(found, works, strict=True)]

    def _central(self, work: Work) -> str:
        summary = extractive_summary(work.texts, word_vectors, sentences=self.sentences, tokens=self.max_tokens)
        return summary or work.texts[0][: self.max_tokens]  # a single word may be longer than a summary


def _key(work: Work, maker: str) -> str:
    content = json.dumps([maker, *work.texts])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
