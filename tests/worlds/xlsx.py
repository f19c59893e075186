"""Spreadsheets, as far as loaders read them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
Row = Sequence[str | float | bool | None]
STYLES = (  # a cell's s: 0 general, 1 bold, 2 a day, 3 a share, 4 an amount, 5 a time, 6 a duration
    '<numFmts><numFmt numFmtId="170" formatCode="#,##0.00\\ &quot;€&quot;"/></numFmts>'
    "<fonts><font/><font><b/></font></fonts><cellStyleXfs><xf/></cellStyleXfs><cellXfs>"
    + "".join(
        f'<xf numFmtId="{number}" fontId="{font}"/>'
        for number, font in ((0, 0), (0, 1), (14, 0), (10, 0), (170, 0), (20, 0), (46, 0))
    )
    + "</cellXfs>"
)


def cell(value: str | float | bool | None, style: int = 0) -> str:
    """A cell without its place: texts are written into it, as some programs do."""
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr" s="{style}"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c s="{style}"><v>{value!r}</v></c>'


def rows(*table: Row, head: int = 0) -> str:
    """The rows of a sheet; those of the head are bold, and one without cells is left out."""
    return "".join(
        f'<row r="{number}">{"".join(cell(value, int(number <= head)) for value in row)}</row>'
        for number, row in enumerate(table, start=1)
        if row
    )


def write_xlsx(
    file: Path,
    sheets: dict[str, str],
    *,
    behind: str = "",
    shared: str = "",
    workbook: str = "",
    states: dict[str, str] | None = None,
    parts: dict[str, str] | None = None,
) -> Path:
    """A workbook of sheets, each with its rows; ``behind`` stands behind the rows of each."""
    relations = [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
    relations += [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    listed = "".join(
        f'<sheet name={quoteattr(name)} r:id="r{n}" state="{(states or {}).get(name, "visible")}"/>'
        for n, name in enumerate(sheets, start=3)
    )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships><Relationship Id="a" Type="{KINDS}/officeDocument" Target="xl/book.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/book.xml",
            f'<workbook xmlns="{SHEET}" xmlns:r="{KINDS}">{workbook}<sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/book.xml.rels",
            "<Relationships>"
            + "".join(
                f'<Relationship Id="r{n}" Type="{KINDS}/{kind}" Target="{target}"/>'
                for n, (kind, target) in enumerate(relations, start=1)
            )
            + "</Relationships>",
        )
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{SHEET}">{STYLES}</styleSheet>')
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{SHEET}">{shared}</sst>')
        for n, content in enumerate(sheets.values(), start=1):
            sheet = f"<sheetData>{content}</sheetData>{behind}"
            archive.writestr(f"xl/worksheets/sheet{n}.xml", f'<worksheet xmlns="{SHEET}">{sheet}</worksheet>')
        for name, content in (parts or {}).items():
            archive.writestr(name, content)
    return file
