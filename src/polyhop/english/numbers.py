"""Numbers, in digits and in words."""

from __future__ import annotations

import re
from typing import Final

NUMERALS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBER: Final = re.compile(rf"\d+(?:,\d{{3}})*(?:\.\d+)?|\b(?:{'|'.join(NUMERALS)})\b", re.IGNORECASE)


def number_in(text: str) -> float | None:
    """The first number in a text, such as ``1,204.5`` or ``twelve``; None where there is none."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    word = found.group().lower()
    return float(NUMERALS.index(word)) if word in NUMERALS else float(word.replace(",", ""))
