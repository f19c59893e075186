"""Whether clues lead to what a passage says that helps the question, as a language model judges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from polyhop.errors import ModelMissing
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.metrics.semantic_coverage import SemanticCoverage
from polyhop.evaluation.outcome import ClueOutcome, HopOutcome, Outcome
from polyhop.models.endpoint import OpenAICompatible
from polyhop.prompts.judge_clue import judge_clues
from tests.worlds.endpoint import EndpointServer, Played, says, serving
from tests.worlds.prompts import inside

ASKED = Question(id="q", text="Who lit the Sable Light?", answer="Mina Stroud", supporting=("p1", "p2"))
TEXTS = {"p1": "Sable Light\nIt was lit by Mina Stroud.", "p2": "Mina Stroud\nShe kept bees.", "p3": "Velm\nA town."}


def clue(entity: str, relation: str, tail: str | None = None) -> ClueOutcome:
    return ClueOutcome(entity=entity, relation=relation, direction="forward", tail=tail)


def hop(passage: str, *clues: ClueOutcome) -> HopOutcome:
    return HopOutcome(status="resolved", passages=(passage,), clues=clues)


def outcome(*hops: HopOutcome) -> Outcome:
    return Outcome(ranking=tuple(TEXTS), texts=tuple(TEXTS.values()), hops=hops)


def verdicts(request: Mapping[str, Any]) -> Played:
    """A judge for whom a clue covers the question where it speaks of lighting, and who says nothing of town halls."""
    asked = request["messages"][1]["content"]
    clues = re.findall(r"<<<CLUE (\d+) \w+>>>\n(.*?)\n<<<END", asked)
    said = [
        {"clue": int(number), "reason": "lit" if "lit" in text else "no", "covers": "lit" in text}
        for number, text in clues
        if "hall" not in text
    ]
    return says(json.dumps({"clues": said}))


@contextmanager
def judging() -> Iterator[tuple[SemanticCoverage, EndpointServer]]:
    """The metric with the judge behind an endpoint, and that."""
    with serving(verdicts) as server:
        model = OpenAICompatible(base_url=server.url, model="judge")
        try:
            yield SemanticCoverage().judged_by(model), server
        finally:
            model.close()


def test_it_is_the_share_of_clues_to_supporting_passages_that_cover_the_question() -> None:
    """Pooled over the hops of a question; a hop that found nothing supporting is not judged."""
    hops = (
        hop("p1", clue("Sable Light", "was lit by"), clue("Sable Light", "is"), clue("Sable Light", "town hall")),
        hop("p2", clue("Mina Stroud", "kept")),
        hop("p3", clue("Velm", "was lit by")),
    )
    with judging() as (metric, server):
        assert metric(ASKED, outcome(*hops)) == pytest.approx(1 / 3)
        assert metric.asked.cost.llm_calls == len(server.requests) == 2
        assert inside(server.requests[0]["messages"][1]["content"], "PASSAGE") == TEXTS["p1"]


def test_a_clue_is_judged_for_the_query_that_it_was_made_of() -> None:
    """Who kept what is sought says nothing of the question, and all of what was asked next."""
    asked_next = replace(hop("p2", clue("Mina Stroud", "kept")), query="What did Mina Stroud keep?")
    with judging() as (metric, server):
        metric(ASKED, outcome(hop("p1", clue("Sable Light", "was lit by")), asked_next))
        prompts = [request["messages"][1]["content"] for request in server.requests]
    assert [inside(prompt, "QUESTION") for prompt in prompts] == [ASKED.text, "What did Mina Stroud keep?"]


def test_a_triple_is_judged_with_what_stands_at_its_other_end() -> None:
    with judging() as (metric, server):
        assert metric(ASKED, outcome(hop("p1", clue("Sable Light", "was lit by", "Mina Stroud")))) == 1.0
        assert (
            inside(server.requests[0]["messages"][1]["content"], "CLUE 1") == "Sable Light | was lit by | Mina Stroud"
        )


@pytest.mark.parametrize("hops", [(), (hop("p1"),), (hop("p3", clue("Velm", "was lit by")),)])
def test_without_clues_to_supporting_passages_nobody_is_asked(hops: tuple[HopOutcome, ...]) -> None:
    with judging() as (metric, server):
        assert metric(ASKED, outcome(*hops)) is None
        assert server.requests == []


def test_a_judge_who_gives_no_verdict_is_not_counted() -> None:
    with serving(lambda _: says("I cannot say.")) as server:
        model = OpenAICompatible(base_url=server.url, model="judge")
        assert SemanticCoverage().judged_by(model)(ASKED, outcome(hop("p1", clue("Sable Light", "was lit by")))) is None
        assert judge_clues(model, "Who?", [], "") == ()
        model.close()


def test_it_is_asked_for_by_name_and_needs_a_model() -> None:
    metric = metric_named("semantic_coverage")
    assert (metric.name, metric) == ("semantic coverage", SemanticCoverage())
    with pytest.raises(ModelMissing):
        metric(ASKED, Outcome())
    assert "translator" in SemanticCoverage.needs
