"""A step of StepChain as a hop: what it asked, what it came to, and the sentences and chains behind it."""

from __future__ import annotations

from polyhop.layers.view import View
from polyhop.strategies.shared.support import overlapping_span
from polyhop.strategies.stepchain.asked_step import SURE, AskedStep
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.types import Hop, HopStatus, Passage

SHOWN = 5  # chains of a hop


def hop_of(one: AskedStep, over: View) -> Hop:
    """The hop of a step that was asked, with the chains that tell its answer first."""
    passages = _behind(one, over)
    chains = one.telling()
    spans = one.spans
    if not spans and passages:
        spans = (overlapping_span(one.question, passages[0], must_name=one.answer),)
    return Hop(
        question=one.question,
        status=_status(one, chains),
        found=one.answer,
        passages=passages,
        sentences=spans,
        chains=tuple(chain.chain for chain in chains[:SHOWN]),
        step=one.position,
        score=one.logit,
        chance=None if one.lead is None else one.lead.chance,
        note=one.note,
    )


def _behind(one: AskedStep, over: View) -> tuple[Passage, ...]:
    """The passages that a step's answer was found in, or else the best one."""
    return tuple(over.passages(one.sources or [number for number, _ in one.passages[:1]]))


def _status(one: AskedStep, chains: list[EvidenceChain]) -> HopStatus:
    """Resolved where a chain tells the answer and denies nothing, recovered where text alone does."""
    if not one.settled:  # the last step: its answer is left to the reader
        return "recovered" if one.logit is not None and one.logit > SURE else "unresolved"
    if not one.established:
        return "unresolved"
    told = any(chain.tells(one.answer) and not chain.denies(one.question) for chain in chains)
    return "resolved" if told else "recovered"
