"""Headings in plain text, where typography leaves no doubt: underlined lines, and lines behind equals signs.

reStructuredText and AsciiDoc are written so, and so are most notes on versions. What AsciiDoc and Markdown set between
two lines of four marks alone, or of backticks, is code and has no headings. Where there are neither, but nearly all
else is indented, what stands at the margin are headings: so manuals of programs, statutes and standards are printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from polyhop.documents.flow import HEADING, Mark
from polyhop.documents.labelled_lines import indent

_RULE: Final = re.compile(r"([=\-~^+*#_\"])\1{2,}")
_FENCE: Final = re.compile(r"([-.=_*+])\1{3}|(```).*")
_SIGNED: Final = re.compile(r"(={1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
_ATTRIBUTES: Final = re.compile(r"\[.+\]|\.\. .+:")  # of the section that follows
_COLUMNS: Final = re.compile(r"\S(?: {2,}|\t)\s*\S|\|")
_BEGINS_OTHERWISE: Final = re.compile(r"[-*+\u2022]\s|([^\w\s])\1\1")  # an item, or a line that is a rule itself
_VERSION: Final = re.compile(  # of a changelog's section, by itself or with a day: "2.1.0 (2031-02-04)"
    r"\[?v?\d{1,4}(?:(?:\.\d{1,4}){2,3}(?P<long>)|\.\d{1,4})[\w.+-]*\]?"
    r"(?:[ ,-]+[(\[]?\d{4}-\d\d-\d\d[)\]]?|(?(long)|(?!)))"
)
_RELEASE: Final = re.compile(r"[\w.+-]{1,60} \([^()\s]{1,60}\) [\w. -]{1,60}; urgency=\w{1,20}")  # of Debian
_ANCHOR: Final = re.compile(r"\s*\[\[[^\]]*\]\]$")
_LONGEST: Final = 100  # characters
_SHORTER: Final = 2  # characters by which a rule may be shorter than what it underlines
_LONGER: Final = 4  # and by which it may be longer
_ASCIIDOC: Final = "=-~^+"  # the rules of its levels, the highest first
_FEWEST_AT_MARGIN: Final = 3  # headings over indented text
_SHARE_AT_MARGIN: Final = 0.75  # of the lines that are not indented
_SENTENCE_ENDS: Final = ".,;:!"  # a question may be a heading


def is_of_version(heading: str) -> bool:
    """Whether a heading has nothing but a version, and perhaps its day: it is that of a section, and no title."""
    return _VERSION.fullmatch(heading.strip()) is not None


class _Heading(NamedTuple):
    line: int
    said: str
    rule: str  # what it is underlined with, twice where that is above it, too; nothing where signs stand before it
    signs: int


def typed_headings(text: str) -> list[Mark]:
    """The headings of a plain text, in order.

    Levels are as many as there are signs; rules are as deep as AsciiDoc has them where there are signs, too, and
    elsewhere as they come: the first one is the highest.
    """
    lines = text.split("\n")
    found = list(_headings(lines)) or _at_the_margin(lines)
    if found and len(found[0].rule) < 2:  # no heading has a rule above it: what stands between two is code, or a notice
        found = [one for one in found if len(one.rule) < 2]
    with_signs = any(one.signs > 1 for one in found)
    rules = list(_ASCIIDOC if with_signs else dict.fromkeys(one.rule for one in found if one.rule))
    headings, line, at = [], 0, 0
    for one in found:
        if one.signs == 1 and not with_signs and any(map(str.strip, lines[: one.line])):
            continue  # a sum, more likely than a title
        at += sum(len(each) + 1 for each in lines[line : one.line])
        line = one.line
        start = at + lines[line].index(one.said)
        level = one.signs or (rules.index(one.rule) if one.rule in rules else len(rules)) + 1
        headings.append(Mark(start, start + len(one.said), HEADING, level))
    return headings


def _headings(lines: Sequence[str]) -> Iterator[_Heading]:
    last_of = {line: number for number, line in enumerate(lines) if _FENCE.fullmatch(line)}
    fence = ""
    skipped = -1  # the rule below a heading
    for number, line in enumerate(lines):
        if fence:
            fence = "" if line == fence or (fence == "```" and line.rstrip() == "```") else fence
        elif number != skipped and line.strip():
            rule = _rule_of(lines, number)
            signed = _SIGNED.fullmatch(line)
            if rule:
                skipped = number + 1
                yield _Heading(number, _ANCHOR.sub("", line.strip()), rule, 0)
            elif signed and _may_be_heading(signed[2]) and _begins(lines, number):
                yield _Heading(number, _ANCHOR.sub("", signed[2]), "", len(signed[1]))
            elif line in last_of:
                opened = line[:3] if line.startswith("```") else line
                fence = opened if last_of.get(opened, last_of[line]) > number else ""


def _at_the_margin(lines: Sequence[str]) -> list[_Heading]:
    """The lines that stand at the margin above indented text, where hardly anything else does; else none.

    Lines in columns, as the heads and feet of printed pages, stand where they like.
    """
    filled = [number for number, line in enumerate(lines) if line.strip()]
    margin = [number for number in filled if not indent(lines[number])]
    outside = [number for number in margin if not _COLUMNS.search(lines[number].rstrip())]
    below = dict(pairwise(filled))
    found = [
        _Heading(number, lines[number].strip(), "", 0)
        for number in outside
        if _begins(lines, number) and _hangs_over(lines[number], lines[below[number]] if number in below else "")
    ]
    hardly = len(found) >= max(_FEWEST_AT_MARGIN, _SHARE_AT_MARGIN * len(outside))
    return found if hardly and 2 * len(outside) <= len(filled) else []


def _hangs_over(line: str, below: str) -> bool:
    """Whether a line may be a heading that the text below is indented from."""
    said = line.strip()
    return (
        _may_be_heading(said)
        and (said[0].isupper() or said[0].isdigit() or _RELEASE.fullmatch(said) is not None)
        and said[-1] not in _SENTENCE_ENDS
        and indent(below) > 0
    )


def _rule_of(lines: Sequence[str], number: int) -> str:
    """What a line is underlined with as a heading is; nothing for other lines."""
    said = lines[number].strip()
    below = _RULE.fullmatch(lines[number + 1].strip()) if number + 1 < len(lines) else None
    if not below or not -_SHORTER <= len(below[0]) - len(said) <= _LONGER or not _may_be_heading(said):
        return ""
    if number and lines[number - 1].strip() == below[0]:
        return below[1] * 2
    aligned = abs(indent(lines[number]) - indent(lines[number + 1])) <= _SHORTER
    return below[1] if aligned and _begins(lines, number) else ""


def _begins(lines: Sequence[str], number: int) -> bool:
    """Whether a line stands below a blank one, or below what is said of the section that it begins."""
    above = lines[number - 1].strip() if number else ""
    return not above or _ATTRIBUTES.fullmatch(above) is not None


def _may_be_heading(said: str) -> bool:
    return (
        1 < len(said) <= _LONGEST
        and (any(map(str.isalpha, said)) or is_of_version(said))
        and not _COLUMNS.search(said)
        and not _BEGINS_OTHERWISE.match(said)
    )
