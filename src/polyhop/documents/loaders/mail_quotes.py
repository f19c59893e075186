"""What a plain text of mail says itself, and what it quotes of others: without marks, and with its paragraphs whole."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from polyhop.documents.wrapped_lines import flowing

_MARKS: Final = re.compile(r"(?:>[ \t]?)+")
_SOFT_BREAK: Final = re.compile(r"(?<!^--) \n(?=[^\n>])", re.MULTILINE)  # format=flowed (RFC 3676)
_BLANK: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LONGEST_NOTE: Final = 200  # characters of the line that says who is quoted
_TELLING: Final = 20  # letters of a paragraph that nobody writes twice by chance


class MailParagraph(NamedTuple):
    """A paragraph of mail; ``quoted``: it has marks of a quotation."""

    text: str
    quoted: bool


def paragraphs_of(text: str, *, flowed: bool = False) -> list[MailParagraph]:
    """The paragraphs of a plain text, without marks of quotations and with their lines joined."""
    if flowed:
        text = _SOFT_BREAK.sub(" ", text)
    found: list[MailParagraph] = []
    for marks, lines in groupby(map(_taken_apart, text.split("\n")), key=lambda line: line[0]):
        said = flowing("\n".join(line for _, line in lines))
        found += (MailParagraph(each.strip("\n"), bool(marks)) for each in _BLANK.split(said) if each.strip())
    return found


def _taken_apart(line: str) -> tuple[int, str]:
    """How often a line is quoted, and the line without the marks of that."""
    marks = _MARKS.match(line)
    return (marks[0].count(">"), line[marks.end() :]) if marks else (0, line)


@dataclass
class Mailbox:
    """What the messages of a mailbox say, so that what replies quote of them stands there once."""

    most: int = 2000  # messages that are remembered
    _said: OrderedDict[str, str] = field(default_factory=OrderedDict)  # letters, by the message's id

    def remember(self, identity: str, paragraphs: Iterable[MailParagraph]) -> None:
        """What a message says, its own and quoted."""
        if identity:
            self._said[identity] = "\n".join(_letters(paragraph.text) for paragraph in paragraphs)
            if len(self._said) > self.most:
                self._said.popitem(last=False)

    def own(self, paragraphs: list[MailParagraph], replied_to: Iterable[str]) -> list[MailParagraph]:
        """The paragraphs of a reply without those that a message before it has, and without the notes before those."""
        before = [self._said[identity] for identity in dict.fromkeys(replied_to) if identity in self._said]
        if not before:
            return paragraphs
        repeated = [_is_repeated(paragraph, before) for paragraph in paragraphs]
        return [
            paragraph
            for at, paragraph in enumerate(paragraphs)
            if not (repeated[at] or (_is_note(paragraph) and any(repeated[at + 1 : at + 2])))
        ]


def _is_repeated(paragraph: MailParagraph, before: Iterable[str]) -> bool:
    letters = _letters(paragraph.text)
    telling = paragraph.quoted or len(letters) >= _TELLING
    return telling and any(letters in said for said in before)


def _is_note(paragraph: MailParagraph) -> bool:
    """Whether a paragraph may say who is quoted behind it: "On 4 February Ada wrote:"."""
    return paragraph.text.rstrip().endswith((":", "：")) and len(paragraph.text) <= _LONGEST_NOTE


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def shown(paragraphs: Iterable[MailParagraph]) -> str:
    """Paragraphs as one text."""
    return "\n\n".join(paragraph.text for paragraph in paragraphs)
