"""What training needs: packages beyond Polyhop itself, and a folder that takes what is learnt."""

from __future__ import annotations

from pathlib import Path

from polyhop.errors import ModelMissing, StorageFull
from polyhop.extras import check_installed
from polyhop.store.whole_file import check_place

NEEDED = ("torch", "onnx")
CHECKPOINT = "checkpoint.npz"


def check_extra() -> None:
    """Look whether the extra ``train`` is installed, without loading it. Raises ModelMissing."""
    check_installed("train", NEEDED, doing="Training", error=ModelMissing)


def check_ready(out: Path) -> None:
    """Look whether a training into a folder can begin, before rows are read for minutes.

    Raises ModelMissing without the extra, StorageFull where the folder takes no file.
    """
    check_extra()
    try:
        check_place(out / CHECKPOINT)
    except OSError as error:
        raise StorageFull(
            f"{out} takes no checkpoint: {error}.", remedy="Choose an --out that can be written."
        ) from error
