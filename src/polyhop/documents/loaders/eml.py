"""Mail: a message in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.loaders.attachments import attached_documents
from polyhop.documents.loaders.mail import mail_of
from polyhop.documents.loading import file_document
from polyhop.reports import Skipped
from polyhop.types import Document


@dataclass(frozen=True, kw_only=True)
class EmlLoader:
    """Reads a message: subject, people and date, then what it says, plain text before HTML, and names of attachments.

    Attachments that a loader knows are documents of their own.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    media_type: ClassVar[str] = "message/rfc822"
    version: ClassVar[str] = "2"

    attachments: bool = True  # whether those are read, too

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The message, whose title is its subject, and what came with it.

        Raises DocumentError for what is encrypted or no mail.
        """
        mail = mail_of(path.read_bytes())
        text = mail.text(mail.paragraphs)
        yield file_document(uri, text, self.media_type, title=mail.subject, metadata=mail.metadata)
        if self.attachments:
            yield from attached_documents(mail.attachments, uri)
