"""No file ends a run: whatever is in it, a loader reads it or refuses it, and whatever a loader raises skips its file.

Real files of every format are damaged in every way that hypothesis can think of.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.encoding import read_text
from polyhop.documents.loading import file_document
from polyhop.documents.reading import Source, find, registered
from polyhop.errors import DocumentError, UsageError
from polyhop.indexing import ingest
from polyhop.indexing.ingest import Ingest
from polyhop.reports import Skipped
from polyhop.settings import Chunking
from polyhop.types import Document
from tests.worlds.documents import EXAMPLES, HARBOUR, write
from tests.worlds.docx import paragraph, write_docx
from tests.worlds.made_files import MADE

LOADERS = registered()
REAL = {  # a file for every registered loader: who adds a loader adds its file here, or below
    "csv": "museum_objects.csv",
    "docx": "regent_isaude.docx",
    "html": "lissandra.html",
    "jsonl": "gazetteer.jsonl",
    "markdown": "benno_trask.md",
    "pdf": "academy_of_asperlow.pdf",
    "text": "giselle_ombry.txt",
}
HOSTILE = (
    *(
        b"\0",
        b"\xff\xfe",
        b"\xfe\xff\0\0",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x1b$B",
        b'"',
        b"]]>",
        b"<!--",
        b"&#x110000;",
    ),
    *(b"<table>" * 400, b"[" * 3000, b'{"a":' * 3000, b'"' * 999, b"> " * 2000, b"<<" * 500, b"9" * 5000, b"\r" * 300),
    *(
        b"--===============\n",
        b"=?utf-8?b?",
        b"Content-Type: multipart/mixed; boundary=a\n",
        b'charset="x"',
        b"filename*0*=",
    ),
    *(b"{" * 3000, b"}", b"\\u-1 ", b"{\\*\\", b"\\bin99999 ", b"\\'", b"\\cell\\row\\trowd\\itap99 ", b"{\\footnote "),
    *(b"---\n", b"sep=", b"/Kids [2 0 R]", b"/Count -1", b"/Length 99999999999", b'\n{"text": "\\ud800"}\n', b"NaN"),
)
WIDE = ("utf-16", "utf-16-be", "utf-32", "utf-7", "cp1251", "cp500", "shift_jis")
WORD_TAGS = ("tbl", "tr", "tc", "p", "r", "t", "pPr", "del", "footnote", "pStyle", "body", "br")
TAGS = (*(f"w:{tag}" for tag in WORD_TAGS), "row", "c", "v", "is", "t", "si", "xf", "sheets", "sheetData", "worksheet")
TAGS += (
    "p:sp",
    "p:ph",
    "p:txBody",
    "p:sldId",
    "a:p",
    "a:r",
    "a:t",
    "a:tbl",
    "a:tr",
    "a:tc",
    "Relationship",
    "item",
    "itemref",
    "package",
)
TAGS += ("text:p", "text:h", "text:span", "text:list-item", "text:note", "text:note-body", "table:table", "math:math")
TAGS += ("table:table-row", "table:table-cell", "table:covered-table-cell", "draw:frame", "draw:page", "style:style")

Damage = Callable[[bytes], bytes]
places = st.floats(0, 1, exclude_max=True)


def cut(content: bytes, at: float) -> bytes:
    return content[: int(at * len(content))]


def flipped(content: bytes, at: float, by: int) -> bytes:
    place = int(at * len(content))
    return content[:place] + bytes([content[place] ^ by]) + content[place + 1 :] if content else content


def stuffed(content: bytes, at: float, what: bytes) -> bytes:
    place = int(at * len(content))
    return content[:place] + what + content[place:]


def moved(content: bytes, at: float, to: float) -> bytes:
    """A tenth of the content stands somewhere else."""
    start, length = int(at * len(content)), len(content) // 10
    rest = content[:start] + content[start + length :]
    return stuffed(rest, to, content[start : start + length])


def encoded(content: bytes, encoding: str) -> bytes:
    return content.decode("utf-8", errors="replace").encode(encoding, errors="replace")


def retagged(content: bytes, old: str, new: str) -> bytes:
    """The content with other elements for those of a name, in whatever way they begin."""
    for mark in (b"<", b"</"):
        for behind in (b">", b" "):
            content = content.replace(mark + old.encode() + behind, mark + new.encode() + behind)
    return content


plain_damage: st.SearchStrategy[Damage] = st.one_of(
    st.builds(lambda at: lambda content: cut(content, at), places),
    st.builds(lambda at, by: lambda content: flipped(content, at, by), places, st.integers(1, 255)),
    st.builds(lambda at, what: lambda content: stuffed(content, at, what), places, st.sampled_from(HOSTILE)),
    st.builds(lambda at, to: lambda content: moved(content, at, to), places, places),
    st.builds(lambda name: lambda content: encoded(content, name), st.sampled_from(WIDE)),
    st.builds(
        lambda old, new: lambda content: retagged(content, old, new), st.sampled_from(TAGS), st.sampled_from(TAGS)
    ),
)


def rezipped(content: bytes, first: int, second: int, damage: Damage) -> bytes:
    """An archive with two of its members under each other's names, and one of them damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist() if name}
    except Exception:  # noqa: BLE001 - damaged already: an archive no more
        return content
    if not members:
        return content
    names = sorted(members)
    one, other = names[first % len(names)], names[second % len(names)]
    members[one], members[other] = members[other], damage(members[one])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()


damages = st.lists(
    st.one_of(
        plain_damage,
        st.builds(
            lambda one, other, damage: lambda content: rezipped(content, one, other, damage),
            st.integers(0, 20),
            st.integers(0, 20),
            plain_damage,
        ),
    ),
    min_size=1,
    max_size=4,
)


def test_every_registered_loader_is_attacked() -> None:
    assert set(LOADERS) == set(REAL) | set(MADE)
    assert not set(REAL) & set(MADE)


@pytest.mark.parametrize("name", sorted(MADE))
def test_what_is_attacked_is_read_when_whole(name: str, tmp_path: Path) -> None:
    file = MADE[name](tmp_path / f"whole{LOADERS[name].suffixes[0]}")
    assert all(isinstance(item, Document) for item in LOADERS[name].load(file, file.as_posix()))


@pytest.mark.parametrize("name", ["docx", "epub", "odp", "ods", "odt", "pptx", "xlsx"])
def test_xml_in_an_encoding_that_nobody_knows_is_damage(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"unknown{LOADERS[name].suffixes[0]}"
    with zipfile.ZipFile(MADE[name](file) if name in MADE else EXAMPLES / REAL[name]) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content if one == "mimetype" else b'<?xml version="1.0" encoding="UT"?><a/>')
    with pytest.raises(DocumentError, match="damaged"):
        list(LOADERS[name].load(file, file.as_posix()))


@pytest.mark.parametrize("name", sorted({**REAL, **MADE}))
@settings(max_examples=100, deadline=None)
@given(damages=damages)
def test_a_damaged_file_is_read_or_refused(
    name: str, damages: list[Damage], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The loaders themselves: nothing but DocumentError, for a person to read."""
    file = tmp_path_factory.getbasetemp() / f"damaged{LOADERS[name].suffixes[0]}"
    content = (MADE[name](file) if name in MADE else EXAMPLES / REAL[name]).read_bytes()
    for damage in damages:
        content = damage(content)
    file.write_bytes(content)
    try:
        items = list(LOADERS[name].load(file, file.as_posix()))
    except DocumentError:
        return
    for item in items:
        assert isinstance(item, Document | Skipped)
        if isinstance(item, Document):
            assert "\0" not in item.title + item.text
            (item.id + item.uri + item.title + item.text).encode()


@pytest.mark.parametrize(
    "body",
    [
        f"<w:tr><w:tc>{paragraph('Orla mill')}</w:tc><w:tc>{paragraph('1742')}</w:tc></w:tr>",
        f"<w:tc>{paragraph('Orla mill')}</w:tc><w:tc>{paragraph('1742')}</w:tc>",
        f"<w:tbl/><w:tr><w:tc>{paragraph('Orla mill')}</w:tc><w:tc>{paragraph('1742')}</w:tc></w:tr>",
    ],
)
def test_a_row_or_a_cell_outside_of_a_table_reads_as_one_within(tmp_path: Path, body: str) -> None:
    file = write_docx(tmp_path / "mill.docx", body + paragraph("It grinds rye."))
    (item,) = LOADERS["docx"].load(file, file.as_posix())
    assert isinstance(item, Document)
    assert item.text.startswith("Orla mill: 1742\n")
    assert item.text.endswith("It grinds rye.")


@dataclass(frozen=True, kw_only=True)
class Failing:
    """A loader that hands out a document and then fails."""

    error: Exception
    suffixes: ClassVar[tuple[str, ...]] = (".odd",)
    media_type: ClassVar[str] = "text/odd"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The text, and then the error."""
        yield file_document(uri, read_text(path), self.media_type)
        raise self.error


@dataclass(frozen=True, kw_only=True)
class Careless:
    """A loader that hands out what nobody can store."""

    item: object
    suffixes: ClassVar[tuple[str, ...]] = (".odd",)
    media_type: ClassVar[str] = "text/odd"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The item, as it is."""
        yield self.item  # type: ignore[misc]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            IndexError("list index\nout of range"),
            "cannot be read: its loader stopped with IndexError: list index out of range",
        ),
        (RecursionError(), "cannot be read: its loader stopped with RecursionError"),
        (MemoryError("1 << 40"), "cannot be read: its loader stopped with MemoryError: 1 << 40"),
        (KeyError("x" * 9999), "cannot be read: its loader stopped with KeyError: 'xxx"),
        (UsageError("No such engine.", remedy="Install it."), "No such engine. Install it"),
        (PermissionError(13, "Permission denied"), "cannot be read: Permission denied"),
    ],
)
def test_whatever_a_loader_raises_skips_the_file_with_the_reason(tmp_path: Path, error: Exception, reason: str) -> None:
    file = tmp_path / "a.odd"
    file.write_text("The mill.")
    document, skipped = Source(path=file, uri=file.as_posix(), loader=Failing(error=error)).documents()
    assert isinstance(document, Document)
    assert isinstance(skipped, Skipped)
    assert (skipped.uri, skipped.reason[: len(reason)]) == (file.as_posix(), reason)
    assert len(skipped.reason) < 400


WHOLE = file_document("a.odd", "The mill.", "text/odd")


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (None, "it handed out a NoneType for a document"),
        ("The mill.", "it handed out a str for a document"),
        (replace(WHOLE, text="half a \ud83d pair"), "surrogates not allowed"),
        (replace(WHOLE, title=None), "AttributeError"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_document_skips_the_file(tmp_path: Path, item: object, reason: str) -> None:
    (skipped,) = Source(path=tmp_path, uri="a.odd", loader=Careless(item=item)).documents()
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


def test_what_a_loader_leaves_out_of_a_document_is_made(tmp_path: Path) -> None:
    """Without a hash, every document would say what the first one does."""
    item = Document(id=WHOLE.id, uri=WHOLE.uri, title=WHOLE.title, text=WHOLE.text, media_type=WHOLE.media_type)
    assert list(Source(path=tmp_path, uri="a.odd", loader=Careless(item=item)).documents()) == [WHOLE]


def test_a_file_that_vanishes_after_it_was_found_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the listing of a folder and the reading of a file anything may happen to it."""
    folder = write(tmp_path, HARBOUR)

    def find_and_lose(paths: Sequence[Path], *, besides: Path | None) -> Iterator[Source | Skipped]:
        for source in find(paths, besides=besides):
            if source.uri.endswith("fennick.txt"):
                (folder / "fennick.txt").unlink()
            yield source

    monkeypatch.setattr(ingest, "find", find_and_lose)
    tally = Ingest(record=None, chunking=Chunking(), dry_run=True).run([folder])
    assert tally.added == 3
    assert [Path(skipped.uri).name for skipped in tally.skipped] == ["fennick.txt"]
    assert "No such file" in tally.skipped[0].reason
