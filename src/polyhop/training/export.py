"""Puts a trained model into a folder as the runtime loads it: graph, tokenizer, card, and a manifest of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polyhop.errors import StorageFull
from polyhop.models.cross_encoder import reranker_folder
from polyhop.models.weights import write_manifest
from polyhop.training.graph import Head, Weights, write_graph

MODEL, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "card.md"
DRAFT = ".export-"


def export(weights: Weights, heads: Sequence[Head], folder: Path, *, card: str, tokenizer: Path | None = None) -> None:
    """Write ``model.onnx`` (int8), ``tokenizer.json``, ``card.md`` and ``manifest.json``; see ``replacing``.

    The tokenizer is that of the installed cross-encoder where no other file is given. Raises ModelMissing, StorageFull.
    """
    with replacing(folder, card) as ready:
        write_graph(weights, heads, ready / MODEL)
        shutil.copyfile(tokenizer or reranker_folder() / TOKENIZER, ready / TOKENIZER)


@contextmanager
def replacing(folder: Path, card: str) -> Iterator[Path]:
    """A folder to write a model into, which takes the place of another with its card and a manifest, or not at all.

    Raises StorageFull.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for left in folder.parent.glob(f"{DRAFT}*"):  # by a run that was killed meanwhile
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=DRAFT) as made:
            ready = Path(made) / folder.name
            ready.mkdir()
            yield ready
            (ready / CARD).write_text(card, encoding="utf-8")
            write_manifest(ready)
            if folder.is_dir():
                folder.replace(Path(made) / "before")
            ready.replace(folder)
    except OSError as error:
        raise StorageFull(f"The model could not be written to {folder}: {error.strerror or error}.") from error
