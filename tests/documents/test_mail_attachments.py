"""What came with a mail is named in it and read: files, and messages within messages."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.mail import attach, letter, load, mailbox, said


def test_attachments_are_named_and_read(tmp_path: Path) -> None:
    files = {"fees.csv": b"Vessel,Fee\nCutter,35\n", "lamp.exe": b"MZ", "../fees.csv": b"Vessel,Fee\nLugger,12\n"}
    message, *attached = load(tmp_path / "a.eml", attach(letter(), files))
    assert isinstance(message, Document)
    assert message.text.endswith("\n\nAttachments: fees.csv, lamp.exe, fees.csv")
    uri = (tmp_path / "a.eml").as_posix()
    assert [each.uri for each in attached] == [f"{uri}#fees.csv#1", f"{uri}#fees (2).csv#1"]
    assert [each.text for each in attached if isinstance(each, Document)] == [
        "Vessel: Cutter; Fee: 35",
        "Vessel: Lugger; Fee: 12",
    ]


@pytest.mark.parametrize(
    ("name", "kind", "content", "read"),
    [
        ("fees", "text/csv", "Vessel,Fee\nCutter,35\n", ["Vessel: Cutter; Fee: 35"]),
        ("Fees v1.2", "text/html", "<p>The cutter pays <b>35</b>.", ["The cutter pays 35."]),
        ("fees", "application/json", '[\n{"text": "It pays 35."}]', ["It pays 35."]),
        ("fees.csv", "application/octet-stream", "Vessel,Fee\nCutter,35\n", ["Vessel: Cutter; Fee: 35"]),
        ("", "text/csv", "Vessel,Fee\nCutter,35\n", ["Vessel: Cutter; Fee: 35"]),
        ("lamp", "application/octet-stream", "The lamp.", []),
        ("lamp.ics", "text/calendar", "The lamp.", []),
    ],
)
def test_an_attachment_whose_suffix_says_nothing_is_read_by_its_type(
    tmp_path: Path, name: str, kind: str, content: str, read: list[str]
) -> None:
    message = letter()
    main, sub = kind.split("/")
    message.add_attachment(content.encode(), maintype=main, subtype=sub, filename=name or None)
    own, *attached = (each for each in load(tmp_path / "a.eml", message) if isinstance(each, Document))
    assert own.text.endswith(f"\n\nAttachments: {name or 'attachment'}")
    assert [each.text for each in attached] == read


@pytest.mark.parametrize("charset", ["iso-8859-2", "cp852", "utf-8", "utf-16", "us-ascii", "nonsense"])
def test_an_attached_text_is_decoded_by_what_its_part_declares(tmp_path: Path, charset: str) -> None:
    names = {"us-ascii": "utf-8", "nonsense": "utf-8"}
    message = letter()
    table = "Name;Town\nÚrsula Brisk;Łódź\n".encode(names.get(charset, charset))
    message.add_attachment(table, maintype="text", subtype="csv", filename="a.csv", params={"charset": charset})
    _, attached = load(tmp_path / "a.eml", message)
    assert isinstance(attached, Document)
    assert attached.text == "Name: Úrsula Brisk; Town: Łódź"


@pytest.mark.parametrize("box", ["a.eml", "a.mbox"])
@pytest.mark.parametrize("name", ["harbour_fees.txt", "harbour_fees"])
def test_an_attachment_is_called_after_itself(tmp_path: Path, box: str, name: str) -> None:
    message = letter()
    message.add_attachment("The cutter pays 35.", filename=name)
    _, attached = load(tmp_path / box, message if box == "a.eml" else mailbox(message))
    assert isinstance(attached, Document)
    assert attached.title == "harbour fees"


def test_an_attachment_that_is_broken_is_named_and_the_message_stays(tmp_path: Path) -> None:
    message, skipped = load(tmp_path / "a.eml", attach(letter(), {"plan.docx": b"PK broken"}))
    assert isinstance(message, Document)
    assert isinstance(skipped, Skipped)
    assert skipped.uri.endswith("a.eml#plan.docx")
    assert "is damaged" in skipped.reason


def test_a_message_within_a_message_is_read_below_its_head(tmp_path: Path) -> None:
    outer = letter("See below.")
    outer.add_attachment(letter("The inner text.", Subject="Fwd"))
    assert said(tmp_path, outer).startswith("See below.\n\nSubject: Fwd\nFrom: Ada Brisk")
    assert said(tmp_path, outer).endswith("\n\nThe inner text.")


@pytest.mark.parametrize(("encoding", "encode"), [("base64", base64.encodebytes), ("base64", bytes), ("7bit", bytes)])
def test_a_message_within_a_message_may_be_encoded(
    tmp_path: Path, encoding: str, encode: Callable[[bytes], bytes]
) -> None:
    """Some programs do so, or say that they do, though no standard allows it."""
    written = encode(b"Subject: Fwd\nFrom: a@b.example\n\nThe fee is 2.\n")
    head = f"Subject: Lamp\nContent-Type: message/rfc822\nContent-Transfer-Encoding: {encoding}\n\n"
    assert said(tmp_path, head.encode() + written) == "Subject: Fwd\nFrom: a@b.example\n\nThe fee is 2."


def test_a_message_stays_that_forwards_one_that_is_encrypted(tmp_path: Path) -> None:
    sealed = letter("x")
    sealed.replace_header("Content-Type", "application/pkcs7-mime")
    outer = letter("See below.")
    outer.add_attachment(sealed)
    assert said(tmp_path, outer) == "See below."
