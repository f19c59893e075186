"""Search by codes: exact where there are few vectors, nearly so where there are many, the same whatever came before."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt, ModelMismatch
from polyhop.indexes.segments import write_arrays
from polyhop.indexes.sign_codes import SignCodes
from polyhop.ports import Bools, Floats


def clustered(count: int, seed: int, dimensions: int = 100, groups: int = 40) -> Floats:
    """Unit vectors around some centres, as those of texts are, some of them equal."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(groups, dimensions))[random.integers(groups, size=count)]
    rows = rows + 0.8 * random.normal(size=rows.shape)
    rows[1::5] = rows[: len(rows[1::5])]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def naive(vectors: Floats, query: Floats, k: int, allowed: Bools) -> list[int]:
    scores = (vectors.astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
    return sorted(np.flatnonzero(allowed).tolist(), key=lambda row: (-scores[row], row))[:k]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 90), st.integers(0, 20), st.integers(1, 70), st.integers(0, 9999))
def test_what_is_found_is_exact_when_all_are_candidates(count: int, k: int, dimensions: int, seed: int) -> None:
    """By scanning all, and by way of the codes; with any number of bits in the last word."""
    vectors = clustered(count, seed, dimensions)
    query = clustered(1, seed + 1, dimensions)[0]
    allowed = np.random.default_rng(seed).random(count) < 0.7
    for codes in (SignCodes.build(vectors), SignCodes.build(vectors, exact=0, candidates=90)):
        for mask in (None, allowed):
            rows, cosines = codes.search(query, k, vectors, mask)
            assert rows.tolist() == naive(vectors, query, k, np.ones(count, np.bool_) if mask is None else mask)
            np.testing.assert_allclose(cosines, vectors[rows] @ query, atol=1e-6)


def test_few_candidates_hold_most_of_the_nearest() -> None:
    vectors, queries = clustered(6000, 1, 384), clustered(30, 1, 384)
    codes = SignCodes.build(vectors, exact=0, candidates=300)
    everyone = np.ones(len(vectors), np.bool_)
    found = [set(codes.search(query, 15, vectors)[0].tolist()) for query in queries]
    wanted = [set(naive(vectors, query, 15, everyone)) for query in queries]
    assert sum(len(one & other) for one, other in zip(found, wanted, strict=True)) > 0.97 * 15 * len(queries)


def test_candidates_are_chosen_among_what_is_allowed() -> None:
    vectors = clustered(500, 2)
    allowed = np.zeros(500, np.bool_)
    allowed[40:60] = True
    codes = SignCodes.build(vectors, exact=10, candidates=15)
    rows, _ = codes.search(vectors[0], 15, vectors, allowed)
    assert len(rows) == 15
    assert allowed[rows].all()


def test_a_code_depends_on_its_vector_alone() -> None:
    vectors = clustered(40_000, 3, 70)
    whole, part = SignCodes.build(vectors), SignCodes.build(vectors[20_000:])
    np.testing.assert_array_equal(whole.planes[:, 20_000:], part.planes)


def test_saved_codes_find_the_same(tmp_path: Path) -> None:
    vectors = clustered(200, 4)
    codes = SignCodes.build(vectors)
    codes.save(tmp_path / "codes")
    opened = SignCodes.open(tmp_path / "codes")
    assert len(opened) == 200
    assert opened.search(vectors[3], 9, vectors)[0].tolist() == codes.search(vectors[3], 9, vectors)[0].tolist()


def test_other_vectors_and_damaged_codes_are_refused(tmp_path: Path) -> None:
    vectors = clustered(20, 5)
    codes = SignCodes.build(vectors)
    with pytest.raises(ModelMismatch):
        codes.search(vectors[0, :40], 3, vectors)
    with pytest.raises(ModelMismatch):
        codes.search(vectors[0], 3, vectors[:19])
    with pytest.raises(ModelMismatch):
        codes.search(vectors[0, :40], 3, vectors[:, :40])
    write_arrays(tmp_path / "codes", {"planes": np.zeros(4)})
    with pytest.raises(IndexCorrupt):
        SignCodes.open(tmp_path / "codes")
