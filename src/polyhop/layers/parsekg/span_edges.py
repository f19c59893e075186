"""Where among the tokens of a hyperrelation a span may begin and end.

A model's tokens know nothing of letters and words: some begin inside a word, some end inside a character. What is cut
along them is no text. So a span is cut where the text may be cut, and each token says whether that is so at its ends.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from polyhop.indexes.folding import words_at
from polyhop.layers.parsekg.graph import MASK
from polyhop.ports import ConstrainedModel

WORD = 1  # a word begins with this token
BREAK = 2  # a masked entity does, or an opening bracket or quotation mark
WHOLE = 4  # the character that this token ends with is whole
GAP = 8  # stands for a masked entity

_OPENING = frozenset({"Ps", "Pi"})  # categories of Unicode
_GAPS = re.compile(f"( ?{re.escape(MASK)})")


@dataclass(frozen=True, slots=True)
class EdgedTokens:
    """The tokens of a hyperrelation, with the flags of each."""

    tokens: list[int]
    flags: list[int]


def edged(hyperrelation: str, model: ConstrainedModel) -> EdgedTokens:
    """The tokens of a hyperrelation; masks have tokens of their own, which they share with no other text."""
    starts = {start for start, _ in words_at(hyperrelation)}
    parts = [part for part in _GAPS.split(hyperrelation) if part]
    made = EdgedTokens([], [])
    at = 0
    for part, (tokens, spans) in zip(parts, model.encode_spans(parts), strict=True):
        gap = GAP if _GAPS.fullmatch(part) else 0
        for position, (start, end) in enumerate(spans):
            cut = position == 0 or spans[position - 1][1] <= start
            whole = position + 1 == len(spans) or end <= spans[position + 1][0]
            first = at + start + (part[start] == " ")  # the space before a word belongs to its first token
            letter = hyperrelation[first : first + 1]
            flags = gap | (WHOLE if whole else 0)
            if cut and first in starts:
                flags |= WORD
            elif cut and (gap or (letter and unicodedata.category(letter) in _OPENING)):
                flags |= BREAK
            made.flags.append(flags)
        made.tokens.extend(tokens)
        at += len(part)
    return made
