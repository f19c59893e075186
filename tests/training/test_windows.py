"""Windows hold what a reader is to find: spans, evidence, and where no answer may be."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from polyhop.models.cross_encoder import reranker_folder
from polyhop.training.rows import Kind
from polyhop.training.windows import MOST_TOKENS, Part, Place, Window, WindowMaker

TOKENIZER = reranker_folder() / "tokenizer.json"
MAKER = WindowMaker(TOKENIZER)
WORDS = Tokenizer.from_file(str(TOKENIZER))
LIGHT = "The light of Ostrand was lit in 1812. Edda Marrish kept it. Nobody paid for the oil."


def window(
    parts: Sequence[Part], kind: Kind, *places: Place, question: str = "Who kept the light?", seed: int = 0
) -> Window | None:
    return MAKER.window(question, parts, kind, places, source="lights", rng=random.Random(seed))  # noqa: S311


def made(parts: Sequence[Part], kind: Kind, *places: Place, question: str = "Who kept the light?") -> Window:
    one = window(parts, kind, *places, question=question)
    assert one is not None
    return one


def said(one: Window, first: int, last: int) -> str:
    return WORDS.decode(list(one.ids[first : last + 1]))


def marked(one: Window) -> str:
    return WORDS.decode([token for token, evidence in zip(one.ids, one.evidence, strict=True) if evidence])


def test_span_and_evidence_are_where_the_answer_stands() -> None:
    one = made([Part(LIGHT)], "span", Place(0, LIGHT.index("Edda"), "Edda Marrish"))
    assert [said(one, *span) for span in one.spans] == ["edda marrish"]
    assert marked(one) == "edda marrish kept it."
    assert one.allowed == (False,) * one.asked + (True,) * (len(one.ids) - one.asked - 1) + (False,)


def test_titles_are_read_and_never_answers() -> None:
    one = made([Part("Ostrand: ", answers=False), Part(LIGHT)], "span", Place(1, LIGHT.index("1812"), "1812"))
    assert [said(one, *span) for span in one.spans] == ["1812"]
    assert one.allowed[one.asked : one.asked + 3] == (False, False, False)


def test_a_question_that_offers_options_may_answer_itself() -> None:
    asked = "Who kept the light, Tom Harl or Edda Marrish?"
    one = made([Part(LIGHT)], "span", Place(0, LIGHT.index("Edda"), "Edda Marrish"), question=asked)
    assert [said(one, *span) for span in one.spans] == ["edda marrish"] * 2
    assert one.allowed[1 : one.asked - 1] == (True,) * (one.asked - 2)


@given(before=st.integers(0, 60), behind=st.integers(0, 60), seed=st.integers(0, 9))
def test_a_long_text_is_cut_around_its_answer(before: int, behind: int, seed: int) -> None:
    filler = "The sea was rough that day. "
    text = filler * before + LIGHT + " " + filler * behind
    one = window([Part(text)], "span", Place(0, text.index("Edda"), "Edda Marrish"), seed=seed)
    assert one is not None
    assert len(one.ids) <= MOST_TOKENS
    assert [said(one, *span) for span in one.spans] == ["edda marrish"]
    assert len(one.ids) == len(one.allowed) == len(one.evidence)


def test_a_long_text_is_cut_behind_its_title() -> None:
    text = "The sea was rough that day. " * 60 + LIGHT
    one = made([Part("Ostrand: ", answers=False), Part(text)], "span", Place(1, text.index("1812"), "1812"))
    assert len(one.ids) == MOST_TOKENS
    assert said(one, one.asked, one.asked + 3).startswith("ostrand :")
    assert [said(one, *span) for span in one.spans] == ["1812"]


def test_a_span_that_is_not_in_the_text_gives_no_window() -> None:
    assert window([Part(LIGHT)], "span") is None


@pytest.mark.parametrize("kind", ["none", "yes", "no"])
def test_other_kinds_have_neither_span_nor_evidence(kind: Kind) -> None:
    one = made([Part(LIGHT)], kind)
    assert not one.spans
    assert not any(one.evidence)
