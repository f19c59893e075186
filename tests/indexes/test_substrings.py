"""The substring grammar says what some row says, and never anything across the end of one."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.substrings import JoinedStrings, Matches, SubstringGrammar, TokenStrings
from polyhop.ports import Grammar

VOCABULARY = 5
Rows = list[list[int]]


class Edges(NamedTuple):
    """What is asked of the flags of a span's tokens."""

    begins: int
    ends: int
    never: int


rows_of_tokens = st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=9), min_size=1, max_size=12)


def naive_spans(rows: Rows, flags: Rows, subset: set[int], edges: Edges) -> dict[tuple[int, ...], set[int]]:
    """Every span that may be read on, and the rows that hold it: by listing them all."""
    spans: dict[tuple[int, ...], set[int]] = {(): subset}
    for i in subset:
        for start in range(len(rows[i])):
            if edges.begins and not flags[i][start] & edges.begins:
                continue
            for end in range(start, len(rows[i])):
                if flags[i][end] & edges.never:
                    break
                spans.setdefault(tuple(rows[i][start : end + 1]), set()).add(i)
    return spans


def naive_ends(rows: Rows, flags: Rows, subset: set[int], edges: Edges) -> set[tuple[int, ...]]:
    """Of them, those that may end where they do."""
    return {
        tuple(rows[i][start : end + 1])
        for i in subset
        for start in range(len(rows[i]))
        for end in range(start, len(rows[i]))
        if (not edges.begins or flags[i][start] & edges.begins)
        and (not edges.ends or flags[i][end] & edges.ends)
        and not any(flag & edges.never for flag in flags[i][start : end + 1])
    }


def walked(grammar: SubstringGrammar) -> tuple[dict[tuple[int, ...], set[int]], set[tuple[int, ...]]]:
    """Every span the grammar lets through with the rows it names, and those of them that may end."""
    found: dict[tuple[int, ...], set[int]] = {}
    ended: set[tuple[int, ...]] = set()
    agenda: list[tuple[tuple[int, ...], Matches]] = [((), grammar.root())]
    while agenda:
        said, state = agenda.pop()
        found[said] = set(grammar.rows(state).tolist())
        if grammar.complete(state):
            ended.add(said)
        assert state.length == len(said)
        allowed = grammar.allowed(state).tolist()
        assert allowed == sorted(set(allowed))
        agenda += [((*said, token), grammar.advance(state, token)) for token in allowed]
    return found, ended


@given(rows_of_tokens, st.data())
def test_the_grammar_says_exactly_the_spans_of_its_rows(rows: Rows, data: st.DataObject) -> None:
    """All of them and nothing else, with the rows that hold each, whatever the flags and what is asked of them."""
    subset = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    flags = [data.draw(st.lists(st.integers(0, 7), min_size=len(row), max_size=len(row))) for row in rows]
    edges = data.draw(st.builds(Edges, st.integers(0, 7), st.integers(0, 7), st.integers(0, 7)))
    grammar = TokenStrings.build(rows, flags).grammar(
        np.array(list(subset), np.int64), begins=edges.begins, ends=edges.ends, never=edges.never
    )
    assert walked(grammar) == (naive_spans(rows, flags, subset, edges), naive_ends(rows, flags, subset, edges))


def test_many_matches_allow_the_same_as_few() -> None:
    """Long lists of matches take another path through the code; the answer is the same."""
    random = np.random.default_rng(0)
    rows = [random.integers(0, 12, random.integers(0, 30)).tolist() for _ in range(300)]
    grammar = TokenStrings.build(rows, [[token == 3 for token in row] for row in rows]).grammar(np.arange(300), never=1)
    for said in ([], [7], [7, 9]):
        expected = {
            row[end]
            for row in rows
            for end in range(len(said), len(row))
            if row[end - len(said) : end] == said and row[end] != 3
        }
        state = grammar.root()
        for token in said:
            state = grammar.advance(state, token)
        assert grammar.allowed(state).tolist() == sorted(expected)


@pytest.mark.parametrize("token", [-1, 3, 4, 5, 10**6])
def test_what_no_row_says_is_refused(token: int) -> None:
    """Unknown tokens, forbidden ones, the end of a row."""
    strings = TokenStrings.build([[1, 3, 2], [2]], [[0, 1, 0], [0]])
    grammar = strings.grammar(np.array([0, 1]), never=1)
    for state in (grammar.root(), grammar.advance(grammar.root(), 1), grammar.advance(grammar.root(), 2)):
        with pytest.raises(UsageError):
            grammar.advance(state, token)


def test_saved_rows_are_the_same(tmp_path: Path) -> None:
    rows = [[1, 2, 3], [], [250_000, 2]]
    flags = [[0, 1, 0], [], [1, 3]]
    TokenStrings.build(rows, flags).save(tmp_path / "strings")
    strings = TokenStrings.open(tmp_path / "strings")
    assert [strings.row(i).tolist() for i in range(len(strings))] == rows
    opening = strings.grammar(np.array([2, 0]), begins=1)
    assert opening.allowed(opening.root()).tolist() == [2, 250_000]
    grammar: Grammar = strings.grammar(np.array([2, 0]))
    assert grammar.allowed(grammar.root()).tolist() == [1, 2, 3, 250_000]
    assert grammar.allowed(grammar.advance(grammar.root(), 2)).tolist() == [3]


def test_tokens_of_a_small_vocabulary_take_two_bytes_and_mix_with_others() -> None:
    short, long = TokenStrings.build([[65_534, 1]]), TokenStrings.build([[65_535], [1, 2]])
    assert (short.text.itemsize, long.text.itemsize) == (2, 4)
    grammar = JoinedStrings((short, long)).grammar(np.arange(3))
    assert grammar.allowed(grammar.root()).tolist() == [1, 2, 65_534, 65_535]
    assert grammar.allowed(grammar.advance(grammar.root(), 1)).tolist() == [2]
    assert not len(grammar.allowed(grammar.advance(grammar.root(), 65_535)))
    with pytest.raises(OverflowError):
        TokenStrings.laid(np.array([65_535]), np.array([0]), np.array([1]), np.uint16)


def test_a_grammar_of_nothing_allows_nothing() -> None:
    for rows, subset in ([], []), ([[]], [0]), ([[1]], []):
        grammar = TokenStrings.build(rows).grammar(np.array(subset, np.int64))
        assert grammar.allowed(grammar.root()).tolist() == []


def test_a_row_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError):
        TokenStrings.build([[1]]).grammar(np.array([1]))
