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
