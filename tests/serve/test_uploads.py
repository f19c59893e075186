"""Uploads: what a file may be called, how large it may be, and that nothing of what was sent becomes a path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import StorageFull, TooLarge, UsageError, WrongContent
from polyhop.serve.multipart import FilesInRequest
from polyhop.serve.uploads import LONGEST_NAME, Spool, source_name
from polyhop.settings import Serving
from tests.worlds.machine import may_mount, small_disk

SUFFIXES = frozenset({".txt", ".pdf", ".csv"})
ROOMY = Serving(spare=0)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(folder=tmp_path / "files", suffixes=SUFFIXES, limits=ROOMY)


def sent(spool: Spool, name: str, content: bytes = b"The mill.") -> None:
    spool.begin(name)
    spool.write(content)
    spool.end()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("mill.txt", "mill.txt"),
        ("reports/2031/mill.txt", "reports/2031/mill.txt"),
        ("reports\\2031\\mill.txt", "reports/2031/mill.txt"),
        ("./a//b.txt", "a/b.txt"),
        ("Mühle – Übersicht.txt", "Mühle – Übersicht.txt"),
        ("Mu\u0308hle.txt", "Mühle.txt"),
        ("水車.txt", "水車.txt"),
        ("con.txt", "con.txt"),
        ("trailing. ", "trailing. "),
        ("..txt", "..txt"),
        ("%2e%2e/mill.txt", "%2e%2e/mill.txt"),
        ("file:mill.txt", "file:mill.txt"),
        ("Q: who mills.txt", "Q: who mills.txt"),
        ("~root/mill.txt", "~root/mill.txt"),
        ("$(reboot).txt", "$(reboot).txt"),
        ("<script>.txt", "<script>.txt"),
    ],
)
def test_a_name_is_kept_as_a_name(name: str, kept: str) -> None:
    assert source_name(name) == kept
    assert source_name(kept) == kept


TRICKS = (
    *(
        "/etc/passwd",
        "//server/share/mill.txt",
        "\\\\server\\share\\mill.txt",
        "C:\\mill.txt",
        "c:mill.txt",
        "Z:/m.txt",
    ),
    *(
        "../mill.txt",
        "a/../../mill.txt",
        "a/..",
        "..\\mill.txt",
        "a\\..\\..\\mill.txt",
        "..",
        ".",
        "/",
        "",
        "   ",
        "./",
    ),
    *(
        "mill\0.txt",
        "mill.txt\0.exe",
        "mill\n.txt",
        "mill\r\nX: y.txt",
        "mill\x1b[2J.txt",
        "mill\x7f.txt",
        "mill\u2028.txt",
    ),
    *("mill\u202etxt.exe", "mill\u2066.txt", "x" * (LONGEST_NAME + 1), "a/" * LONGEST_NAME + "b.txt", "\ud800.txt"),
)


@pytest.mark.parametrize("name", TRICKS)
def test_no_trick_is_a_name(spool: Spool, name: str) -> None:
    with pytest.raises(UsageError, match=r"^The name '") as refused:
        sent(spool, name)
    str(refused.value).encode("ascii")
    assert not spool.folder.exists()


@given(st.text(max_size=60))
def test_whatever_a_file_is_called_it_lies_in_the_folder_under_a_name_of_our_own(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    root = tmp_path_factory.mktemp("any")
    spool = Spool(folder=root / "files", suffixes=SUFFIXES, limits=ROOMY)
    try:
        sent(spool, f"{name}m.txt")
    except UsageError:
        assert not list(root.iterdir())
        return
    (file,) = spool.received
    (stored,) = root.rglob("*.txt")
    assert stored == root / "files" / file.stored
    assert stored.read_bytes() == b"The mill."
    assert len(file.stored) == len("0" * 32 + ".txt")
    spool.discard()
    assert not list((root / "files").iterdir())


def test_a_link_where_a_file_might_go_is_never_followed(spool: Spool, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The vault is behind the mill.")
    spool.folder.mkdir()
    (spool.folder / "mill.txt").symlink_to(secret)
    (spool.folder / "sub").symlink_to(tmp_path)
    sent(spool, "mill.txt", b"overwritten")
    sent(spool, "sub/secret.txt", b"overwritten")
    assert secret.read_text() == "The vault is behind the mill."
    spool.discard()
    assert (spool.folder / "mill.txt").is_symlink()


def test_files_of_other_kinds_are_left_out_with_the_reason(spool: Spool) -> None:
    for name in ("tool.exe", "README", "mill.txt", ".env", "mill.txt.gz"):
        sent(spool, name)
    sent(spool, "mill.txt", b"again")
    assert [file.name for file in spool.received] == ["mill.txt"]
    assert {each.file: each.reason for each in spool.skipped} == {
        "tool.exe": "files ending in .exe are not read",
        "README": "files without a suffix are not read",
        ".env": "files without a suffix are not read",
        "mill.txt.gz": "files ending in .gz are not read",
        "mill.txt": "was sent twice: the first one counts",
    }


def test_a_file_that_is_too_large_is_left_out_and_a_request_is_refused(tmp_path: Path) -> None:
    limits = Serving(file=100, upload=300, files=4, spare=0)
    spool = Spool(folder=tmp_path / "files", suffixes=SUFFIXES, limits=limits)
    sent(spool, "a.txt", b"a" * 100)
    sent(spool, "b.txt", b"b" * 101)
    assert [file.name for file in spool.received] == ["a.txt"]
    assert spool.skipped[0].reason == "is larger than 100 bytes, the most that a file may have here"
    assert len(list(spool.folder.iterdir())) == 1
    with pytest.raises(TooLarge, match="A request may have 300 bytes"):
        sent(spool, "c.txt", b"c" * 100)
    spool.discard()
    assert not list(spool.folder.iterdir())
    spool = Spool(folder=tmp_path / "files", suffixes=SUFFIXES, limits=limits)
    for number in range(4):
        sent(spool, f"{number}.txt", b"")
    with pytest.raises(TooLarge, match="may bring 4 files"):
        spool.begin("4.txt")


def test_a_workspace_keeps_no_more_than_it_may(tmp_path: Path) -> None:
    limits = Serving(quota=1000, spare=0)
    spool = Spool(folder=tmp_path / "files", suffixes=SUFFIXES, limits=limits, used=950)
    sent(spool, "a.txt", b"a" * 50)
    with pytest.raises(StorageFull, match="may keep 1,000 bytes of files, and has 950"):
        sent(spool, "b.txt", b"b")


def test_the_disk_keeps_some_space(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    spool = Spool(folder=tmp_path / "files", suffixes=SUFFIXES, limits=Serving(spare=free + 10**9))
    with pytest.raises(StorageFull, match="not enough space left on the server's disk"):
        sent(spool, "a.txt")
    spool.discard()
    assert not list(spool.folder.iterdir())


@may_mount
def test_a_disk_that_is_full_refuses_the_file_and_keeps_nothing_of_it(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=256) as disk:
        spool = Spool(folder=disk / "files", suffixes=SUFFIXES, limits=ROOMY)
        sent(spool, "small.txt")
        with pytest.raises(StorageFull):
            sent(spool, "large.txt", os.urandom(512 * 1024))
        spool.discard()
        assert not list(spool.folder.iterdir())


BOUNDARY = "vE5k"


def body(*parts: tuple[str, bytes], end: bool = True) -> bytes:
    """A multipart body of headers and contents."""
    joined = b"".join(
        f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n".encode() + content + b"\r\n"
        for disposition, content in parts
    )
    return joined + (f"--{BOUNDARY}--\r\n".encode() if end else b"")


def files(spool: Spool) -> FilesInRequest:
    return FilesInRequest(spool=spool, content_type=f"multipart/form-data; boundary={BOUNDARY}")


@given(cut=st.integers(1, 40))
def test_a_body_is_read_in_whatever_pieces_it_comes(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    spool = Spool(folder=tmp_path_factory.mktemp("pieces"), suffixes=SUFFIXES, limits=ROOMY)
    content = b"\r\n--vE5" * 20 + b"\0\xff"
    whole = body(
        ('form-data; name="files"; filename="a/b c.txt"', content), ('form-data; name="files"; filename="d.csv"', b"")
    )
    request = files(spool)
    for start in range(0, len(whole), cut):
        request.feed(whole[start : start + cut])
    request.finish()
    assert [(file.name, file.bytes) for file in spool.received] == [("a/b c.txt", len(content)), ("d.csv", 0)]
    assert (spool.folder / spool.received[0].stored).read_bytes() == content


@pytest.mark.parametrize(
    ("sent_body", "message"),
    [
        (body(('form-data; name="files"; filename="a.txt"', b"The"), end=False), "ended in the middle"),
        (body(('form-data; name="files"; filename="a.txt"', b"The"))[:-20], "ended in the middle"),
        (b"", "ended in the middle"),
        (body(), "has no files"),
        (b"nonsense", "cannot be taken apart"),
        (body(('form-data; name="file"; filename="a.txt"', b"")), "no field 'file'"),
        (body(('form-data; name="files"', b"The mill.")), "A file has no name"),
        (body(('form-data; name="files"; filename=""', b"")), "A file has no name"),
        (body(("form-data", b"")), "no field ''"),
        (body(('form-data; name="files"; filename="../a.txt"', b"")), "leads out of its folder"),
        (body(('form-data; name="files"; filename="a.txt"' + "x" * 9000, b"")), "cannot be taken apart"),
        (body(('form-data; name="files"; filename="?.txt"', b"")).replace(b"?", b"\xff"), "not UTF-8"),
    ],
)  # fmt: skip
def test_half_a_body_and_a_wrong_one_are_refused_and_keep_nothing(spool: Spool, sent_body: bytes, message: str) -> None:
    request = files(spool)
    with pytest.raises(UsageError, match=message):  # noqa: PT012 - one or the other
        request.feed(sent_body)
        request.finish()
    spool.discard()
    assert not spool.folder.exists() or not list(spool.folder.iterdir())


def test_a_file_whose_name_cannot_be_kept_is_left_out_with_the_reason(spool: Spool) -> None:
    names = ("a.txt", "../b.txt", "C:/c.txt", "d.txt")
    request = files(spool)
    request.feed(body(*((f'form-data; name="files"; filename="{name}"', b"The mill.") for name in names)))
    request.finish()
    assert [file.name for file in spool.received] == ["a.txt", "d.txt"]
    assert [each.reason for each in spool.skipped] == [
        "has a name that leads out of its folder",
        "has a name that is absolute",
    ]


@pytest.mark.parametrize(
    "kind", [None, "", "application/json", "text/plain", "multipart/form-data", "multipart/mixed; boundary=x"]
)
def test_another_content_type_is_refused(spool: Spool, kind: str | None) -> None:
    with pytest.raises(WrongContent, match="The body is") as refused:
        FilesInRequest(spool=spool, content_type=kind)
    assert "multipart/form-data" in refused.value.remedy
