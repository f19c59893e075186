"""Styles of OpenDocument files, and numbers among the attributes of elements."""

from __future__ import annotations

from typing import Final

from polyhop.documents.loaders.archives import Attributes, PartEvents
from polyhop.documents.loaders.paragraphs import MOST_BASED, ParagraphStyles

_STYLED: Final = ("text-properties", "table-properties", "drawing-page-properties")
_MOMENTS: Final = frozenset(("year", "month", "day", "hours", "minutes", "seconds"))


def is_bold(weight: str) -> bool:
    """Whether letters of a weight are bold."""
    return weight == "bold" or weight in ("600", "700", "800", "900")


class OdfStyles(PartEvents):
    """What styles say, each with what it is based on, by their families and names."""

    def __init__(self) -> None:
        self.kinds = ParagraphStyles()
        self.moments: dict[str, set[str]] = {}  # which parts of a date or time are shown, by the names of formats
        self._own: dict[tuple[str, str], dict[str, str]] = {}
        self._bases: dict[tuple[str, str], str] = {}
        self._style = ("", "")
        self._format = ""

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name == "style":
            self._begin(attributes.get("family", ""), attributes.get("name", ""), attributes)
        elif name in ("date-style", "time-style"):
            self._format = attributes.get("name", "")
            self.moments[self._format] = set()
        elif name in _MOMENTS and self._format:
            self.moments[self._format].add(name)
        elif name in _STYLED and self._style[1]:
            self._own[self._style].update(attributes)

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "style":
            self._style = ("", "")
        elif name in ("date-style", "time-style"):
            self._format = ""

    def value(self, family: str, style: str, name: str) -> str:
        """What a style, or the nearest one that it is based on, says of something; empty where none does."""
        for _ in range(MOST_BASED):
            found = self._own.get((family, style), {}).get(name, "")
            if found or not style:
                return found
            style = self._bases.get((family, style), "")
        return ""

    def _begin(self, family: str, style: str, attributes: Attributes) -> None:
        self._style = (family, style)
        base = attributes.get("parent-style-name", "")
        self._own[self._style] = {"data-style-name": attributes.get("data-style-name", "")}
        self._bases[self._style] = base
        if family == "paragraph":
            self.kinds.named(style, attributes.get("display-name", style.replace("_20_", " ")))
            self.kinds.based_on(style, base)
