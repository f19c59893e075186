"""Soft clusters: Gaussian mixtures, how many components there are, and groups that a new row hardly disturbs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.csr import Doubles
from polyhop.indexes.mixture import Mixture, best_mixture, groups, reduced, soft_clusters
from polyhop.ports import Floats

DRAW = np.random.default_rng(7)
CENTRES = np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]])
CLOUDS = np.concatenate([centre + DRAW.standard_normal((40, 3)) for centre in CENTRES])


def unit(rows: Doubles) -> Floats:
    units: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return units


TEXTLIKE = unit(DRAW.standard_normal((900, 24)) + 3 * DRAW.standard_normal((12, 24))[DRAW.integers(12, size=900)])


def density(point: Doubles, mixture: Mixture) -> float:
    """The definition, written out."""
    total = 0.0
    for weight, mean, variance in zip(mixture.weights, mixture.means, mixture.variances, strict=True):
        scale = (2 * np.pi * variance) ** (-len(point) / 2)
        total += weight * scale * np.exp(-((point - mean) ** 2).sum() / (2 * variance))
    return total


def test_bic_finds_the_number_of_clouds_and_their_centres() -> None:
    mixture = best_mixture(CLOUDS)
    assert len(mixture.means) == len(CENTRES)
    distances = np.linalg.norm(mixture.means[:, None] - CENTRES, axis=2)
    assert sorted(distances.argmin(axis=1)) == [0, 1, 2, 3]
    assert distances.min(axis=1).max() < 0.6
    assert np.sqrt(mixture.variances) == pytest.approx(1.0, abs=0.2)


def test_likelihood_and_shares_are_those_of_the_definition() -> None:
    mixture = Mixture.fit(CLOUDS, 3)
    assert mixture.likelihood == pytest.approx(sum(np.log(density(point, mixture)) for point in CLOUDS), rel=1e-3)
    shares = mixture.shares(CLOUDS)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    alone = Mixture(
        weights=mixture.weights[:1], means=mixture.means[:1], variances=mixture.variances[:1], likelihood=0.0
    )
    expected = [density(point, alone) / density(point, mixture) for point in CLOUDS]
    assert shares[:, 0] == pytest.approx(expected, abs=1e-9)


def test_bic_punishes_what_components_cost() -> None:
    """Four numbers more a component in three dimensions and one weight, for points of one cloud."""
    cloud = CLOUDS[:40]
    one, two = Mixture.fit(cloud, 1), Mixture.fit(cloud, 2)
    assert one.bic(40) == pytest.approx(4 * np.log(40) - 2 * one.likelihood)
    assert two.bic(40) == pytest.approx(9 * np.log(40) - 2 * two.likelihood)
    assert len(best_mixture(cloud).means) == 1


def test_rows_between_two_clusters_are_in_both() -> None:
    rows = np.concatenate([CLOUDS[:40], CLOUDS[40:80] - [5.0, 0.0, 0.0]]).astype(np.float32)
    first, second = (set(c.tolist()) for c in soft_clusters(rows, dimensions=3, threshold=0.1, least=2, most=2))
    assert first | second == set(range(80))
    assert 0 < len(first & second) < 40
    hard, other = (set(c.tolist()) for c in soft_clusters(rows, dimensions=3, threshold=0.5, least=2, most=2))
    assert not hard & other


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 6), st.booleans(), st.integers(0, 1000))
def test_every_row_is_in_a_cluster_whatever_the_rows_are(count: int, width: int, alike: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = np.ones((count, width)) if alike else draw.standard_normal((count, width))
    clusters = soft_clusters(rows.astype(np.float32), dimensions=10, threshold=0.1, least=min(2, count))
    assert set(np.concatenate(clusters).tolist()) == set(range(count))
    assert all(len(cluster) == len(set(cluster.tolist())) > 0 for cluster in clusters)


def test_the_same_rows_give_the_same_clusters() -> None:
    first, second = (soft_clusters(TEXTLIKE[:200], dimensions=10, threshold=0.1) for _ in range(2))
    assert [cluster.tolist() for cluster in first] == [cluster.tolist() for cluster in second]


def test_reduced_rows_are_the_principal_components() -> None:
    """Compared with a whole singular value decomposition."""
    rows = TEXTLIKE[:200] * np.linspace(2.0, 0.2, 24, dtype=np.float32)
    left, lengths, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    found = reduced(rows, 5)
    assert np.linalg.norm(found, axis=0) == pytest.approx(lengths[:5], rel=1e-3)
    cosines = np.abs((found / np.linalg.norm(found, axis=0) * left[:, :5]).sum(axis=0))
    assert cosines == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize("size", [20, 100, 1000])
def test_groups_part_all_rows_and_stay_small(size: int) -> None:
    parts = groups(TEXTLIKE, size)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(TEXTLIKE)))
    assert max(map(len, parts)) <= 2 * size


def test_rows_that_are_all_alike_are_still_divided() -> None:
    alike = np.tile(TEXTLIKE[:1], (500, 1))
    assert max(map(len, groups(alike, 50))) <= 100
    assert groups(alike[:0], 50) == []


def test_one_more_row_leaves_most_groups_as_they_are() -> None:
    """What has been made of them need not be made, or paid for, again."""
    before = {tuple(part.tolist()) for part in groups(TEXTLIKE[:-1], 60)}
    after = {tuple(part.tolist()) for part in groups(TEXTLIKE, 60)}
    assert len(before & after) >= 0.6 * len(before)
