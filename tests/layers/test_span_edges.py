"""What may be said of a hyperrelation is text that stands in it, whatever the model's tokens make of its letters.

With the real tokenizer, which works on bytes: it takes letters that it does not know apart. And with converted ones, in
the ways of Llama 3 and Qwen2, which know hardly any letter.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.folding import words_at
from polyhop.indexes.substrings import SubstringGrammar, TokenStrings
from polyhop.layers.parsekg.graph import MASK
from polyhop.layers.parsekg.span_edges import BREAK, GAP, WHOLE, WORD, EdgedWords, edged
from polyhop.models.conversion import convert_folder
from polyhop.models.converted import ConvertedModel
from polyhop.models.smollm2 import SmolLM2
from polyhop.ports import ConstrainedModel
from tests.worlds.hub_models import llama, qwen2
from tests.worlds.machine import needs

LOST = "\x04\x06\x13\x14\x16\x1d"  # the model has no token for these six control characters
LETTERS = st.text(st.characters(max_codepoint=0x2FFFF, exclude_categories=["Cs", "Z"], exclude_characters=LOST))
SPOKEN = st.sampled_from(
    ["handed", "ra’ām", "ḥn", "o'er", "1931", "漢字", "हिन्दी", "cafe\u0301", "(born", "-", ".", "##'s"]
)
SPACES = st.sampled_from([" ", "  ", "\n", "\u00a0", " \u3000", ""])
SENTENCES = st.lists(st.just(MASK) | SPOKEN | LETTERS, min_size=1, max_size=8).map(" ".join)


@pytest.fixture(scope="module", params=["smollm2", "llama", "qwen2"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ConstrainedModel:
    if request.param == "smollm2":
        needs("smollm2")
        return SmolLM2(threads=1)
    folder = tmp_path_factory.mktemp("tiny")
    convert_folder({"llama": llama, "qwen2": qwen2}[request.param]().written(folder / "source"), folder / "converted")
    return ConvertedModel(folder=str(folder / "converted"), threads=1)


UNEVEN = st.lists(st.tuples(st.just(MASK) | SPOKEN | LETTERS, SPACES), max_size=8).map(
    lambda said: "".join(word + space for word, space in said)
)


def grammar_of(sentence: str, model: ConstrainedModel, *, across: bool) -> SubstringGrammar:
    row = edged(sentence, model)
    strings = TokenStrings.build([row.tokens], [row.flags])
    if across:
        return strings.grammar(np.arange(1), begins=WORD | BREAK, ends=WHOLE)
    return strings.grammar(np.arange(1), begins=WORD, ends=WHOLE, never=GAP)


def said_at_random(grammar: SubstringGrammar, model: ConstrainedModel, seed: int) -> list[str]:
    """What a walk along allowed tokens may end with, after each of its steps."""
    random = np.random.default_rng(seed)
    state = grammar.root()
    tokens: list[int] = []
    said: list[str] = []
    while len(allowed := grammar.allowed(state)) and len(tokens) < 16:
        tokens.append(int(random.choice(allowed)))
        state = grammar.advance(state, tokens[-1])
        if grammar.complete(state):
            said.append(model.decode(tokens).strip())
    return said


@settings(deadline=None, max_examples=300)
@given(SENTENCES, st.integers(0, 2**32 - 1))
def test_a_span_is_text_of_the_hyperrelation_and_begins_with_a_word(
    model: ConstrainedModel, sentence: str, seed: int
) -> None:
    starts = [start for start, _ in words_at(sentence)]
    for said in said_at_random(grammar_of(sentence, model, across=False), model, seed):
        assert MASK not in said
        assert any(sentence.startswith(said, start) for start in starts)


@settings(deadline=None, max_examples=300)
@given(SENTENCES, st.integers(0, 2**32 - 1))
def test_a_span_across_entities_is_text_and_begins_inside_no_word(
    model: ConstrainedModel, sentence: str, seed: int
) -> None:
    inside = {place for start, end in words_at(sentence) for place in range(start + 1, end)}
    for said in said_at_random(grammar_of(sentence, model, across=True), model, seed):
        assert any(sentence.startswith(said, start) for start in range(len(sentence)) if start not in inside)


@settings(deadline=None, max_examples=500)
@given(st.lists(SENTENCES | UNEVEN, max_size=4))
def test_words_put_side_by_side_have_the_tokens_and_flags_of_the_whole(
    model: ConstrainedModel, said: list[str]
) -> None:
    """Whatever stands between them; of Llama 3 and Qwen2, stretches between two masks."""
    whole = [edged(sentence, model) for sentence in said]
    expected = TokenStrings.build([row.tokens for row in whole], [row.flags for row in whole])
    found = EdgedWords(model).strings(said)
    assert found.text.tolist() == expected.text.tolist()
    assert found.flags.tolist() == expected.flags.tolist()
    assert found.bounds.tolist() == expected.bounds.tolist()


def test_only_a_tokenizer_that_is_known_not_to_look_past_spaces_is_given_words(model: ConstrainedModel) -> None:
    assert model.cuts_at_spaces is isinstance(model, SmolLM2)


def test_a_span_never_ends_inside_a_letter_that_the_model_takes_apart(model: ConstrainedModel) -> None:
    """The letter is several tokens, of which the first alone is no text."""
    for letter in "漢𐍈":
        (first, *rest), _ = model.encode_spans([letter])[0]
        assert rest, "the model has a token for this letter: take another"
        grammar = grammar_of(letter, model, across=False)
        state = grammar.advance(grammar.root(), first)
        assert not grammar.complete(state)
        for token in rest:
            state = grammar.advance(state, token)
        assert grammar.complete(state)


def test_a_mask_shares_no_token_with_what_stands_beside_it(model: ConstrainedModel) -> None:
    """Otherwise a span would run across a masked entity in a token such as the one for ``##)``."""
    sentence = "(##), ##-##'s ##/## of ##."
    row = edged(sentence, model)
    masks = {tuple(tokens) for tokens in model.encode([MASK, f" {MASK}"])}
    assert all((token,) in masks for token, flags in zip(row.tokens, row.flags, strict=True) if flags & GAP)
    assert sum(bool(flags & GAP) for flags in row.flags) == sentence.count(MASK)
    assert model.decode(row.tokens) == sentence
