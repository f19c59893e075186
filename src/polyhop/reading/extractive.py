"""Reads answers out of passages without a language model: by rules, the parser and the cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhop.models.choice import Models
from polyhop.plans import whole_question
from polyhop.reading.by_kind_of_text import read_by_kind_of_text
from polyhop.reading.candidates import Candidate, Finder
from polyhop.reading.comparison import Comparison
from polyhop.reading.confidence import Confidence
from polyhop.reading.hops_found import found_by_hops, leading_hops, quotes_of
from polyhop.reading.reader import Quote, Reading, sure
from polyhop.reading.steps import read_step, read_steps
from polyhop.types import Evidence, Passage


@dataclass(frozen=True, kw_only=True)
class Extractive:
    """Finds the short answer in the passages, with the sentences that say it; needs no language model."""

    threshold: float = 0.12  # of the confidence: below, nothing counts as found
    sentences: int = 12  # read by the cross-encoder for each step
    parsed: int = 5  # of them, searched for answers

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The likeliest answer, None where the confidence is too low; the quotations show the way to it."""
        return sure(read_by_kind_of_text(question, evidence, models, self.planned), self.threshold)

    def planned(self, question: str, evidence: Evidence, passages: Sequence[Passage], models: Models) -> Reading:
        """The answer along the question's plan: that of the last step, or what its final comparison says."""
        finder = Finder(sentences=self.sentences, parsed=self.parsed)
        plan = evidence.plan or whole_question(question)
        steps = read_steps(plan, passages, models, finder=finder, found=found_by_hops(evidence))
        comparison = Comparison(passages=passages, models=models, finder=finder)
        compared = comparison.read(question, plan, steps)
        if compared is not None:
            known = quotes_of(leading_hops(evidence.hops, steps))
            return replace(compared, quotes=tuple(dict.fromkeys([*known, *compared.quotes])))
        if not steps or plan.final is not None or steps[-1].best is None:  # the question as it was asked
            steps = [read_step(question, passages, models, finder=finder)]
        *before, last = steps
        if last.best is None:
            return Reading(text=None, note=f"nothing in the passages could answer: {last.question}")
        way = [step.best for step in before if step.best is not None]
        quotes = [*(_quote(step) for step in way), *quotes_of(leading_hops(evidence.hops, before)), _quote(last.best)]
        return Reading(
            text=last.best.text,
            quotes=tuple(dict.fromkeys(quotes)),
            confidence=Confidence().of(question, last.best, way, passages),
            note="; ".join([*(f"found {step.answer}" for step in before if step.answer), f"asked: {last.question}"]),
        )


def _quote(candidate: Candidate) -> Quote:
    return Quote(candidate.passage, candidate.sentence_start, candidate.sentence_end)
