"""Labels at the head of mail and of minutes: each line says something of its own, and together they are no record."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

# What programs for mail write before a sender and a subject, in six languages
SENDERS: Final = frozenset(("from", "von", "de", "da", "van"))
SUBJECTS: Final = frozenset(("subject", "betreff", "objet", "asunto", "oggetto", "onderwerp"))
# What stands before those who came to a meeting or did not, and what else the head of its minutes has
_ATTENDANCE: Final = frozenset(("present", "absent", "apologies", "in attendance", "attendees", "participants"))
_MEETING: Final = _ATTENDANCE | {
    *("date", "time", "place", "venue", "location", "chair", "chairman", "chairwoman", "chairperson", "in the chair"),
    *("secretary", "clerk", "minutes", "minute taker", "minutes taken by", "agenda"),
}


def is_head(labels: AbstractSet[str]) -> bool:
    """Whether lines with these labels, in small letters, are the head of mail or of minutes."""
    is_mail = not SENDERS.isdisjoint(labels) and not SUBJECTS.isdisjoint(labels)
    return is_mail or (not _ATTENDANCE.isdisjoint(labels) and len(labels & _MEETING) > 1)
