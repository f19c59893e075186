"""Spreadsheets are read sheet by sheet and row by row, as people see them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.number_formats import number_format
from polyhop.documents.loaders.xlsx import XlsxLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.xlsx import KINDS, SHEET, Row, cell, rows, write_xlsx

VESSELS: tuple[Row, ...] = (["Vessel", "Town", "Fee"], ["Cutter", "Fennick", 35], ["Lugger", "Tarn", 12.5])
READ = "Vessel: Cutter; Town: Fennick; Fee: 35\nVessel: Lugger; Town: Tarn; Fee: 12.5"


def load(file: Path) -> list[Document | Skipped]:
    return list(XlsxLoader().load(file, file.as_posix()))


def text_of(file: Path) -> str:
    (document,) = load(file)
    assert isinstance(document, Document)
    return document.text


def sheet(tmp_path: Path, content: str, behind: str = "") -> str:
    """The text of a workbook of one sheet, without its name."""
    name, _, text = text_of(write_xlsx(tmp_path / "a.xlsx", {"Fees": content}, behind=behind)).partition("\n\n")
    assert name == "Fees"
    return text


def test_sheets_stand_below_their_names_in_order(tmp_path: Path) -> None:
    file = write_xlsx(tmp_path / "harbour_fees.xlsx", {"Vessels": rows(*VESSELS), "Notes & more": rows(["Paid."])})
    (document,) = load(file)
    assert isinstance(document, Document)
    assert document.text == f"Vessels\n\n{READ}\n\nNotes & more\n\nPaid."
    assert document.title == "harbour fees"
    assert [document.text[start:end] for start, end in document.headings] == ["Vessels", "Notes & more"]


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_left_out_and_named(tmp_path: Path, state: str) -> None:
    sheets = {"Vessels": rows(*VESSELS), "Lists": rows(["secret"])}
    file = write_xlsx(tmp_path / "a.xlsx", sheets, states={"Lists": state})
    document, skipped = load(file)
    assert isinstance(document, Document)
    assert "secret" not in document.text
    assert isinstance(skipped, Skipped)
    assert (skipped.uri, skipped.reason) == (f"{file.as_posix()}#Lists", "is a hidden sheet; show it, and it is read")


def test_shared_strings_are_read_whole_and_as_they_are_written(tmp_path: Path) -> None:
    shared = (
        "<si><r><t>Ünal </t></r><r><rPr><b/></rPr><t>Brisk_x000D_</t></r></si>"
        '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>'
    )
    content = '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row><row><c t="s"><v>7</v></c></row>'
    assert text_of(write_xlsx(tmp_path / "a.xlsx", {"A": content}, shared=shared)) == "A\n\nÜnal Brisk\n東京"


@pytest.mark.parametrize(
    ("value", "style", "shown"),
    [
        (0.1 + 0.2, 0, "0.3"),
        (1841, 0, "1841"),
        (-12.0, 0, "-12"),
        (47983, 2, "2031-05-15"),
        (47983.999999999, 2, "2031-05-16"),
        (1, 2, "1900-01-01"),
        (60, 2, "1900-02-29"),
        (61, 2, "1900-03-01"),
        (-1, 2, "-1"),
        (1e9, 2, "1000000000"),
        (2958465.99999997, 2, "9999-12-31"),
        (2958465.99999997, 5, "23:59"),
        (0.125, 3, "12.50%"),
        (1234.565, 4, "1,234.57 €"),
        (0.729166666, 5, "17:30"),
        (1.5, 6, "36:00:00"),
        (True, 0, "true"),
    ],
)
def test_a_number_is_read_as_it_is_shown(tmp_path: Path, value: float, style: int, shown: str) -> None:
    assert sheet(tmp_path, f"<row>{cell(value, style)}</row>") == shown


def test_days_may_be_counted_from_1904(tmp_path: Path) -> None:
    content = f"<row>{cell(46521, 2)}</row>"
    file = write_xlsx(tmp_path / "a.xlsx", {"A": content}, workbook='<workbookPr date1904="1"/>')
    assert text_of(file) == "A\n\n2031-05-15"


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("mmmm yyyy", 47983, "2031-05"),
        ("yyyy", 47983, "2031"),
        ("d-mmm", 47983, "2031-05-15"),
        ("[$-409]d/m/yy h:mm AM/PM", 47983.75, "2031-05-15 18:00"),
        ("mm:ss", 0.0104166667, "00:15:00"),
        ('"Day "0', 12, "Day 12"),
        ("[$€-407]\\ #,##0", 1234, "€ 1,234"),
        ("[Red]0.0##", 1.25, "1.25"),
        ("0.00;(0.00)", -2, "-2.00"),
        ("0.0,,", 12_345_678, "12.3"),
        ("00000", 1067, "01067"),
        ("0###", 5, "0005"),
        ("000-00-0000", 78_051_120, "078-05-1120"),
        ('"No. "0000', 42, "No. 0042"),
        ("00-00", 1234, "12-34"),
        ("0,000", 5, "0,005"),
        ("0.000\\ 000", 1.2345678, "1.234568"),
        (".00", 0.5, "0.50"),
        ("[$€-407]\\ #,##0", -1234, "-€ 1,234"),
        ("[<=9999999]###-####;(###) ###-####", 5_551_234, "555-1234"),
        ("[<=9999999]###-####;(###) ###-####", 5_035_551_234, "(503) 555-1234"),
        ('[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 1_250, "1.3K"),
        ('[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', 12, "12"),
        ("0.000000000000000000000000000000", 1e14, "100000000000000.000000000000000000000000000000"),
        ("# ?/?", 0.5, "0.5"),
        ("0.00E+00", 12345, "12345"),
        ("@", 7, "7"),
        ('"yes"', 7, "7"),
        (";;;", 7, "7"),
    ],
)
def test_a_format_code_is_followed(code: str, value: float, shown: str) -> None:
    assert number_format(code).shown(value) == shown


@given(st.text(alphabet='0#?.,;%yMdhs[]$€-"\\_*@ E+/AP', max_size=20), st.floats(allow_nan=False, allow_infinity=False))
def test_any_format_shows_any_number(code: str, value: float) -> None:
    assert isinstance(number_format(code).shown(value), str)


@given(st.text(alphabet='0#?.-() /"N\\', max_size=20), st.integers(1, 10**14))
def test_no_format_loses_a_digit_of_a_whole_number(code: str, value: int) -> None:
    shown = iter(number_format(code).shown(value))
    assert all(digit in shown for digit in str(value))  # in this order


@given(st.text(alphabet="0#?,", max_size=20).map(lambda code: f"{code}0"), st.integers(-(10**14), 10**14))
def test_places_for_digits_change_no_whole_number(code: str, value: int) -> None:
    assert int(number_format(code).shown(value).replace(",", "")) == value


def test_a_formula_is_the_value_that_is_stored_and_an_error_is_none(tmp_path: Path) -> None:
    content = (
        '<row><c><f>1+1</f><v>2</v></c><c t="str"><f>A1&amp;"x"</f><v>2x</v></c>'
        '<c t="e"><v>#DIV/0!</v></c><c><f>NOW()</f></c></row>'
    )
    assert sheet(tmp_path, content) == "2: 2x"


def test_merged_titles_stand_above_and_merged_cells_count_in_each_row(tmp_path: Path) -> None:
    content = rows(
        ["Fees of the harbour", None, None], *VESSELS, ["", "Oar", 9], [None, None, None], ["Paid in", "June", None]
    )
    merges = '<mergeCells><mergeCell ref="A1:XFD1"/><mergeCell ref="A4:A5"/></mergeCells>'
    assert sheet(tmp_path, content, merges) == (
        f"Fees of the harbour\n{READ}\nVessel: Lugger; Town: Oar; Fee: 9\n\nPaid in: June"
    )


def test_blank_rows_part_tables_and_bold_names_go_on(tmp_path: Path) -> None:
    first = rows(["Name", "Fee"], ["Cutter", 35], [], ["Lugger", 12], head=1)
    assert sheet(tmp_path, first) == "Name: Cutter; Fee: 35\n\nName: Lugger; Fee: 12"


@pytest.mark.parametrize(
    "mark",
    [
        '<autoFilter ref="A1:B9"/>',
        '<sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>',
    ],
)
def test_a_filter_and_a_frozen_pane_name_columns(tmp_path: Path, mark: str) -> None:
    assert sheet(tmp_path, rows(["Name", "Town"], ["Cutter", "Fennick"]), mark) == "Name: Cutter; Town: Fennick"


def test_a_table_of_the_sheet_names_its_columns(tmp_path: Path) -> None:
    relation = f'<Relationships><Relationship Id="r1" Type="{KINDS}/table" Target="../tables/t.xml"/></Relationships>'
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relation,
        "xl/tables/t.xml": f'<table xmlns="{SHEET}" ref="A1:B3"/>',
    }
    file = write_xlsx(tmp_path / "a.xlsx", {"A": rows(["Name", "Town"], ["Cutter", "Fennick"])}, parts=parts)
    assert text_of(file) == "A\n\nName: Cutter; Town: Fennick"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ((["Owner", "Ada Brisk"], ["Founded", 1841]), "Owner: Ada Brisk\nFounded: 1841"),
        ((["Region", 2019, 2020], ["North", 5, 6]), "Region: North; 2019: 5; 2020: 6"),
        ((["x" * 70, "Fee", "Due"], ["Cutter", 5, 6]), f"{'x' * 70}: Cutter; Fee: 5; Due: 6"),
        (([1, 2, 3], [4, 5, 6]), "1 | 2 | 3\n4 | 5 | 6"),
        ((["One."], ["Two\nlines."]), "One.\nTwo lines."),
        (([None, None, "far"],), "far"),
    ],
)
def test_names_of_columns_are_told_from_values(tmp_path: Path, table: tuple[Row, ...], text: str) -> None:
    assert sheet(tmp_path, rows(*table)) == text


@pytest.mark.parametrize(
    ("table", "merged", "text"),
    [
        (
            (["Quay", "2030", None, "2031", None], [None, "Plan", "Paid", "Plan", "Paid"], ["North", 5, 6, 7, 8]),
            ("A1:A2", "B1:C1", "D1:E1"),
            "Quay: North; 2030, Plan: 5; 2030, Paid: 6; 2031, Plan: 7; 2031, Paid: 8",
        ),
        (
            ([None, "Fee", None], ["Quay", 2030, 2031], ["North", 5, 6]),
            ("B1:C1",),
            "Quay: North; Fee, 2030: 5; Fee, 2031: 6",
        ),
        (
            (["Owner", "Ada", None], ["Town", "Fenn", None], ["Fee", 5, 6]),
            ("B1:C1", "B2:C2"),
            "Owner | Ada | Ada\nTown | Fenn | Fenn\nFee | 5 | 6",
        ),
        ((["North", "Skiff", 5], [None, "Tern", 6]), ("A1:A2",), "North | Skiff | 5\nNorth | Tern | 6"),
    ],
)
def test_names_above_names_are_told_by_merged_cells(
    tmp_path: Path, table: tuple[Row, ...], merged: tuple[str, ...], text: str
) -> None:
    merges = "".join(f'<mergeCell ref="{each}"/>' for each in merged)
    assert sheet(tmp_path, rows(*table), f"<mergeCells>{merges}</mergeCells>") == text


def test_many_rows_keep_their_names(tmp_path: Path) -> None:
    towns: list[Row] = [[n, f"Town {n}", n] for n in range(1200)]
    lines = sheet(tmp_path, rows(["No", "Town", "Fee"], *towns)).splitlines()
    assert len(lines) == 1200
    assert lines[-1] == "No: 1199; Town: Town 1199; Fee: 1199"


def test_rows_and_cells_that_are_far_away_cost_nothing(tmp_path: Path) -> None:
    far = '<row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c></row>'
    merges = '<mergeCells><mergeCell ref="B2:XFD1048575"/></mergeCells>'
    assert sheet(tmp_path, rows(["near"]) + far, merges) == "near\n\nfar"


def test_more_cells_than_it_takes_are_refused(tmp_path: Path) -> None:
    file = write_xlsx(tmp_path / "a.xlsx", {"A": rows(*VESSELS)})
    with pytest.raises(DocumentError, match="more than 8 cells"):
        list(XlsxLoader(cells=8).load(file, file.as_posix()))
    merged = write_xlsx(
        tmp_path / "b.xlsx",
        {"A": rows(["x"], *[["y"]] * 50)},
        behind='<mergeCells><mergeCell ref="A1:A51"/></mergeCells>' * 9,
    )
    with pytest.raises(DocumentError, match="more than 400 cells"):
        list(XlsxLoader(cells=400).load(merged, merged.as_posix()))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "is encrypted, or an old .xls file"),
        (b"PK\x03\x04 broken", "is damaged, or not a spreadsheet"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(DocumentError, match=reason) as caught:
        load(tmp_path / "a.xlsx")
    assert caught.value.remedy


def test_a_place_that_no_sheet_has_is_damage(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="row 9999999"):
        load(write_xlsx(tmp_path / "a.xlsx", {"A": '<row r="9999999"><c><v>1</v></c></row>'}))
