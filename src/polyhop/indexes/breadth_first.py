"""The paths that lead away from some entities, the best ones first, and what was not looked at.

StepChain, Eq. 7 and 8. The equations keep every path; from an entity that everybody is next to that would be all of the
graph. So there are bounds, and what they cut off is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.indexes.csr import Doubles, offsets, spread
from polyhop.indexes.ranking import kth_highest
from polyhop.ports import Bools, Floats, Ints

WIDE = 4  # times the facts to follow: so many of an entity's best are looked at for parallel ones among them


class Walkable(Protocol):
    """A graph that can be walked; entities and facts are integers of 0 or more."""

    def touching_each(self, entities: Sequence[int]) -> tuple[Ints, Ints]:
        """The facts that have an entity as head or tail, ascending, entity after entity.

        And where those of each begin among them, and where all end.
        """

    def ends(self, facts: Ints) -> tuple[Ints, Ints]:
        """The heads and the tails of facts."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How far a walk goes. A bound that is not reached changes nothing."""

    depth: int = 2  # facts of a path, at most
    frontier: int = 64  # entities expanded at a level, those with the best paths first
    fan_out: int = 32  # facts followed from an entity, best first
    parallel: int = 3  # of these between the same two entities, best first
    paths: int = 200  # paths kept in all, and paths made longer at a level, best first
    decay: float = 0.9  # what each fact after the first takes from a path's score

    def __post_init__(self) -> None:
        if min(self.depth, self.frontier, self.fan_out, self.parallel, self.paths) < 1:
            raise ValueError("depth, frontier, fan_out, parallel and paths must be at least 1")
        if not 0 < self.decay <= 1:
            raise ValueError("decay must be above 0 and at most 1")


@dataclass(frozen=True, slots=True)
class WalkedPath:
    """A way from a seed that meets no entity twice."""

    entities: tuple[int, ...]  # the seed first
    facts: tuple[int, ...]  # one fewer
    forward: tuple[bool, ...]  # whether each fact was walked from its head to its tail
    score: float  # the seed's, times the mean worth of the facts, times decay for each fact after the first


@dataclass(frozen=True, slots=True)
class BreadthFirstWalk:
    """What a walk found, and what its bounds kept it from."""

    paths: tuple[WalkedPath, ...]  # best first; equals: the shorter first, then by entities and facts
    reached: int  # entities that a path of the walk ends at, and the seeds
    cut: int  # facts not followed because of fan_out or parallel; of very many, those from an entity to itself, too
    dropped: int  # times that an entity was not expanded because of frontier
    stopped: int  # paths that were not made longer because of paths
    beyond: int  # paths that were found and not kept because of paths


def breadth_first(
    seeds: Sequence[tuple[int, float]],
    graph: Walkable,
    worth: Callable[[Ints], Floats],
    bounds: Bounds = Bounds(),
) -> BreadthFirstWalk:
    """The best simple paths of 1 to ``depth`` facts from seeds, each an entity with a score of 0 to 1.

    Facts are walked in both directions. ``worth`` says what each fact is worth, 0 to 1. A path between two seeds counts
    once, from the better one. The mean of the worth makes no path better for its length alone, and ``decay`` makes a
    longer one give way to a shorter one that is as good. Raises UsageError for a seed whose score is not 0 to 1.
    """
    scores: dict[int, float] = {}
    for entity, score in seeds:
        if not 0 <= score <= 1:
            raise UsageError(f"The score of a seed must be 0 to 1, not {score}.")
        scores[entity] = max(score, scores.get(entity, 0.0))
    walk = _Walk(graph=graph, worth=worth, bounds=bounds)
    level = _Level.start(scores)
    levels = []
    for _ in range(bounds.depth):
        level = walk.longer(level)
        levels.append(level)
        if not len(level.scores):
            break
    paths, beyond = _best(levels, scores, bounds.paths)
    reached = np.unique(np.concatenate([np.array(list(scores), np.int64), *(each.entities[:, -1] for each in levels)]))
    return BreadthFirstWalk(
        paths=paths, reached=len(reached), cut=walk.cut, dropped=walk.dropped, stopped=walk.stopped, beyond=beyond
    )


@dataclass(frozen=True, eq=False)
class _Level:
    """The paths with the same number of facts, one in each row."""

    entities: Ints  # (paths, facts + 1)
    facts: Ints  # (paths, facts)
    forward: Bools  # (paths, facts)
    weights: Doubles  # the score of the seed
    sums: Doubles  # of what the facts are worth
    scores: Doubles

    @classmethod
    def start(cls, seeds: dict[int, float]) -> _Level:
        """The seeds as paths without facts."""
        count = len(seeds)
        weights = np.array(list(seeds.values()), np.float64)
        return cls(
            entities=np.array(list(seeds), np.int64).reshape(count, 1),
            facts=np.empty((count, 0), np.int64),
            forward=np.empty((count, 0), np.bool_),
            weights=weights,
            sums=np.zeros(count),
            scores=weights,
        )

    def taken(self, rows: Ints | Bools) -> _Level:
        """Some of the rows."""
        return _Level(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def best(self, k: int, least: float = -np.inf) -> Ints:
        """The k best rows of those with at least a score, best first; equals by entities, then by facts."""
        rows = np.flatnonzero(self.scores >= least)
        if k < len(rows):
            rows = rows[self.scores[rows] >= kth_highest(self.scores[rows], k)]
        keys = (*self.facts[rows].T[::-1], *self.entities[rows].T[::-1], -self.scores[rows])
        return rows[np.lexsort(keys)][:k]

    def path(self, row: int) -> WalkedPath:
        """One row."""
        return WalkedPath(
            entities=tuple(self.entities[row].tolist()),
            facts=tuple(self.facts[row].tolist()),
            forward=tuple(self.forward[row].tolist()),
            score=float(self.scores[row]),
        )


class _Steps(NamedTuple):
    """What is followed from some entities, those of one entity together and best first."""

    facts: Ints
    targets: Ints  # where each leads
    forward: Bools
    worth: Doubles

    def taken(self, rows: Ints | Bools) -> _Steps:
        """Some of the rows."""
        return _Steps(self.facts[rows], self.targets[rows], self.forward[rows], self.worth[rows])

    def followed_by(self, others: _Steps) -> _Steps:
        """These, then others."""
        columns: list[NDArray[Any]] = [np.concatenate(pair) for pair in zip(self, others, strict=True)]
        return _Steps(*columns)

    @classmethod
    def none(cls) -> _Steps:
        """Of no entity."""
        nothing = np.empty(0, np.int64)
        return cls(nothing, nothing, np.empty(0, np.bool_), np.empty(0, np.float64))


@dataclass(kw_only=True)
class _Walk:
    """Follows facts from entities, and remembers what is followed from each, since paths may meet it again."""

    graph: Walkable
    worth: Callable[[Ints], Floats]
    bounds: Bounds
    known: dict[int, tuple[int, int]] = field(default_factory=dict)  # entity -> its stretch of steps
    steps: _Steps = field(default_factory=_Steps.none)
    cut: int = 0
    dropped: int = 0
    stopped: int = 0

    def longer(self, level: _Level) -> _Level:
        """The paths that are one fact longer."""
        rows = self._chosen(level)
        ends = level.entities[rows, -1].tolist()
        self._expand(sorted(set(ends) - self.known.keys()))
        starts, stops = np.array([self.known[end] for end in ends], np.int64).reshape(-1, 2).T
        parents = np.repeat(rows, stops - starts)
        step = self.steps.taken(spread(starts, stops))
        fresh = (level.entities[parents] != step.targets[:, None]).all(axis=1)
        parents, step = parents[fresh], step.taken(fresh)
        facts = np.column_stack([level.facts[parents], step.facts])
        weights, sums = level.weights[parents], level.sums[parents] + step.worth
        length = facts.shape[1]
        return _Level(
            entities=np.column_stack([level.entities[parents], step.targets]),
            facts=facts,
            forward=np.column_stack([level.forward[parents], step.forward]),
            weights=weights,
            sums=sums,
            scores=weights * (sums / length) * self.bounds.decay ** (length - 1),
        )

    def _chosen(self, level: _Level) -> Ints:
        """The paths to make longer: the best of those that end at the entities with the best paths."""
        distinct = len(np.unique(level.entities[:, -1]))
        if distinct <= self.bounds.frontier and len(level.scores) <= self.bounds.paths:
            return np.arange(len(level.scores))
        rows = level.best(len(level.scores))
        if distinct > self.bounds.frontier:
            self.dropped += distinct - self.bounds.frontier
            ends = level.entities[rows, -1]
            first = np.sort(np.unique(ends, return_index=True)[1])[: self.bounds.frontier]
            rows = rows[np.isin(ends, ends[first])]
        self.stopped += max(len(rows) - self.bounds.paths, 0)
        return rows[: self.bounds.paths]

    def _expand(self, entities: Sequence[int]) -> None:
        """Remember what is followed from entities, which are ascending and were not expanded before."""
        if not entities:
            return
        facts, starts = self.graph.touching_each(entities)
        worth, counts = np.asarray(self.worth(facts), np.float64), np.diff(starts)
        wide = WIDE * self.bounds.fan_out
        while True:
            near = _nearly_best(starts, worth, wide)
            sources, found = self._steps(np.array(entities, np.int64), starts, facts, worth, near)
            kept = _followed(sources, found, self.bounds)
            taken = np.bincount(sources[kept], minlength=len(entities))
            if not np.any((counts > wide) & (taken < self.bounds.fan_out)):
                break
            wide *= WIDE  # too many of the best ones were parallel
        self.cut += len(facts) - (len(near) - len(sources)) - len(kept)
        bounds = len(self.steps.facts) + offsets(taken)
        self.known.update(zip(entities, pairwise(bounds.tolist()), strict=True))
        self.steps = self.steps.followed_by(found.taken(kept))

    def _steps(self, entities: Ints, starts: Ints, facts: Ints, worth: Doubles, rows: Ints) -> tuple[Ints, _Steps]:
        """Some rows of facts, ascending, as steps from the entities that they stand with, which are told by place.

        A fact from an entity to itself leads nowhere, and is none.
        """
        sources = np.searchsorted(starts, rows, side="right") - 1
        heads, tails = self.graph.ends(facts[rows])
        away = np.flatnonzero(heads != tails)
        rows, sources, heads, tails = rows[away], sources[away], heads[away], tails[away]
        forward = heads == entities[sources]
        return sources, _Steps(facts[rows], np.where(forward, tails, heads), forward, worth[rows])


def _followed(sources: Ints, steps: _Steps, bounds: Bounds) -> Ints:
    """The best ``fan_out`` rows of each source, by source and best first; equals in the order they stand."""
    ordered = np.lexsort((-steps.worth, sources))
    turn = np.empty(len(ordered), np.int64)  # how many better facts lead from the same source to the same target
    together = np.lexsort((steps.targets[ordered], sources[ordered]))
    turn[together] = _turns(sources[ordered][together], steps.targets[ordered][together])
    ordered = ordered[turn < bounds.parallel]
    return ordered[_turns(sources[ordered]) < bounds.fan_out]


def _nearly_best(starts: Ints, worth: Doubles, wide: int) -> Ints:
    """At most ``wide`` rows of each source, the best ones, ascending; rows stand source after source."""
    pieces, done = [], 0
    for source in np.flatnonzero(np.diff(starts) > wide).tolist():
        start, end = int(starts[source]), int(starts[source + 1])
        pieces += [np.arange(done, start), start + _top(worth[start:end], wide)]
        done = end
    return np.concatenate([*pieces, np.arange(done, int(starts[-1]))])


def _top(values: Doubles, k: int) -> Ints:
    """Where the k highest values stand, ascending; of equal ones the first."""
    floor = kth_highest(values, k)
    above = np.flatnonzero(values > floor)
    level = np.flatnonzero(values == floor)[: k - len(above)]
    return np.sort(np.concatenate([above, level]))


def _turns(*columns: NDArray[Any]) -> Ints:
    """For each row of columns in which equal rows stand together, how many equal ones stand before it."""
    count = len(columns[0])
    fresh = np.ones(count, np.bool_)
    fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    starts = np.flatnonzero(fresh)
    return np.arange(count) - np.repeat(starts, np.diff(np.append(starts, count)))


def _best(levels: Sequence[_Level], seeds: Mapping[int, float], k: int) -> tuple[tuple[WalkedPath, ...], int]:
    """The k best paths of all levels, and how many more there are."""
    levels = [_once(level, seeds) for level in levels]
    scores = np.concatenate([level.scores for level in levels])
    least = kth_highest(scores, k) if k < len(scores) else -np.inf
    paths = [level.path(row) for level in levels for row in level.best(k, least).tolist()]
    paths.sort(key=lambda path: (-path.score, len(path.facts), path.entities, path.facts))
    return tuple(paths[:k]), max(len(scores) - k, 0)


def _once(level: _Level, seeds: Mapping[int, float]) -> _Level:
    """Without the paths that are there from their other end, too, if the seed there is better."""
    between = np.flatnonzero(np.isin(level.entities[:, -1], np.array(list(seeds), np.int64))).tolist()
    ways: dict[tuple[int, ...], int] = {}
    for row in sorted(between, key=lambda row: (-level.weights[row], level.entities[row, 0])):
        facts = tuple(level.facts[row].tolist())
        ways.setdefault(min(facts, facts[::-1]), row)
    kept = np.ones(len(level.scores), np.bool_)
    kept[between] = False
    kept[list(ways.values())] = True
    return level if kept.all() else level.taken(kept)
