"""What a mail quotes is told apart from what its sender says, and stands once in a mailbox."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from polyhop.documents.loaders.mail_quotes import paragraphs_of
from polyhop.types import Document
from tests.worlds.mail import BLOCK, FIRST, attach, letter, load, mailbox, said


def texts(tmp_path: Path, *messages: EmailMessage) -> list[str]:
    """The same of the messages of a mailbox."""
    documents = load(tmp_path / "a.mbox", mailbox(*messages))
    return [
        each.text if each.uri.endswith("#quoted") else each.text.partition("\n\n")[2]
        for each in documents
        if isinstance(each, Document)
    ]


def test_quoted_lines_that_go_on_are_joined_where_they_are_quoted_equally_often(tmp_path: Path) -> None:
    head = "Subject: Lamp\nContent-Type: text/plain; format=flowed\n\n"
    written = "It is. \n> Is the lamp \n> of the pier \n>> which one? \n>> whole?\nYes, the lamp \nis."
    assert said(tmp_path, (head + written).encode()) == (
        "It is. \n\nIs the lamp of the pier \n\nwhich one? whole?\n\nYes, the lamp is."
    )


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
