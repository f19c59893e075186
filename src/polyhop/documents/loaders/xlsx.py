"""Spreadsheets (Office Open XML)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.archives import LARGEST, ArchiveKind, PartArchive, opened
from polyhop.documents.loaders.office_parts import main_part, own_title, part_of_kind, relations_of
from polyhop.documents.loaders.sheet_rows import sheet_lines
from polyhop.documents.loaders.xlsx_parts import (
    CellCount,
    CellStyles,
    SharedStrings,
    SheetPart,
    TablePart,
    WorkbookPart,
)
from polyhop.documents.loading import SPREADSHEET, file_document, headed
from polyhop.reports import Skipped
from polyhop.types import Document

_SPREADSHEET = ArchiveKind(
    name="a spreadsheet",
    locked="encrypted, or an old .xls file",
    remedy="Open it in a spreadsheet program and save it again as .xlsx.",
)


@dataclass(frozen=True, kw_only=True)
class XlsxLoader:
    """Reads the sheets, each below its name: a row a line, each value with the name of its column.

    Numbers are read as their formats show them, dates as 2031-02-04; of formulas the stored values count. Sheets that
    are hidden are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    media_type: ClassVar[str] = SPREADSHEET
    version: ClassVar[str] = "3"

    largest: int = LARGEST  # bytes that its parts may unpack to
    cells: int = 2_000_000  # that have something in them

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or its name.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        flow = Flow()
        hidden = []
        with opened(path, _SPREADSHEET, self.largest) as archive:
            title = own_title(archive)
            main = main_part(archive, "xl/workbook.xml")
            workbook = WorkbookPart()
            archive.parse(main, workbook)
            relations = relations_of(archive, main)
            texts, styles = SharedStrings(), CellStyles()
            archive.parse(part_of_kind(relations, "sharedStrings"), texts)
            archive.parse(part_of_kind(relations, "styles"), styles)
            count = CellCount(self.cells)
            for entry in workbook.sheets:
                relation = relations.get(entry.relation)
                if relation is None or relation.kind != "worksheet":
                    continue  # a sheet that is a chart
                if entry.hidden:
                    hidden.append(Skipped(f"{uri}#{entry.name}", "is a hidden sheet; show it, and it is read"))
                    continue
                sheet = SheetPart(texts.texts, styles, count, workbook.from_1904)
                _read_sheet(archive, relation.part, sheet)
                _write_sheet(entry.name, sheet, flow)
        if flow.text() or not hidden:
            yield headed(file_document(uri, flow.text(), self.media_type, title=title), flow.marks)
        yield from hidden


def _read_sheet(archive: PartArchive, part: str, sheet: SheetPart) -> None:
    archive.parse(part, sheet)
    for relation in relations_of(archive, part).values():
        if relation.kind == "table":
            table = TablePart()
            archive.parse(relation.part, table)
            sheet.heads |= table.heads


def _write_sheet(name: str, sheet: SheetPart, flow: Flow) -> None:
    """Write the name and the rows of a sheet that has any."""
    if not sheet.rows:
        return
    flow.part(Gap.PARAGRAPH)
    flow.begin("heading")
    flow.write(name)
    flow.end("heading")
    for lines in sheet_lines(sheet):
        flow.part(Gap.PARAGRAPH)
        for line in filter(None, lines):
            flow.write_exactly(line)
            flow.part(Gap.LINE)
