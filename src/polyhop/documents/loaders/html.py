"""HTML pages.

The markup is told apart here, and not by ``html.parser``: that takes quadratic time on broken pages, or gives up.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from polyhop.documents.edits import TextEdits
from polyhop.documents.encoding import clean, decode
from polyhop.documents.flow import HEADING, Flow, Gap
from polyhop.documents.loaders.archives import count_in
from polyhop.documents.loaders.definitions import Definition
from polyhop.documents.loaders.formulas import MathMarkup
from polyhop.documents.loaders.web_furniture import (
    CONTENT,
    LIST,
    NAVIGATION,
    SITE,
    TITLE,
    VERBATIM,
    attributes_of,
    furniture,
    is_bracketed_note,
    is_furniture,
    is_hidden,
    is_navigation,
    is_note,
)
from polyhop.documents.loaders.web_links import KINDS, kinds_of
from polyhop.documents.loading import file_document, headed
from polyhop.documents.raised import MARK, needs_mark
from polyhop.documents.tables import Cell, Tables
from polyhop.documents.wrapped_lines import cut_word_edits
from polyhop.types import Document

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_WIDE = ("utf-16", "utf_16", "utf16", "utf-32", "utf_32", "utf32")
_MARKUP = re.compile(  # every alternative ends somewhere, at worst at the end of the text: time stays linear
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"  # <!--> and <!---> are empty comments (HTML standard, 13.2.5)
    r"|<!\[CDATA\[(?P<verbatim>.*?)(?:\]\]>|\Z)"
    r"|<(?P<end>/?)(?P<tag>[a-zA-Z][^\s/>]*+)(?P<rest>(?:[^>=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?)*)>?"
    r"|<[!?/][^>]*+>?",
    re.DOTALL,
)
_SCRIPT = re.compile(r"<script|\son[a-z]+\s*=|javascript:", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_GAPS = {
    **dict.fromkeys((*_HEADINGS, "p", "ul", "ol", "dl", "table", "blockquote", "pre", "figure", "hr"), Gap.PARAGRAPH),
    **dict.fromkeys(("article", "section", "main", "body", "header", "footer", "aside", "details"), Gap.PARAGRAPH),
    **dict.fromkeys(("div", "li", "dt", "dd", "tr", "br", "caption", "figcaption", "address", "summary"), Gap.LINE),
    **dict.fromkeys(("option", "legend", "fieldset", "form", "center"), Gap.LINE),
}
_ENDS_FORMULA = frozenset(("math", "td", "th", *_GAPS))
_RAW = frozenset(("script", "style", "textarea", "iframe", "noscript"))  # their content is no markup
_NEVER_TEXT = frozenset(("script", "style", "template", "noscript", "svg", "iframe", "object", "canvas", "textarea"))
_FURNITURE = frozenset(("nav", "button", "select", "del", "s", "strike"))  # and what is struck out
_LISTS = frozenset(("ol", "ul"))
_OF_TABLES = frozenset(("table", "thead", "tbody", "tfoot", "tr", "td", "th"))
_CONTENT = frozenset(("main", "article", "section"))
_KINDS = {
    **dict.fromkeys(_HEADINGS, HEADING),
    **dict.fromkeys(_LISTS, LIST),
    **dict.fromkeys(("main", "article"), CONTENT),
    **dict.fromkeys(("header", "footer", "aside"), SITE),
    "pre": VERBATIM,
}
_LONG_NUMBER = 4  # digits
_MAY_BE_EMPTY = _NEVER_TEXT | _FURNITURE | {"td", "th", "title"}  # as <td/>


@dataclass(frozen=True, kw_only=True)
class HtmlLoader:
    """Reads what a page is about: blocks as lines, items with marks, rows with the names of columns; no furniture."""

    suffixes: ClassVar[tuple[str, ...]] = (".html", ".htm", ".xhtml")
    media_type: ClassVar[str] = "text/html"
    version: ClassVar[str] = "11"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the page's, or its first heading of level 1.

        Raises DocumentError for binary content.
        """
        page = read_page(path.read_bytes())
        content = content_of(page)
        document = file_document(uri, content.text(), self.media_type, title=page.title.strip() or page.heading)
        yield headed(document, content.marks)


def content_of(page: Page, *, of_site: bool = True) -> Flow:
    """What a page is about, its headings marked; ``of_site``: its header, footer and asides are those of a site."""
    flow = page.flow()
    kept = _edited(flow, furniture(flow.text(), [mark for mark in flow.marks if of_site or mark.kind != SITE]))
    text, verbatim = kept.text(), sorted(mark for mark in kept.marks if mark.kind == VERBATIM)
    words = (edit for mark in verbatim for edit in cut_word_edits(text, mark.start, mark.end))
    content = _edited(kept, TextEdits(words))
    content.marks = content.headings()
    return content


def _edited(flow: Flow, edits: TextEdits) -> Flow:
    """A flow after changes, with those marks of which something is left."""
    edited = Flow()
    edited.write_exactly(edits.applied(flow.text()))
    marks = (mark._replace(start=edits.moved(mark.start), end=edits.moved(mark.end)) for mark in flow.marks)
    edited.marks = sorted(mark for mark in marks if mark.start < mark.end)
    return edited


def read_page(data: bytes) -> Page:
    """A page's text and titles; a page that would have no text without its navigation keeps it."""
    source = decode(data, declared_in(data[:2048]))
    page = _parsed(source, _NEVER_TEXT | _FURNITURE)
    return page if page.flow().text() else _parsed(source, _NEVER_TEXT)


def declared_in(head: bytes) -> str | None:
    """The encoding that a page says it is in; not one in which nobody could have read so (HTML standard, 13.2.3.2)."""
    found = _DECLARED.search(head)
    name = found[1].decode("ascii") if found else ""
    return None if not name or name.lower().startswith(_WIDE) else name


def _parsed(source: str, dropped: frozenset[str]) -> Page:
    page = Page(dropped, is_still=_SCRIPT.search(source) is None)
    at = 0
    while markup := _MARKUP.search(source, at):
        if markup.start() > at:
            page.data(_unescaped(source[at : markup.start()]))
        at = markup.end()
        if markup["verbatim"]:
            page.data(markup["verbatim"])
        elif markup["tag"]:
            tag, empty = markup["tag"].lower(), markup["rest"].endswith("/")
            if not markup["end"]:
                page.start(tag, attributes_of(markup["rest"]))
                if tag in _RAW and not empty:
                    closing = _closing(tag).search(source, at)
                    at = closing.start() if closing else len(source)
            if markup["end"] or (empty and (tag in _MAY_BE_EMPTY or page.may_be_empty)):
                page.end(tag)
    page.data(_unescaped(source[at:]))
    return page


def _unescaped(text: str) -> str:
    """Text with its references to characters as those, but for what nobody sees, such as soft hyphens."""
    return clean(html.unescape(text)) if "&" in text else text


@cache
def _closing(tag: str) -> re.Pattern[str]:
    return re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE)


class Page:
    """The text and the titles of a page; within a dropped element only that element's own tag is looked at.

    What is hidden stays so where nothing on a page moves, as in mail; elsewhere a click may show it.
    """

    def __init__(self, dropped: frozenset[str], *, is_still: bool) -> None:
        self.title = ""
        self.heading = ""
        self._tables = Tables()
        self._dropped = dropped
        self._is_still = is_still
        self._within = ""  # the dropped element we are in
        self._depth = 0
        self._verbatim = 0
        self._content = 0  # elements that we are in whose headers and footers are their own
        self._items: list[int | None] = []  # of each list that we are in, the number of its next item, if it has one
        self._marker = ""  # of an item that has begun and says nothing yet
        self._naming = ""  # title or h1, while inside the first one
        self._raised = False  # whether a superscript has begun and says nothing yet
        self._bracketed = False  # whether the number of a note has begun that stands in brackets
        self._names_columns = False  # whether we are in a thead, where cells of data name columns, too
        self._definition = Definition()
        self._navigation: tuple[str, int, Flow] | None = None  # that we are in: its tag, how often, and what it is in
        self._formula: MathMarkup | None = None  # that is open

    def flow(self) -> Flow:
        """All of its text, with marks for headings, links, lists, and what is the site's and not the page's."""
        self._end_formula()
        return self._tables.finished()

    @property
    def may_be_empty(self) -> bool:
        """Whether an element may end where it begins: within a formula, or what is left out."""
        return self._formula is not None or bool(self._within)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if tag in _ENDS_FORMULA:
            self._end_formula()  # it was left open
        if self._formula is not None:
            self._formula.start(tag, attributes)
        elif self._within:
            self._depth += tag == self._within
        elif tag in self._dropped or self._is_left_out(tag, attributes):
            self._within, self._depth = tag, 1
        elif tag == "math":
            self._formula = MathMarkup()
        else:
            self._definition.start(tag)
            self._enter(tag, attributes)
            self._start_content(tag, attributes)

    def _is_left_out(self, tag: str, attributes: Mapping[str, str]) -> bool:
        is_unseen = is_furniture(tag, attributes) or (self._is_still and is_hidden(tag, attributes))
        return is_unseen and self._dropped >= _FURNITURE

    def _start_content(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _OF_TABLES:
            self._start_table(tag, attributes)
        else:
            self._part(tag)
            self._list(tag, attributes)
            self._mark(tag, attributes)
            self._verbatim += tag == "pre"
            self._bracketed = self._bracketed or is_bracketed_note(attributes)
            self._raised = tag == "sup" or is_note(attributes) or (self._raised and tag == "a")  # a link in the number
            if (tag == "title" and not self.title.strip()) or (tag == "h1" and not self.heading.strip()):
                self._naming = tag
            elif tag == "body":
                self._naming = ""

    def end(self, tag: str) -> None:
        """An element ends, whether or not it began."""
        if tag in _ENDS_FORMULA:
            self._end_formula()
        if self._formula is not None:
            self._formula.end(tag)
        elif self._within:
            self._depth -= tag == self._within
            self._within = self._within if self._depth else ""
        else:
            self._definition.end(tag)
            self._end_content(tag)
            self._leave(tag)

    def _end_content(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._tables.end_cell()
        elif tag == "table":
            self._tables.end_table()
        elif tag == "thead":
            self._names_columns = False
        else:
            for kind in KINDS if tag == "a" else filter(None, [_KINDS.get(tag)]):
                self._tables.flow.end(kind)
            if tag == "h1":
                self._tables.flow.end(TITLE)
            if tag in _LISTS:
                del self._items[-1:]
            self._content = max(0, self._content - (tag in _CONTENT))
            self._part(tag)
            self._verbatim = max(0, self._verbatim - (tag == "pre"))
            self._naming = "" if tag == self._naming else self._naming
            self._raised = self._raised and tag != "sup"

    def data(self, text: str) -> None:
        """Text between tags."""
        if self._formula is not None:
            self._formula.data(text)
            return
        if self._within or not text:
            return
        self._name(text)
        if self._naming == "title":
            return
        if self._marker and not text.isspace():
            self._tables.flow.write_exactly(self._marker)
            self._marker = ""
        if self._bracketed:  # right behind what it is a note to
            self._bracketed = False
            self._tables.flow.close_up()
            text = f"[{text}]" if text.isdigit() else text
        before = self._definition.mark_before(text)
        if before is not None:
            self._tables.flow.go_on(before, Gap.SPACE)
        if self._raised and needs_mark(self._tables.flow.last, text):
            self._tables.flow.write_exactly(MARK)
        self._raised = False
        if self._verbatim:
            self._write_verbatim(text)
        else:
            self._tables.flow.write(text)

    def _enter(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin what is named after navigation; within it count elements that end as it does."""
        if self._navigation is not None:
            name, depth, flow = self._navigation
            self._navigation = (name, depth + (tag == name), flow)
        elif is_navigation(tag, attributes):
            self._navigation = (tag, 1, self._tables.flow)
            self._tables.flow.part(_GAPS.get(tag, Gap.NONE))
            self._tables.flow.begin(NAVIGATION)

    def _leave(self, tag: str) -> None:
        if self._navigation is not None and self._navigation[0] == tag:
            name, depth, flow = self._navigation
            self._navigation = (name, depth - 1, flow) if depth > 1 else None
            if depth == 1:
                flow.end(NAVIGATION)

    def _end_formula(self) -> None:
        formula, self._formula = self._formula, None
        if formula is not None:
            self.data(formula.text())

    def _write_verbatim(self, text: str) -> None:
        """Line breaks at its ends are gaps: the text goes on in other elements, or has ended."""
        said = text.strip("\n")
        before, _, behind = text.partition(said) if said else (text, "", "")
        self._tables.flow.part(_broken(before))
        if said:
            self._tables.flow.write_exactly(_BLANK_LINES.sub("\n\n", said))
        self._tables.flow.part(_broken(behind))

    def _start_table(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._names_columns = tag == "thead" or (self._names_columns and tag in ("tr", "td", "th"))
        if tag == "table":
            self._tables.begin_table()
        elif tag == "tr":
            self._tables.begin_row()
            if self._names_columns:
                self._tables.head()
        elif tag in ("td", "th"):
            columns, rows = (count_in(attributes, name, _LONG_NUMBER) for name in ("colspan", "rowspan"))
            self._tables.begin_cell(Cell(heading=tag == "th", columns=columns, rows=rows))

    def _name(self, text: str) -> None:
        if self._naming == "title":
            self.title += text
        elif self._naming == "h1":
            self.heading += text

    def _part(self, tag: str) -> None:
        """Keep what a tag parts as far apart as it says, and in names by a space."""
        gap = self._gap(tag)
        self._tables.flow.part(gap)
        self._name(" " if gap else "")

    def _gap(self, tag: str) -> Gap:
        """How far a tag parts text; a list within another goes on with its items."""
        return Gap.LINE if tag in _LISTS and self._items else _GAPS.get(tag, Gap.NONE)

    def _list(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Items of lists have a dash or a number, but in cells; headings, which stand in items of menus, have none."""
        if tag in _LISTS:
            self._items.append(_item_number(attributes.get("start", ""), 1) if tag == "ol" else None)
        elif tag == "li" and self._items and self._tables.cell() is None:
            number = self._items[-1]
            if number is not None:
                number = _item_number(attributes.get("value", ""), number)
                self._items[-1] = number + 1
            self._marker = "- " if number is None else f"{number}. "
        elif tag in _HEADINGS:
            self._marker = ""

    def _mark(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin what a tag marks: headers, footers and asides are the site's where they are not those of content."""
        self._content += tag in _CONTENT
        kind = _KINDS.get(tag)  # nothing for most
        if kind == SITE and self._content:
            return
        if kind:
            self._tables.flow.begin(kind, int(tag[1]) if kind == HEADING else 0)
        for each in kinds_of(attributes) if tag == "a" else ():
            self._tables.flow.begin(each)
        if tag == "h1":
            self._tables.flow.begin(TITLE)


def _item_number(written: str, otherwise: int) -> int:
    """The number that an attribute gives an item."""
    return int(written) if re.fullmatch(r"-?[0-9]{1,6}", written) else otherwise


def _broken(breaks: str) -> Gap:
    return (Gap.NONE, Gap.LINE, Gap.PARAGRAPH)[min(len(breaks), 2)]
