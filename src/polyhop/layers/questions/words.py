"""Generated questions as words are looked for in them: each with its title, and passages with theirs (Doc2Query)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from polyhop.indexes.folding import Stem
from polyhop.types import GeneratedQuestion

STEM: Final[Stem] = "s"  # how words of pairs are folded; those of passages are not, as in the layer text


def pair_text(title: str, pair: GeneratedQuestion) -> str:
    """A pair as words are looked for in it."""
    return f"{title} {pair.question} {pair.answer}"


def expanded_text(said: str, pairs: Iterable[GeneratedQuestion], *, answers: bool = True) -> str:
    """A passage (its title and text) with some of its questions, or pairs, appended."""
    return "\n".join([said, *(f"{pair.question} {pair.answer}" if answers else pair.question for pair in pairs)])
