"""The passages of all questions together, searched and followed as strategies do: by BM25, along titles and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from polyhop.indexes.lexical import Lexical, build
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import Names, normal
from polyhop.layers.layer import words_of
from polyhop.ports import Ints
from polyhop.training.rows import TrainingPassage
from polyhop.types import Passage

PER_NAME: Final = 2  # passages that a name may lead to
_NAME = re.compile(r"[A-Z][\w'’-]*(?: (?:(?:of|the|de|von|van|and) )?[A-Z][\w'’-]*)+")  # of two words at least


@dataclass(frozen=True, slots=True)
class TextLink:
    """A passage names what another is about."""

    source: int  # places in ``LinkedPassages.passages``
    target: int
    naming: tuple[str, ...]  # how the name is spelled


@dataclass(frozen=True, eq=False)
class LinkedPassages:
    """Passages, each once, what they have in common with a question, and where they lead."""

    passages: tuple[Passage, ...]
    lexical: Lexical
    names: Names  # normalised titles, each with its place in ``titled``
    titled: tuple[tuple[int, ...], ...]  # the passages of each title

    @classmethod
    def of(cls, passages: Iterable[TrainingPassage]) -> Self:
        """All of them, in the order in which they first come."""
        distinct = enumerate(dict.fromkeys(passages))
        given = [as_stored(passage.text, title=passage.title, name=str(place)) for place, passage in distinct]
        by_title: dict[str, list[int]] = {}
        for place, passage in enumerate(given):
            if key := normal(passage.title):
                by_title.setdefault(key, []).append(place)
        numbers: Ints = np.arange(len(given), dtype=np.int64)
        return cls(
            passages=tuple(given),
            lexical=Lexical.of([build(numbers, [words_of(passage) for passage in given])], numbers),
            names=Names.build(list(by_title), np.arange(len(by_title))),
            titled=tuple(map(tuple, by_title.values())),
        )

    def near(self, question: str, most: int) -> list[int]:
        """The passages that share most with a question, best first."""
        found: list[int] = self.lexical.search(question, most)[0].tolist()
        return found

    def named_in(self, question: str) -> list[int]:
        """The passages whose titles a question names."""
        return [place for title in self._mentions().named_in(question) for place in self.titled[title]]

    def links_from(self, source: int) -> Iterator[TextLink]:
        """The passages whose titles a passage names, in the order of its text."""
        passage = self.passages[source]
        own = self.names.find(normal(passage.title))
        for title in self._mentions().named_in(passage.text, careful=True):
            if title != own:
                for target in [place for place in self.titled[title] if place != source][:PER_NAME]:
                    yield TextLink(source, target, self._spellings(title))

    def link_between(self, source: int, target: int) -> TextLink | None:
        """The link from one passage to another: along the title or, where it is not named, along a name both have.

        What the first is about itself does not count: the other may lead to it, but not it to the other.
        """
        for link in self.links_from(source):
            if link.target == target:
                return link
        passage, there = self.passages[source], words_of(self.passages[target])
        own = normal(passage.title)
        shared = [name for name in _NAME.findall(passage.text) if name in there and normal(name) != own]
        return TextLink(source, target, (max(shared, key=len),)) if shared else None

    def _mentions(self) -> Mentions:
        return Mentions(self.names, self._spellings)

    def _spellings(self, title: int) -> tuple[str, ...]:
        spelled = (self.passages[place].title.partition(" (")[0] for place in self.titled[title])
        return tuple(dict.fromkeys(spelled))


def as_stored(text: str, *, title: str = "", name: str = "") -> Passage:
    """A text as a strategy gets it: a passage that is a document of its own."""
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=title, text=text)


def places_of(pool: LinkedPassages) -> dict[TrainingPassage, int]:
    """Where each passage is, by what it was made of."""
    return {TrainingPassage(title=one.title, text=one.text): place for place, one in enumerate(pool.passages)}
