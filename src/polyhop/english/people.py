"""Whom the pronouns of a clause stand for, where another clause has named people: "before she told him"."""

from __future__ import annotations

import re
from typing import Final, Literal

from polyhop.english.statements import DETERMINERS, PERSONAL, Doing, doing
from polyhop.english.tables import table

Gender = Literal["he", "she"]

_PRONOUNS: Final[tuple[Gender, ...]] = ("she", "he")
_HIS: Final = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_OBJECT: Final = re.compile(
    r"\b(?P<word>him|them|her(?=\s*$|[,.;]|\s(?:that|to|if|whether|not|and|or|a|an|the|his|again|back|some|more|as"
    r"|because|once|while|he|she|they|it|in|on|at|by|for|with|from|about|of|after|before|during|what|who|which|when"
    r"|where|why|how)\b))\b"
)


def gender_of(person: str) -> Gender | None:
    """Which pronoun a person goes by, as far as a common first name tells."""
    first = person.lower().split()[:1]
    if not first or " and " in person:
        return None
    named = table("first_names")
    return next((pronoun for pronoun in _PRONOUNS if first[0] in named[pronoun].split()), None)


def same_person(name: str, other: str) -> bool:
    """Whether two names may be one person's: the words of one are among those of the other."""
    first, second = ({word.strip(",.").lower() for word in _spread(text).split()} for text in (name, other))
    return bool(first and second) and (first <= second or second <= first)


def _spread(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def with_names(clause: str, named: str) -> tuple[str, str]:
    """A clause with the people of another in place of its pronouns; and the other way round, or nothing.

    What cannot be told stays as it is: pronouns of somebody else, and whose something is. Where two people could be
    meant, he or she who does something in one clause is taken to do something in the other.
    """
    told, own = doing(named), doing(clause)
    if told is None or own is None or not told.subject:
        return clause, ""
    people = [person for person in (told.subject, told.other) if person and person.lower() not in PERSONAL]
    actor = own.subject.lower() if own.subject.lower() in ("he", "she", "they") else ""
    found = _OBJECT.search(clause)
    acted = found["word"] if found else ""
    if not own.subject:
        first = [told.subject]
    elif actor:
        first = [person for person in people if _may_be(actor, person) and not same_person(person, own.other or "-")]
        if actor == "they" and len(people) == 2 and " and " not in people[0]:
            first = [" and ".join(people)]
    else:
        first = [own.subject]
    ways = []
    for subject in first:
        rest = [person for person in people if not same_person(person, subject) and _may_be(acted, person)]
        ways += [(subject, person) for person in rest] if acted and rest else [(subject, "")]
    texts = dict.fromkeys(_filled(own, clause, subject, person) for subject, person in _fullest(ways))
    chosen = [*texts, clause]
    return chosen[0], chosen[1] if len(texts) > 1 else ""


def _fullest(ways: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The ways that say who every pronoun is, or all where none does."""
    return [way for way in ways if all(way)] or ways


def _may_be(pronoun: str, person: str) -> bool:
    if pronoun in ("", "they", "them"):
        return True
    if " and " in person or person.lower().split()[0] in DETERMINERS:
        return False
    meant = "he" if _HIS.fullmatch(pronoun) else "she"
    return gender_of(person) in (None, meant)


def _filled(own: Doing, clause: str, subject: str, other: str) -> str:
    if other:
        clause = _OBJECT.sub(other, clause, count=1)
    if not own.subject:
        return f"{subject} {clause}"
    return f"{subject}{clause[len(own.words[0]) :]}" if own.subject.lower() in PERSONAL else clause
