"""Questions about two events: whether one came before the other, and how long it was between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from polyhop.english.events import event_clause, is_event
from polyhop.english.numbers import NUMERALS

Relation = Literal["before", "after", "either"]
Comparison = Literal["", "more", "less", "at least", "at most"]

UNITS: Final = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
"""Days of each unit of time."""

_UNIT: Final = rf"(?P<unit>{'|'.join(UNITS)})s?"
_AUXILIARY: Final = re.compile(r"(?:did|do|does|was|were|is|are|has|have|had)\s+(?:it\s+take\s+)?", re.IGNORECASE)
_CONNECTIVE: Final = re.compile(
    r",?\s+(?P<word>before or after|(?:shortly |long |right )?(?:before|after)|prior to|earlier than|later than)\s+",
    re.IGNORECASE,
)
_NESTED: Final = re.compile(r"\b(?:that|whether|if|how|what|why|because|who|which|where|when)\b", re.IGNORECASE)
_OCCURS: Final = re.compile(r"\s+(?:occur|happen|take place|come|start|begin|be held)\s*$", re.IGNORECASE)
_AMOUNT: Final = re.compile(
    r"\s*\b(?P<how>(?:more|longer|less|fewer|shorter) than|at least|at most|over|under|within)\s+"
    rf"(?P<count>\d+(?:\.\d+)?|half an?|an?|{'|'.join(NUMERALS[1:])})\s+{_UNIT}\b",
    re.IGNORECASE,
)
_COUNTS: Final = {word: float(count) for count, word in enumerate(NUMERALS)} | {"a": 1, "an": 1, "half a": 0.5}
_HOWS: Final[dict[str, Comparison]] = {
    "more": "more", "longer": "more", "over": "more", "at least": "at least", "at most": "at most", "within": "at most",
}  # fmt: skip
_HOW_LONG: Final = re.compile(rf"how (?:many {_UNIT}|much time|long)\b", re.IGNORECASE)
_PAIRS: Final = (
    (re.compile(r"\bbetween\s+(?=\S)", re.IGNORECASE), re.compile(r",?\s+and\s+", re.IGNORECASE)),
    (re.compile(r"\bfrom\s+(?=\S)", re.IGNORECASE), re.compile(r",?\s+(?:to|until|till)\s+", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedEvents:
    """Two events that a question asks to compare, as it names them, and what it asks about them."""

    kind: Literal["order", "interval"]
    first: str
    second: str
    relation: Relation = "before"  # first to second
    comparison: Comparison = ""  # of an interval with the limit; nothing where its length is asked
    limit: float = 0.0  # in days
    unit: str = ""  # in which a length is asked; nothing where none is named


def asked_events(question: str) -> AskedEvents | None:
    """The two events whose order or distance in time a question asks for; None for any other question."""
    text = " ".join(question.split()).rstrip(" ?.!")
    return _interval(text) or _order(text)


def _order(text: str) -> AskedEvents | None:
    """``Did A ask B for X before she told him Y``; before, after, or which of the two."""
    opening = _AUXILIARY.match(text)
    if opening is None or _AMOUNT.search(text):
        return None
    body = text[opening.end() :]
    best: tuple[tuple[int, int], AskedEvents] | None = None
    for match in _CONNECTIVE.finditer(body):
        left, right, word = body[: match.start()], body[match.end() :], match["word"].lower()
        left = _OCCURS.sub("", left)
        worth = _worth(right)
        if worth is None or (not is_event(left) and event_clause(left, base=True) is None):
            continue
        key = (worth, -match.start() if _NESTED.search(left) else match.start())
        if best is None or key < best[0]:
            early = word.endswith(("before", "prior to", "earlier than"))
            relation: Relation = "either" if " or " in word else "before" if early else "after"
            best = key, AskedEvents(kind="order", first=left, second=_with_subject(right, left), relation=relation)
    return best[1] if best else None


def _worth(text: str) -> int | None:
    """How surely a text tells an event: 0 a clause, 1 a noun such as discussion, 2 a gerund; None if it tells none."""
    told = event_clause(text)
    if told is not None and told.subject and told.verb < len(told.words) - told.gerund:
        return 0
    if is_event(text):
        return 1
    return 2 if told is not None and told.gerund and len(told.words) > 2 else None


def _with_subject(text: str, other: str) -> str:
    """A text that begins with a gerund, with the subject of the other event before it."""
    own, named = event_clause(text), event_clause(other, base=True)
    return f"{named.subject} {text}" if own is not None and not own.subject and named is not None else text


def _interval(text: str) -> AskedEvents | None:
    """``Is the time between A asking X and B telling Y more than 3 days``; ``How many days passed between ...``."""
    amount, length = _AMOUNT.search(text), _HOW_LONG.match(text)
    if amount is not None and _AUXILIARY.match(text):
        pair = _ends(f"{text[: amount.start()]} {text[amount.end() :].strip()}")
        if pair is None:
            return None
        how = _HOWS.get(amount["how"].lower().removesuffix(" than"), "less")
        count, unit = amount["count"].lower().replace("half an", "half a"), amount["unit"].lower()
        limit = (_COUNTS[count] if count in _COUNTS else float(count)) * UNITS[unit]
        return AskedEvents(kind="interval", first=pair[0], second=pair[1], comparison=how, limit=limit)
    pair = _ends(text) if length is not None else None
    if pair is None or length is None:
        return None
    return AskedEvents(kind="interval", first=pair[0], second=pair[1], unit=(length["unit"] or "").lower())


def _ends(text: str) -> tuple[str, str] | None:
    """The events of "between X and Y" and "from X to Y": parted where both sides tell an event most surely."""
    for opening, joint in _PAIRS:
        for start in opening.finditer(text):
            rest = text[start.end() :]
            parted = []
            for match in joint.finditer(rest):
                sides = rest[: match.start()].strip(), rest[match.end() :].strip()
                worths = [_worth(side) for side in sides]
                if worths[0] is not None and worths[1] is not None:
                    parted.append((worths[0] + worths[1], match.start(), sides))
            if parted:
                return min(parted)[2]
    return None
