"""Reading within the budget of a question: as much of the evidence as it allows, by a reader that it can pay for.

Where a language model says what the passages do not bear out, our own reader reads them, too.
"""

from __future__ import annotations

from dataclasses import replace

from polyhop.english.numbers import counted
from polyhop.models.choice import Models
from polyhop.models.within import NoCallsLeft
from polyhop.reading.citations import within_tokens
from polyhop.reading.drafts import DraftListener, drafting
from polyhop.reading.reader import Reading, reader_of, without_language_model
from polyhop.settings import Settings
from polyhop.types import Budget, Evidence


def read_within(
    budget: Budget, evidence: Evidence, settings: Settings, models: Models, drafted: DraftListener | None = None
) -> tuple[str, Reading, tuple[str, ...]]:
    """The name of the reader that read, what it made of the evidence, and what the budget did not let it do.

    ``drafted`` is told what a language model writes of the answer. Where no call to it is left, a reader without one
    reads, or nobody where the settings name a reader that needs it. Raises what the reader raises.
    """
    shown = _shown(evidence, budget)
    unseen = len(evidence.passages) - len(shown.passages)
    notes = [f"{counted(unseen, 'passages')} that the reader did not see, for want of budget.tokens"] if unseen else []
    if shown.passages != evidence.passages[: len(shown.passages)]:
        notes.append("the end of the first passage, for want of budget.tokens")
    name, reader = reader_of(settings, models)
    try:
        with drafting(models, drafted) as heard:
            return name, reader.read(evidence.question, shown, heard), tuple(notes)
    except NoCallsLeft as nothing_left:
        instead = without_language_model(settings)
        if instead is None:
            note = "the answer: the reader needs the language model, which the budget does not allow it to ask"
            return name, Reading(text=None, note=str(nothing_left)), (*notes, note)
        notes.append(f"the reader {name}, which needs the language model: the reader {instead[0]} read instead")
        return instead[0], instead[1].read(evidence.question, shown, models), tuple(notes)


def read_again(budget: Budget, evidence: Evidence, settings: Settings, models: Models) -> tuple[str, Reading] | None:
    """What our own reader answers where a language model's answer is withheld, with its name.

    Small language models often answer what their own quotations do not say. None where our own finds nothing either,
    or the settings name a reader.
    """
    instead = without_language_model(settings)
    if instead is None:
        return None
    reading = instead[1].read(evidence.question, _shown(evidence, budget), models)
    return None if reading.text is None else (instead[0], reading)


def _shown(evidence: Evidence, budget: Budget) -> Evidence:
    """As much of the evidence as a reader sees."""
    return replace(evidence, passages=within_tokens(evidence.passages, budget.tokens))
