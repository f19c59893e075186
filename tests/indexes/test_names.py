"""Names are found whatever their spelling, one by one or all that a text mentions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes import names
from polyhop.indexes.names import MISSING, Names, key_hashes, normal, words


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Vellmar Lighthouse", "vellmar lighthouse"),
        ("  Łucja\tWÜRM ", "lucja wurm"),
        ("Korr (island)", "korr"),
        ("Korr (island) [disputed]", "korr"),
        ("(Do Not) Wake the Bees", "do not wake the bees"),
        ("(What?)", "what"),
        ("The", "the"),
        ("The (film)", "the"),
        ("A-Side", "side"),
        ("An", "an"),
        ("Brandt & Sons, Ltd.", "brandt sons ltd"),
        ("東京（都市）", "東京"),
        ("Ｏｓｓｉａｎ", "ossian"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_normal_spells_a_name_as_a_key(name: str, key: str) -> None:
    assert normal(name) == key


@given(st.text())
def test_normal_is_empty_only_for_texts_without_words(text: str) -> None:
    assert bool(normal(text)) == bool(words(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_normal_does_not_mind_case(text: str) -> None:
    assert normal(text.upper()) == normal(text.lower())


word = st.sampled_from(["ossian", "brandt", "of", "korr", "the", "bees", "東", "京"])
phrase = st.lists(word, min_size=1, max_size=4).map(lambda parts: normal(" ".join(parts)))


@given(st.lists(phrase, max_size=12), st.lists(word, max_size=15), st.integers(1, 5))
def test_scan_finds_every_name_that_a_text_mentions(keys: list[str], text: list[str], longest: int) -> None:
    """All windows of the text, looked up in a dictionary: the same names, the longest first."""
    names = Names.build(keys, np.arange(len(keys)))
    spelled = {tuple(words(key)): row for row, key in reversed(list(enumerate(keys)))}
    expected = [
        (first, n, spelled[window])
        for first in range(len(text))
        for n in range(min(longest, len(text) - first), 0, -1)
        if (window := tuple(text[first : first + n])) in spelled
    ]
    assert names.scan(text, longest) == expected


@given(st.lists(st.text(max_size=8)))
def test_find_looks_up_every_key_and_no_other(keys: list[str]) -> None:
    """Any text can be a key; where one comes twice the lowest row counts."""
    names = Names.build(keys, np.arange(len(keys)))
    assert [names.find(key) for key in keys] == [keys.index(key) for key in keys]
    assert [names.keys[i] for i in range(len(names))] == sorted(set(keys))
    assert names.find("no such name") is None
    assert names.find_many([*keys, "no such name"]).tolist() == [*(keys.index(key) for key in keys), MISSING]


def test_a_saved_table_is_the_same(tmp_path: Path) -> None:
    keys = [normal(name) for name in ("Korr", "Ossian Brandt", "Brandt", "The Bees of Korr", "東京")]
    Names.build(keys, np.arange(5) * 10).save(tmp_path / "names")
    names = Names.open(tmp_path / "names")
    text = words("Ossian Brandt’s poem 'The Bees of Korr' came out in 東京.")
    assert names.find("bees of korr") == 30
    assert names.scan(text) == [(0, 2, 10), (1, 1, 20), (5, 3, 30), (7, 1, 0), (11, 2, 40)]
    assert names.scan(text, longest=1) == [(1, 1, 20), (7, 1, 0)]


def test_an_empty_table_finds_nothing() -> None:
    names = Names.build([], np.empty(0, np.int64))
    assert names.find("korr") is None
    assert names.find("") is None
    assert names.scan(["korr"]) == []
    assert names.scan([]) == []


@given(st.lists(st.sampled_from(["ada brisk", "ada", "fennick", "霧島", ""]), max_size=9), st.integers(1, 4))
def test_keys_have_the_same_hashes_however_many_are_hashed_together(keys: list[str], together: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        whole = key_hashes(keys).tolist()
        patch.setattr(names, "_AT_ONCE", together)
        assert key_hashes(keys).tolist() == whole
