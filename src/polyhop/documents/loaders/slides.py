"""What stands on a slide, or in its notes: a title, paragraphs and items, and rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from polyhop.documents.flow import Flow, Gap, joined
from polyhop.documents.loaders.archives import Attributes, count_in
from polyhop.documents.loaders.formulas import FORMULA, FormulaText, TextWithFormulas
from polyhop.documents.loading import file_document, headed
from polyhop.documents.tables import Cell, Tables
from polyhop.reports import Skipped
from polyhop.types import Document

_TITLES: Final = frozenset(("title", "ctrTitle"))
_REPEATED: Final = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))  # on every slide the same, or a picture of it
_LISTS: Final = frozenset(("body", "obj"))
_COUNTED: Final = ("slidenum", "datetime")  # fields that say where and when it is shown
_SHAPES: Final = frozenset(("sp", "graphicFrame", "pic", "cxnSp"))
_TRUE: Final = ("1", "true")
_DEEPEST: Final = 8  # levels of items
_NAMED_BY_PROGRAM: Final = "powerpoint"  # within the title that a file has whose author gave it none, in any language


class _Paragraph(NamedTuple):
    text: str
    level: int
    item: bool | None  # whether it has a mark of its own; nothing where the shape decides


class Slide:
    """What is read of a slide: shapes in the order in which they are drawn, the title first."""

    def __init__(self) -> None:
        self.title = ""
        self.hidden = False
        self.tables = Tables()
        self.place = ""  # which of the layout's places the shape is in
        self._shape: list[_Paragraph] = []

    def begin_shape(self, place: str = "") -> None:
        """A shape begins, in one of the layout's places or in none."""
        self.end_shape()
        self.place = place

    def write(self, text: str, level: int = 0, item: bool | None = None) -> None:
        """A paragraph, if it says anything; ``item``: whether it has a mark, or None where the place decides."""
        if not text:
            return
        if self.tables.cell() is not None:
            self.tables.flow.part(Gap.LINE)
            self.tables.flow.write_exactly(text)
        elif self.place in _TITLES:
            self.title = f"{self.title} {text}".strip()
        else:
            self._shape.append(_Paragraph(text, level, item))

    def end_shape(self) -> None:
        """Write the paragraphs of a shape; several in the place for a list are its items."""
        several = len(self._shape) > 1 and self.place in _LISTS
        flow = self.tables.flow
        flow.part(Gap.PARAGRAPH)
        for paragraph in self._shape:
            item = several if paragraph.item is None else paragraph.item
            flow.part(Gap.LINE)
            flow.write_exactly(f"{'  ' * paragraph.level}• {paragraph.text}" if item else paragraph.text)
        self._shape.clear()
        flow.part(Gap.PARAGRAPH)

    def flow(self) -> Flow:
        """All of it, with the title as a heading."""
        self.end_shape()
        flow = Flow()
        flow.heading(self.title)
        flow.append(self.tables.finished())
        return flow


def add_notes(flow: Flow, notes: Slide) -> None:
    """Write what is said to a slide below it, if anything is."""
    said = notes.flow()
    if said.text():
        flow.part(Gap.PARAGRAPH)
        flow.write_exactly("Notes: ")
        flow.append(said)


def slides_document(
    slides: Iterable[tuple[Slide, Flow]], uri: str, media_type: str, own_title: str
) -> Iterator[Document | Skipped]:
    """A document whose pages are the slides, and those that are hidden; the title is its own, or a slide's."""
    title = "" if _NAMED_BY_PROGRAM in own_title.lower() else own_title
    flows: list[Flow] = []
    hidden: list[Skipped] = []
    for number, (slide, flow) in enumerate(slides, start=1):
        if slide.hidden:
            hidden.append(Skipped(f"{uri}#{number}", "is a hidden slide; show it, and it is read"))
        else:
            title = title or slide.title
        flows.append(Flow() if slide.hidden else flow)
    read = joined(flows)
    if read.text or not hidden:
        document = file_document(uri, read.text, media_type, title=title)
        yield headed(replace(document, pages=read.begins), read.headings)
    yield from hidden


class SlidePart(TextWithFormulas):
    """Reads a slide, or its notes."""

    def __init__(self) -> None:
        super().__init__()
        self.slide = Slide()
        self.diagrams: list[str] = []  # the relations of those whose text is in a part of its own
        self._level = 0
        self._item: bool | None = None

    def _starts(self, name: str, attributes: Attributes) -> None:
        if self._skipping or self._is_left_out(name, attributes):
            self._skipping.append(name)
            return
        beginnings: Mapping[str, Callable[[], object]] = {
            "tbl": self.slide.tables.begin_table,
            "tr": self.slide.tables.begin_row,
            "p": self._begin_paragraph,
        }
        beginnings.get(name, lambda: None)()
        self._describe(name, attributes)
        if name in _SHAPES:
            self.slide.begin_shape()
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
            self.slide.end_shape()
        elif name == "tc":
            self.slide.tables.end_cell()
        elif name == "tbl":
            self.slide.tables.end_table()

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        """Whether an element is said twice, or goes on with a cell before it."""
        if name == "tc":
            return any(attributes.get(merge) in _TRUE for merge in ("hMerge", "vMerge"))
        if name == "fld":
            return attributes.get("type", "").startswith(_COUNTED)
        return name == "Fallback" or (name == "txBody" and self.slide.place in _REPEATED)

    def _describe(self, name: str, attributes: Attributes) -> None:
        level = attributes.get("lvl", "0")
        if name == "sld":
            self.slide.hidden = attributes.get("show", "1") not in _TRUE
        elif name == "ph":
            self.slide.place = attributes.get("type", "obj")
        elif name == "relIds":
            self.diagrams.append(attributes.get("dm", ""))
        elif name == "tblPr" and attributes.get("firstRow") in _TRUE:
            self.slide.tables.head_next()
        elif name == "tc":
            columns, rows = (count_in(attributes, span, 4) for span in ("gridSpan", "rowSpan"))
            self.slide.tables.begin_cell(Cell(columns=columns, rows=rows))
        elif name == "pPr":
            self._level = min(_DEEPEST, int(level)) if level.isdecimal() and len(level) < 3 else 0
        elif name == "rPr" and self._in_run:
            self._raised = _is_above(attributes.get("baseline", ""))
        elif name in ("buChar", "buAutoNum", "buNone"):
            self._item = name != "buNone"

    def _begin_paragraph(self) -> None:
        self._text.clear()
        self._level, self._item = 0, None

    def _end_paragraph(self) -> None:
        self.slide.write(self._taken(), self._level, self._item)


def _is_above(baseline: str) -> bool:
    """Whether text is set above the line: by a share of the letters' height that is not nothing."""
    return baseline[:1].isdecimal() and bool(baseline.strip("0%"))
