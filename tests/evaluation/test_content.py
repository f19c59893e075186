"""Evidence and answers in sentences are judged by the content words that passages, quotations and answers hold."""

from __future__ import annotations

import pytest

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.content import content, held, share, share_of_answer
from polyhop.evaluation.metrics.covered import EvidenceCovered
from polyhop.evaluation.metrics.held import Held, Wrong
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.metrics.quoted import Quoted
from polyhop.evaluation.outcome import Outcome

WHO = Question(
    id="q1",
    text="Who repaired the lantern of Harrowmere Lighthouse in 1874?",
    answer="Edda Marrish and Joren Pell repaired the lantern.",
    evidence=("Edda Marrish repaired the lantern in 1874.", "Joren Pell helped to repair the lantern."),
)
NOBODY = Question(id="q2", text="Who painted Harrowmere Lighthouse?", answer=None)


def test_content_leaves_out_small_words_and_writes_numbers_as_figures() -> None:
    assert content("It was the third of 1,200 lamps, and it did not burn.") == {"3th", "1200", "lamp", "not", "burn"}
    assert content("Who is it?") == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("repaired", "repairing", True),
        ("increase", "increasing", True),
        ("diagnosis", "diagnostic", True),
        ("lamps", "lamp", True),
        ("lymphoma", "lymphocyte", False),
        ("national", "nation", True),
        ("lamp", "lampshade", False),
        ("1874", "1875", False),
        ("18741", "18742", False),
    ],
)
def test_words_count_as_one_where_they_are_forms_of_one(one: str, other: str, same: bool) -> None:
    assert (held(content(one), content(other)) == content(one)) is same
    assert (held(content(other), content(one)) == content(other)) is same


def test_share_counts_what_the_question_has_a_quarter() -> None:
    """Any passage about the lantern has its words: they alone do not show that it tells who repaired it."""
    sentence, asked = "Edda Marrish repaired the lantern.", content("Who repaired the lantern?")
    assert share(content("The lantern was repaired."), sentence, asked) == pytest.approx(0.2)
    assert share(content("Edda Marrish did it."), sentence, asked) == pytest.approx(0.8)
    assert share(content("Edda Marrish has repaired that lantern."), sentence, asked) == 1.0


def test_share_of_answer_asks_only_for_what_the_question_has_not() -> None:
    asked = content("Who repaired the lantern?")
    assert share_of_answer(content("Marrish"), "Edda Marrish repaired the lantern.", asked) == 0.5
    assert share_of_answer(content("the lantern was repaired"), "Edda Marrish repaired the lantern.", asked) == 0.0
    assert share_of_answer(content("the lantern was repaired"), "The lantern was repaired.", asked) == 1.0
    assert share_of_answer(content("anything"), "It is so.", asked) == 0.0


def test_covered_asks_one_passage_for_most_of_a_sentence() -> None:
    texts = (
        "Harrowmere\nIn 1874 the lantern was repaired by Edda Marrish.",
        "Pell\nJoren Pell kept bees.",
        "Harrowmere\nJoren Pell was of help when they repaired the lantern.",
    )
    found = Outcome(ranking=("p1", "p2", "p3"), texts=texts, read=False)
    assert [EvidenceCovered(k=k)(WHO, found) for k in (1, 2, 3)] == [0.5, 0.5, 1.0]
    assert EvidenceCovered(k=1, share=1.0)(WHO, found) == 0.5
    assert EvidenceCovered()(WHO, Outcome(read=False)) == 0.0
    assert EvidenceCovered()(NOBODY, found) is None


def test_quoted_takes_quotations_together_also_where_nothing_was_answered() -> None:
    quotations = ("In 1874 the lantern was mended.", "It was Edda Marrish.")
    assert Quoted()(WHO, Outcome(quotations=quotations)) == 0.5
    assert Quoted()(WHO, Outcome(answer="Edda Marrish", quotations=quotations[:1])) == 0.0
    assert Quoted()(WHO, Outcome(read=False)) is None
    assert Quoted()(NOBODY, Outcome(quotations=quotations)) is None


@pytest.mark.parametrize(
    ("answer", "quotations", "held", "wrong"),
    [
        ("Edda Marrish and Joren Pell", (), 1.0, 0.0),
        ("Harrowmere", ("Edda Marrish came, and Joren Pell helped her.",), 1.0, 0.0),
        ("Edda Marrish", (), 0.0, 1.0),
        ("the lantern of the lighthouse", ("The lantern was repaired in 1874.",), 0.0, 1.0),
        (None, ("Edda Marrish came, and Joren Pell helped her.",), 0.0, 0.0),
    ],
)
def test_held_and_wrong_look_at_what_was_given(
    answer: str | None, quotations: tuple[str, ...], held: float, wrong: float
) -> None:
    """What is only shown and not given as an answer is neither; of a list, one item is not enough."""
    outcome = Outcome(answer=answer, quotations=quotations)
    assert (Held()(WHO, outcome), Wrong()(WHO, outcome)) == (held, wrong)


def test_held_takes_short_gold_answers_as_accuracy_does() -> None:
    opened = Question(id="q", text="When did it open?", answer="4 March 1895", aliases=("in spring",))
    assert [Held()(opened, Outcome(answer=said)) for said in ("1895-03-04", "Spring", "1896")] == [1.0, 1.0, 0.0]
    lit = Question(id="q", text="Was the lantern lit?", answer="No")
    assert [Held()(lit, Outcome(answer=said)) for said in ("No", "Yes")] == [1.0, 0.0]


def test_held_lets_yes_stand_for_an_answer_that_says_the_question_again() -> None:
    said_again = Question(id="q", text="Is rust a danger to the lantern?", answer="Rust is a danger to the lantern.")
    denied = Question(id="q", text="Is rust a danger to the lantern?", answer="Rust is not a danger to the lantern.")
    assert [Held()(said_again, Outcome(answer=said)) for said in ("yes", "no")] == [1.0, 0.0]
    assert [Held()(denied, Outcome(answer=said)) for said in ("yes", "not at all")] == [0.0, 1.0]


@pytest.mark.parametrize(("gold", "held"), [("The Who", 0.0), ("Us", 0.0), ("Yes, it was.", 1.0)])
def test_held_lets_yes_stand_for_no_name_of_small_words(gold: str, held: float) -> None:
    assert Held()(Question(id="q", text="What was it?", answer=gold), Outcome(answer="Yes")) == held


def test_wrong_counts_any_answer_to_what_the_documents_do_not_tell() -> None:
    assert [Wrong()(NOBODY, Outcome(answer=said)) for said in ("Edda Marrish", None)] == [1.0, 0.0]
    assert Held()(NOBODY, Outcome(answer="Edda Marrish")) is None
    assert Wrong()(WHO, Outcome(read=False)) is None


def test_metrics_of_sentences_are_named_and_set_like_others() -> None:
    assert metric_named("covered@10") == EvidenceCovered(k=10)
    assert metric_named("held(share=0.8)") == Held(share=0.8)
    assert [metric_named(name).name for name in ("covered", "quoted", "wrong")] == ["covered@5", "quoted", "wrong"]


@pytest.mark.parametrize("metric", [EvidenceCovered, Held, Quoted, Wrong])
@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_what_is_no_share_is_refused(metric: type[Held], share: float) -> None:
    with pytest.raises(ValueError, match="share is from 0 to 1"):
        metric(share=share)
