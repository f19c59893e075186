"""Which of the entities that an index knows a running text names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyhop.indexes.names import words

LONGEST_NAME = 10  # words of a name that is looked for


class Scanned(Protocol):
    """A table of names, or several, in which the words of a text are looked up."""

    def scan(self, text: Sequence[str], longest: int) -> list[tuple[int, int, int]]:
        """See ``Names.scan``."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Names as they are looked up, and the spellings of each entity."""

    names: Scanned
    spellings: Callable[[int], Iterable[str]]

    def named_in(self, text: str, *, careful: bool = False) -> list[int]:
        """The entities whose names occur in a text, in order, once each; names within names do not count.

        A single word (``careful``: any name) counts only as it is spelled elsewhere: "Home" is a title, "home" is not.
        A text without any capital is taken as it comes.
        """
        named, covered = [], 0
        careless = text == text.lower()
        for start, length, entity in self.names.scan(words(text), LONGEST_NAME):
            if start + length > covered and (
                careless or (length > 1 and not careful) or self._is_spelled_in(entity, text)
            ):
                named.append(entity)
                covered = start + length
        return list(dict.fromkeys(named))

    def _is_spelled_in(self, entity: int, text: str) -> bool:
        spellings = (spelling.partition(" (")[0] for spelling in self.spellings(entity))
        return any(spelling in text for spelling in spellings if spelling != spelling.lower())
