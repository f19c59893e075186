"""LaTeX sources: what they say, without what says how it is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.encoding import clean, read_text
from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.latex_commands import (
    CITES,
    HEADINGS,
    KEPT,
    LISTS,
    MATH,
    NOT_READ,
    NOT_SHOWN,
    NOTES,
    ON_A_LINE,
    RAW,
    TABLE,
    TAKES,
)
from polyhop.documents.loaders.latex_references import References
from polyhop.documents.loaders.latex_signs import ACCENTS, SIGNS, accented, formula, typeset
from polyhop.documents.loaders.latex_tables import TexTables
from polyhop.documents.loaders.latex_tokens import Arguments, TexToken, TexTokens
from polyhop.documents.loaders.latex_units import QUANTITIES, quantity
from polyhop.documents.loading import file_document, headed, one_line
from polyhop.documents.reading import uri_of
from polyhop.types import Document

_BODY: Final = "\\begin{document}"
_STOP: Final = TexToken("stop", "")
_DEEPEST: Final = 40  # arguments within one another


@dataclass(frozen=True, kw_only=True)
class LatexLoader:
    """Reads a source as it is shown: headings, items, rows of tables, formulas as people type them, and notes.

    Files that it includes are read by themselves; numbers of sections, figures and formulas are made by programs.
    Lists of references are looked up where the source stands among the user's files.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".tex", ".ltx", ".latex")
    media_type: ClassVar[str] = "text/x-tex"
    version: ClassVar[str] = "3"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, with its own title, or called after its file. Raises DocumentError for binary content."""
        read = _Reader(read_text(path), path.parent if uri_of(path) == uri else None)
        document = file_document(uri, read.flow.text(), self.media_type, title=read.title)
        yield headed(document, read.flow.headings())


def shown(source: str) -> str:
    """What a piece of LaTeX says, on one line."""
    return one_line(_Reader(source).flow.text())


@dataclass
class _Reader:
    """What a source says, with its title; who wrote it and when stands first."""

    source: str
    folder: Path | None = None  # where what it names may be read
    title: str = ""
    flow: Flow = field(default_factory=Flow)
    _authors: list[str] = field(default_factory=list)
    _dated: str = ""
    _notes: list[str] = field(default_factory=list)
    _lists: list[int | None] = field(default_factory=list)  # of each, how many items it has where they are counted
    _arguments: Arguments = field(default_factory=Arguments)
    _depth: int = 0

    def __post_init__(self) -> None:
        self._references = References(self.source, self.folder)
        self._text = TexTables()
        self._tokens = TexTokens(self.source, KEPT)
        self._commands = self._known()
        self._before_text = _BODY in self.source
        self._run(None)
        self._end_paragraph()
        if self._authors:
            self.flow.write(f"{'Authors' if len(self._authors) > 1 or ',' in self._authors[0] else 'Author'}: ")
            self.flow.write(", ".join(self._authors))
        if self._dated:
            self.flow.part(Gap.LINE)
            self.flow.write(f"Date: {self._dated}")
        self.flow.part(Gap.PARAGRAPH)
        self.flow.append(self._text.finished())

    def _known(self) -> Mapping[str, Callable[[], None]]:
        return {
            "begin": self._begin,
            "end": self._end,
            "item": self._item,
            "bibitem": self._entry,
            "title": self._read_title,
            "author": self._read_author,
            "date": self._read_date,
            "caption": self._caption,
            "par": self._end_paragraph,
            "\\": self._break,
            "tabularnewline": self._break,
            "hline": lambda: self._text.rule(),
            "midrule": lambda: self._text.rule(),
            "multicolumn": self._span,
            "url": self._address,
            **dict.fromkeys(("ref", "eqref", "autoref", "cref", "Cref", "nameref"), self._place),
            "(": lambda: self._formula("\\)", Gap.NONE),
            "[": lambda: self._formula("\\]", Gap.LINE),
            "ensuremath": lambda: self._write(clean(formula(self._tokens.argument()))),
            "iffalse": self._skip_condition,
        }

    def _run(self, stop: TexToken | None) -> None:
        """Read on, to a sign to stop or to the end."""
        while (token := self._tokens.next()) is not None and token is not stop:
            if self._arguments.part(token):
                self._text.flow.part(Gap.SPACE)
            if token.kind == "command":
                self._command(token.text)
            elif not self._before_text:
                self._say(token)

    def _within(self, tokens: Sequence[TexToken]) -> None:
        """Read what a command was given where it stands."""
        if self._depth < _DEEPEST:
            self._depth += 1
            self._tokens.push([*tokens, _STOP])
            self._run(_STOP)
            self._depth -= 1

    def _apart(self, tokens: Sequence[TexToken]) -> str:
        """What tokens say by themselves, on one line."""
        outside = self._text, self._before_text
        self._text, self._before_text = TexTables(), False
        self._within(tokens)
        said = one_line(self._text.finished().text())
        self._text, self._before_text = outside
        return said

    def _say(self, token: TexToken) -> None:
        if token.kind == "paragraph":
            self._end_paragraph()
        elif token.kind == "space" or token.text == "~":
            self._text.flow.part(Gap.SPACE)
        elif token.text in ("$", "$$") and token.kind == "mark":
            self._formula(token.text, Gap.LINE if token.text == "$$" else Gap.NONE)
        elif token.text == "&" and self._text.in_table:
            self._text.next_cell()
        elif token.kind in ("text", "verbatim") or token.text in ("[", "]"):
            self._write(clean(token.text if token.kind == "verbatim" else typeset(token.text)))

    def _write(self, said: str) -> None:
        """Write what is said in running text, or in a row of a table, which it may begin."""
        self._text.go_on()
        self._text.flow.write_exactly(said)

    def _command(self, name: str) -> None:
        if self._before_text and name not in ("title", "author", "date", "begin"):
            return
        if name in ON_A_LINE:
            self._text.flow.part(Gap.LINE)
        if name in self._commands:
            self._commands[name]()
        elif name in HEADINGS:
            self._heading(HEADINGS[name])
        elif name in CITES:
            self._cite(name)
        elif name in NOTES:
            self._note()
        elif name in QUANTITIES:
            self._write(clean(quantity(name, self._tokens, formula) or ""))
        elif name in NOT_SHOWN:
            self._pass_over(NOT_SHOWN[name])
        elif name in ACCENTS:
            letter = self._apart(self._tokens.argument()) or " "
            self._write(accented(name, letter[0]) + letter[1:])
        elif name in SIGNS:
            self._sign(SIGNS[name], is_word=name.isalpha())
        else:
            self._tokens.option()
            self._tokens.skip_space()
            self._arguments.await_one()

    def _pass_over(self, arguments: int) -> None:
        for _ in range(arguments):
            while self._tokens.option() is not None:
                pass
            self._tokens.argument()

    def _sign(self, said: str, *, is_word: bool) -> None:
        if said.isspace():
            self._text.flow.part(Gap.SPACE)
        elif said:
            self._write(said)
        if is_word:
            self._tokens.skip_space()

    def _end_paragraph(self) -> None:
        if self._text.cell() is not None:
            self._text.flow.part(Gap.SPACE)
            return
        self._text.flow.part(Gap.PARAGRAPH)
        for note in self._notes:
            self._text.flow.write(note)
            self._text.flow.part(Gap.PARAGRAPH)
        self._notes = []

    def _heading(self, level: int) -> None:
        self._tokens.option()
        said = self._apart(self._tokens.argument())
        self._end_paragraph()
        self._text.flow.heading(said, level)

    def _cite(self, name: str) -> None:
        options = [self._apart(option) for option in iter(self._tokens.option, None)]
        self._write(self._references.cited(name, self._plain().split(","), options, self._said))

    def _place(self) -> None:
        """A part of the text that the text speaks of."""
        self._write(self._said(self._references.places(self._plain())))

    def _plain(self) -> str:
        """An argument that is no text, such as a name."""
        return "".join(token.text for token in self._tokens.argument())

    def _said(self, source: str) -> str:
        return self._apart([*TexTokens(source)])

    def _note(self) -> None:
        self._tokens.option()
        self._notes.append(self._apart(self._tokens.argument()))

    def _formula(self, end: str, gap: Gap) -> None:
        held: list[TexToken] = []
        for token in self._tokens:
            if token.kind == "paragraph" and end == "$":  # that was no formula
                self._tokens.push([token])
                break
            if (token.kind == "command" and f"\\{token.text}" == end) or (token.kind == "mark" and token.text == end):
                break
            if token.kind == "command" and token.text == "end" and end.startswith("\\end"):
                if self._plain() == end[4:]:
                    break
                continue
            held.append(token)
        self._text.go_on()
        self._text.flow.part(gap)
        self._text.flow.write_exactly(clean(formula(held)))
        self._text.flow.part(gap)

    def _begin(self) -> None:
        name = self._plain()
        if self._before_text:
            self._before_text = name != "document"
            return
        if name in NOT_READ:
            self._tokens.raw_until(f"\\end{{{name}}}")
            return
        self._tokens.option()
        for _ in range(TAKES.get(name, 0)):
            self._tokens.argument()
        if MATH.fullmatch(name):
            self._formula(f"\\end{name}", Gap.LINE)
        elif TABLE.fullmatch(name):
            self._tokens.argument()
            self._text.begin()
        elif name in RAW:
            self._end_paragraph()
            self._text.flow.write_exactly(clean(self._tokens.raw_until(f"\\end{{{name}}}")).strip("\n"))
            self._end_paragraph()
        else:
            self._begin_other(name)

    def _begin_other(self, name: str) -> None:
        self._end_paragraph()
        if name in LISTS:
            self._lists.append(0 if name == "enumerate" else None)
        elif name == "abstract":
            self._text.flow.heading("Abstract", HEADINGS["section"])

    def _end(self) -> None:
        name = self._plain()
        if name == "document":
            self._tokens = TexTokens("")  # whatever stands behind it is not shown
        if TABLE.fullmatch(name):
            self._text.end()
        elif name in LISTS and self._lists:
            self._lists.pop()
        self._end_paragraph()

    def _item(self) -> None:
        term = self._tokens.option()
        self._text.flow.part(Gap.LINE)
        if term is not None:
            said = self._apart(term).rstrip(":")
            self._write(f"{said}:" if said else "-")
        elif self._lists and (counted := self._lists[-1]) is not None:
            self._lists[-1] = counted + 1
            self._write(f"{counted + 1}.")
        else:
            self._write("-")
        self._text.flow.part(Gap.SPACE)
        self._tokens.skip_space()

    def _entry(self) -> None:
        self._tokens.option()
        self._tokens.argument()
        self._end_paragraph()

    def _read_title(self) -> None:
        self._tokens.option()
        self.title = self.title or self._apart(self._tokens.argument())

    def _read_author(self) -> None:
        self._tokens.option()
        said: list[list[TexToken]] = [[]]
        for token in self._tokens.argument():
            if token.kind == "command" and token.text in ("and", "And", "AND"):
                said.append([])
            else:
                said[-1].append(token)
        self._authors += filter(None, map(self._author, said))

    def _author(self, said: Sequence[TexToken]) -> str:
        """Somebody who wrote it; the notes to a name begin with it, as no mark tells whose they are."""
        before = len(self._notes)
        name = self._apart(said).rstrip(",; ")
        self._notes[before:] = [f"{name}: {note}" if name else note for note in self._notes[before:]]
        return name

    def _read_date(self) -> None:
        self._dated = self._apart(self._tokens.argument())

    def _caption(self) -> None:
        self._tokens.option()
        said = self._tokens.argument()
        self._end_paragraph()
        self._within(said)
        self._end_paragraph()

    def _break(self) -> None:
        """A line ends, or a row of a table."""
        self._tokens.option()
        if self._text.in_table:
            self._text.end_row()
        else:
            self._text.flow.part(Gap.LINE)

    def _span(self) -> None:
        """A cell of several columns."""
        number = self._plain()
        self._tokens.argument()
        self._text.span(int(number) if number.isdecimal() else 1)

    def _address(self) -> None:
        self._write(self._apart(self._tokens.argument()))

    def _skip_condition(self) -> None:
        for token in self._tokens:
            if token.kind == "command" and token.text == "fi":
                break
