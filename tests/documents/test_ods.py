"""OpenDocument spreadsheets are read as those of Excel are: sheet by sheet and row by row, as people see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.documents.loaders.ods import OdsLoader
from polyhop.documents.loaders.xlsx import XlsxLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.odf import cell, p, row, style, table, write_odf
from tests.worlds.xlsx import rows, write_xlsx

BOLD = style("b", "table-cell", 'fo:font-weight="bold"')
VESSELS = (row("Vessel", "Town", "Fee"), row("Cutter", "Fennick", "35"), row("Lugger", "Tarn", "12"))


def load(file: Path) -> list[Document | Skipped]:
    return list(OdsLoader().load(file, file.as_posix()))


def text_of(file: Path) -> str:
    (document,) = load(file)
    assert isinstance(document, Document)
    return document.text


def sheet(tmp_path: Path, *written: str, behind: str = "", automatic: str = "", settings: str = "") -> str:
    """The text of a workbook of one sheet, without its name."""
    file = write_odf(tmp_path / "a.ods", table(*written) + behind, automatic=automatic, settings=settings)
    name, _, text = text_of(file).partition("\n\n")
    assert name == "Fees"
    return text


def valued(kind: str, value: str, shown: str = "", more: str = "") -> str:
    """A cell with a value of a kind, and what it shows."""
    name = "value" if kind in ("float", "percentage", "currency") else f"{kind}-value"
    attributes = f'office:value-type="{kind}" office:{name}="{value}" {more}'
    return cell(*([shown] if shown else []), attributes=attributes)


@pytest.mark.parametrize("suffix", [".ods", ".fods"])
def test_what_excel_and_opendocument_say_alike_is_read_alike(tmp_path: Path, suffix: str) -> None:
    excel = write_xlsx(
        tmp_path / "fees.xlsx",
        {"Vessels": rows(["Vessel", "Town", "Fee"], ["Cutter", "Fennick", 35], [], ["Owner", "Ada"]), "Notes": ""},
    )
    first = table(*VESSELS[:1], row("Cutter", "Fennick", valued("float", "35", "35")), row(), row("Owner", "Ada"))
    body = first.replace("Fees", "Vessels") + table(name="Notes")
    (expected,) = XlsxLoader().load(excel, "fees")
    (document,) = load(write_odf(tmp_path / f"fees{suffix}", body))
    assert isinstance(document, Document)
    assert isinstance(expected, Document)
    assert (document.text, document.title, document.headings) == (expected.text, expected.title, expected.headings)


def test_a_hidden_sheet_is_left_out_and_named_and_a_copy_of_another_file_is_not(tmp_path: Path) -> None:
    hidden = style("ta2", "table", 'table:display="false"', kind="table")
    lists = table(row("secret"), name="Lists", attributes='table:style-name="ta2"')
    copy = table(row("old"), name="'file:///b.ods'#$Sheet1", attributes='table:style-name="ta2"')
    file = write_odf(tmp_path / "a.ods", table(*VESSELS) + lists + copy, automatic=hidden)
    document, skipped = load(file)
    assert isinstance(document, Document)
    assert isinstance(skipped, Skipped)
    assert "secret" not in document.text
    assert "old" not in document.text
    assert (skipped.uri, skipped.reason) == (f"{file.as_posix()}#Lists", "is a hidden sheet; show it, and it is read")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (valued("float", "1234.5", "1,234.50 €"), "1,234.50 €"),
        (valued("float", "1234.5"), "1234.5"),
        (valued("percentage", "0.125", "12.5%"), "12.5%"),
        (valued("percentage", "0.125"), "12.5%"),
        (valued("currency", "5", more='office:currency="EUR"'), "5 EUR"),
        (valued("boolean", "true", "WAHR"), "true"),
        (valued("float", "1", "TRUE"), "true"),
        (valued("date", "2031-05-15", "15.05.31"), "2031-05-15"),
        (valued("date", "2031-05-15T17:30:00", "15.05.31 17:30"), "2031-05-15 17:30:00"),
        (valued("date", "2031-05-15T00:00:00"), "2031-05-15"),
        (valued("date", "2031-05-15", "May 31", 'table:style-name="month"'), "2031-05"),
        (valued("date", "2031-05-15", "31", 'table:style-name="year"'), "2031"),
        (valued("date", "2031-05-15T17:30:05", "17:30", 'table:style-name="clock"'), "17:30"),
        (valued("date", "soon", "soon"), "soon"),
        (valued("time", "PT06H05M00S", "6:05"), "06:05"),
        (valued("time", "PT36H00M07S", "36:00:07"), "36:00:07"),
        (valued("string", "kept"), "kept"),
        (cell("One", "two"), "One two"),
        (valued("float", "1e999"), ""),
        (cell("#DIV/0!", attributes='office:value-type="string" calcext:value-type="error"'), ""),
        (cell("Err:502", attributes='table:formula="of:=X" office:value-type="string"'), ""),
        (cell("#1", attributes='office:value-type="string"'), "#1"),
    ],
)
def test_a_cell_is_read_as_it_is_shown(tmp_path: Path, written: str, shown: str) -> None:
    styles = "".join(
        f'<number:date-style style:name="N{name}">{"".join(f"<number:{part}/>" for part in parts.split())}'
        f"</number:date-style>{style(name, 'table-cell', data_style_name=f'N{name}')}"
        for name, parts in (("month", "month year"), ("year", "year"), ("clock", "hours minutes"))
    )
    assert sheet(tmp_path, row("x", written), automatic=styles) == (f"x: {shown}" if shown else "x")


def test_merged_cells_count_in_each_place(tmp_path: Path) -> None:
    tall, wide = 'table:number-rows-spanned="2"', 'table:number-columns-spanned="2"'
    names = (
        row(cell("Quay", attributes=tall), cell("2030", attributes=wide), cell(covered=True)),
        row(cell(covered=True), "Plan", "Paid"),
    )
    values = row("North", *(valued("float", n, n) for n in ("5", "6")))
    assert sheet(tmp_path, *names, values) == "Quay: North; 2030, Plan: 5; 2030, Paid: 6"


@pytest.mark.parametrize(
    "mark",
    [
        {"automatic": BOLD, "attributes": 'table:style-name="b"'},
        {"automatic": BOLD, "row": 'table:default-cell-style-name="b"'},
        {"frozen": "2"},
        {"range": "Fees.A1:Fees.B3"},
        {"range": "$'Fees'.$A$1:.$B$3"},
        {"heads": "yes"},
    ],
)
def test_what_names_columns_is_told_as_in_other_spreadsheets(tmp_path: Path, mark: dict[str, str]) -> None:
    first = row(*(cell(text, attributes=mark.get("attributes", "")) for text in ("Name", "Town")))
    first = first.replace("<table:table-row ", f"<table:table-row {mark.get('row', '')}")
    if "heads" in mark:
        first = f"<table:table-header-rows>{first}</table:table-header-rows>"
    ranges = f'<table:database-range table:target-range-address="{mark["range"]}"/>' if "range" in mark else ""
    items = "".join(
        f'<config:config-item config:name="VerticalSplit{name}">{value}</config:config-item>'
        for name, value in (("Mode", mark.get("frozen", "0")), ("Position", "1"))
    )
    entry = f'<config:config-item-map-entry config:name="Fees">{items}</config:config-item-map-entry>'
    settings = f'<config:config-item-map-named config:name="Tables">{entry}</config:config-item-map-named>'
    text = sheet(
        tmp_path,
        first,
        row("Cutter", "Fennick"),
        row("Lugger", "Tarn"),
        behind=f"<table:database-ranges>{ranges}</table:database-ranges>",
        automatic=mark.get("automatic", ""),
        settings=settings,
    )
    assert text == "Name: Cutter; Town: Fennick\nName: Lugger; Town: Tarn"


def test_a_style_of_a_column_holds_for_cells_that_have_none(tmp_path: Path) -> None:
    columns = '<table:table-column table:number-columns-repeated="2" table:default-cell-style-name="b"/>'
    assert sheet(tmp_path, columns, row("A", "B", "C"), automatic=BOLD) == "A: B; C"


def test_repeated_values_stand_in_each_place_and_are_not_one(tmp_path: Path) -> None:
    twice = cell("x", attributes='table:number-columns-repeated="3"')
    again = row("y", "z", "w", attributes='table:number-rows-repeated="2"')
    assert sheet(tmp_path, row(twice), again) == "x | x | x\ny | z | w\ny | z | w"


def test_empty_rows_and_cells_without_number_cost_nothing(tmp_path: Path) -> None:
    empty = row(
        cell(attributes='table:number-columns-repeated="16384"'), attributes='table:number-rows-repeated="900000"'
    )
    tail = row("far", cell(attributes='table:number-columns-repeated="999999999"'))
    assert sheet(tmp_path, row("near"), empty, tail) == "near\n\nfar"


def test_more_cells_than_it_takes_are_refused_before_they_are_made(tmp_path: Path) -> None:
    wide = cell("x", attributes='table:number-columns-repeated="16384"')
    file = write_odf(tmp_path / "a.ods", table(row(wide, attributes='table:number-rows-repeated="1048576"')))
    with pytest.raises(DocumentError, match="more than 2,000,000 cells"):
        load(file)
    with pytest.raises(DocumentError, match="more than 8 cells"):
        list(OdsLoader(cells=8).load(write_odf(tmp_path / "b.ods", table(*VESSELS)), "b"))


@pytest.mark.parametrize(
    "written",
    [
        row(cell("x", attributes='table:number-columns-repeated="999999999"')),
        row(attributes='table:number-rows-repeated="1048576"') + row("x"),
    ],
)
def test_a_place_that_no_sheet_has_is_damage(tmp_path: Path, written: str) -> None:
    with pytest.raises(DocumentError, match="a cell in"):
        load(write_odf(tmp_path / "a.ods", table(written)))


def test_comments_drawings_and_changes_are_left_out(tmp_path: Path) -> None:
    comment = f"<office:annotation>{p('really?')}</office:annotation>"
    noted = f"<table:table-cell>{comment}{p('kept')}</table:table-cell>"
    shapes = f"<table:shapes><draw:frame><draw:text-box>{p('drawn')}</draw:text-box></draw:frame></table:shapes>"
    gone = f"<table:tracked-changes><table:cell-content-deletion>{row('gone')}</table:cell-content-deletion>"
    body = f"{gone}</table:tracked-changes>{table(shapes, row(noted))}"
    assert text_of(write_odf(tmp_path / "a.ods", body)) == "Fees\n\nkept"
