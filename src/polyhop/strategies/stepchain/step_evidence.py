"""What a question answered step by step hands over: a hop a step with its chains, and the passages in one order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from polyhop.layers.view import View
from polyhop.plans import Plan
from polyhop.strategies.shared.support import overlapping_span
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.strategies.stepchain.stepping import SURE, Stepping
from polyhop.types import Hop, HopStatus, Passage

SHOWN = 5  # chains of a hop


def ranking(stepping: Stepping, plan: Plan) -> dict[int, float]:
    """The passages with their scores: what was quoted, the ways to the answers, then single ones and leads by turns.

    What a step established stands or falls with the passages that it quoted: they come before anything that was merely
    retrieved, and the first one of each step before the second of any.
    """
    referred = {one for step in plan.steps for one in step.refers_to}
    singles, others = (dict(sorted(each.items(), key=_best)) for each in (stepping.singles, stepping.others))
    known = {**others, **singles}
    quoted = [one.sources for one in stepping.done if one.established and one.quotes]
    first = [number for turn in zip_longest(*quoted) for number in turn if number is not None]
    ways = [number for one in stepping.done if one.position not in referred for number in one.way]
    ordered = dict.fromkeys([*first, *stepping.whole, *ways])
    for turn in zip_longest(singles, others):
        ordered.update(dict.fromkeys(number for number in turn if number is not None))
    return {number: known.get(number, 0.0) for number in ordered}


def _best(item: tuple[int, float]) -> tuple[float, int]:
    return -item[1], item[0]


def hops(stepping: Stepping, over: View) -> Iterator[Hop]:
    """A hop for each step that was asked, with the chains that tell its answer first."""
    for one in stepping.done:
        passages = _behind(one, over)
        chains = one.telling()
        spans = one.spans
        if not spans and passages:
            found = overlapping_span(one.question, passages[0])
            spans = (found,) if found is not None else ()
        yield Hop(
            question=one.question,
            status=_status(one, chains),
            found=one.answer,
            passages=passages,
            sentences=spans,
            chains=tuple(chain.chain for chain in chains[:SHOWN]),
            step=one.position,
            score=one.logit,
            note=one.note,
        )


def _behind(one: AskedStep, over: View) -> tuple[Passage, ...]:
    """The passages that a step's answer was found in, or else the best one."""
    return tuple(over.passages(one.sources or [number for number, _ in one.passages[:1]]))


def _status(one: AskedStep, chains: list[EvidenceChain]) -> HopStatus:
    """Resolved where a chain tells the answer, recovered where text alone does."""
    if not one.settled:  # the last step: its answer is left to the reader
        return "recovered" if one.logit is not None and one.logit > SURE else "unresolved"
    if not one.established:
        return "unresolved"
    return "resolved" if chains and chains[0].tells(one.answer) else "recovered"
