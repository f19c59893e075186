"""The more or less of two things, and the most or least in a table."""

from __future__ import annotations

import pytest

from polyhop.english.degrees import asked_degree
from polyhop.english.options import choices
from polyhop.models.choice import Models, load_models
from polyhop.reading.measured import CALLED, measured_choice, measured_row
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.reading.rows import row_at, tables_in
from polyhop.types import Passage
from tests.worlds.settings import QUICK

HIRE = """Lamps

Lamp: Grebe; Weight: 7.5 kg; Fee: £12
Lamp: Heron; Weight: 3 kg; Fee: £20; Remarks: gas; by boat only
Lamp: Stork; Weight: 11 kg; Fee: £9

Ropes

Rope: Sisal; Weight: 40 kg
Rope: Hemp; Weight: 30 kg

The Fenn weighs 900 kg and the Tarn is 1.1 t with its mast."""
VISITS = """Fenn

The hall is 30 m long. They had 14,200 visitors last year.

Tarn

The hall is heated. 9,800 visitors came."""
PRICES = """Honey: Heath; 250 g: 4.10; 1 kg: 16.50
Honey: Lime; 250 g: 4.60; 1 kg: 14.00"""


def passage(number: int, text: str, *headings: str) -> Passage:
    places = tuple((text.index(heading), text.index(heading) + len(heading)) for heading in headings)
    name = f"p{number}"
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title="", text=text, headings=places)


PASSAGES = (passage(0, HIRE, "Lamps", "Ropes"), passage(1, VISITS, "Fenn", "Tarn"))


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(QUICK)


def read(question: str, models: Models) -> Reading | None:
    degree, options = asked_degree(question), choices(question)
    assert degree is not None
    passages = (*PASSAGES, passage(2, PRICES))
    return measured_choice(options, degree, passages, models) if options else measured_row(degree, passages, models)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which boat is heavier, the Fenn or the Tarn?", "the Tarn"),  # 900 kg against 1.1 t
        ("Which place had more visitors, Fenn or Tarn?", "Fenn"),  # each below its heading
        ("Which lamp is cheaper, the Grebe or the Heron?", "the Grebe"),
        ("Which lamp is the lightest: the Stork, the Grebe or the Heron?", "the Heron"),
        ("Which is dearer, a kilo of heath honey or a kilo of lime honey?", "a kilo of heath honey"),  # one word tells
        ("Which costs more, 250 g of heath honey or 250 g of lime honey?", "250 g of lime honey"),
    ],
)
def test_of_several_things_the_amounts_are_compared(question: str, answer: str, models: Models) -> None:
    reading = read(question, models)
    assert reading is not None
    assert (reading.text, len(reading.quotes)) == (answer, len({text_of(quote) for quote in reading.quotes}))
    assert len(reading.hops) > 1
    assert all(hop.found and hop.sentences for hop in reading.hops), "one for each, with its amount"


PARTS = """Part: Grating F3 oak 40 x 60; Weight: 6 kg; Net price (EUR): 48.50; Delivered in (days): 9
Part: Grating F7 steel 40 x 60; Weight: 11 kg; Net price (EUR): 31.00; Delivered in (days): 21"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is cheaper, the F3 or the F7 grating?", "the F7 grating"),
        ("Which is heavier, the F3 or the F7?", "the F7"),
    ],
)
def test_the_column_that_measures_what_is_asked_is_compared(question: str, answer: str, models: Models) -> None:
    """How expensive a thing is, its price tells."""
    degree, options = asked_degree(question), choices(question)
    assert degree is not None
    assert options is not None
    reading = measured_choice(options, degree, [passage(0, PARTS)], models)
    assert reading is not None
    assert reading.text == answer
    assert reading.confidence >= CALLED


def test_columns_that_say_the_same_make_a_choice_surer(models: Models) -> None:
    def sure_of(*rows: str) -> float:
        degree = asked_degree("Which is dearer, the rye or the oats?")
        assert degree is not None
        reading = measured_choice(("the rye", "the oats"), degree, [passage(0, "\n".join(rows))], models)
        assert reading is not None
        assert reading.text == "the rye"
        return reading.confidence

    oats = "Sack: Oats; Price on weekdays: 9; Price on Sundays: 8"
    agreeing = sure_of("Sack: Rye; Price on weekdays: 12; Price on Sundays: 10", oats)
    parted = sure_of("Sack: Rye; Price on weekdays: 12; Price on Sundays: 7", oats)
    assert agreeing > parted


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which lamp is the heaviest?", "Stork"),
        ("What is the lightest lamp?", "Heron"),
        ("Which lamp has the lowest fee?", "Stork"),
        ("Which rope is the lightest?", "Hemp"),
    ],
)
def test_of_all_rows_the_column_that_is_asked_for_is_compared(question: str, answer: str, models: Models) -> None:
    reading = read(question, models)
    assert reading is not None
    assert reading.text == answer


JAMS = """Preserve: Bramble jelly; Sugar per kg fruit: 800 g; Keeps (months): 12
Preserve: Quince cheese; Sugar per kg fruit: 1000 g; Keeps (months): 24
Preserve: Marmalade; Sugar per kg fruit: 1800 g; Keeps (months): 24
Preserve: Chutney; Sugar per kg fruit: 350 g; Keeps (months): 18"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which preserve takes the most sugar per kilo?", ["Marmalade"]),
        ("Which preserve takes the least sugar?", ["Chutney"]),
        ("Which preserve keeps longest?", ["Quince cheese", "Marmalade"]),  # as long as each other
    ],
)
def test_a_column_that_is_called_as_what_is_asked_is_compared(
    question: str, answers: list[str], models: Models
) -> None:
    degree = asked_degree(question)
    assert degree is not None
    reading = measured_row(degree, [passage(0, JAMS)], models)
    assert reading is not None
    assert (reading.text, [said for said, *_ in reading.items]) == (
        "; ".join(answers),
        answers if len(answers) > 1 else [],
    )


BILL = """What: Sail; Maker: Varn; Cost: 489.00
What: Rope; Maker: Tarn; Cost: 129.95
What: Total; Cost: 618.95"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What cost the most?", "Sail"),  # not all of them together
        ("Which item was the cheapest?", "Rope"),  # which any thing is
        ("Which boat was the cheapest?", None),
    ],
)
def test_a_thing_has_the_most_rather_than_their_sum(question: str, answer: str | None, models: Models) -> None:
    degree = asked_degree(question)
    assert degree is not None
    reading = measured_row(degree, [passage(0, BILL)], models)
    assert (reading and reading.text) == answer


def test_a_row_with_a_day_and_a_name_is_called_by_the_name(models: Models) -> None:
    rows = "Date: 2031-04-02; Tool: fork; Price: 27.40\nDate: 2031-04-09; Tool: Trimmer 24, used; Price: 135.00"
    degree = asked_degree("Which tool was the most expensive?")
    assert degree is not None
    reading = measured_row(degree, [passage(0, rows)], models)
    assert reading is not None
    assert reading.text == "Trimmer 24, used"


def test_a_number_alone_is_no_name_of_a_model(models: Models) -> None:
    """The 12 of the Fenn 12 stands in many places."""
    degree = asked_degree("Which is dearer, the Fenn 12 or the Fenn 20?")
    assert degree is not None
    assert measured_choice(("the Fenn 12", "the Fenn 20"), degree, PASSAGES, models) is None


def test_what_is_not_told_of_both_is_not_compared(models: Models) -> None:
    assert read("Which is heavier, the Fenn or the Quill?", models) is None


def test_a_sentence_with_names_of_columns_is_a_row() -> None:
    start = HIRE.index("Lamp: Heron")
    row = row_at(Quote(PASSAGES[0], start, HIRE.index("\n", start)))
    assert row is not None
    assert [(cell.name, cell.said) for cell in row.cells] == [
        ("Lamp", "Heron"),
        ("Weight", "3 kg"),
        ("Fee", "£20"),
        ("Remarks", "gas; by boat only"),
    ]
    assert all(HIRE[cell.start : cell.end] == cell.said for cell in row.cells)


def test_rows_below_one_heading_are_a_table_once() -> None:
    twice = (*PASSAGES, passage(2, HIRE, "Lamps", "Ropes"))
    assert [(table.heading, len(table.rows)) for table in tables_in(twice)] == [("Lamps", 3), ("Ropes", 2)]
