"""The embedder of the papers: all-MiniLM-L6-v2, here with 8-bit weights, 384 dimensions, windows of 256 tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyhop.models.encoder import encoder_in
from polyhop.models.install import installed_folder, verify
from polyhop.ports import Floats

DIMENSIONS = 384
WINDOW = 256  # what the model was trained and published with


@dataclass(frozen=True, kw_only=True)
class MiniLM:
    """Embeds texts with all-MiniLM-L6-v2 (int8 weights, mean pooling), for figures comparable with the papers."""

    threads: int | None = None  # none: one for each core
    cache: str | None = None  # the folder it is installed in; none: the user's cache folder

    @property
    def name(self) -> str:
        """Identifies the vector space."""
        return "all-MiniLM-L6-v2-int8"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of shape (len(texts), 384); a text of several windows is the mean of them."""
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        encoder = encoder_in(installed_folder("minilm", self.cache))
        return encoder.vectors(texts, window=WINDOW, pooling="mean", threads=self.threads)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The same as ``embed_passages``: the model makes no difference."""
        return self.embed_passages(texts)

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        verify("minilm", self.cache)
