"""What a web page has around its content: menus, heads and feet of the site, and what is laid over it.

The markup tells it: elements and roles that mean so, and lines that are nothing but links.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from polyhop.documents.edits import TextEdit, TextEdits
from polyhop.documents.flow import HEADING, Mark
from polyhop.documents.loaders.web_links import LINK, Links
from polyhop.documents.loaders.web_navigation import Navigation

TITLE: Final = "title"  # a heading of level 1
LIST: Final = "list"
CONTENT: Final = "content"
SITE: Final = "site"  # the page's own header, footer and asides
VERBATIM: Final = "verbatim"  # whose lines are those of the page
NAVIGATION: Final = "navigation"  # what its class or its id calls so

_ROLES: Final = frozenset(
    (*("navigation", "menu", "menubar", "toolbar", "tablist", "search"), *("dialog", "alertdialog", "contentinfo"))
)
_CONTAINERS: Final = frozenset(
    ("div", "section", "aside", "ul", "ol", "form", "header", "footer", "dialog", "nav", "table")
)
_LAID_OVER: Final = re.compile(r"(?<![a-z])(?:cookies?|consent|breadcrumbs?)(?![a-z])", re.IGNORECASE)
_NAVIGATION: Final = re.compile(
    r"(?<![a-z])(?:doc|page|book|site)?nav(?:igation|bar|header|footer)?(?![a-z])", re.IGNORECASE
)
_ATTRIBUTE: Final = re.compile(
    r"""(?<![\w-])(role|epub:type|href|hidden|aria-hidden|aria-modal|id|class|colspan|rowspan|start|value|rel|accesskey|style|title)(?![\w-])(?:\s*+=\s*+("[^"]*+|'[^']*+|[^\s>"']++))?""",
    re.IGNORECASE,
)
_HIDES: Final = re.compile(r"(?:^|;)\s*+(?:display\s*:\s*none|visibility\s*:\s*hidden)(?![\w-])", re.IGNORECASE)
_SHOWN_FORMULA: Final = "katex-html"  # the class of a formula's letters in their places, beside what it says
_LINE: Final = re.compile(r"[^\n]+")
_WHITE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[^\W_]")


def attributes_of(markup: str) -> dict[str, str]:
    """Those attributes of an element that matter here, by their names in lower case."""
    return {found[1].lower(): (found[2] or "").strip("\"' ") for found in _ATTRIBUTE.finditer(markup)}


def is_furniture(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is by its meaning none of the page's content, or is not shown."""
    if tag == "span" and (_SHOWN_FORMULA in attributes.get("class", "").split() or _is(attributes, "pagebreak")):
        return True
    if tag not in _CONTAINERS:
        return False
    return (
        attributes.get("role", "").lower() in _ROLES
        or attributes.get("aria-hidden", "").lower() == "true"
        or attributes.get("aria-modal", "").lower() == "true"
        or "hidden" in attributes
        or any(_LAID_OVER.search(attributes.get(name, "")) for name in ("id", "class"))
    )


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element says of itself that it is not shown; only a script could show it."""
    return (tag in _CONTAINERS or tag == "span") and _HIDES.search(attributes.get("style", "")) is not None


def is_navigation(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is named after navigation."""
    return tag in _CONTAINERS and any(_NAVIGATION.search(attributes.get(name, "")) for name in ("id", "class"))


def is_note(attributes: Mapping[str, str]) -> bool:
    """Whether an element is the number of a note, which is raised without a word of it in the markup."""
    return _is(attributes, "noteref")


def is_bracketed_note(attributes: Mapping[str, str]) -> bool:
    """Whether an element is the number of a note that a style sheet has in brackets, as of reStructuredText."""
    return {"footnote-reference", "brackets"} <= set(attributes.get("class", "").split())


def _is(attributes: Mapping[str, str], kind: str) -> bool:
    """Whether an element is of a kind that books have."""
    return kind in attributes.get("epub:type", "").split() or f"doc-{kind}" in attributes.get("role", "").split()


def furniture(text: str, marks: Iterable[Mark]) -> TextEdits:
    """What leaves out the furniture that links and headings tell; nothing where nothing would stay.

    A link without a word is a sign to click on, such as the one behind a heading that leads to it.
    """
    by_kind: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in sorted(marks):
        by_kind[mark.kind].append(mark)
    headings = by_kind[TITLE] or by_kind[HEADING]
    first = headings[0].start if headings else 0
    signs = [(mark.start, mark.end) for mark in by_kind[LINK] if not _WORD.search(text, mark.start, mark.end)]
    cuts = [(mark.start, mark.end) for mark in by_kind[SITE] if not mark.start <= first < mark.end]
    links = Links(text, chain.from_iterable(by_kind.values()))
    lines = (line.span() for line in _LINE.finditer(text))
    cuts += [(start, end) for start, end in lines if links.are_trail(start, end, fewest=1 if end <= first else 2)]
    for mark in by_kind[LIST]:
        content = by_kind[CONTENT]
        outside = not any(one.start <= mark.start < one.end for one in content) if content else mark.start < first
        if outside and links.are_all(mark.start, mark.end):
            cuts.append((_heading_above(text, by_kind[HEADING], mark.start), mark.end))
    navigation = Navigation(text, links, by_kind[HEADING])
    cuts += navigation.elements(by_kind[NAVIGATION])
    cuts += chain(navigation.steps(), navigation.contents(), navigation.foot(by_kind[LIST]))
    return _without(text, [*signs, *(_with_white_behind(text, *cut) for cut in cuts)])


def _heading_above(text: str, headings: Sequence[Mark], start: int) -> int:
    """Where the heading begins that stands right above a place, or that place itself."""
    at = bisect_right(headings, start - 1, key=lambda one: one.end) - 1
    is_above = at >= 0 and _WHITE.fullmatch(text, headings[at].end, start) is not None
    return headings[at].start if is_above else start


def _with_white_behind(text: str, start: int, end: int) -> tuple[int, int]:
    white = _WHITE.match(text, end)
    return start, white.end() if white else end


def _without(text: str, cuts: Iterable[tuple[int, int]]) -> TextEdits:
    """The cuts, one where they overlap."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(cuts):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    left = len(text.strip()) - sum(end - start for start, end in found)
    return TextEdits(TextEdit(start, end) for start, end in found) if left > 0 else TextEdits(())
