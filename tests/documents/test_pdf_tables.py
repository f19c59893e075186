"""Tables of a PDF are read row by row, with the names of their columns, and nothing of a page gets lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.loaders.pdf_tables import with_tables
from polyhop.documents.loaders.pdf_text import paged_text

SIZE = 10.0
LEADING, ROW = 11.0, 18.0  # from line to line of a cell, and from row to row


def piece(text: str, left: float, bottom: float, *, bold: bool = False) -> PageLine:
    return PageLine(text=text, left=left, right=left + 5 * len(text), bottom=bottom, size=SIZE, bold=bold)


def line(*pieces: PageLine) -> PageLine:
    """A line as PDFium tells it: its words in a row, and what wide gaps part it into."""
    text = " ".join(one.text for one in pieces)
    return replace(pieces[0], text=text, right=pieces[-1].right, pieces=pieces if len(pieces) > 1 else ())


def grid(rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float = 700.0) -> list[PageLine]:
    """Rows of one line each; an empty cell is not there."""
    return [
        line(*(piece(text, left, top - ROW * number) for text, left in zip(row, lefts, strict=True) if text))
        for number, row in enumerate(rows)
    ]


def rows_of(*pages: Sequence[PageLine]) -> list[str]:
    return [one.text for page in with_tables(pages) for one in page if one.row]


def test_values_are_told_with_the_names_above_them() -> None:
    page = grid([("", "Mill", "Ferry"), ("Height", "12 m", "4 m"), ("Weight", "30 t", "9 t")], (50, 150, 250))
    assert rows_of(page) == ["Height; Mill: 12 m; Ferry: 4 m", "Weight; Mill: 30 t; Ferry: 9 t"]


def test_bold_names_are_those_of_columns() -> None:
    named = line(piece("Part", 50, 700, bold=True), piece("Interval", 150, 700, bold=True))
    assert rows_of([named, *grid([("Wheel", "a year"), ("Gate", "a month")], (50, 150), top=680)]) == [
        "Part: Wheel; Interval: a year",
        "Part: Gate; Interval: a month",
    ]


def test_bold_names_may_stand_in_the_middle_of_wide_columns() -> None:
    """As browsers print them, with each cell of some rows as a line of its own."""
    named = line(*(piece(name, left, 700, bold=True) for name, left in (("Part", 128), ("Age", 360), ("Kg", 528))))
    first = [piece("Wheel", 8, 682), piece("12", 280, 682), piece("30", 471, 682)]
    second = line(piece("Gate", 8, 664), piece("4", 280, 664), piece("9", 471, 664))
    assert rows_of([named, *first, second]) == ["Part: Wheel; Age: 12; Kg: 30", "Part: Gate; Age: 4; Kg: 9"]


def test_bold_names_are_no_part_of_the_row_below_however_close_it_is() -> None:
    named = line(piece("Part", 50, 700, bold=True), piece("Interval", 150, 700, bold=True))
    first = line(piece("Wheel", 50, 700 - LEADING), piece("a year", 150, 700 - LEADING))
    cut = [piece("Gate on the", 50, 665), line(piece("weir", 50, 665 - LEADING), piece("a month", 150, 665 - LEADING))]
    assert rows_of([named, first, *cut, line(piece("Stone", 50, 630), piece("a week", 150, 630))]) == [
        "Part: Wheel; Interval: a year",
        "Part: Gate on the weir; Interval: a month",
        "Part: Stone; Interval: a week",
    ]


def test_cells_of_several_lines_are_whole_whatever_comes_first_in_the_file() -> None:
    head = line(piece("Code", 50, 700), piece("Meaning", 120, 700), piece("What to do", 260, 700))
    first = [
        piece("E1", 50, 670),
        piece("The gate is", 120, 681),
        piece("not shut", 120, 670),
        piece("Shut it", 260, 681),
    ]
    second = [line(piece("E2", 50, 650), piece("Low tide", 120, 650), piece("Wait", 260, 650))]
    assert rows_of([head, *first, *second]) == [
        "Code: E1; Meaning: The gate is not shut; What to do: Shut it",
        "Code: E2; Meaning: Low tide; What to do: Wait",
    ]


def test_cells_in_the_middle_of_their_rows_stand_beside_those_of_several_lines() -> None:
    """Half a line lower than the first line of one, and as high as the second of three."""
    head = line(piece("Mill", 50, 700), piece("Grain", 150, 700), piece("A year", 250, 700))
    first = [
        piece("Orla and", 50, 680),
        line(piece("rye", 150, 674.5), piece("3 t", 250, 674.5)),
        piece("Fenn mill", 50, 669),
    ]
    second = [
        piece("Tarn mill", 50, 648),
        line(piece("behind", 50, 637), piece("oats", 150, 637), piece("1 t", 250, 637)),
        piece("the weir", 50, 626),
    ]
    assert rows_of([head, *first, *second]) == [
        "Mill: Orla and Fenn mill; Grain: rye; A year: 3 t",
        "Mill: Tarn mill behind the weir; Grain: oats; A year: 1 t",
    ]


def test_the_name_of_a_last_column_may_begin_above_the_others() -> None:
    head = [line(piece("Mill", 50, 700), piece("Grain", 150, 700)), piece("Tons a", 250, 711), piece("year", 250, 700)]
    rows = grid([("Orla", "rye", "3"), ("Tarn", "oats", "1")], (50, 150, 250), top=680)
    assert rows_of([*head, *rows]) == [
        "Mill: Orla; Grain: rye; Tons a year: 3",
        "Mill: Tarn; Grain: oats; Tons a year: 1",
    ]


def test_a_sentence_below_the_first_column_is_no_row() -> None:
    """But a row that ends early is one, and so is the last line of a cell."""
    table = grid([("Mill", "Grain", "A year"), ("Orla", "rye", "3 t"), ("Tarn", "oats", "1 t")], (50, 200, 300))
    read = paged_text(with_tables([[*table, piece("No other mill grinds.", 50, 646)]]))
    assert read.text.split("\n")[-2:] == ["", "No other mill grinds."]
    assert rows_of([*table, piece("Fenn", 50, 646)])[-1] == "Mill: Fenn"
    cut = [*table, line(piece("Fenn, as", 50, 646), piece("rye", 200, 646)), piece("Voss says.", 50, 646 - LEADING)]
    assert rows_of(cut)[-1] == "Mill: Fenn, as Voss says.; Grain: rye"


def test_lines_as_close_as_rows_belong_to_the_row_whose_name_is_above() -> None:
    names = ("Grain", "Ground", "A year")
    rows = [names, ("Rye", "at night", "3 t"), ("", "when tides are high", ""), ("Oats", "by day", "1 t")]
    page = [replace(one, bottom=700 - 12 * number) for number, one in enumerate(grid(rows, (50, 120, 300)))]
    page = [replace(one, pieces=tuple(replace(part, bottom=one.bottom) for part in one.pieces)) for one in page]
    assert rows_of(page) == [
        "Grain: Rye; Ground: at night when tides are high; A year: 3 t",
        "Grain: Oats; Ground: by day; A year: 1 t",
    ]


def test_a_table_goes_on_in_the_next_column_or_page_with_its_names() -> None:
    first = grid([("", "Mill", "Ferry"), ("Height", "12 m", "4 m"), ("Weight", "30 t", "9 t")], (50, 150, 250), top=90)
    second = grid([("Length", "9 m", "8 m"), ("Crew", "2", "3")], (350, 450, 550), top=700)
    assert rows_of(first, second)[2:] == ["Length; Mill: 9 m; Ferry: 8 m", "Crew; Mill: 2; Ferry: 3"]


def test_text_below_a_table_is_none_of_it() -> None:
    table = grid([("Height", "12 m"), ("Weight", "30 t")], (50, 150))
    below = line(piece("The mill stands where the river Orla meets the sea.", 50, 650))
    read = paged_text(with_tables([[*table, below]]))
    assert read.text == "Height: 12 m\nWeight: 30 t\n\nThe mill stands where the river Orla meets the sea."


def test_a_word_without_a_width_is_in_a_column_of_its_own() -> None:
    thin = grid([("Gate 1", "|"), ("Gate 2", "|")], (50, 150))
    narrow = [replace(one, pieces=(one.pieces[0], replace(one.pieces[1], right=150))) for one in thin]
    assert rows_of(narrow) == ["Gate 1: |", "Gate 2: |"]


def test_items_and_text_in_columns_are_no_tables() -> None:
    items = [line(piece("•", 50, 700 - 12 * at), piece("of rye", 70, 700 - 12 * at)) for at in range(3)]
    prose = "The keeper opens the gate at night and shuts it in the morning, as all did."
    columns = [line(piece(prose, 50, 500 - 12 * at), piece(prose, 450, 500 - 12 * at)) for at in range(3)]
    assert rows_of([*items, *columns]) == []


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 12), st.text("abc", min_size=1, max_size=9)), min_size=1, max_size=4),
        min_size=1,
        max_size=12,
    ),
    st.integers(8, 30),
)
def test_no_word_of_a_page_is_lost(page: list[list[tuple[int, str]]], step: int) -> None:
    laid = []
    for number, cells in enumerate(page):
        places = dict(sorted(cells))  # one piece in a place
        pieces = [piece(text, 60.0 * place, 700.0 - step * number) for place, text in places.items()]
        laid.append(line(*pieces))
    said = {word for one in laid for word in one.text.split()}
    read = {word.strip(";:") for one in with_tables([laid])[0] for word in one.text.split()}
    assert said <= read
