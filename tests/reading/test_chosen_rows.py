"""Rows of a table that answer a question for several things."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyhop.models.choice import Models, load_models
from polyhop.reading.chosen_rows import chosen_rows, tables_read
from polyhop.reading.pointing import Pointing, Supporting
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
