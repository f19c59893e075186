"""Hands a question to whoever reads its kind of text: another language, the days of conversations, or all else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyhop.models.choice import Models
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.conversations.of_a_day import of_the_day, read_day
from polyhop.reading.event_order import ordered, when_said
from polyhop.reading.reader import Reading
from polyhop.types import Evidence, Passage

Reads = Callable[[str, Evidence, Sequence[Passage], Models], Reading]


def read_by_kind_of_text(question: str, evidence: Evidence, models: Models, reads: Reads) -> Reading:
    """What dates tell where they are asked about, what rules find in other languages, and else what ``reads`` does."""
    passages = list(evidence.passages)
    if not passages:
        return Reading(text=None, note="there is nothing to read")
    abroad = asked_abroad(question)
    if abroad is not None:
        from polyhop.reading.abroad.reader import read_abroad  # tables that English questions do not need

        return read_abroad(question, abroad, passages)  # which sees by itself what is not spoken of
    dated = ordered(question, passages, models) or read_day(question, passages)
    if dated is not None:
        return dated
    said = when_said(question, passages, models)
    read = reads(question, evidence, of_the_day(question, passages), models)
    trusted = said is not None and (read.text is None or said.confidence >= read.confidence)
    return said if said is not None and trusted else read
