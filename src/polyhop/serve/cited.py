"""An answer as plain text with numbered citations, for clients that know nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from polyhop.types import Answer, AnswerKind, Citation, Hop, HopStatus

NOT_FOUND = "Not found in these documents."
DRAFT = "A draft, not checked yet:"
UNNAMED: Final[dict[HopStatus, str]] = {  # what is said of a hop that has named nothing
    "resolved": "passages found",
    "recovered": "passages found",
    "unresolved": "not settled",
}
LONGEST_QUOTE = 400  # characters of a quotation that are shown
_MARK: Final = re.compile(r" \[\d{1,3}\]")
_SOURCES: Final = re.compile(r"^\[1\] “.*\Z", re.MULTILINE | re.DOTALL)  # the numbered lines below a text


@dataclass
class CitedText:
    """A text in which ``[1]`` stands for a citation, and where each mark stands, as OpenAI's annotations say it."""

    base_url: str
    text: str = ""
    numbers: dict[Citation, int] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)

    def say(self, text: str, citations: Iterable[Citation]) -> None:
        """Add a text with the marks of its citations behind it."""
        self.text += text
        for citation in citations:
            number = self.numbers.setdefault(citation, len(self.numbers) + 1)
            start = len(self.text) + 1
            self.text += f" [{number}]"
            place = {"start_index": start, "end_index": len(self.text)}
            source = {"url": url_of(citation, self.base_url), "title": citation.title or citation.uri}
            self.annotations.append({"type": "url_citation", "url_citation": {**place, **source}})


def cited(answer: Answer, base_url: str) -> CitedText:
    """The answer with its citations numbered, and below it what each says and where."""
    writing = CitedText(base_url)
    if answer.text is None:
        writing.say(NOT_FOUND, ())
        writing.text += " What came closest:" if answer.citations else ""
        for citation in answer.citations:
            writing.say("", [citation])
    elif answer.items and answer.kind in (AnswerKind.LIST, AnswerKind.PARTS):
        for position, item in enumerate(answer.items):
            writing.say(("\n" if position else "") + f"- {item.said.strip()}", item.citations)
    elif answer.items:
        for position, item in enumerate(answer.items):
            writing.say((" " if position else "") + item.text.strip(), item.citations)
    else:
        writing.say(answer.text, answer.citations)
    lines = [f"[{number}] {_source(citation)}" for citation, number in writing.numbers.items()]
    writing.text = "\n\n".join(filter(None, [writing.text, "\n".join(lines)]))
    return writing


def uncited(said: str) -> str | None:
    """What ``cited`` has written, without its citations: so conversations bring it back; None: it was not found."""
    text = _MARK.sub("", _SOURCES.sub("", said)).strip()
    if text.startswith(NOT_FOUND):
        return None
    lines = text.split("\n")
    return ", ".join(line[2:] for line in lines) if all(line.startswith("- ") for line in lines) else text


def url_of(citation: Citation, base_url: str) -> str:
    """Where the server hands out what a citation quotes."""
    span = citation.span
    return f"{base_url}v1/documents/{quote(span.document_id, safe='')}?start={span.start}&end={span.end}"


def hop_in_words(hop: Hop) -> str:
    """A hop as a line."""
    return f"{hop.question} → {hop.found or UNNAMED[hop.status]}"


def draft_in_words(start: int, text: str) -> str:
    """More of a draft, behind the words that say what it is where it begins, or begins anew."""
    return f"\n{DRAFT} {text}" if start == 0 and text else text


def _source(citation: Citation) -> str:
    said = " ".join(citation.quote.split())
    said = said if len(said) <= LONGEST_QUOTE else f"{said[:LONGEST_QUOTE]} …"
    return f"“{said}” ({', '.join(filter(None, (citation.title or citation.uri, citation.where)))})"
