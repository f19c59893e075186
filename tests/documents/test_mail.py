"""Mail is read as people read it: who, when, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.mail_headers import decoded_words
from polyhop.documents.loaders.mbox import MboxLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.mail import BLOCK, letter, load, mailbox, said


def test_a_message_says_who_wrote_to_whom_and_when(tmp_path: Path) -> None:
    (document,) = load(tmp_path / "a.eml", letter())
    assert isinstance(document, Document)
    assert document.text == f"{BLOCK}\n\nThe lamp is whole again."
    assert document.title == "Repairs of the lighthouse"
    assert document.metadata["from"] == "Ada Brisk <ada@quillmouth.example>"
    assert document.metadata["date"] == "4 February 2031, 17:30"


def test_plain_text_comes_before_html_unless_it_is_empty(tmp_path: Path) -> None:
    page = "<p>The <b>lamp</b> shines.</p><p>Ünal</p>"
    assert said(tmp_path, letter("The lamp.", page)) == "The lamp."
    assert said(tmp_path, letter(" \n", page)) == "The lamp shines.\n\nÜnal"
    assert said(tmp_path, letter(None, page)) == "The lamp shines.\n\nÜnal"


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "iso-8859-15"])
def test_a_text_is_decoded_by_what_its_part_declares(tmp_path: Path, charset: str) -> None:
    message = letter(None)
    message.set_content("Grüße aus Quillmouth, Müller", charset=charset)
    assert said(tmp_path, message) == "Grüße aus Quillmouth, Müller"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?= to =?iso-8859-1?B?TfxsbGVy?=", "Grüße to Müller"),
        ("=?utf-8?B?w7w=?=\r\n =?utf-8?B?YmVy?=", "über"),
        ("=?utf-8?B?5p2?= =?utf-8?B?x?=", "=?utf-8?B?5p2?= =?utf-8?B?x?="),
        ("=?nonsense?q?abc?=", "abc"),
        ("=?iso-8859-1?q?O=92Hara:_=8035?=", "O’Hara: €35"),
        ("=?utf-7?q?M+APw-ller?=", "Müller"),
        ("=?utf-8*en?q?a_b?=", "a b"),
        ("=?utf-8?x?a?= plain =?", "=?utf-8?x?a?= plain =?"),
    ],
)
def test_encoded_words_are_decoded(written: str, meant: str) -> None:
    assert decoded_words(written) == meant


@given(st.text(alphabet="=?utf-8qQbB_ 0C3BCé\n", max_size=80))
def test_any_header_gives_a_line(written: str) -> None:
    assert "\n" not in decoded_words(written)


def test_quotes_and_the_euro_sign_of_windows_are_read_under_the_name_of_latin_1(tmp_path: Path) -> None:
    head = b"Subject: Fee\nFrom: a@b.example\nContent-Type: text/plain; charset=iso-8859-1\n\n"
    assert said(tmp_path, head + b"O\x92Hara paid \x8035 \x96 at last\x85") == "O’Hara paid €35 – at last…"


def test_a_subject_in_bare_bytes_is_read(tmp_path: Path) -> None:
    content = b"Subject: M\xfchle an der Orla, gro\xdfe Reparatur\nFrom: a@b.example\nDate: nonsense\n\nText."
    (document,) = load(tmp_path / "a.eml", content)
    assert isinstance(document, Document)
    assert document.title == "Mühle an der Orla, große Reparatur"
    assert "Date: nonsense" in document.text


def test_lines_that_a_width_parted_are_joined(tmp_path: Path) -> None:
    flowed = letter(None)
    flowed.set_content("The lamp of the \nlighthouse is whole.\n-- \nAda", params={"format": "flowed"})
    assert said(tmp_path, flowed) == "The lamp of the lighthouse is whole.\n-- \nAda"
    wrapped = "The lamp of the lighthouse of Quillmouth is whole again, and the ships\ncan see it " * 4
    assert "ships can see" in said(tmp_path, letter(wrapped))


@pytest.mark.parametrize(
    ("written", "spaced", "joined"),
    [
        ("The light \nhouse is  \nwhole.", "The light house is  whole.", "The lighthouse is whole."),
        ("月の光は \n明るい。", "月の光は 明るい。", "月の光は明るい。"),
        ("Is it? \n\nYes. \n-- \nAda", "Is it? \n\nYes. \n-- \nAda", "Is it?\n\nYes.\n-- \nAda"),
        (" From here \n on.\n > is more", "From here on.\n > is more", "From hereon.\n > is more"),
    ],
)
def test_lines_that_a_mail_says_go_on_are_joined(tmp_path: Path, written: str, spaced: str, joined: str) -> None:
    for parameters, read in (("", spaced), ("; delsp=yes", joined)):
        head = f"Subject: Lamp\nContent-Type: text/plain; charset=utf-8; format=flowed{parameters}\n\n"
        assert said(tmp_path, (head + written).encode()) == read


@pytest.mark.parametrize(
    "head",
    [
        "Content-Type: text/markdown",
        "Content-Type: text/plain\nContent-Disposition: attachment",
        "Content-Type: multipart/mixed",
        "Content-Type: multipart/mixed; boundary=lost",
    ],
)
def test_a_text_without_a_name_or_a_boundary_is_read(tmp_path: Path, head: str) -> None:
    content = f"Subject: Lamp\n{head}\n\nThe lamp of the lighthouse is whole.\n"
    assert said(tmp_path, content.encode()) == "The lamp of the lighthouse is whole."


def test_a_message_that_is_too_large_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.mbox"
    file.write_bytes(mailbox(letter("x\n" * 5000), letter()))
    skipped, document = MboxLoader(largest=2000).load(file, file.as_posix())
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "is larger than 2,000 bytes"
    assert isinstance(document, Document)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.eml", b"Just a text.", "is no mail"),
        ("a.eml", b"", "is no mail"),
        ("a.mbox", b"Just a text.", "is no mailbox"),
        ("a.eml", b"Subject: x\nContent-Type: application/pkcs7-mime; smime-type=signed-data\n\nx", "is signed"),
        ("a.eml", b"Subject: x\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx", "is encrypted"),
        ("a.eml", b"Subject: x\nContent-Type: multipart/encrypted; boundary=a\n\n--a\n\nx\n--a--\n", "is encrypted"),
    ],
)
def test_what_is_no_mail_is_refused(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        load(tmp_path / name, content)


def test_parts_within_parts_end_somewhere(tmp_path: Path) -> None:
    deep = b"Subject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    try:
        load(tmp_path / "a.eml", deep)
    except DocumentError as error:
        assert "damaged" in str(error)  # noqa: PT017 - it may also be read
