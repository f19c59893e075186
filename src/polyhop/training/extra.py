"""What training needs beyond Polyhop itself."""

from __future__ import annotations

from polyhop.errors import ModelMissing
from polyhop.extras import check_installed

NEEDED = ("torch", "onnx")


def check_extra() -> None:
    """Look whether the extra ``train`` is installed, without loading it. Raises ModelMissing."""
    check_installed("train", NEEDED, doing="Training", error=ModelMissing)
