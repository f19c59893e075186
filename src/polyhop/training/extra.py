"""What training needs: packages beyond Polyhop itself, and a folder that takes what is learnt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from polyhop.errors import ModelMissing, StorageFull
from polyhop.extras import check_installed
from polyhop.store.whole_file import check_place, whole_file

NEEDED = ("torch", "onnx")
CHECKPOINT = "checkpoint.npz"


def check_extra() -> None:
    """Look whether the extra ``train`` is installed, without loading it. Raises ModelMissing."""
    check_installed("train", NEEDED, doing="Training", error=ModelMissing)


@contextmanager
def kept_in(path: Path, what: str) -> Iterator[BinaryIO]:
    """A file to keep ``what`` in, whole or not at all, in a folder made where it is missing. Raises StorageFull."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as stream:
            yield stream
    except OSError as error:
        raise StorageFull(f"{what} cannot be written to {path}: {error}.") from error


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
