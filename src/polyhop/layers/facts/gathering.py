"""How the graph of all facts is brought up to date: it stays, is patched, is changed, or is gathered anew.

A patch that is outgrown is merged into its graph beside all else: the graph is written whole in a place of its own,
where the next gathering takes it over, with what has changed meanwhile as a patch over it.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.indexes.segments import AllBut, alive_among, present, put_in_place, storing
from polyhop.layers import covered
from polyhop.layers.facts.changed_graph import changed_graph, write_changed
from polyhop.layers.facts.gathered import Decoded, GatheredFacts, GraphCounts, KeptNames, write_whole
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merging import Pair, Similarity
from polyhop.layers.facts.patch import counts_of, is_outgrown, is_sound, may_patch, numbers_in, write_patch
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
        numbers, merged = now.covering(parts), self._taken_over()
        # Also what was there before the merge: a change that is taken back leaves the graph that is served.
        names = self._standing(merged, numbers) or self._standing(there, numbers)
        names = names or self._written(merged or there, numbers)
        whole = self._whole(self.folder / names[0])
        counts = counts_of(self.folder / names[-1]) or whole
        if names != there:
            logger.info("facts: gathered %s, rejected %s", counts.sizes, counts.rejected)
        told = {**counts.sizes, "rejected": counts.rejected, "of": len(numbers), SEGMENTS: names, WHOLE: asdict(whole)}
        made = {ROWS: self._rows, CONTENT: self._mark}
        now = replace(now, dead=now.dead[:0])  # what is covered is there: even a patch says what of its graph is not
        now.settle(self.record, self.layer, self.folder, names[-1], {**described, **told, **made})

    def merge(self, begun: Callable[[], None]) -> bool:
        """Write the graph whole beside a patch that is outgrown; whether there is one for ``run`` to take over.

        Only for one process at a time; others may gather meanwhile. ``begun`` is called before it is written. Raises
        StorageFull, IndexCorrupt.
        """
        if self._merged() is not None:
            return True
        shutil.rmtree(self._beside, ignore_errors=True)  # what a killed one left, or one of other rows
        with self.record.snapshot():
            current, there = self.record.generation(self.layer), self._there()
            same = self._rows_stay and self._content_stays
            if current is None or not same or len(there) < 2 or not is_outgrown(self.folder / there[-1]):
                return False
            numbers = numbers_in(self.folder / there[-1])
            numbers = numbers[alive_among(numbers, covered.live_in(self.record, current, self.folder))]
            came, gone = self._difference(self.folder / there[0], numbers)
            target = self._beside / self._marked / name_of(self.content, numbers)
            begun()
        changed = changed_graph(Before.open(self.folder / there[0], AllBut(gone)), came.stated, self.apart)
        write_changed(target, changed, came, self.embed)
        return True

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

    @property
    def _rows_stay(self) -> bool:
        """Whether passages of the generation before state what they stated then."""
        rows = self._rows
        return self._told.get(ROWS) == rows and rows[1] != UNKNOWN

    @property
    def _content_stays(self) -> bool:
        """Whether the generation before was made of them in this way."""
        return self._told.get(CONTENT) == self._mark

    @property
    def _beside(self) -> Path:
        """Where graphs are merged: not among the generations, from which writers sweep what they do not know."""
        return self.folder.with_name(f".merged-{self.folder.name}")

    @property
    def _marked(self) -> str:
        """Tells apart graphs of other rows and content."""
        return name_of(json.dumps([self._rows, self.content]), np.empty(0, np.int64))

    def _merged(self) -> Path | None:
        """A graph that was merged of rows like those that there are now."""
        found = (self._beside / self._marked).glob("*/facts")  # which is written last
        return next((facts.parent for facts in found if may_stay(facts.parent, is_sound)), None)

    def _taken_over(self) -> list[str]:
        """The name of a graph that was merged, put in its place; none where there is none. Raises StorageFull."""
        merged = self._merged()
        if merged is None:
            return []
        with storing(self.folder):
            put_in_place(merged, self.folder / merged.name)
        return [merged.name]

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

    def _standing(self, there: Sequence[str], numbers: Ints) -> Sequence[str]:
        """Of what is there, what the generation of these passages is made of; nothing where that is lacking."""
        whole = name_of(self.content, numbers)
        names = (there[: at + 1] for at, name in enumerate(there) if name in (whole, self._over(there[0], numbers)))
        return next(names, [])

    def _over(self, graph: str, numbers: Ints) -> str:
        """The name of the patch that makes the generation of these passages of a graph."""
        return name_of(f"{graph} {self.content}", numbers)

    def _difference(self, graph: Path | None, numbers: Ints) -> tuple[GatheredFacts, Ints]:
        """What passages state that are not in a graph, and which of its passages are not among these."""
        covers = np.empty(0, np.int64) if graph is None else FactGraph.numbers_in(graph)
        came = GatheredFacts.of(self.decoded(numbers[~present(numbers, covers)]))
        return came, covers[~present(covers, numbers)]

    def _written(self, there: Sequence[str], numbers: Ints) -> list[str]:
        """Write a generation; the names of what it is made of."""
        earlier = self.folder / there[0] if there and self._rows_stay else None
        came, gone = self._difference(earlier, numbers)
        much = len(came.stated.numbers) + len(gone) > SHARE * len(numbers)
        whole = self.folder / name_of(self.content, numbers)
        if earlier is None or much or not self._content_stays or self.similarity or not KeptNames.are_in(earlier):
            gathered = came if earlier is None else GatheredFacts.open(earlier).among(numbers).with_more(came)
            make_room(whole)
            write_whole(whole, gathered, self.embed, self.apart, self.similarity)
            return [whole.name]
        changed = changed_graph(Before.open(earlier, AllBut(gone)), came.stated, self.apart)
        if may_patch(earlier, changed):
            patch = self.folder / self._over(earlier.name, numbers)
            make_room(patch)
            write_patch(patch, earlier, changed, came, self.embed, self._whole(earlier))
            return [earlier.name, patch.name]
        make_room(whole)
        write_changed(whole, changed, came, self.embed)
        return [whole.name]
