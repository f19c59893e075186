"""Numbers with what they count, as people write them: "1 document", "2 documents", "1,204 passages"."""

from __future__ import annotations


def counted(number: int, things: str) -> str:
    """A number and what it counts; ``things``: a regular plural, which stands in the singular behind a 1."""
    return f"{number:,} {one(things) if number == 1 else things}"


def one(things: str) -> str:
    """The singular of a regular plural: of the last word, as in "model calls"."""
    return f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
