"""A row of a table is read with the names of its columns, whatever format the table is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.documents.loaders.docx import DocxLoader
from polyhop.documents.loaders.html import HtmlLoader
from polyhop.documents.loaders.markdown import MarkdownLoader
from polyhop.documents.loading import Loader
from polyhop.types import Document
from tests.worlds.docx import paragraph, write_docx


def load(loader: Loader, file: Path, content: str) -> Document:
    file.write_text(content, encoding="utf-8")
    (document,) = loader.load(file, file.as_posix())
    assert isinstance(document, Document)
    return document


def html(tmp_path: Path, table: str) -> str:
    return load(HtmlLoader(), tmp_path / "a.html", f"<table>{table}</table>").text


def docx(tmp_path: Path, *rows: str) -> str:
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    file = write_docx(tmp_path / "a.docx", f"<w:tbl>{table}</w:tbl>")
    (document,) = DocxLoader().load(file, file.as_posix())
    return document.text


def cell(text: str, properties: str = "", *, bold: bool = False) -> str:
    run = f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>" if bold else paragraph(text)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{run}</w:tc>"


FEES = ["Vessel: Skiff; Fee: 5 crowns; Period: a night", "Vessel: Cutter; Fee: 35 crowns; Period: a night"]


def test_the_first_row_of_short_names_names_the_columns(tmp_path: Path) -> None:
    rows = [("Vessel", "Fee", "Period"), ("Skiff", "5 crowns", "a night"), ("Cutter", "35 crowns", "a night")]
    assert docx(tmp_path, *("".join(map(cell, row)) for row in rows)).split("\n") == FEES
    assert html(tmp_path, "".join(f"<tr><td>{'<td>'.join(row)}" for row in rows)).split("\n") == FEES


@pytest.mark.parametrize(
    "rows",
    [
        ["Orla | Fenn | £388 | 30 September 2024", "Tarn | Sable | £1,372 | not stated"],
        ["Orla | Fenn | 30 September 2024", "Tarn | Sable | 1 May 2025"],
        ["Orla | Fenn | 2024-09-30", "Tarn | Sable | open"],
        ["Orla | Fenn | 12 %", "Tarn | Sable | 9.5 %"],
        ["Orla | Fenn | 6 years", "Tarn | Sable | 18 months"],
        ["Orla | Fenn | +41 44 555 01", "Tarn | Sable | none"],
        ["07:30 | Fenn | ferry", "08:15 | Sable | boat"],
        ["Orla | Fenn | yes", "Tarn | Sable | no"],
        ["Orla | Fenn | rye", "Tarn | Sable | oats", "Brisk | Fenn | rye"],
    ],
)
def test_a_first_row_of_values_names_nothing(tmp_path: Path, rows: list[str]) -> None:
    """It is a row like those below it: its values have their form, or stand there again."""
    assert html(tmp_path, _unmarked(rows)).split("\n") == rows


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (["Mill | 2030/31 | Change", "Orla | 1,204 | 3 %"], "Mill: Orla; 2030/31: 1,204; Change: 3 %"),
        (["Member | 3 May | 10 May", "Voss | here | ill"], "Member: Voss; 3 May: here; 10 May: ill"),
        (["Gate | No | Open", "Inner | 4 | no"], "Gate: Inner; No: 4; Open: no"),
        (["Fee | 1st class | 2nd class", "Day | £12 | £9"], "Fee: Day; 1st class: £12; 2nd class: £9"),
        (["Gate | Q1 | Q2", "Inner | shut | open"], "Gate: Inner; Q1: shut; Q2: open"),
        (["Gate | Clerk", "Inner | Voss"], "Inner: Voss"),
    ],
)
def test_numbers_in_names_of_columns_leave_them_names(tmp_path: Path, rows: list[str], last: str) -> None:
    assert html(tmp_path, _unmarked(rows)).split("\n")[-1] == last


def _unmarked(rows: list[str]) -> str:
    """A web page's table without a mark that says which row names the columns."""
    return "".join(f"<tr><td>{row.replace(' | ', '<td>')}" for row in rows)


def test_markdown_rows_have_names_unless_they_are_code(tmp_path: Path) -> None:
    table = "| Vessel | Fee | Period |\n|:--|--:|---|\n| Skiff | 5 crowns | a night |\n| Cutter | 35 crowns | a night |"
    text = f"# Fees\n\n{table}\n\nPaid on Monday.\n\n```\n{table}\n```\n"
    document = load(MarkdownLoader(), tmp_path / "a.md", text)
    assert document.text.split("\n\n") == ["# Fees", "\n".join(FEES), "Paid on Monday.", f"```\n{table}\n```"]
    assert [document.text[start:end] for start, end in document.headings] == ["Fees"]


def test_a_cell_over_several_rows_is_in_each(tmp_path: Path) -> None:
    table = "<tr><th>Quay<th>Vessel<th>Fee<tr><td rowspan=2>North<td>Skiff<td>5<tr><td>Cutter<td>35"
    lines = ["Quay: North; Vessel: Skiff; Fee: 5", "Quay: North; Vessel: Cutter; Fee: 35"]
    assert html(tmp_path, table).split("\n") == lines
    names = "".join(cell(name, bold=True) for name in ("Quay", "Vessel", "Fee"))
    first = cell("North", '<w:vMerge w:val="restart"/>') + cell("Skiff") + cell("5")
    assert docx(tmp_path, names, first, cell("", "<w:vMerge/>") + cell("Cutter") + cell("35")).split("\n") == lines


def test_names_above_names_are_one_name(tmp_path: Path) -> None:
    table = (
        "<tr><th rowspan=2>Quay<th colspan=2>Fee<tr><th>summer<th>winter<tr><td>North<td>5<td>3"
        "<tr><td colspan=3>Closed on feast days"
    )
    assert html(tmp_path, table).split("\n") == ["Quay: North; Fee, summer: 5; Fee, winter: 3", "Closed on feast days"]
    double = cell("Fee", '<w:gridSpan w:val="2"/>', bold=True)
    above = cell("Quay", '<w:vMerge w:val="restart"/>', bold=True) + double
    below = cell("", "<w:vMerge/>") + cell("summer", bold=True) + cell("winter", bold=True)
    assert docx(tmp_path, above, below, "".join(map(cell, ("North", "5", "3")))) == (
        "Quay: North; Fee, summer: 5; Fee, winter: 3"
    )


def test_a_row_of_names_that_ends_early_takes_no_name_from_another(tmp_path: Path) -> None:
    names = "<tr><th>Vessel<th>Fees</tr><tr><th><th>2030<th>2031</tr>"
    assert html(tmp_path, f"{names}<tr><td>Cutter<td>35<td>36</tr>") == "Vessel: Cutter; Fees, 2030: 35; 2031: 36"


def test_a_row_that_word_repeats_on_each_page_names_the_columns(tmp_path: Path) -> None:
    head = "<w:trPr><w:tblHeader/></w:trPr>" + cell("Officer") + cell("Duty")
    assert docx(tmp_path, head, cell("Keeper") + cell("the lamp")) == "Officer: Keeper; Duty: the lamp"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<tr><th>Keeper<td>Lena Voss<tr><th>Built:<td>1742", "Keeper: Lena Voss\nBuilt: 1742"),
        ("<tr><td>Keeper<td>Lena Voss<tr><td>Built<td>1742", "Keeper: Lena Voss\nBuilt: 1742"),
        ("<tr><td>1<td>2<td>3<tr><td>4<td>5<td>6", "1 | 2 | 3\n4 | 5 | 6"),
        ("<tr><th><th>2030<th>2031<tr><td>Rye<td>5<td>6", "Rye; 2030: 5; 2031: 6"),
        ("<tr><th>a<th>b<tr><td>1<td><tr><td><td>2", "a: 1\nb: 2"),
        ("<caption>Fees</caption><tr><th>a<th>b<tr><td>1<td>2", "Fees\n\na: 1; b: 2"),
        ("<tr><th colspan=2>Fees of 2031<tr><th>a<th>b<tr><td>1<td>2", "Fees of 2031\na: 1; b: 2"),
        ("<tr><th>a<th>b", "a | b"),
        ("<tr><td colspan=3>Oars<tr><td><td>-l<td>long<tr><td><td>-s<td>short", "Oars\n-l: long\n-s: short"),
        ("<tr><td><td>Fee<td>Period<tr><td>Skiff<td>5<td>a night", "Skiff; Fee: 5; Period: a night"),
        ("<thead><tr><td>Quay<td>Fee<tbody><tr><td>North<td>5", "Quay: North; Fee: 5"),
        ("<tr><td colspan=99999999999>a<td rowspan=x>b", "a: b"),
    ],
)
def test_rows_say_what_they_can(tmp_path: Path, table: str, text: str) -> None:
    assert html(tmp_path, table) == text


def test_an_empty_column_only_sets_the_others_apart(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>&nbsp;</td><td>{said}</td></tr>" for name, said in (("Gate", "shut"), ("Lock", "open"))
    )
    assert html(tmp_path, rows) == "Gate: shut\nLock: open"
    kept = "<tr><th>Gate</th><th>Depth</th></tr><tr><td>Inner</td><td></td></tr><tr><td>Outer</td><td></td></tr>"
    assert html(tmp_path, kept) == "Gate: Inner\nGate: Outer"


def test_a_table_for_looks_is_read_as_paragraphs(tmp_path: Path) -> None:
    prose = "Lena Voss repaired the mill. " * 30
    page = f"<table><tr><td>Menu<td><h2>The mill</h2><p>{prose}</table>"
    document = load(HtmlLoader(), tmp_path / "a.html", page)
    assert document.text == f"Menu\n\nThe mill\n\n{prose.strip()}"
    assert [document.text[start:end] for start, end in document.headings] == ["The mill"]


@pytest.mark.parametrize(
    ("cell_of_page", "said"),
    [
        ("Ada Brisk<br>Otto Fell", "Ada Brisk, Otto Fell"),
        ("1 gate<br>2 locks<br>half a weir", "1 gate, 2 locks, half a weir"),
        ("<ul><li>gates<li>Locks (two)</ul>", "gates, Locks (two)"),
        ("the keeper<br>and the clerk", "the keeper and the clerk"),
        ("10 km<br>(6 miles)", "10 km (6 miles)"),
        ("The gate is shut.<br>Ask the keeper.", "The gate is shut. Ask the keeper."),
        ("Quay Street 12,<br>Quillmouth", "Quay Street 12, Quillmouth"),
        ("&bull; gates<br>&bull; locks", "\u2022 gates \u2022 locks"),
        (
            f"{'Nobody but the keeper of the mill ' * 2}<br>Ada Brisk",
            f"{'Nobody but the keeper of the mill ' * 2}Ada Brisk",
        ),
    ],
)
def test_things_on_lines_of_one_cell_are_told_apart(tmp_path: Path, cell_of_page: str, said: str) -> None:
    """And the lines of a sentence are not; nor does a name of a column have commas."""
    table = f"<tr><th>Of<br>Orla<th>Who<tr><td>Mill<td>{cell_of_page}"
    assert html(tmp_path, table) == f"Of Orla: Mill; Who: {said}"


def test_lines_of_cells_are_told_apart_in_other_formats(tmp_path: Path) -> None:
    table = "| Mill | Who |\n|---|---|\n| Orla | Ada Brisk<br>Otto Fell |"
    assert load(MarkdownLoader(), tmp_path / "a.md", table).text == "Mill: Orla; Who: Ada Brisk, Otto Fell"
    two = f"<w:tc>{paragraph('Ada Brisk')}{paragraph('Otto Fell')}</w:tc>"
    assert docx(tmp_path, cell("Orla") + two) == "Orla: Ada Brisk, Otto Fell"


def test_a_table_of_one_column_keeps_the_lines_of_its_cells(tmp_path: Path) -> None:
    """It lays a page out; a list of names in one stays a list."""
    inner = "<table><tr><th>Gate<th>Opens<tr><td>Inner<td>six<tr><td>Outer<td>seven</table>"
    assert html(tmp_path, f"<tr><td>1 gate<br>2 locks<tr><td>{inner}") == (
        "1 gate\n2 locks\n\nGate: Inner; Opens: six\nGate: Outer; Opens: seven"
    )
    assert html(tmp_path, "<tr><td>Ada Brisk<tr><td>Otto Fell") == "Ada Brisk\nOtto Fell"
    assert html(tmp_path, "<tr><th>Who<tr><td>Ada Brisk<br>Otto Fell") == "Who\nAda Brisk, Otto Fell"
