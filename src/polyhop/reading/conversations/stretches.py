"""Stretches of a sentence that could be an answer: entities, names that the parser missed, dates, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.english.answer_type import AnswerType
from polyhop.english.dates import DATE, DATE_NAMES
from polyhop.english.words import AUXILIARIES, FUNCTION_WORDS, OFFICES, word_set
from polyhop.ports import ParsedEntity

FITS: Final[Mapping[AnswerType, Mapping[str, float]]] = {
    AnswerType.PERSON: {"PERSON": 1.0, "NAME": 0.7, "ORG": 0.3, "WORK_OF_ART": 0.2, "GPE": 0.15},
    AnswerType.PLACE: {"GPE": 1.0, "LOC": 0.9, "FAC": 0.9, "NAME": 0.5, "ORG": 0.4, "PERSON": 0.3},
    AnswerType.NATIONALITY: {"NORP": 0.3, "GPE": 0.3, "LOC": 0.2, "NAME": 0.1},
    AnswerType.DATE: {"DATE": 1.0},
    AnswerType.NUMBER: {"CARDINAL": 1.0, "QUANTITY": 1.0, "PERCENT": 1.0, "MONEY": 1.0, "NUMBER": 0.8, "DATE": 0.3},
    AnswerType.ORGANISATION: {"ORG": 1.0, "NAME": 0.7, "FAC": 0.7, "GPE": 0.3, "PERSON": 0.3},
    AnswerType.WORK: {"WORK_OF_ART": 1.0, "QUOTED": 1.0, "NAME": 0.7, "PRODUCT": 0.6, "ORG": 0.5, "PERSON": 0.4},
    AnswerType.THING: {
        "EVENT": 0.8, "WORK_OF_ART": 0.8, "PRODUCT": 0.8, "NAME": 0.7, "ORG": 0.7, "FAC": 0.7, "LAW": 0.7,
        "LANGUAGE": 0.7, "PERSON": 0.6, "GPE": 0.6, "LOC": 0.6, "NORP": 0.6, "QUOTED": 0.5,
    },
}  # fmt: skip
"""How well an entity of a label answers a question of a kind: 1 is what was asked for; what is missing never does."""

_UNITS: Final = (
    "percent|hundred|thousand|million|billion|metres|meters|m|feet|ft|km|kilometres|kilometers|miles|acres|hectares|people"
    "|inhabitants|members|seats|students|episodes|years|kg|tons|tonnes"
)
_NUMBER: Final = re.compile(rf"[$€£]?\b\d+(?:[.,]\d+)*(?:\s?%|(?:[\s-](?:{_UNITS})\b)+)?")
_LINK: Final = r"(?:of|de|da|di|du|del|della|dos|van|von|der|den|zu|la|le|al|bin|ibn|ap|mac|the|&|y|e|-)"
_PROPER: Final = r"[^\W\d_a-z][\w'’.&-]*"
_NAME: Final = re.compile(rf"{_PROPER}(?:(?: {_LINK}){{0,3}} {_PROPER})*")
_QUOTED: Final = re.compile(r"[\"“„«]\s*([^\"“”„«»]{2,80}?)\s*[\"”»]")
_NO_NAMES: Final = (
    (FUNCTION_WORDS - AUXILIARIES)  # "Will" is a name, too
    | word_set("then however some many most all one two three other according following no several")
    | DATE_NAMES
)
_AMOUNTS: Final = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"})
_POSSESSIVE: Final = ("'s", "’s", "'", "’", ",", "(", "-")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a sentence; its label is the parser's, or NAME, QUOTED, DATE or NUMBER."""

    start: int
    end: int
    label: str


def stretches(text: str, entities: Sequence[ParsedEntity]) -> list[Stretch]:
    """What could be an answer in a sentence, each stretch once, under the first of its labels.

    ``entities`` are the parser's.
    """
    sources = (
        (Stretch(match.start(), match.end(), "DATE") for match in DATE.finditer(text)),
        (_trimmed(text, entity) for entity in entities if not (entity.label == "DATE" and _dated(text, entity))),
        _names(text, entities),
        (Stretch(match.start(), match.end(), "NUMBER") for match in _NUMBER.finditer(text)),
        (Stretch(match.start(1), match.end(1), "QUOTED") for match in _QUOTED.finditer(text)),
    )
    found: dict[tuple[int, int], Stretch] = {}
    for source in sources:
        for stretch in source:
            if stretch.start < stretch.end:
                found.setdefault((stretch.start, stretch.end), stretch)
    return list(found.values())


def _dated(text: str, entity: ParsedEntity) -> bool:
    return DATE.search(text, entity.start, entity.end) is not None


def _trimmed(text: str, entity: ParsedEntity) -> Stretch:
    """An entity without the article and the possessive that parsers like to include, and without half words."""
    start, end = entity.start, entity.end
    if entity.label not in _AMOUNTS and start and text[start - 1].isalpha():
        start = next((at for at in range(start, end) if text[at].isupper()), start)
    if text[start:end].lower().startswith("the ") and entity.label != "WORK_OF_ART":
        start += 4
    return Stretch(start, _unpossessed(text, start, end), entity.label)


def _unpossessed(text: str, start: int, end: int) -> int:
    for ending in _POSSESSIVE:
        if text[start:end].endswith(ending):
            end -= len(ending)
    return end


def _names(text: str, entities: Sequence[ParsedEntity]) -> Iterator[Stretch]:
    """Runs of capitalised words; each takes over the label of what it mostly is."""
    named = [entity for entity in entities if entity.label not in _AMOUNTS]
    for match in _NAME.finditer(text):
        start, end = match.span()
        first = match.group().split(" ", 1)[0]
        if first.lower() in _NO_NAMES or first.rstrip(".") in OFFICES:
            start += len(first) + 1
        while end > start and text[end - 1] in ".'’-&":
            end -= 1
        end = _unpossessed(text, start, end)
        if start >= end:
            continue
        inside = [entity for entity in named if start <= entity.start and entity.end <= end]
        label = next((entity.label for entity in inside if 2 * (entity.end - entity.start) >= end - start), "NAME")
        yield Stretch(start, end, label)
