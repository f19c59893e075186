"""Whether clues lead to what a passage says that helps the question: KG-Translator's SCS (section I.4), by a judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from polyhop.evaluation.clues import located
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import JudgedByModel
from polyhop.evaluation.outcome import Outcome
from polyhop.prompts.judge_clue import judge_clues


@dataclass(frozen=True, kw_only=True)
class SemanticCoverage(JudgedByModel):
    """The share of a question's clues to supporting passages that cover the query they were made of, as a model judges.

    The paper pools all clues, and has triples judged (``translator(triples=true)``); pairs are judged in the same way.
    """

    name: str = field(default="semantic coverage", init=False)
    needs: ClassVar[str] = "hops with clues that lead to supporting passages, as translator has them"
    task: ClassVar[str] = "judge clues"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where no clue leads to a supporting passage, and where the model gave no verdict."""
        model, verdicts = self.asked, list[bool]()
        for query, clues, passage in located(question, outcome):
            parts = [tuple(filter(None, (clue.entity, clue.relation, clue.tail))) for clue in clues]
            judged = self.verdict(
                partial(judge_clues, model, query, parts, passage), f"a hop of question {question.id}"
            )
            verdicts += [verdict for verdict in judged or () if verdict is not None]
        return sum(verdicts) / len(verdicts) if verdicts else None
