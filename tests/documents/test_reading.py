"""Files and folders are found and read; everything that is not read is named with the reason."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from polyhop.documents.chunking import cut
from polyhop.documents.loaders.csv import CsvLoader
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.loading import Loader
from polyhop.documents.reading import Source, covers, find, fingerprint_file, given_path, uri_of
from polyhop.errors import UsageError
from polyhop.reports import Skipped
from polyhop.settings import Chunking
from polyhop.types import Document
from tests.worlds.documents import read

LOADERS: dict[str, Loader] = {"text": TextLoader(), "csv": CsvLoader(), "jsonl": JsonlLoader(), "pdf": PdfLoader()}
root_user = getattr(os, "geteuid", lambda: 1)() == 0
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


def run(*paths: str | Path) -> tuple[list[Document], dict[str, str]]:
    items = list(read(paths, loaders=LOADERS))
    documents = [item for item in items if isinstance(item, Document)]
    return documents, {item.uri: item.reason for item in items if isinstance(item, Skipped)}


def names(documents: Sequence[Document]) -> list[str]:
    return [document.uri.rpartition("/")[2] for document in documents]


def test_folders_are_read_in_order_and_hidden_files_passed_over(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.TXT", "c/d/e.rst", ".hidden.txt", ".git/config.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("The mill.")
    documents, skipped = run(tmp_path)
    assert names(documents) == ["z.TXT", "b.txt", "e.rst"]
    assert skipped == {}
    assert documents[1].uri == (tmp_path / "b.txt").as_posix()


def test_captions_are_read_out_of_folders_and_keep_their_lines(tmp_path: Path) -> None:
    said = "00:00:01.000 --> 00:00:04.000\n<v Ada Brisk>Welcome to the\nharbour.</v>"
    for name, beginning in {"a.srt": "1\n", "b.vtt": "WEBVTT\n\n"}.items():
        (tmp_path / name).write_text(f"{beginning}{said}\n\n{said.replace('Ada Brisk', 'Otto')}\n")
    documents, skipped = run(tmp_path)
    assert (names(documents), skipped) == (["a.srt", "b.vtt"], {})
    assert all(f"{said}\n\n" in document.text for document in documents)


def test_a_hidden_file_that_is_asked_for_is_read(tmp_path: Path) -> None:
    (tmp_path / ".notes.txt").write_text("The mill.")
    assert len(run(tmp_path / ".notes.txt")[0]) == 1


def test_a_missing_path_is_an_error_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The mill.")
    with pytest.raises(UsageError, match="nowhere"):
        find([tmp_path, tmp_path / "nowhere"], loaders=LOADERS)


def test_a_name_that_begins_with_a_tilde_is_one_where_nobody_is_called_so() -> None:
    assert given_path("~$report.docx") == Path("~$report.docx")
    assert given_path("~/report.docx") == Path.home() / "report.docx"


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    assert run(tmp_path) == ([], {})


def test_whatever_is_not_read_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text(" \n ")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.pdf").write_bytes(b"no pdf")
    (tmp_path / "picture.txt").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "photo.jpg").write_bytes(b"")
    (tmp_path / "Makefile").write_text("all:")
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "text": "one"}\n{"id": "b", "text": " "}\n{\n')
    documents, skipped = run(tmp_path)
    reasons = {uri.removeprefix(f"{tmp_path.as_posix()}/"): reason for uri, reason in skipped.items()}
    assert [document.id for document in documents] == ["a"]
    assert reasons["blank.txt"] == reasons["empty.csv"] == reasons["rows.jsonl#b"] == "is empty"
    assert reasons["broken.pdf"].startswith("is damaged")
    assert reasons["picture.txt"].startswith("is binary")
    assert reasons["photo.jpg"].startswith("files ending in .jpg are not read out of folders; where it is text, name")
    assert "without a suffix" in reasons["Makefile"]
    assert reasons["rows.jsonl#3"].startswith("line 3 is not JSON")
    assert len(reasons) == 8


def test_files_for_people_are_read_without_a_suffix(tmp_path: Path) -> None:
    """Their names are in capitals; what programs read has other names, and binary content is refused."""
    read = ["CHANGES_2031", "COPYING.LESSER", "LICENSE.MIT", "MPL-2.0", "README", "README.systemd", "mill-NEWS"]
    read += ["mill.NEWS", "mill.README.Debian"]
    for name in (*read, "Makefile", "mill", "mill.conf"):
        (tmp_path / name).write_text("The mill.")
    (tmp_path / "IMAGE").write_bytes(bytes(range(256)) * 10)
    documents, skipped = run(tmp_path)
    assert names(documents) == read
    assert {document.media_type for document in documents} == {"text/plain"}
    assert skipped[(tmp_path / "IMAGE").as_posix()].startswith("is binary")
    assert len(skipped) == 4


def test_a_file_that_is_named_itself_is_read_as_text_whatever_its_suffix(tmp_path: Path) -> None:
    for name in ("mill.conf", "Makefile"):
        (tmp_path / name).write_text("The mill.")
    (tmp_path / "mill.o").write_bytes(bytes(range(256)) * 10)
    items = list(read([tmp_path / "mill.conf", tmp_path / "mill.o", tmp_path], loaders=LOADERS))
    assert names([item for item in items if isinstance(item, Document)]) == ["mill.conf"]
    skipped = {Path(item.uri).name: item.reason for item in items if isinstance(item, Skipped)}
    assert skipped["mill.o"].startswith("is binary")
    assert skipped["Makefile"].startswith("files without a suffix are not read out of folders")


def test_documents_with_the_id_of_an_earlier_one_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "m", "text": "one"}\n{"id": "m", "text": "two"}\n')
    (tmp_path / "b.jsonl").write_text('{"id": "m", "text": "three"}')
    items = list(read([tmp_path], loaders=LOADERS))
    first = f"{tmp_path.as_posix()}/a.jsonl#m"
    assert [item.text for item in items if isinstance(item, Document)] == ["one"]
    assert [item for item in items if isinstance(item, Skipped)] == [
        Skipped(first, f"has the id 'm', as {first} does; give each an id of its own"),
        Skipped(f"{tmp_path.as_posix()}/b.jsonl#m", f"has the id 'm', as {first} does; give each an id of its own"),
    ]


def test_rows_without_ids_in_files_of_the_same_name_do_not_clash(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rows.csv").write_text("title,text\nMill,One.\n")
    assert len(run(tmp_path)[0]) == 2


def test_overlapping_paths_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The mill.")
    documents, skipped = run(tmp_path / "a.txt", tmp_path, tmp_path / "." / "a.txt")
    assert len(documents) == 1
    assert skipped == {}


@needs_links
def test_link_loops_and_broken_links_are_survived(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mill.txt").write_text("The mill.")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    documents, skipped = run(tmp_path)
    assert names(documents) == ["mill.txt"]
    assert {uri.rpartition("/")[2] for uri in skipped} == {"up", "self", "gone.txt"}


@needs_links
def test_what_links_lead_to_is_read_where_it_really_is(tmp_path: Path) -> None:
    """And cited there, whatever the links are called."""
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ada.txt").write_text("Ada Brisk.")
    (tmp_path / "a-link").symlink_to(tmp_path / "people")
    (tmp_path / "a-link.txt").symlink_to(tmp_path / "people" / "ada.txt")
    documents, skipped = run(tmp_path)
    root = tmp_path.as_posix()
    assert [document.uri for document in documents] == [f"{root}/people/ada.txt", f"{root}/a-link.txt"]
    assert skipped == {f"{root}/a-link": "is a link to a folder that has been read already"}


@needs_links
def test_a_linked_folder_is_read_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mill.txt").write_text("The mill.")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "linked").symlink_to(tmp_path / "elsewhere")
    documents, _ = run(tmp_path / "docs")
    assert documents[0].uri == f"{tmp_path.as_posix()}/docs/linked/mill.txt"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files there")
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert list(run(tmp_path)[1].values()) == ["is not a regular file"]


@pytest.mark.skipif(root_user or sys.platform == "win32", reason="root may read everything")
def test_unreadable_files_and_folders_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The mill.")
    (tmp_path / "a.txt").chmod(0)
    (tmp_path / "b").mkdir(mode=0)
    reasons = list(run(tmp_path)[1].values())
    (tmp_path / "b").chmod(0o700)
    assert reasons == ["cannot be read: Permission denied"] * 2


def test_a_file_that_vanishes_meanwhile_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The mill.")
    (source,) = find([tmp_path], loaders=LOADERS)
    (tmp_path / "a.txt").unlink()
    assert isinstance(source, Source)
    (item,) = source.documents()
    assert isinstance(item, Skipped)
    assert item.reason.startswith("cannot be read")


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_names_that_are_no_text_are_readable(tmp_path: Path) -> None:
    for name in (b"m\xfchle.txt", b"m\xf6hle.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("The mill.")
    documents, skipped = run(tmp_path)
    assert [document.uri for document in documents] == [
        f"{tmp_path.as_posix()}/m\\x{code}hle.txt" for code in ("f6", "fc")
    ]
    assert [document.title for document in documents] == ["m\\xf6hle", "m\\xfchle"]
    assert skipped == {}


def test_deeply_nested_folders_are_read(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(100):
        folder /= "a"
    folder.mkdir(parents=True)
    (folder / "mill.txt").write_text("The mill.")
    assert len(run(tmp_path)[0]) == 1


def test_covers_tells_what_lies_under_a_path(tmp_path: Path) -> None:
    docs, table = tmp_path / "docs", tmp_path / "table.csv"
    docs.mkdir()
    table.touch()
    assert covers([docs], uri_of(docs / "a" / "mill.txt"))
    assert covers([docs, table], f"{uri_of(table)}#7")
    assert covers([table], uri_of(table))
    assert covers([docs], uri_of(docs / "vanished.csv") + "#7")
    assert not covers([docs], uri_of(tmp_path / "docs2" / "mill.txt"))
    assert not covers([docs], uri_of(docs) + "#1.txt")
    assert not covers([], uri_of(table))


def test_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("The mill.")
    before = fingerprint_file(file)
    assert fingerprint_file(file) == before
    file.write_text("The mill!!")
    assert fingerprint_file(file) != before


@pytest.mark.skipif(sys.platform == "win32", reason="the second time is that of making the file there")
def test_fingerprint_changes_where_a_file_of_the_same_size_and_time_takes_its_place(tmp_path: Path) -> None:
    """As where two files swap their names, or an archive is unpacked in which all files have one time."""
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    for path, text in ((file, "The mill."), (other, "The bell.")):
        path.write_text(text)
        os.utime(path, ns=(1, 1))
    before = fingerprint_file(file)
    time.sleep(0.02)  # longer than the clock of files takes for a step
    other.replace(file)
    assert fingerprint_file(file) != before


def test_a_long_text_that_repeats_itself_becomes_passages_each_with_its_own_id(tmp_path: Path) -> None:
    paragraph = "Lena Voss repaired the tide mill on the Orla. It grinds rye for Fenn and oats for the ferry.\n\n"
    file = tmp_path / "large.txt"
    file.write_text(paragraph * (5_000_000 // len(paragraph)))
    (document,), _ = run(file)
    passages = cut(document, Chunking(tokens=1200, overlap=100))
    assert passages[-1].end == len(document.text)
    assert len({passage.id for passage in passages}) == len(passages)
