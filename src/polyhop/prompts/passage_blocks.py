"""Passages as blocks of a prompt that reads them; prompts that make rows of layers have blocks of their own."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.prompts.blocks import PromptBlock
from polyhop.types import Passage


def passage_blocks(passages: Sequence[Passage]) -> list[PromptBlock]:
    """Each passage below its title, its section and its date, as ``PASSAGE 1``, ``PASSAGE 2`` and so on."""
    lines = ((passage.title, *section_line(passage), *date_line(passage), passage.text) for passage in passages)
    texts = ["\n".join(filter(None, said)) for said in lines]
    return [PromptBlock(f"PASSAGE {number}", text) for number, text in enumerate(texts, 1)]


def section_line(passage: Passage) -> tuple[str, ...]:
    """``Section: Fares > Children``, of a passage that begins in the middle of a section, else nothing."""
    return (f"Section: {' > '.join(passage.section)}",) if passage.section else ()


def date_line(passage: Passage) -> tuple[str, ...]:
    """``Date: 2031-02-04`` where only the rest of its document tells when a passage was said, else nothing."""
    day = "" if passage.occasion is None else passage.occasion.day
    return (f"Date: {day[:4]}-{day[4:6]}-{day[6:]}",) if day else ()
