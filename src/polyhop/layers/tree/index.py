"""The tree of summaries as it is searched: nodes with texts and vectors above the passages that they sum up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from polyhop.indexes.csr import flat
from polyhop.indexes.segments import Arrays, check_fit, read_arrays, write_arrays
from polyhop.indexes.texts import Texts
from polyhop.ports import Bools, Floats, Ints

FORMAT_VERSION = 1  # raise it when the same passages would give other arrays
_ARRAYS = ("numbers", "vectors", "levels", "children", "bounds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A summary and what it sums up: places below the number of leaves are leaves, later ones are earlier nodes."""

    text: str
    level: int  # 1: it has passages only, or the highest level of its children and one
    children: tuple[int, ...]  # at least two


def write(folder: Path, numbers: Ints, nodes: Sequence[Node], vectors: Floats) -> None:
    """Write a tree as a folder; nodes come after their children, ``vectors`` has a row for each. Raises StorageFull."""
    children, bounds = flat([node.children for node in nodes])
    levels = np.array([node.level for node in nodes], np.int64)
    Texts.build([node.text for node in nodes]).save(folder / "texts")
    arrays: Arrays = {"numbers": numbers, "vectors": vectors, "levels": levels, "children": children, "bounds": bounds}
    write_arrays(folder / "tree", arrays)


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeIndex:
    """A tree of summaries. A node below which a passage was removed is hidden: its text may quote that passage."""

    numbers: Ints  # of passages, by leaf
    vectors: Floats  # unit, shape (nodes, dimensions)
    levels: Ints  # of nodes, from 1
    children: Ints
    bounds: Ints  # node i has children[bounds[i]:bounds[i + 1]]
    texts: Texts
    standing: Bools  # by leaf and then by node: whether it is there

    @classmethod
    def open(cls, folder: Path, live: Ints) -> Self:
        """Open a tree for the passages in ``live``. Raises IndexCorrupt."""
        arrays, texts = read_arrays(folder / "tree", _ARRAYS), Texts.open(folder / "texts")
        nodes, leaves = len(arrays["levels"]), len(arrays["numbers"])
        children, bounds = arrays["children"], arrays["bounds"]
        check_fit(folder, {len(texts), len(arrays["vectors"]), len(bounds) - 1} == {nodes})
        check_fit(folder, int(bounds[-1]) == len(children))
        check_fit(folder, not len(children) or 0 <= children.min() <= children.max() < leaves + nodes)
        standing = np.concatenate([np.isin(arrays["numbers"], live), np.ones(nodes, np.bool_)])
        for _ in range(int(arrays["levels"].max()) if nodes else 0):
            standing[leaves:] = np.logical_and.reduceat(standing[children], bounds[:-1])
        return cls(**arrays, texts=texts, standing=standing)

    def __len__(self) -> int:
        """How many summaries there are."""
        return int(self.standing[len(self.numbers) :].sum())

    @property
    def nodes(self) -> Ints:
        """The summaries that are not hidden, ascending: children before what sums them up."""
        return np.flatnonzero(self.standing[len(self.numbers) :])

    def below(self, node: int) -> tuple[Ints, Ints]:
        """What a summary sums up itself: the numbers of passages, and nodes; both ascending."""
        return self._parted(self.children[self.bounds[node] : self.bounds[node + 1]])

    def top(self) -> tuple[Ints, Ints]:
        """What no summary sums up: the numbers of passages, and nodes; both ascending."""
        covered = np.zeros(len(self.standing), np.bool_)
        for node in self.nodes.tolist():
            covered[self.children[self.bounds[node] : self.bounds[node + 1]]] = True
        return self._parted(np.flatnonzero(~covered))

    def passages_below(self, node: int) -> Ints:
        """The numbers of all passages below a summary, each once, ascending."""
        passages, nodes = self.below(node)
        parts, waiting, seen = [passages], nodes.tolist(), set(nodes.tolist())
        while waiting:
            passages, nodes = self.below(waiting.pop())
            parts.append(passages)
            new = set(nodes.tolist()) - seen
            seen |= new
            waiting += sorted(new)
        return np.unique(np.concatenate(parts))

    def remains(self) -> tuple[Ints, list[Node], Floats]:
        """What ``write`` needs to write the tree without what is hidden."""
        places = np.cumsum(self.standing) - 1
        nodes = [
            Node(
                text=self.texts[node],
                level=int(self.levels[node]),
                children=tuple(places[self.children[self.bounds[node] : self.bounds[node + 1]]].tolist()),
            )
            for node in self.nodes.tolist()
        ]
        return self.numbers[self.standing[: len(self.numbers)]], nodes, self.vectors[self.nodes]

    def similarities(self, query: Floats, nodes: Ints) -> Floats:
        """The cosine of a question's unit vector with each of some summaries."""
        products: Floats = (self.vectors[nodes].astype(np.float64) * query).sum(axis=1).astype(np.float32)
        return products

    def _parted(self, places: Ints) -> tuple[Ints, Ints]:
        there = np.unique(places[self.standing[places]])
        leaves = len(self.numbers)
        return np.sort(self.numbers[there[there < leaves]]), there[there >= leaves] - leaves
