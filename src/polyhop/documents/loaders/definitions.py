"""Terms and their descriptions: ``1000: kept for programs``, as people type them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_OTHER: Final = frozenset(  # what begins with one of these is no running text, or stands elsewhere
    (
        *("ul", "ol", "dl", "table", "tr", "td", "th", "pre", "blockquote", "figure", "hr", "details"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    )
)
_LONGEST: Final = 120  # characters of a term
_SENTENCE_ENDS: Final = (".", "!", "?", "\u2026")
_PARTED: Final = (":", ",", ";", "=", "\u2013", "\u2014")  # at the end of a term


@dataclass(slots=True)
class Definition:
    """The last term, and whether running text comes next that describes it."""

    _term: str = ""
    _is_open: bool = False
    _awaited: bool = False

    def start(self, tag: str) -> None:
        """An element begins."""
        if tag == "dt":
            self._term, self._is_open, self._awaited = "", True, False
        elif tag == "dd":
            self._is_open, self._awaited = False, is_term(self._term.strip())
        elif tag in _OTHER:
            self._leave()

    def end(self, tag: str) -> None:
        """An element ends."""
        if tag == "dt":
            self._is_open = False
        elif tag in ("dd", "dl") or tag in _OTHER:
            self._leave()

    def mark_before(self, text: str) -> str | None:
        """What parts the term from a text that describes it; None for any other text."""
        if self._is_open:
            self._term = (self._term + text)[: 2 * _LONGEST]
        if not self._awaited or text.isspace():
            return None
        mark = _mark_behind(self._term.rstrip())
        self._leave()
        return mark

    def _leave(self) -> None:
        self._term, self._is_open, self._awaited = "", False, False


def is_term(said: str) -> bool:
    """Whether a term is one, and not a sentence such as a question that an answer follows."""
    return 0 < len(said) <= _LONGEST and not said.endswith(_SENTENCE_ENDS)


def described(term: str, said: str) -> str:
    """A term and what is said of it, as a line."""
    return f"{term}{_mark_behind(term)} {said}"


def _mark_behind(term: str) -> str:
    return "" if term.endswith(_PARTED) else ":"
