"""Passages gathered into a segment of ParseKG in bounded memory: as many runs as it asks for, and then all merged.

Whoever is killed meanwhile leaves the runs that were finished, and the next one goes on behind them. How many runs
there are does not show in what is gathered: it is the same, byte for byte.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from polyhop.errors import IndexCorrupt
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.merging import merged
from polyhop.layers.parsekg.runs import RunDraft, SortedRun
from polyhop.ports import Ints
from polyhop.types import Passage, Sentence

RUNS_VERSION = 2  # raise it when a run of the same passages would be another
Said = tuple[int, Passage, Sequence[Sentence]]
Read = Callable[[Ints], Iterable[Said]]  # passages by their numbers, with what they say, in this order


def write(folder: Path, numbers: Ints, read: Read, *, earlier: ParseKG, runs: Path, memory: int) -> None:
    """Gather these passages into a segment that is to stand behind those of an earlier graph.

    ``runs``: a folder for them meanwhile, named after all that determines what a passage says. ``memory``: bytes that
    it may take, about. Raises StorageFull.
    """
    finished: list[SortedRun] = []
    done = 0
    while done < len(numbers):
        place = runs / f"{RUNS_VERSION}-{numbers[done]}"
        run = _finished(place, numbers[done:])
        if run is None:
            _collected(read(numbers[done:]), memory).save(place)
            run = SortedRun.open(place)
        finished.append(run)
        done += run.rows
    merged(finished, folder, earlier)
    shutil.rmtree(runs, ignore_errors=True)


def _collected(said: Iterable[Said], memory: int) -> RunDraft:
    """As many passages as the memory is enough for, and at least one."""
    draft = RunDraft()
    for each in said:
        draft.add(*each)
        if draft.held >= memory:
            break
    return draft


def _finished(place: Path, numbers: Ints) -> SortedRun | None:
    """A run of the next of these passages that an earlier process finished, if there is one."""
    try:
        run = SortedRun.open(place)
        found = run.arrays["numbers"].read()
    except IndexCorrupt:
        return None
    return run if len(found) and np.array_equal(found, numbers[: len(found)]) else None
