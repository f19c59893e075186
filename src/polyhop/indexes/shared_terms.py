"""What a text shares with a question, counted in terms, in any script: for where no model reads the question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

from polyhop.indexes.folding import pieces, unspaced

# What ties words together in scripts without spaces says nothing of what is asked for: particles, verb endings, and
# the words of a question.
_TIES: Final = re.compile(
    "[\u3041-\u309f]{2,}|[をはがのにでともへやかたるてしれさ]|什么时候|什么|哪里|哪儿|哪一|哪些|多少|几个|为什么|怎么|是否"
    "|[的了在是由于和与及或吗呢吧之其哪谁几被把从到何誰]"
)
_ARTICLES: Final = re.compile("^(?:وال|بال|كال|فال|لل|ال)(?=.{3})")  # that Arabic writes as a part of the word
_STEM: Final = 5  # letters that tell words of one family
_SHORTEST: Final = 4  # letters of a word that says something; where words are not set apart, every character does
_SMALL: Final = 0.25  # what a shorter word counts


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a question with what each is worth; words are cut to their beginnings, runs without spaces to pairs.

    A share is from 0 to 1, and that of a text never depends on what other texts there are.
    """

    worth: dict[str, float]

    @classmethod
    def of(cls, question: str) -> Self:
        """What a question says."""
        return cls({term: _SMALL if _is_small(term) else 1.0 for term in _terms(question)})

    def in_(self, text: str) -> frozenset[str]:
        """Those of them that a text has."""
        return frozenset(self.worth).intersection(_terms(text))

    def share(self, found: frozenset[str]) -> float:
        """How much of the question some of its terms are."""
        total = sum(self.worth.values())
        return sum(self.worth[term] for term in found) / total if total else 0.0


def _is_small(term: str) -> bool:
    return len(term) < _SHORTEST and not unspaced(term)


def _terms(text: str) -> Iterator[str]:
    for piece in pieces(text):
        if not unspaced(piece):
            yield _ARTICLES.sub("", piece)[:_STEM]
            continue
        for run in _TIES.split(piece):
            if len(run) > 1:
                yield from (run[at : at + 2] for at in range(len(run) - 1))
            elif run:
                yield run
