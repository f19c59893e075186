"""Mail: a message in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from polyhop.documents.loaders.attachments import attached_documents, attached_loaders
from polyhop.documents.loaders.mail import mail_of
from polyhop.documents.loading import MAIL, version_with
from polyhop.reports import Skipped
from polyhop.types import Document


@dataclass(frozen=True, kw_only=True)
class EmlLoader:
    """Reads a message: subject, people and date, then what it says, plain text before HTML, and names of attachments.

    What it quotes below its own words is a document of its own, and so are attachments that a loader knows.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    media_type: ClassVar[str] = MAIL

    @cached_property
    def version(self) -> str:
        """The version of what it reads, and of what is read of attachments."""
        return version_with("9", attached_loaders())

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The message, whose title is its subject, and what came with it.

        Raises DocumentError for what is encrypted or no mail.
        """
        mail = mail_of(path.read_bytes())
        yield from (document for _, document in mail.documents(mail.paragraphs, uri, self.media_type))
        yield from attached_documents(mail.attachments, uri)
