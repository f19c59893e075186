"""A message of mail as a text: who wrote it to whom and when, what it says, and what is attached to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from polyhop.documents.encoding import decode, detect
from polyhop.documents.loaders.html import content_of, read_page
from polyhop.documents.loaders.mail_headers import day_and_time, decoded_words, header, sent
from polyhop.documents.loaders.mail_quotes import MailParagraph, paragraphs_of, parted, unflowed
from polyhop.documents.loading import file_document, one_line
from polyhop.errors import DocumentError
from polyhop.types import THREAD, Document

_SHOWN: Final = ("Subject", "From", "To", "Cc", "Date")
_SEALED: Final = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_TEXTS: Final = ("text/plain", "text/html", "text/markdown", "text/x-markdown")
_IDENTITY: Final = re.compile(r"<[^<>\s]+>")
QUOTED: Final = "quoted"  # what the document of quotations is called
_UNNAMED: Final = "attachment"
_DEEPEST: Final = 8  # messages and parts within one another
_MOST_ATTACHED: Final = 500
_DAMAGE: Final = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)


class Attachment(NamedTuple):
    """A file that came with a message, and of which type the message says it is."""

    name: str
    content: bytes
    media_type: str


@dataclass
class Mail:
    """A message that was taken apart."""

    subject: str = ""
    heads: tuple[tuple[str, str], ...] = ()  # what it says of itself, by the names of its headers
    identity: str = ""
    replied_to: tuple[str, ...] = ()
    thread: str = ""  # the id of the message that began it
    paragraphs: list[MailParagraph] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    def block(self) -> str:
        """What stands above what it says."""
        return "\n".join(f"{name}: {value}" for name, value in self.heads)

    def documents(
        self, paragraphs: Sequence[MailParagraph], place: str, media_type: str
    ) -> Iterator[tuple[str, Document]]:
        """What it says itself, under its head, and, named so, what it quotes below that, which is somebody else's."""
        own, quoted = parted(paragraphs)
        yield "", file_document(place, self._text(own), media_type, title=self.subject, metadata=self.metadata)
        if quoted:
            text = "\n\n".join(each.text for each in quoted)
            title = f"{self.subject} ({QUOTED})".strip()
            yield QUOTED, file_document(f"{place}#{QUOTED}", text, media_type, title=title)

    def _text(self, paragraphs: Sequence[MailParagraph]) -> str:
        names = ", ".join(attachment.name for attachment in self.attachments)
        attached = f"Attachments: {names}" if names else ""
        return "\n\n".join(filter(None, (self.block(), *(each.text for each in paragraphs), attached)))

    @property
    def metadata(self) -> dict[str, str]:
        """What it says of itself, beside its subject."""
        said = {name.lower(): value for name, value in self.heads if name != "Subject"}
        return said | ({THREAD: self.thread} if self.thread else {})


def mail_of(content: bytes) -> Mail:
    """A message from its bytes. Raises DocumentError for one that is encrypted, damaged or no message at all."""
    try:
        message = message_from_bytes(content)
        if not any(message.get(name) is not None for name in ("from", "subject", "date", "received")):
            raise DocumentError("is no mail: it has no headers", remedy="Save the message again as .eml.")
        return _mail(message, depth=0)
    except _DAMAGE as error:
        said = one_line(f"{type(error).__name__}: {error}")
        raise DocumentError(f"is damaged ({said})", remedy="Save the message again as .eml.") from error


def _mail(message: Message, depth: int) -> Mail:
    heads = {name: header(message, name.lower()) for name in _SHOWN}
    when = sent(message)
    if when is not None:
        heads["Date"] = day_and_time(when)
    above, first = (_IDENTITY.findall(header(message, name)) for name in ("in-reply-to", "references"))
    identity = header(message, "message-id")
    mail = Mail(
        subject=heads["Subject"],
        heads=tuple((name, value) for name, value in heads.items() if value),
        identity=identity,
        replied_to=(*above, *first),
        thread=next(iter((*first, *above)), identity),
    )
    mail.paragraphs += _read_part(message, mail, depth)
    return mail


def _read_part(part: Message, mail: Mail, depth: int) -> list[MailParagraph]:
    """What a part says; what is attached in it goes to the mail."""
    kind = part.get_content_type()
    if kind in _SEALED:
        how = "signed in a form that hides its text" if _parameter(part, "smime-type") == "signed-data" else "encrypted"
        raise DocumentError(f"is {how}", remedy="Save it without that in the program that can open it.")
    if depth > _DEEPEST:
        return []
    name = _name_of(part)
    if kind == "message/rfc822" and part.is_multipart():
        try:
            inner = _mail(_inner(part), depth + 1)
        except DocumentError:  # it is encrypted, and what it came with is not
            return []
        mail.attachments += inner.attachments
        return [MailParagraph(inner.block(), quoted=False), *inner.paragraphs]
    if part.is_multipart():
        return _read_parts(part, mail, depth)
    if kind in _TEXTS and not name:
        return _said(part, kind)
    if part.get_content_maintype() == "multipart":  # in name only: its parts cannot be told apart
        return _said(part, "text/plain")
    is_picture = part.get_content_maintype() == "image" and part.get("content-id")  # in the text
    if part.get_content_disposition() == "attachment":
        name = name or _UNNAMED
    if name and not is_picture and len(mail.attachments) < _MOST_ATTACHED:
        mail.attachments.append(Attachment(name, _content_of(part), kind))
    return []


def _inner(part: Message) -> Message:
    """The message within a part, which some programs write in Base64, though no standard allows it."""
    message: Message = part.get_payload(0)  # type: ignore[assignment]  # as is_multipart says
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    if encoding != "base64" or message.keys():
        return message
    message["Content-Transfer-Encoding"] = encoding
    content = message.get_payload(decode=True)
    return message_from_bytes(content) if isinstance(content, bytes) else message


def _read_parts(part: Message, mail: Mail, depth: int) -> list[MailParagraph]:
    """Of alternatives the first plain text that says something, else the first of all; of other parts each."""
    inner = [each for each in part.get_payload() if isinstance(each, Message)]
    said = [_read_part(each, mail, depth + 1) for each in inner]
    if part.get_content_type() != "multipart/alternative":
        return [paragraph for paragraphs in said for paragraph in paragraphs]
    plain = (one for one, each in zip(said, inner, strict=True) if one and each.get_content_type() == "text/plain")
    return next(plain, None) or next(filter(None, said), [])


def _said(part: Message, kind: str) -> list[MailParagraph]:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return []
    try:
        text = decode(content, part.get_content_charset())
    except DocumentError:  # binary, whatever it says
        return []
    if kind == "text/html":
        page = content_of(read_page(text.encode("utf-8", errors="replace")), of_site=False).text()
        return paragraphs_of(page, page=True)
    if _parameter(part, "format") == "flowed":
        text = unflowed(text, within_words=_parameter(part, "delsp") == "yes")
    return paragraphs_of(text)


def _parameter(part: Message, name: str) -> str:
    """What the type of a part says further of it."""
    return str(part.get_param(name, "")).lower()


def _content_of(part: Message) -> bytes:
    """What a file that came with a message holds; a text is in UTF-8, because no file says what its part declares."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return b""
    charset = part.get_content_charset()
    if part.get_content_maintype() == "text" and charset:
        with suppress(DocumentError):  # binary, whatever it says
            return content.decode(detect(BytesIO(content), charset), errors="replace").encode(errors="replace")
    return content


def _name_of(part: Message) -> str:
    """What a part's file is called, without folders."""
    written = decoded_words(part.get_filename() or "").replace("\\", "/")
    return PurePosixPath(written).name


def unique_names(attachments: Sequence[Attachment]) -> Iterator[Attachment]:
    """The attachments with names that are each another one."""
    met: set[str] = set()
    for attachment in attachments:
        path, number, name = PurePosixPath(attachment.name), 1, attachment.name
        while name in met:
            number += 1
            name = f"{path.stem} ({number}){path.suffix}"
        met.add(name)
        yield attachment._replace(name=name)
