"""Token coverage finds what a loop over every name would find, in the same order."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt
from polyhop.indexes.coverage import Covered, TokenCoverage
from polyhop.indexes.names import words

word = st.sampled_from(["the", "of", "brisk", "tarn", "school", "oar", "1841", "fenn", "雨", "の", "Ada", "ada"])
name = st.lists(word, max_size=5).map(" ".join)
table = st.lists(st.tuples(name, st.integers(0, 8)), max_size=40)


def scanned(rows: list[tuple[str, int]], surface: str) -> list[Covered]:
    """Eq. 3 by a loop over all names: each value by its best name, the best value first."""
    said = set(words(surface))
    best: dict[int, tuple[float, int]] = {}
    for spelling, value in rows:
        own = set(words(spelling))
        if said & own:
            found = (-len(said & own) / len(said), len(own - said))
            best[value] = min(found, best.get(value, found))
    ranked = sorted((share, extra, value) for value, (share, extra) in best.items())
    return [Covered(value, -share, extra) for share, extra, value in ranked]


def index_of(rows: list[tuple[str, int]]) -> TokenCoverage:
    return TokenCoverage.build([row[0] for row in rows], np.array([row[1] for row in rows], np.int64))


@given(table, name, st.integers(1, 6))
def test_the_best_are_those_of_a_loop_over_all_names(rows: list[tuple[str, int]], surface: str, k: int) -> None:
    assert index_of(rows).best(surface, k) == scanned(rows, surface)[:k]


@given(table, name, st.integers(1, 4), st.integers(0, 6))
def test_ties_add_only_what_is_as_good_as_the_last(
    rows: list[tuple[str, int]], surface: str, k: int, ties: int
) -> None:
    everything = scanned(rows, surface)
    more = [one for one in everything[k:] if one[1:] == everything[k - 1][1:]]
    assert index_of(rows).best(surface, k, ties=ties) == [*everything[:k], *more[:ties]]


@given(table, name, st.sets(st.integers(0, 8)))
def test_values_that_do_not_count_take_no_place(rows: list[tuple[str, int]], surface: str, dead: set[int]) -> None:
    living = [row for row in rows if row[1] not in dead]
    among = np.array([value not in dead for value in range(9)])
    assert index_of(rows).best(surface, 3, among=among) == scanned(living, surface)[:3]


def test_coverage_is_the_share_of_the_forms_words_that_a_name_has() -> None:
    names = ["The Tarn School", "Tarn School of Surveying", "School Street", "Ada Brisk"]
    assert TokenCoverage.build(names, np.arange(4)).best("the TARN school!", 3) == [
        (0, 1, 0),
        (1, 2 / 3, 2),
        (2, 1 / 3, 1),
    ]


def test_a_word_counts_once_and_brackets_are_words_like_others() -> None:
    index = TokenCoverage.build(["Korr (island)", "Korr Korr"], np.arange(2))
    assert index.best("Korr Korr island", 2) == [(0, 1, 0), (1, 0.5, 0)]


def test_the_best_of_several_spellings_counts() -> None:
    index = TokenCoverage.build(["World Health Organization", "WHO", "Who is Who"], np.array([7, 7, 3]))
    assert index.best("who", 5) == [(7, 1, 0), (3, 1, 1)]


def test_scripts_without_spaces_are_matched_by_their_characters() -> None:
    assert TokenCoverage.build(["雨の町", "町"], np.arange(2)).best("雨の", 2) == [(0, 1, 1)]


def test_nothing_is_found_where_there_is_nothing() -> None:
    empty = TokenCoverage.build([], np.empty(0, np.int64))
    index = TokenCoverage.build(["Korr", "…"], np.arange(2))
    assert empty.best("Korr", 3) == []
    assert index.best("", 3) == index.best("…", 3) == index.best("unheard of", 3) == index.best("Korr", 0) == []
    assert index.best("Korr", 3, among=np.zeros(2, np.bool_)) == []


def test_a_very_common_word_is_no_exception() -> None:
    """Many names of one word and one value with very many names: the lowest values win, each once."""
    names = ["the"] * 3000 + [f"the {i}" for i in range(3000)]
    index = TokenCoverage.build(names, np.array([*range(3000), *[5000] * 3000]))
    assert [one.value for one in index.best("the", 3, ties=4)] == [0, 1, 2, 3, 4, 5, 6]
    assert index.best("the 7", 2) == [(5000, 1, 0), (0, 0.5, 0)]


def test_more_words_than_a_byte_counts_are_all_counted() -> None:
    """A whole paragraph as a surface form, which a name covers and another one all but one word of."""
    said = [f"w{i}" for i in range(300)]
    index = TokenCoverage.build([" ".join(said[1:]), " ".join(said), "w7"], np.arange(3))
    assert index.best(" ".join(said), 3) == [(1, 1, 0), (0, 299 / 300, 0), (2, 1 / 300, 0)]


def test_a_saved_index_is_the_same(tmp_path: Path) -> None:
    rows = [("The Tarn School", 2), ("Tarn", 0), ("River Oar", 1), ("Oar", 1)]
    index_of(rows).save(tmp_path / "coverage")
    opened = TokenCoverage.open(tmp_path / "coverage")
    for surface in ("tarn", "the river oar", "oar", "school of tarn"):
        assert opened.best(surface, 3) == scanned(rows, surface)
    (tmp_path / "coverage" / "rows.npy").unlink()
    with pytest.raises(IndexCorrupt):
        TokenCoverage.open(tmp_path / "coverage")
