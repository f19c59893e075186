"""Contexts that are like a question and do not answer it: the hardest to tell from the one that does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyhop.indexes.lexical import Lexical, build
from polyhop.training.rows import ReadingRow

LOOKED_AT = 12  # of the nearest contexts


class Neighbours:
    """All contexts of rows, found by the words of a question (BM25)."""

    def __init__(self, rows: Sequence[ReadingRow]) -> None:
        by_context: dict[str, ReadingRow] = {}
        for row in rows:
            by_context.setdefault(row.context, row)
        self._rows = list(by_context.values())
        numbers = np.arange(len(self._rows))
        self._lexical = Lexical.of([build(numbers, [f"{row.title} {row.context}" for row in self._rows])], numbers)

    def near(self, row: ReadingRow, count: int) -> list[ReadingRow]:
        """At most so many rows whose contexts are likest to the question and hold no answer, nearest first."""
        found, _ = self._lexical.search(row.question, LOOKED_AT)
        others = [self._rows[number] for number in found.tolist()]
        return [other for other in others if is_other(other, row)][:count]


def is_other(one: ReadingRow, row: ReadingRow) -> bool:
    """Whether a row's context is another one, and none of the answers stands in it."""
    return one.context != row.context and not any(text.lower() in one.context.lower() for text, _ in row.answers)
