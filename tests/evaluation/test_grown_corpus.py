"""A corpus is grown by renaming: lengths and links stay, names stay apart, and a smaller one begins a larger one."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.names import normal
from tests.worlds.scripts import benchmark

NAMES = ("Brisk", "Quillmouth", "Fennick", "Sable", "Oar", "Čapka", "McTarn", "Ελλάδα", "NORDVIK")
COMMON = ("lighthouse", "the", "built", "of", "was", "born", "in", "1841")


growing = benchmark("grown_corpus")
ROWS = [
    growing.Row("1", "Ada Brisk", "Ada Brisk built the lighthouse of Quillmouth in 1841. Brisk was born in Fennick."),
    growing.Row("2", "Fennick", "Fennick is a town on the Sable Coast. The lighthouse of Quillmouth is near."),
    growing.Row("3", "Quillmouth (port)", "A port, where Brisk's lighthouse stands on the coast; built in March."),
]


def copies(number: int, seed: int = 0) -> list[Any]:
    """So many rows of the corpus that grows from the three."""
    return [row for _, _, row in islice(growing.grown(ROWS, seed, common=1.0), number)]


def test_the_first_copy_is_the_corpus_and_the_second_has_other_names() -> None:
    rows = copies(6)
    assert rows[:3] == ROWS
    for old, new in zip(ROWS, rows[3:], strict=True):
        assert new.id == f"1-{old.id}"
        assert not re.search("Brisk|Quillmouth|Fennick", new.title + new.text)
        assert ("lighthouse" in new.text) == ("lighthouse" in old.text)


def test_links_stay_links() -> None:
    first, second, third = copies(6)[3:]
    surname, place, home = first.title.split()[1], normal(third.title), second.title
    assert first.text.startswith(f"Ada {surname} built the lighthouse of {place.title()} in 1841. {surname} was born")
    assert first.text.endswith(f"in {home}.")
    assert f"{surname}'s lighthouse" in third.text


def test_a_smaller_corpus_begins_a_larger_one_and_another_seed_gives_other_names() -> None:
    assert copies(14)[:5] == copies(5)
    assert copies(6, seed=1)[:3] == ROWS
    assert copies(6, seed=1)[3:] != copies(6)[3:]


def test_no_rows_grow_into_nothing() -> None:
    assert list(growing.grown([])) == []


texts = st.lists(st.sampled_from([*NAMES, *COMMON, "Brisk's", "(Oar)", "—", "\n"]), max_size=12).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=6), st.integers(0, 3), st.integers(0, 9))
def test_offsets_and_case_stay_and_equal_words_stay_equal(said: list[str], seed: int, copy: int) -> None:
    rows = [growing.Row(str(place), text, text) for place, text in enumerate(said)]
    renaming = growing.Renaming.fitted(rows, seed, common=1.0)
    instead: dict[str, str] = {}
    for text in said:
        renamed = renaming.renamed(text, copy)
        assert len(renamed) == len(text)
        assert [letter.isupper() for letter in renamed] == [letter.isupper() for letter in text]
        for old, new in zip(re.findall(r"\w+", text), re.findall(r"\w+", renamed), strict=True):
            assert instead.setdefault(old, new) == new
    assert len({word.lower() for word in instead.values()}) == len({word.lower() for word in instead})


@given(st.integers(4, 9), st.sets(st.sampled_from(["mara", "oken", "babel", "abab", "town", "zyzy"])), st.data())
def test_made_up_words_are_numbered_without_those_that_are_taken(
    length: int, taken: set[str], data: st.DataObject
) -> None:
    words = growing.Words(length, frozenset(word for word in taken if len(word) == length))
    places = data.draw(st.sets(st.integers(0, words.size - 1), max_size=20))
    made = {words[place] for place in places}
    assert len(made) == len(places)
    assert all(len(word) == length for word in made)
    assert not made & taken
