"""The harbour with the questions that its passages answer, and how like a question they are."""

from __future__ import annotations

from polyhop.layers.questions.graph import QuestionGraph
from polyhop.types import Evidence

BUILDER = "Who built the lighthouse of Quillmouth?"
UNANSWERED = "Which opera did Wagner finish last?"


def titles(evidence: Evidence) -> list[str]:
    return [passage.title for passage in evidence.passages]


def shares(graph: QuestionGraph) -> dict[int, float]:
    """Of every node how many of its passage's are more like the passage."""
    return dict(zip(graph.nodes.tolist(), graph.shares.tolist(), strict=True))
