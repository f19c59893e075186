"""What a generation was gathered from, kept beside its graph: the next one decodes only what came since."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from polyhop.indexes.names import normal
from polyhop.indexes.segments import AllBut, Arrays, KeptArrays, present, read_arrays, write_arrays
from polyhop.indexes.splicing import Splice
from polyhop.indexes.strings import Hashes, hashed
from polyhop.indexes.texts import Texts
from polyhop.layers.facts.entities import spelled_entities
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.graph_parts import save_parts, stated_parts
from polyhop.layers.facts.merging import Pair, Similarity
from polyhop.layers.facts.stated import Stated, StatedFacts
from polyhop.ports import Embed, Ints
from polyhop.types import Fact, Passage

FOLDER: Final = "gathered"  # in that of the generation
NAMES: Final = "gathered/names"  # where ``KeptNames`` are
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

    def beside(self) -> KeptBeside:
        """What the graph of a generation does not say."""
        numbers = np.array(sorted(self.rejected), np.int64)
        return KeptBeside(
            titles=Texts.build(self.stated.titles),
            acronyms=Texts.build(self.stated.acronyms),
            rejected=Texts.build([json.dumps(self.rejected[number]) for number in numbers.tolist()]),
            rows={"acronyms": self.stated.acronym_rows, "rejected": numbers},
        )

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

    @property
    def reasons(self) -> dict[str, int]:
        """How many facts were rejected, by reason."""
        found: Counter[str] = Counter()
        for rejected, passages in Counter(self.rejected.all()).items():
            found.update({reason: count * passages for reason, count in json.loads(rejected).items()})
        return dict(sorted(found.items()))

    def reasons_with(self, gone: Ints, more: GatheredFacts, reasons: Mapping[str, int]) -> dict[str, int]:
        """The same, from those of all, when passages go, by their numbers, and others come."""
        found = Counter(reasons)
        for place in np.flatnonzero(present(self.rows["rejected"], gone)).tolist():
            found.subtract(json.loads(self.rejected[place]))
        for faults in more.rejected.values():
            found.update(faults)
        return {reason: count for reason, count in sorted(found.items()) if count}

    def acronyms_with(self, rows: Splice, more: KeptBeside) -> Splice:
        """How acronyms go and come with the passages that say them; ``more``: what is kept of those that come."""
        said = self.rows["acronyms"]
        return Splice(rows.stays[said], np.searchsorted(said, rows.before[more.rows["acronyms"]]))

    def spliced(self, numbers: Ints, rows: Splice, more: KeptBeside) -> Self:
        """What is kept when passages go and come; ``numbers``: of the rows that were there."""
        acronyms, faulty = self.acronyms_with(rows, more), self.rows["rejected"]
        rejected = Splice(present(faulty, numbers[rows.stays]), np.searchsorted(faulty, more.rows["rejected"]))
        said = acronyms.rows(rows.placed[self.rows["acronyms"]], rows.came[more.rows["acronyms"]])
        return type(self)(
            titles=self.titles.spliced(rows, more.titles),
            acronyms=self.acronyms.spliced(acronyms, more.acronyms),
            rejected=self.rejected.spliced(rejected, more.rejected),
            rows={"acronyms": said, "rejected": rejected.rows(faulty, more.rows["rejected"])},
        )

    def save(self, generation: Path) -> None:
        """Raises StorageFull."""
        folder = generation / FOLDER
        self.titles.save(folder / "titles")
        self.acronyms.save(folder / "acronyms")
        self.rejected.save(folder / "rejected")
        write_arrays(folder / "rows", self.rows)


@dataclass(frozen=True, kw_only=True)
class GraphCounts:
    """What a graph has."""

    sizes: dict[str, int]  # as ``FactGraph.counts``
    rejected: dict[str, int]  # by reason

    @classmethod
    def of(cls, generation: Path) -> Self:
        """Of a graph that was written whole. Raises IndexCorrupt."""
        graph = FactGraph.open(generation, AllBut(np.empty(0, np.int64)))
        return cls(sizes=graph.counts, rejected=KeptBeside.open(generation).reasons)


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptNames(KeptArrays):
    """By which of its names a generation is touched by a change (``touched.py``); earlier versions had none."""

    titles: Hashes  # row -> hash of the normalised title
    acronyms: Hashes  # (n, 2): those of the normalised name and of its acronym
    claims: Ints  # the facts that say that two names are of one entity, ascending

    @staticmethod
    def are_in(generation: Path) -> bool:
        """Whether a generation has them, whole or damaged."""
        return (generation / NAMES).is_dir()

    @classmethod
    def of(cls, stated: StatedFacts) -> Self:
        """Of facts all of whose ends are names."""
        both = (normal(name) for said in stated.acronyms for name in said.split("\n"))
        return cls(
            titles=hashed(map(normal, stated.titles)),
            acronyms=hashed(both).reshape(-1, 2),
            claims=np.array([fact for fact, _ in stated.claims], np.int64),
        )

    def spliced(self, splices: tuple[Splice, Splice, Splice], more: KeptNames) -> Self:
        """The same when passages go and come, and with them acronyms and facts."""
        rows, acronyms, facts = splices
        stay = facts.placed[self.claims[facts.stays[self.claims]]]
        return type(self)(
            titles=rows.rows(self.titles, more.titles),
            acronyms=acronyms.rows(self.acronyms, more.acronyms),
            claims=np.sort(np.concatenate([stay, facts.came[more.claims]])),
        )


def write_whole(
    generation: Path,
    gathered: GatheredFacts,
    embed: Embed,
    apart: Iterable[Pair] = (),
    similarity: Similarity | None = None,
) -> None:
    """Write the generation of what passages state; as ``FactGraph.of``. Raises StorageFull."""
    stated, entities = spelled_entities(gathered.stated, apart, similarity)
    parts = stated_parts(stated, entities, embed)
    gathered.beside().save(generation)
    KeptNames.of(stated).save(generation / NAMES)
    save_parts(parts, generation)  # last: its presence says that all is there


def check_kept(generation: Path) -> None:
    """Raises IndexCorrupt where what the next gathering builds upon is damaged; earlier versions kept less."""
    if (generation / FOLDER).is_dir():
        KeptBeside.open(generation)
    if KeptNames.are_in(generation):
        KeptNames.open(generation / NAMES)
