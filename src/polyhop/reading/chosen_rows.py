"""Which rows of a table answer a question for several things: each is read alone, and a condition parts them.

Or one holds the likeliest answer, and others say the same of something else.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from polyhop.english.answer_type import AnswerType, answer_type, asked_for
from polyhop.indexes.folding import pieces
from polyhop.models.choice import Models
from polyhop.reading.negation import negated
from polyhop.reading.pointing import Pointed, Pointing, point_each
from polyhop.reading.reader import Quote
from polyhop.reading.rows import Row, RowCell, RowTable, stands_in, tables_in, word_families
from polyhop.reading.weighing import logit
from polyhop.types import Passage

ROWS: Final = 40  # of a table, each of which is read
CLEAR: Final = 2.0  # logits by which rows that are all likely have to be apart, for some of them to be meant only
VALUES: Final = 12  # different ones of a column, from which on it parts no rows
ALL: Final = 0.5  # of the least likely row, from which on all rows are meant
VALUE: Final = 0.25  # what a logit of the cross-encoder for a value counts beside one of the span model for its rows
UNNAMED: Final = 1.0  # logits that rows without a value in common have to be further apart
ALIKE: Final = 0.25  # of the likeliest answer's chance, from which the same of a row that is named alike is meant, too
_VERDICTS: Final = ("yes", "no")

Items = Sequence[tuple[str, Quote]]


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


# -- beside the row of an answer


def rows_told(found: Pointing, looked_up: float) -> tuple[Items, float]:
    """What several rows tell, where the likeliest answer stands in one of them, and its chance; none, and 0, without.

    Who is asked for: those whose rows say yes or no to it. Else what is told of all that the question names as it
    names the likeliest. ``looked_up``: the chance, where the question says nothing else.
    """
    best = found.best
    quotes = (*(one.quote for one in found.answers), *(one.quote for one in found.sentences))
    passages = {quote.passage.id: quote.passage for quote in quotes if quote is not None}
    for table in [one.without_sums for one in tables_in(list(passages.values()))]:
        own = next((row for row in table.rows if best is not None and _holds(row, best)), None)
        cell = own.at(best.start) if own is not None and best is not None else None
        if own is None or cell is None:
            continue
        if answer_type(found.question) is AnswerType.PERSON:
            if agreeing := rows_agreeing(found.question, table):
                return agreeing, looked_up
            if agreeing := rows_agreeing(found.question, table, others=True):
                return agreeing, found.chance
        return _named_alike(found, table, own, cell.name)
    return [], 0.0


def _named_alike(found: Pointing, table: RowTable, own: Row, column: str) -> tuple[Items, float]:
    """The cells of a column in the rows that a question names as it does the answer's own, and that any is the answer.

    "How much did we pay Varn?" where several rows have Varn, and "what do the mast and the sail cost?" one for each.
    Another of them has to be likely, too, and no row may have words of the question that the others lack.
    """
    likely: dict[RowCell, float] = {}
    for one in found.answers:
        cell = next((row.at(one.start) for row in table.rows if _holds(row, one)), None)
        if cell is not None and one.chance >= ALIKE * found.chance:
            likely.setdefault(cell, one.chance)
    for name in table.columns:
        beside = _said_beside(own, name, column, found.question)
        rows = [row for row in table.rows if _said_beside(row, name, column, found.question) == beside]
        cells = [(cell, row) for row in rows if (cell := row.under(column)) is not None]
        chances = [likely[cell] for cell, _ in cells if cell in likely]
        if beside is not None and len({cell.said for cell, _ in cells}) > 1 and len(chances) > 1:
            return _quoted(cells), any_of(chances)
    return [], 0.0


def _said_beside(row: Row, name: str, column: str, question: str) -> frozenset[str] | None:
    """The words of a question in a row beside the value that it names there, and another; None where it names none."""
    value = row.under(name)
    if value is None or name == column or not _is_named(value, question, pieces(question)):
        return None
    others = (cell.said for cell in row.cells if cell.name not in (name, column))
    return word_families(question) & word_families(" ".join(others))


def _quoted(cells: Sequence[tuple[RowCell, Row]]) -> Items:
    return [(cell.said, Quote(row.quote.passage, cell.start, cell.end)) for cell, row in cells]


def rows_agreeing(question: str, table: RowTable, *, others: bool = False) -> Items:
    """What names the rows that say yes under the column that a question names, or no where it denies that.

    None where the question says more than the column and what kind of thing the table has; ``others``: those that have
    what else it says.
    """
    asked, kind = word_families(question), word_families(asked_for(question))
    for column in table.columns[1:]:
        cells = [row.under(column) for row in table.rows]
        values = [cell.said.lower() if cell is not None else "" for cell in cells]
        name = word_families(column)
        told = {"yes", "no"} == set(values) and frozenset() < name <= asked and table.is_whole
        if told and (others or asked - name <= kind):
            wanted = "no" if negated(question) != negated(column) else "yes"
            meant = table.speaking_of(asked - name) if others else table.rows
            rows = [row for row, value in zip(table.rows, values, strict=True) if value == wanted and row in meant]
            persons = answer_type(question) is AnswerType.PERSON
            return _quoted([(table.naming(row, kind, measured=column, persons=persons), row) for row in rows])
    return []


def of_rows_alike(found: Pointing, passages: Sequence[Passage]) -> Items:
    """What stands in the column of the likeliest answer in each row that has the value which the question names.

    Rows of some tables are documents of their own, so that no table is whole.
    """
    best, asked = found.best, pieces(found.question)
    if best is None or best.quote is None or negated(found.question):
        return []
    for table in tables_in(passages):
        own = next((row for row in table.rows if _holds(row, best)), None)
        cell = own.at(best.start) if own is not None else None
        if own is None or cell is None:
            continue
        for other in own.cells:
            if other is cell or not _is_named(other, found.question, asked):
                continue
            rows = [row for row in table.rows if (value := row.under(other.name)) and value.said == other.said]
            cells = [(one, row) for row in rows if (one := row.under(cell.name))]
            if len({one.said for one, _ in cells}) > 1:
                return _quoted(cells)
    return []


def _holds(row: Row, answer: Pointed) -> bool:
    quote = answer.quote
    return quote is not None and quote.passage.id == row.quote.passage.id and row.at(answer.start) is not None


def _is_named(cell: RowCell, question: str, asked: Sequence[str]) -> bool:
    """Whether a question names a value; one that is a number only with its column's name: "60 days"."""
    value = pieces(cell.said)
    if names_value(asked, value):
        return True
    return len(value) == 1 and value[0] in asked and bool(word_families(cell.name) & word_families(question))


def names_value(asked: Sequence[str], value: Sequence[str]) -> bool:
    """Whether a question names a value; one word that is a number or a letter may be anything."""
    whole = len(value) > 1 or (len(value) == 1 and value[0].isalpha() and len(value[0]) > 2)
    return whole and stands_in(value, asked)


def any_of(chances: Sequence[float]) -> float:
    """The chance that any of several holds, if each did so by itself."""
    none = 1.0
    for chance in chances:
        none *= 1 - chance
    return 1 - none
