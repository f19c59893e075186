"""Names before what is said, told from the labels that stand in the same place: ``Note: ...``, ``Ingredients: ...``."""

from __future__ import annotations

import re
from typing import Final

from polyhop.english.tables import table
from polyhop.english.words import word_set

LONGEST_NAME: Final = 40  # characters
_MOST_WORDS: Final = 5
_LONGEST_ACRONYM: Final = 4
_INSIDE: Final = re.compile(  # "AdaBrisk" and "LiHua", not "McDonald", "DeShawn" or "JoAnn"
    r"(?<=[a-z])(?<!Mac)(?<!Al|Da|De|Di|Du|El|Jo|La|Le|Lo|Mc)(?=[A-Z])"
)
_NUMBERED: Final = re.compile(r"[\dIVXivx]+[a-z]?\.?|[A-Z]|one|two|three|four|five|six", re.IGNORECASE)
_LINKS: Final = word_set("al bin da de del della den der di dos du el ibn la le of the van von y zu ben bint ter")
_LEVELS: Final = word_set("debug error errors fatal critical info notice trace warn warning verbose alert")
_MACHINES: Final = word_set(
    "server worker kernel main thread system database scheduler daemon service process task job queue"
)
_LABELS: Final = word_set(table("labels")["labels"])
_LAST: Final = word_set("note notes tip tips warning time times temperature size date fact facts level address")


def spoken(name: str) -> str:
    """A name as people say it: ``AdaBrisk`` and ``ADA BRISK`` are Ada Brisk, and ``ada`` is Ada."""
    said = _INSIDE.sub(" ", name).strip()
    if said.isupper() and len(said) > _LONGEST_ACRONYM:
        return said.title()
    return said.capitalize() if said.isalpha() and said.islower() else said


def is_label(name: str) -> bool:
    """Whether what stands before a colon says what kind of thing follows, and not who speaks."""
    words = name.lower().strip(".").split()
    if not words:
        return True
    return (
        not _LABELS.isdisjoint((name.lower(), *(words[0].split("-") if len(words) == 1 else ())))
        or words[-1] in _LAST
        or (words[0] in _LABELS and all(_NUMBERED.fullmatch(word) for word in words[1:]))
    )


def is_named(name: str) -> bool:
    """Whether it is written as a name: no word of it begins with a small letter but such as ``van`` and ``de``."""
    words = name.split()
    return bool(words) and not any(word[0].islower() and word not in _LINKS for word in words)


def may_speak(name: str) -> bool:
    """Whether a name that a program wrote beside a time may be that of somebody: no level of a log, no machine."""
    words = re.split(r"[\s.]+", name.lower())
    return (
        len(name.split()) <= _MOST_WORDS
        and not _LEVELS.intersection(words)
        and name.lower() not in _MACHINES
        and not is_label(name)
    )
