"""Metrics equal their references: pytrec_eval for rankings, independently written scripts for answers."""

from __future__ import annotations

import random
import re
import string
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import SettingError, UnknownComponent, UsageError
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, standard
from polyhop.evaluation.metrics.abstention import Abstained, AbstainedOnNull, Lost
from polyhop.evaluation.metrics.all_supporting import AllSupporting, all_supporting
from polyhop.evaluation.metrics.covered import EvidenceCovered
from polyhop.evaluation.metrics.exact_match import ExactMatch, exact_match
from polyhop.evaluation.metrics.f1 import F1, f1
from polyhop.evaluation.metrics.held import Held, Wrong
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.metrics.quoted import Quoted
from polyhop.evaluation.metrics.recall import Recall, recall
from polyhop.evaluation.outcome import Outcome
from tests.worlds.installed import look_again

WORDS = [
    "yes",
    "no",
    "noanswer",
    "the",
    "a",
    "An",
    "Velmora",
    "velmora",
    "river",
    "river.",
    "St.",
    "1874",
    "Ünal",
    "-",
    "",
]
ANSWERS = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
ANSWERABLE = Question(id="q", text="?", answer="Velmora", aliases=("Velmora City",), supporting=("p1", "p2"))
UNANSWERABLE = Question(id="q", text="?", answer=None)
STANDARD = standard(
    Dataset(folder=Path(), split=None, questions=(ANSWERABLE, UNANSWERABLE), passages=frozenset(), hashes={})
)


def naive_normalise(text: str) -> str:
    """Character by character, word by word."""
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    pieces = re.split(r"(\w+)", bare)
    kept = [" " if piece in ("a", "an", "the") else piece for piece in pieces]
    return " ".join("".join(kept).split())


def naive_f1(prediction: str, reference: str) -> float:
    """Precision and recall with words crossed off a list."""
    said, gold = naive_normalise(prediction), naive_normalise(reference)
    if (said in ("yes", "no", "noanswer") or gold in ("yes", "no", "noanswer")) and said != gold:
        return 0.0
    words, left, common = said.split(), gold.split(), 0
    if not words or not left:
        return float(words == left)
    total = len(left)
    for word in words:
        if word in left:
            left.remove(word)
            common += 1
    if common == 0:
        return 0.0
    precision, found = common / len(words), common / total
    return 2 * precision * found / (precision + found)


@given(ANSWERS)
def test_normalise_equals_the_naive_reference_and_is_idempotent(text: str) -> None:
    assert normalise(text) == naive_normalise(text)
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [("The  River, a Delta!", "river delta"), ("Athena", "athena"), ("U.S.", "us"), ("T-he", ""), ("Ünal's", "ünals")],
)
def test_normalise_follows_squad(text: str, normalised: str) -> None:
    assert normalise(text) == normalised


@given(ANSWERS, st.lists(ANSWERS, max_size=4))
def test_answer_metrics_equal_the_naive_reference(prediction: str, references: list[str]) -> None:
    assert f1(prediction, references) == pytest.approx(max([naive_f1(prediction, gold) for gold in references] or [0]))
    same = [naive_normalise(prediction) == naive_normalise(gold) for gold in references]
    assert exact_match(prediction, references) == float(any(same))


@given(ANSWERS, ANSWERS)
def test_f1_is_symmetric_bounded_and_one_only_for_the_same_words(one: str, other: str) -> None:
    assert f1(one, [one]) == exact_match(one, [one]) == 1.0
    assert f1(one, [other]) == f1(other, [one])
    assert 0.0 <= exact_match(one, [other]) <= f1(one, [other]) <= 1.0


def test_f1_gives_yes_and_no_all_or_nothing() -> None:
    assert f1("yes", ["yes they do"]) == f1("no", ["yes"]) == f1("yes they do", ["yes"]) == 0.0
    assert f1("Yes.", ["yes"]) == 1.0
    assert f1("the old river", ["river"]) == pytest.approx(2 / 3)


def test_recall_equals_pytrec_eval_on_random_rankings() -> None:
    dice = random.Random(7)  # noqa: S311
    names = [f"p{number}" for number in range(40)]
    rankings = {f"q{n}": dice.sample(names, dice.randint(1, 20)) for n in range(300)}
    gold = {query: dice.sample(names, dice.randint(1, 6)) for query in rankings}
    evaluator = pytrec_eval.RelevanceEvaluator({q: dict.fromkeys(found, 1) for q, found in gold.items()}, {"recall"})
    scores = {q: {name: 100.0 - rank for rank, name in enumerate(ranking)} for q, ranking in rankings.items()}
    reference = evaluator.evaluate(scores)
    for query, ranking in rankings.items():
        for k in (5, 10, 15, 20):
            expected = reference[query][f"recall_{k}"]
            assert recall(ranking, gold[query], k) == pytest.approx(expected)
            assert all_supporting(ranking, gold[query], k) == float(expected == 1.0)


@given(
    st.lists(st.integers(0, 12).map(str), unique=True),
    st.sets(st.integers(0, 12).map(str), min_size=1),
    st.integers(1, 15),
)
def test_recall_grows_with_k_and_all_supporting_is_full_recall(ranking: list[str], gold: set[str], k: int) -> None:
    assert 0.0 <= recall(ranking, gold, k) <= recall(ranking, gold, k + 1) <= 1.0
    assert all_supporting(ranking, gold, k) == float(recall(ranking, gold, k) == 1.0)


def test_metrics_judge_answers_and_abstentions() -> None:
    judged = [
        (ANSWERABLE, "velmora city", (1.0, 1.0, 0.0, None, 0.0)),
        (ANSWERABLE, None, (0.0, 0.0, 1.0, None, 1.0)),
        (UNANSWERABLE, "Velmora", (0.0, 0.0, 0.0, 0.0, None)),
        (UNANSWERABLE, None, (1.0, 1.0, 1.0, 1.0, None)),
    ]
    for question, answer, expected in judged:
        outcome = Outcome(answer=answer)
        metrics = (ExactMatch(), F1(), Abstained(), AbstainedOnNull(), Lost())
        assert tuple(metric(question, outcome) for metric in metrics) == expected


def test_metrics_do_not_apply_to_what_was_not_done() -> None:
    searched = Outcome(ranking=("p1", "p3"), read=False)
    values = {metric.name: metric(ANSWERABLE, searched) for metric in STANDARD}
    assert values == {
        "em": None,
        "f1": None,
        "recall@2": 0.5,
        "recall@5": 0.5,
        "all@5": 0.0,
        "abstained": None,
        "abstained_on_null": None,
        "lost": None,
    }
    assert Recall(k=2)(UNANSWERABLE, searched) is None
    assert AllSupporting(k=2)(UNANSWERABLE, searched) is None


def test_metrics_of_2000_questions_take_less_than_a_second() -> None:
    outcome = Outcome(ranking=tuple(f"p{n}" for n in range(20)), answer="the city of Velmora on the river " * 3)
    start = time.perf_counter()
    for _ in range(2000):
        for metric in STANDARD:
            metric(ANSWERABLE, outcome)
    assert time.perf_counter() - start < 1.0


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed distribution that brings metrics, as a third party would write it."""
    info = tmp_path / "brevity-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brevity\nVersion: 1.0\n", encoding="utf-8")
    module = "polyhop.evaluation.metrics"
    points = f"[polyhop.metrics]\ndeep = {module}.recall:Recall\nplain = {module}.exact_match:ExactMatch\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    look_again()
    yield
    look_again()


@pytest.mark.usefixtures("plugin")
def test_metric_named_finds_registered_metrics_and_sets_their_depth() -> None:
    assert metric_named("deep@7") == Recall(k=7)
    assert metric_named("plain") == ExactMatch()
    with pytest.raises(UnknownComponent):
        metric_named("dep")
    with pytest.raises(SettingError):
        metric_named("plain@3")
    for wrong in ("deep@", "deep@0", "deep@x", "deep@-1"):
        with pytest.raises(UsageError):
            metric_named(wrong)
    for none in ("deep(k=0)", "deep(k=-1)"):
        with pytest.raises(UsageError, match="looks at no passage"):
            metric_named(none)


def test_figures_of_other_shares_have_names_of_their_own() -> None:
    assert [Held().name, Held(share=0.8).name, Wrong(share=1.0).name] == ["held", "held(share=0.8)", "wrong(share=1)"]
    assert [Quoted().name, Quoted(share=0.9).name] == ["quoted", "quoted(share=0.9)"]
    assert [EvidenceCovered(k=3).name, EvidenceCovered(share=0.9).name] == ["covered@3", "covered@5(share=0.9)"]


def test_metrics_of_one_name_do_not_take_the_place_of_each_other() -> None:
    data = Dataset(folder=Path(), split=None, questions=(ANSWERABLE,), passages=frozenset(), hashes={})
    judges = ("accuracy", "accuracy(judge=language_model)")
    with pytest.raises(UsageError, match="Two metrics have the name 'accuracy'"):
        Experiment(strategies=("bm25",), extra_metrics=judges).metrics(data)
    twice = Experiment(strategies=("bm25",), extra_metrics=("em", "accuracy", "accuracy")).metrics(data)
    assert [metric.name for metric in twice] == [*(metric.name for metric in STANDARD), "accuracy"]
