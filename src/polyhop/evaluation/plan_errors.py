"""What is wrong with plans, by kind (C2RAG, appendix F and Table 8), told from the data set's own decomposition.

The paper has people read 200 plans a data set. Here the shape of a plan is compared: how many steps there are, and
which build on earlier answers. Whether a step's relation means the right thing takes a judge: ``metrics/plan_meaning``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import QuestionRecord
from polyhop.plans import named_steps

References = Sequence[Sequence[int]]
"""Of each step, the earlier steps that it builds on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanErrors:
    """Plans of questions with a decomposition, those of each kind of error (one a plan), and steps out of place."""

    plans: int
    undivided: int  # one step, where there are several
    fewer: int  # several steps, but fewer
    more: int
    references: int  # as many steps, but they build on one another otherwise: placeholders missing or mixed up
    steps: int  # of all plans
    misplaced: int  # steps at a depth at which the decomposition has fewer

    @property
    def plan_error_rate(self) -> float:
        """The share of plans with an error, 0 to 1 ("plan-invalid rate")."""
        return (self.undivided + self.fewer + self.more + self.references) / self.plans

    @property
    def step_error_rate(self) -> float:
        """The share of planned steps that are out of place, 0 to 1 ("hop-error rate")."""
        return self.misplaced / self.steps


def plan_errors(records: Iterable[QuestionRecord]) -> PlanErrors | None:
    """The errors of plans that hops followed; None where there are none, or no question has a decomposition."""
    pairs = [
        (record.outcome.plan, gold)
        for record in records
        if record.outcome.plan and (gold := gold_references(record.question.decomposition))
    ]
    if not pairs:
        return None
    kinds = Counter(kind_of(plan, gold) for plan, gold in pairs)
    misplaced = sum((Counter(depths(plan)) - Counter(depths(gold))).total() for plan, gold in pairs)
    return PlanErrors(
        plans=len(pairs),
        undivided=kinds["undivided"],
        fewer=kinds["fewer"],
        more=kinds["more"],
        references=kinds["references"],
        steps=sum(len(plan) for plan, _ in pairs),
        misplaced=misplaced,
    )


def kind_of(plan: References, gold: References) -> str:
    """The error of a plan: ``undivided``, ``fewer``, ``more`` or ``references``; nothing where it has none."""
    if len(plan) < len(gold):
        return "undivided" if len(plan) == 1 else "fewer"
    if len(plan) > len(gold):
        return "more"
    return "" if sorted(depths(plan)) == sorted(depths(gold)) else "references"


def depths(steps: References) -> list[int]:
    """Of each step, how many answers have to be found one after the other until it can be asked."""
    found: list[int] = []
    for place, references in enumerate(steps):
        found.append(1 + max((found[one] for one in references if 0 <= one < place), default=-1))
    return found


def gold_steps(decomposition: Sequence[Any]) -> list[str]:
    """The steps of a data set's decomposition in words; nothing where it is in neither form."""
    if all(isinstance(step, dict) and isinstance(step.get("question"), str) for step in decomposition):
        return [step["question"] for step in decomposition]
    if all(isinstance(step, list) and len(step) == 3 for step in decomposition):
        return [f"{head} >> {relation}" for head, relation, _ in decomposition]
    return []


def gold_references(decomposition: Sequence[Any]) -> References:
    """Which steps of a data set's decomposition build on which; nothing where it is in neither form.

    Steps ``{"question": "When did #1 end?"}`` say so; triples ``[head, relation, tail]`` build on those whose tail is
    their head.
    """
    if all(isinstance(step, dict) and isinstance(step.get("question"), str) for step in decomposition):
        return [named_steps(step["question"], place) for place, step in enumerate(decomposition)]
    if all(isinstance(step, list) and len(step) == 3 for step in decomposition):
        ends = [(normalise(str(head)), normalise(str(tail))) for head, _, tail in decomposition]
        return [
            [one for one, (_, tail) in enumerate(ends[:place]) if tail == head] for place, (head, _) in enumerate(ends)
        ]
    return []
