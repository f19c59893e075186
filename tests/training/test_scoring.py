"""Figures of what was read, from logits."""

from __future__ import annotations

import numpy as np
import pytest

from polyhop.ports import Floats
from polyhop.training.rows import KINDS
from polyhop.training.scoring import WindowRead, best_span, figures, read, score
from polyhop.training.windows import Window

IDS = (101, 7, 102, 20, 21, 22, 23, 102)


def window(kind: str, *spans: tuple[int, int]) -> Window:
    allowed = (False, False, False, True, True, True, True, False)
    return Window(
        ids=IDS,
        asked=3,
        allowed=allowed,
        spans=spans,
        evidence=tuple(bool(spans) and one for one in allowed),
        kind=KINDS.index(kind),
        told=True,
        source="lights/one",
    )


def logits(start: int, end: int, kind: str) -> tuple[Floats, Floats]:
    tokens = np.zeros((len(IDS), 3), np.float32)
    tokens[start, 0] = tokens[end, 1] = tokens[start, 2] = 5
    return tokens, np.eye(4, dtype=np.float32)[KINDS.index(kind)]


def test_a_span_begins_before_it_ends_and_where_it_may() -> None:
    tokens = np.zeros((8, 3), np.float32)
    tokens[1, 0] = tokens[0, 1] = 9  # in the question
    tokens[5, 0], tokens[4, 1], tokens[6, 1] = 3, 3, 2
    assert best_span(tokens, window("span").allowed) == (5, 6)


def test_a_span_is_no_longer_than_forty_tokens() -> None:
    tokens = np.zeros((100, 3), np.float32)
    tokens[10, 0], tokens[80, 1], tokens[30, 1] = 3, 3, 2
    assert best_span(tokens, [True] * 100) == (10, 30)


def test_a_reading_knows_exact_partial_and_evidence() -> None:
    exact = read(window("span", (3, 4)), *logits(3, 4, "span"))
    assert (exact.exact, exact.f1, exact.evidence, exact.said) == (True, 1.0, True, exact.kind)
    partial = read(window("span", (3, 4)), *logits(3, 6, "none"))
    assert not partial.exact
    assert partial.f1 == pytest.approx(2 * 2 / 6)
    assert read(window("none"), *logits(3, 4, "none")).evidence is None


def test_the_score_counts_only_what_was_said_rightly() -> None:
    right = read(window("span", (3, 4)), *logits(3, 4, "span"))
    unsaid = read(window("span", (3, 4)), *logits(3, 4, "none"))
    nothing = read(window("none"), *logits(3, 4, "none"))
    assert score([right, unsaid, nothing, nothing]) == 75
    assert score([]) == 0


def test_figures_are_told_by_source_and_for_all() -> None:
    readings = [
        read(window("span", (3, 4)), *logits(3, 4, "span")),
        read(window("none"), *logits(3, 4, "none")),
        read(window("none"), *logits(3, 4, "span")),
    ]
    table = figures(readings)
    assert list(table) == ["lights", "all"]
    assert table["all"]["exact match"] == 100
    assert table["all"]["none, F1"] == pytest.approx(100 * 2 / 3)
    assert table["all"]["windows"] == 3


def test_a_reading_is_a_plain_record() -> None:
    one = WindowRead(source="a", kind=1, said=1, f1=1.0, exact=True, evidence=None)
    assert "evidence" not in figures([one])["all"]
