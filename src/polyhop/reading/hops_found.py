"""What the hops of a strategy established already, for readers that follow the same plan."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.reading.reader import Quote
from polyhop.reading.steps import StepReading
from polyhop.types import Evidence, Hop


def found_by_hops(evidence: Evidence) -> dict[int, str]:
    """What the strategy established on its way, by the step that it answers; the last answer is left to be read."""
    found = {hop.step: hop.found for hop in evidence.hops if hop.status != "unresolved"}
    last = len(evidence.plan.steps) - 1 if evidence.plan is not None and evidence.plan.final is None else -1
    return {step: text for step, text in found.items() if step is not None and step != last and text}


def leading_hops(hops: Sequence[Hop], steps: Sequence[StepReading]) -> Sequence[Hop]:
    """The hops that were relied on: those of steps that were not read again, or all but the last of no plan."""
    if not steps:
        return hops[:-1]
    known = {place for place, step in enumerate(steps) if step.known}
    return [hop for hop in hops if hop.step in known]


def quotes_of(hops: Sequence[Hop]) -> list[Quote]:
    """The sentences of hops, as stretches of the passages they stand in."""
    return [
        Quote(passage, span.start - passage.start, span.end - passage.start)
        for hop in hops
        for span in hop.sentences
        for passage in hop.passages
        if passage.document_id == span.document_id and passage.start <= span.start and span.end <= passage.end
    ]
