"""Puts together what only the width of a page parted: words hyphenated at line ends, and the lines of a paragraph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from polyhop.documents.edits import TextEdit, TextEdits
from polyhop.documents.labelled_lines import indent
from polyhop.documents.plain_tables import plain_tables
from polyhop.documents.sentences import (
    LABEL,
    NARROWEST,
    WIDEST,
    entry_lines,
    is_cut,
    keeps_lines,
    line_goes_on,
    wrapped_width,
)

_PARTED: Final = re.compile(r"(?<!\w-)\b(\w++(?:-\w++)*)[-\u2010][ \t]*\n[ \t]*(?=(\w+)(-?))")
_WORD: Final = re.compile(r"\w+(?:[-\u2010]\w+)*")
_SPACES: Final = re.compile(r"(?<=\S) {2,}(?=\S)")
_FEWEST: Final = 4  # lines of a block that tells its own width
_CONJUNCTIONS: Final = frozenset(("and", "or", "nor", "to", "und", "oder", "bzw", "et", "ou", "y", "o", "e"))


def word_edits(text: str) -> TextEdits:
    """What joins the words of a text that a hyphen parts at the end of a line.

    How the text itself writes a word elsewhere decides. Where it does not, a hyphen stays before a capital or a digit,
    within a word that has another one ("mother-in-law"), before a conjunction ("pre- and post-war"), and between two
    words of the text where no word of it is known to have been cut.
    """
    parted = _PARTED.findall(text)
    if not parted:
        return TextEdits(())
    known = Counter(word.replace("\u2010", "-").lower() for word in _WORD.findall(_PARTED.sub(" ", text)))
    cut = sum(_as_elsewhere(first, second, known) for first, second, _ in parted)
    return TextEdits(
        TextEdit(*found.span(), _joined(found[1], found[2], found[3], known, cut)) for found in _PARTED.finditer(text)
    )


def cut_word_edits(text: str, start: int, end: int) -> list[TextEdit]:
    """The same for a stretch of a text, such as a rendered manual; none where its lines are not wrapped, as in code."""
    said = text[start:end]
    if not _width(said.split("\n")):
        return []
    return [TextEdit(start + edit.start, start + edit.end, edit.text) for edit in word_edits(said)]


def _width(lines: Sequence[str]) -> int:
    """The width at which paragraphs of a text were wrapped, or 0 where they were not.

    What is underlined, as titles are, and what underlines it tell nothing of that.
    """
    return wrapped_width([one for one, following in pairwise(lines) if _says(one) and _says(following)])


def _says(line: str) -> bool:
    return any(map(str.isalnum, line))


def _as_elsewhere(first: str, second: str, known: Counter[str]) -> int:
    """1 where a text writes a word in one piece elsewhere, -1 where with a hyphen, and 0 where it does not tell."""
    with_it, without = known[f"{first}-{second}".lower()], known[f"{first}{second}".lower()]
    return (without > with_it) - (with_it > without)


def _joined(first: str, second: str, more: str, known: Counter[str], cut: int) -> str:
    """The first part of a word as it stands before the second; ``cut``: by how many more words are in one piece."""
    told = _as_elsewhere(first, second, known)
    if told == 0 and second.lower() in _CONJUNCTIONS:
        return f"{first}- "
    shouted = first.isupper() and second.isupper()
    compound = more or "-" in first or not first[-1].isalpha() or not (second[0].islower() or shouted)
    two_words = cut <= 0 and known[first.lower()] > 0 and known[second.lower()] > 0
    return first if told > 0 or (told == 0 and not compound and cut >= 0 and not two_words) else f"{first}-"


def flowing(text: str) -> str:
    """A plain text with each paragraph on one line, where it was wrapped at a width; otherwise as it is.

    Lists, verse, rules and what is indented as code keep their lines. Rows of tables have the names of their columns.
    """
    lines = text.split("\n")
    width = _width(lines)
    flowed: list[str] = []
    at = 0
    for table in plain_tables(lines):
        flowed += [*_flowed(lines[at : table.first], width), *table.rows]
        at = table.end
    joined = "\n".join([*flowed, *_flowed(lines[at:], width)])
    return word_edits(joined).applied(joined)


def _flowed(lines: Sequence[str], width: int) -> list[str]:
    """Lines without tables, with those of a paragraph joined where a width is known."""
    if not width:
        return list(lines)
    flowed: list[str] = []
    block: list[str] = []
    near = width
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
            continue
        near = _own_width(block) or near
        flowed += _paragraphs(block, near)
        flowed.append(line)
        block.clear()
    return flowed[:-1]


def _own_width(block: Sequence[str]) -> int:
    """The width that a block was wrapped at by itself: none of its lines has room for the next line's first word.

    Texts that were put together from several, as licences are, have several widths. 0 where a block does not tell.
    """
    widest = max((len(line.rstrip()) for line in block), default=0)
    if len(block) < _FEWEST or not NARROWEST <= widest <= WIDEST:
        return 0
    full = (len(one.rstrip()) + 1 + len(other.split(maxsplit=1)[0]) > widest for one, other in pairwise(block))
    return widest if all(full) else 0


def _paragraphs(block: Sequence[str], width: int) -> list[str]:
    """The lines of a block without blank lines, those joined that one paragraph has."""
    if not block or keeps_lines(block):
        return list(block)
    edge = min(indent(line) for line in block)
    if 2 * sum(indent(line) > edge + 1 for line in block) > len(block):
        edge = len(max(block, key=len))  # first lines hang out: what is indented goes on
    found = [block[0].rstrip()]
    entries = entry_lines(block)
    within_entry = 0 in entries
    for number, (before, line) in enumerate(pairwise(block), start=1):
        begins = number in entries or _begins(line, edge=None if within_entry else edge)
        if begins or not line_goes_on(before, line, width):
            found.append(line.rstrip())
            within_entry = number in entries
            continue
        if found[-1] == before.rstrip():  # its first line
            found[-1] = _unjustified(found[-1], indent(line))
        found[-1] += ("\n" if is_cut(before) else " ") + _SPACES.sub(" ", line.strip())
    return found


def _unjustified(line: str, column: int) -> str:
    """A line without the spaces that make it as long as the others; those before a column on which text hangs stay."""
    hangs = line[max(0, column - 2) : column].isspace() and bool(line[column : column + 1].strip())
    at = column if hangs else 0
    return line[:at] + _SPACES.sub(" ", line[at:])


def _begins(line: str, *, edge: int | None) -> bool:
    """Whether a line begins something without the mark of an item: a label, or a paragraph with an indent."""
    said = line.lstrip()
    indented = edge is not None and indent(line) > edge + 1
    ends_sentence = said[:1].islower() and said.rstrip().endswith(":")  # "the following is\nleft to the keeper:"
    return indented or (LABEL.match(said) is not None and not ends_sentence)
