"""By which names a row of a data set, or of a table, says what its id, its title and its text are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from polyhop.documents.loading import bare

LONGEST_VALUE: Final = 100  # characters of a field; what is longer is a text that somebody wrote
IDS: Final = ("id", "_id")
TITLES: Final = ("title", "name", "heading", "headline", "subject")
ABSTRACTS: Final = ("abstract",)
TEXTS: Final = (
    *("text", "content", "contents", "body", "passage", "paragraph"),
    *("full_text", "body_text", "main_text", "article_body", "page_content"),
    *ABSTRACTS,
)
# What counts where there is none of these; columns of a table may have these names beside others.
TEXTS_AT_LAST: Final = ("article", "story", "transcript", "markdown")
# What is said of a thing whose other fields say the rest: a ticket, an article of a catalogue, an entry of a log.
DESCRIPTIONS: Final = ("message", "summary", "description")
# How an object that stands in a field is called, which is often a person.
NAMES: Final = ("display_name", "real_name", "full_name", "name", "nickname", "login", "username")
QUESTIONS: Final = ("question", "query")  # of a row that is asked, and tells nothing


@lru_cache(maxsize=256)  # of a pure function: rows of a file mostly have the same keys
def bearing(keys: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that bear one of the names: those of an earlier name first, among them the one that is written so."""
    by_name: dict[str, list[str]] = {}
    for key in keys:
        by_name.setdefault(bare(key), []).append(key)
    found: dict[str, None] = {}
    for name in names:
        found.update(dict.fromkeys(sorted(by_name.get(bare(name), ()), key=lambda key: key != name)))
    return tuple(found)


def first_name(values: Iterable[str]) -> str:
    """The first value that may name a row: short, and with a letter in it."""
    return next((value for value in values if len(value) <= LONGEST_VALUE and any(map(str.isalpha, value))), "")


def below_abstract(text: str, abstract: str) -> str:
    """A text with its abstract as the paragraph before it, unless it has that in it."""
    if not abstract.strip() or abstract.strip() in text:
        return text
    return f"{abstract.strip()}\n\n{text}" if text.strip() else abstract
