"""Words of generated questions as they are gathered: of each pair, and of passages with their questions (Doc2Query)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

import numpy as np

from polyhop.errors import IndexCorrupt
from polyhop.indexes import lexical
from polyhop.indexes.folding import Stem
from polyhop.indexes.segments import REBUILD, Arrays, read_arrays, write_arrays
from polyhop.ports import Ints
from polyhop.types import GeneratedQuestion

STEM: Final[Stem] = "s"  # how words of pairs are folded; those of passages are not, as in the layer text
PAIRS, PASSAGES = "words", "expanded"  # folders


@dataclass(frozen=True, slots=True)
class PassageQuestions:
    """What a passage can be asked."""

    number: int
    id: str
    pairs: Sequence[GeneratedQuestion]
    title: str | None = None  # of the passage; None: words of these questions are not gathered
    said: str | None = None  # its title and text; None: words of it with its questions are not gathered


@dataclass(frozen=True, kw_only=True, eq=False)
class Before:
    """Words that were gathered of other passages, some of which are still there."""

    folder: Path
    pairs: Ints  # where each of its pairs is now; -1: it is gone
    passages: Ints  # the number that each of its passages has now; -1: it is gone


def pair_text(title: str, pair: GeneratedQuestion) -> str:
    """A pair as words are looked for in it."""
    return f"{title} {pair.question} {pair.answer}"


def expanded_text(said: str, pairs: Iterable[GeneratedQuestion], *, answers: bool = True) -> str:
    """A passage (its title and text) with some of its questions, or pairs, appended."""
    return "\n".join([said, *(f"{pair.question} {pair.answer}" if answers else pair.question for pair in pairs)])


def write(folder: Path, asked: Sequence[PassageQuestions], before: Before | None) -> None:
    """Gather the words of pairs, which are known by position, and of passages with their pairs, by number.

    Only what is new is read where ``before`` has the rest: a passage with another title or text is another one. Raises
    StorageFull, IndexCorrupt.
    """
    firsts = [0, *accumulate(len(each.pairs) for each in asked)]
    if all(each.title is not None for each in asked):
        owners = np.repeat(np.arange(len(asked)), np.diff(firsts)).tolist()

        def text_of_pair(place: int) -> str:
            owner = asked[owners[place]]
            return pair_text(owner.title or "", owner.pairs[place - firsts[owners[place]]])

        older = None if before is None else (before.folder / PAIRS, before.pairs)
        write_arrays(folder / PAIRS, lexical.gathered(np.arange(firsts[-1]), text_of_pair, older, stem=STEM))
    if all(each.said is not None for each in asked):
        by_number = {each.number: each for each in asked}

        def text_of_passage(number: int) -> str:
            return expanded_text(by_number[number].said or "", by_number[number].pairs)

        older = None if before is None else (before.folder / PASSAGES, before.passages)
        numbers = np.array([each.number for each in asked], np.int64)
        write_arrays(folder / PASSAGES, lexical.gathered(numbers, text_of_passage, older))


def expanded(folder: Path, numbers: Ints) -> Arrays | None:
    """The postings of passages with their pairs, where they were gathered. Raises IndexCorrupt.

    ``numbers``: of the passages that they must be of.
    """
    if not (folder / PASSAGES).is_dir():
        return None
    arrays = read_arrays(folder / PASSAGES, lexical.ARRAYS)
    if not np.array_equal(arrays["numbers"], numbers):
        raise IndexCorrupt(f"{folder} is damaged: its parts do not belong together.", remedy=REBUILD)
    return arrays
