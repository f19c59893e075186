"""A tuned language model in a folder: its whole graph, or what was learnt in addition to the installed one.

Additions are two thin matrices for each of the network's (LoRA): a few MB, where the graph has 150. They are added to
the installed graph once, and the sum is kept in the cache.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from polyhop.errors import ModelError, StorageFull
from polyhop.models.graph_weights import graph_weights, write_tuned
from polyhop.models.weights import (
    MANIFEST,
    WeightFile,
    check_hashes,
    check_sizes,
    read_manifest,
    sha256_of,
    write_manifest,
)
from polyhop.models.whole_folder import synced
from polyhop.ports import Floats

GRAPH: Final = "model.onnx"
ADDITIONS: Final = "additions.npz"
SCALE: Final = "scale"  # in that file: what the product of two matrices is multiplied by
DOWN, UP = ".down", ".up"


def mark_of(folder: Path) -> str:
    """What tells a tuned model's weights from others. Raises ModelError where its manifest names none."""
    return _weights_in(folder).sha256[:12]


def graph_of(folder: Path, installed: Path, cache: Path) -> Path:
    """The graph of a tuned model, whose folder is checked against its manifest.

    Additions are added to the graph in ``installed``, the folder of the model that was tuned, where that was not done
    yet or the sum is not whole any more. Raises ModelMissing, ModelError, StorageFull.
    """
    weights = _weights_in(folder)
    check_hashes(folder)
    if weights.name == GRAPH:
        return folder / GRAPH
    target = cache / f"tuned-{mark_of(folder)}-{sha256_of(installed / MANIFEST)[:12]}"
    try:
        check_sizes(target)
    except ModelError:
        _add_up(installed / GRAPH, folder / ADDITIONS, target)
    return target / GRAPH


def _weights_in(folder: Path) -> WeightFile:
    found = next((file for file in read_manifest(folder) if file.name in (GRAPH, ADDITIONS)), None)
    if found is None:
        raise ModelError(f"{folder} holds no tuned model: neither {GRAPH} nor {ADDITIONS}.")
    return found


def write_additions(path: Path, additions: Mapping[str, Floats], scale: float) -> None:
    """Keep what was learnt, in half precision. Raises OSError."""
    arrays = {name: value.astype(np.float16) for name, value in additions.items()}
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays, **{SCALE: np.array(scale, np.float32)})


def added_up(weights: Mapping[str, Floats], additions: Path) -> dict[str, Floats]:
    """The matrices that change, as sums. Raises ModelError for additions that do not fit."""
    try:
        with np.load(additions, allow_pickle=False) as stored:
            learnt = {name: np.asarray(stored[name], np.float32) for name in stored.files}
        scale = learnt.pop(SCALE)  # an array of no dimensions
        names = sorted(name.removesuffix(UP) for name in learnt if name.endswith(UP))
        return {name: weights[name] + scale * (learnt[name + UP] @ learnt[name + DOWN]) for name in names}
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{additions} does not fit the installed model: {error}.") from error


def _add_up(installed: Path, additions: Path, target: Path) -> None:
    sums = added_up(graph_weights(installed).weights, additions)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target) as work:
            write_tuned(installed, sums, Path(work) / GRAPH)
            write_manifest(Path(work))
            for made in (synced(Path(work)) / GRAPH, Path(work) / MANIFEST):
                made.replace(target / made.name)
    except OSError as error:
        raise StorageFull(f"The tuned model cannot be kept in {target}: {error}.") from error
