"""The reranker: what its scores mean, and that a pair's score depends on the pair alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.models.cross_encoder import MiniLML12

QUESTION = "Who built the lighthouse of Varn?"
TEXTS = (
    "Orlan Vex directed three silent films about the salt trade.",
    "The lighthouse of Varn was built by Ilse Brandt in 1820.",
    "Varn is a village by the sea.",
)


def test_the_passage_that_answers_comes_first() -> None:
    scores = MiniLML12().score(QUESTION, TEXTS)
    assert scores.dtype == np.float32
    assert scores.shape == (3,)
    assert np.argsort(-scores).tolist() == [1, 2, 0]
    assert scores[1] > 5
    assert scores[0] < -5


def test_a_score_is_the_same_alone_and_among_others() -> None:
    model = MiniLML12()
    assert model.score(QUESTION, TEXTS).tolist() == [model.score(QUESTION, [text])[0] for text in TEXTS]


def test_no_texts_give_no_scores() -> None:
    assert MiniLML12().score(QUESTION, []).shape == (0,)


def test_a_long_text_loses_its_end_and_a_long_question_keeps_half() -> None:
    model = MiniLML12(max_tokens=64)
    filler = " The harbour is quiet." * 200
    assert model.score(QUESTION, [TEXTS[1] + filler])[0] > 5
    assert model.score(QUESTION, [filler + TEXTS[1]])[0] < 0
    assert (
        model.score(QUESTION + " please" * 10_000, [TEXTS[1]])[0]
        > model.score(QUESTION + " please" * 10_000, [filler])[0]
    )


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_any_pair_has_a_finite_score(question: str, text: str) -> None:
    assert np.isfinite(MiniLML12(max_tokens=32).score(question, [text])).all()


@pytest.mark.parametrize("tokens", [0, 15, 513])
def test_a_senseless_length_is_refused(tokens: int) -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        MiniLML12(max_tokens=tokens)


def test_the_name_tells_scores_apart() -> None:
    assert MiniLML12().name != MiniLML12(max_tokens=384).name
    assert MiniLML12(threads=1).name == MiniLML12(threads=2).name


def test_the_installed_weights_are_the_ones_we_know() -> None:
    MiniLML12().verify()
