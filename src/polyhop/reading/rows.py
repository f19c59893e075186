"""Rows of tables as passages write them: each value behind the name of its column (``documents/tables.py``)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import asked_for
from polyhop.english.dates import MONTH, WEEKDAY
from polyhop.english.degrees import DIMENSIONS, Degree
from polyhop.english.numbers import amount_in, number_in
from polyhop.english.words import FUNCTION_WORDS
from polyhop.indexes.folding import family, pieces, tokens
from polyhop.reading.reader import Quote, headings_over
from polyhop.types import Passage

_NAME: Final = r"(?:[^\n:;]|:(?=\S)){1,60}"  # of a column, which may have a time in it: "Early shift (02:00)"
_CELL: Final = re.compile(rf"(?:^|; |\n)(?P<name>{_NAME}): (?P<said>[^\n;]*(?:; (?!{_NAME}: )[^\n;]*)*)")
_UNIT: Final = re.compile(r"\s*\([^()]*\)")  # or what else is said of a column behind its name: "Fee (EUR)"
_HOW_MANY: Final = re.compile(r"\s*how (?:many (?P<what>\S+(?: \S+)?)|often\b)", re.IGNORECASE)
_BOUNDS: Final = re.compile(
    r"\b(?:more|most|less|least|fewer|than|over|under|above|below|before|after|since|until|between|or|not|never|no|without"
    r"|except|only|both|altogether|total|in all)\b|n['’]t\b",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(r"(?:none|nil|nobody|nothing|unknown|n/?a|(?:no|not) [^\W\d].*)\.?", re.IGNORECASE)
_CUT: Final = 250  # words of a passage that may go on where it ends with a row
_FEWEST: Final = 2  # cells of a row, and rows of a table
_SUMS: Final = frozenset({"total", "totals", "subtotal", "subtotals", "sum", "overall"})
_MEANS: Final = frozenset({"average", "averages", "mean"})
_NUMBERING: Final = frozenset({"no", "nr", "number", "id", "code", "ref", "sku"})  # columns that only count rows
_NEARLY: Final = 0.8  # of a table's rows, that have names of their own in the column that names them
_CODE: Final = re.compile(r"\S*\d\S*")
_OF_DAYS: Final = re.compile(rf"{MONTH}|{WEEKDAY}", re.IGNORECASE)
_WITHIN: Final = 0.01  # of a value, by which rounding may set it apart from a sum or a mean
_PRICES: Final = f"{DIMENSIONS['expensive']} expensive bid offer rent"
_PARTS: Final = "net gross tax vat total sum amount value paid deposit balance discount"  # of a price
_EMPTY: Final = frozenset(tokens(" ".join(FUNCTION_WORDS), stem="s"))  # without their s, too: "this" is "thi"


@dataclass(frozen=True, slots=True)
class RowCell:
    """A value and the name of its column; where it stands in its passage's text."""

    name: str
    said: str
    start: int
    end: int

    @property
    def called(self) -> str:
        """What a question calls its column: the name without what stands in brackets."""
        return called(self.name)


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its values in their order."""

    quote: Quote
    cells: tuple[RowCell, ...]

    def under(self, name: str) -> RowCell | None:
        """The value of a column; None where it is empty."""
        return next((cell for cell in self.cells if cell.name == name), None)

    def at(self, place: int) -> RowCell | None:
        """The value that a place in the passage's text is in."""
        return next((cell for cell in self.cells if cell.start <= place < cell.end), None)

    def is_called(self, names: frozenset[str]) -> bool:
        """Whether what stands first in it begins or ends with one of the names: "Grand total", "Average per day"."""
        said = (pieces(cell.said) for cell in self.cells[:_FEWEST])
        return any(not names.isdisjoint([*words[:1], *words[-1:]]) for words in said)


@dataclass(frozen=True, slots=True)
class RowTable:
    """Rows with the same first column, below one heading."""

    heading: str
    rows: tuple[Row, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of columns, each once."""
        return tuple(dict.fromkeys(cell.name for row in self.rows for cell in row.cells))

    @property
    def is_whole(self) -> bool:
        """Whether all of its rows stand in one document."""
        return len({row.quote.passage.document_id for row in self.rows}) == 1

    def speaking_of(self, asked: frozenset[str]) -> Sequence[Row]:
        """The rows with the words that are asked about, but for those that the whole table is of, or no row has."""
        rows: Sequence[Row] = self.rows
        for word in asked - word_families(" ".join([self.heading, *self.columns])):
            having = [row for row in rows if word in word_families(" ".join(cell.said for cell in row.cells))]
            rows = having or rows
        return rows

    def naming(self, row: Row, asked: frozenset[str], *, measured: str = "", persons: bool = False) -> RowCell:
        """The value that names a row: under what a question calls the things, but not under what it measures.

        Persons go by names rather than by numbers. Where no column is called as the things are, the first one names
        rows that has a name in each, and another one in nearly each; and else the first.
        """
        columns = [name for name in self.columns if name != measured]
        telling = [name for name in columns if self._names(name, whole=persons)]
        apart = [name for name in telling if len(set(self._names(name))) >= _NEARLY * len(self.rows)]
        called = [name for name in columns if asked & word_families(name)]
        both = [name for name in called if name in telling]
        titled = [name for name in apart if "name" in pieces(name)]
        order = (*both, *titled, *apart, *called) if persons else (*both, *called, *apart)
        return next((cell for name in order if (cell := row.under(name)) is not None), row.cells[0])

    def _names(self, column: str, *, whole: bool = False) -> list[str]:
        """The names in a column, where most values are; ``whole``: of words, and not codes such as "M-2"."""
        said = [cell.said for row in self.rows if (cell := row.under(column)) is not None]
        names = [text for text in said if _is_name(text) and not (whole and _CODE.fullmatch(text))]
        is_number = not _NUMBERING.isdisjoint(pieces(called(column)))
        return [] if is_number or len(names) < _NEARLY * len(said) else names

    @property
    def without_sums(self) -> RowTable:
        """The table of its things: without rows that sum the others up, which are none.

        Such a row is called so, and has fewer values than any other, or as much as those above it. A thing that only
        has the name, as the filling station Total, stays.
        """
        things = [row for row in self.rows if not row.is_called(_SUMS | _MEANS)]
        if not things:
            return self
        kept: list[Row] = []
        above: list[Row] = []  # since the last row that sums up
        for row in self.rows:
            if row.is_called(_SUMS | _MEANS) and _sums_up(row, above or things, things):
                above = []
            else:
                kept.append(row)
                above.append(row)
        return replace(self, rows=tuple(kept))


def tables_in(passages: Sequence[Passage]) -> list[RowTable]:
    """The tables of which passages have at least two rows; rows that stand in several passages count once."""
    tables: dict[tuple[str, str], dict[str, Row]] = {}
    for passage in passages:
        for row in _rows(passage):
            heading = "".join(headings_over(row.quote)[-1:])  # the same in each passage that has rows of a table
            said = passage.text[row.quote.start : row.quote.end]
            tables.setdefault((heading, row.cells[0].name), {}).setdefault(said, row)
    return [RowTable(heading, tuple(rows.values())) for (heading, _), rows in tables.items() if len(rows) >= _FEWEST]


def _sums_up(row: Row, above: Sequence[Row], things: Sequence[Row]) -> bool:
    """Whether a row that is called so sums up those above it, or has fewer values than any of the table's things."""
    if all(len(row.cells) < len(one.cells) for one in things):
        return True
    is_mean = row.is_called(_MEANS)
    for cell in row.cells:
        value, others = number_in(cell.said), [one.under(cell.name) for one in above]
        told = [number for other in others if other is not None and (number := number_in(other.said)) is not None]
        if value is not None and len(told) > 1:
            exact = math.isclose(value, fmean(told), rel_tol=_WITHIN)
            if exact if is_mean else value >= math.fsum(told) * (1 - _WITHIN):  # what is not read adds to a sum
                return True
    return False


def _is_name(text: str) -> bool:
    """Whether a value may be a name: it has words, and is no day and no amount, as "7.5 kg"."""
    words = [word for word in pieces(text) if word.isalpha() and _OF_DAYS.fullmatch(word) is None]
    return bool(words) and (len(words) > 1 or not text[0].isdigit())


def _rows(passage: Passage) -> Iterator[Row]:
    for start, end in sentence_spans(passage.text):
        row = row_at(Quote(passage, start, end))
        if row is not None:
            yield row


def word_families(text: str) -> frozenset[str]:
    """The words of a text that mean something, by their families."""
    return frozenset(family(word) for word in tokens(text, stem="s") if word not in _EMPTY)


def called(column: str) -> str:
    """The name of a column without its unit, or what else stands in brackets; all of it, where nothing else does."""
    return _UNIT.sub("", column) or column


def row_at(quote: Quote) -> Row | None:
    """The row that a sentence is; None where it is none."""
    text = quote.passage.text[quote.start : quote.end]
    found = [
        RowCell(
            match["name"].strip(),
            _without_marks(match["said"].strip()),
            quote.start + match.start("said"),
            quote.start + match.end(),
        )
        for match in _CELL.finditer(text)
    ]
    begins = bool(found) and text.startswith(found[0].name)
    return Row(quote, tuple(found)) if len(found) >= _FEWEST and begins else None


def _without_marks(said: str) -> str:
    """A value without the marks of code around it, where it is one name of code."""
    name = said.strip("`")
    return name if name and "`" not in name else said


def cell_asked_for(question: str, passages: Sequence[Passage]) -> tuple[str, Quote] | None:
    """The value of the one cell whose column and row a question names, and the row that says it.

    "What is the fee of the Cutter?" names both, "What was the fee of the Cutter in 1841?" a row by two of its values.
    Only where the question says nothing else that means something: what is asked of a day, or with a condition, is not
    what the cell tells. A cell with "none" or "no tender" does, whatever else is said: there is no value.
    """
    found = {cell.said: quote for cell, quote in _cells(question, passages)}
    return next(iter(found.items())) if len(found) == 1 else None


def _cells(question: str, passages: Sequence[Passage]) -> Iterator[tuple[RowCell, Quote]]:
    said, asked = pieces(question), word_families(question)
    for table in tables_in(passages):
        named = [name for name in table.columns if stands_in(pieces(called(name)), said)]
        told = [{cell: words for cell in row.cells if (words := words_for(cell, said))} for row in table.rows]
        likest = row_named(question, table)
        for row, ours in zip(table.rows, told, strict=True):
            open_cells = [cell for cell in map(row.under, named) if cell is not None and cell not in ours]
            for cell in open_cells:
                rest = asked - word_families(cell.called)
                denied = len(open_cells) == 1 and likest is row and _NOTHING.fullmatch(cell.said)
                if ours and (word_families(" ".join(ours.values())) == rest or denied):
                    yield cell, row.quote


def row_named(question: str, table: RowTable) -> Row | None:
    """The row that has most of the values which a question names; None where it names none, or several have as many."""
    said = pieces(question)
    told = [sum(bool(words_for(cell, said)) for cell in row.cells) for row in table.rows]
    most = max(told, default=0)
    return table.rows[told.index(most)] if most and told.count(most) == 1 else None


def words_for(cell: RowCell, said: Sequence[str]) -> str:
    """The words by which a question names a value; a single digit or letter only behind its column's name: "lot 2"."""
    value = pieces(cell.said)
    ways = ([*pieces(cell.called), *value], value if len(cell.said) > 1 else [])
    return " ".join(next((words for words in ways if value and stands_in(words, said)), ()))


def price_within(question: str, degree: Degree, passages: Sequence[Passage]) -> tuple[str, Quote] | None:
    """The column with the highest or lowest price in the row that a question names; that price, where it is asked for.

    "Which firm offers the lowest price for lot 1?" of a table with a column for each firm. None where several have as
    much, and of columns such as "Net" and "Gross", which are no things.
    """
    priced = word_families(_PRICES)
    for table in tables_in(passages) if priced & word_families(f"{question} {degree.asked}") else ():
        row = row_named(question, table)
        prices = [] if row is None else list(_prices(question, row))
        best = (max if degree.more else min)((value for value, _ in prices), default=0.0)
        cells = [cell for value, cell in prices if value == best]
        measures = any(word_families(cell.name) & word_families(f"{_PRICES} {_PARTS}") for _, cell in prices)
        if row is not None and len(prices) >= _FEWEST and len(cells) == 1 and not measures:
            return cells[0].said if word_families(asked_for(question)) <= priced else cells[0].called, row.quote
    return None


def _prices(question: str, row: Row) -> Iterator[tuple[float, RowCell]]:
    """The sums of money in a row, but for those that the question names the row by."""
    for cell in row.cells:
        amount = amount_in(row.quote.passage.text, cell.start, cell.end)
        if amount is not None and amount.kind == "money" and not words_for(cell, pieces(question)):
            yield amount.value, cell


def cell_of_row(question: str, quote: Quote) -> tuple[str, Quote] | None:
    """What a question asks of a row, where a row answers: the value under the one column that it names.

    "Who steered the ferry on 9 June?" names a value, and a column "Ferry". Of "Which watch did Ada Brisk have on 9
    June?" the column of a value that it names is the answer. The row is that of the table which has most of the values
    that are named; None where several have as many.
    """
    said, asked = pieces(question), word_families(question)
    told = [
        (row, [cell for cell in row.cells if _is_told(cell, said)])
        for table in tables_in([quote.passage])
        if any(row.quote == quote for row in table.rows)
        for row in table.rows
    ]
    most = max((len(cells) for _, cells in told), default=0)
    likest = [(row, cells) for row, cells in told if len(cells) == most]
    if not most or len(likest) > 1:
        return None
    row, named = likest[0]
    columns = [cell for cell in row.cells if cell not in named and frozenset() < word_families(cell.called) <= asked]
    if len(columns) == 1:
        return columns[0].said, row.quote
    kind = word_families(asked_for(question))
    over = [cell.called for cell in named if kind and kind < word_families(cell.called)]
    return (over[0], row.quote) if len(over) == 1 and not columns else None


def _is_told(cell: RowCell, said: Sequence[str]) -> bool:
    """Whether a question names a value; a single digit or letter may be anything."""
    return len(cell.said) > 1 and stands_in(pieces(cell.said), said)


def rows_counted(question: str, passages: Sequence[Passage]) -> tuple[Row, ...]:
    """The rows that a question for how many there are counts: those with the values that it names.

    "How many courses are on Thursday?" names a column and a value, "How many times did the Eelers win the ferry cup?"
    a value and what the table is called. None where it sets bounds, for which values would have to be compared, and
    of tables that may go on in another passage.
    """
    asked = _HOW_MANY.match(question)
    if asked is None or _BOUNDS.search(question) is not None:
        return ()
    counted = [_with_named(question, asked["what"] or "times", table) for table in tables_in(passages)]
    found = [rows for rows in counted if rows]
    return found[0] if len(found) == 1 else ()


def _with_named(question: str, what: str, table: RowTable) -> tuple[Row, ...]:
    said, things = pieces(question), word_families(what)
    passage, first, last = table.rows[0].quote.passage, table.rows[0].quote, table.rows[-1].quote
    begins = passage.start == 0 or passage.text[: first.start].strip()
    ends = passage.text[last.end :].strip() or len(passage.text.split()) < _CUT
    if last.passage != passage or not begins or not ends:
        return ()
    if "times" in pieces(what):
        names = [word_families(name) for name in (passage.title, table.heading)]
        called = any(name and name <= word_families(question) for name in names)
    else:
        columns = [name for name in table.columns if word_families(name) and word_families(name) <= things]
        cells = [cell for name in columns for row in table.rows if (cell := row.under(name)) is not None]
        called = bool(cells) and not any(cell.said[:1].isdigit() for cell in cells)  # of a number a cell tells it
    named = {
        (cell.name, item)
        for row in table.rows
        for cell in row.cells
        for item in _items(cell)
        if word_families(" ".join(item)) and stands_in(list(item), said)
    }
    if not called or not named:
        return ()
    rows = table.without_sums.rows
    return tuple(row for row in rows if named <= {(cell.name, item) for cell in row.cells for item in _items(cell)})


def _items(cell: RowCell) -> list[tuple[str, ...]]:
    """The values of a cell, which may be several."""
    return [tuple(pieces(item)) for item in cell.said.split(", ")]


def stands_in(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a question has all of some words, one behind the other."""
    return bool(words) and any(said[at : at + len(words)] == words for at in range(len(said)))
