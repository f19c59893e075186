"""Hands a question to whoever reads its kind of text: another language, conversations, or prose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyhop.models.choice import Models
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.conversations.answers import read_conversations
from polyhop.reading.conversations.utterances import Chats
from polyhop.reading.event_order import ordered
from polyhop.reading.reader import Reading
from polyhop.types import Evidence, Passage

ReadsProse = Callable[[str, Evidence, Sequence[Passage], Models], Reading]


def read_by_kind_of_text(question: str, evidence: Evidence, models: Models, prose: ReadsProse) -> Reading:
    """What conversations say or what ``prose`` does, whichever is trusted more where there are both."""
    passages = list(evidence.passages)
    if not passages:
        return Reading(text=None, note="there is nothing to read")
    abroad = asked_abroad(question)
    if abroad is not None:
        from polyhop.reading.abroad.reader import read_abroad  # tables that English questions do not need

        return read_abroad(question, abroad, passages)  # which sees by itself what is not spoken of
    chats = Chats.of(passages)
    in_order = ordered(question, chats, models)
    if in_order is not None:
        return in_order
    told = read_conversations(question, chats, models, doubtful=evidence.doubtful)
    rest = chats.prose
    if told is not None and (not rest or evidence.doubtful):
        return told
    if evidence.doubtful:
        return Reading(text=None, note="what was found does not seem to speak of what is asked")
    read = prose(question, evidence, rest, models)
    trusted = told is not None and (read.text is None or told.confidence >= read.confidence)
    return told if told is not None and trusted else read
