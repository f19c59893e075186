"""Passages as blocks of a prompt that reads them; prompts that make rows of layers have blocks of their own."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.prompts.blocks import PromptBlock
from polyhop.types import Passage


def passage_blocks(passages: Sequence[Passage]) -> list[PromptBlock]:
    """Each passage below its title and its date, as ``PASSAGE 1``, ``PASSAGE 2`` and so on."""
    texts = ["\n".join((passage.title, *date_line(passage), passage.text)).strip() for passage in passages]
    return [PromptBlock(f"PASSAGE {number}", text) for number, text in enumerate(texts, 1)]


def date_line(passage: Passage) -> tuple[str, ...]:
    """``Date: 2031-02-04`` where only the rest of its document tells when a passage was said, else nothing."""
    day = "" if passage.occasion is None else passage.occasion.day
    return (f"Date: {day[:4]}-{day[4:6]}-{day[6:]}",) if day else ()
