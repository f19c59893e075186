"""A mailbox has a document a message, and tells which messages are one thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.reports import Skipped
from polyhop.types import Document
from tests.worlds.mail import letter, load, mailbox


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


def test_an_empty_mailbox_has_no_messages(tmp_path: Path) -> None:
    assert load(tmp_path / "a.mbox", b"") == []
