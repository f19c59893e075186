"""Manual pages as they are written for ``man``: in the macros of man(7), or in those of mdoc(7)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.encoding import clean, read_text
from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.roff import Roff, RoffLine
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.loading import file_document, headed
from polyhop.documents.tables import rows_as_lines, typed_cell
from polyhop.types import Document

_PAGE: Final = re.compile(r"^[.'](?:TH|Dt)[ \t]+\S", re.MULTILINE)
_PARAGRAPHS: Final = frozenset(("PP", "P", "LP", "Pp", "HP", "sp", "RS", "RE", "Bl", "El", "Sp", "Rs", "Re"))
_FONTS: Final = frozenset(("B", "I", "R", "SM", "SB", "CW"))
_BESIDE: Final = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))  # what stands behind them is one word
_VERBATIM: Final = {"nf": "fi", "EX": "EE", "Vb": "Ve", "TS": "TE"}
_PLAIN: Final = frozenset((
    *("Ar", "Cm", "Ic", "Sx", "Li", "Pa", "Em", "Sy", "Va", "Vt", "Dv", "Ev", "Er", "Fa", "Ft", "Fn", "Lk", "Mt", "An"),
    *("Ad", "St", "Tn", "No", "Ql", "Ms", "Cd", "Rv", "Lb", "In", "Fx", "Nx", "Ox", "Bx", "Ux", "Dx", "Bsx"),
    *("%A", "%B", "%T", "%D", "%J", "%O", "%R", "%U", "%I", "%N", "%P", "%V", "%Q"),
))  # fmt: skip
_AROUND: Final = {
    "Op": "[]", "Dq": '""', "Qq": '""', "Sq": "''", "Pq": "()", "Bq": "[]", "Brq": "{}", "Aq": "<>",
}  # fmt: skip
_OPENING: Final = {"Oo": "[", "Po": "(", "Bo": "[", "Do": '"', "Qo": '"', "So": "'", "Bro": "{", "Ao": "<"}
_CLOSING: Final = {"Oc": "]", "Pc": ")", "Bc": "]", "Dc": '"', "Qc": '"', "Sc": "'", "Brc": "}", "Ac": ">"}
_FOLLOWING: Final = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))
_GLUE: Final = "\0"  # where no space is to stand
_MARKS: Final = frozenset(("\u2022", "o", "*", "-", "+", "\u00b7", "\u2013"))
_LONGEST_TERM: Final = 120  # characters
_SENTENCE_ENDS: Final = (".", ":", "!", "?", ";")
_NUMBER: Final = re.compile(r"\(?\d{1,3}[.)]?|[a-z][.)]")


@dataclass(frozen=True, kw_only=True)
class ManLoader:
    """Reads a manual page as it is shown: sections with headings, and options with what they do on one line.

    A file with such an ending that is no manual page is read as plain text.
    """

    suffixes: ClassVar[tuple[str, ...]] = (
        *(".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".man", ".mdoc"),
        *(".1p", ".3p", ".3pm", ".3perl", ".1ssl", ".3ssl", ".5ssl", ".7ssl"),
    )
    media_type: ClassVar[str] = "text/troff"
    version: ClassVar[str] = "3"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, called after the page and its section, as in ``crontab(5)``. Raises DocumentError."""
        source = read_text(path)
        if _PAGE.search(source) is None:
            yield from TextLoader().load(path, uri)
            return
        page = _Page(Roff(source))
        document = file_document(uri, page.flow.text(), self.media_type, title=page.title)
        yield headed(document, page.flow.marks)


class _Page:
    """What a page says, and its title."""

    def __init__(self, roff: Roff) -> None:
        self.flow = Flow()
        self.title = ""
        self._roff = roff
        self._name = ""  # of the program, which mdoc does not repeat
        self._synopsis = False  # whether that is the section, where each call has a line
        self._tags = 0  # lines that are still to come of the term of a description
        self._after = ""  # what stands between a term and what comes next
        self._said = ""  # in this paragraph
        self._heading = ""  # the kind of heading whose words are on the next line
        self._table: list[str] = []  # lines of a table, which ends with TE
        self._verbatim = ""  # the request that ends what is set as it is written
        for line in roff:
            self._read(line)

    def _read(self, line: RoffLine) -> None:
        name = line.request
        if self._verbatim and name == self._verbatim:
            self._end_of_verbatim()
        elif self._verbatim and name in ("", "sp"):
            self._as_written(line.text)
        elif name == "":
            self._say(line.text)
        elif name in ("TH", "Dt") and line.arguments:
            words = [self._letters(word) for word in line.arguments[:2]]
            self.title = words[0].lower() + (f"({words[1]})" if len(words) > 1 else "")
        elif name in ("SH", "SS", "Sh", "Ss"):
            self._head(name, " ".join(line.arguments))
        elif name in _PARAGRAPHS:
            self._begin_paragraph(name)
        elif name in _VERBATIM or (name == "Bd" and not {"-literal", "-unfilled"}.isdisjoint(line.arguments)):
            self._verbatim = _VERBATIM.get(name, "Ed")
            self._part(Gap.PARAGRAPH)
        elif name in ("TP", "TQ", "IP", "It"):
            self._item(line)
        else:
            self._inline(line)

    def _inline(self, line: RoffLine) -> None:
        """A request within a line."""
        name = line.request
        if name in ("br", "D1", "Dl", "Ed", "Bd"):
            self._part(Gap.LINE)
        if name in _FONTS:
            self._say(" ".join(line.arguments))
        elif name in _BESIDE:
            self._say("".join(line.arguments))
        elif name in ("UE", "ME"):
            self.flow.go_on(self._letters("".join(line.arguments)), Gap.SPACE)
        elif name in ("D1", "Dl"):
            self._say(self._set(line.arguments))
        elif name == "Nm":
            self._name = self._name or " ".join(line.arguments[:1])
            if self._synopsis:
                self._part(Gap.LINE)
            self._say(self._set(("Nm", *line.arguments)))
        elif name == "Nd":
            self._say(f"- {self._set(line.arguments)}")
        elif name in _PLAIN or name in _AROUND or name in _OPENING or name in _CLOSING or name in ("Fl", "Xr", "Ns"):
            self._say(self._set((name, *line.arguments)))

    def _letters(self, text: str) -> str:
        return clean(unicodedata.normalize("NFC", self._roff.letters(text)))

    def _begin_paragraph(self, name: str) -> None:
        """A paragraph; what is indented below a few words that are no sentence describes them."""
        if name == "RS" and 0 < len(self._said) <= _LONGEST_TERM and self._said.rstrip()[-1:] not in _SENTENCE_ENDS:
            self._after = ":"
        elif not self._after:
            self._part(Gap.PARAGRAPH)
        self._said = ""

    def _part(self, gap: Gap) -> None:
        if not self._tags:
            self.flow.part(gap)

    def _as_written(self, text: str) -> None:
        said = self._letters(text).rstrip()
        if self._verbatim == "TE":
            self._table.append(said)
            return
        self.flow.part(Gap.LINE)
        if said:
            self.flow.write_exactly(said.expandtabs(8))

    def _end_of_verbatim(self) -> None:
        self._verbatim = ""
        for row in _rows(self._table):
            self.flow.part(Gap.LINE)
            self.flow.write_exactly(row)
        self._table = []
        self.flow.part(Gap.PARAGRAPH)

    def _say(self, text: str) -> None:
        """Running text; the first of it behind a term stands on the term's line."""
        said = self._letters(text)
        if not said.strip():
            return
        if self._heading:
            self._head(self._heading, said)
            return
        if self._after and not self._tags:
            self.flow.go_on(self._after, Gap.SPACE)
            self._after = ""
        self.flow.write(f"{said} ")
        self._said += f"{said} "
        if self._tags:
            self._tags -= 1
            self._after = ":"

    def _head(self, name: str, said: str) -> None:
        """A heading, of which the words may be on the next line."""
        self._heading, self._tags, self._after, self._said = "" if said else name, 0, "", ""
        if said:
            self._synopsis = said.strip() == "SYNOPSIS"
            self.flow.heading(self._letters(said), 1 if name in ("SH", "Sh") else 2)

    def _item(self, line: RoffLine) -> None:
        """The term of a description, which is on this line or the next, or the mark of an item."""
        if line.request == "TQ" and self._after:
            self.flow.go_on(",", Gap.SPACE)
        else:
            self.flow.part(Gap.LINE if self._after else Gap.PARAGRAPH)
        self._after = self._said = ""
        if line.request in ("TP", "TQ"):
            self._tags = 1
            return
        tag = self._letters(line.arguments[0] if line.request == "IP" and line.arguments else "")
        said = self._letters(self._set(line.arguments)) if line.request == "It" else tag
        if said.strip() in _MARKS or not said.strip():
            self.flow.write_exactly("- " if said.strip() or line.request == "It" else "")
        elif said.strip():
            self.flow.write(f"{said} ")
            self._after = "" if _NUMBER.fullmatch(said.strip()) else ":"

    def _set(self, words: Sequence[str]) -> str:
        """A line of mdoc: names of macros among its words say how those behind them are set.

        A mark that stands at the end stands behind what is closed there.
        """
        said: list[str] = []
        ends: list[str] = []
        glued, dashes, before = False, "", ("", "")
        for at, word in enumerate(words):
            pair = _AROUND.get(word)
            if word in _FOLLOWING and _FOLLOWING.issuperset(words[at:]):
                said += [_GLUE + end for end in reversed(ends)]
                ends = []
            if word == "Fl":
                dashes = f"{dashes}-" if before[1] == "Fl" else "-"
                said += ["-"] if words[at + 1 : at + 2] in ((), ("Ns",)) else []
            elif word == "Nm":
                said += [self._name] if at + 1 == len(words) or words[at + 1] in _FOLLOWING else []
            elif word in _PLAIN or word == "Xr":
                dashes = ""
            elif pair or word in _OPENING:
                said.append((pair or _OPENING[word])[0] + _GLUE)
                ends += [pair[1]] if pair else []
            elif word not in ("Ns", "Ap"):
                shown = word if word in _FOLLOWING or word == "|" else f"{dashes}{word}"
                of_section = before[0] == "Xr" and word not in _FOLLOWING
                follows = glued or of_section or word in _FOLLOWING or word in _CLOSING
                shown = f"({word})" if of_section else _CLOSING.get(word, shown)
                said.append((_GLUE if follows and said else "") + shown)
            glued, before = word in ("Ns", "Ap"), (before[1], word)
        text = " ".join([*said, *(_GLUE + end for end in reversed(ends))])
        return text.replace(f" {_GLUE}", "").replace(f"{_GLUE} ", "").replace(_GLUE, "")


def _rows(lines: Sequence[str]) -> list[str]:
    """The rows of a table behind the lines that say how it is drawn, each with the names of its columns."""
    begins = next((at for at, line in enumerate(lines, 1) if line.rstrip().endswith(".")), len(lines))
    cells: list[list[str]] = []
    within = False  # a cell of several lines
    for line in lines[begins:]:
        if within:
            ended, _, rest = line.partition("T}")
            cells[-1][-1] = f"{cells[-1][-1]} {ended}".strip()
            within = "T}" not in line
            cells[-1] += rest.split("\t")[1:]
        elif line.strip() not in ("", "_", "="):
            cells.append(line.split("\t"))
        if cells and cells[-1][-1].strip() == "T{":
            cells[-1][-1], within = "", True
    rows = [[typed_cell(text.strip(), heading=number == 0) for text in row] for number, row in enumerate(cells)]
    return rows_as_lines(rows)
