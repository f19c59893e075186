"""Spreadsheets (Office Open XML)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.archives import LARGEST, PartArchive, office_file, opened
from polyhop.documents.loaders.office_parts import main_part, own_title, part_of_kind, relations_of
from polyhop.documents.loaders.sheet_rows import sheets_document
from polyhop.documents.loaders.sheets import CellCount, Sheet
from polyhop.documents.loaders.xlsx_parts import NO, CellStyles, SharedStrings, SheetPart, cell_ranges
from polyhop.documents.loading import SPREADSHEET
from polyhop.reports import Skipped
from polyhop.types import Document

_SPREADSHEET = office_file("a spreadsheet", ".xls", "spreadsheet program", ".xlsx")


@dataclass(frozen=True, kw_only=True)
class XlsxLoader:
    """Reads the sheets, each below its name: a row a line, each value with the name of its column.

    Numbers are read as their formats show them, dates as 2031-02-04; of formulas the stored values count. Sheets that
    are hidden are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    media_type: ClassVar[str] = SPREADSHEET
    version: ClassVar[str] = "4"

    largest: int = LARGEST  # bytes that its parts may unpack to
    cells: int = 2_000_000  # that have something in them

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or its name.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        hidden: list[str] = []
        with opened(path, _SPREADSHEET, self.largest) as archive:
            sheets = _sheets(archive, CellCount(self.cells), hidden)
            items = list(sheets_document(sheets, hidden, uri, self.media_type, own_title(archive)))
        yield from items


def _sheets(archive: PartArchive, count: CellCount, hidden: list[str]) -> Iterator[tuple[str, Sheet]]:
    """The sheets with their names, one in memory at a time; those that are hidden are noted."""
    main = main_part(archive, "xl/workbook.xml")
    workbook = archive.elements(main, "workbookPr", "sheet")
    from_1904 = any(name == "workbookPr" and said.get("date1904", "0") not in NO for name, said in workbook)
    relations = relations_of(archive, main)
    texts, styles = SharedStrings(), CellStyles()
    archive.parse(part_of_kind(relations, "sharedStrings"), texts)
    archive.parse(part_of_kind(relations, "styles"), styles)
    for name, said in workbook:
        relation, shown = relations.get(said.get("id", "")), clean(said.get("name", ""))
        if name != "sheet" or relation is None or relation.kind != "worksheet":
            continue  # a sheet that is a chart
        if said.get("state", "visible") != "visible":
            hidden.append(shown)
            continue
        sheet = SheetPart(texts.texts, styles, Sheet(count), from_1904)
        _read_sheet(archive, relation.part, sheet)
        yield shown, sheet.sheet


def _read_sheet(archive: PartArchive, part: str, sheet: SheetPart) -> None:
    archive.parse(part, sheet)
    for relation in relations_of(archive, part).values():
        if relation.kind == "table":
            for _, table in archive.elements(relation.part, "table"):
                if table.get("headerRowCount", "1") != "0":
                    sheet.sheet.heads.update(each.top for each in cell_ranges(table.get("ref", "")))
