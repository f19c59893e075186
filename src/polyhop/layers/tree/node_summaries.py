"""The summaries of a tree: central sentences, or a language model's, which are kept so that none is paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from polyhop.indexes.folding import tokens
from polyhop.layers.central_sentences import NAME, extractive_summary
from polyhop.layers.summary_writer import SummaryWriter, Wanted
from polyhop.ports import Floats, LanguageModel
from polyhop.prompts.summarise import PROMPT_VERSION
from polyhop.store.summary_store import SummaryStore
from polyhop.types import Cost

FOLDER = "summaries"  # in that of the index
CENTRAL = NAME  # what makes summaries without a language model


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Texts that are to be summed up, and the marks of all passages that they come from."""

    texts: tuple[str, ...]
    passages: tuple[str, ...]


def word_vectors(sentences: Sequence[str]) -> Floats:
    """Unit vectors of sentences by their words, those that few of them have counting most, as in LexRank.

    Float32 of shape (len(sentences), distinct words). Erkan and Radev, 2004: TF-IDF, here within what is summed up.
    """
    terms = [tokens(sentence) for sentence in sentences]
    places = {word: place for place, word in enumerate(sorted({word for line in terms for word in line}))}
    counts = np.zeros((len(sentences), max(len(places), 1)))
    for row, line in enumerate(terms):
        for word in line:
            counts[row, places[word]] += 1
    rarity = np.log((1 + len(sentences)) / np.maximum((counts > 0).sum(axis=0), 1))
    weighted = counts * rarity
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    units: Floats = (weighted / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return units


def maker_of(model: LanguageModel, max_tokens: int) -> str:
    """Identifies the summaries that a language model gives."""
    return f"{model.name} {PROMPT_VERSION} {max_tokens}"


class Kept(SummaryStore):
    """The summaries of a tree that were paid for, by what they sum up and who made them."""

    @classmethod
    def of(cls, index: Path) -> Self:
        """Those of the index in a folder."""
        return cls(index / FOLDER / "tree.jsonl", required=True)


@dataclass(kw_only=True)
class Summariser:
    """Sums up the clusters of one gathering, and counts what came of it."""

    sentences: int  # of a summary without a language model, at most
    max_tokens: int  # of a summary
    model: LanguageModel | None = None  # that may be asked and paid
    maker: str = CENTRAL  # whose kept summaries are used
    kept: Kept | None = None
    lacking: int = 0  # summaries that the language model should have made, and did not

    def __post_init__(self) -> None:
        self._writer: SummaryWriter | None = None
        if self.model is not None and self.kept is not None:
            self._writer = SummaryWriter(self.model, self.kept, self.max_tokens)

    @property
    def cost(self) -> Cost:
        """What the language model was paid."""
        return self._writer.cost if self._writer else Cost()

    @property
    def stopped(self) -> str:
        """Why the language model was not asked for all that lacks; empty where it was."""
        return self._writer.why if self._writer else ""

    def of(self, works: Sequence[Work]) -> list[str]:
        """A summary of each; of central sentences where no language model is asked, or it gave none."""
        if self.kept is None:
            return [self._central(work) for work in works]
        keys = [_key(work, self.maker) for work in works]
        if self._writer:
            pairs = [(key, work) for key, work in zip(keys, works, strict=True) if self.kept.get(key) is None]
            self._writer.write([Wanted(key=key, texts=work.texts, passages=work.passages) for key, work in pairs])
        found = [self.kept.get(key) for key in keys]
        self.lacking += found.count(None)
        return [text or self._central(work) for text, work in zip(found, works, strict=True)]

    def _central(self, work: Work) -> str:
        summary = extractive_summary(work.texts, word_vectors, sentences=self.sentences, tokens=self.max_tokens)
        return summary or work.texts[0][: self.max_tokens]  # a single word may be longer than a summary


def _key(work: Work, maker: str) -> str:
    content = json.dumps([maker, *work.texts])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
