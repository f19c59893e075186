"""Answering questions in one view of an index: finding, reading, and putting together what one question asks apart."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.conversation.several_asked import asked_apart
from polyhop.conversation.standalone import Standalone, standalone
from polyhop.conversation.thread import NO_THREAD, Thread
from polyhop.english.question import mentions
from polyhop.indexes.folding import fold, tokens
from polyhop.indexing.answer_manifest import manifest_of
from polyhop.indexing.readiness import check_asking
from polyhop.layers.hops_told import HopsTold
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.models.timed import Timed
from polyhop.models.within import Within, left_out_by
from polyhop.planning.asked import part_read, shortened
from polyhop.reading.citations import citations_of, items_of
from polyhop.reading.drafts import DraftListener
from polyhop.reading.hops_found import along_plan, hops_taken
from polyhop.reading.reader import OFFLINE, Reading, reader_of
from polyhop.reading.several_answers import as_one
from polyhop.reading.supplied import as_read, read_so_far
from polyhop.reading.within_budget import read_again, read_within
from polyhop.reports import HopListener
from polyhop.settings import Settings
from polyhop.strategies.shared.in_time import left_of
from polyhop.strategies.strategy import Strategy, Supplies, default_strategy, layers_used, strategy_of
from polyhop.types import Answer, AnswerKind, Budget, Evidence, Hop

logger = logging.getLogger(__name__)

SURE: Final = 0.6  # confidence from which a part that names nothing is answered apart from the question that it is of


@dataclass(frozen=True, kw_only=True)
class Answering:
    """Answers one question, and those that it is made of, from a view that carries the models they may ask."""

    view: View
    settings: Settings
    strategy: str | None  # its name, with what is set of it; none: the best that the layers allow
    budget: Budget
    told: HopListener | None = None
    drafted: DraftListener | None = None

    def answer(self, question: str, thread: Thread) -> Answer:
        """The answer to a checked question; where it asks several things, an answer to each of them.

        A language model reads what a question asks at once; our own reader points at one thing, and is asked for each.
        Where none of them is answered, the question is read as it stands.
        """
        read = shortened(question)
        meant = standalone(read, thread, self.view.models)
        if read == question:
            return self._of_all(question, meant)
        answer = self._of_all(question, replace(meant, source=meant.source or "its length"))
        return replace(answer, evidence=_less_read(question, answer.evidence))

    def _of_all(self, question: str, meant: Standalone) -> Answer:
        """The answer to a question as it is meant, or to each thing that it asks."""
        began = time.monotonic()
        own = reader_of(self.settings, self.view.models)[0] == OFFLINE
        parts = asked_apart(meant.question) if own else ()
        if len(parts) < 2:
            return self._answered(question, meant)
        silent = self.view.of_question(self.view.models)
        around = self.evidence(meant.question, silent) if self.view.plan(meant.question).is_whole else None
        answers = self._in_turn(parts, around, began)
        if any(answer.text is not None for answer in answers):
            one = as_one(meant.question, answers, seconds=time.monotonic() - began)
            HopsTold(self.told).complete(one.evidence.hops)  # what is common to two of them once
            return replace(one, question=question, standalone=_stands_for(meant))
        return self._answered(question, meant) if around is None else self._read(question, meant, around, began)

    def _in_turn(self, parts: Sequence[str], around: Evidence | None, began: float) -> list[Answer]:
        """What is asked, one thing after another, each as it is meant after those before it.

        The whole question knows best which of many documents it speaks of: a part is looked up by itself only where it
        takes several steps, or where what was found for the whole does not answer it.
        """
        thread, answers = NO_THREAD, list[Answer]()
        for part in parts:
            hops = sum(len(answer.evidence.hops) for answer in answers)
            one = replace(self, budget=left_of(self.budget, began), told=_told_behind(hops, self.told))
            meant = standalone(part, thread, self.view.models)
            among = one._among(around, part, meant) if around is not None else None
            answers.append(among or one._alone(part, meant))
            thread = thread.after(answers[-1])
        return answers

    def _among(self, around: Evidence, part: str, meant: Standalone) -> Answer | None:
        """The answer to a part of one step in what was found for the whole question, which has one, too."""
        plan = self.view.plan(meant.question)
        if not plan.is_whole:
            return None
        hops = (
            replace(one, question=meant.question) if one.question == around.question else one for one in around.hops
        )
        evidence = replace(around, question=meant.question, plan=plan, hops=tuple(hops))
        answer = self._read(part, meant, evidence, time.monotonic())
        return answer if answer.text is not None else None

    def _alone(self, part: str, meant: Standalone) -> Answer:
        """The answer to a part by itself; of one that names nothing only where it is sure."""
        answer = self._answered(part, meant)
        vague = answer.confidence < SURE and not mentions(meant.question)
        return replace(answer, text=None, items=(), kind=AnswerKind.VALUE, grounded=False) if vague else answer

    def _answered(self, question: str, meant: Standalone) -> Answer:
        view, began = self.view.of_question(self.view.models, self.told), time.monotonic()
        return self._read(question, meant, self.evidence(meant.question, view), began, view)

    def _read(
        self, question: str, meant: Standalone, evidence: Evidence, began: float, view: View | None = None
    ) -> Answer:
        view = view or self.view.of_question(self.view.models, self.told)
        if evidence.plan is None:  # a reader has one in any case; this one costs nothing
            evidence = replace(evidence, plan=view.plan(evidence.question))
        reader, reading, evidence, unread = self._read_on(evidence, began, view)
        cost = replace(meant.cost + evidence.cost, seconds=time.monotonic() - began)
        logger.info("reader %s is done after %.2f s", reader, cost.seconds)
        left_out = (*evidence.left_out, *left_out_by(view.models), *unread)
        hops = hops_taken(evidence.question, reading, evidence)
        view.hops_told.complete(hops)
        trail = (*evidence.trail, *([_read_by(reader, reading)] if reading.note else []))
        evidence = replace(evidence, hops=hops, cost=cost, left_out=left_out, trail=trail)
        return Answer(
            question=question,
            text=reading.text,
            citations=citations_of(reading.quotes, view.record),
            confidence=reading.confidence,
            confidence_kind=reading.confidence_kind,
            evidence=evidence,
            reader=reader,
            manifest=manifest_of(view, self.settings, strategy=evidence.strategy, reader=reader),
            kind=reading.kind,
            items=items_of(reading.items, view.record),
            grounded=reading.grounded and reading.text is not None,
            standalone=_stands_for(meant),
        )

    def _read_on(self, evidence: Evidence, began: float, view: View) -> tuple[str, Reading, Evidence, tuple[str, ...]]:
        """What is read, by which reader, in which evidence, and what the budget did not let it do.

        Where the strategy looks up what a reader lacks, it is read again with that, until nothing new is lacking.
        """
        while True:
            reader, reading, unread = read_within(self.budget, evidence, self.settings, view.models, self.drafted)
            evidence = replace(evidence, cost=evidence.cost + reading.cost)
            further = self._supplied(evidence, reading, left_of(self.budget, began), view)
            if further is None:
                return *self._read_again(reader, reading, as_read(evidence, reading), view.models), unread
            evidence = further
            view.hops_told.complete(evidence.hops)

    def _read_again(
        self, reader: str, reading: Reading, evidence: Evidence, models: Models
    ) -> tuple[str, Reading, Evidence]:
        """What was read, by which reader; by our own where what a language model says is withheld."""
        again = read_again(self.budget, evidence, self.settings, models) if reading.withheld else None
        if again is None:
            return reader, reading, evidence
        return *again, replace(evidence, trail=(*evidence.trail, _read_by(reader, reading)))

    def _supplied(self, evidence: Evidence, reading: Reading, budget: Budget, view: View) -> Evidence | None:
        """The evidence with what the reader lacks; None where it lacks nothing new, or may not read again."""
        strategy, model = self._strategy(view), view.models.language_model
        if evidence.supplied is None or not isinstance(strategy, Supplies) or budget.seconds == 0:
            return None
        before = {fold(question) for question in evidence.supplied}
        lacking = tuple(shortened(one) for one in reading.lacking if tokens(one) and fold(one) not in before)
        if not lacking or not isinstance(model, Within) or not model.left:
            return None
        logger.info("looks up what the reader lacks: %s", " ".join(lacking))
        read = replace(evidence, hops=read_so_far(evidence, reading, lacking))
        quoted = tuple(dict.fromkeys(quote.passage for quote in reading.quotes))
        over = view.restricted(layers_used(strategy, view.layers))
        if budget.seconds is not None:
            over = replace(over, models=over.models.with_reranker(Timed(over.models.reranker, budget.seconds)))
        return strategy.supply(lacking, read, quoted, over, budget)

    def _strategy(self, view: View) -> Strategy:
        return strategy_of(self.strategy or default_strategy(view, self.settings), self.settings)

    def evidence(self, question: str, view: View) -> Evidence:
        """What the strategy finds for a question, which is cut to what is read, within the budget's time."""
        preset = view.once("preset", lambda: check_asking(view, self.settings))
        chosen, strategy = self.strategy or default_strategy(view, self.settings), self._strategy(view)
        over = view.restricted(layers_used(strategy, view.layers))
        logger.info("strategy %s looks for evidence in %s", chosen, ", ".join(over.layers) or "no layer")
        asked = shortened(question)
        notes = list[str]()
        if self.budget.seconds is None:
            evidence = strategy.retrieve(asked, over, self.budget)
        else:
            judge = Timed(over.models.reranker, self.budget.seconds)
            evidence = strategy.retrieve(asked, replace(over, models=over.models.with_reranker(judge)), self.budget)
            if judge.left:
                notes.append(f"out of time after {self.budget.seconds:g} s: {judge.left} texts were not judged")
                evidence = replace(evidence, left_out=(*evidence.left_out, notes[-1]))
        evidence = _less_read(question, evidence)
        view.hops_told.complete(along_plan(evidence.hops))  # whether an answer rests on others is not known yet
        return replace(evidence, trail=(*preset, *evidence.trail, *notes))


def _read_by(reader: str, reading: Reading) -> str:
    return f"read by {reader}: {reading.note}"


def _less_read(question: str, evidence: Evidence) -> Evidence:
    """The evidence, which says so where only a part of the question is read."""
    read = part_read(question)
    if not read:
        return evidence
    left_out = (f"all of the question but {read}", *evidence.left_out)
    return replace(evidence, left_out=left_out, trail=(f"read {read}", *evidence.trail))


def _stands_for(meant: Standalone) -> str | None:
    return meant.question if meant.source else None


def _told_behind(before: int, told: HopListener | None) -> HopListener | None:
    """A listener of hops whose places follow so many others."""
    if told is None:
        return None

    def behind(place: int, hop: Hop) -> None:
        told(before + place, hop)

    return behind
