"""Mail is read as people read it: who, when, what is said, and what came with it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.eml import EmlLoader
from polyhop.documents.loaders.mail_headers import decoded_words
from polyhop.documents.loaders.mail_quotes import paragraphs_of
from polyhop.documents.loaders.mbox import MboxLoader
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.mail import attach, letter, mailbox

BLOCK = (
    "Subject: Repairs of the lighthouse\nFrom: Ada Brisk <ada@quillmouth.example>\n"
    "To: Piet Rook <piet@tarn.example>\nDate: 4 February 2031, 17:30"
)
FIRST = "Dear Piet, the lamp of the lighthouse is broken, and ships cannot see the pier."


def load(file: Path, content: EmailMessage | bytes) -> list[Document | Skipped]:
    file.write_bytes(content if isinstance(content, bytes) else content.as_bytes())
    loader = MboxLoader() if file.suffix == ".mbox" else EmlLoader()
    return list(loader.load(file, file.as_posix()))


def said(tmp_path: Path, content: EmailMessage | bytes) -> str:
    """What a message says below its head."""
    (document,) = load(tmp_path / "a.eml", content)
    assert isinstance(document, Document)
    return document.text.partition("\n\n")[2]


def texts(tmp_path: Path, *messages: EmailMessage) -> list[str]:
    """The same of the messages of a mailbox."""
    documents = load(tmp_path / "a.mbox", mailbox(*messages))
    return [
        each.text if each.uri.endswith("#quoted") else each.text.partition("\n\n")[2]
        for each in documents
        if isinstance(each, Document)
    ]


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


def test_quoted_lines_that_go_on_are_joined_where_they_are_quoted_equally_often(tmp_path: Path) -> None:
    head = "Subject: Lamp\nContent-Type: text/plain; format=flowed\n\n"
    written = "It is. \n> Is the lamp \n> of the pier \n>> which one? \n>> whole?\nYes, the lamp \nis."
    assert said(tmp_path, (head + written).encode()) == (
        "It is. \n\nIs the lamp of the pier \n\nwhich one? whole?\n\nYes, the lamp is."
    )


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


def test_a_page_quotes_below_a_head_like_a_text(tmp_path: Path) -> None:
    page = (
        "<p>I come.</p><hr><p><b>From:</b> Piet Rook<br><b>Sent:</b> Monday<br><b>Subject:</b> Lamp</p><p>Will you?</p>"
    )
    own, others = (each for each in load(tmp_path / "a.eml", letter(None, page)) if isinstance(each, Document))
    assert own.text == f"{BLOCK}\n\nI come."
    assert others.text == "From: Piet Rook\nSent: Monday\nSubject: Lamp\n\nWill you?"


def test_marks_of_quotations_go_and_levels_stay_apart() -> None:
    found = paragraphs_of("Yes.\nOn Monday Ada wrote:\n> The lamp?\n>> Which\n>> lamp?\n> \n> Ada\nPiet")
    assert [(each.text, each.quoted) for each in found] == [
        ("Yes.\nOn Monday Ada wrote:", False),
        ("The lamp?", True),
        ("Which\nlamp?", True),
        ("Ada", True),
        ("Piet", False),
    ]


OUTLOOK = (
    "From: Piet Rook [mailto:piet@tarn.example]\nSent: Monday, February 3, 2031 5:12 PM\n"
    "To: Ada Brisk\nSubject: Repairs of the lighthouse"
)


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        (f"> {FIRST}", FIRST),
        (f"On 4 February Piet wrote:\n> {FIRST}", f"On 4 February Piet wrote:\n\n{FIRST}"),
        (f"-----Original Message-----\n{OUTLOOK}\n\n{FIRST}", f"{OUTLOOK}\n\n{FIRST}"),
        (f"-----Ursprüngliche Nachricht-----\n\n{FIRST}\n\nPiet", f"{FIRST}\n\nPiet"),
        (f"{'_' * 32}\n{OUTLOOK}\n\n{FIRST}", f"{OUTLOOK}\n\n{FIRST}"),
        (f"{OUTLOOK}\n\n{FIRST}\n\n{OUTLOOK}\n\nEnd.", f"{OUTLOOK}\n\n{FIRST}\n\n{OUTLOOK}\n\nEnd."),
        (f"*Von:* Piet Rook\n*Betreff:* Lampe\n\n{FIRST}", f"*Von:* Piet Rook\n*Betreff:* Lampe\n\n{FIRST}"),
    ],
)
def test_what_is_quoted_below_is_not_the_senders(tmp_path: Path, written: str, quoted: str) -> None:
    message = attach(letter(f"I come.\n\nAda\n\n{written}"), {"a.xyz": b"x"})
    own, others = (each for each in load(tmp_path / "a.eml", message) if isinstance(each, Document))
    assert own.text == f"{BLOCK}\n\nI come.\n\nAda\n\nAttachments: a.xyz"
    assert (others.text, others.title) == (quoted, "Repairs of the lighthouse (quoted)")
    assert others.uri == f"{own.uri}#quoted"
    assert others.id != own.id


@pytest.mark.parametrize(
    "written",
    [
        f"> {FIRST}",
        f"> {FIRST}\n\nI come.",
        "From: Harrow\nTo: Sarnwick\nDate: 4 May",
        f"{'_' * 32}\n\nAda Brisk",
        f"Yes.\n\n> {FIRST}\n\nNo.",
    ],
)
def test_what_stands_among_a_senders_words_stays_there(tmp_path: Path, written: str) -> None:
    assert said(tmp_path, letter(written)).replace("\n\n", "\n") == written.replace("> ", "").replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("reply", "own"),
    [
        (f"I come.\n\nOn 4 February Ada wrote:\n> {FIRST[:40]}\n> {FIRST[40:]}\n\nPiet", "I come.\n\nPiet"),
        (f"I come.\n\n-----Original Message-----\n\n{FIRST}", "I come."),
        (f"Who says this?\n\n> {FIRST} Or not?\n\nPiet", f"Who says this?\n\n{FIRST} Or not?\n\nPiet"),
    ],
)
def test_what_a_reply_quotes_stands_once_in_a_mailbox(tmp_path: Path, reply: str, own: str) -> None:
    first = letter(FIRST, Message_ID="<1@a>")
    answer = letter(reply, Message_ID="<2@a>", In_Reply_To="<1@a>")
    assert texts(tmp_path, first, answer) == [FIRST, own]
    assert "\n".join(texts(tmp_path, answer)).count("lamp of the lighthouse") == 1


def test_a_page_that_is_a_reply_loses_its_quotation(tmp_path: Path) -> None:
    first = letter(FIRST, Message_ID="<1@a>")
    answer = letter(None, f"<p>I come.</p><blockquote><p>{FIRST}</p></blockquote>", References="<0@a> <1@a>")
    assert texts(tmp_path, first, answer) == [FIRST, "I come."]


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


def test_a_mailbox_has_a_document_a_message(tmp_path: Path) -> None:
    one = letter("From here on the pier is closed.\nFrom me.", Message_ID="<1@a>")
    two = letter("Second.", Subject="Re: Repairs", Message_ID="<2@a>")
    both = load(tmp_path / "a.mbox", mailbox(one, two))
    assert [each.uri[-2:] for each in both] == ["#1", "#2"]
    first, second = (each for each in both if isinstance(each, Document))
    assert first.text.endswith("From here on the pier is closed.\nFrom me.")
    assert second.title == "Re: Repairs"
    (alone,) = load(tmp_path / "a.mbox", mailbox(two, end="\r\n"))
    assert isinstance(alone, Document)
    assert alone.id == second.id  # what came before it has gone


@pytest.mark.parametrize(
    ("headers", "thread"),
    [
        ({}, "<3@a>"),
        ({"References": "<1@a> <2@a>", "In-Reply-To": "<2@a>"}, "<1@a>"),
        ({"In-Reply-To": "<2@a> of Ada"}, "<2@a>"),
    ],
)
def test_a_message_tells_which_one_began_its_thread(tmp_path: Path, headers: dict[str, str], thread: str) -> None:
    names = {name.replace("-", "_"): value for name, value in headers.items()}
    (document,) = load(tmp_path / "a.eml", letter(Message_ID="<3@a>", **names))
    assert isinstance(document, Document)
    assert document.metadata["thread"] == thread


def test_a_thread_goes_on_where_each_reply_of_a_mailbox_names_only_the_one_before(tmp_path: Path) -> None:
    letters = [
        letter(f"{number}.", Message_ID=f"<{number}@a>", References=f"<{number - 1}@a>" if number > 1 else "")
        for number in (1, 2, 3)
    ]
    documents = load(tmp_path / "a.mbox", mailbox(*letters, letter("No reply.", Message_ID="<4@a>")))
    threads = [each.metadata["thread"] for each in documents if isinstance(each, Document)]
    assert threads == ["<1@a>", "<1@a>", "<1@a>", "<4@a>"]


def test_messages_with_one_id_are_both_read(tmp_path: Path) -> None:
    both = load(tmp_path / "a.mbox", mailbox(letter("One.", Message_ID="<1@a>"), letter("Two.", Message_ID="<1@a>")))
    assert len({each.id for each in both if isinstance(each, Document)}) == 2


def test_a_bad_message_of_a_mailbox_does_not_stop_the_others(tmp_path: Path) -> None:
    sealed = letter("x")
    sealed.replace_header("Content-Type", "application/pkcs7-mime")
    skipped, document = load(tmp_path / "a.mbox", mailbox(sealed, letter()))
    assert isinstance(skipped, Skipped)
    assert (skipped.uri[-2:], skipped.reason) == ("#1", "is encrypted")
    assert isinstance(document, Document)


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


def test_an_empty_mailbox_has_no_messages(tmp_path: Path) -> None:
    assert load(tmp_path / "a.mbox", b"") == []


def test_parts_within_parts_end_somewhere(tmp_path: Path) -> None:
    deep = b"Subject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    try:
        load(tmp_path / "a.eml", deep)
    except DocumentError as error:
        assert "damaged" in str(error)  # noqa: PT017 - it may also be read
