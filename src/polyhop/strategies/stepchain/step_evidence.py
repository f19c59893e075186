"""What a question answered step by step hands over: a hop a step with its chains, and the passages in one order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from polyhop.indexes.names import normal
from polyhop.layers.view import View
from polyhop.plans import Plan
from polyhop.strategies.shared.support import overlapping_span
from polyhop.strategies.stepchain.step_graph import EvidenceChain
from polyhop.strategies.stepchain.stepping import SURE, AskedStep, Stepping
from polyhop.types import Hop, HopStatus, Passage

SHOWN = 5  # chains of a hop


def ranking(stepping: Stepping, plan: Plan) -> dict[int, float]:
    """The passages with their scores: the ways to the answers, then single passages and those of leads by turns."""
    referred = {one for step in plan.steps for one in step.refers_to}
    singles, others = (dict(sorted(each.items(), key=_best)) for each in (stepping.singles, stepping.others))
    known = {**others, **singles}
    ways = [number for one in stepping.done if one.position not in referred for number in one.way]
    ordered = dict.fromkeys([*stepping.whole, *ways])
    for turn in zip_longest(singles, others):
        ordered.update(dict.fromkeys(number for number in turn if number is not None))
    return {number: known.get(number, 0.0) for number in ordered}


def _best(item: tuple[int, float]) -> tuple[float, int]:
    return -item[1], item[0]


def hops(stepping: Stepping, over: View) -> Iterator[Hop]:
    """A hop for each step that was asked, with the chains that tell its answer first."""
    for one in stepping.done:
        passage = _behind(one, over)
        chains = sorted(one.chains, key=lambda chain: (not _leads_to(chain, one.answer), not _tells(chain, one.answer)))
        span = one.span
        if span is None and passage is not None:
            span = overlapping_span(one.question, passage)
        yield Hop(
            question=one.question,
            status=_status(one, chains),
            found=one.answer,
            passages=(passage,) if passage is not None else (),
            sentences=(span,) if span is not None else (),
            chains=tuple(chain.chain for chain in chains[:SHOWN]),
            step=one.position,
            score=one.logit,
            note=one.note,
        )


def _behind(one: AskedStep, over: View) -> Passage | None:
    """The passage that a step's answer was found in, or else the best one."""
    if one.source is not None:
        return over.passages([one.source])[0]
    return over.passages([one.passages[0][0]])[0] if one.passages else None


def _status(one: AskedStep, chains: list[EvidenceChain]) -> HopStatus:
    """Resolved where a chain tells the answer, recovered where text alone does."""
    if not one.settled:  # the last step: its answer is left to the reader
        return "recovered" if one.logit is not None and one.logit > SURE else "unresolved"
    if not one.established:
        return "unresolved"
    return "resolved" if chains and _tells(chains[0], one.answer) else "recovered"


def _leads_to(chain: EvidenceChain, answer: str | None) -> bool:
    """Whether a chain ends at an answer."""
    return answer is not None and normal(answer) == normal(chain.end)


def _tells(chain: EvidenceChain, answer: str | None) -> bool:
    """Whether an answer is one of the entities of a chain, other than the first."""
    return answer is not None and normal(answer) in map(normal, chain.chain.entities[1:])
