"""Books are read chapter by chapter, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.documents.loaders.epub import EpubLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.epub import write_epub

CHAPTERS = {"b.xhtml": "<h1>The mill</h1><p>It grinds rye.</p>", "a b.xhtml": "<h2>The keeper</h2><p>Lena Voss.</p>"}
READ = "The mill\n\nIt grinds rye.\n\nThe keeper\n\nLena Voss."


def load(file: Path) -> list[Document | Skipped]:
    return list(EpubLoader().load(file, file.as_posix()))


def only(file: Path) -> Document:
    (document,) = load(file)
    assert isinstance(document, Document)
    return document


def test_chapters_are_read_in_the_order_of_the_book(tmp_path: Path) -> None:
    document = only(write_epub(tmp_path / "a.epub", CHAPTERS))
    assert document.text == READ
    assert (document.title, document.metadata) == ("The Tide Mill", {"author": "Lena Voss"})
    assert [document.text[start:end] for start, end in document.headings] == ["The mill", "The keeper"]


def test_references_are_written_as_those_of_the_web(tmp_path: Path) -> None:
    manifest = '<item id="x" href="../text/a%20b.xhtml" media-type="application/xhtml+xml"/>'
    parts = {"text/a b.xhtml": "<p>Found.</p>"}
    book = write_epub(tmp_path / "a.epub", {}, manifest=manifest, spine='<itemref idref="x"/>', parts=parts)
    assert only(book).text == "Found."


def test_navigation_contents_and_covers_are_left_out(tmp_path: Path) -> None:
    links = "<ol><li><a href='b.xhtml'>The mill</a></li></ol>"
    book = write_epub(
        tmp_path / "a.epub",
        {"toc.xhtml": f"<p>Contents</p>{links}", **CHAPTERS},
        manifest=(
            '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
            '<item id="s" href="cover.svg" media-type="image/svg+xml"/>'
        ),
        spine='<itemref idref="s"/><itemref idref="n"/><itemref idref="nowhere"/>',
        guide='<reference type="toc" href="text/toc.xhtml#top"/>',
        parts={"OEBPS/nav.xhtml": f"<nav>{links}</nav>", "OEBPS/cover.svg": "<svg><text>Cover</text></svg>"},
    )
    assert only(book).text == READ


def test_what_is_set_aside_in_a_chapter_is_read(tmp_path: Path) -> None:
    chapter = "<p>It grinds rye.</p><aside><p>Since 1742.</p></aside><footer><p>Paid by Voss.</p></footer>"
    assert only(write_epub(tmp_path / "a.epub", {"a": chapter})).text == (
        "It grinds rye.\n\nSince 1742.\n\nPaid by Voss."
    )


def test_a_chapter_that_is_missing_or_binary_does_not_stop_the_others(tmp_path: Path) -> None:
    manifest = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in ("gone", "odd"))
    book = write_epub(
        tmp_path / "a.epub",
        CHAPTERS,
        manifest=manifest,
        spine='<itemref idref="gone"/><itemref idref="odd"/>',
        parts={"OEBPS/odd": bytes(range(256)) * 8},
    )
    document, gone, odd = load(book)
    assert isinstance(document, Document)
    assert document.text == READ
    assert isinstance(gone, Skipped)
    assert gone.uri.endswith("a.epub#OEBPS/gone")
    assert isinstance(odd, Skipped)
    assert odd.reason == "is binary, not text"


@pytest.mark.parametrize(
    ("method", "protected"),
    [("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True), ("http://www.idpf.org/2008/embedding", False)],
)
def test_a_protected_book_is_named_so(tmp_path: Path, method: str, protected: bool) -> None:
    reference = '<CipherData><CipherReference URI="OEBPS/text/b.xhtml"/></CipherData>'
    encryption = f'<e><EncryptedData><EncryptionMethod Algorithm="{method}"/>{reference}</EncryptedData></e>'
    book = write_epub(tmp_path / "a.epub", {"b.xhtml": "<p>x</p>"}, parts={"META-INF/encryption.xml": encryption})
    if protected:
        with pytest.raises(DocumentError, match="DRM"):
            load(book)
    else:
        assert only(book).text == "x"


def test_an_archive_that_is_no_book_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.epub").write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(DocumentError, match="is damaged, or not a book"):
        load(tmp_path / "a.epub")


@pytest.mark.parametrize(
    ("chapter", "text"),
    [
        ("<p>In 1790<a epub:type='noteref' href='#n'>3</a> it burned.</p>", "In 1790^3 it burned."),
        (
            "<p>In 1790<a role='doc-noteref' href='#n'>3</a>, in 1790<sup><a id='b'></a>4</sup>.</p>",
            "In 1790^3, in 1790^4.",
        ),
        (
            "<p>The <span epub:type='pagebreak' id='p12'>12</span>mill <span role='doc-pagebreak'/>grinds.</p>",
            "The mill grinds.",
        ),
    ],
)
def test_numbers_of_notes_and_pages_are_no_words_of_the_text(tmp_path: Path, chapter: str, text: str) -> None:
    assert only(write_epub(tmp_path / "a.epub", {"a.xhtml": chapter})).text == text
