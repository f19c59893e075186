"""Beam search: whatever a random model wants to say, it can only say what its grammar allows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.substrings import TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.ports import ConstrainedModel, Grammar
from polyhop.strategies.translator.beam import Hypothesis, Start, beam_search
from tests.worlds.random_model import END, RandomModel, random_logprobs, seeds


def logprob_of(model: RandomModel, said: Sequence[int]) -> float:
    """The log-probability of saying exactly this and ending, one token at a time."""
    rows = [random_logprobs(model.seed, tuple(said[:length]), model.vocabulary) for length in range(len(said) + 1)]
    return float(sum(row[token] for row, token in zip(rows, [*said, model.end], strict=True)))


def search(
    grammars: Sequence[Grammar], model: RandomModel, *, width: int, longest: int = 8, penalty: float = 1.0
) -> list[list[Hypothesis]]:
    starts = [Start(grammar, 0) for grammar in grammars]
    return beam_search(model, model.begin([]), starts, width=width, longest=longest, end=END, penalty=penalty)


tokens = st.integers(1, 6)
rows_of_tokens = st.lists(st.lists(tokens, min_size=1, max_size=4), min_size=1, max_size=6)


def substrings(rows: Sequence[Sequence[int]], longest: int) -> set[tuple[int, ...]]:
    """Every stretch of every row, the obvious way."""
    return {
        tuple(row[start:end])
        for row in rows
        for start in range(len(row))
        for end in range(start + 1, min(start + longest, len(row)) + 1)
    }


def test_the_random_model_is_a_constrained_model() -> None:
    model: ConstrainedModel = RandomModel(1)
    assert model.decode(model.encode(["ann saw ## near ##."])[0]) == "ann saw ## near ##."
    assert np.exp(model.begin([3]).logprobs).sum() == pytest.approx(1.0)


@given(rows_of_tokens, seeds, st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]))
def test_only_names_are_said_at_most_as_many_as_the_width_and_the_best_first(
    names: list[list[int]], seed: int, width: int, penalty: float
) -> None:
    model = RandomModel(seed)
    (found,) = search([TokenTrie.build(names)], model, width=width, penalty=penalty)
    assert 1 <= len(found) <= width
    assert {hypothesis.tokens for hypothesis in found} <= {tuple(name) for name in names}
    assert len({hypothesis.tokens for hypothesis in found}) == len(found)
    scores = [hypothesis.score(penalty) for hypothesis in found]
    assert scores == sorted(scores, reverse=True)
    for hypothesis in found:
        assert hypothesis.logprob == pytest.approx(logprob_of(model, hypothesis.tokens), abs=1e-4)


@given(rows_of_tokens, seeds, st.sampled_from([0.0, 1.0]))
def test_a_search_that_is_wide_enough_finds_what_trying_everything_finds(
    names: list[list[int]], seed: int, penalty: float
) -> None:
    model = RandomModel(seed)
    (found,) = search([TokenTrie.build(names)], model, width=100, penalty=penalty)
    everything = {tuple(name) for name in names}
    ranked = sorted(everything, key=lambda name: -logprob_of(model, name) / len(name) ** penalty)
    assert [hypothesis.tokens for hypothesis in found] == ranked


@given(rows_of_tokens, seeds, st.integers(1, 4))
def test_of_names_that_mean_the_same_only_the_best_counts(names: list[list[int]], seed: int, width: int) -> None:
    """Two spellings of one thing are one thing found: the other places are for other things."""

    def meaning(name: Sequence[int]) -> int:
        return len(name)

    trie, model = TokenTrie.build(names), RandomModel(seed)
    start = Start(trie, 0, lambda node: meaning(names[trie.rows(node)[0]]))
    (found,) = beam_search(model, model.begin([]), [start], width=100, longest=8, end=END)
    (few,) = beam_search(model, model.begin([]), [start], width=width, longest=8, end=END)
    (every,) = search([trie], model, width=100)
    best = {meaning(one.tokens): one for one in reversed(every)}
    assert found == sorted(best.values(), key=every.index)
    assert len({meaning(one.tokens) for one in few}) == len(few) <= width


@given(rows_of_tokens, seeds, st.integers(1, 4))
def test_only_stretches_of_the_sentences_are_said(rows: list[list[int]], seed: int, longest: int) -> None:
    grammar = TokenStrings.build(rows).grammar(np.arange(len(rows)))
    (found,) = search([grammar], RandomModel(seed), width=1000, longest=longest)
    assert {hypothesis.tokens for hypothesis in found} == substrings(rows, longest)
    for hypothesis in found:
        here = [position for position, row in enumerate(rows) if hypothesis.tokens in substrings([row], longest)]
        assert grammar.rows(hypothesis.state).tolist() == here


@given(rows_of_tokens, st.sets(tokens, max_size=3), seeds, st.integers(1, 3))
def test_forbidden_tokens_are_never_said_nor_stepped_over(
    rows: list[list[int]], forbidden: set[int], seed: int, width: int
) -> None:
    flags = [[token in forbidden for token in row] for row in rows]
    grammar = TokenStrings.build(rows, flags).grammar(np.arange(len(rows)), never=1)
    (found,) = search([grammar], RandomModel(seed), width=width)
    pieces = [list(group) for row in rows for banned, group in groupby(row, forbidden.__contains__) if not banned]
    assert {hypothesis.tokens for hypothesis in found} <= substrings(pieces, 8)
    assert bool(found) == bool(pieces)


@given(rows_of_tokens, seeds)
def test_where_nothing_may_be_said_nothing_is_said(rows: list[list[int]], seed: int) -> None:
    """An empty allowed set ends the beam; it never frees the vocabulary."""
    strings = TokenStrings.build(rows)
    nothing = strings.grammar(np.empty(0, np.int64))
    silent = TokenStrings.build(rows, rows).grammar(np.arange(len(rows)), never=7)
    empty = TokenTrie.build([])
    assert search([nothing, silent, empty], RandomModel(seed), width=3) == [[], [], []]


@given(st.lists(rows_of_tokens, min_size=1, max_size=4), seeds, st.integers(1, 3))
def test_searches_that_run_together_find_what_each_finds_alone(
    groups: list[list[list[int]]], seed: int, width: int
) -> None:
    grammars = [TokenTrie.build(rows) for rows in groups]
    model = RandomModel(seed)
    together = search(grammars, model, width=width)
    alone = [search([grammar], model, width=width)[0] for grammar in grammars]
    assert [[(item.tokens, item.logprob) for item in found] for found in together] == [
        [(item.tokens, item.logprob) for item in found] for found in alone
    ]


@given(rows_of_tokens, seeds, st.integers(1, 4), st.integers(1, 4))
def test_nothing_said_is_longer_than_allowed(rows: list[list[int]], seed: int, width: int, longest: int) -> None:
    grammar = TokenStrings.build(rows).grammar(np.arange(len(rows)))
    (found,) = search([grammar], RandomModel(seed), width=width, longest=longest)
    assert found
    assert all(1 <= len(hypothesis.tokens) <= longest for hypothesis in found)
