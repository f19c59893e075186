"""Whom the pronouns of a clause stand for, where another clause has named people: "before she told him"."""

from __future__ import annotations

import re
from typing import Final, Literal

from polyhop.english.statements import DETERMINERS, PERSONAL, Doing, doing
from polyhop.english.words import word_set

Gender = Literal["he", "she"]

_WOMEN: Final = word_set(
    "abigail ada adele agnes alexandra alice alicia alison amanda amelia amy andrea angela anita ann anna anne "
    "annie audrey barbara beatrice bella beth betty bianca bonnie brenda bridget camilla carla carmen carol "
    "caroline catherine cecilia charlotte chloe christina christine claire clara claudia cora cynthia daisy "
    "deborah denise diana donna dorothy edith eleanor elena elizabeth ella ellen elsa emily emma erica esther eva "
    "eve evelyn fatima felicity fiona florence frances gabriela gemma gertrude gina gloria grace greta hannah "
    "harriet hazel heather heidi helen helena ida ines ingrid irene iris isabel isabella isla ivy jane janet "
    "jasmine jenna jennifer jenny jessica jill joan joanna josephine joyce judith judy julia juliet karen kate "
    "katherine kathleen katie kayla kelly laura lauren leah lena lily linda lisa louise lucia lucy lydia mabel "
    "madeleine maggie margaret maria marie martha mary matilda maya megan melissa mia michelle mildred miriam "
    "molly monica nadia nancy naomi natalie natasha nina nora olga olivia pamela patricia paula pauline petra "
    "phoebe polly priya rachel rebecca renata rita rosa rose rosie ruby ruth sally samantha sandra sara sarah "
    "sharon sheila sofia sonia sophia sophie stella stephanie susan sylvia tanya teresa theresa tina ursula "
    "valerie vanessa vera veronica victoria viola violet virginia vivian wendy yasmin yuki yvonne zoe"
)
_MEN: Final = word_set(
    "aaron abraham adam adrian ahmed alan albert alexander alfred ali andre andreas andrew anthony antonio arnold "
    "arthur barry ben benedict benjamin bernard bill bob boris brandon brian bruce bruno carl carlos charles "
    "christian christopher clive colin conrad craig daniel david dennis derek diego dirk dmitri dominic donald "
    "douglas duncan dylan edgar edmund edward eli elias eric ernest ethan eugene felix ferdinand francisco frank "
    "fred frederick gabriel gareth gary geoffrey george gerald gilbert giovanni glen gordon graham greg gregory "
    "gustav hans harold harry hector henry herbert hiroshi hugh hugo ian igor isaac ivan jack jacob jake james "
    "jan jason jeff jeffrey jeremy jerome jim joe joel johan johann john jonas jonathan jorge jose joseph joshua "
    "juan julian karl keith kenneth kevin klaus kurt lars lawrence leo leon leonard leopold lewis liam lorenzo "
    "louis luca lucas luis luke malcolm manuel marco marcus mario mark martin matthew maurice max michael miguel "
    "mike mohammed nathan neil nicholas niels nigel norman oliver oscar otto patrick paul pedro peter philip "
    "pierre piet rafael ralph raymond richard robert roger roland ronald ross rudolf rupert russell samuel scott "
    "sean sebastian simon stanley stefan stephen steve steven stuart ted theodore thomas tim timothy tobias tom "
    "tony victor vincent walter wilfred wilhelm william wolfgang xavier"
)
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
    return "she" if first[0] in _WOMEN else "he" if first[0] in _MEN else None


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
