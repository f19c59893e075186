"""A trie allows what a list of rows allows, token by token."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.trie import TokenTrie
from polyhop.ports import Grammar

rows_of_tokens = st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=25)


def naive_allowed(rows: Sequence[Sequence[int]], said: list[int]) -> list[int]:
    return sorted({row[len(said)] for row in rows if list(row[: len(said)]) == said and len(row) > len(said)})


def prefixes(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(prefix) for prefix in sorted({tuple(row[:n]) for row in rows for n in range(len(row) + 1)} | {()})]


@given(rows_of_tokens)
def test_every_node_equals_a_scan_of_the_rows(rows: list[list[int]]) -> None:
    """After every prefix: allowed tokens, whether a row ends, and which."""
    trie = TokenTrie.build(rows)
    for said in prefixes(rows):
        node = trie.root()
        for token in said:
            node = trie.advance(node, token)
        ending = [i for i, row in enumerate(rows) if row == said]
        assert trie.allowed(node).tolist() == naive_allowed(rows, said)
        assert trie.rows(node).tolist() == ending
        assert trie.complete(node) is bool(ending)


@given(rows_of_tokens, st.lists(st.integers(0, 6), max_size=6))
def test_only_prefixes_of_rows_can_be_said(rows: list[list[int]], said: list[int]) -> None:
    trie, node = TokenTrie.build(rows), 0
    for position, token in enumerate(said):
        if token not in naive_allowed(rows, said[:position]):
            with pytest.raises(UsageError):
                trie.advance(node, token)
            return
        node = trie.advance(node, token)
    assert said in prefixes(rows)


def test_a_saved_trie_is_the_same(tmp_path: Path) -> None:
    trie = TokenTrie.build([[7, 8], [7, 8, 9], [7, 8], [300_000]])
    trie.save(tmp_path / "trie")
    mapped = TokenTrie.open(tmp_path / "trie")
    node = mapped.advance(mapped.advance(mapped.root(), 7), 8)
    assert mapped.allowed(mapped.root()).tolist() == [7, 300_000]
    assert mapped.rows(node).tolist() == [0, 2]


def test_an_empty_trie_allows_nothing() -> None:
    trie: Grammar = TokenTrie.build([])
    assert trie.allowed(trie.root()).tolist() == []
    assert not trie.complete(trie.root())
    assert trie.allowed(trie.root()).dtype == np.int64
