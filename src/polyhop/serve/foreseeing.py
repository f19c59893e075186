"""Routes that help to decide: what a layer would cost, and questions that the documents answer, to measure with."""

from __future__ import annotations

import random
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from polyhop import registry
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.view import View
from polyhop.serve.service import TheWorkspace

router = APIRouter(prefix="/v1", tags=["reading"])

SEED = 0
TRIES = 20  # nodes looked at for each question that is wanted: sentences and long answers make none
LONGEST = 80  # characters of an answer that can be held against another


class LayerForecast(BaseModel):
    """What it would take to have a layer of all documents, as they are and as the server is set."""

    name: str = Field(examples=["facts"])
    passages: int = Field(description="That are still to be done.")
    seconds: float = Field(description="About how long it would take.")
    cost: dict[str, Any] = Field(description="Of a language model, at most: `llm_calls`, `tokens`, `money`.")


class Forecasts(BaseModel):
    """What layers would take."""

    layers: list[LayerForecast]


class SuggestedQuestion(BaseModel):
    """A question with the answer that a document gives."""

    question: str
    answer: str


class SuggestedQuestions(BaseModel):
    """Questions that were made of the documents, to be looked through before they count."""

    questions: list[SuggestedQuestion]


@router.get("/forecast")
def forecast(
    workspace: TheWorkspace,
    layer: Annotated[list[str] | None, Query(max_length=20, description="Only these; repeatable.")] = None,
) -> Forecasts:
    """What each layer would take that the index lacks, or lacks in part. Nothing is changed."""
    report = workspace.engine.add_documents([], layers=layer or registry.working("layers"), dry_run=True)
    told = [
        LayerForecast(name=each.name, passages=each.extracted, seconds=each.seconds, cost=each.cost.to_dict())
        for each in report.layers
    ]
    return Forecasts(layers=told)


@router.get("/questions")
def questions(workspace: TheWorkspace, limit: Annotated[int, Query(ge=1, le=200)] = 20) -> SuggestedQuestions:
    """Questions that the layer `questions` has made of the documents, with their answers: the same at each call."""
    with workspace.engine.view() as view:
        return SuggestedQuestions(questions=_suggested(view, limit))


def _suggested(view: View, most: int) -> list[SuggestedQuestion]:
    graph: QuestionGraph = view.restricted(("questions",)).questions
    chance = random.Random(SEED)  # noqa: S311
    nodes = chance.sample(graph.nodes.tolist(), min(len(graph), most * TRIES))
    found: dict[str, SuggestedQuestion] = {}
    for node in nodes:
        pair = graph.question(node)
        if pair.question and pair.answer and len(pair.answer) <= LONGEST:
            found.setdefault(pair.question, SuggestedQuestion(question=pair.question, answer=pair.answer))
        if len(found) == most:
            break
    return list(found.values())
