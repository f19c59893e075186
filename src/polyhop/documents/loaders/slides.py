"""What stands on a slide, or in its notes: a title, paragraphs and items, and rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.archives import Attributes, PartEvents
from polyhop.documents.loaders.formulas import FORMULA, FormulaText, TextWithFormulas
from polyhop.documents.tables import Cell, Tables

HEADING: Final = "heading"
_TITLES: Final = frozenset(("title", "ctrTitle"))
_REPEATED: Final = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))  # on every slide the same, or a picture of it
_LISTS: Final = frozenset(("body", "obj"))
_COUNTED: Final = ("slidenum", "datetime")  # fields that say where and when it is shown
_SHAPES: Final = frozenset(("sp", "graphicFrame", "pic", "cxnSp"))
_TRUE: Final = ("1", "true")
_DEEPEST: Final = 8  # levels of items


class _Paragraph(NamedTuple):
    text: str
    level: int
    item: bool | None  # whether it has a mark of its own; nothing where the shape decides


class SlidePart(TextWithFormulas):
    """Reads a slide. Shapes are read in the order in which they are drawn, the title first."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.hidden = False
        self.diagrams: list[str] = []  # the relations of those whose text is in a part of its own
        self._tables = Tables()
        self._place = ""  # which of the layout's places the shape is in
        self._headed = False  # whether the next row of the table names its columns
        self._shape: list[_Paragraph] = []
        self._level = 0
        self._item: bool | None = None

    def flow(self) -> Flow:
        """All of it, with the title as a heading."""
        self._end_shape()
        flow = Flow()
        flow.begin(HEADING)
        flow.write(self.title)
        flow.end(HEADING)
        flow.part(Gap.PARAGRAPH)
        flow.append(self._tables.finished())
        return flow

    def _starts(self, name: str, attributes: Attributes) -> None:
        if self._skipping or self._is_left_out(name, attributes):
            self._skipping.append(name)
            return
        beginnings: Mapping[str, Callable[[], object]] = {
            "tbl": self._begin_table,
            "tr": self._begin_row,
            "p": self._begin_paragraph,
        }
        beginnings.get(name, lambda: None)()
        self._describe(name, attributes)
        if name in _SHAPES:
            self._end_shape()
            self._place = ""
        elif name in ("r", "fld"):
            self._in_run, self._raised = True, False
        elif name == "t":
            self._in_text = self._in_run
        elif name == FORMULA:
            self._formula = FormulaText()
        elif name in ("br", "tab"):
            self._text.append("\n" if name == "br" else "\t")

    def _ends(self, name: str) -> None:
        if self._skipping:
            if name == self._skipping[-1]:
                self._skipping.pop()
        elif name == "t":
            self._in_text = False
        elif name in ("r", "fld"):
            self._in_run = False
        elif name == "p":
            self._end_paragraph()
        elif name == "txBody":
            self._end_shape()
        elif name == "tc":
            self._tables.end_cell()
        elif name == "tbl":
            self._tables.end_table()

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        """Whether an element is said twice, or goes on with a cell before it."""
        if name == "tc":
            return any(attributes.get(merge) in _TRUE for merge in ("hMerge", "vMerge"))
        if name == "fld":
            return attributes.get("type", "").startswith(_COUNTED)
        return name == "Fallback" or (name == "txBody" and self._place in _REPEATED)

    def _describe(self, name: str, attributes: Attributes) -> None:
        level = attributes.get("lvl", "0")
        if name == "sld":
            self.hidden = attributes.get("show", "1") not in _TRUE
        elif name == "ph":
            self._place = attributes.get("type", "obj")
        elif name == "relIds":
            self.diagrams.append(attributes.get("dm", ""))
        elif name == "tblPr":
            self._headed = attributes.get("firstRow") in _TRUE
        elif name == "tc":
            columns, rows = (_number(attributes.get(span, "")) for span in ("gridSpan", "rowSpan"))
            self._tables.begin_cell(Cell(columns=columns, rows=rows))
        elif name == "pPr":
            self._level = min(_DEEPEST, int(level)) if level.isdecimal() and len(level) < 3 else 0
        elif name == "rPr" and self._in_run:
            self._raised = _is_above(attributes.get("baseline", ""))
        elif name in ("buChar", "buAutoNum", "buNone"):
            self._item = name != "buNone"

    def _begin_table(self) -> None:
        self._headed = False
        self._tables.begin_table()

    def _begin_row(self) -> None:
        self._tables.begin_row()
        if self._headed:
            self._tables.head()
            self._headed = False

    def _begin_paragraph(self) -> None:
        self._text.clear()
        self._level, self._item = 0, None

    def _end_paragraph(self) -> None:
        text = self._taken()
        if not text:
            return
        if self._tables.cell() is not None:
            self._tables.flow.part(Gap.LINE)
            self._tables.flow.write_exactly(text)
        elif self._place in _TITLES:
            self.title = f"{self.title} {text}".strip()
        else:
            self._shape.append(_Paragraph(text, self._level, self._item))

    def _end_shape(self) -> None:
        """Write the paragraphs of a shape; several in the place for a list are its items."""
        several = len(self._shape) > 1 and self._place in _LISTS
        flow = self._tables.flow
        flow.part(Gap.PARAGRAPH)
        for paragraph in self._shape:
            item = several if paragraph.item is None else paragraph.item
            flow.part(Gap.LINE)
            flow.write_exactly(f"{'  ' * paragraph.level}• {paragraph.text}" if item else paragraph.text)
        self._shape.clear()
        flow.part(Gap.PARAGRAPH)


class SlideOrder(PartEvents):
    """The relations of the slides of a presentation, in their order."""

    def __init__(self) -> None:
        self.relations: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name == "sldId":
            self.relations.append(attributes.get("id", ""))


def _is_above(baseline: str) -> bool:
    """Whether text is set above the line: by a share of the letters' height that is not nothing."""
    return baseline[:1].isdecimal() and bool(baseline.strip("0%"))


def _number(written: str) -> int:
    return int(written) if written.isdecimal() and len(written) < 5 else 1
