"""Headers of mail as people read them: with encoded words decoded, on one line."""

from __future__ import annotations

import re
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from polyhop.documents.encoding import decode
from polyhop.documents.loading import one_line
from polyhop.english.dates import in_words
from polyhop.errors import DocumentError

_WORD: Final = r"=\?[^?\s]+\?[bBqQ]\?[^?]*\?="
_WORDS: Final = re.compile(rf"{_WORD}(?:\s+{_WORD})*")


def header(message: Message, name: str) -> str:
    """The first header of a name, decoded; nothing where there is none."""
    written = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return decoded_words(_text(written.encode("utf-8", errors="surrogateescape"), ""))


def decoded_words(text: str) -> str:
    """A text on one line with what is encoded in it (RFC 2047) as it is meant; what cannot be decoded stays."""
    return one_line(_WORDS.sub(lambda words: _joined(words[0]), text))


def sent(message: Message) -> datetime | None:
    """When a message was sent, in the time of who sent it."""
    try:
        return parsedate_to_datetime(header(message, "date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def day_and_time(when: datetime) -> str:
    """A moment in words: 4 February 2031, 17:30."""
    return f"{in_words(when)}, {when:%H:%M}"


def _joined(words: str) -> str:
    """Encoded words as a text; letters of several bytes may be parted between words of one encoding."""
    raw = one_line(words).encode("utf-8", errors="replace").decode("latin-1")  # the module takes a letter for a byte
    try:
        runs = decode_header(raw)
    except HeaderParseError:
        return words
    return "".join(_text(content, (charset or "").partition("*")[0]) for content, charset in runs)


def _text(content: bytes | str, charset: str) -> str:
    try:
        return decode(content.encode("latin-1") if isinstance(content, str) else content, charset)
    except DocumentError:  # binary
        return ""
