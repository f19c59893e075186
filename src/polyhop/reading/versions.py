"""Which version is spoken of: what stands under the heading of another one than a question names does not answer it.

Changelogs and checklists say the same of one version after another, and only headings tell them apart.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from polyhop.reading.pointing import Pointing
from polyhop.reading.reader import Quote, headings_over, text_of

_VERSION: Final = re.compile(  # one with a single dot may be an amount
    r"(?<![\w.])(?:(?:versions? |releases? |v)(?P<said>\d{1,4}\.\d{1,4})|v?(?P<long>\d{1,4}(?:\.\d{1,4}){2,3}))"
    r"(?!\.?\w)",
    re.IGNORECASE,
)
_SECTION: Final = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+(?=[^\W\d_])")  # before its name


def of_its_version(found: Pointing) -> Pointing:
    """The reading without what stands under the headings of other versions, where the question names one.

    A sentence that says the number itself speaks of it wherever it stands.
    """
    asked = _versions(found.question)
    if not asked:
        return found
    return replace(
        found,
        answers=tuple(one for one in found.answers if one.quote is None or not _is_of_another(one.quote, asked)),
        sentences=tuple(one for one in found.sentences if not _is_of_another(one.quote, asked)),
    )


def _is_of_another(quote: Quote, asked: frozenset[str]) -> bool:
    """Whether the heading over a sentence names versions written like those asked for, and none of these."""
    over = [heading for heading in headings_over(quote) if _versions(heading)]
    if not over or any(asked & _versions(said) for said in (*over, text_of(quote))):
        return False
    parts = {version.count(".") for version in asked}
    named = (_versions(_SECTION.sub("", heading)) for heading in over)
    return any(version.count(".") in parts for versions in named for version in versions)


def _versions(text: str) -> frozenset[str]:
    return frozenset(found["said"] or found["long"] for found in _VERSION.finditer(text))
