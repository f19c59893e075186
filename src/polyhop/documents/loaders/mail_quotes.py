"""What a plain text of mail says itself, and what it quotes of others: without marks, and with its paragraphs whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, groupby, takewhile
from typing import Final, NamedTuple

from polyhop.documents.labelled_lines import SENDERS, SUBJECTS
from polyhop.documents.loading import bare
from polyhop.documents.wrapped_lines import flowing

_MARKS: Final = re.compile(r"(?:>[ \t]?)+")
_SIGNATURE: Final = "-- "  # the line above one
_BLANK: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LONGEST_NOTE: Final = 200  # characters of the line that says who is quoted
_TELLING: Final = 20  # letters of a paragraph that nobody writes twice by chance


# Lines that programs put above a message that is quoted whole, and the fields that they copy of its head
_ABOVE: Final = re.compile(
    r"\s*-{2,}\s*(?:original message|forwarded message|forwarded by .*|original appointment|weitergeleitete nachricht"
    r"|ursprüngliche nachricht|message (?:d'origine|original|transféré)|mensaje (?:original|reenviado)"
    r"|messaggio (?:originale|inoltrato)|oorspronkelijk bericht|doorgestuurd bericht)\s*-{2,}\s*"
    r"|\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht):\s*|_{20,}\s*",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(r"[\s*]*([^\W\d_]{1,12})[\s*]*:[\s*]*\S")
_HEAD: Final = 8  # lines below its first one in which a head names its subject


class MailParagraph(NamedTuple):
    """A paragraph of mail; ``quoted``: somebody else's, by its marks or by what stands above it."""

    text: str
    quoted: bool


def unflowed(text: str, *, within_words: bool) -> str:
    """A text in format=flowed (RFC 3676) with lines joined that end with a space, if they are quoted equally often.

    ``within_words`` (delsp=yes): the space says that a line goes on, and is none of the text.
    """
    lines: list[str] = []
    before = -1  # how often the line before is quoted, where it goes on
    for line in text.split("\n"):
        marks, said = _taken_apart(line)
        if said.startswith(" ") and not marks and not said.startswith(" >"):
            said = said[1:]  # put there so that nobody takes the line for a quotation or an envelope
        if marks == before and said and said != _SIGNATURE:
            lines[-1] += said
        else:
            lines.append(f"{'>' * marks} {said}" if marks else said)
        goes_on = said.endswith(" ") and said != _SIGNATURE
        if goes_on and within_words:
            lines[-1] = lines[-1][:-1]
        before = marks if goes_on else -1
    return "\n".join(lines)


def paragraphs_of(text: str, *, page: bool = False) -> list[MailParagraph]:
    """The paragraphs of a text, without marks of quotations and with its lines joined, but for those of a ``page``."""
    lines = text.split("\n")
    taken = _of_page if page else _marked
    for at in range(len(lines)):
        if _begins_quoted(lines, at):
            rest = list(dropwhile(_ABOVE.fullmatch, lines[at:]))
            head = MailParagraph("\n".join(line.strip() for line in takewhile(_field, rest)), quoted=True)
            below = paragraphs_of("\n".join(dropwhile(_field, rest)), page=page)
            quoted = (each._replace(quoted=True) for each in (head, *below) if each.text)
            return [*taken("\n".join(lines[:at])), *quoted]
    return taken("\n".join(lines))


def _of_page(text: str) -> list[MailParagraph]:
    return [MailParagraph(each.strip("\n"), quoted=False) for each in text.split("\n\n") if each.strip()]


def _begins_quoted(lines: Sequence[str], at: int) -> bool:
    """Whether a message that is quoted whole begins on a line: with a line of a program, or with a head."""
    if _ABOVE.fullmatch(lines[at]):
        return "_" not in lines[at] or (at + 1 < len(lines) and _begins_quoted(lines, at + 1))
    if _field(lines[at]) not in SENDERS:
        return False
    head = takewhile(str.strip, lines[at + 1 : at + _HEAD])
    return not SUBJECTS.isdisjoint(map(_field, head))


def _field(line: str) -> str:
    found = _FIELD.match(line)
    return found[1].lower() if found else ""


def _marked(text: str) -> list[MailParagraph]:
    """The paragraphs of a text in which marks alone tell what is quoted."""
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
    _said: dict[str, str] = field(default_factory=dict)  # letters, by the message's id

    def remember(self, identity: str, paragraphs: Iterable[MailParagraph]) -> None:
        """What a message says, its own and quoted."""
        if identity:
            self._said[identity] = "\n".join(bare(paragraph.text) for paragraph in paragraphs)
            if len(self._said) > self.most:
                del self._said[next(iter(self._said))]

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
    letters = bare(paragraph.text)
    telling = paragraph.quoted or len(letters) >= _TELLING
    return telling and any(letters in said for said in before)


def _is_note(paragraph: MailParagraph) -> bool:
    """Whether a paragraph may say who is quoted behind it: "On 4 February Ada wrote:"."""
    return paragraph.text.rstrip().endswith((":", "：")) and len(paragraph.text) <= _LONGEST_NOTE


def parted(paragraphs: Sequence[MailParagraph]) -> tuple[list[MailParagraph], list[MailParagraph]]:
    """What a message says, and what it quotes below that; what is quoted between its own words stays among them.

    All of it is its own where there are no words of its own.
    """
    end = len(paragraphs)
    while end and paragraphs[end - 1].quoted:
        end -= 1
    if end < len(paragraphs) and end and _is_note(paragraphs[end - 1]):
        end -= 1
    own = list(paragraphs[:end])
    return (own, list(paragraphs[end:])) if own else (list(paragraphs), [])
