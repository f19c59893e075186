"""The substring grammar says what some row says, and never anything across the end of one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.substrings import Matches, SubstringGrammar, TokenStrings
from polyhop.ports import Grammar

VOCABULARY = 5
Rows = list[list[int]]
rows_of_tokens = st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=9), min_size=1, max_size=12)


def naive_spans(
    rows: Rows, subset: set[int], starts: list[bool] | None, forbidden: set[int]
) -> dict[tuple[int, ...], set[int]]:
    """Every span that may be said, and the rows that hold it: by listing them all."""
    spans: dict[tuple[int, ...], set[int]] = {(): subset}
    for i in subset:
        row = rows[i]
        for start in range(len(row)):
            if start and starts is not None and not starts[row[start]]:
                continue
            for end in range(start + 1, len(row) + 1):
                if row[end - 1] in forbidden:
                    break
                spans.setdefault(tuple(row[start:end]), set()).add(i)
    return spans


def walked(grammar: SubstringGrammar) -> dict[tuple[int, ...], set[int]]:
    """Every span the grammar lets through, and the rows it names."""
    found: dict[tuple[int, ...], set[int]] = {}
    agenda: list[tuple[tuple[int, ...], Matches]] = [((), grammar.root())]
    while agenda:
        said, state = agenda.pop()
        found[said] = set(grammar.rows(state).tolist())
        assert grammar.complete(state) is bool(said)
        assert state.length == len(said)
        allowed = grammar.allowed(state).tolist()
        assert allowed == sorted(set(allowed))
        agenda += [((*said, token), grammar.advance(state, token)) for token in allowed]
    return found


@given(rows_of_tokens, st.data())
def test_the_grammar_says_exactly_the_spans_of_its_rows(rows: Rows, data: st.DataObject) -> None:
    """All of them and nothing else, with the rows that hold each, under any start mask and forbidden tokens."""
    subset = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    starts = data.draw(st.none() | st.lists(st.booleans(), min_size=VOCABULARY, max_size=VOCABULARY))
    forbidden = data.draw(st.sets(st.integers(0, VOCABULARY + 1), max_size=2))
    grammar = TokenStrings.build(rows).grammar(
        np.array(list(subset), np.int64),
        starts=None if starts is None else np.array(starts),
        forbidden=forbidden,
    )
    assert walked(grammar) == naive_spans(rows, subset, starts, forbidden)


def test_many_matches_allow_the_same_as_few() -> None:
    """Long lists of matches take another path through the code; the answer is the same."""
    random = np.random.default_rng(0)
    rows = [random.integers(0, 12, random.integers(0, 30)).tolist() for _ in range(300)]
    grammar = TokenStrings.build(rows).grammar(np.arange(300), forbidden=[3])
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
    strings = TokenStrings.build([[1, 3, 2], [2]])
    grammar = strings.grammar(np.array([0, 1]), forbidden=[3])
    for state in (grammar.root(), grammar.advance(grammar.root(), 1), grammar.advance(grammar.root(), 2)):
        with pytest.raises(UsageError):
            grammar.advance(state, token)


def test_saved_rows_are_the_same(tmp_path: Path) -> None:
    rows = [[1, 2, 3], [], [250_000, 2]]
    TokenStrings.build(rows).save(tmp_path / "strings")
    strings = TokenStrings.open(tmp_path / "strings")
    assert [strings.row(i).tolist() for i in range(len(strings))] == rows
    grammar: Grammar = strings.grammar(np.array([2, 0]))
    assert grammar.allowed(grammar.root()).tolist() == [1, 2, 3, 250_000]
    assert grammar.allowed(grammar.advance(grammar.root(), 2)).tolist() == [3]


def test_a_grammar_of_nothing_allows_nothing() -> None:
    for rows, subset in ([], []), ([[]], [0]), ([[1]], []):
        grammar = TokenStrings.build(rows).grammar(np.array(subset, np.int64))
        assert grammar.allowed(grammar.root()).tolist() == []


def test_a_row_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError):
        TokenStrings.build([[1]]).grammar(np.array([1]))
