"""Rich Text Format, as word processors write it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.paragraphs import DASH, Paragraphs, ParagraphStyles, is_item
from polyhop.documents.loaders.rtf_tables import RtfTables
from polyhop.documents.loaders.rtf_tokens import code_page, code_page_of, rtf_tokens
from polyhop.documents.loaders.symbol_font import symbol
from polyhop.documents.raised import MARK, needs_mark
from polyhop.errors import DocumentError
from polyhop.types import Document

_BEGIN = re.compile(rb"\s*\{\s*\\rtf")
_REMEDY = "Open it in a word processor and save it again."
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_DEEPEST = 1000  # groups within one another
_HALF = re.compile("[\ud800-\udfff]")  # of a character beyond the first plane
_LONGEST_NAME = 100  # characters of the name of a font or a style, and of the mark of an item
_LONGEST_TITLE = 1000
_CHARACTERS = {
    **dict.fromkeys(("line", "page", "column"), "\n"),
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
    **dict(zip(("lquote", "rquote", "ldblquote", "rdblquote", "endash", "emdash", "bullet"), "‘’“”–—•", strict=True)),
    **dict(zip(("tab", "~", "_", "{", "}", "\\"), "\t\u00a0-{}\\", strict=True)),
}
_PARAGRAPH_ENDS = frozenset(("par", "sect", "\n", "\r"))
_READ = {  # groups, by the words that begin them, and what their text is; of others with an asterisk nothing is read
    **{each: each for each in ("fonttbl", "stylesheet", "info", "title")},
    **dict.fromkeys(("listtext", "pntext"), "mark"),
    **dict.fromkeys(("footnote", "shptxt"), "body"),
    **dict.fromkeys(("shpinst", "shpgrp", "shp"), "shape"),
    "nesttableprops": "within",
}
_LEFT_OUT = frozenset(
    (
        *("colortbl", "pict", "nonshppict", "shprslt", "sp", "fldinst", "nonesttables"),
        *("xe", "tc", "tcn", "rxe", "txe"),  # entries of an index or a table of contents
        *("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"),
    )
)
_CELL_ENDS = {"cell": 1, "nestcell": 2}  # with how deep in tables they are at least
_ROW_ENDS = {"row": 1, "nestrow": 2}
_SWITCHES = {  # what is on or off in a state
    **dict.fromkeys(("super", "up"), "raised"),
    "b": "bold",
    "v": "hidden",
    "deleted": "deleted",
    "ls": "listed",
    "intbl": "in_table",
}
_NUMBERS = {"s": "style", "f": "font", "uc": "instead", "itap": "depth"}
_CHARACTER_SETS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_NUMBER = re.compile(r"\(?\w{1,6}[.)]|[\d.]*\d[\d.]*\)?")  # of an item, as it is shown


@dataclass(frozen=True, kw_only=True)
class RtfLoader:
    """Reads the body, then the notes: paragraphs apart, items with number or dash, rows with the names of columns."""

    suffixes: ClassVar[tuple[str, ...]] = (".rtf",)
    media_type: ClassVar[str] = "application/rtf"
    version: ClassVar[str] = "3"

    largest: int = 1 << 28  # bytes, with the pictures that are in it

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the title paragraph, else the file's own, else the first heading.

        Raises DocumentError for a file that is damaged, cut short or too large.
        """
        if path.stat().st_size > self.largest:
            raise DocumentError(f"has more than {self.largest:,} bytes", remedy="Split it.")
        content = path.read_bytes()
        if content.startswith(_OLD_WORD):
            raise DocumentError("is an old .doc file", remedy=_REMEDY)
        if not _BEGIN.match(content):
            raise DocumentError("is damaged, or not Rich Text Format", remedy=_REMEDY)
        reading = _Reading()
        reading.read(content)
        yield reading.paragraphs.document(uri, self.media_type, [clean(reading.title).strip()])


@dataclass(slots=True)
class _Font:
    codec: str
    name: str = ""


@dataclass(slots=True)
class _State:
    """What holds within a group, and ends with it."""

    group: str = "body"  # what its text is: of one that is left out, nothing
    opens: str = ""  # what ends with the group: a note or a shape
    font: int = 0
    instead: int = 1  # characters that stand in for one of Unicode
    bold: bool = False
    hidden: bool = False
    deleted: bool = False
    raised: bool = False
    style: int = 0
    listed: bool = False
    in_table: bool = False
    depth: int = 0  # of tables, where it is said,
    floor: int = 0  # and of the cell that a shape stands in


@dataclass(slots=True)
class _Paragraph:
    """A paragraph that has begun: its mark, as it is shown, and whether all its letters are bold."""

    text: list[str] = field(default_factory=list)
    mark: str = ""
    bold: bool = True


class _Reading:
    """Reads the tokens of a file."""

    def __init__(self) -> None:
        self.paragraphs = Paragraphs()
        self.title = ""
        self._tables = RtfTables(self.paragraphs)
        self._styles = ParagraphStyles()
        self._codec = "cp1252"
        self._fonts: dict[int, _Font] = {}
        self._font = 0  # the usual one
        self._state = _State()
        self._around: list[_State] = []
        self._open = _Paragraph()
        self._outside: list[tuple[_Paragraph, RtfTables]] = []  # what notes stand in
        self._bytes = bytearray()  # that are not decoded yet
        self._instead = 0  # characters to come that stand in for one that is known
        self._starred = False
        self._named = ""  # what the table of styles says so far of the style that is open

    def read(self, content: bytes) -> None:
        """All of a file. Raises DocumentError for one that ends within a group, or has too many in one another."""
        for token in rtf_tokens(content):
            if token.text:
                self._take(token.text)
                continue
            self._decode()
            if token.brace == "{":
                self._begin_group()
            elif token.brace:
                self._end_group()
                if not self._around:
                    break
            else:
                self._instead = 0
                self._obey(token.word, token.number)
        if self._around:
            raise DocumentError("is damaged: it ends within a group, as a file does that was cut short", remedy=_REMEDY)
        self._end_paragraph()
        self._tables.end()

    def _begin_group(self) -> None:
        if len(self._around) == _DEEPEST:
            raise DocumentError(f"has more than {_DEEPEST:,} groups within one another", remedy=_REMEDY)
        self._instead = 0
        self._around.append(self._state)
        self._state = replace(self._state, opens="")

    def _end_group(self) -> None:
        self._instead, self._starred = 0, False
        ended = self._state
        if ended.opens:
            self._end_paragraph()
        if ended.opens == "note":
            self._tables.end()
            self.paragraphs.end_note()
            self._open, self._tables = self._outside.pop()
        self._state = self._around.pop()
        if ended.group == "stylesheet" and self._state.group == "stylesheet":
            self._named = ""

    def _take(self, text: bytes) -> None:
        """Bytes of text, without those that stand in for a character that is known."""
        self._starred = False
        left = text[self._instead :]
        self._instead -= len(text) - len(left)
        if left and self._state.group:
            self._bytes += left

    def _decode(self) -> None:
        if self._bytes:
            font = self._fonts.get(self._state.font)
            if font is not None and font.name == "Symbol":
                self._say("".join(symbol(f"{each:X}", font.name) for each in self._bytes))
            else:
                self._say(self._bytes.decode(font.codec if font else self._codec, errors="replace"))
            self._bytes.clear()

    def _say(self, text: str) -> None:
        state = self._state
        if state.group == "fonttbl":
            font = self._fonts.setdefault(state.font, _Font(self._codec))
            font.name = f"{font.name}{text}"[:_LONGEST_NAME].partition(";")[0].strip()
        elif state.group == "stylesheet":
            self._named = f"{self._named}{text}"[:_LONGEST_NAME]
            if ";" in text:
                self._styles.named(str(state.style), self._named.partition(";")[0])
        elif state.group == "title":
            self.title = f"{self.title}{text}"[:_LONGEST_TITLE]
        elif state.group == "mark":
            self._open.mark = f"{self._open.mark}{text}"[:_LONGEST_NAME]
        elif state.group == "body" and not (state.hidden or state.deleted):
            written = self._open.text
            if state.raised and written and needs_mark(written[-1], text):
                written.append(MARK)
            state.raised = False
            written.append(text)
            self._open.bold = self._open.bold and (state.bold or text.isspace())

    def _obey(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, word == "*"
        if self._starred or not self._state.group:
            return
        if word in _LEFT_OUT or (starred and word not in _READ):
            self._state.group = ""
        elif word in _READ:
            self._open_group(word)
        elif word in _CHARACTERS:
            self._say(_CHARACTERS[word])
        elif word in _PARAGRAPH_ENDS:
            self._end_paragraph()
        elif word == "u":
            self._say_unicode(number or 0)
        elif self._state.group in ("fonttbl", "stylesheet"):
            self._describe(word, number or 0)
        elif word in _CELL_ENDS or word in _ROW_ENDS:
            depth = max(_CELL_ENDS.get(word, 0) or _ROW_ENDS[word], self._depth() if word.startswith("nest") else 0)
            self._end_paragraph(depth)
            (self._tables.end_cell if word in _CELL_ENDS else self._tables.end_row)(depth)
        else:
            self._tables.describe(word, number or 0, within=self._state.group == "within")
            self._set(word, number)

    def _open_group(self, word: str) -> None:
        """What the group is that is open."""
        state = self._state
        if state.opens or (word == "title" and state.group != "info"):
            return
        if word == "footnote":
            self._outside.append((self._open, self._tables))
            self._open, self._tables = _Paragraph(), RtfTables(self.paragraphs)
            self.paragraphs.begin_note(at_the_end=False)
            self._state = _State(opens="note", font=state.font, instead=state.instead)
            return
        if word == "shptxt":
            self._end_paragraph()
            state.opens, state.floor = "shape", self._depth()
        state.group = _READ[word]

    def _describe(self, word: str, number: int) -> None:
        """What a word says in the tables of fonts and styles."""
        state, style = self._state, str(self._state.style)
        if word == "f":
            state.font = number
        elif word == "fcharset":
            self._fonts[state.font] = _Font(code_page_of(number, self._codec))
        elif word == "cpg":
            self._fonts[state.font] = _Font(code_page(number))
        elif word == "s":
            state.style = number
        elif word == "sbasedon":
            self._styles.based_on(style, str(number))
        elif word == "ls" and number:
            self._styles.of_items(style)

    def _set(self, word: str, number: int | None) -> None:
        """What a word says of the text that follows."""
        state, on = self._state, number != 0
        if word == "pard":
            state.style, state.listed, state.in_table, state.depth = 0, False, False, 0
        elif word == "plain":
            state.font, state.bold, state.hidden, state.deleted, state.raised = self._font, False, False, False, False
        elif word in _SWITCHES:
            setattr(state, _SWITCHES[word], on)
        elif word in _NUMBERS:
            setattr(state, _NUMBERS[word], max(0, number or 0))
        elif word in ("sub", "nosupersub"):
            state.raised = False
        elif word == "ansicpg":
            self._codec = code_page(number or 0)
        elif word in _CHARACTER_SETS:
            self._codec = _CHARACTER_SETS[word]
        elif word == "deff":
            self._font = state.font = number or 0
        elif word == "ftnalt" and state.opens == "note":
            self.paragraphs.end_note()
            self.paragraphs.begin_note(at_the_end=True)

    def _say_unicode(self, number: int) -> None:
        code = number + 0x10000 if number < 0 else number
        font = self._fonts.get(self._state.font)
        if 0 < code < 0x10000:
            self._say(symbol(f"{code:X}", font.name if font else ""))
        elif code <= sys.maxunicode:
            self._say(chr(max(0, code)))
        self._instead = self._state.instead

    def _depth(self) -> int:
        """How deep in tables the paragraph is."""
        state = self._state
        return max(state.depth, state.floor, 1 if state.in_table else 0)

    def _end_paragraph(self, least: int = 0) -> None:
        """Write the paragraph, which is at least so deep in tables."""
        text, mark = clean(_whole("".join(self._open.text))).strip(), self._open.mark
        depth = max(least, self._depth())
        self._open.text.clear()
        if text or not depth:
            self._tables.reach(depth)
            self.paragraphs.letters(text, bold=self._open.bold)
            self._open = _Paragraph()
            kind = self._styles.kind(str(self._state.style))
            shown = f"{mark.strip()} " if _NUMBER.fullmatch(mark.strip()) else DASH
            self.paragraphs.write(text, kind, mark=shown if mark or self._state.listed or is_item(kind) else "")


def _whole(text: str) -> str:
    """A text whose characters beyond the first plane are whole, where they were written as two halves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _HALF.search(text) else text
