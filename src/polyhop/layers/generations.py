"""The generations of a layer: one or several folders each, named after all that determines their content."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from polyhop.errors import IndexCorrupt, LayerMissing, ModelMismatch
from polyhop.indexes import digests, segments
from polyhop.models.choice import Models
from polyhop.ports import Ints
from polyhop.reports import Contents
from polyhop.store.port import Generation
from polyhop.store.record import Record

logger = logging.getLogger(__name__)


def name_of(content: str, numbers: Ints) -> str:
    """The name of the generation of these passages; content: what else determines it."""
    return hashlib.sha256(content.encode() + numbers.tobytes()).hexdigest()[:16]


def make_room(target: Path) -> None:
    """Make the place of a folder free for it."""
    for place in (target.parent, target):
        if place.is_file():  # no folder of ours: nothing could be written below it
            place.unlink()
    shutil.rmtree(target, ignore_errors=True)  # what a killed writer left half done


def kept_segments(
    record: Record, layer: str, folder: Path, content: str, opened: Callable[[Path], object]
) -> list[str]:
    """The segments of the current generation, up to the first that cannot stay; none where another content made it."""
    current = record.generation(layer)
    if current is None or current.description.get("content") != content:
        return []
    return list(takewhile(lambda name: may_stay(folder / name, opened), current.description.get("segments", ())))


def segments_of(current: Generation, layer: str) -> list[str]:
    """The segments that a generation is made of. Raises LayerMissing where an earlier version wrote it whole.

    So questions that can do without the layer are answered until the documents are indexed again.
    """
    names: list[str] | None = current.description.get("segments")
    if names is None:
        logger.warning("Layer %s was gathered by an earlier version: the next polyhop index gathers it again.", layer)
        raise LayerMissing(
            f"The layer {layer} of this index was gathered by an earlier version.",
            remedy="Index the same documents again: it is gathered anew from what is stored, and asks no model.",
        )
    return names


def may_stay(folder: Path, opened: Callable[[Path], object]) -> bool:
    """Whether a generation can be opened and is as it was written; else it is written again.

    Read in full is what somebody wrote to since it last was. One that an earlier version wrote gets its digests now.
    """
    try:
        opened(folder)
        for fault in segments.damage(folder, lately=True):
            raise IndexCorrupt(fault)
    except IndexCorrupt as error:
        logger.warning("%s It is written again.", error)
        return False
    with suppress(OSError):
        for each in segments.array_folders(folder):
            if not digests.is_sealed(each):
                digests.seal(each)
    return True


def contents_of(record: Record, layer: str) -> Contents | None:
    """What a layer found in its passages, as its generation tells it; None where it tells nothing.

    The description of a layer that checks has how many there are under the layer's own name, ``passages`` (that have
    any), ``of`` (passages that were done) and ``rejected`` (by reason). That of another names the ``things`` that it
    counts first, and has that count and others by their names.
    """
    current = record.generation(layer)
    told = {} if current is None else current.description
    if "things" in told:
        counts = {name: count for name, count in told.items() if isinstance(count, int) and name != told["things"]}
        return Contents(things=told["things"], count=told[told["things"]], counts=counts)
    if not told.keys() >= {layer, "rejected"}:
        return None
    return Contents(
        things=layer, count=told[layer], passages=told.get("passages"), of=told.get("of"), rejected=told["rejected"]
    )


def current_of(record: Record, layer: str, below: str = "") -> Generation:
    """The generation that a layer serves; ``below``: the layers to make before it. Raises LayerMissing."""
    current = record.generation(layer)
    if current is None:
        layers = f" --layers {below},{layer}" if below else ""
        raise LayerMissing(f"This index has no {layer} layer.", remedy=f"Make it with: polyhop index PATH...{layers}")
    return current


def newest(record: Record, layer: str, models: Models, *, below: str = "", embedded: str) -> Generation:
    """The same of a layer of which something was ``embedded``, made with the configured embedder.

    Raises LayerMissing, ModelMismatch.
    """
    current = current_of(record, layer, below)
    made_with = current.description["embedder"]
    if made_with != models.embedder.name:
        raise ModelMismatch(
            f"{embedded} were embedded with {made_with}, but {models.embedder.name} is configured.",
            remedy=f"Embed again with: polyhop index PATH... --set {models.choice_of_embedder}\n"
            "Or ask with the embedder that it was made with.",
        )
    return current
