"""What a careless extractor makes of a relation: a stronger or vaguer one, its opposite, or one without its qualifiers.

The tables are of English. Each row is a phrase, as a regular expression that matches whole words, and what replaces it
where it first stands; the other words of the relation stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from polyhop.english.dates import MONTH
from polyhop.english.tables import lines

VAGUE: Final = ("is associated with", "is connected with", "is linked to", "is related to")
_BE: Final = r"(?:(?:was|were|is|are|been|be|being) )?"

# From what was meant or tried to what was done, then from what was done to something vaguer.
_SHIFTED: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (_BE + r"(?:nominated|shortlisted) (?:for|as)", ("won", "received")),
    (_BE + r"(?:runner-up|finalist|second) (?:in|of|at)", ("won",)),
    (_BE + r"(?:a )?candidate (?:for|in)", ("was elected to", "held")),
    (r"(?:ran|stood|campaigned|applied|auditioned) (?:for|as|in)", ("was chosen for", "held")),
    (r"asked (?:for|to)", ("was given",)),
    (_BE + r"(?:planned|intended|proposed|projected|scheduled|designed) (?:to be|as|for)", ("became", "was")),
    (r"(?:planned|proposed|intended|attempted|tried|hoped|wanted|agreed|offered|threatened)(?: to)?", ("carried out",)),
    (_BE + r"(?:alleged|rumou?red|reported|believed|thought|said|supposed|claimed)(?: to (?:be|have))?", ("was",)),
    (r"(?:allegedly|reportedly|possibly|perhaps|probably|supposedly|nearly|almost)", ("certainly",)),
    (r"(?:co-wrote|co-authored)", ("wrote",)),
    (r"co-founded", ("founded",)),
    (r"(?:assisted|advised|helped|supported)", ("led",)),
    (_BE + r"(?:deputy|assistant|vice|acting|honorary)", ("is head",)),
    (_BE + r"born (?:in|at|on)", ("lived in", "is linked to")),
    (r"(?:died|buried) (?:in|at|on)", ("lived in", "is linked to")),
    (r"(?:studied|graduated|trained)(?: (?:at|from|in|under|with))?", ("was at", "visited")),
    (r"(?:taught|lectured)(?: (?:at|in))?", ("was at", "visited")),
    (
        r"(?:wrote|directed|composed|painted|produced|edited|translated|published|recorded)",
        ("worked on", "is known for"),
    ),
    (_BE + r"(?:written|directed|composed|painted|produced|edited|published|recorded) by", ("involved", "features")),
    (_BE + r"(?:founded|built|designed|established|created|invented|made|developed) by", ("involved", "is linked to")),
    (r"(?:founded|built|designed|established|created|invented|made|developed)", ("was involved in", "used")),
    (
        r"(?:father|mother|son|daughter|brother|sister|uncle|aunt|nephew|niece|cousin|grandfather|grandmother)",
        ("relative",),
    ),
    (r"(?:wife|husband|spouse)(?= of|$)", ("acquaintance",)),
    (r"(?:married|wedded)(?: to)?", ("knew", "met")),
    (r"(?:pupil|student|apprentice|disciple|teacher|mentor) of", ("colleague of", "acquaintance of")),
    (_BE + r"(?:the )?(?:capital|seat|chief town) of", ("is a town in",)),
    (r"(?:director|president|mayor|chairman|keeper|chancellor|bishop|king|queen) of", ("member of", "employee of")),
    (_BE + r"(?:located|situated|based|headquartered) (?:in|at|on)", ("is near", "is linked to")),
    (r"(?:owns|owned|acquired|bought)", ("invested in", "dealt with")),
    (r"(?:flows|runs) (?:into|to|through)", ("is near",)),
    (r"(?:oldest|largest|smallest|tallest|longest|leading|principal|first|only|highest|best)", ("notable",)),
)

_NEGATED: Final = re.compile(r"(?:\b(?:not|never|no longer)\b|(?<=\w)n['’]t\b)\s*", re.IGNORECASE)
_DENIED: Final = (
    ("failed to", "managed to"),
    ("refused to", "agreed to"),
    ("declined to", "agreed to"),
    ("denied", "confirmed"),
)

_SYMMETRIC: Final = re.compile(
    r"\b(?:associated|related|linked|connected|similar|identical|equal|married|spouse|sibling|brother|sister|cousin"
    r"|twin|friend|rival|colleague|partner|adjacent|near|next to|borders?|bordering|and|met|knew|known as|also called"
    r"|same)\b",
    re.IGNORECASE,
)

_DATE: Final = (
    rf"(?:\d{{1,2}} )?{MONTH}"
    r"(?: \d{1,2},?)?(?: \d{4})?|\d{3,4}s?"
)
_QUALIFIERS: Final = (
    re.compile(rf"\s*[,;]?\s+(?:in|on|since|until|from|during|by|around|about|circa|c\.)\s+(?:{_DATE})\b.*$"),
    re.compile(r"\s*[(（\[][^()（）\[\]]+[)）\]]\s*$"),
    re.compile(r"\s*,\s+[^,]+$"),
    re.compile(r"\s+(?:of|in|at|near|for|from|under|during|since|until|as)\s+(?:the\s+)?\S.*$", re.IGNORECASE),
)
_WITHIN: Final = (
    re.compile(  # "a composer of songs in": what stands before the last preposition
        r"(?<=\w)\s+(?:of|as|for|at|to|with|from)\s+[^\s].*?(?=\s+(?:in|at|of|by|for|with|on|to)$)", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:formerly|originally|previously|currently|briefly|only|once|first|second|third|last|posthumously|jointly|"
        r"partly|annually|temporarily|oldest|youngest|largest|smallest|youth|junior|acting|honorary|former|late)\s+(?=\w)",
        re.IGNORECASE,
    ),
)
_PARTIAL_DATE: Final = re.compile(rf"^(?:early |late |mid-|about |around |c\. ?)?(?:{_DATE})$")


def over_generalised(relation: str) -> list[str]:
    """Relations that say more, or something vaguer, than a relation does; the vaguest ones where no row fits."""
    for pattern, replacements in _SHIFTED:
        changed = [_replaced(relation, pattern, text) for text in replacements]
        if found := [text for text in changed if text is not None]:
            return found
    return [] if relation.casefold() in VAGUE else list(VAGUE)


def affirmed(relation: str) -> str | None:
    """A relation without its negation; None where it has none."""
    for denied, done in _DENIED:
        if (changed := _replaced(relation, denied, done)) is not None:
            return changed
    affirmative = " ".join(_NEGATED.sub(" ", relation, count=1).split())
    return affirmative if affirmative and affirmative != relation else None


def opposite(relation: str) -> str | None:
    """The opposite of a relation; None where none is known."""
    for pair in lines("opposites"):
        one, _, other = pair.partition(" / ")
        for said, turned in ((one, other), (other, one)):
            if (changed := _replaced(relation, said, turned)) is not None:
                return changed
    return None


def symmetric(relation: str) -> bool:
    """Whether a relation holds, or may hold, in both directions."""
    return _SYMMETRIC.search(relation) is not None


def unqualified(text: str) -> Iterator[str]:
    """A name, or a relation, without its dates, brackets, or what follows "of", "in" and the like; shorter each."""
    for pattern in _QUALIFIERS:
        shorter = pattern.sub("", text, count=1).strip()
        if shorter and shorter != text.strip():
            yield shorter


def relation_unqualified(relation: str) -> Iterator[str]:
    """A relation without something that restricts it; its last preposition stays, since the tail hangs on it."""
    for pattern in _WITHIN:
        shorter = " ".join(pattern.sub(" ", relation, count=1).split())
        if shorter and shorter != relation:
            yield shorter


def is_date(text: str) -> bool:
    """Whether a text is a date, a month or a year."""
    return _PARTIAL_DATE.match(text.strip()) is not None


def less_precise(date: str) -> str | None:
    """A date without its year or, where that is all there is, nothing: "12 May 1841" becomes "12 May"."""
    shorter = re.sub(r",?\s*\b\d{3,4}\b", "", date).strip()
    return shorter if shorter and shorter != date.strip() and any(map(str.isalpha, shorter)) else None


def _replaced(relation: str, pattern: str, text: str) -> str | None:
    changed, times = re.subn(rf"(?<!\w)(?:{pattern})(?!\w)", text, relation, count=1, flags=re.IGNORECASE)
    changed = " ".join(changed.split())
    return changed if times and changed.casefold() != relation.casefold() else None
