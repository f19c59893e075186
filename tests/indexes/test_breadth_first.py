"""Walks over a graph find the paths that a plain loop finds, and within bounds the best of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.breadth_first import Bounds, BreadthFirstWalk, WalkedPath, breadth_first
from polyhop.indexes.csr import offsets
from polyhop.ports import Floats, Ints

FREE = {"frontier": 10**6, "fan_out": 10**6, "parallel": 10**6, "paths": 10**6}  # bounds that nothing here reaches


@dataclass(frozen=True)
class Pairs:
    """A graph of heads and tails."""

    pairs: Ints  # (facts, 2)

    def touching_each(self, entities: Sequence[int]) -> tuple[Ints, Ints]:
        """By looking at every fact."""
        each = [np.flatnonzero((self.pairs == entity).any(axis=1)) for entity in entities]
        return np.concatenate(each), offsets(map(len, each))

    def ends(self, facts: Ints) -> tuple[Ints, Ints]:
        """The columns."""
        return self.pairs[facts, 0], self.pairs[facts, 1]


def graph_of(*pairs: tuple[int, int]) -> Pairs:
    """The graph of these facts, in order."""
    return Pairs(np.array(pairs, np.int64).reshape(-1, 2))


def worth_of(*values: float) -> Callable[[Ints], Floats]:
    """What each fact is worth, in order."""
    table = np.array(values, np.float32)
    return lambda facts: table[facts]


def plainly(
    seeds: Sequence[tuple[int, float]], pairs: Sequence[tuple[int, int]], values: Sequence[float], bounds: Bounds
) -> list[WalkedPath]:
    """All paths within the depth, by plain loops; a path between two seeds from the better one only."""
    steps = defaultdict(list)
    for fact, (head, tail) in enumerate(pairs):
        steps[head].append((fact, tail, True))
        steps[tail].append((fact, head, False))

    def onward(path: WalkedPath, weight: float, total: float) -> Iterator[WalkedPath]:
        for fact, target, forward in steps[path.entities[-1]] if len(path.facts) < bounds.depth else ():
            if target not in path.entities:
                sum_, facts = total + values[fact], (*path.facts, fact)
                score = weight * (sum_ / len(facts)) * bounds.decay ** (len(facts) - 1)
                longer = WalkedPath((*path.entities, target), facts, (*path.forward, forward), score)
                yield longer
                yield from onward(longer, weight, sum_)

    best: dict[int, float] = {}
    for seed, weight in seeds:
        best[seed] = max(weight, best.get(seed, 0.0))
    paths = [path for seed in best for path in onward(WalkedPath((seed,), (), (), 0.0), best[seed], 0.0)]
    better = {seed: (-weight, seed) for seed, weight in best.items()}
    once = [
        path for path in paths if path.entities[-1] not in best or better[path.entities[0]] < better[path.entities[-1]]
    ]
    return sorted(once, key=lambda path: (-path.score, len(path.facts), path.entities, path.facts))


@st.composite
def walks(draw: st.DrawFn) -> tuple[list[tuple[int, float]], list[tuple[int, int]], list[float]]:
    """Seeds, facts between few entities (so that there are parallel ones and circles), and what these are worth."""
    entity = st.integers(0, 7)
    pairs = draw(st.lists(st.tuples(entity, entity), max_size=16))
    eighths = st.integers(0, 8).map(lambda share: share / 8)  # sums of them are exact, whatever the order
    values = draw(st.lists(eighths, min_size=len(pairs), max_size=len(pairs)))
    return draw(st.lists(st.tuples(entity, eighths), max_size=3)), pairs, values


@given(walks(), st.integers(1, 4), st.sampled_from([0.5, 1.0]))
def test_without_bounds_all_paths_are_found_with_their_scores(
    walk: tuple[list[tuple[int, float]], list[tuple[int, int]], list[float]], depth: int, decay: float
) -> None:
    seeds, pairs, values = walk
    bounds = Bounds(depth=depth, decay=decay, **FREE)
    walked = breadth_first(seeds, graph_of(*pairs), worth_of(*values), bounds)
    assert list(walked.paths) == plainly(seeds, pairs, values, bounds)
    assert (walked.cut, walked.dropped, walked.stopped, walked.beyond) == (0, 0, 0, 0)


@given(walks(), st.integers(1, 3))
def test_what_is_reached_is_what_is_near_enough(
    walk: tuple[list[tuple[int, float]], list[tuple[int, int]], list[float]], depth: int
) -> None:
    seeds, pairs, values = walk
    walked = breadth_first(seeds, graph_of(*pairs), worth_of(*values), Bounds(depth=depth, **FREE))
    sources = sorted({seed for seed, _ in seeds})
    distances = igraph.Graph(n=8, edges=pairs).distances(source=sources) if sources else []
    assert walked.reached == sum(min(column) <= depth for column in zip(*distances, strict=True))


@given(
    walks(),
    st.builds(Bounds, **{name: st.integers(1, 4) for name in ("depth", "frontier", "fan_out", "parallel", "paths")}),
)
def test_within_bounds_there_are_fewer_paths_and_they_begin_alike(
    walk: tuple[list[tuple[int, float]], list[tuple[int, int]], list[float]], bounds: Bounds
) -> None:
    seeds, pairs, values = walk
    every = plainly(seeds, pairs, values, bounds)
    walked = breadth_first(seeds, graph_of(*pairs), worth_of(*values), bounds)
    both_ways = {path.facts for path in every} | {path.facts[::-1] for path in every}
    assert {path.facts for path in walked.paths} <= both_ways
    assert len(walked.paths) <= bounds.paths
    assert [path.score for path in walked.paths] == sorted((path.score for path in walked.paths), reverse=True)
    if len(walked.paths) < len(every):
        assert walked.cut + walked.dropped + walked.stopped + walked.beyond > 0
    assert walked == breadth_first(seeds[::-1], graph_of(*pairs), worth_of(*values), bounds)


def test_the_best_facts_of_an_entity_are_followed_and_the_others_counted() -> None:
    """An entity that everybody is next to."""
    hub = graph_of(*((0, other) for other in range(1, 5001)))
    values = np.random.default_rng(5).permutation(5000) / 5000
    walked = breadth_first([(0, 1.0)], hub, worth_of(*values), Bounds(fan_out=10))
    assert [path.facts[0] for path in walked.paths] == np.argsort(-values)[:10].tolist()
    assert (walked.cut, walked.reached) == (4990, 11)


def test_of_equal_facts_the_first_are_followed() -> None:
    hub = graph_of(*((0, other) for other in range(1, 1001)))
    walked = breadth_first([(0, 1.0)], hub, lambda facts: np.ones(len(facts), np.float32), Bounds(fan_out=10))
    assert [path.facts for path in walked.paths] == [(fact,) for fact in range(10)]


def test_parallel_facts_do_not_crowd_out_other_neighbours() -> None:
    """A thousand good facts lead to one neighbour, and one bad fact to another."""
    crowd = graph_of(*[(0, 1)] * 1000, (2, 0))
    values = [0.9] * 1000 + [0.1]
    walked = breadth_first([(0, 1.0)], crowd, worth_of(*values), Bounds(depth=1, fan_out=4, parallel=2))
    assert [(path.facts, path.forward) for path in walked.paths] == [
        ((0,), (True,)),
        ((1,), (True,)),
        ((1000,), (False,)),
    ]
    assert walked.cut == 998


def test_a_longer_path_does_not_win_by_its_length() -> None:
    """0 - 1 - 2 with facts of the same worth, and 0 - 3 with a worse one."""
    walked = breadth_first([(0, 0.5)], graph_of((0, 1), (2, 1), (3, 0)), worth_of(0.8, 0.8, 0.7))
    assert [path.entities for path in walked.paths] == [(0, 1), (0, 1, 2), (0, 3)]
    assert [round(path.score, 3) for path in walked.paths] == [0.4, 0.36, 0.35]
    assert walked.paths[1].forward == (True, False)


def test_entities_with_the_best_paths_are_expanded() -> None:
    """Behind each of three neighbours there is one more entity."""
    star = graph_of((0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6))
    values = worth_of(0.2, 0.9, 0.5, 1.0, 1.0, 1.0)
    walked = breadth_first([(0, 1.0)], star, values, Bounds(frontier=2))
    assert {path.entities[-1] for path in walked.paths if len(path.facts) == 2} == {5, 6}
    assert walked.dropped == 1


def test_paths_are_stopped_and_left_out_by_number() -> None:
    star = graph_of((0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6))
    walked = breadth_first([(0, 1.0)], star, worth_of(0.2, 0.9, 0.5, 1.0, 1.0, 1.0), Bounds(paths=2))
    assert [path.entities for path in walked.paths] == [(0, 2), (0, 2, 5)]
    assert (walked.stopped, walked.beyond) == (1, 3)


def test_nothing_leads_nowhere() -> None:
    """No seeds; a seed without facts; a fact from an entity to itself."""
    nowhere = BreadthFirstWalk(paths=(), reached=0, cut=0, dropped=0, stopped=0, beyond=0)
    assert breadth_first([], graph_of((0, 1)), worth_of(1.0)) == nowhere
    assert breadth_first([(7, 1.0)], graph_of((0, 1)), worth_of(1.0)).reached == 1
    assert breadth_first([(0, 1.0)], graph_of((0, 0)), worth_of(1.0)).paths == ()


def test_what_makes_no_sense_is_refused() -> None:
    for wrong in ({"depth": 0}, {"frontier": 0}, {"fan_out": 0}, {"parallel": 0}, {"paths": 0}, {"decay": 0.0}):
        with pytest.raises(ValueError, match="must be"):
            Bounds(**wrong)
    with pytest.raises(UsageError, match="score of a seed"):
        breadth_first([(0, 1.5)], graph_of((0, 1)), worth_of(1.0))
