"""Mail, as programs write it."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

from polyhop.documents.loaders.eml import EmlLoader
from polyhop.documents.loaders.mbox import MboxLoader
from polyhop.reports import Skipped
from polyhop.types import Document

HEADS = {
    "Subject": "Repairs of the lighthouse",
    "From": "Ada Brisk <ada@quillmouth.example>",
    "To": "Piet Rook <piet@tarn.example>",
    "Date": "Tue, 4 Feb 2031 17:30:00 +0100",
}


def letter(text: str | None = "The lamp is whole again.", html: str = "", **heads: str) -> EmailMessage:
    """A message with a plain text, an HTML text or both; underscores in names of headers are hyphens."""
    message = EmailMessage()
    for name, value in {**HEADS, **{name.replace("_", "-"): value for name, value in heads.items()}}.items():
        message[name] = value
    if text is not None:
        message.set_content(text)
    if html and text is not None:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    return message


def attach(message: EmailMessage, files: Mapping[str, bytes]) -> EmailMessage:
    """The message with files."""
    for name, content in files.items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message


def mailbox(*messages: EmailMessage, end: str = "\n") -> bytes:
    """Messages in one file (mboxrd)."""
    written = b""
    for message in messages:
        body = message.as_bytes().replace(b"\nFrom ", b"\n>From ")
        written += b"From ada@quillmouth.example Tue Feb  4 17:30:00 2031\n" + body + b"\n"
    return written.replace(b"\n", end.encode())


def load(file: Path, content: EmailMessage | bytes) -> list[Document | Skipped]:
    file.write_bytes(content if isinstance(content, bytes) else content.as_bytes())
    loader = MboxLoader() if file.suffix == ".mbox" else EmlLoader()
    return list(loader.load(file, file.as_posix()))


BLOCK = (
    "Subject: Repairs of the lighthouse\nFrom: Ada Brisk <ada@quillmouth.example>\n"
    "To: Piet Rook <piet@tarn.example>\nDate: 4 February 2031, 17:30"
)
FIRST = "Dear Piet, the lamp of the lighthouse is broken, and ships cannot see the pier."


def said(tmp_path: Path, content: EmailMessage | bytes) -> str:
    """What a message says below its head."""
    (document,) = load(tmp_path / "a.eml", content)
    assert isinstance(document, Document)
    return document.text.partition("\n\n")[2]


def sealed() -> EmailMessage:
    """A message that nobody can read here."""
    message = EmailMessage()
    message["Subject"] = "Sealed"
    message.add_header("Content-Type", "multipart/encrypted", boundary="x")
    return message
