"""The cell of a table that a question names by its column and its row, as in "What is the fee of the Cutter?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyhop.indexes.folding import pieces
from polyhop.reading.reader import Quote
from polyhop.reading.rows import RowCell, tables_in, word_families
from polyhop.types import Passage


def cell_asked_for(question: str, passages: Sequence[Passage]) -> tuple[str, Quote] | None:
    """The value of the one cell whose column and row a question names, and the row that says it.

    Only where the question says nothing else that means something: what is asked of a day, or with a condition, is not
    what the cell tells.
    """
    found = {cell.said: quote for cell, quote in _cells(question, passages)}
    return next(iter(found.items())) if len(found) == 1 else None


def _cells(question: str, passages: Sequence[Passage]) -> Iterator[tuple[RowCell, Quote]]:
    said, asked = pieces(question), word_families(question)
    for table in tables_in(passages):
        named = [name for name in table.columns if _stands_in(pieces(name), said)]
        for row in table.rows:
            for cell in filter(None, map(row.under, named)):
                rest = asked - word_families(cell.name)
                others = (pieces(other.said) for other in row.cells if other is not cell)
                if any(_stands_in(other, said) and word_families(" ".join(other)) == rest for other in others):
                    yield cell, row.quote


def _stands_in(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a question has all of some words, one behind the other."""
    return bool(words) and any(said[at : at + len(words)] == words for at in range(len(said)))
