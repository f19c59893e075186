"""Passages as blocks of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.tasks.blocks import Block
from polyhop.types import Passage


def passage_blocks(passages: Sequence[Passage]) -> list[Block]:
    """Each passage below its title, as ``PASSAGE 1``, ``PASSAGE 2`` and so on."""
    texts = [f"{passage.title}\n{passage.text}".strip() for passage in passages]
    return [Block(f"PASSAGE {number}", text) for number, text in enumerate(texts, 1)]
