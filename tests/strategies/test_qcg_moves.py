"""Steps of qcg that are not the paper's: two events looked for by themselves, and whether documents speak of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.ports import Floats, Reranker
from polyhop.settings import Settings
from polyhop.strategies.qcg.answerability import COVERED, LEAST, answerability_of
from polyhop.strategies.qcg.two_events import events_of, interleaved
from tests.worlds.documents import HARBOUR, write

BUILDER = "Who built the lighthouse of Quillmouth?"
UNANSWERED = "Which opera did Wagner finish last?"
TEXTS = ("Fennick is known for its glass.", "It teaches engineers.", "Ada Brisk built the lighthouse.", "Late trains.")
Rankings = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4)


@dataclass
class Counting:
    """A reranker that keeps what it has read."""

    inner: Reranker
    read: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Identifies the scores."""
        return self.inner.name

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits as they are."""
        self.read += texts
        return self.inner.score(question, texts)


class CountingModels(Models):
    """The default models, with a reranker that keeps what it has read."""

    def __init__(self) -> None:
        super().__init__(Settings())
        self.counting = Counting(super().reranker)

    @property
    def reranker(self) -> Counting:
        """That of the default, which is counted."""
        return self.counting


@pytest.fixture(scope="module")
def harbour_view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """The text of the harbour, open."""
    folder = tmp_path_factory.mktemp("moves")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(Path(folder) / "documents", HARBOUR), layers=("text",))
        with engine.view() as view:
            yield view


@pytest.fixture
def over(harbour_view: View) -> View:
    """The same, with a reranker that keeps what it has read."""
    return View(record=harbour_view.record, models=CountingModels(), layers=harbour_view.layers)


def read_by(view: View) -> list[str]:
    assert isinstance(view.models, CountingModels)
    return view.models.counting.read


# --- Events -----------------------------------------------------------------------------------------------------------


def test_two_events_whose_order_is_asked_are_taken_apart() -> None:
    """Each stands alone; any other question stays whole."""
    asked = "Did Piet Rook found the Tarn School before Ada Brisk built the lighthouse?"
    assert events_of(asked) == ("Piet Rook found the Tarn School", "Ada Brisk built the lighthouse")
    assert len(events_of("How many days passed between Orsk asking for a boat and Vell selling one?")) == 2
    assert events_of(BUILDER) == (BUILDER,)


def test_rankings_are_taken_by_turns() -> None:
    first, second = [(1, 0.9), (2, 0.8), (3, 0.1)], [(4, 0.7), (1, 0.6)]
    assert interleaved([first, second]) == [(1, 0.9), (4, 0.7), (2, 0.7), (3, 0.1)]
    assert interleaved([first]) == first
    assert interleaved([[], second]) == second


@given(Rankings)
def test_every_passage_is_taken_once_and_no_ranking_waits_for_long(rankings: list[list[int]]) -> None:
    """All that the first i of each ranking hold is among the first i times as many as there are rankings."""
    found = interleaved([[(number, 1 / (1 + place)) for place, number in enumerate(one)] for one in rankings])
    numbers, scores = [number for number, _ in found], [score for _, score in found]
    assert sorted(numbers) == sorted({number for one in rankings for number in one})
    assert scores == sorted(scores, reverse=True)
    for i in range(1, 11):
        assert {number for one in rankings for number in one[:i]} <= set(numbers[: i * len(rankings)])


# --- Whether documents speak of it ------------------------------------------------------------------------------------


def test_what_is_spoken_of_is_worth_the_best_logit_and_the_words_that_are_covered(over: View) -> None:
    """Read to its end, where nothing is ever enough."""
    spoken = answerability_of([(BUILDER, TEXTS[:3])], TEXTS[3:], over, 100.0)
    best = float(over.models.reranker.score(BUILDER, TEXTS).max())
    assert spoken.worth == pytest.approx(best + COVERED * over.text.lexical.coverage(BUILDER))
    assert not spoken.enough
    assert answerability_of([], [], over, 0.0).worth == LEAST


@pytest.mark.parametrize("question", [BUILDER, UNANSWERED])
@pytest.mark.parametrize("least", [-11.0, 0.0, 12.0, 19.0, 40.0])
def test_no_more_is_read_than_decides(question: str, least: float, over: View) -> None:
    """In their order, two at a time; whether it is enough is as if all had been read."""
    whole = answerability_of([(question, TEXTS[:3])], TEXTS[3:], over, 100.0)
    read_by(over).clear()
    spoken = answerability_of([(question, TEXTS[:3])], TEXTS[3:], over, least)
    assert spoken.enough == (whole.worth >= least)
    assert spoken.worth <= whole.worth
    read = tuple(read_by(over))
    assert read == TEXTS[: len(read)]
    assert spoken.enough or read == TEXTS


def test_passages_are_read_only_where_short_texts_do_not_speak_of_it(over: View) -> None:
    passage = HARBOUR["quillmouth.txt"]
    assert answerability_of([(BUILDER, TEXTS)], [passage], over, 12.0).enough
    assert passage not in read_by(over)
    assert answerability_of([(BUILDER, TEXTS[:2])], [passage], over, 12.0).enough
    assert passage in read_by(over)


def test_one_event_that_is_spoken_of_is_enough(over: View) -> None:
    """Each is judged by its own words and texts."""
    told, untold = ("Ada Brisk built the lighthouse", TEXTS[2:3]), ("Wagner finished an opera", TEXTS[:1])
    assert answerability_of([untold, told], [], over, 12.0).enough
    assert answerability_of([told, untold], [], over, 12.0).enough
    assert not answerability_of([untold, untold], [], over, 12.0).enough
