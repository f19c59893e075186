"""Words in a text, as they are written; how they are folded is tested with the indexes that fold them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.folding import standing


@given(st.text("aB _-é7", min_size=1, max_size=4), st.text("aB _-é7", max_size=24))
def test_words_stand_where_a_pattern_finds_them(words: str, text: str) -> None:
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
    assert list(standing(words, text)) == [match.start() for match in pattern.finditer(text)]
