"""C2RAG: atomic constraints, grounded in the graph where one candidate clearly wins, and in text otherwise."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from polyhop.layers.view import View
from polyhop.models.within import Within, before_reading
from polyhop.planning.rules.constraints import constrained
from polyhop.plans import with_variants
from polyhop.strategies.c2rag.constraint_blocks import DEPTH, evidence_of
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.own_paragraphs import OwnParagraphs
from polyhop.strategies.c2rag.read_text import ReadValues, TextReading
from polyhop.strategies.c2rag.recover import Recovery
from polyhop.strategies.c2rag.resolve import Resolver
from polyhop.strategies.c2rag.sufficiency import Check
from polyhop.strategies.c2rag.wording import untyped
from polyhop.strategies.shared.in_time import in_time
from polyhop.types import Budget, Cost, Evidence


@dataclass(frozen=True, kw_only=True)
class C2RAG:
    """Plan a question as constraints and resolve them one by one, checking at each whether its evidence suffices."""

    variants: int = 3  # m: phrasings of a relation; more than a plan has are not made up
    typed: bool = True  # off: every placeholder is one symbol without a type
    grounding: Grounding = Grounding()
    check: Check = "calibrated"  # whether what the graph offers suffices
    gamma: float | None = None  # the largest N_eff that suffices, 1 or more; none: 1.5 (paper) or 2 (calibrated)
    threshold: float = 0.5  # for check=fixed: the least probability of the best candidate
    unchecked: int = 0  # leading hops that are served by similarity alone; -1: all of them
    intersection: bool = True  # off: constraints on one placeholder are united, not intersected
    recovery: Recovery = Recovery()
    reading: ReadValues = ReadValues()
    similar: int = 5  # passages nearest to the question that compete for what the blocks leave room for; 0: none

    needs: ClassVar[tuple[str, ...]] = ("text", "facts")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "w/o constraint": {"grounding.without": "constraint"},
            "w/o relation variants": {"grounding.without": "relation_variants"},
            "w/o placeholders": {"grounding.without": "placeholders"},
            "w/o check": {"check": "off"},
            "fixed check": {"check": "fixed"},
            "paper's check": {"check": "paper"},
            "w/o intersection": {"intersection": False},
            "w/o types": {"typed": False},
            "w/o reranking facts": {"grounding.reranked": False},
            "w/o reranking text": {"recovery.reranked": False},
            "w/o binding from text": {"reading.by": "nobody"},
        }
    )

    def __post_init__(self) -> None:
        if self.variants < 1:
            raise ValueError("variants is at least 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """One block of evidence a constraint, in the order of the plan (Eq. 16); passages by turns of the blocks."""
        began = time.monotonic()
        over = over.restricted(self.needs)
        model = before_reading(over.models.language_model, budget)
        plan = over.plan(question, model, prefer="constraints")
        plan = with_variants(constrained(plan, question, over.names_in(question)), self.variants)
        plan = plan if self.typed else untyped(plan)
        resolver = self.resolver(question, over, model)
        blocks = resolver.resolve(plan, began, budget)
        cost = model.spent if model is not None else Cost()
        return evidence_of(
            question,
            plan,
            blocks,
            over,
            budget,
            cost=cost,
            similar=self.similar,
            in_time=in_time(began, budget),
            among=resolver.text.among,
            own_first=model is not None,
        )

    def resolver(self, question: str, over: View, model: Within | None = None) -> Resolver:
        """What resolves the plan of a question with these settings."""
        text = TextReading(
            question=question,
            over=over,
            recovery=self.recovery,
            reading=self.reading,
            model=model if self.reading.by == "model" else None,
            among=self._own(question, over),
            depth=DEPTH if self.similar else 0,
        )
        return Resolver(question=question, over=over, settings=self, text=text)

    def _own(self, question: str, over: View) -> list[int] | None:
        """The passages that text is searched in, where it is not all of them."""
        file = self.recovery.paragraphs
        if file is None:
            return None
        own: OwnParagraphs = over.once(f"paragraphs:{file}", lambda: OwnParagraphs.read(Path(file)))
        return list(over.record.numbers_by_id(own.of(question)).values())
