"""What training needs beyond Polyhop itself, and what to say where it is not installed."""

from __future__ import annotations

import importlib.util

from polyhop.errors import ModelMissing

NEEDED = ("torch", "onnx")


def check_extra() -> None:
    """Look whether the extra ``train`` is installed, without loading it. Raises ModelMissing."""
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        raise ModelMissing(
            f"Training needs the extra 'train', and {' and '.join(lacking)} cannot be found.",
            remedy="Install it with: pip install 'polyhop[train]'",
        )
