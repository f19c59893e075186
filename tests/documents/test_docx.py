"""Word documents are read as people see them: tables with gaps, changes that were tracked, formulas."""

from __future__ import annotations

from pathlib import Path

from polyhop.documents.loaders.docx import DocxLoader
from polyhop.types import Document
from tests.worlds.docx import paragraph, write_docx


def load(file: Path) -> Document:
    (item,) = DocxLoader().load(file, file.as_posix())
    assert isinstance(item, Document)
    return item


def row(*cells: str, properties: str = "") -> str:
    """A row of a table."""
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in cells)}</w:tr>"


def test_docx_rows_that_begin_or_end_within_the_table_keep_their_columns(tmp_path: Path) -> None:
    rows = (
        row("Name", "Built", "Town", "Grain"),
        row("1742", "Fenn", properties="<w:gridBefore w:val='1'/><w:gridAfter w:val='1'/>"),
        row("Orla", "rye", properties="<w:gridBefore w:val='2'/>"),
        row("Ferry", "1900", properties="<w:gridAfter w:val='2'/>"),
    )
    file = write_docx(tmp_path / "mill.docx", f"<w:tbl>{''.join(rows)}</w:tbl>")
    assert load(file).text == "Built: 1742; Town: Fenn\nTown: Orla; Grain: rye\nName: Ferry; Built: 1900"


def test_docx_properties_from_before_a_tracked_change_do_not_count(tmp_path: Path) -> None:
    """What was a heading, an item, raised or a wide cell, and is none any more."""
    was = "<w:pPr><w:pStyle w:val='H'/><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr>"
    run = "<w:rPr><w:rPrChange><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:rPrChange></w:rPr>"
    runs = f"<w:r><w:t>In 1</w:t></w:r><w:r>{run}<w:t>7</w:t></w:r>"
    body = f"<w:p><w:pPr><w:pPrChange>{was}</w:pPrChange></w:pPr>{runs}</w:p>"
    wide = "<w:tcPr><w:tcPrChange><w:tcPr><w:gridSpan w:val='2'/></w:tcPr></w:tcPrChange></w:tcPr>"
    second = row("Orla mill", "1742", "Fenn").replace("<w:tc>", f"<w:tc>{wide}", 1)
    head = row("Name", "Built", "Town")
    file = write_docx(
        tmp_path / "mill.docx",
        f"{body}<w:tbl>{head}{second}</w:tbl>",
        styles='<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>',
    )
    document = load(file)
    assert document.text == "In 17\n\nName: Orla mill; Built: 1742; Town: Fenn"
    assert (document.title, document.headings) == ("mill", ())
