"""Descriptions inside a question, such as "the director of X": what has to be found first.

A much smaller matter than a plan: it serves where the strategy had none, on the passages that it found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.english.relations import relation_of, without
from polyhop.english.words import TITLE_NOUNS

_FAMILY: Final = {
    "grandfather": "parent father",
    "grandmother": "parent mother",
    "father-in-law": "spouse father",
    "mother-in-law": "spouse mother",
    "brother-in-law": "spouse sibling",
    "sister-in-law": "spouse sibling",
    "sibling-in-law": "spouse sibling",
    "child-in-law": "child spouse",
    "son-in-law": "child spouse",
    "daughter-in-law": "child spouse",
    "uncle": "father sibling",
    "aunt": "father sibling",
    "nephew": "sibling child",
    "niece": "sibling child",
    "grandchild": "child child",
    "grandson": "child child",
    "granddaughter": "child child",
    "stepmother": "father spouse",
    "stepfather": "mother spouse",
}
_SIDES: Final = {"maternal": "mother", "paternal": "father", "": "father"}
_RELATIVE: Final = re.compile(
    rf"\b(?:(?P<side>maternal|paternal)\s+)?(?P<kin>{'|'.join(sorted(_FAMILY, key=len, reverse=True))})\b"
    r"(?P<of> of\b)?",
    re.IGNORECASE,
)
_NAME: Final = r"(?P<name>\0+)"
_ANNOUNCED: Final = rf"(?:(?:the|a|an)\s+)?(?:(?:{'|'.join(sorted(TITLE_NOUNS))})\s+)?{_NAME}"
_OF: Final = re.compile(rf"(?:\bthe\s+)?\b(?P<noun>[a-z-]+)\s+(?:of|at|to|for)\s+{_ANNOUNCED}", re.IGNORECASE)
_OWNED: Final = re.compile(rf"{_NAME}['’]s?\s+(?P<noun>[a-z-]+)\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(rf"\bthe\s+(?P<noun>[a-z-]+)\s+(?:who|that|which)\s+(?P<verb>[a-z][^\0,?]*?){_ANNOUNCED}")
_PLACE: Final = re.compile(
    rf"\bthe\s+(?P<noun>[a-z-]+)\s+(?P<where>where|(?:at|in|on|for|by) which)\s+{_NAME}\s+(?P<verb>\w+)"
)
_ASKING: Final = re.compile(
    r"^\W*(?:who|what|which)\s+(?:is|was|are|were)\s+(?:the\s+)?(?:name of\s+|\w+\s+)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Inner:
    """A description in a question: where it stands, the question that asks for what it describes, and of what."""

    start: int
    end: int
    question: str
    name: str


def spelled_out(question: str) -> str:
    """The question with relatives by simpler relations: a maternal grandfather is the father of the mother."""

    def simpler(match: re.Match[str]) -> str:
        first, second = _FAMILY[match["kin"].lower()].split()
        first = _SIDES[(match["side"] or "").lower()] if first == "parent" else first
        return f"{second} of the {first} of" if match["of"] else f"{first}'s {second}"

    return _RELATIVE.sub(simpler, question)


def innermost(question: str, names: Sequence[tuple[int, int]]) -> Inner | None:
    """A description by a name, unless it is all that the question asks for."""
    hidden = without(question, names)
    for pattern in (_OF, _OWNED, _CLAUSE, _PLACE):
        for match in pattern.finditer(hidden):
            asked = _asked(pattern, match, question)
            whole = _ASKING.match(hidden[: match.start()]) and not hidden[match.end() :].strip(" ?.!")
            if asked and not whole:
                return Inner(match.start(), match.end(), asked, question[slice(*match.span("name"))])
    return None


def _asked(pattern: re.Pattern[str], match: re.Match[str], question: str) -> str:
    noun, name = match["noun"].lower(), question[slice(*match.span("name"))]
    if pattern is _CLAUSE:
        return f"Which {noun} {question[match.start('verb') : match.end()]}?"
    if pattern is _PLACE:
        where = match["where"].capitalize()
        return f"{where} {noun if where != 'Where' else ''} did {name} {match['verb']}?".replace("  ", " ")
    relation = relation_of(noun)
    return relation.question(name) if relation is not None else ""
