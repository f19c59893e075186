"""Steps in words, as data sets have them, and where they stand in their questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import DatasetError
from polyhop.training.plan_alignment import Wordings, aligned
from polyhop.training.skeletons import skeleton_plans
from polyhop.training.taught_plans import SINGLE_SOURCES, TaughtPlan, taught_plans
from tests.worlds.rows import decompositions, multi_hop, reading, skeletons, write_plans, write_rows

NOTHING = Wordings({})


def plan(question: str, *steps: str) -> TaughtPlan:
    return TaughtPlan(source="lights", licence="CC0-1.0", question=question, steps=steps)


def stretches(question: str, *steps: str) -> list[str] | None:
    """The characters that the steps but the last are found in."""
    found = aligned(plan(question, *steps), NOTHING)
    if found is None:
        return None
    return [question[found.words[start].start : found.words[end - 1].end] for start, end in found.stretches]


def test_rows_of_three_data_sets_become_steps(tmp_path: Path) -> None:
    found = taught_plans(write_plans(tmp_path, decompositions(), skeletons()))
    assert {one.source for one in found} == {"musique_dev", "2wiki_dev", "break_qdmr"}
    by_source = {one.source: one for one in reversed(found)}
    assert by_source["musique_dev"].refers_to in [((), (0,)), ((), (0,), (1,))]
    assert by_source["2wiki_dev"].steps == (), "two things beside one another are compared"
    assert by_source["break_qdmr"].steps == ("men who painted the Harrowmere pier 0", "what does #1 sell")
    assert by_source["break_qdmr"].refers_to == ((), (0,))


def test_rows_of_a_source_whose_steps_are_not_known_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Else rows of one's own, which name no data set, would leave nothing to train on and nobody would know why."""
    known = [row for row in decompositions() if row["src"] == "musique_dev"]
    assert taught_plans(write_plans(tmp_path, [*known, {**known[0], "src": "our archive"}], []))
    assert f"such as 'our archive': 1 of {len(known) + 1}" in caplog.text
    assert "let src begin with musique" in caplog.text


def test_questions_of_one_step_come_from_reading_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyhop.training.taught_plans.SINGLE_SOURCES", {"lights": 5})
    write_plans(write_rows(tmp_path, reading(), multi_hop()), decompositions(), [])
    found = [one for one in taught_plans(tmp_path) if one.source == "lights"]
    assert 0 < len(found) <= 5
    assert all(one.steps == (one.question,) for one in found)
    assert taught_plans(tmp_path) == taught_plans(tmp_path)
    assert SINGLE_SOURCES


def test_a_step_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    write_plans(tmp_path, [decompositions()[0], {**decompositions()[1], "steps": ["who?"]}], [])
    with pytest.raises(DatasetError, match=r"decompositions\.jsonl, line 2: the step 'who\?'"):
        taught_plans(tmp_path)


def test_a_step_is_found_where_its_words_stand() -> None:
    asked = "When was the school that Ada Lund went to built?"
    assert stretches(asked, "Ada Lund >> school", "When was #1 built?") == ["the school that Ada Lund went to"]
    asked = "Who leads the county where the founder of Velm was born?"
    assert stretches(asked, "Velm >> founder", "#1 >> county", "Who leads #2 ?") == [
        "the founder of Velm",
        "the county where the founder of Velm was born",
    ]
    asked = "When did Ada Lund's team beat the winner of the 1894 cup?"
    steps = ("1894 cup >> winner", "Ada Lund >> team", "when did #2 beat #1")
    assert stretches(asked, *steps) == ["the winner of the 1894 cup", "Ada Lund's team"]


def test_a_step_that_the_question_does_not_say_is_not_invented() -> None:
    assert stretches("Who is the sibling-in-law of Ada Lund?", "Ada Lund >> spouse", "#1 >> sibling") is None
    assert stretches("Is it?", "Velm >> founder", "Where was #1 born?") is None
    assert stretches("Who founded Velm?", "Who founded Velm?") == []


def test_questions_teach_how_a_relation_is_worded() -> None:
    rows = [plan(f"Who wedded the painter of Velm {n}?", f"Velm {n} >> creator", "#1 >> spouse") for n in range(4)]
    rows += [plan(f"Who leads the country of Orsa {n}?", f"Orsa {n} >> country", "#1 >> head") for n in range(8)]
    wordings = Wordings.counted(rows)
    assert "wedde" in wordings.of["spouse"]
    assert "velm" not in wordings.of["spouse"]
    asked = plan("Who leads the painter of Orsa?", "Orsa >> creator", "#1 >> head")
    assert aligned(asked, NOTHING) is not None
    found = aligned(asked, wordings)
    assert found is not None
    assert found.stretches == ((2, 6),)


WORDS = st.sampled_from(["the", "keeper", "of", "Velm", "who", "was", "born", "in", "'s", "and", "(", "pier", "?", "é"])
STEPS = st.lists(
    st.sampled_from(["Velm >> keeper", "#1 >> pier", "#2 >> born", "who was #1 and #2", "Orsa pier"]), max_size=4
)


@given(st.lists(WORDS, max_size=14).map(" ".join), STEPS.map(tuple))
def test_stretches_are_nested_as_steps_refer_to_one_another(question: str, steps: tuple[str, ...]) -> None:
    taught = plan(question or "?", *(steps or ("?",)))
    found = aligned(taught, NOTHING)
    if found is None:
        return
    spans = [*found.stretches, (0, len(found.words))]
    assert len(found.stretches) == len(taught.steps) - 1
    for place, references in enumerate(taught.refers_to):
        inner = [spans[one] for one in references]
        assert all(spans[place][0] <= start < end <= spans[place][1] for start, end in inner)
        assert all(one[1] <= other[0] or other[1] <= one[0] for one in inner for other in inner if one != other)


def test_clauses_on_other_nouns_than_the_asked_one_are_hops(tmp_path: Path) -> None:
    found = skeleton_plans(write_plans(tmp_path, [], skeletons()))
    assert {one.question: [one.question[start:end] for start, end in one.marked or ()] for one in found} == {
        "What is sold in the port where the Ostrand ferry lands?": ["the port where the Ostrand ferry lands"],
        "Who met the man who sailed to Velmouth in May?": ["the man who sailed to Velmouth"],
    }
    assert skeleton_plans(tmp_path / "nowhere") == []
