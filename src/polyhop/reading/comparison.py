"""Puts together what a plan's steps found about several things: which came first, which is it, what do they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.countries import countries_in
from polyhop.english.dates import Date, length_of, time_apart
from polyhop.english.numbers import versions_in
from polyhop.english.options import choices
from polyhop.models.choice import Models
from polyhop.plans import ORDERS, Combination, Plan
from polyhop.reading.compared import (
    APART,
    UNTRUE,
    Compared,
    Operand,
    ToldValue,
    answer_of_each,
    by_amount,
    combined,
    common_answer,
    last_of,
    told_by,
    verdict_of,
)
from polyhop.reading.negation import denies
from polyhop.reading.reader import Quote, Reading, hop_read, text_of
from polyhop.reading.rows import word_families
from polyhop.reading.steps import Candidate, StepReading, dated, glance
from polyhop.reading.subjects import about, countries_of
from polyhop.types import AnswerKind, Hop, Passage

_NATION: Final = re.compile(r"\b(?:country|nation|nationality|citizenship)\b", re.IGNORECASE)
DATED: Final = ("earlier", "later", "longer")  # comparators of dates
_BEGUN: Final = ("When was {} born?", "When was {} founded?", "When was {} built?")  # what an age is counted from
_UNIT_ASKED: Final = re.compile(r"\bhow many (years|months|weeks|days)\b", re.IGNORECASE)
_IDLE: Final = word_families("same both type kind share")
_PLAIN: Final = 0.9  # chance of a date in the passage about a thing, from which no other passage is asked
_LIKELY: Final = 0.1  # of the chances of what is likeliest of each: where a common answer has less, each has its own
_SHARING: Final = frozenset({"both", "common", "same", "share", "shared"})  # ask for nothing but what is common


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Compares what the steps of a plan found."""

    passages: Sequence[Passage]
    models: Models

    def read(self, question: str, plan: Plan, steps: Sequence[StepReading]) -> Reading | None:
        """The answer as the plan combines it; None where it combines nothing, or nothing tells.

        The confidence falls with the likeness of the things' names to the titles of the passages that tell about them.
        """
        operands = list(_operands(plan, steps))
        if not operands:
            return self._chosen(question)
        if len(operands) < 2 or plan.final is None:
            return None
        comparator = plan.final.comparator
        shared = comparator == "common" and not _SHARING.isdisjoint(question.lower().rstrip("?!. ").split())
        compared = common_answer(operands) if shared else self._combined(question, comparator, operands)
        if compared is None:
            return None if answered_by_steps(plan) else self._chosen(question)
        reading = replace(compared.reading, hops=tuple(_hops(operands, steps, compared.told)))
        if plan.final.whether:
            verdict = "yes" if reading.text == operands[0].option else "no"
            sure = reading.confidence * compared.weakest  # what rests on an unlikely date is a guess
            reading = replace(reading, text=verdict, kind=AnswerKind.VERDICT, confidence=sure)
        elif comparator == "apart":
            reading = replace(reading, confidence=min(reading.confidence, compared.weakest))
        quotes = [*(step.quote for operand in operands for step in operand.way), *reading.quotes]
        sureness = sum(operand.sureness(self.passages) for operand in operands) / len(operands)
        return replace(reading, quotes=tuple(dict.fromkeys(quotes)), confidence=reading.confidence * sureness**2)

    def _combined(self, question: str, comparator: str, operands: Sequence[Operand]) -> Compared | None:
        if comparator in DATED:
            return self._by_date(comparator, operands)
        if comparator in ("larger", "smaller"):
            return by_amount(comparator, operands)
        if comparator == "apart":
            is_timed = all(one.targets[0] == "age" or one.readings[0].question.startswith("When") for one in operands)
            return self._time_apart(question, operands) if is_timed else by_amount(comparator, operands)
        if comparator == "either":
            asked = [operand.readings[0].question for operand in operands]
            reading = self._by_relevance([(one.option, one.subject) for one in operands], asked)
            return None if reading is None else Compared(reading, ())
        if comparator == "same":
            return self._agreeing(operands)
        if comparator == "both":
            return self._holding(operands)
        return common_answer(operands, _LIKELY) or answer_of_each(operands) or common_answer(operands)

    def _chosen(self, question: str) -> Reading | None:
        """Which option a question offers, where nothing is asked of each: the one that the passages fit best."""
        names = choices(question)
        if names is None:
            return None
        frame = question
        for name in sorted(names, key=len, reverse=True):
            frame = frame.replace(name, " ", 1)
        asked = " ".join(re.sub(r"\bor\b", " ", frame).split())
        return self._by_relevance([(name, name) for name in names], [asked] * len(names))

    def _by_date(self, comparator: str, operands: Sequence[Operand]) -> Compared | None:
        """Which came first or last, or lived longest, the last of those that did so at once; None without dates."""
        told = [[self._date(operand, at) for at in range(len(operand.readings))] for operand in operands]
        known = [at for at, dates in enumerate(told) if None not in dates]
        if not known or (len(known) < len(operands) and (operands[0].is_version or not operands[0].subject)):
            return None
        if len(known) < len(operands) != 2:
            return None  # one of those that are not told may be it
        found = tuple(one and told_by(one[1]) for dates in told for one in dates)
        quotes = [one.quote for one in found if one is not None]
        names = " and ".join(operands[0].targets)
        if len(known) == 1:  # of whom no death is told may be alive: that is later than any date
            other = operands[0].targets == ("date of death",) and comparator == "later"
            option = operands[1 - known[0] if other else known[0]].option
            return Compared(combined(option, quotes, 0.4, f"only one {names} told", AnswerKind.CHOICE), found)
        keys = [[one[0] for one in dates if one is not None] for dates in told]
        size = min(sum(map(bool, day)) for dates in keys for day in dates)  # all have a year, some a month and a day
        measures = [(length_of(*dates) if comparator == "longer" else dates[0])[:size] for dates in keys]
        best = min(measures) if comparator == "earlier" else max(measures)
        chosen = operands[last_of(measures, best)].option
        sure = 0.9 if measures.count(best) == 1 else 0.4
        return Compared(combined(chosen, quotes, sure, f"compared by {names}", AnswerKind.CHOICE), found)

    def _time_apart(self, question: str, operands: Sequence[Operand]) -> Compared | None:
        """How far the dates of two things lie apart, in the unit that is asked for; None where one is not told."""
        one, other = (self._date(operand, 0) for operand in operands)
        if one is None or other is None:
            return None
        unit = _UNIT_ASKED.search(question)
        text = time_apart(one[0], other[0], unit[1].lower() if unit else "", age=question.lower().startswith("how old"))
        sure = APART if one[0] <= other[0] or " between " in question else UNTRUE
        told = told_by(one[1]), told_by(other[1])
        if text is None:
            return None
        return Compared(combined(text, [each.quote for each in told], sure, "from one date to the other"), told)

    def _date(self, operand: Operand, at: int) -> tuple[Date, Candidate] | None:
        """The date that a measure found, in the passage about the thing or, where it is not plain there, in any.

        Of an age it is the likeliest of all ways to begin, since not all were born. That of a version stands beside it.
        """
        if operand.is_version:
            return dated(operand.said_of_it(operand.readings[at].candidates))
        if operand.targets[at] != "age":
            told = dated(self._told(operand, operand.readings[at].question))
            if told is not None and told[1].chance >= _PLAIN:
                return told
            both = (told, dated(operand.readings[at].candidates))
            return max((one for one in both if one is not None), key=lambda one: one[1].chance, default=None)
        asked = (begun.format(operand.subject) for begun in _BEGUN)
        dates = (dated(self._told(operand, question)) for question in asked)
        return max((one for one in dates if one is not None), key=lambda one: one[1].chance, default=None)

    def _told(self, operand: Operand, question: str) -> list[Candidate]:
        """What the passage about a thing answers to a question; nothing where none is about it."""
        passage = about(operand.subject, self.passages) if operand.subject else None
        return glance(question, [passage], self.models) if passage is not None else []

    def _by_relevance(self, options: Sequence[tuple[str, str]], asked: Sequence[str]) -> Reading | None:
        """Which option fits what is said: the cross-encoder reads it with the sentences about each."""
        best: list[tuple[float, str, Quote]] = []
        for (option, subject), question in zip(options, asked, strict=True):
            passage = about(subject, self.passages)
            spans = sentence_spans(passage.text) if passage else []
            if passage is None or not spans:
                continue
            texts = [f"{passage.title}: {passage.text[start:end]}" for start, end in spans]
            logits = self.models.reranker.score(question, texts)
            at = int(logits.argmax())
            best.append((float(logits[at]), option, Quote(passage, *spans[at])))
        if not best:
            return None
        best.sort(key=lambda item: -item[0])
        lead = best[0][0] - best[1][0] if len(best) > 1 else 0.0
        quotes = [quote for _, _, quote in best]
        sure, note = min(0.9, 0.5 + 0.05 * lead), "the option that the passages fit better"
        return combined(best[0][1], quotes, sure, note, AnswerKind.CHOICE)

    def _agreeing(self, operands: Sequence[Operand]) -> Compared | None:
        """Whether two things have a country in common, or the same value, which one may have said with more words."""
        values = [self._values(operand) for operand in operands]
        known = [value for value in values if value is not None]
        if not known:
            return None
        told, quotes = tuple(value and value[1] for value in values), [one.quote for _, one in known]
        if len(known) < len(operands):
            return Compared(verdict_of(True, quotes, 0.3, "only one of the two was found"), told)
        (one, first), (other, second) = known
        note = f"{operands[0].option}: {first.found}; {operands[1].option}: {second.found}"
        agree = (
            one & other if _NATION.search(operands[0].readings[0].question) else one and (one <= other or other <= one)
        )
        return Compared(verdict_of(bool(agree), quotes, 0.8, note), told)

    def _values(self, operand: Operand) -> tuple[frozenset[str], ToldValue] | None:
        """The countries that the passage about a thing names first, or the words of the value that was asked for."""
        if _NATION.search(operand.readings[0].question):
            own = countries_of(about(operand.subject, self.passages))
            return own and (own[0], ToldValue(" or ".join(sorted(own[0])), own[1]))
        best = operand.readings[0].best
        return None if best is None else (word_families(best.text), told_by(best))

    def _holding(self, operands: Sequence[Operand]) -> Compared | None:
        """Whether something holds of both: half of its words have to be said of each, and each nationality."""
        shares, quotes, denied, nations = [], [], [], []
        for operand in operands:
            question = operand.readings[0].question.replace(operand.subject, " ")
            asked = word_families(question) - _IDLE
            passage = about(operand.subject, self.passages)
            spans = sentence_spans(passage.text) if passage else []
            if passage is None or not spans or not asked:
                return None
            said = [word_families(passage.text[start:end]) & asked for start, end in spans]
            shares.append(len(frozenset().union(*said)) / len(asked))
            best = Quote(passage, *max(zip(said, spans, strict=True), key=lambda item: len(item[0]))[1])
            quotes.append(best)
            denied.append(denies(text_of(best), question))
            own = countries_of(passage)
            wanted = {country for _, _, country in countries_in(question)}
            nations.append(wanted <= (own[0] if own else frozenset()))
        holds = min(shares) >= 0.5 and not any(denied) and all(nations)
        reading = verdict_of(holds, quotes, 0.5, "by the words that are said of both")
        return Compared(reading, tuple(ToldValue(None, quote) for quote in quotes))


def _asks_itself(final: Combination) -> bool:
    """Whether the steps say by themselves what they ask for, and the question offers nothing."""
    return final.comparator == "common" or (not final.options and (final.whether or final.comparator == "apart"))


def answered_by_steps(plan: Plan | None) -> bool:
    """Whether nothing but what the steps find can answer a plan.

    Notes on versions do not tell which is the later one, and the amount of one thing is no difference of two.
    """
    final = plan.final if plan is not None else None
    if final is None or not final.options:
        return False
    return final.comparator == "apart" or (final.comparator in DATED and any(map(versions_in, final.options)))


def _operands(plan: Plan, steps: Sequence[StepReading]) -> Iterator[Operand]:
    """What the plan combines, option by option; nothing where it combines nothing or has no two options."""
    final = plan.final
    if final is None or (len(final.options) < 2 and not _asks_itself(final)):
        return
    each = 2 if final.comparator == "longer" else 1
    groups = [final.operands[at : at + each] for at in range(0, len(final.operands), each)]
    for place, group in enumerate(groups):
        references = plan.steps[group[0]].refers_to
        option = final.options[place] if place < len(final.options) else plan.steps[group[0]].question
        way = tuple(best for at in references if (best := steps[at].best) is not None)
        subject = steps[references[-1]].answer if references else option
        if final.options in ((), ORDERS):
            subject = ""
        targets = tuple(plan.steps[at].target for at in group)
        yield Operand(option, tuple(steps[at] for at in group), targets, subject, tuple(group), way)


def _hops(operands: Sequence[Operand], steps: Sequence[StepReading], told: Sequence[ToldValue | None]) -> Iterator[Hop]:
    """A hop for each step of a plan whose measures are put together, with what was told; none without that."""
    measures = dict(zip((place for operand in operands for place in operand.places), told, strict=False))
    for place, step in enumerate(steps if told else ()):
        one = measures.get(place, None if step.best is None else told_by(step.best))
        if one is None:
            yield Hop(question=step.question, status="unresolved", step=place)
        else:
            yield hop_read(step.question, one.found, one.quote, step=place, chance=one.chance)
