"""Which of several things, or of all in a table, has most of something: the amount of each is read, and compared.

Whether one is more than a bound, or before a date, and which of several things a stretch of text means.
"""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from types import MappingProxyType
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.dates import DATE, parse_date
from polyhop.english.degrees import DIMENSIONS, Degree
from polyhop.english.numbers import Amount, amount_in, number_in
from polyhop.english.words import FUNCTION_WORDS, names_person
from polyhop.indexes.folding import family, pieces
from polyhop.models.choice import Models
from polyhop.reading.pointing import point_together
from polyhop.reading.reader import Quote, Reading, hop_read, text_of
from polyhop.reading.rows import Row, RowTable, price_within, row_at, tables_in, word_families
from polyhop.reading.steps import Candidate, StepReading, counted_in, dated, read_step
from polyhop.reading.subjects import siblings_named
from polyhop.types import AnswerKind, Passage

WORDS: Final = 220  # of what is said of each option, that are read
WAYS: Final = 300  # to take one amount of each option, about as many of which are compared: the likeliest
ROWS: Final = 40  # of a table, each of which is asked for its amount
_DATE_BOUND: Final = re.compile(rf"\s+(before|after)\s+(?:the year\s+)?({DATE.pattern})\s*\?*\s*$", re.IGNORECASE)
_BOUNDS: Final[Mapping[str, Callable[[float, float], bool]]] = MappingProxyType(
    {
        **dict.fromkeys(("more than", "over"), operator.gt),
        **dict.fromkeys(("less than", "fewer than", "under"), operator.lt),
        "at least": operator.ge,
        "at most": operator.le,
    }
)
_AMOUNT_BOUND: Final = re.compile(rf"\s+({'|'.join(_BOUNDS)})\s+(\S+)\s+(\w+)\s*\?*\s*$", re.IGNORECASE)
NAMED: Final = 0.6  # of an option's own words, from which a sentence speaks of it
_ORDINAL: Final = re.compile(r"(\d)(?:st|nd|rd|th)$")
SHARED: Final = 0.25  # the least chance of a column, a mean of its cells'
CALLED: Final = 0.7  # of the one column that is called as what is asked
_ANYTHING: Final = word_families("item thing entry article")  # what the things of any table may be called
TIED: Final = 2  # rows that may have the most together; where more have, nothing sets them apart


@dataclass(frozen=True, slots=True)
class _Measured:
    """An amount that was pointed at, and the column that it stands in; none in a sentence."""

    amount: Amount
    said: str
    chance: float
    quote: Quote
    start: int
    column: str

    def compares(self, other: _Measured) -> bool:
        """Whether two amounts measure the same, each of something else."""
        apart = (self.quote.passage.id, self.start) != (other.quote.passage.id, other.start)
        return apart and self.column == other.column and self.amount.kind == other.amount.kind


def measured_choice(
    options: Sequence[str], degree: Degree, passages: Sequence[Passage], models: Models
) -> Reading | None:
    """The option with the most, or the least; None where the amounts are not all told, or several are that."""
    likeliest = max(1, int(WAYS ** (1 / len(options))))
    found = [
        sorted(_measures(degree.asked.format(option), quotes, models), key=lambda one: -one.chance)[:likeliest]
        for option, quotes in zip(options, _told_of(options, passages), strict=True)
    ]
    ways = [way for way in product(*found) if all(one.compares(other) for one, other in combinations(way, 2))]
    asked = _columns_asked_for(degree)
    called = {way[0].column for way in ways if asked & word_families(way[0].column)}
    sure = CALLED if len(called) == 1 else 0.0
    if sure:
        ways = [way for way in ways if way[0].column in called]
    if not ways:
        return None
    way = max(ways, key=lambda way: math.prod(one.chance for one in way))
    values = [one.amount.value for one in way]
    best = max(values) if degree.more else min(values)
    if values.count(best) > 1:
        return None
    return Reading(
        text=options[values.index(best)],
        kind=AnswerKind.CHOICE,
        quotes=tuple(dict.fromkeys(one.quote for one in way)),
        confidence=max(_borne_out(way, ways, values.index(best), more=degree.more), sure),
        note=f"{degree.asked.format('it')} {' against '.join(f'{value:g}' for value in values)}",
        hops=tuple(
            hop_read(degree.asked.format(option), one.said, one.quote, step=at, chance=one.chance)
            for at, (option, one) in enumerate(zip(options, way, strict=True))
        ),
    )


def _borne_out(way: Sequence[_Measured], ways: Sequence[Sequence[_Measured]], chosen: int, *, more: bool) -> float:
    """How sure the chosen option is: as sure as its amounts, and those of each other column that says the same.

    A list of prices has one for members and one for others: which of them is meant does not matter where they agree.
    """
    agreeing: dict[str, float] = {}
    for one in (way, *ways):
        values = [each.amount.value for each in one]
        best = max(values) if more else min(values)
        if one is way or (one[0].column and values[chosen] == best and values.count(best) == 1):
            chance = math.prod(each.chance for each in one) ** (1 / len(one))
            agreeing[one[0].column] = max(chance, agreeing.get(one[0].column, 0.0))
    return min(1.0, sum(agreeing.values())) if way[0].column else agreeing[""]


def measured_of_all(question: str, degree: Degree, passages: Sequence[Passage], models: Models) -> Reading | None:
    """The most or the least of what the question does not name: rows or columns of a table, or sibling documents."""
    row = measured_row(degree, passages, models) if degree.most else None
    options = siblings_named(question, degree.noun, passages)
    sibling = measured_choice(options, degree, passages, models) if options else None
    price = price_within(question, degree, passages)
    within = price and Reading(text=price[0], quotes=(price[1],), confidence=CALLED, note="of the prices in a row")
    told = [one for one in (row, sibling, within) if one is not None]
    return max(told, key=lambda one: one.confidence, default=None)


def measured_row(degree: Degree, passages: Sequence[Passage], models: Models) -> Reading | None:
    """The row of a table with the most, or the least, and those few that have as much; None where no table tells.

    Rows that are documents of their own are no table: what others there are is not known.
    """
    asked = word_families(degree.noun) - _ANYTHING
    tables = [table.without_sums for table in tables_in(passages) if table.is_whole]
    for table in sorted(tables, key=lambda table: -_shared(asked, table)):
        if asked and not _shared(asked, table):
            return None
        rows = table.speaking_of(asked)[:ROWS]
        column, chance = _column(degree, table, rows, models)
        if chance < SHARED:
            continue
        cells = [(cell, row) for row in rows if (cell := row.under(column)) is not None]
        amounts = [(amount_in(row.quote.passage.text, cell.start, cell.end), row) for cell, row in cells]
        told = [(amount.value, row) for amount, row in amounts if amount is not None]
        if not told:
            continue
        best = (max if degree.more else min)(value for value, _ in told)
        rows_with = [row for value, row in told if value == best]
        if len(rows_with) > TIED:
            return None
        items = tuple((_naming(degree, table, row, column), row.quote) for row in rows_with)
        return Reading(
            text="; ".join(said for said, _ in items),
            kind=AnswerKind.VALUE if len(items) == 1 else AnswerKind.LIST,
            items=items if len(items) > 1 else (),
            quotes=tuple(quote for _, quote in items),
            confidence=chance,
            note=f"of {len(told)} rows by {column}",
        )
    return None


# -- what is said of each option


def _told_of(options: Sequence[str], passages: Sequence[Passage]) -> list[list[Quote]]:
    """The sentences with a number that name an option, or follow one that does before the other is named."""
    told: list[list[Quote]] = [[] for _ in options]
    room = [WORDS for _ in options]
    for passage in passages:
        titled = _named(options, passage.title)
        spoken_of = titled
        for start, end in sentence_spans(passage.text):
            quote = Quote(passage, start, end)
            named = _named(options, text_of(quote))
            if not named and row_at(quote) is not None:
                continue  # it speaks of something else
            if named or any(start < stop and begin < end for begin, stop in passage.headings):
                spoken_of = named or titled
            size = len(text_of(quote).split())
            measures = amount_in(passage.text, start, end) is not None
            for at in spoken_of:
                if size <= room[at] and (measures or at in named):
                    told[at].append(quote)
                    room[at] -= size
    return told


def _named(options: Sequence[str], text: str) -> frozenset[int]:
    """Which options a text names: by the words that they do not share, in order or most of them."""
    said = pieces(text)
    words = [[word for word in pieces(option) if word not in FUNCTION_WORDS] for option in options]
    found = set()
    for at, own in enumerate(words):
        others = {word for other, theirs in enumerate(words) if other != at for word in theirs}
        apart = {family(word) for word in own if word not in others}
        known = {family(word) for word in said}
        in_order = any(said[begin : begin + len(own)] == own for begin in range(len(said) - len(own) + 1))
        shares_name = any(word[:1].isupper() and not others.isdisjoint(pieces(word)) for word in options[at].split())
        telling = len(apart) > 1 or (apart and len(own) > 1 and not shares_name)  # "a kilo of oats", "a kilo of rye"
        if own and (in_order or (telling and len(apart & known) >= NAMED * len(apart))):
            found.add(at)
    return frozenset(found)


def _measures(question: str, quotes: Sequence[Quote], models: Models) -> Iterator[_Measured]:
    """The amounts that the span model points at, asked of these sentences alone."""
    for one in point_together(question, quotes, models).answers:
        amount = None if one.quote is None else amount_in(one.quote.passage.text, one.start, one.end)
        if one.quote is not None and amount is not None:
            row = row_at(one.quote)
            cell = row.at(one.start) if row is not None else None
            yield _Measured(amount, one.text, one.chance, one.quote, one.start, cell.name if cell else "")


# -- tables


def _column(degree: Degree, table: RowTable, rows: Sequence[Row], models: Models) -> tuple[str, float]:
    """The column with the amounts, by what the span model points at when it is asked of each row, and its chance."""
    votes: Counter[str] = Counter()
    for row in rows:
        likeliest: dict[str, float] = {}
        for one in _measures(degree.asked.format(table.naming(row, frozenset()).said), [row.quote], models):
            likeliest[one.column] = max(one.chance, likeliest.get(one.column, 0.0))
        votes.update(likeliest)
    column = max(votes, key=lambda name: votes[name], default="")
    chance = votes[column] / len(rows)
    called = _called(degree, table, rows) if chance < SHARED else ""
    return (called, CALLED) if called else (column, chance)


def _naming(degree: Degree, table: RowTable, row: Row, measured: str) -> str:
    """What names a row, as the question calls the things."""
    persons = names_person(degree.noun)
    return table.naming(row, word_families(degree.noun), measured=measured, persons=persons).said


def _called(degree: Degree, table: RowTable, rows: Sequence[Row]) -> str:
    """The one column of amounts whose name has a word of what is asked of each thing; nothing where several do."""
    asked = _columns_asked_for(degree)
    cells = {name: [cell for row in rows if (cell := row.under(name)) is not None] for name in table.columns}
    called = [
        name
        for name, ours in cells.items()
        if asked & word_families(name) and all(number_in(cell.said) is not None for cell in ours)
    ]
    return called[0] if len(called) == 1 else ""


def _columns_asked_for(degree: Degree) -> frozenset[str]:
    """Words by which the column is called that tells what is asked: of "how expensive", the price."""
    asked = word_families(degree.asked.format("")) - word_families(degree.noun.split(" ")[0])
    return asked | word_families(" ".join(DIMENSIONS.get(word, "") for word in degree.asked.split()))


def _shared(asked: frozenset[str], table: RowTable) -> int:
    """How many words of a question a table's heading, columns or cells have."""
    said = " ".join([table.heading, *table.columns, *(cell.said for row in table.rows for cell in row.cells)])
    return len(asked & word_families(said))


def meant_of(text: str, options: Sequence[str]) -> str:
    """Which of the options a stretch is, or is part of, or speaks of; none where it may be several.

    The noun of all may stand behind the last one only: "soft limit" is the first of "the soft" and "the hard limit".
    """
    said, words = set(_content(text)), [_content(option) for option in options]
    if said in map(set, words):
        return options[[set(ours) for ours in words].index(said)]
    for option, ours in zip(options, words, strict=True):
        others = [theirs for theirs in words if theirs is not ours]
        nouns = {theirs[-1] for theirs in others if ours and len(ours) < len(theirs) and said >= set(ours)}
        if _means(said, set(ours), set().union(*others) - nouns):
            return option
    return ""


def _means(said: set[str], ours: set[str], theirs: set[str]) -> bool:
    own = said & (ours - theirs)
    return bool(own) and not said & (theirs - ours) and (said <= ours or len(own) >= NAMED * len(ours - theirs))


def _content(text: str) -> list[str]:
    """The words of a text that mean something; "28th" is 28."""
    return [_ORDINAL.sub(r"\1", word) for word in pieces(text) if word not in FUNCTION_WORDS]


def settled_by_bound(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """Whether something was before or after a date, or is more or less than an amount, by what it was or is.

    None where the question names no such bound, or where no date, or no amount of the same, is told.
    """
    date, amount = _DATE_BOUND.search(question), _AMOUNT_BOUND.search(question)
    if date is not None:
        return _settled_by_date(question, date, passages, models)
    return _settled_by_amount(question, amount, passages, models) if amount is not None else None


def _settled_by_date(
    question: str, bound: re.Match[str], passages: Sequence[Passage], models: Models
) -> Reading | None:
    asked = f"When {_lowered(question[: bound.start()])}?"
    told, limit = dated(read_step(asked, passages, models).candidates), parse_date(bound[2])
    if told is None or limit is None:
        return None
    size = min(sum(map(bool, day)) for day in (told[0], limit))  # both have a year, some a month and a day
    if told[0][:size] == limit[:size]:
        return None
    holds = (told[0][:size] < limit[:size]) == (bound[1].lower() == "before")
    return _verdict(holds, told[1], asked)


def _settled_by_amount(
    question: str, bound: re.Match[str], passages: Sequence[Passage], models: Models
) -> Reading | None:
    asked = f"How many {bound[3]} {_lowered(question[: bound.start()])}?"
    limit = number_in(bound[2])
    told = counted_in(read_step(asked, passages, models)) if limit is not None else None
    if told is None or limit is None or not word_families(bound[3]) <= word_families(text_of(told[1].quote)):
        return None
    return _verdict(_BOUNDS[bound[1].lower()](told[0], limit), told[1], asked)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _verdict(holds: bool, told: Candidate, asked: str) -> Reading:
    return Reading(
        text="yes" if holds else "no",
        kind=AnswerKind.VERDICT,
        quotes=(told.quote,),
        confidence=told.chance,
        note=f"{asked} {told.text}",
    )


_AmountRead = tuple[Amount, Candidate]


def alike_amounts(readings: Sequence[StepReading]) -> tuple[_AmountRead, ...] | None:
    """The likeliest amounts of things that measure the same, with what they were read in; None without such.

    Of a bare number, the unit of the others is taken to be its own.
    """
    likeliest = max(1, int(WAYS ** (1 / max(len(readings), 1))))
    found = [list(islice(_amounts(reading), likeliest)) for reading in readings]
    ways = [way for way in product(*found) if len({amount.kind for amount, _ in way if amount.kind}) < 2]
    return max(ways, key=lambda way: math.prod(one.chance for _, one in way), default=None)


def _amounts(reading: StepReading) -> Iterator[_AmountRead]:
    """What was read as an amount, likeliest first."""
    for candidate in reading.candidates:
        amount = amount_in(candidate.text, 0, len(candidate.text))
        if amount is not None:
            yield amount, candidate
