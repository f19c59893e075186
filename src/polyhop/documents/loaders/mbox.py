"""Mailboxes: messages one after the other in a file, as Unix, Thunderbird and exports of Gmail have them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, ClassVar, Final

from polyhop.documents.loaders.attachments import attached_documents, attached_loaders
from polyhop.documents.loaders.mail import Mail, mail_of
from polyhop.documents.loaders.mail_quotes import Mailbox
from polyhop.documents.loading import MAILBOX, summed_up, version_with
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

_BEGIN: Final = re.compile(rb"From (?:\S.*)?\b\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{4}\b|From - ")
_ESCAPED: Final = re.compile(rb">+From ")
_LONGEST_BEGIN: Final = 200  # bytes of the line that parts messages
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, kw_only=True)
class MboxLoader:
    """Reads one document a message; what a reply quotes of a message before it is left out there.

    A message is known by its own id, so that it stays what it is where others come or go before it.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".mbox",)
    media_type: ClassVar[str] = MAILBOX

    largest: int = 64 << 20  # bytes of a message

    @cached_property
    def version(self) -> str:
        """The version of what it reads, and of what is read of attachments."""
        return version_with("9", attached_loaders())

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The messages, counted from 1. One that cannot be read is named, and the others follow.

        Raises DocumentError for what is no mailbox.
        """
        yield from summed_up(self._items(path, uri), uri, "messages")

    def _items(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        box = Mailbox()
        known: Counter[str] = Counter()
        threads: dict[str, str] = {}  # by the messages that are of them, as some replies name only the one before
        with path.open("rb") as stream:
            for number, content in enumerate(messages_of(stream, self.largest), start=1):
                place = f"{uri}#{number}"
                if len(content) > self.largest:
                    yield Skipped(place, f"is larger than {self.largest:,} bytes")
                    continue
                try:
                    mail = mail_of(content)
                except DocumentError as error:
                    yield Skipped(place, str(error))
                    continue
                known[mail.identity] += 1
                mail.thread = next((threads[each] for each in mail.replied_to if each in threads), mail.thread)
                threads[mail.identity] = mail.thread
                yield from self._documents(mail, box, uri, place, known[mail.identity])
                yield from attached_documents(mail.attachments, place)

    def _documents(self, mail: Mail, box: Mailbox, uri: str, place: str, time: int) -> Iterator[Document]:
        paragraphs = box.own(mail.paragraphs, mail.replied_to)
        box.remember(mail.identity, mail.paragraphs)
        for part, document in mail.documents(paragraphs, place, self.media_type):
            if not mail.identity:
                yield document
                continue
            named = "\0".join(filter(None, (uri, mail.identity, str(time), part)))
            yield replace(document, id=hashlib.sha256(named.encode("utf-8", errors="replace")).hexdigest()[:16])


def messages_of(stream: BinaryIO, largest: int) -> Iterator[bytes]:
    """The bytes of each message; of one that is larger, a little more than that. Raises DocumentError."""
    message = bytearray()
    begun = False
    after_blank = True
    while line := stream.readline(_BLOCK):
        if after_blank and line.startswith(b"From ") and _BEGIN.match(line[:_LONGEST_BEGIN]):
            if begun:
                yield bytes(message)
            message.clear()
            begun = True
        elif not begun and line.strip():
            raise DocumentError(
                "is no mailbox: it does not begin with a line 'From'", remedy="Export it as mbox again."
            )
        elif len(message) <= largest:
            message += line[1:] if _ESCAPED.match(line) else line
        after_blank = not line.strip()
    if begun:
        yield bytes(message)
