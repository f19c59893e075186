"""Windows in a file: made once, on any machine, and read where a GPU is, without the rows that they were made of."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import ModelError
from polyhop.training.card import Origin
from polyhop.training.extra import kept_in
from polyhop.training.mixture import Windows
from polyhop.training.windows import Window

MADE: Final = "windows.npz"
VERSION: Final = 1
TRAINING, ASIDE = "training", "aside"

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a reader is trained on and measured with, and what it was made of."""

    windows: Windows
    hashes: Mapping[str, str]  # of the files of rows, by name
    origins: Sequence[Origin]
    choice: Mapping[str, Any]  # what decides which windows are made of these files


def write_prepared(path: Path, prepared: Prepared) -> None:
    """Keep windows with what they were made of; all of them, or none. Raises StorageFull."""
    sources = sorted({one.source for part in (prepared.windows.training, prepared.windows.aside) for one in part})
    head = {
        "version": VERSION,
        "sources": sources,
        "hashes": dict(prepared.hashes),
        "origins": [asdict(one) for one in prepared.origins],
        "choice": dict(prepared.choice),
    }
    arrays: dict[str, NDArray[Any]] = {"head": np.array(json.dumps(head))}
    for name, part in ((TRAINING, prepared.windows.training), (ASIDE, prepared.windows.aside)):
        arrays |= {f"{name}/{kind}": values for kind, values in _packed(part, sources).items()}
    with kept_in(path, "The windows") as stream:
        # Not compressed: that packs worse than xz behind it, which sees the same texts again.
        np.savez(stream, allow_pickle=False, **arrays)


def read_prepared(path: Path) -> Prepared:
    """The windows in a file that ``write_prepared`` wrote. Raises ModelError where it is damaged, or another one."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        head = json.loads(str(arrays["head"]))
        if head["version"] != VERSION:
            raise ValueError(f"version {head['version']} instead of {VERSION}")
        parts = [_unpacked(arrays, name, head["sources"]) for name in (TRAINING, ASIDE)]
        return Prepared(
            windows=Windows(*parts),
            hashes=head["hashes"],
            origins=[Origin(**one) for one in head["origins"]],
            choice=head["choice"],
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
        remedy = "Make them again, with polyhop train reader --prepare."
        raise ModelError(f"{path} holds no windows to train on: {error}.", remedy=remedy) from error


def _packed(windows: Sequence[Window], sources: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Windows as flat arrays, one behind the other: tokens in 16 bits, marks in one."""
    numbers = {source: number for number, source in enumerate(sources)}
    flat = [(place, *span) for place, one in enumerate(windows) for span in one.spans]
    return {
        "lengths": np.array([len(one.ids) for one in windows], np.int32),
        "ids": np.fromiter(chain.from_iterable(one.ids for one in windows), np.uint16),
        "allowed": np.packbits(np.fromiter(chain.from_iterable(one.allowed for one in windows), np.bool_)),
        "evidence": np.packbits(np.fromiter(chain.from_iterable(one.evidence for one in windows), np.bool_)),
        "spans": np.array(flat, np.int32).reshape(-1, 3),
        "asked": np.array([one.asked for one in windows], np.int16),
        "told": np.array([one.told for one in windows], np.bool_),
        "kind": np.array([one.kind for one in windows], np.int8),
        "source": np.array([numbers[one.source] for one in windows], np.int32),
    }


def _unpacked(arrays: Arrays, name: str, sources: Sequence[str]) -> tuple[Window, ...]:
    part = {kind.removeprefix(f"{name}/"): values for kind, values in arrays.items() if kind.startswith(f"{name}/")}
    ends = np.cumsum(part["lengths"]).tolist()
    ids, count = part["ids"], len(part["ids"])
    allowed, evidence = (np.unpackbits(part[kind], count=count).astype(np.bool_) for kind in ("allowed", "evidence"))
    spans: list[list[tuple[int, int]]] = [[] for _ in ends]
    for place, first, last in part["spans"].tolist():
        spans[place].append((first, last))
    each = zip(*(part[kind].tolist() for kind in ("asked", "told", "kind", "source")), strict=True)
    return tuple(
        Window(
            ids=tuple(ids[start:end].tolist()),
            asked=asked,
            allowed=tuple(allowed[start:end].tolist()),
            spans=tuple(ours),
            evidence=tuple(evidence[start:end].tolist()),
            told=told,
            kind=kind,
            source=sources[source],
        )
        for start, end, ours, (asked, told, kind, source) in zip([0, *ends], ends, spans, each, strict=False)
    )
