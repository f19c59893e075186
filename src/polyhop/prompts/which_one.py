"""Which of several values is the answer, told alike to all tasks that read one in passages."""

from __future__ import annotations

from typing import Final

WHICH_ONE: Final = (
    "Asked for one thing, give the one that the question's own words fit most exactly; asked for several, give all. "
    "Where statements conflict, follow the one directly about what is asked, not one made in passing."
)
