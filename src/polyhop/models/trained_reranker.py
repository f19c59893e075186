"""A reranker of one's own: what ``polyhop train reranker`` made of the default one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from polyhop.models.cross_encoder import MiniLML12
from polyhop.models.encoder import Encoder, encoder_in
from polyhop.models.weights import check_hashes, mark_in, trained_folder

MODEL = "model.onnx"
OUTPUT = "relevance"


@dataclass(frozen=True, kw_only=True)
class PolyhopReranker(MiniLML12):
    """Reads question and text together as the default reranker does, with weights that were trained further."""

    folder: str | None = None  # that training wrote; none is shipped

    @property
    def name(self) -> str:
        """Identifies the scores. Raises ModelMissing where the folder holds no model."""
        return f"polyhop-reranker-{mark_in(self._folder(), MODEL)}-{self.max_tokens}"

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        folder = self._folder()
        check_hashes(folder)

    def _encoder(self) -> Encoder:
        return encoder_in(self._folder(), gives=(OUTPUT,))

    def _folder(self) -> Path:
        return trained_folder(self.folder or None, "reranker")
