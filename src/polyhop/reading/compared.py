"""What a comparison was told of each thing, and what follows from amounts and from what the things share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.english.numbers import amount_apart, names_version, number_in, versions_in
from polyhop.indexes.folding import fold
from polyhop.reading.measured import alike_amounts
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.reading.steps import Candidate, StepReading
from polyhop.reading.subjects import about, likeness
from polyhop.types import AnswerKind, Passage

APART: Final = 0.9  # how sure a difference is at most
UNTRUE: Final = 0.3  # the same where it is the other way round than the question takes it to be
_NAMED: Final = 0.9  # how sure it is that a sentence that names a thing is about it, where no passage is
_SHARED: Final = 5  # likeliest answers to each question among which a common one is looked for


@dataclass(frozen=True, slots=True)
class ToldValue:
    """What a comparison was told of one thing: the value, none where only a sentence is weighed, and its sentence."""

    found: str | None
    quote: Quote
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """What was read about one of the things compared, and whom or what that speaks of.

    What is asked for when two things happened has no subject: its question says what is meant.
    """

    option: str  # as the question names it; what is asked, where it names none
    readings: tuple[StepReading, ...]  # the measures: one, or birth and death
    targets: tuple[str, ...]  # what they ask for, in a few words
    subject: str  # the option itself, or the director, author, ... whom its own passage names
    places: tuple[int, ...] = ()  # of the measures, among the plan's steps
    way: tuple[Candidate, ...] = ()  # how the subject was found

    def sureness(self, passages: Sequence[Passage]) -> float:
        """How sure it is that a passage is about it, 0 to 1; what led there, read here or not, is taken to be right.

        Of a version, no title says so.
        """
        if self.is_version or not self.subject:
            return 1.0
        passage = about(self.subject, passages)
        if passage is None:
            return _NAMED if self._is_named() else 0.0
        return 1.0 if self.subject != self.option else likeness(self.option, passage.title)

    @property
    def is_version(self) -> bool:
        """Whether it is one of several versions of something."""
        return bool(versions_in(self.subject))

    def said_of_it(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """What was found for it; for a version, in sentences or headings that name it."""
        asked = versions_in(self.subject)
        return [one for one in candidates if all(names_version(text_of(one.quote), version) for version in asked)]

    def _is_named(self) -> bool:
        """Whether what was read about it stands in sentences that name it."""
        found = [reading.best for reading in self.readings]
        return all(best is not None and fold(self.subject) in fold(text_of(best.quote)) for best in found)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison says, and what it was told of each of the things compared, measure by measure."""

    reading: Reading
    told: tuple[ToldValue | None, ...]

    @property
    def weakest(self) -> float:
        """The chance of the least likely of what it was told, 0 to 1; 1 where no chance is known."""
        return min((one.chance for one in self.told if one is not None and one.chance is not None), default=1.0)


def told_by(candidate: Candidate) -> ToldValue:
    """What was told by a candidate, with its chance."""
    return ToldValue(candidate.text, candidate.quote, candidate.chance)


def by_amount(comparator: str, operands: Sequence[Operand]) -> Compared | None:
    """Which has the most or least of something, the last of those that have as much, or by how much two differ.

    None where one amount is not told.
    """
    way = alike_amounts([operand.readings[0] for operand in operands])
    if way is None:
        return None
    told, quotes = tuple(told_by(one) for _, one in way), [one.quote for _, one in way]
    note = f"compared by {operands[0].targets[0] or 'amount'}"
    alike = len({amount.kind for amount, _ in way}) == 1
    values = [amount.value if alike else number_in(one.text) or amount.value for amount, one in way]
    if comparator == "apart":
        same = (told[0].found, told[0].quote) == (told[1].found, told[1].quote)  # one amount is not of both
        text = None if same else amount_apart(way[0][1].text, way[1][1].text)
        sure = APART if values[0] <= values[1] else UNTRUE
        return None if text is None else Compared(combined(text, quotes, sure, note), told)
    best = max(values) if comparator == "larger" else min(values)
    confidence = 0.8 if values.count(best) == 1 else 0.4
    chosen = operands[last_of(values, best)].option
    return Compared(combined(chosen, quotes, confidence, note, AnswerKind.CHOICE), told)


def last_of(values: Sequence[object], best: object) -> int:
    """Which is the last that is the best one."""
    return max(at for at, value in enumerate(values) if value == best)


def common_answer(operands: Sequence[Operand], likely: float = 0.0) -> Compared | None:
    """The likeliest answer that all have in common, where there is one as likely as this beside the best of each."""
    answers = [{one.text.casefold(): one for one in operand.readings[0].candidates[:_SHARED]} for operand in operands]
    shared = set(answers[0]).intersection(*answers[1:])
    if not shared:
        return None
    best = max(sorted(shared), key=lambda text: math.prod(each[text].chance for each in answers))
    apart = math.prod(max(one.chance for one in each.values()) for each in answers)
    if math.prod(each[best].chance for each in answers) < likely * apart:
        return None
    quotes = [each[best].quote for each in answers]
    told = tuple(told_by(each[best]) for each in answers)
    return Compared(combined(answers[0][best].text, quotes, 0.6, "what all of them share"), told)


def answer_of_each(operands: Sequence[Operand]) -> Compared | None:
    """What was asked of each thing, where they have nothing in common: "When were the mill and the inn built?"."""
    best = [operand.readings[0].best for operand in operands]
    told = [told_by(one) for one in best if one is not None]
    if len(told) < len(operands):
        return None
    items = [(f"{operand.option}: {one.found}", one.quote) for operand, one in zip(operands, told, strict=True)]
    reading = combined(
        ", ".join(text for text, _ in items),
        [quote for _, quote in items],
        min(one.chance for one in best if one is not None),
        "what is asked of each",
    )
    return Compared(replace(reading, kind=AnswerKind.LIST, items=tuple(items)), tuple(told))


def combined(
    text: str, quotes: Sequence[Quote], confidence: float, note: str, kind: AnswerKind = AnswerKind.VALUE
) -> Reading:
    """What follows from what was told of several things, each sentence once."""
    return Reading(text=text, kind=kind, quotes=tuple(dict.fromkeys(quotes)), confidence=confidence, note=note)


def verdict_of(holds: bool, quotes: Sequence[Quote], confidence: float, note: str) -> Reading:
    """Whether something holds, as a reading."""
    return combined("yes" if holds else "no", quotes, confidence, note, AnswerKind.VERDICT)
