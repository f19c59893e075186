"""A graph of passages that come and go, gathered into segments between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from polyhop.indexes import segment_plan, segments
from polyhop.layers.parsekg import gathering
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.ports import Ints
from polyhop.types import Passage, Sentence
from tests.worlds.sentences import Said

Steps = list[tuple[set[int], set[int]]]  # passages that come and go between one gathering and the next


def grown(
    said: Said, steps: Steps, place: Path, after: Callable[[ParseKG], None] = lambda _: None
) -> tuple[ParseKG, list[int]]:
    """The graph after all of these, and which passages are there in the end; ``after`` is called after each."""
    live: list[int] = []
    folders: list[Path] = []
    for step, (come, go) in enumerate(steps):
        live = sorted((set(live) | (come & said.keys())) - go)
        numbers = np.array(live, np.int64)
        covered = [segments.read_arrays(folder / "places", ("numbers",))["numbers"] for folder in folders]
        plan = segment_plan.plan(covered, numbers)
        folders = folders[: plan.keep]
        if len(plan.new):
            earlier = ParseKG.open(place, folders, numbers)
            folders.append(gathered(said, plan.new, place / str(step), earlier))
        after(ParseKG.open(place, folders, numbers))
    return ParseKG.open(place, folders, np.array(live, np.int64)), live


def gathered(said: Said, numbers: Ints, folder: Path, earlier: ParseKG) -> Path:
    """Gather these passages into a segment behind those of an earlier graph."""

    def read(wanted: Ints) -> Iterator[tuple[int, Passage, list[Sentence]]]:
        return ((number, *said[number]) for number in wanted.tolist())

    gathering.write(folder, numbers, read, earlier=earlier, runs=folder.with_name("runs"), memory=2000)
    return folder
