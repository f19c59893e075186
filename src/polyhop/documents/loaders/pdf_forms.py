"""What was filled in on a page of a PDF: it is shown there, but is none of the page's own text."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.loading import one_line

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_UNSEEN: Final = 0b100010  # flags of what is hidden, or not shown on a screen
_MOST_ENTRIES: Final = 2000  # on a page
_TICKED, _UNTICKED = "[x]", "[ ]"


def entries_of(document: PdfDocument, page: PdfPage) -> Iterator[PageLine]:
    """The fields of a page that say something, and boxes, ticked or not; none where its file has no form.

    A line stands for each, whose letters are as high as the field.
    """
    from pypdfium2 import raw  # imported when used: start-up time

    if document.formenv is None:
        return
    for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_ENTRIES)):
        field = raw.FPDFPage_GetAnnot(page.raw, number)
        if not field:
            continue
        try:
            text = _text(raw, document.formenv.raw, field)
            place = raw.FS_RECTF()
            if text and raw.FPDFAnnot_GetRect(field, place):
                height = place.top - place.bottom
                yield PageLine(text=text, left=place.left, bottom=place.bottom, right=place.right, size=height)
        finally:
            raw.FPDFPage_CloseAnnot(field)


def with_entries(lines: Sequence[PageLine], entries: Sequence[PageLine]) -> list[PageLine]:
    """The lines of a page, each with what was filled in on its level; entries on no line's level are lines."""
    beside: defaultdict[int, list[PageLine]] = defaultdict(list)
    alone: list[PageLine] = []
    for entry in entries:
        top = entry.bottom + entry.size
        level = [at for at, line in enumerate(lines) if entry.bottom <= line.bottom + line.size / 2 <= top]
        if level:
            beside[min(level, key=lambda at: _distance(lines[at], entry))].append(entry)
        else:
            alone.append(entry)
    found = [_filled(line, beside[at]) if at in beside else line for at, line in enumerate(lines)]
    for entry in alone:
        below = next((at for at, line in enumerate(found) if line.bottom < entry.bottom), len(found))
        found.insert(below, replace(entry, size=found[max(0, below - 1)].size) if found else entry)
    return found


def _distance(line: PageLine, entry: PageLine) -> tuple[bool, float]:
    """How far a line is from an entry: text is named by what stands before it, and a box by what is nearest."""
    is_behind = line.left > entry.left and entry.text not in (_TICKED, _UNTICKED)
    return is_behind, max(0.0, entry.left - line.right, line.left - entry.right)


def _filled(line: PageLine, entries: Sequence[PageLine]) -> PageLine:
    parts = [(part.left, part.text) for part in line.pieces or (line,)]
    parts += [(entry.left, entry.text) for entry in entries]
    text = " ".join(text for _, text in sorted(parts))
    return replace(line, text=text, right=max(line.right, *(entry.right for entry in entries)), pieces=())


def _text(raw: Any, form: Any, field: Any) -> str:
    """What a field shows; nothing for one that is no field, empty or not shown."""
    if raw.FPDFAnnot_GetSubtype(field) != raw.FPDF_ANNOT_WIDGET or raw.FPDFAnnot_GetFlags(field) & _UNSEEN:
        return ""
    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return _TICKED if raw.FPDFAnnot_IsChecked(form, field) else _UNTICKED
    if kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        chosen = [
            _string(lambda *to, at=at: raw.FPDFAnnot_GetOptionLabel(form, field, at, *to), raw)
            for at in range(max(0, raw.FPDFAnnot_GetOptionCount(form, field)))
            if raw.FPDFAnnot_IsOptionSelected(form, field, at)
        ]
        if chosen:
            return ", ".join(chosen)
    elif kind != raw.FPDF_FORMFIELD_TEXTFIELD:
        return ""
    return _string(lambda *to: raw.FPDFAnnot_GetFormFieldValue(form, field, *to), raw)


def _string(read: Callable[..., int], raw: Any) -> str:
    """A text that a function of PDFium writes into a buffer, whose size it tells first."""
    size = read(None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return one_line(buffer.raw.decode("utf-16-le", errors="replace").rstrip("\0"))
