"""Extraction in this process, one chunk after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from polyhop.layers.layer import layer_of
from polyhop.models.choice import Models
from polyhop.ports import Chunk, Rows
from polyhop.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Inline:
    """Runs a layer's extraction with the models that this process has loaded (layers whose models use threads)."""

    models: Models

    def extract(self, layer: str, settings: Settings, chunks: Iterable[Chunk]) -> Iterator[Sequence[Rows]]:
        """The rows of each chunk, in order."""
        built = layer_of(layer, settings)
        for chunk in chunks:
            yield built.extract(chunk.passages, self.models, chunk.below)

    def __enter__(self) -> Self:
        """Nothing to start."""
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to stop."""
