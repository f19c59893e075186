"""Rows of a table that answer a question for several things."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyhop.models.choice import Models, load_models
from polyhop.reading.chosen_rows import chosen_rows, rows_told, tables_read
from polyhop.reading.listed import several_listed
from polyhop.reading.pointing import Pointed, Pointing, Supporting
from polyhop.reading.reader import Quote
from polyhop.reading.rows import tables_in
from polyhop.types import Passage
from tests.worlds.settings import QUICK

HEADING = "Lamps of the harbour"
TEXT = f"""{HEADING}

Lamp: Grebe; Fuel: oil; Stand: keep dry, in the shed; Night watch: yes
Lamp: Heron; Fuel: gas; Stand: on the pier; Night watch: no
Lamp: Teal; Fuel: oil; Stand: on the pier; Night watch: yes
Lamp: Wren; Fuel: gas; Stand: keep dry, in the shed; Night watch: no"""
HARBOUR = Passage(
    id="p", document_id="p", ordinal=0, start=0, end=len(TEXT), title="Harbour", text=TEXT, headings=((0, 20),)
)


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(QUICK)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which lamps must not get wet?", ["Grebe", "Wren"]),
        ("Which lamps are lit by gas?", ["Heron", "Wren"]),
        ("Which lamps are used in the night watch?", ["Grebe", "Teal"]),
        ("Which gas lamps are not used in the night watch?", ["Heron", "Wren"]),  # and not "no"
        ("Which lamps do we have?", ["Grebe", "Heron", "Teal", "Wren"]),
        ("Which fuels are used?", ["oil", "gas"]),
        ("Which lamps are not used in the night watch?", ["Heron", "Wren"]),
    ],
)
def test_rows_that_fulfil_a_condition_are_named(question: str, names: list[str], models: Models) -> None:
    chosen = chosen_rows(question, tables_in([HARBOUR]), models)
    assert [text for text, _ in chosen.items] == names
    assert [quote.passage.text[quote.start : quote.end] for _, quote in chosen.items] == names
    assert chosen.chance > 0.4


def test_of_what_no_row_tells_little_is_sure(models: Models) -> None:
    chosen = chosen_rows("Which members of the choir sing alto?", tables_in([HARBOUR]), models)
    assert chosen.chance < 0.1


@pytest.mark.parametrize(("none", "names"), [(0.2, ["Grebe", "Heron"]), (0.9, [])])
def test_rows_that_are_equally_likely_are_all_chosen_or_none(
    none: float, names: list[str], models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Lamp: Grebe; Fuel: oil\nLamp: Heron; Fuel: gas"
    tables = tables_in([Passage(id="p", document_id="p", ordinal=0, start=0, end=len(text), title="Lamps", text=text)])

    def point_each(question: str, quotes: Sequence[Quote], _: Models) -> list[Pointing]:
        return [Pointing(question=question, sentences=(Supporting(0.5, one),), none=none) for one in quotes]

    monkeypatch.setattr("polyhop.reading.chosen_rows.point_each", point_each)
    assert [text for text, _ in chosen_rows("Which lamps are there?", tables, models).items] == names


def test_tables_are_read_where_one_of_their_rows_is_likely() -> None:
    (table,) = tables_in([HARBOUR])
    likely = Pointing(question="", sentences=(Supporting(0.5, table.rows[1].quote),))
    assert tables_read(likely, [HARBOUR]) == [table]
    assert tables_read(Pointing(question=""), [HARBOUR]) == []


def test_a_table_that_goes_on_in_another_passage_is_one() -> None:
    """The second begins under the heading that stands in the first."""
    cut = TEXT.index("Lamp: Teal")
    first = Passage(
        id="a",
        document_id="p",
        ordinal=0,
        start=0,
        end=cut - 1,
        title="Harbour",
        text=TEXT[: cut - 1],
        headings=((0, 20),),
    )
    second = Passage(
        id="b",
        document_id="p",
        ordinal=1,
        start=cut,
        end=len(TEXT),
        title="Harbour",
        text=TEXT[cut:],
        section=("The coast", HEADING),
    )
    (table,) = tables_in([first, second])
    assert [row.cells[0].said for row in table.rows] == ["Grebe", "Heron", "Teal", "Wren"]


LOOKED_UP = 0.8
COSTS = """What: Mast; Maker: Varn; When: spring; Cost: 129.95
What: Sail; Maker: Varn; When: autumn; Cost: 84.50
What: Lamp; Maker: Heron; When: spring; Cost: 12.00
What: Total; Maker: Varn; Cost: 226.45"""
CREW = """No: 1; Name: Ada Brisk; Kind: junior; Paid: yes
No: 2; Name: Piet Rook; Kind: full; Paid: no
No: 3; Name: Otto Heron; Kind: junior; Paid: no"""


def pointed(question: str, text: str, *answers: tuple[str, float]) -> Pointing:
    page = Passage(id="p", document_id="p", ordinal=0, start=0, end=len(text), title="", text=text)
    found = []
    for said, chance in answers:
        at = text.index(said)
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        quote = Quote(page, start, end if end > 0 else len(text))
        found.append(Pointed(text=said, chance=chance, quote=quote, start=at, end=at + len(said)))
    return Pointing(question=question, answers=tuple(found))


@pytest.mark.parametrize(
    ("question", "answers", "told"),
    [
        ("How much did we pay Varn?", [("84.50", 0.5), ("129.95", 0.4)], ["129.95", "84.50"]),
        ("What did the mast and the sail cost?", [("129.95", 0.6), ("84.50", 0.2)], ["129.95", "84.50"]),
        ("What was made by Varn?", [("Sail", 0.4), ("Mast", 0.3)], ["Mast", "Sail"]),
        ("How much did we pay Varn?", [("84.50", 0.5), ("129.95", 0.1)], []),  # the others are unlikely
        ("How much did we pay Varn in spring?", [("129.95", 0.5), ("84.50", 0.4)], []),  # one row has more of it
        ("How much did the mast cost?", [("129.95", 0.5), ("84.50", 0.4)], []),  # the other is not named
        ("How much did we pay?", [("129.95", 0.5), ("84.50", 0.4)], []),  # none is
    ],
)
def test_all_rows_that_a_question_names_alike_are_told(
    question: str, answers: list[tuple[str, float]], told: list[str]
) -> None:
    items, chance = rows_told(pointed(question, COSTS, *answers), LOOKED_UP)
    assert [text for text, _ in items] == told
    assert [quote.passage.text[quote.start : quote.end] for _, quote in items] == told
    assert not told or chance > answers[0][1], "each of them speaks for it"


@pytest.mark.parametrize(
    ("question", "told", "chance"),
    [
        ("Who has not paid?", ["Piet Rook", "Otto Heron"], LOOKED_UP),  # though the likeliest has
        ("Who has paid?", ["Ada Brisk"], LOOKED_UP),
        ("Who has not paid the yearly dues?", ["Piet Rook", "Otto Heron"], 0.5),  # which no row speaks of
        ("Who of the juniors has not paid?", ["Otto Heron"], 0.5),
        ("What has not been paid?", [], 0.0),
        ("Who has not sung?", [], 0.0),
    ],
)
def test_who_is_asked_for_has_a_row_that_says_so(question: str, told: list[str], chance: float) -> None:
    items, sure = rows_told(pointed(question, CREW, ("Ada Brisk", 0.5)), LOOKED_UP)
    assert ([text for text, _ in items], sure) == (told, chance)


def test_who_is_told_in_no_row_is_not_looked_up_in_a_table() -> None:
    text = f"Orla Tarn has not paid.\n\n{CREW}"
    assert rows_told(pointed("Who has not paid?", text, ("Orla Tarn", 0.5), ("Piet Rook", 0.3)), LOOKED_UP) == ([], 0.0)


def test_an_amount_in_an_enumeration_is_the_one_that_is_asked_for() -> None:
    text = "It takes 300 g of flour, 200 g of sugar and 12 eggs."
    found = pointed("How much flour does it take?", text, ("300 g", 0.6), ("200 g", 0.3))
    assert several_listed(found) == ([], 0.0)
