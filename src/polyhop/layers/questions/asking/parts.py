"""What a question is made from: the parts of a clause, and the part that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Clause:
    """A verb with the words that belong to it, by where they stand in a question; all are words of the sentence."""

    verb: int
    subject: Sequence[int]
    head: int  # the word of the subject that the others hang on
    auxiliaries: Sequence[int]
    negated: bool
    fronted: Sequence[int]  # what stands before the subject
    middle: Sequence[int]  # between the subject and the verb
    rest: Sequence[int]  # behind the verb
    borrowed: bool = False  # whether the subject belongs to another clause
    words: frozenset[int] = field(default_factory=frozenset)


class Hole(NamedTuple):
    """A part that is asked for: its words, those that the question leaves out, and the words that ask for it."""

    answer: Sequence[int]
    without: frozenset[int]
    wh: str
    certainty: float = 1.0
    about: str = ""  # what the answer speaks of, where the question would not say it
