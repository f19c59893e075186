"""Whole questions with a language model, as they really were: a capable model's replies to each prompt, recorded.

The questions are invented, and so is the world that they ask about. A prompt that changes is another request, and the
replay says which: have the model answer it again with ``polyhop.models.recorded.Recorder``, and judge the new prompt by
its reply.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.models.recorded import Replay
from polyhop.types import Answer, AnswerKind

RECORDED = Path(__file__).parent.parent / "worlds" / "recorded"
DAUGHTER = "What instrument was invented by the daughter of the bellfounder who cast Old Patience?"
FIRST = "Who was born first, the builder of the Long Bridge or the architect of Harrowmere Lighthouse?"
DOUBT = (
    "Why did the teacher of the builder of the Long Bridge doubt the plan, and how was the bridge built all the same?"
)
QUOTED = {"auto": [2, 1], "paths": [2, 1], "c2rag": [2, 1], "stepchain": [3, 1]}  # times, a sentence of a reason
MOST_CALLS = {"auto": 1, "paths": 1, "c2rag": 3, "stepchain": 6}
MOST_TOKENS = {"auto": 2_200, "paths": 2_100, "c2rag": 3_900, "stepchain": 7_600}


def replayed(question: str, strategy: str, index: Path) -> Answer:
    """What is answered with the model that was recorded."""
    replay = Replay(RECORDED / f"{strategy}.jsonl")
    with Polyhop(index, language_model=replay) as engine:
        answer = engine.ask(question, strategy=strategy)
    replay.check()
    assert answer.evidence.cost.llm_calls <= MOST_CALLS[strategy]
    assert answer.evidence.cost.tokens <= MOST_TOKENS[strategy]
    assert answer.evidence.left_out == ()
    return answer


@pytest.mark.parametrize("strategy", MOST_CALLS)
def test_a_chain_is_followed_to_a_name_that_is_quoted(strategy: str, world_index: Path) -> None:
    answer = replayed(DAUGHTER, strategy, world_index)
    assert (answer.kind, answer.grounded) == (AnswerKind.VALUE, True)
    assert (answer.text or "").removeprefix("the ") == "lissandra"
    assert {"Old Patience", "Giselle Ombry"} <= {citation.title for citation in answer.citations}


@pytest.mark.parametrize("strategy", MOST_CALLS)
def test_a_comparison_is_quoted_for_both_sides(strategy: str, world_index: Path) -> None:
    answer = replayed(FIRST, strategy, world_index)
    assert (answer.text, answer.grounded, answer.confidence) == ("Tobren Lisk", True, 1.0)
    assert {"Long Bridge", "Harrowmere Lighthouse", "Edda Marrish"} <= {one.title for one in answer.citations}


@pytest.mark.parametrize("strategy", MOST_CALLS)
def test_a_reason_is_told_in_sentences_each_with_its_quotations(strategy: str, world_index: Path) -> None:
    answer = replayed(DOUBT, strategy, world_index)
    assert (answer.kind, answer.grounded) == (AnswerKind.PROSE, True)
    assert [len(item.citations) for item in answer.items][:2] == QUOTED[strategy]
    assert answer.text == " ".join(item.text for item in answer.items)
