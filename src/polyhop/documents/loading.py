"""What a loader is, and how loaders name and make documents."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import ClassVar, Protocol

from polyhop.documents.encoding import clean
from polyhop.documents.flow import Mark
from polyhop.errors import DocumentError, UsageError
from polyhop.reports import Skipped
from polyhop.types import Document

EMPTY = "is empty"
NO_ROWS = "has no rows below its header"
SAYS_NOTHING = frozenset((EMPTY, NO_ROWS))  # reasons to skip a file that was read, and has nothing any more
_OFFICE = "application/vnd.openxmlformats-officedocument."  # what media types begin with
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
SLIDES = f"{_OFFICE}presentationml.presentation"
OPEN_SLIDES = f"{_OPEN_DOCUMENT}presentation"
OF_SLIDES = (SLIDES, OPEN_SLIDES)  # their pages are slides
SPREADSHEET = f"{_OFFICE}spreadsheetml.sheet"
OPEN_SPREADSHEET = f"{_OPEN_DOCUMENT}spreadsheet"
OF_SHEETS = (SPREADSHEET, OPEN_SPREADSHEET)  # their headings are sheets
MAIL = "message/rfc822"
MAILBOX = "application/mbox"  # of each message in it, as of a mail alone, attachments are parts
_SAYS_LITTLE = frozenset((  # titles that the same file of any other work has
    *("changelog", "change log", "changes", "release history", "version history", "history", "release notes"),
    *("releases", "news", "what's new", "readme", "read me", "license", "licence", "contributing", "authors"),
    *("copyright", "copying", "notice", "credits", "thanks", "maintainers", "contributors", "todo", "install"),
    *("description", "introduction", "overview", "about", "summary", "contents", "home", "welcome"),
    *("index", "untitled", "curriculum vitae", "cv", "résumé", "resume", "faq", "frequently asked questions"),
    *("agenda", "minutes"),
))  # fmt: skip
_BESIDE = re.compile(r"\s*(?:[/&,]|\band\b)\s*", re.IGNORECASE)  # between two such titles: "News / Changelog"
_MESSAGE = re.compile(r".*\.(?:eml|mbox#\d+)#", re.IGNORECASE)  # what stands in a URI before an attachment's name
_HALF = re.compile("[\ud800-\udfff]")  # surrogates, which no encoding writes


class Loader(Protocol):
    """Reads the files of one format; found by suffix.

    A loader raises DocumentError for a file that it cannot use; the message is a predicate, such as "is encrypted",
    that goes after the file's name. Whatever else it raises skips the file too, in the error's own words. A row that
    cannot be used is handed out as Skipped, and the others follow. One whose ``version`` (a text, where it has one)
    has changed reads the files of an index again.
    """

    suffixes: ClassVar[tuple[str, ...]]  # in lower case, with the dot
    media_type: ClassVar[str]

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The documents in a file; ``uri`` names the file. Raises DocumentError and OSError."""


def bare(text: str) -> str:
    """The letters and digits of a text, without its case: what is the same however a line or a name is set."""
    return "".join(filter(str.isalnum, text)).casefold()


def version_of(loader: Loader) -> str:
    """The version of what a loader reads from a file; empty for one that has none."""
    return str(getattr(loader, "version", ""))


def version_with(own: str, others: Mapping[str, Loader]) -> str:
    """The version of a loader that hands files on to others, by name: what these read counts as well."""
    return ", ".join([own, *sorted(f"{name} {version_of(loader)}" for name, loader in others.items())])


def readable_stem(uri: str) -> str:
    """A file's name as a title: without its suffix, and with spaces for underscores; of an attachment its own."""
    return PurePosixPath(_MESSAGE.sub("", PurePosixPath(uri).name)).stem.replace("_", " ").strip()


def file_document(
    uri: str, text: str, media_type: str, *, title: str | None = None, metadata: Mapping[str, str] | None = None
) -> Document:
    """The document that a file is; without a title, or with one that any such file has, it is named after the file."""
    shown = _telling(one_line(title or "") or readable_stem(uri), uri)
    return Document(
        id=_short_hash(uri, 16),
        uri=uri,
        title=shown,
        text=text.strip("\n"),
        media_type=media_type,
        sha256=content_hash(shown, text.strip("\n")),
        metadata=dict(metadata or {}),
    )


def _telling(title: str, uri: str) -> str:
    """A title; where all that it says is what kind of file it is, the file's name or its folder's is before it."""
    if not all(part in _SAYS_LITTLE for part in _BESIDE.split(title.casefold())):
        return title
    stem, folder = readable_stem(uri), PurePosixPath(uri).parent.name
    other = folder if stem.casefold() in _SAYS_LITTLE else stem
    return f"{other}: {title}" if other else title


def headed(document: Document, headings: Iterable[Mark]) -> Document:
    """A document with its headings, and how deep they are where all of them tell."""
    marks = sorted(headings)
    levels = tuple(mark.level for mark in marks)
    places = tuple((mark.start, mark.end) for mark in marks)
    return replace(document, headings=places, levels=levels if all(levels) else ())


def row_document(
    uri: str,
    row: int,
    text: str,
    media_type: str,
    *,
    identity: str = "",
    name: str = "",
    title: str = "",
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """The document that one row of a file is; ``uri`` names the file.

    ``identity``: the row's own id, which no row of another file has; ``name``: what tells it from the other rows of its
    file alone, and is their number where there is neither.
    """
    own = one_line(identity)
    within = own or one_line(name) or str(row)
    shown = one_line(title) or f"{readable_stem(uri)} {row}"
    body = clean(text).strip()
    return Document(
        id=own or f"{PurePosixPath(uri).stem}.{_short_hash(uri, 8)}#{within}",
        uri=f"{uri}#{within}",
        title=shown,
        text=body,
        media_type=media_type,
        sha256=content_hash(shown, body),
        metadata=dict(metadata or {}),
        whole=True,
    )


def summed_up(items: Iterable[Document | Skipped], uri: str, parts: str) -> Iterator[Document | Skipped]:
    """The items; where none is a document, one line about the whole file, which could not be read, instead of them.

    What an index has of such a file stays. ``parts``: what its parts are called.
    """
    bad: list[Skipped] = []
    found = False
    for item in items:
        found = found or isinstance(item, Document)
        if found:
            yield from bad
            bad.clear()
            yield item
        elif isinstance(item, Skipped):
            bad.append(item)
    if len(bad) > 1:
        yield Skipped(uri, f"has no document in any of its {len(bad)} {parts}: {bad[0].reason}, and so on")
    else:
        yield from (Skipped(uri, one.reason) for one in bad)


def given_document(document: Document) -> Document:
    """A document that is handed over as an object, made as those of files are.

    Its text gets the line breaks of files and loses control characters: spans refer to the text as it is stored.
    Raises UsageError where it has no id, places that are not in its text, or not as many levels as headings;
    DocumentError where its text is empty or holds half characters.
    """
    for name, value in (("id", document.id), ("uri", document.uri), ("title", document.title), ("text", document.text)):
        if _HALF.search(value):
            raise DocumentError(
                f"The {name} of the document {document.id!r} holds a surrogate, which is half a character.",
                remedy="Decode it with the encoding that it has.",
            )
    if not document.id.strip():
        raise UsageError("A document has no id.", remedy="Give each document an id of its own.")
    text = clean(document.text).strip("\n")
    if not text.strip():
        raise DocumentError(f"The document {document.id!r} is empty.", remedy="Leave it out, or remove it by its URI.")
    places = (*document.pages, *(place for heading in document.headings for place in heading))
    if any(not 0 <= place <= len(text) for place in places) or (places and text != document.text):
        raise UsageError(
            f"Pages or headings of the document {document.id!r} are not places of its text as it is stored.",
            remedy="Give a text without control characters, soft hyphens and blank lines at its ends.",
        )
    if document.levels and len(document.levels) != len(document.headings):
        raise UsageError(
            f"The document {document.id!r} has {len(document.headings)} headings and {len(document.levels)} levels.",
            remedy="Give a level for each heading, or none at all.",
        )
    uri = document.uri or document.id
    title = one_line(document.title) or readable_stem(uri)
    return replace(document, uri=uri, title=title, text=text, sha256=content_hash(title, text))


def content_hash(title: str, text: str) -> str:
    """The sha256 of what a document says, hexadecimal: equal for documents that say the same."""
    return hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()


def one_line(text: str) -> str:
    """Clean text with single spaces for all white space."""
    return " ".join(clean(text).split())


def _short_hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
