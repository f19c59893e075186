"""How the graph of all facts is brought up to date: it stays, is patched, is changed, or is gathered anew."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.indexes.segments import AllBut, present
from polyhop.layers import covered
from polyhop.layers.facts.changed_graph import changed_graph, write_changed
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, GraphCounts, KeptNames, write_whole
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import Pair, Similarity
from polyhop.layers.facts.patch import counts_of, is_sound, may_patch, numbers_in, write_patch
from polyhop.layers.facts.touched import Before
from polyhop.layers.generations import make_room, may_stay, name_of
from polyhop.ports import Embed, Ints
from polyhop.store.changes import UNKNOWN
from polyhop.store.record import Record

logger = logging.getLogger(__name__)

ROWS: Final = "rows"  # in the description of a generation: what its passages' facts were read from
CONTENT: Final = "content"  # likewise: what made a graph of them
SEGMENTS: Final = "segments"  # the graph that was written whole and, if there is one, its patch
WHOLE: Final = "whole"  # what the graph has without its patch
SHARE: Final = 1 / 4  # of the passages: where more have changed, the graph is gathered whole


@dataclass(frozen=True, kw_only=True)
class FactGathering:
    """Brings the graph of an index up to date."""

    record: Record
    folder: Path
    layer: str
    fingerprint: str  # of the rows
    content: str  # what else determines the graph
    apart: Sequence[Pair]
    similarity: Similarity | None
    embed: Embed
    decoded: Callable[[Ints], Iterator[Decoded]]  # what passages state, by their numbers

    def run(self, described: Mapping[str, Any]) -> None:
        """Write what is not there yet, and make it known; ``described``: what else to say of it. Raises StorageFull."""
        there = self._there()
        parts = [numbers_in(self.folder / name) for name in there[-1:]]
        now = covered.look(self.record, self.layer, self.fingerprint, self.folder, there, parts)
        numbers = now.covering(parts)
        target = self.folder / name_of(self.content, numbers)
        if target.name in there:
            names = there[: there.index(target.name) + 1]
        else:
            make_room(target)
            names = self._written(target, there, numbers)
        whole = self._whole(self.folder / names[0])
        counts = counts_of(target) or whole
        if target.name not in there:
            logger.info("facts: gathered %s, rejected %s", counts.sizes, counts.rejected)
        told = {**counts.sizes, "rejected": counts.rejected, "of": len(numbers), SEGMENTS: names, WHOLE: asdict(whole)}
        made = {ROWS: self._rows, CONTENT: self._mark}
        now = replace(now, dead=now.dead[:0])  # what is covered is there: even a patch says what of its graph is not
        now.settle(self.record, self.layer, self.folder, target.name, {**described, **told, **made})

    @property
    def _rows(self) -> list[Any]:
        return [self.fingerprint, self.record.turn(self.layer, self.fingerprint)]

    @property
    def _mark(self) -> str:
        return name_of(self.content, np.empty(0, np.int64))

    @property
    def _told(self) -> Mapping[str, Any]:
        """The description of the generation before."""
        current = self.record.generation(self.layer)
        return {} if current is None else current.description

    def _there(self) -> list[str]:
        """The graph that was written whole and its patch, as far as they can be opened."""
        current = self.record.generation(self.layer)
        names = [] if current is None else current.description.get(SEGMENTS, [current.name])
        return list(takewhile(lambda name: may_stay(self.folder / name, is_sound), names))

    def _whole(self, graph: Path) -> GraphCounts:
        """What a graph has that was written whole."""
        told = self._told
        known = told.get(SEGMENTS, [""])[0] == graph.name and WHOLE in told
        return GraphCounts(**told[WHOLE]) if known else GraphCounts.of(graph)

    def _written(self, target: Path, there: Sequence[str], numbers: Ints) -> list[str]:
        """Write a generation; the names of what it is made of."""
        rows, told = self._rows, self._told
        earlier = self.folder / there[0] if there and told.get(ROWS) == rows and rows[1] != UNKNOWN else None
        covers = np.empty(0, np.int64) if earlier is None else FactGraph.numbers_in(earlier)
        new, gone = numbers[~present(numbers, covers)], covers[~present(covers, numbers)]
        came = GatheredFacts.of(self.decoded(new))
        same = told.get(CONTENT) == self._mark and self.similarity is None
        if earlier is None or not same or len(new) + len(gone) > SHARE * len(covers) or not KeptNames.are_in(earlier):
            gathered = came if earlier is None else GatheredFacts.open(earlier).among(numbers).with_more(came)
            write_whole(target, gathered, self.embed, self.apart, self.similarity)
            return [target.name]
        changed = changed_graph(Before.open(earlier, AllBut(gone)), came.stated, self.apart)
        if may_patch(earlier, changed):
            write_patch(target, earlier, changed, came, self.embed, self._whole(earlier))
            return [earlier.name, target.name]
        write_changed(target, changed, came, self.embed)
        return [target.name]
