"""What stands above a text in Markdown between two lines of dashes: who wrote it, when, and what else is told of it.

Notes (Obsidian) hold much of what they know there: ``supervisor: "[[Ada Brisk]]"``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from polyhop.documents.loading import one_line

_BLOCK: Final = re.compile(
    r"(---|\+\+\+)[ \t]*\n(?=[ \t]*[\w#\"'-])(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_ENTRY: Final = re.compile(
    r"^(?P<name>[^\W\d][\w -]*?)[ \t]*[:=][ \t]*"
    r"(?:[>|][-+\d]{0,2}[ \t]*(?P<folded>(?:\n[ \t]+\S.*)*)$"
    r"|(?P<items>\n[ \t]*-[ \t]+\S.*(?:\n[ \t]*-[ \t]+\S.*|\n[ \t]{2,}\S.*)*)$"
    r"|(?<=[ \t])(?P<value>\S.*)$)",
    re.MULTILINE,
)
_ITEM: Final = re.compile(r"^[ \t]*-[ \t]+(?:name:[ \t]+)?(\S.*)$", re.MULTILINE)  # "- name: Ada", where more follows
_LISTED: Final = re.compile(r"[ \t]*(\"[^\"]*\"|'[^']*'|\[\[[^\]]*\]\]|[^,\"'\s][^,]*)[ \t]*(?:,|\Z)")
_QUOTED: Final = re.compile(r"^([\"'])(.*)\1$")
_UNSAID: Final = frozenset(("true", "false", "null", "~", "[]", "{}"))
_FOR_TOOLS: Final = frozenset(  # how a page is laid out, filed and found
    (
        *("layout", "permalink", "slug", "url", "weight", "draft", "published", "publish", "template", "theme", "toc"),
        *("tags", "tag", "keywords", "category", "categories", "id", "uid", "uuid", "lang", "icon", "image", "images"),
        *("cover", "banner", "thumbnail", "css", "cssclass", "cssclasses", "nav order", "sidebar position"),
        *("sidebar label", "redirect from", "kanban plugin", "excalidraw plugin"),
        *("output", "format", "engine", "jupyter", "bibliography", "csl", "documentclass", "geometry", "fontsize"),
    )
)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The plain entries and lists of the YAML or TOML block that a text begins with, and the text after it."""
    block = _BLOCK.match(text)
    if not block:
        return {}, text
    entries = list(_ENTRY.finditer(block[2] or ""))
    if not entries:
        return {}, text  # two horizontal rules
    values = {entry["name"].lower(): _value(entry) for entry in entries}
    return {name: value for name, value in values.items() if value}, text[block.end() :]


def told_above(entries: Mapping[str, str]) -> str:
    """What the entries tell readers, a line each, with a blank line behind; nothing of what steers programs."""
    lines = []
    for name, value in entries.items():
        label = re.sub(r"[_-]+", " ", name).strip()
        if label not in _FOR_TOOLS and value.casefold() not in _UNSAID and value[0] not in "/{":
            lines.append(f"{label[:1].upper()}{label[1:]}: {value}")
    return "\n".join([*lines, "", ""]) if lines else ""


def _value(entry: re.Match[str]) -> str:
    """What an entry says, on one line; of a list the items, with commas between them."""
    written = (entry["value"] or "").strip()
    if entry["items"]:
        items = _ITEM.findall(entry["items"])
    elif written.startswith("[") and written.endswith("]") and not written.startswith("[["):
        items = _LISTED.findall(written[1:-1])
    else:
        return _QUOTED.sub(r"\2", written) or one_line(entry["folded"] or "")
    return ", ".join(_QUOTED.sub(r"\2", item.strip()) for item in items)
