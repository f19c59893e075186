"""Text set higher than the line: a power, or the number of a note, is no further digit of what stands before it."""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "^"
_DIGITS: Final = re.compile(r"[-+\u2212]?\d")


def needs_mark(before: str, raised: str) -> bool:
    """Whether raised text behind some other would be read as its further digits: 10 and 6 as 106."""
    return before[-1:].isdigit() and _DIGITS.match(raised) is not None
