"""What a generation was gathered from, kept beside its graph: the next one decodes only what came since."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from polyhop.indexes.segments import Arrays, present, read_arrays, write_arrays
from polyhop.indexes.texts import Texts
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.stated import Stated, StatedFacts
from polyhop.ports import Ints
from polyhop.types import Fact, Passage

FOLDER: Final = "gathered"  # in that of the generation
Decoded = tuple[int, Passage, Sequence[Fact], Mapping[str, int]]  # as ``Stated``, and how many were rejected, by reason


@dataclass(frozen=True, kw_only=True, eq=False)
class GatheredFacts:
    """The facts of passages, and how many of what they seemed to state was rejected."""

    stated: StatedFacts
    rejected: Mapping[int, Mapping[str, int]]  # passage number -> reason -> how many

    @classmethod
    def of(cls, decoded: Iterable[Decoded]) -> Self:
        """Of passages in any order."""
        rejected: dict[int, Mapping[str, int]] = {}

        def stated() -> Iterable[Stated]:
            for number, passage, facts, faults in decoded:
                if faults:
                    rejected[number] = faults
                yield number, passage, facts

        return cls(stated=StatedFacts.of(stated()), rejected=rejected)

    def among(self, numbers: Ints) -> Self:
        """Those of some passages, by their numbers, ascending."""
        kept = present(self.stated.numbers, numbers)
        there = set(self.stated.numbers[kept].tolist())
        rejected = {number: faults for number, faults in self.rejected.items() if number in there}
        return type(self)(stated=self.stated.of_passages(kept), rejected=rejected)

    def with_more(self, more: GatheredFacts) -> Self:
        """These and others."""
        return type(self)(stated=self.stated.with_more(more.stated), rejected={**self.rejected, **more.rejected})

    @property
    def reasons(self) -> dict[str, int]:
        """How many were rejected, by reason."""
        return dict(sorted(sum(map(Counter, self.rejected.values()), Counter[str]()).items()))

    def save(self, generation: Path) -> None:
        """Keep what the graph of the generation does not say. Raises StorageFull."""
        folder = generation / FOLDER
        Texts.build(self.stated.titles).save(folder / "titles")
        Texts.build(self.stated.acronyms).save(folder / "acronyms")
        numbers = np.array(sorted(self.rejected), np.int64)
        Texts.build([json.dumps(self.rejected[number]) for number in numbers.tolist()]).save(folder / "rejected")
        write_arrays(folder / "rows", {"acronyms": self.stated.acronym_rows, "rejected": numbers})

    @classmethod
    def open(cls, generation: Path) -> Self:
        """What a generation was gathered from. Raises IndexCorrupt."""
        kept = KeptBeside.open(generation)
        stated = FactGraph.open(generation, np.empty(0, np.int64)).stated(
            kept.titles.all(), kept.acronyms.all(), kept.rows["acronyms"]
        )
        rejected = zip(kept.rows["rejected"].tolist(), map(json.loads, kept.rejected.all()), strict=True)
        return cls(stated=stated, rejected=dict(rejected))


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptBeside:
    """What is kept beside a graph, mapped and not read."""

    titles: Texts
    acronyms: Texts
    rejected: Texts
    rows: Arrays

    @classmethod
    def open(cls, generation: Path) -> Self:
        """Raises IndexCorrupt."""
        texts = {name: Texts.open(generation / FOLDER / name) for name in ("titles", "acronyms", "rejected")}
        return cls(**texts, rows=read_arrays(generation / FOLDER / "rows", ("acronyms", "rejected")))
