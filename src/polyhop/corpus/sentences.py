"""Sentences without a parser, in any script: for quotations, not for grammar."""

from __future__ import annotations

import re

# An end mark with what closes after it, then white space and something that can begin a sentence; ideographic end marks
# need no space. A blank line ends a sentence too. Single initials ("J. Smith") and a few titles do not.
_END = re.compile(r"(?<=[.!?؟।…])[\"'”’)\]]*\s+(?=[^\s\da-z])|(?<=[。！？])|\n\s*\n")
_ABBREVIATION = re.compile(r"(?:\b[A-Z]|\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Rev|Gen|Col|Capt|Lt|No|vs|ca|cf|Mt|Ft))\.$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the white space around it."""
    spans, start = [], 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text[max(start, match.start() - 8) : match.start()]):
            continue
        spans.append(_stripped(text, start, match.end()))
        start = match.end()
    spans.append(_stripped(text, start, len(text)))
    return [(begin, end) for begin, end in spans if begin < end]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
