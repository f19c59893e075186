"""By which names a row of a data set, or of a table, says what its id, its title and its text are."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from polyhop.documents.loading import bare

IDS: Final = ("id", "_id")
TITLES: Final = ("title", "name", "heading", "headline", "subject")
ABSTRACTS: Final = ("abstract",)
TEXTS: Final = (
    *("text", "content", "contents", "body", "passage", "paragraph"),
    *("full_text", "body_text", "main_text", "article_body", "page_content"),
    *ABSTRACTS,
)
# What says no more than it has to where there is no text; columns of a table may have these names beside others.
TEXTS_AT_LAST: Final = ("article", "story", "transcript", "message", "markdown", "summary", "description")


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


def below_abstract(text: str, abstract: str) -> str:
    """A text with its abstract as the paragraph before it, unless it has that in it."""
    if not abstract.strip() or abstract.strip() in text:
        return text
    return f"{abstract.strip()}\n\n{text}" if text.strip() else abstract
