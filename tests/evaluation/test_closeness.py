"""How close clues, and the passages that they lead to, are to the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import ModelMissing
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.closeness import Closeness
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.outcome import ClueOutcome, HopOutcome, Outcome
from polyhop.models.choice import Models

TEXTS = {"p1": "aab", "p2": "bbc", "p3": "abc"}
QUESTION = Question(id="q", text="abca", answer="x", supporting=("p1", "p2"))
HOP = st.builds(
    HopOutcome,
    status=st.just("resolved"),
    query=st.sampled_from(["", "ab", "cca"]),
    passages=st.lists(st.sampled_from([*TEXTS, "unranked"]), max_size=3, unique=True).map(tuple),
    clues=st.lists(
        st.builds(
            ClueOutcome,
            entity=st.text("abc", min_size=1, max_size=3),
            relation=st.text("abc", min_size=1, max_size=3),
            direction=st.just("forward"),
        ),
        max_size=2,
    ).map(tuple),
)


@dataclass(frozen=True)
class Letters:
    """Embeds a text as how often it has each of three letters."""

    name: str = "letters"

    def embed_passages(self, texts: Sequence[str]) -> Any:
        """Unit vectors, one row a text."""
        return np.array([self.vector(text) for text in texts], np.float32)

    embed_questions = embed_passages

    def vector(self, text: str) -> list[float]:
        """The vector of one text, in plain numbers."""
        counts = [text.count(letter) for letter in "abc"]
        length = sum(count * count for count in counts) ** 0.5
        return [count / length for count in counts]


@dataclass(frozen=True)
class OnlyEmbedder:
    """Models of which the metric needs one."""

    embedder: Letters = Letters()


def measured(of: Any, hops: Sequence[HopOutcome]) -> float | None:
    outcome = Outcome(ranking=tuple(TEXTS), texts=tuple(TEXTS.values()), hops=tuple(hops))
    return Closeness(of=of).with_models(cast(Models, OnlyEmbedder()))(QUESTION, outcome)


@given(st.lists(HOP, max_size=4), st.sampled_from(["clues", "passages"]))
def test_closeness_is_that_of_a_naive_loop(hops: list[HopOutcome], of: str) -> None:
    """The cosine of two texts is the sum of products of their letters, over both lengths."""
    letters, cosines = Letters(), []
    for hop in hops:
        for passage in hop.passages:
            if passage in TEXTS and passage in QUESTION.supporting and hop.clues:
                clue = f"{hop.clues[0].entity} {hop.clues[0].relation}"
                text = clue if of == "clues" else TEXTS[passage]
                pairs = zip(letters.vector(text), letters.vector(hop.query or QUESTION.text), strict=True)
                cosines.append(sum(one * other for one, other in pairs))
                break
    expected = sum(cosines) / len(cosines) if cosines else None
    assert measured(of, hops) == (None if expected is None else pytest.approx(min(1.0, expected), abs=1e-5))


def test_both_are_asked_for_by_name() -> None:
    """They need an embedder, and say what else."""
    clues, passages = metric_named("closeness"), metric_named("closeness(of=passages)")
    assert (clues.name, passages.name) == ("closeness of clues", "closeness of passages")
    with pytest.raises(ModelMissing):
        clues(QUESTION, Outcome())
    assert "translator" in Closeness.needs
