"""Whether documents speak of what is asked: by what a cross-encoder reads, no more of it than decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.strategies.qcg.answerability import COVERED, LEAST, answerability_of
from tests.worlds.documents import HARBOUR
from tests.worlds.noted import NotingReranker
from tests.worlds.questioned_harbour import BUILDER, UNANSWERED


@pytest.fixture
def judge(models: Models) -> NotingReranker:
    return NotingReranker(models.reranker)


@pytest.fixture
def over(view: View, judge: NotingReranker) -> View:
    """The harbour, read by that cross-encoder."""
    return replace(view, models=view.models.with_reranker(judge))


TEXTS = ("Fennick is known for its glass.", "It teaches engineers.", "Ada Brisk built the lighthouse.", "Late trains.")


def test_what_is_spoken_of_is_worth_the_best_logit_and_the_words_that_are_covered(over: View) -> None:
    """Read to its end, where nothing is ever enough."""
    spoken = answerability_of([(BUILDER, TEXTS[:3])], TEXTS[3:], over, 100.0)
    best = float(over.models.reranker.score(BUILDER, TEXTS).max())
    assert spoken.worth == pytest.approx(best + COVERED * over.text.lexical.coverage(BUILDER))
    assert not spoken.enough
    assert answerability_of([], [], over, 0.0).worth == LEAST


@pytest.mark.parametrize("question", [BUILDER, UNANSWERED])
@pytest.mark.parametrize("least", [-11.0, 0.0, 12.0, 19.0, 40.0])
def test_no_more_is_read_than_decides(question: str, least: float, over: View, judge: NotingReranker) -> None:
    """In their order, two at a time; whether it is enough is as if all had been read."""
    whole = answerability_of([(question, TEXTS[:3])], TEXTS[3:], over, 100.0)
    judge.read.clear()
    spoken = answerability_of([(question, TEXTS[:3])], TEXTS[3:], over, least)
    assert spoken.enough == (whole.worth >= least)
    assert spoken.worth <= whole.worth
    read = tuple(judge.read)
    assert read == TEXTS[: len(read)]
    assert spoken.enough or read == TEXTS


def test_passages_are_read_only_where_short_texts_do_not_speak_of_it(over: View, judge: NotingReranker) -> None:
    passage = HARBOUR["quillmouth.txt"]
    assert answerability_of([(BUILDER, TEXTS)], [passage], over, 12.0).enough
    assert passage not in judge.read
    assert answerability_of([(BUILDER, TEXTS[:2])], [passage], over, 12.0).enough
    assert passage in judge.read


def test_one_event_that_is_spoken_of_is_enough(over: View) -> None:
    """Each is judged by its own words and texts."""
    told, untold = ("Ada Brisk built the lighthouse", TEXTS[2:3]), ("Wagner finished an opera", TEXTS[:1])
    assert answerability_of([untold, told], [], over, 12.0).enough
    assert answerability_of([told, untold], [], over, 12.0).enough
    assert not answerability_of([untold, untold], [], over, 12.0).enough
