"""The JSON object in a model's text while the text is being written: every string as far as it is there.

It reads as ``models/structured.py`` does once the text is whole: thoughts, code fences and prose around are skipped. It
is lenient where that one is strict, since what it reads is shown for a moment and then read again.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic_core import from_json

from polyhop.models.structured import MAX_DEPTH, MAX_STARTS, decoded, deeper_than, spoken

_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_OF_NUMBERS: Final = "0123456789+-.eE"


class JsonArriving:
    """Takes a text piece by piece, cut anywhere. ``value``: the object in it so far, None before it begins.

    Of several objects the first with the key ``wanted`` counts, and the last one while there is none.
    """

    def __init__(self, wanted: str) -> None:
        self.value: dict[str, Any] | None = None
        self._wanted = wanted
        self._text = ""
        self._said = ""
        self._from = 0  # where in what was said the object under way begins, or the next one may
        self._starts = 0
        self._done = False  # whether the wanted object is there, and whole

    def take(self, piece: str) -> None:
        """The text goes on."""
        self._text += piece
        said = spoken(self._text)
        if not said.startswith(self._said):  # all before it was thought
            self.value, self._from, self._starts, self._done = None, 0, 0, False
        self._said = said
        while self._read():
            self._starts += 1

    def _read(self) -> bool:
        """Read the object that begins next; returns whether it has ended, or is none, so that another may begin."""
        start = self._said.find("{", self._from)
        if start < 0 or self._done or self._starts >= MAX_STARTS:
            return False
        value, end, whole = decoded(self._said, start)
        if whole:
            self.value, self._from, self._done = value, end, self._wanted in value
            return True
        value = _as_far_as_it_goes(self._said[start:])
        if value is None:
            self._from = start + 1
            return True
        self.value, self._from = value, start
        return False


def _as_far_as_it_goes(text: str) -> dict[str, Any] | None:
    """The object that a text is the beginning of; None where it is no beginning of one. A number may still go on."""
    in_string = _ESCAPED.sub("", text).count('"') % 2
    try:
        value: dict[str, Any] = from_json(
            text if in_string else text.rstrip(_OF_NUMBERS), allow_inf_nan=False, allow_partial="trailing-strings"
        )
    except ValueError:
        return None
    return None if deeper_than(value, MAX_DEPTH) else value
