"""The best of many scores are always the same ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.ranking import best, kth_highest

few_scores = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5]), min_size=1, max_size=40)


@given(few_scores, st.integers(0, 45))
def test_the_best_equal_a_stable_sort(scores: list[float], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda place: -scores[place])[:k]
    assert best(np.array(scores, np.float32), k).tolist() == expected


@given(few_scores, st.data())
def test_the_kth_highest_equals_a_sort(scores: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(scores)))
    assert kth_highest(np.array(scores), k) == sorted(scores, reverse=True)[k - 1]
