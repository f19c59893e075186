"""C2RAG: atomic constraints, grounded in the graph where one candidate clearly wins, and in text otherwise."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal

from polyhop.layers.view import View
from polyhop.models.within import Within, before_reading
from polyhop.planning.rules.constraints import constrained
from polyhop.plans import with_variants
from polyhop.strategies.c2rag.constraint_blocks import evidence_of
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.own_paragraphs import OwnParagraphs
from polyhop.strategies.c2rag.read_text import TextReading
from polyhop.strategies.c2rag.recover import Recovery
from polyhop.strategies.c2rag.resolve import Resolver
from polyhop.strategies.c2rag.sufficiency import Check
from polyhop.strategies.c2rag.untyped import untyped
from polyhop.strategies.shared.in_time import in_time
from polyhop.types import Budget, Cost, Evidence


@dataclass(frozen=True, kw_only=True)
class C2RAG:
    """Plan a question as constraints and resolve them one by one, checking at each whether its evidence suffices."""

    anchors: int = 3  # E: entities that a constant is matched to
    relations: int = 8  # R: facts kept by how well their relation fits
    kept_facts: int = 3  # K_s: facts kept by the cross-encoder
    retrieved: int = 10  # K'_t: passages searched where the graph does not suffice
    kept_passages: int = 3  # K_t: of them, kept by the cross-encoder
    variants: int = 3  # m: phrasings of a relation; more than a plan has are not made up
    gamma: float | None = None  # the largest N_eff that suffices, 1 or more; none: 1.5 (paper) or 2 (calibrated)
    check: Check = "calibrated"
    threshold: float = 0.5  # for check=fixed: the least probability of the best candidate
    recovery: Literal["open", "closed"] = "open"  # whether text is searched in all passages or the question's own
    paragraphs: str | None = None  # a file that names each question's own paragraphs, for recovery=closed
    bind_from_text: bool = True  # whether a value read from a recovered passage may bind a placeholder
    read_by: Literal["model", "rules"] = (
        "model"  # who reads that value; model: the language model where one is configured
    )
    told_apart: int = 3  # values read by rules that are told apart by the passages they lead to; 0: none
    similar: int = 5  # passages nearest to the question that compete for what the blocks leave room for; 0: none
    constraint: bool = True  # off: facts are retrieved by similarity to the constraint alone
    relation_variants: bool = True  # off: facts are chosen and judged by their entities alone
    placeholders: bool = True  # off: facts and texts are judged without what is asked for or was found
    intersection: bool = True  # off: constraints on one placeholder are united, not intersected
    typed: bool = True  # off: every placeholder is one symbol without a type
    rerank_candidates: bool = True  # off: facts are ordered by their relation alone
    rerank_text: bool = True  # off: recovered passages are ordered by their vectors alone
    in_context: bool = False  # on: evidence is judged for the whole question, too, as in the paper
    titled: int = 1  # passages about an anchor that are searched beside the nearest ones; 0: none, as in the paper
    named_bonus: float = 2.0  # logits added to a passage that is about an anchor
    unchecked: int = 0  # leading hops that are served by similarity alone; -1: all of them

    needs: ClassVar[tuple[str, ...]] = ("text", "facts")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "w/o constraint": {"constraint": False},
            "w/o relation variants": {"relation_variants": False},
            "w/o placeholders": {"placeholders": False},
            "w/o check": {"check": "off"},
            "fixed check": {"check": "fixed"},
            "paper's check": {"check": "paper"},
            "w/o intersection": {"intersection": False},
            "w/o types": {"typed": False},
            "w/o reranking facts": {"rerank_candidates": False},
            "w/o reranking text": {"rerank_text": False},
            "w/o binding from text": {"bind_from_text": False},
        }
    )

    def __post_init__(self) -> None:
        if self.recovery == "closed" and self.paragraphs is None:
            raise ValueError("recovery=closed needs paragraphs, a file with each question's own")
        if min(self.anchors, self.relations, self.kept_facts, self.retrieved, self.kept_passages, self.variants) < 1:
            raise ValueError("anchors, relations, kept_facts, retrieved, kept_passages and variants are at least 1")

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
        )

    def resolver(self, question: str, over: View, model: Within | None = None) -> Resolver:
        """What resolves the plan of a question with these settings."""
        text = TextReading(
            question=question,
            over=over,
            recovery=self._recovery(),
            model=model if self.read_by == "model" else None,
            bind=self.bind_from_text,
            told_apart=self.told_apart,
            among=self._own(question, over),
        )
        return Resolver(
            question=question,
            over=over,
            grounding=self._grounding(),
            text=text,
            check=self.check,
            gamma=self.gamma,
            threshold=self.threshold,
            intersection=self.intersection,
            unchecked=self.unchecked,
        )

    def _own(self, question: str, over: View) -> list[int] | None:
        """The passages that text is searched in, where it is not all of them."""
        if self.recovery == "open" or self.paragraphs is None:
            return None
        file = self.paragraphs
        own: OwnParagraphs = over.once(f"paragraphs:{file}", lambda: OwnParagraphs.read(Path(file)))
        return list(over.record.numbers_by_id(own.of(question)).values())

    def _grounding(self) -> Grounding:
        return Grounding(
            anchors=self.anchors,
            aligned=self.relations,
            kept=self.kept_facts,
            constraint=self.constraint,
            variants=self.relation_variants,
            placeholders=self.placeholders,
            reranked=self.rerank_candidates,
            in_context=self.in_context,
        )

    def _recovery(self) -> Recovery:
        return Recovery(
            retrieved=self.retrieved,
            kept=self.kept_passages,
            reranked=self.rerank_text,
            titled=self.titled,
            named_bonus=self.named_bonus,
            in_context=self.in_context,
        )
