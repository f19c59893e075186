"""XML of any kind: articles and books (DocBook, JATS, TEI, Mallard ...), messages, feeds, records and settings.

No vocabulary is known. Whether an element is running text, a value or holds others is told by what is in it: text
beside elements is running text, elements alone are parts, and a short text alone is a value, which its element names.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.encoding import clean, decode
from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.archives import ArchiveKind, Attributes, PartEvents, damage_named, parse_xml
from polyhop.documents.loaders.html import content_of, declared_in, read_page
from polyhop.documents.loading import file_document, headed, one_line
from polyhop.documents.tables import pairs
from polyhop.errors import DocumentError
from polyhop.types import Document

_KIND: Final = ArchiveKind(
    name="XML", locked="no XML", remedy="Save it as plain XML, or name a text that it was made to."
)
_TITLES: Final = frozenset(("title", "head", "heading", "headline", "bridgehead", "article-title"))
_ITEMS: Final = frozenset(("listitem", "item", "li"))
_AS_WRITTEN: Final = frozenset(("programlisting", "screen", "literallayout", "code", "pre", "verse", "synopsis"))
_RUNNING: Final = frozenset(("p", "para", "simpara", "paragraph", "abstract", "body", "summary", "note"))
_MARKUP: Final = re.compile(r"</(?:p|a|b|i|em|strong|ul|ol|li|div|span|h[1-6]|blockquote|table|code)>|<br ?/?>")
_BEGINS: Final = re.compile(r"[ \t]{2}|- |\d{1,3}\. ")  # a paragraph, or an item of a web page
_LONGEST_VALUE: Final = 80  # characters; what is longer is running text
_SENTENCE_ENDS: Final = (".", "!", "?", "\u2026")
_LARGEST: Final = 1 << 26  # bytes: what is larger is data of programs
_HEAD: Final = 256  # bytes that may declare an encoding
_DEEPEST: Final = 60  # elements within one another that are told apart


@dataclass(frozen=True, kw_only=True)
class XmlLoader:
    """Reads the text of XML in its order: titles as headings, values behind the names of their elements.

    What is in attributes is read of elements that have nothing else. XML that declares entities is refused.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xml", ".dbk", ".docbook", ".page", ".rss", ".atom")
    media_type: ClassVar[str] = "application/xml"
    version: ClassVar[str] = "3"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, called after its first title, or its file. Raises DocumentError for damaged and huge files."""
        if path.stat().st_size > _LARGEST:
            raise DocumentError(
                f"is larger than {_LARGEST >> 20} MiB", remedy="Split it, or index what it was made from."
            )
        tree = _Tree()
        content = path.read_bytes()
        text = decode(content, declared_in(content[:_HEAD]))  # Expat knows few encodings
        with damage_named(_KIND):
            parse_xml([text.encode()], tree, _KIND, "utf-8")
        flow = Flow()
        _write(tree.root, flow, 0)
        marks, text = flow.headings(), flow.text()
        title = text[marks[0].start : marks[0].end] if marks else None
        yield headed(file_document(uri, text, self.media_type, title=title), marks)


@dataclass(slots=True)
class _Element:
    """An element with what is in it, in its order."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    content: list[_Element | str] = field(default_factory=list)

    @property
    def parts(self) -> list[_Element]:
        """The elements in it."""
        return [part for part in self.content if isinstance(part, _Element)]

    @property
    def is_running(self) -> bool:
        """Whether it has text of its own."""
        return any(isinstance(part, str) and not part.isspace() for part in self.content)

    def all(self) -> str:
        """All of its text, on one line."""
        return one_line(_without_markup("".join(_texts(self))))

    def value(self) -> str:
        """What it says, where that is a value: short, alone and no sentence; else nothing."""
        if self.parts or self.name.lower() in _RUNNING | _TITLES | _AS_WRITTEN:
            return ""
        if _MARKUP.search("".join(_texts(self))):
            return ""
        said = self.all()
        return said if len(said) <= _LONGEST_VALUE and not said.endswith(_SENTENCE_ENDS) else ""


class _Tree(PartEvents):
    """The elements of a file."""

    def __init__(self) -> None:
        self.root = _Element("")
        self._open = [self.root]
        self._deeper = 0

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins; one that is too deep is text of the one around it."""
        if len(self._open) > _DEEPEST:
            self._deeper += 1
            return
        element = _Element(name, attributes)
        self._open[-1].content.append(element)
        self._open.append(element)

    def end(self, name: str) -> None:
        """An element ends."""
        del name
        if self._deeper:
            self._deeper -= 1
        else:
            self._open.pop()

    def data(self, text: str) -> None:
        """Text within an element."""
        self._open[-1].content.append(text)


def _texts(element: _Element) -> Iterator[str]:
    for part in element.content:
        if isinstance(part, str):
            yield part
        else:
            yield from _texts(part)


def _write(element: _Element, flow: Flow, depth: int) -> None:
    """What an element says, and the elements in it."""
    name, parts = element.name.lower(), element.parts
    if name in _TITLES and not any(part.name.lower() in _TITLES for part in parts):
        flow.heading(element.all(), max(1, depth))
    elif name in _AS_WRITTEN or (not parts and element.is_running):
        _write_lines(element, flow)
    elif element.is_running and not any(part.parts and not part.is_running for part in parts):
        flow.part(Gap.PARAGRAPH)
        flow.write(element.all())
        flow.part(Gap.PARAGRAPH)
    elif name in _ITEMS and len(parts) == 1 and not (parts[0].parts and not parts[0].is_running):
        flow.part(Gap.LINE)
        flow.write(f"- {element.all()}")
        flow.part(Gap.LINE)
    else:
        _write_parts(element, flow, depth)


def _write_parts(element: _Element, flow: Flow, depth: int) -> None:
    """The elements in one that holds others: a record, the values of a list, or each by itself."""
    parts = element.parts
    values = [part.value() for part in parts]
    names = {part.name for part in parts}
    flow.part(Gap.LINE if parts and all(values) else Gap.PARAGRAPH)
    if element.name and parts and all(values) and len(names) == 1:
        flow.write_exactly(clean(f"{element.name}: {', '.join(values)}"))
    elif len(parts) > 1 and all(values) and len(names) == len(parts):
        flow.write_exactly(_record(element.name, {part.name: said for part, said in zip(parts, values, strict=True)}))
    elif not parts and len(element.attributes) > 1:
        flow.write_exactly(_record(element.name, element.attributes))
    else:
        for part in element.content:
            if isinstance(part, str):
                flow.write(clean(part))
            elif element.is_running and (part.is_running or not part.parts):
                flow.write(clean("".join(_texts(part))))
            elif said := part.value():
                flow.part(Gap.LINE)
                flow.write_exactly(clean(f"{part.name}: {said}"))
                flow.part(Gap.LINE)
            else:
                _write(part, flow, depth + 1)
    flow.part(Gap.LINE if parts and all(values) else Gap.PARAGRAPH)


def _record(name: str, values: Mapping[str, str]) -> str:
    """Values behind their names, the first of which is told what the record is: ``country name: Aruba; code: AW``."""
    return one_line(f"{name} {'; '.join(pairs(values, values.values()))}")


def _write_lines(element: _Element, flow: Flow) -> None:
    """Text with lines of its own, those that only a width parted put together."""
    said = textwrap.dedent(clean("".join(_texts(element))).expandtabs(4)).strip("\n").rstrip()
    if element.name.lower() not in _AS_WRITTEN:
        said = _paragraphs(_without_markup(said))
    if not said.strip():
        return
    flow.part(Gap.PARAGRAPH)
    flow.write_exactly(said)
    flow.part(Gap.PARAGRAPH)


def _without_markup(text: str) -> str:
    """A text as it is shown, where it is a piece of a web page that was put in whole, as feeds and exports have it."""
    return text if _MARKUP.search(text) is None else content_of(read_page(text.encode()), of_site=False).text()


def _paragraphs(text: str) -> str:
    """Running text with a paragraph a line: what begins one is a blank line before it, or an indent or a dash."""
    first, _, others = text.strip().partition("\n")
    found = [first]
    begins = False
    for line in textwrap.dedent(others).split("\n"):
        if not line.strip():
            begins = True
        elif begins or _BEGINS.match(line):
            found.append(line)
            begins = False
        else:
            found[-1] += f" {line}"
    return "\n".join(map(one_line, found))
