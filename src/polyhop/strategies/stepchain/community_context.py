"""Summaries of what hangs together in a graph, as background for an answer (StepChain, Eq. 5 and 10)."""

from __future__ import annotations

import hashlib

from polyhop.layers.facts.communities import Community, clustered, communities_of
from polyhop.layers.facts.community_summaries import CommunitySummaries
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.view import View
from polyhop.ports import LanguageModel

NEW = 20  # summaries that a language model writes for one question, at most


def background(
    question: str, graph: GrownGraph, over: View, most: int, model: LanguageModel | None
) -> tuple[list[str], str]:
    """The summaries of the communities nearest to a question, and how they came to be, in words.

    Communities are found once for a gathered graph; each summary is made once for the index. Raises EndpointError.
    """
    communities = _communities(graph, over)
    summariser = CommunitySummaries.open(over.record.folder, over.growth.vectors, model, live=over.record.numbers())
    found = summariser.of(graph, communities, over.passages, most=None if model is None else NEW)
    nearest = found.relevant(over.vector(question), most)
    told = f"{len(communities)} communities, {found.made} summaries made now, {found.left} left"
    return [summary.line for summary, _ in nearest], f"{told}{f': {found.why}' if found.why else ''}"


def _communities(graph: GrownGraph, over: View) -> tuple[Community, ...]:
    """Those of a graph; what questions added since it was gathered is small, and is clustered anew with the rest."""
    whole = graph.parts[0] if len(graph.parts) == 1 else None
    if whole is None or whole.folder is None:
        return clustered(graph)
    live = hashlib.sha256(whole.alive.tobytes()).hexdigest()[:16]
    generation = f"{whole.folder.name}:{live}"
    folder = over.record.folder
    return over.once(f"communities:{generation}", lambda: communities_of(graph, folder, generation))
