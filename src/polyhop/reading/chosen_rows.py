"""Which rows of a table answer a question for several things: each is read alone, and a condition parts them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from polyhop.english.answer_type import AnswerType, answer_type, asked_for
from polyhop.models.choice import Models
from polyhop.reading.negation import negated
from polyhop.reading.pointing import Pointing, point_each
from polyhop.reading.reader import Quote
from polyhop.reading.rows import Row, RowCell, RowTable, tables_in, word_families
from polyhop.reading.weighing import logit
from polyhop.types import Passage

ROWS: Final = 40  # of a table, each of which is read
CLEAR: Final = 2.0  # logits by which rows that are all likely have to be apart, for some of them to be meant only
VALUES: Final = 12  # different ones of a column, from which on it parts no rows
ALL: Final = 0.5  # of the least likely row, from which on all rows are meant
VALUE: Final = 0.25  # what a logit of the cross-encoder for a value counts beside one of the span model for its rows
UNNAMED: Final = 1.0  # logits that rows without a value in common have to be further apart
_VERDICTS: Final = ("yes", "no")


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The cells that answer, one of each chosen row, and how sure that is."""

    items: tuple[tuple[str, Quote], ...] = ()
    chance: float = 0.0


@dataclass(frozen=True, slots=True)
class _Parting:
    """Rows that are told from the others of a table, by how much, and how likely what they share is asked for."""

    rows: frozenset[int]
    apart: float
    shared: float = 0.0


def tables_read(found: Pointing, passages: Sequence[Passage]) -> list[RowTable]:
    """The things of the whole tables that a likely sentence is a row of."""
    likely = {one.quote for one in found.sentences}
    whole = (table for table in tables_in(passages) if table.is_whole)
    return [table.without_sums for table in whole if any(row.quote in likely for row in table.rows)]


def chosen_rows(question: str, tables: Sequence[RowTable], models: Models) -> ChosenRows:
    """The likeliest rows of all tables; none where no row answers."""
    chosen = (_chosen(question, table, models) for table in tables if len(table.rows) <= ROWS)
    return max(chosen, key=lambda one: one.chance, default=ChosenRows())


def _chosen(question: str, table: RowTable, models: Models) -> ChosenRows:
    read = point_each(question, [row.quote for row in table.rows], models)
    chances = [1 - one.none for one in read]
    alike = _Parting(frozenset(), -math.inf)  # nothing parts them
    best = max(_partings(question, table, read, models), key=lambda one: one.apart, default=alike)
    if min(chances) >= ALL and best.apart < CLEAR:
        best = _Parting(frozenset(range(len(read))), math.inf)
    if not best.rows:
        return ChosenRows()
    likely = fmean(chances[at] for at in best.rows)
    chance = (1 - (1 - likely) * (1 - best.shared)) / (1 + math.exp(-best.apart))
    cells = _named(question, table, read, sorted(best.rows))
    items: dict[str, Quote] = {}
    for cell, row in cells:
        items.setdefault(cell.said, Quote(row.quote.passage, cell.start, cell.end))
    return ChosenRows(tuple(items.items()), chance)


def _partings(question: str, table: RowTable, read: Sequence[Pointing], models: Models) -> Iterator[_Parting]:
    """The likelier rows, and those with each value of a column; of "yes" and "no" what the question says."""
    signs = [fmean((logit(max(s.chance for s in one.sentences)), logit(1 - one.none))) for one in read]
    middle = (min(signs) + max(signs)) / 2
    likelier = frozenset(at for at, sign in enumerate(signs) if sign > middle)
    if likelier:  # not all signs are equal
        yield _Parting(likelier, _gap(signs, likelier) - UNNAMED)
    groups = _by_value(table)
    texts = {name: f"{table.heading}: {name[0]}: {name[1]}" for name in groups}
    scores = dict(zip(groups, models.reranker.score(question, list(texts.values())).tolist(), strict=True))
    usual = fmean(scores.values()) if scores else 0.0
    for (column, value), rows in groups.items():
        wanted = _VERDICTS[negated(question) != negated(column)]
        if value not in _VERDICTS or value == wanted:
            apart = _gap(signs, rows) + VALUE * (scores[column, value] - usual)
            yield _Parting(rows, apart, 1 / (1 + math.exp(-scores[column, value])))


def _by_value(table: RowTable) -> dict[tuple[str, str], frozenset[int]]:
    """The rows that have a value in a column, by both; of columns that part the rows."""
    groups: dict[tuple[str, str], frozenset[int]] = {}
    for column in table.columns[1:]:
        cells = [row.under(column) for row in table.rows]
        values = [cell.said.lower() if cell else "" for cell in cells]
        if 1 < len(set(values)) <= min(VALUES, len(values) - 1):
            for value in {*values} - {""}:
                groups[column, value] = frozenset(at for at, own in enumerate(values) if own == value)
    return groups


def _gap(signs: Sequence[float], rows: frozenset[int]) -> float:
    inside = fmean(sign for at, sign in enumerate(signs) if at in rows)
    return inside - fmean(sign for at, sign in enumerate(signs) if at not in rows)


def _named(question: str, table: RowTable, read: Sequence[Pointing], rows: Sequence[int]) -> list[tuple[RowCell, Row]]:
    """The cells of rows in the column that is pointed at most, or else that names them: yes and no name nothing."""
    votes: defaultdict[str, float] = defaultdict(float)
    for at in rows:
        for one in read[at].answers[:1]:
            cell = table.rows[at].at(one.start) if one.quote is not None else None
            votes[cell.name if cell else ""] += one.chance
    column = max(votes, key=lambda name: votes[name], default="")
    asked = word_families(asked_for(question))
    chosen = [table.rows[at] for at in rows]
    persons = answer_type(question) is AnswerType.PERSON
    told = [(row, cell) for row in chosen for cell in [row.under(column)]]
    return [
        (cell if cell and cell.said.lower() not in _VERDICTS else table.naming(row, asked, persons=persons), row)
        for row, cell in told
    ]
