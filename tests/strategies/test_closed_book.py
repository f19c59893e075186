"""What a language model knows by heart: nothing is looked up, and what it answers is marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment, layers_of, prepare
from polyhop.settings import Settings
from polyhop.types import Answer, AnswerKind, AnswerStatus, Budget
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import EndpointServer, Played, Script, asked, in_turn, says


def remembers(answer: str) -> Played:
    """What a model says that recalls something."""
    return says(json.dumps({"reasoning": "It was Edda Marrish's.", "answer": answer}))


def answered(script: Script | Played, index: Path, **reader: object) -> tuple[Answer, EndpointServer]:
    """The answer by heart of a model that plays a script, and the server that it asked."""
    with asked(script) as (model, server):
        settings = Settings.from_mapping({"reader": reader})
        with Polyhop(index, settings=settings, language_model=model) as engine:
            return engine.ask(BRIDGE, strategy="closed-book"), server


def test_an_answer_by_heart_is_given_and_marked(world_index: Path) -> None:
    """By the cautious reader too: whoever asks for no retrieval wants what the model remembers."""
    answer, server = answered(remembers("Pellingrove"), world_index)
    assert (answer.text, answer.grounded, answer.citations) == ("Pellingrove", False, ())
    assert 0 < answer.confidence < 0.2
    assert (answer.evidence.passages, answer.evidence.hops) == ((), ())
    assert len(server.requests) == answer.evidence.cost.llm_calls == 1


def test_the_model_is_shown_the_question_and_nothing_of_the_documents(world_index: Path) -> None:
    _, server = answered(remembers("Pellingrove"), world_index)
    system, user = (message["content"] for message in server.requests[0]["messages"])
    assert BRIDGE in user
    assert "Marrish" not in system + user


@pytest.mark.parametrize(("stance", "told"), [("cautious", "Empty if you do not know"), ("best", "never empty")])
def test_a_model_may_say_that_it_does_not_know_unless_the_best_is_wanted(
    stance: str, told: str, world_index: Path
) -> None:
    answer, server = answered(remembers(" "), world_index, stance=stance)
    assert (answer.status, answer.text) == (AnswerStatus.NOT_FOUND, None)
    assert told in server.requests[0]["messages"][0]["content"]


def test_the_bench_asks_for_few_words(world_index: Path) -> None:
    _, server = answered(remembers("Pellingrove"), world_index, brief=True)
    assert "as few words as possible" in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("said", "text", "kind"),
    [
        ("Pellingrove", "Pellingrove", AnswerKind.VALUE),
        ("Yes.", "Yes.", AnswerKind.VERDICT),
        ("She was born in the town of Pellingrove.", "She was born in the town of Pellingrove.", AnswerKind.PROSE),
    ],
)
def test_an_answer_has_the_kind_that_it_shows(said: str, text: str, kind: AnswerKind, world_index: Path) -> None:
    answer, _ = answered(remembers(said), world_index)
    assert (answer.text, answer.kind, answer.items) == (text, kind, ())


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ("Pellingrove, I believe.", "Pellingrove, I believe."),
        ('{"answer": "Pellingrove", "sure": 1}', "Pellingrove"),
        ('{"place": "Pellingrove"}', None),
    ],
)
def test_what_is_in_another_form_is_used_as_far_as_it_goes(broken: str, text: str | None, world_index: Path) -> None:
    """After one repair."""
    answer, server = answered(in_turn(says(broken), says(broken)), world_index)
    assert (answer.text, len(server.requests)) == (text, 2)


def test_without_a_call_left_nobody_answers(world_index: Path) -> None:
    with asked(remembers("Pellingrove")) as (model, server), Polyhop(world_index, language_model=model) as engine:
        answer = engine.ask(BRIDGE, strategy="closed-book", budget=Budget(llm_calls=0))
    assert (answer.text, server.requests) == (None, [])


def test_without_a_language_model_it_says_that_nobody_answers(engine: Polyhop) -> None:
    answer = engine.ask(BRIDGE, strategy="closed-book")
    assert answer.text is None
    assert "without a language model" in answer.evidence.trail[0]


def test_the_bench_needs_no_layer_for_it(tmp_path: Path) -> None:
    """A run of it alone embeds nothing, and its answers are judged like others."""
    rows = [{"id": "e", "title": "Edda Marrish", "text": "Edda Marrish was born in Pellingrove."}]
    asks = [{"id": 1, "question": BRIDGE, "answer": "Pellingrove", "supporting": ["e"]}]
    for name, lines in (("corpus", rows), ("questions", asks)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    data = Dataset.read(tmp_path)
    with (
        asked(remembers("Pellingrove")) as (model, _),
        Polyhop(tmp_path / "index", language_model=model) as engine,
    ):
        assert layers_of(["closed-book"]) == ()
        prepare(engine, data, layers=())
        run = Experiment(strategies=("closed-book",)).run(engine, data)
        assert engine.status().layers == ()
    metrics = run.records["closed-book"][0].metrics
    assert (metrics["em"], metrics["recall@5"]) == (1.0, 0.0)
