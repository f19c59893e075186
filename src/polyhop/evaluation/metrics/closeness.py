"""How close clues, and the passages that they lead to, are to the question (KG-Translator, Eq. 11 and Table 15)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from polyhop.errors import ModelMissing
from polyhop.evaluation.clues import located
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import Metric
from polyhop.evaluation.outcome import Outcome
from polyhop.models.choice import Models
from polyhop.ports import Embedder


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """The cosine of a hop's query with its likeliest clue, or with the supporting passage that it found by its clues.

    Of several such hops the mean counts; what points the other way is 0.
    """

    of: Literal["clues", "passages"] = "clues"  # what is compared with the question

    needs: ClassVar[str] = "hops with clues that lead to supporting passages, as translator has them"
    embedder: Embedder | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        """Both can stand in one table."""
        return f"closeness of {self.of}"

    def with_models(self, models: Models) -> Metric:
        """The metric with the embedder that measures. Raises what loading it raises."""
        measuring = replace(self)
        object.__setattr__(measuring, "embedder", models.embedder)
        return measuring

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where no hop shows a clue to a supporting passage that is among the ranked ones."""
        if self.embedder is None:
            raise ModelMissing("A metric that embeds texts has to be given an embedder.", remedy="Call with_models.")
        found = list(located(question, outcome))
        if not found:
            return None
        queries, clued, passages = zip(*found, strict=True)
        clues = [f"{best.entity} {best.relation}" for best, *_ in clued]
        carriers = self.embedder.embed_passages(clues if self.of == "clues" else passages)
        cosines = (carriers * self.embedder.embed_questions(queries)).sum(axis=1)
        return min(1.0, max(0.0, float(cosines.mean())))
