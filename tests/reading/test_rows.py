"""A cell that a question names by its column and its row is looked up, however many columns a table has."""

from __future__ import annotations

import pytest

from polyhop.english.degrees import asked_degree
from polyhop.reading.reader import Quote
from polyhop.reading.rows import (
    RowTable,
    cell_asked_for,
    cell_of_row,
    price_within,
    row_at,
    rows_counted,
    tables_in,
    word_families,
)
from polyhop.types import Passage

ROWS = (
    "Vessel: Cutter; Home port: Fennick; Fee: 35; Master: Ada Brisk",
    "Vessel: Old Heron; Home port: Varn; Fee: 12; Master: Otto Heron",
    "Vessel: Sable; Fee: 12",
    "Vessel: Grebe; Crew (men): 7",
)


def passages(*rows: str) -> list[Passage]:
    return [
        Passage(id=row, document_id=row, ordinal=0, start=0, end=len(row), title=row.split("; ")[0], text=row)
        for row in rows
    ]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the home port of the Cutter?", "Fennick"),
        ("What's the fee for the Old Heron?", "12"),
        ("Who is the master of the Old Heron?", "Otto Heron"),
        ("Which fee does Ada Brisk's cutter pay?", None),  # it says more than a column and a row
        ("What was the fee of the Cutter in 1841?", None),
        ("What is the fee of the Heron?", None),  # no cell is called so
        ("What is the home port of the Sable?", None),  # that cell is empty
        ("What is the crew of the Grebe?", "7"),  # without the unit
        ("What is the vessel of 12?", None),  # two are told
    ],
)
def test_a_cell_is_told_where_its_column_and_its_row_are_named(question: str, value: str | None) -> None:
    found = cell_asked_for(question, passages(*ROWS))
    assert (found and found[0]) == value


BIDS = (
    "Lot: 1; Work: Pier; Heron Works: £41; Fenn & Varn: £44",
    "Lot: 2; Work: Shed; Heron Works: £27; Fenn & Varn: no bid",
    "Lot: 3; Work: Shed; Heron Works: none; Fenn & Varn: £13",
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What did Fenn & Varn offer for lot 2?", "no bid"),  # rather than what they offered for another
        ("What price does Heron Works ask for lot 3?", "none"),
        ("What did Fenn & Varn offer for lot 1?", None),  # there is a value, but more is said
        ("What did Fenn & Varn offer for lot 7?", None),
        ("What did Fenn & Varn offer for the shed?", None),  # two rows have it
        ("What did Fenn & Varn and Heron Works offer for lot 2?", None),  # one of them offered something
        ("What did Fenn & Varn offer for 2 boats?", None),
    ],
)
def test_a_cell_that_says_there_is_nothing_answers_whatever_else_is_said(question: str, value: str | None) -> None:
    found = cell_asked_for(question, passages(*BIDS))
    assert (found and found[0]) == value


TRIALS = (
    "Run: R1; Glue: Alba; Wood: Oak-7; Load: 18.6",
    "Run: R2; Glue: Alba without primer; Wood: Oak-7; Load: 24.9",
    "Run: R3; Glue: Alba; Wood: Ash; Load: 22.3",
    "Run: R4; Glue: Alba; Wood: Ash; Load: 21.0",
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the load of Alba on Oak-7?", "18.6"),  # rather than of what is called so and more
        ("What is the load of Alba without primer on Oak-7?", "24.9"),
        ("What is the load in run R3?", "22.3"),
        ("What is the load of Alba on ash?", None),  # two are told
        ("What is the load of Alba on elm?", None),
        ("What is the load of Alba on Oak-7 in the rain?", None),
    ],
)
def test_a_row_may_be_named_by_several_of_its_values(question: str, value: str | None) -> None:
    found = cell_asked_for(question, passages(*TRIALS))
    assert (found and found[0]) == value


def test_a_cell_of_code_is_told_without_its_marks() -> None:
    """As what is pointed at in running text is."""
    rows = ("Key: ``retries``; Default: ``3``", "Key: ``turn`` or ``wait``; Default: none")
    first, second = (row_at(Quote(one, 0, len(one.text))) for one in passages(*rows))
    assert first is not None
    assert second is not None
    assert [cell.said for cell in (*first.cells, *second.cells)] == ["retries", "3", "``turn`` or ``wait``", "none"]


def test_the_row_is_quoted() -> None:
    found = cell_asked_for("What is the fee of the Cutter?", passages(*ROWS))
    assert found is not None
    quote = found[1]
    assert quote.passage.text[quote.start : quote.end] == ROWS[0]


COURSES = """Course: Choir; Tutor: Ada Brisk; Day: Thursday, Friday; Weeks: 12
Course: Bees; Tutor: Piet Rook; Day: Friday; Weeks: 5
Course: Weaving; Tutor: Ada Brisk; Day: Thursday; Weeks: as agreed"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many courses does Ada Brisk teach?", 2),
        ("How many courses are there on Thursday?", 2),
        ("How many courses does Ada Brisk teach on Friday?", 1),
        ("How many times is Ada Brisk in the autumn plan?", 2),
        ("How often is Ada Brisk in the autumn plan?", 2),
        ("How often does the choir meet?", 0),
        ("How many weeks does Weaving take?", 0),  # a cell tells it
        ("How many courses take more than 5 weeks?", 0),
        ("How many courses are not on Friday?", 0),
        ("How many courses are there?", 0),
        ("How many times is Ada Brisk in the ferry's log?", 0),
        ("Which courses does Ada Brisk teach?", 0),
    ],
)
def test_rows_with_the_values_that_are_named_are_counted(question: str, rows: int) -> None:
    plan = Passage(id="p", document_id="p", ordinal=0, start=0, end=len(COURSES), title="Autumn plan", text=COURSES)
    assert len(rows_counted(question, [plan])) == rows


def test_rows_of_a_table_that_may_go_on_are_not_counted() -> None:
    rest = Passage(id="p", document_id="p", ordinal=1, start=90, end=300, title="Autumn plan", text=COURSES)
    assert rows_counted("How many courses does Ada Brisk teach?", [rest]) == ()


WATCHES = """Week: 2 June; Early watch (02:00): Ada Brisk; Late watch (10:00): Piet Rook; Ferry: Otto Heron
Week: 9 June; Early watch (02:00): Piet Rook; Late watch (10:00): Ada Brisk; Ferry: Orla Tarn"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who steered the ferry in the week of 9 June 2031?", "Orla Tarn"),
        ("Who had the early watch on 2 June?", "Ada Brisk"),
        ("Which watch did Ada Brisk have on 9 June?", "Late watch"),  # the column of a value that is named
        ("Who steered the ferry with Ada Brisk?", None),  # in both weeks
        ("Which week had Ada Brisk on the ferry?", None),
        ("Who was on board on 9 June?", None),
    ],
)
def test_a_row_that_answers_tells_the_value_under_the_column_that_is_named(question: str, told: str | None) -> None:
    plan = Passage(id="w", document_id="w", ordinal=0, start=0, end=len(WATCHES), title="Watches", text=WATCHES)
    read = Quote(plan, 0, WATCHES.index("\n"))  # whichever row was read
    found = cell_of_row(question, read)
    assert (found and found[0]) == told


def table_of(*rows: str) -> RowTable:
    text = "\n".join(rows)
    (table,) = tables_in([Passage(id="t", document_id="t", ordinal=0, start=0, end=len(text), title="", text=text)])
    return table


BILL = ("What: Sail; Maker: Varn; Cost: 489.00", "What: Rope; Maker: Tarn; Cost: 129.95", "What: Lamp; Cost: 12.00")


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ((*BILL, "What: Total; Cost: 630.95"), 3),
        ((*BILL, "What: Grand total; Maker: all; Cost: £631"), 3),  # rounded, and with as many values
        ((*BILL[:2], "What: Subtotal; Cost: 618.95", BILL[2], "What: VAT; Cost: 24", "What: Total; Cost: 654.95"), 4),
        (("Month: May; Boats: 4", "Month: June; Boats: 8", "Month: Average per month; Boats: 6"), 2),
        (
            ("Pump: Grebe; Price: 1.61", "Pump: Heron; Price: 1.64", "Pump: Total; Price: 1.62"),
            3,
        ),  # a thing of the name
        (("Filter: Wiener; Error: 4.2", "Filter: Moving; Error: 3.1", "Filter: Mean; Error: 5.0"), 3),
        ((*BILL, "What: Mast; Maker: Varn; Cost: 630.95"), 4),  # as much as all others, by chance
        (("Item: Subtotal; Cost: 4", "Item: Total; Cost: 5"), 2),  # of things that stand elsewhere
    ],
)
def test_rows_that_sum_others_up_are_no_things(rows: tuple[str, ...], left: int) -> None:
    assert len(table_of(*rows).without_sums.rows) == left


def test_a_sum_is_not_counted() -> None:
    rows = (
        "Boat: Grebe; Trips: 4; Home: Varn",
        "Boat: Heron; Trips: 3; Home: Varn",
        "Boat: Total; Trips: 7; Home: Varn",
    )
    text = "\n".join(rows)
    fleet = Passage(id="f", document_id="f", ordinal=0, start=0, end=len(text), title="Fleet", text=text)
    assert len(rows_counted("How many boats have their home in Varn?", [fleet])) == 2


BOUGHT = (
    "Date: 2031-04-02; Item: garden fork; Price: 27.40",
    "Date: 2031-04-09; Item: Trimmer HT 24, used; Price: 135.00",
)
CHOIR = (
    "No: 1; Part: alto; Singer: Ada Brisk; Since: 9 May 2019",
    "No: 2; Part: bass; Singer: Piet Rook; Since: 3 June 2021",
    "No: 3; Part: bass; Singer: Otto Heron; Since: 4 May 2022",
)
CREW = ("Member: M-1; Town: Varn; Name: Ada Brisk", "Member: M-2; Town: Varn; Name: Piet Rook")


@pytest.mark.parametrize(
    ("rows", "asked", "persons", "name"),
    [
        (BOUGHT, "item", False, "Trimmer HT 24, used"),  # a name may have a number in it
        (BOUGHT, "", False, "Trimmer HT 24, used"),  # rather than a day
        (BOUGHT, "day", False, "Trimmer HT 24, used"),
        (BOUGHT, "date", False, "2031-04-09"),
        (BOUGHT, "price", False, "Trimmer HT 24, used"),  # what is measured names nothing
        (CHOIR, "", False, "Piet Rook"),  # neither a number nor what several have
        (CHOIR, "part", False, "bass"),
        (CREW, "members", True, "Piet Rook"),
        (CREW, "members", False, "M-2"),
        (("Berth: 4; Length: 12 m", "Berth: 7; Length: 9 m"), "berth", False, "7"),
        (("Berth: 4; Length: 12 m", "Berth: 7; Length: 9 m"), "", False, "7"),  # nothing else names it
        (("Keeper: Ada Brisk; Lamp: A3", "Keeper: Piet Rook; Lamp: A4"), "lamp", False, "A4"),
    ],
)
def test_a_row_is_named_by_its_thing(rows: tuple[str, ...], asked: str, persons: bool, name: str) -> None:
    table = table_of(*rows)
    named = table.naming(table.rows[1], word_families(asked), measured="Price", persons=persons)
    assert named.said == name


OFFERS = """Lot: 1; Work: Pier; Heron Works: £41,300; Tarn: £38,950; Fenn & Varn: £44,000
Lot: 2; Work: Shed; Heron Works: £27,800; Tarn: £29,400; Fenn & Varn: no bid
Lot: 3; Work: Wall; Heron Works: £500; Tarn: £500; Fenn & Varn: no bid"""
SAILS = """Sail: Jib; Net: £400; Gross: £480; Weight: 4 kg
Sail: Main; Net: £700; Gross: £840; Weight: 9 kg"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which firm offered the lowest price for lot 1?", "Tarn"),
        ("Which firm is the cheapest for lot 2?", "Heron Works"),
        ("Who asks the highest price for the shed?", "Tarn"),
        ("What is the lowest price for lot 1?", "£38,950"),
        ("What is the highest bid for lot 2?", "£29,400"),
        ("Which firm offered the lowest price?", None),  # of which lot?
        ("Which firm offered the lowest price for lot 7?", None),
        ("Which firm offered the lowest price for lot 3?", None),  # two did
        ("Which firm is the oldest of lot 1?", None),  # no price is asked for
        ("Which shop has the lowest price of the jib?", None),  # "Net" is no shop
    ],
)
def test_columns_of_a_row_that_is_named_are_compared_by_price(question: str, told: str | None) -> None:
    degree = asked_degree(question)
    assert degree is not None
    pages = [
        Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=name, text=text)
        for name, text in (("Bids", OFFERS), ("Sails", SAILS))
    ]
    found = price_within(question, degree, pages)
    assert (found and found[0]) == told
