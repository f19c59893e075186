"""What Markdown has for its tools and not for readers: where links lead, pictures, comments, emphasis, tags of HTML.

What is struck out goes, as deleted text of other formats does.

Code stays as it is, and what stands in angle brackets and is no tag: ``<file>`` is what people are to fill in.
"""

from __future__ import annotations

import html
import re
from typing import Final

from polyhop.documents.raised import MARK

_GONE: Final = "\0"  # where something was
_HELD: Final = "\1"  # on both sides of the number of code that is put aside; no text holds either
_HOLDING: Final = re.compile(rf"{_HELD}(\d+){_HELD}")
_CODE: Final = re.compile(
    r"^ {0,3}(?P<fence>```++|~~~++)[^\n]*\n.*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<tick>`{1,3})(?!`)(?:[^\n]|\n(?!\s*\n)){1,400}?(?<!`)(?P=tick)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TARGET: Final = r"\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:[ \t\n]+(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'))?[ \t]*\)"
_PICTURE: Final = re.compile(rf"!\[[^\[\]\n]{{0,300}}\](?:{_TARGET}|\[[^\[\]\n]{{0,100}}\])")
_LINK: Final = re.compile(rf"(?<![!\\])\[(?P<said>(?:[^\[\]]|\[[^\[\]\n]{{0,200}}\]){{0,500}})\](?P<target>{_TARGET})")
_BY_NAME: Final = re.compile(r"(?<![!\\\]])\[(?P<said>[^\[\]]{1,500}+)\]\[(?P<name>[^\[\]\n]{0,100})\]")
_PAGE: Final = re.compile(  # of a wiki: "[[Rates]]", "[[Rates#Children|what children pay]]"
    r"(?<!\\)!?\[\[(?P<page>[^\[\]|\n]{1,200}+)(?:\|(?P<said>[^\[\]\n]{1,200}))?\]\](?!\()"
)
_PLACE: Final = re.compile(  # a target and perhaps a title: "[Ada]: Good morning!" is what somebody says
    r"^ {0,3}\[(?!\^)(?P<name>[^\[\]\n]{1,100})\]:[ \t]*(?:<[^<>\n]*>|\S++)"
    r"(?:[ \t]++(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$",
    re.MULTILINE,
)
_ADDRESS: Final = re.compile(
    r"<((?:https?|ftp|mailto):[^\s<>]{1,2000}|[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4})>"
)
_STARS: Final = re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])(?P<said>(?:[^*\n]|\n(?!\s*\n)){1,400}?)(?<=\S)\1(?![\w*])")
_BEGINNING: Final = re.compile(r"(?<![\w*\\])(\*\*?)(?P<said>[^\W\d_]{1,40})\1(?=[^\W\d_])")  # of a word: "**to**fu"
_LIGHT: Final = re.compile(r"(?<![=\w\\])(==)(?=[^\s=])(?P<said>[^=\n]{1,400}+)(?<=\S)==(?![=\w])")
_DASHES: Final = re.compile(r"(?<![\w\\])(_)(?=[^\W_])(?P<said>[^_\n]{1,300}+)(?<=\S)_(?!\w)")
_STRUCK: Final = re.compile(
    r"(?<![~\\])~~(?=[^\s~])(?:[^~\n]|~(?!~)|\n(?!\s*\n)){1,2000}?(?<=[^\s\\])~~(?!~)[ \t]?"
    r"|<(?P<tag>del|s|strike)>(?:[^\n]|\n(?!\s*\n)){0,500}?</(?P=tag)>[ \t]?",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"^[ \t]*+[-*+][ \t]++\[[xX]\][^\n]*", re.MULTILINE
)  # a task; struck out, it is done, not wrong
# Of notes (Obsidian): a comment, the name of a paragraph for links to lead to, and what is behind a name as its value.
_ASIDE: Final = re.compile(r"(?<![\w%])%%(?!%)(?:[^%]|%(?!%)){1,4000}?%%(?![\w%])[ \t]?")
_BLOCK: Final = re.compile(r"(?:(?<=\S)[ \t]|^)\^(?=[\d-]*[A-Za-z])[A-Za-z\d-]{3,60}[ \t]*$", re.MULTILINE)
_FIELD: Final = re.compile(r"^([ \t]*+(?:[-*+][ \t]++)?[^\W\d_][\w -]{0,40}(?<!\s)):(?=:[ \t]++\S)", re.MULTILINE)
_HEADING_TAG: Final = re.compile(r"^[ \t]*<h([1-6])\b[^<>]{0,300}>(?P<said>.{0,2000}?)</h\1>", re.MULTILINE | re.DOTALL)
_ALTERNATIVE: Final = re.compile(r"\balt=[\"']([^\"'\n]{1,100})[\"']")
_TAG: Final = re.compile(
    r"</?(?:a|abbr|aside|b|big|blockquote|br|center|dd|del|details|div|dl|dt|em|figcaption|figure|font|hr|i|img|ins|kbd"
    r"|li|mark|ol|p|picture|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|h[1-6])"
    r"(?=[\s/>])(?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'){0,500}>",
    re.IGNORECASE,
)
_RAISED: Final = re.compile(r"(?<=\d)<sup>(?=[-+\u2212]?\d)", re.IGNORECASE)  # "10<sup>6</sup>" is not 106
LINE_BREAK: Final = re.compile(r"<br[ \t]{0,9}/?>", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5});")
_EMPTY_LINES: Final = re.compile(
    rf"(?:^[ \t]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++(?:\[ \][ \t]++)?)?{_GONE}[ \t{_GONE}]*+(?:\n|\Z))+"
    r"(?P<blank>[ \t]*\n)?",
    re.MULTILINE,
)


def prose_of(text: str) -> str:
    """A text with as many spaces for all that is code or a comment."""
    spaced = _CODE.sub(lambda code: " " * len(code[0]), text)
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), spaced)


def without_marks(text: str) -> str:
    """A text as a reader of the page that is made of it sees it; lines that say nothing there are left out.

    Marks of headings, lists, quotations and code stay.
    """
    code: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"{_HELD}{len(code) - 1}{_HELD}"

    left = _COMMENT.sub(_GONE, _CODE.sub(put_aside, text))
    left = _BLOCK.sub(_GONE, _ASIDE.sub(_GONE, _FIELD.sub(r"\1", left)))
    left = _STRUCK.sub(_GONE, _DONE.sub(lambda task: task[0].replace("~~", ""), left))
    left = _HEADING_TAG.sub(_heading, left)
    left = _PAGE.sub(_page, _LINK.sub(_said, _PICTURE.sub(_GONE, left)))
    names = {_folded(place["name"]) for place in _PLACE.finditer(left)}
    left = _BY_NAME.sub(lambda link: _said(link) if _folded(link["name"] or link["said"]) in names else link[0], left)
    left = _ADDRESS.sub(r"\1", _PLACE.sub(_GONE, left))
    for emphasis in (_STARS, _DASHES, _BEGINNING, _LIGHT):
        left = emphasis.sub(r"\g<said>", left)
    left = _TAG.sub(_GONE, LINE_BREAK.sub(f" {_GONE}", _RAISED.sub(MARK, left)))
    left = _ENTITY.sub(lambda found: html.unescape(found[0]), left)
    left = _EMPTY_LINES.sub(_parting, left).replace(_GONE, "")
    return _HOLDING.sub(lambda found: code[int(found[1])], left)


def _parting(found: re.Match[str]) -> str:
    """What is left of lines that say nothing: a blank one behind them ends a paragraph, where none is before."""
    text, start = found.string, found.start()
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
    return "\n" if found["blank"] and above.strip() else ""


def _said(link: re.Match[str]) -> str:
    return link["said"] if link["said"].strip() else _GONE


def _page(link: re.Match[str]) -> str:
    """What a link to a page of the same wiki is called; a picture or a file that is shown there says nothing."""
    return _GONE if link[0].startswith("!") else link["said"] or link["page"].replace("#", " ").strip()


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _heading(found: re.Match[str]) -> str:
    """A heading that is written in HTML, as Markdown writes it; a picture in it says what it stands for."""
    said = " ".join(_TAG.sub(" ", found["said"]).split())
    picture = _ALTERNATIVE.search(found["said"])
    said = said or (picture[1] if picture else "")
    return f"{'#' * int(found[1])} {said}" if said else _GONE
