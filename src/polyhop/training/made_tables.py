"""Rows about tables that are made up: texts of encyclopaedias have hardly any, and offices are full of them.

A table has some things as rows and what is told of them as columns (``columns.toml``), and is written in one of the
ways in which loaders write tables. A question asks for one cell, for the thing that has a value, for the more or the
most of something, whether something is so, or for what the table does not tell. Names are put together from syllables;
nothing is taken from anywhere.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final

from polyhop.training.made_names import NAMERS, code, firm, one_of, person, words
from polyhop.training.rows import Kind, ReadingRow

SOURCE: Final = "tables"
LICENCE: Final = "CC0-1.0"
TURNED: Final = 0.3  # of the tables, whose columns are the things
UNTOLD: Final = 0.2  # of the questions, that a table does not answer
COMPARED: Final = 0.2  # of the questions, that ask for the more or the most of something, where there is such a column
VERDICTS: Final = 0.2  # of the questions, that ask for a yes or a no
REVERSED: Final = 0.12  # of the questions, that ask for the thing that has a value; all others ask for a cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a table may tell of its things, as ``columns.toml`` has it."""

    of: tuple[str, ...]
    names: tuple[str, ...]
    asks: tuple[str, ...]
    numbers: tuple[float, float, int] | None = None  # low, high, decimals
    before: tuple[str, ...] = ("",)
    after: tuple[str, ...] = ("",)
    words: tuple[str, ...] = ()
    codes: bool = False
    firms: bool = False
    people: bool = False
    dates: bool = False
    times: bool = False
    more: str = ""
    most: str = ""
    less: str = ""
    least: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    """A column of one table: its name there, and for each thing a cell, with a number where it can be compared."""

    column: Column
    name: str
    cells: Sequence[str]
    numbers: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Table:
    kind: str
    name: str  # of the column of names
    things: Sequence[str]
    told: Sequence[_Told]


@cache
def columns() -> tuple[Column, ...]:
    """All columns that tables may have."""
    read: dict[str, Any] = tomllib.loads((files(__package__) / "columns.toml").read_text(encoding="utf-8"))
    told: list[dict[str, Any]] = [
        {name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}
        for one in read["column"]
    ]
    return tuple(Column(**one) for one in told)


def made_tables(count: int, *, seed: int) -> Iterator[ReadingRow]:
    """So many rows, each with a table of its own; the same count and seed give the same rows."""
    rng = random.Random(seed)  # noqa: S311
    made = 0
    while made < count:
        row = _row(_table(rng), rng)
        if row is not None:
            made += 1
            yield row


def _table(rng: random.Random) -> _Table:
    kind = rng.choice(list(words()["kinds"]))
    fitting = [one for one in columns() if kind in one.of]
    things = list(dict.fromkeys(NAMERS[kind](rng) for _ in range(rng.randint(2, 7))))
    told = [_told(one, len(things), rng) for one in rng.sample(fitting, min(len(fitting), rng.randint(2, 6)))]
    return _Table(kind, rng.choice(words()["kinds"][kind]), things, told)


def _told(column: Column, count: int, rng: random.Random) -> _Told:
    before, after = rng.choice(column.before), rng.choice(column.after)
    numbers: list[float] = []
    cells: list[str] = []
    for _ in range(count):
        if column.numbers is not None:
            low, high, decimals = column.numbers
            # Small numbers are as frequent as large ones, as prices and sizes are.
            drawn = low + (high - low) * rng.random() ** 2
            numbers.append(round(drawn, int(decimals)))
            cells.append(f"{before}{numbers[-1]:,.{int(decimals)}f}{after}")
        else:
            cells.append(_words_of(column, rng))
    return _Told(column, rng.choice(column.names), cells, numbers)


def _words_of(column: Column, rng: random.Random) -> str:
    if column.people:
        return person(rng)
    if column.firms:
        return firm(rng)
    if column.codes:
        return code(rng)
    if column.dates:
        day = date(2015, 1, 1) + timedelta(days=rng.randrange(5000))
        return rng.choice([f"{day:%d/%m/%Y}", f"{day.day} {day:%B %Y}", f"{day:%Y-%m-%d}", f"{day:%B %Y}"])
    if column.times:
        first = rng.randint(6, 12)
        return f"{first}:{rng.choice(['00', '15', '30'])} to {rng.randint(first + 1, 22)}:00"
    return rng.choice(column.words)


# -- questions


def _row(table: _Table, rng: random.Random) -> ReadingRow | None:
    """A question about a table, with the cell that answers it; None where several cells would."""
    if rng.random() < VERDICTS:
        return _verdict(table, rng)
    way = rng.random()
    asked = _untold(table, rng) if way < UNTOLD else _compared(table, rng) if way < UNTOLD + COMPARED else None
    asked = asked or (_reversed(table, rng) if way > 1 - REVERSED else _cell(table, rng))
    if asked is None:
        return None
    question, answer = asked
    text, places = _written(table, rng)
    kind: Kind = "none" if answer is None else "span"
    start = -1 if answer is None else places[answer]
    found = () if answer is None else ((_text(table, answer), start),)
    return ReadingRow(
        source=SOURCE, licence=LICENCE, question=_worded(question, rng), context=text, answers=found, kind=kind
    )


_Cell = tuple[int, int]  # thing and column; column -1: the thing's name
_Asked = tuple[str, _Cell | None]


def _text(table: _Table, cell: _Cell) -> str:
    thing, column = cell
    return table.things[thing] if column < 0 else table.told[column].cells[thing]


def _cell(table: _Table, rng: random.Random) -> _Asked:
    thing, column = rng.randrange(len(table.things)), rng.randrange(len(table.told))
    return rng.choice(table.told[column].column.asks).format(it=_the(table, thing)), (thing, column)


def _untold(table: _Table, rng: random.Random) -> _Asked | None:
    """A thing that the table does not have, or something that it does not tell."""
    if rng.random() < 0.5:
        other = NAMERS[table.kind](rng)
        if other in table.things:
            return None
        return rng.choice(rng.choice(table.told).column.asks).format(it=other), None
    names = {one.column.names for one in table.told}
    others = [one for one in columns() if table.kind in one.of and one.names not in names]
    if not others:
        return None
    return rng.choice(rng.choice(others).asks).format(it=_the(table, rng.randrange(len(table.things)))), None


def _compared(table: _Table, rng: random.Random) -> _Asked | None:
    comparable = [(at, one) for at, one in enumerate(table.told) if one.column.more]
    if not comparable:
        return None
    _, told = rng.choice(comparable)
    up = rng.random() < 0.6
    column = told.column
    if rng.random() < 0.6 and len(table.things) > 1:
        first, second = rng.sample(range(len(table.things)), 2)
        if told.numbers[first] == told.numbers[second]:
            return None
        better = first if (told.numbers[first] > told.numbers[second]) == up else second
        pair = f"{_the(table, first)} or {_the(table, second)}"
        asks = ("Which is {more}, {pair}?", "Which of the two is {more}: {pair}?", "What is {more}, {pair}?")
        return rng.choice(asks).format(more=column.more if up else column.less, pair=pair), (better, -1)
    extreme = max(told.numbers) if up else min(told.numbers)
    if told.numbers.count(extreme) > 1:
        return None
    asks = ("Which {kind} is the {most}?", "What is the {most} {kind}?", "Which is the {most} {kind} in the list?")
    said = rng.choice(asks).format(kind=table.kind, most=column.most if up else column.least)
    return said, (told.numbers.index(extreme), -1)


def _reversed(table: _Table, rng: random.Random) -> _Asked | None:
    column = rng.randrange(len(table.told))
    told = table.told[column]
    thing = rng.randrange(len(table.things))
    if told.cells.count(told.cells[thing]) > 1:
        return None
    asks = (
        "Which {kind} has {value} as {name}?",
        "For which {kind} is the {name} {value}?",
        "{name} {value}: which {kind}?",
    )
    said = rng.choice(asks).format(kind=table.kind, value=told.cells[thing], name=told.name.lower())
    return said, (thing, -1)


# -- questions for a yes or a no


def _verdict(table: _Table, rng: random.Random) -> ReadingRow | None:
    """A question whether something is so, with the cells that tell; None where the table leaves it open."""
    way = rng.random()
    asked = _is_more(table, rng) if way < 0.4 else _is_beyond(table, rng) if way < 0.7 else None
    asked = asked or _is_value(table, rng)
    if asked is None:
        return None
    question, so, cells = asked
    text, places = _written(table, rng)
    kind: Kind = "yes" if so else "no"
    rests_on = tuple((_text(table, cell), places[cell]) for cell in cells)
    question = _worded(question, rng)
    return ReadingRow(
        source=SOURCE, licence=LICENCE, question=question, context=text, answers=(), kind=kind, rests_on=rests_on
    )


_Doubted = tuple[str, bool, Sequence[_Cell]]  # the question, whether it is so, and where that is told


def _is_more(table: _Table, rng: random.Random) -> _Doubted | None:
    comparable = [(at, one) for at, one in enumerate(table.told) if one.column.more]
    if not comparable or len(table.things) < 2:
        return None
    at, told = rng.choice(comparable)
    first, second = rng.sample(range(len(table.things)), 2)
    if told.numbers[first] == told.numbers[second]:
        return None
    up = rng.random() < 0.6
    said = told.column.more if up else told.column.less
    so = (told.numbers[first] > told.numbers[second]) == up
    return f"Is {_the(table, first)} {said} than {_the(table, second)}?", so, ((first, at), (second, at))


def _is_beyond(table: _Table, rng: random.Random) -> _Doubted | None:
    counted = [(at, one) for at, one in enumerate(table.told) if one.column.numbers]
    if not counted:
        return None
    at, told = rng.choice(counted)
    thing = rng.randrange(len(table.things))
    value = told.numbers[thing]
    bound = round(value * rng.choice((0.5, 0.7, 0.9, 1.1, 1.4, 2.0)))
    if bound == value or not bound:
        return None
    over = rng.random() < 0.5
    said = rng.choice(("more than", "over", "above") if over else ("less than", "under", "below"))
    name = told.name.lower()
    asks = ("Is the {name} of {it} {said} {bound:,}?", "Has {it} a {name} of {said} {bound:,}?")
    question = rng.choice(asks).format(name=name, it=_the(table, thing), said=said, bound=bound)
    return question, (value > bound) == over, ((thing, at),)


def _is_value(table: _Table, rng: random.Random) -> _Doubted | None:
    at = rng.randrange(len(table.told))
    told = table.told[at]
    thing, other = rng.randrange(len(table.things)), rng.randrange(len(table.things))
    so = rng.random() < 0.5
    value = told.cells[thing if so else other]
    if not so and value == told.cells[thing]:
        return None
    asks = ("Is the {name} of {it} {value}?", "Is {value} the {name} of {it}?", "{name} of {it}: is it {value}?")
    question = rng.choice(asks).format(name=told.name.lower(), it=_the(table, thing), value=value)
    return question, so, ((thing, at),)


def _the(table: _Table, thing: int) -> str:
    """A thing as a question names it."""
    name = table.things[thing]
    return f"the {name}" if table.kind in ("model", "article", "vehicle", "course") else name


def _worded(question: str, rng: random.Random) -> str:
    """A question as people write it: some do without capitals or the mark."""
    drawn = rng.random()
    return question.lower() if drawn < 0.1 else question.rstrip("?") if drawn < 0.2 else question


# -- writing a table


def _written(table: _Table, rng: random.Random) -> tuple[str, dict[_Cell, int]]:
    """A table's text, and where each cell begins in it; the name of a thing where its row begins."""
    lines: list[list[tuple[str, _Cell | None]]] = []
    title = one_of("titles", rng)
    if title:
        lines.append([(title, None)])
    things, told = range(len(table.things)), range(len(table.told))
    turned = rng.random() < TURNED
    between = rng.choice((" | ", "  ", ", ", " "))
    if not turned and rng.random() < 0.6:  # each row with the names of its columns
        for thing in things:
            line: list[tuple[str, _Cell | None]] = [(f"{table.name}: " if table.name else "", None)]
            line.append((table.things[thing], (thing, -1)))
            for column in told:
                line += [(f"; {table.told[column].name}: ", None), (table.told[column].cells[thing], (thing, column))]
            lines.append(line)
    elif turned:  # a column for each thing
        lines.append([(table.name, None), *_parted([(table.things[thing], (thing, -1)) for thing in things], between)])
        for column in told:
            cells = [(table.told[column].cells[thing], (thing, column)) for thing in things]
            lines.append([(table.told[column].name, None), *_parted(cells, between)])
    else:
        lines.append([(between.join((table.name, *(one.name for one in table.told))), None)])
        for thing in things:
            cells = [(table.told[column].cells[thing], (thing, column)) for column in told]
            lines.append([(table.things[thing], (thing, -1)), *_parted(cells, between)])
    text = ""
    places: dict[_Cell, int] = {}
    for line in lines:
        for said, cell in line:
            if cell is not None:
                places.setdefault(cell, len(text))
            text += said
        text += "\n"
    return text, places


def _parted(cells: Sequence[tuple[str, _Cell]], between: str) -> Iterator[tuple[str, _Cell | None]]:
    for said, cell in cells:
        yield between, None
        yield said, cell
