"""Which passages the segments of a generation cover, and what came and went since: read in time for what changed.

A generation notes how far it saw the record, and keeps the numbers that it covers although they are gone, or does not
cover although they are there. So the next gathering, and whoever opens it, asks the record only for what came after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.errors import IndexCorrupt
from polyhop.indexes.segment_plan import SegmentPlan, plan, plan_of_change
from polyhop.indexes.segments import (
    AllBut,
    Live,
    present,
    read_arrays,
    sweep,
)
from polyhop.indexes.streamed import streamed
from polyhop.ports import Ints
from polyhop.store.changes import UNKNOWN
from polyhop.store.port import Generation
from polyhop.store.record import Record

NOTED: Final = "covered"  # in the description of a generation
_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Reached:
    """Which passages of a record have rows under a fingerprint, seen from the segments that there are."""

    turn: int  # of the rows: what was noted before another turn does not hold
    upto: int  # no passage with a higher number was there
    gone: int  # nor had any gone after this place
    lacking: Ints  # passages that were there and had no rows; ascending
    plan: SegmentPlan
    dead: Ints  # covered by the segments that stay, but gone; ascending

    def live(self) -> AllBut:
        """The passages that are searched, once the plan is carried out."""
        return AllBut(self.dead)

    def covering(self, parts: Sequence[Ints]) -> Ints:
        """The numbers of all passages that have rows, ascending; ``parts``: what the segments that there are cover."""
        staying = (numbers[~present(numbers, self.dead)] for numbers in parts[: self.plan.keep])
        return np.sort(np.concatenate([*staying, self.plan.new]), kind="stable")

    def digest(self) -> str:
        """Tells apart which passages of the same segments are gone."""
        return hashlib.sha256(self.dead.tobytes()).hexdigest()[:16] if len(self.dead) else ""

    def _note(self, folder: Path) -> dict[str, Any]:
        """What the next one needs, for the description of a generation in this folder. Raises StorageFull."""
        name = ""
        if len(self.dead) + len(self.lacking):
            arrays = {"dead": self.dead, "lacking": self.lacking}
            name = hashlib.sha256(b"|".join(array.tobytes() for array in arrays.values())).hexdigest()[:16]
            name = f"{NOTED}-{name}"
            if not (folder / name).is_dir():
                with streamed(folder / name) as writer:
                    writer.put(arrays)
        return {"turn": self.turn, "upto": self.upto, "gone": self.gone, "folder": name}

    def settle(self, record: Record, layer: str, folder: Path, generation: str, described: dict[str, Any]) -> None:
        """Make a generation known, described with its ``segments``, and remove what it is not made of.

        Raises StorageFull.
        """
        note = self._note(folder)
        record.set_generation(layer, generation, {**described, NOTED: note})
        sweep(folder, [generation, *described["segments"], note["folder"]])


def look(
    record: Record, layer: str, fingerprint: str, folder: Path, kept: Sequence[str], parts: Sequence[Ints]
) -> Reached:
    """What the segments that may be kept, with what each covers, need in order to cover what has rows now."""
    turn = record.turn(layer, fingerprint)
    with record.snapshot():
        upto, gone = record.highest(), record.gone_by_now()
        noted = _noted(record.generation(layer), folder, turn, kept)
        if noted is None:
            live = record.done(layer, fingerprint)
            lacking = np.setdiff1d(record.numbers(), live, assume_unique=True)
            planned = plan(parts, live)
            together = np.sort(np.concatenate([_NONE, *parts[: planned.keep]]))
            return Reached(
                turn=turn, upto=upto, gone=gone, lacking=lacking, plan=planned, dead=together[~present(together, live)]
            )
        dead, lacking, note = noted
        went = record.gone_since(note["gone"])
        come = record.done_after(layer, fingerprint, note["upto"])
        back = record.done_among(layer, fingerprint, lacking)
        lacking = _union([lacking, record.numbers_after(note["upto"])])
    lacking = _without(_without(_without(lacking, come), back), went)
    dead = _without(_union([dead, *(went[present(went, part)] for part in parts)]), back)
    back = reduce(_without, (back[present(back, part)] for part in parts), back)  # some are covered as they were
    planned = plan_of_change(parts, dead, _union([come, back]))
    dead = _union([dead[present(dead, part)] for part in parts[: planned.keep]])
    return Reached(turn=turn, upto=max(upto, note["upto"]), gone=gone, lacking=lacking, plan=planned, dead=dead)


def live_in(record: Record, current: Generation, folder: Path) -> Live:
    """The passages that a generation covers and that are still there. Raises IndexCorrupt."""
    note = current.description.get(NOTED)
    if note is None:  # an earlier version wrote it
        return record.numbers()
    dead, _ = _arrays(folder, note)
    return AllBut(_union([dead, record.gone_since(note["gone"])]))


def _noted(
    current: Generation | None, folder: Path, turn: int, kept: Sequence[str]
) -> tuple[Ints, Ints, dict[str, Any]] | None:
    """What a generation noted, if it still holds and all segments are there."""
    note = None if current is None else current.description.get(NOTED)
    if (
        current is None
        or note is None
        or turn == UNKNOWN
        or note["turn"] != turn
        or list(kept) != current.description["segments"]
    ):
        return None
    try:
        return *_arrays(folder, note), note
    except IndexCorrupt:
        return None


def _arrays(folder: Path, note: dict[str, Any]) -> tuple[Ints, Ints]:
    if not note["folder"]:
        return _NONE, _NONE
    arrays = read_arrays(folder / note["folder"], ("dead", "lacking"))
    return arrays["dead"], arrays["lacking"]


def _union(parts: Sequence[Ints]) -> Ints:
    return np.unique(np.concatenate([_NONE, *parts]))


def _without(numbers: Ints, others: Ints) -> Ints:
    return numbers[~present(numbers, others)]
