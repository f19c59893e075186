"""Models that note what they read, and are the real ones otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyhop.models.choice import Models
from polyhop.ports import Embedder, Floats, Reranker
from polyhop.settings import Settings


@dataclass(frozen=True)
class NotingEmbedder:
    """An embedder, and the texts that it embedded; questions are not noted."""

    inner: Embedder
    read: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    @property
    def dimensions(self) -> int:
        """The inner one's."""
        return self.inner.dimensions

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """The inner one's vectors, noted."""
        self.read.extend(texts)
        return self.inner.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The inner one's vectors."""
        return self.inner.embed_questions(texts)


class NotingModels(Models):
    """The default models, as others have built them, with such an embedder."""

    def __init__(self, models: Models) -> None:
        super().__init__(Settings())
        self._built, self._noting = models._built, NotingEmbedder(models.embedder)

    @property
    def embedder(self) -> NotingEmbedder:
        """The one that notes."""
        return self._noting


@dataclass(frozen=True)
class NotingReranker:
    """A cross-encoder, the questions that it was asked, and the texts that it judged."""

    inner: Reranker
    asked: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """The inner one's logits, noted."""
        self.asked.append(question)
        self.read.extend(texts)
        return self.inner.score(question, texts)
