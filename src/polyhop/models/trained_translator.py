"""The translator that comes with Polyhop: SmolLM2, and what it learnt about clues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from polyhop.models.smollm2 import SmolLM2
from polyhop.models.weights import trained_folder


@dataclass(frozen=True, kw_only=True)
class PolyhopTranslator(SmolLM2):
    """SmolLM2 with what it learnt of questions with their passages: which clue leads from one to the other (3.3.3)."""

    tuned: str | None = None  # folder of another tuned one; none: the one in the package polyhop-weights

    @cached_property
    def _tuned(self) -> Path | None:
        return trained_folder(self.tuned, "translator")
