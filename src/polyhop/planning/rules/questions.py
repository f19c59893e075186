"""A constraint that nobody has put into words as a question, so that texts can be read for its answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.relations import wording_of
from polyhop.english.verbs import base_form, is_base, is_finite, is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, BE, KIN, PREPOSITIONS, names_person
from polyhop.plans import Constraint, End, Placeholder

_IDLE: Final = {"has", "have", "had", "is", "was", "are", "were"} | ARTICLES
_LOCATED: Final = ("location", "region", "country")
_STATES: Final = frozenset({"locate", "situate", "base", "bear", "bury", "name", "hold", "release", "detain", "set"})
"""Verbs whose participle stands for a passive even without "was": "located in"."""
_SAID: Final = {
    "headquarters": "Where is {} headquartered?",
    "end date": "When did {} end?",
    "employer": "Where does {} work?",
}


def with_questions(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """Constraints with a question for each that has none: it asks for the end that is not known before."""
    known: set[str] = set()
    worded = []
    for constraint in constraints:
        before = () if constraint.constants else known  # with a name at one end it is asked before anything is found
        asked = constraint.question or question_of(constraint, before)
        worded.append(replace(constraint, question=asked))
        if constraint.constants or known & {end.name for end in constraint.placeholders}:
            known |= {end.name for end in constraint.placeholders}
    return tuple(worded)


def question_of(constraint: Constraint, known: Collection[str] = ()) -> str:
    """The question that a constraint asks; a placeholder in ``known`` has been found, and another may be asked for."""
    head, tail = constraint.ends
    relation = " ".join(constraint.relation.split())
    if isinstance(tail, Placeholder) and tail.name not in known:
        return _of_tail(relation, end_text(head), tail)
    if isinstance(head, Placeholder) and head.name not in known:
        return _of_head(relation, end_text(tail), head)
    return _of_neither(relation, end_text(head), end_text(tail))


def end_text(end: End) -> str:
    """What an end is called in a question."""
    return end.name if isinstance(end, Placeholder) else end.text


def _kind(end: Placeholder) -> AnswerType | None:
    return answer_type(f"Which {end.type} is it?") if end.type else None


def _which(end: Placeholder) -> str:
    if _kind(end) is AnswerType.PERSON and end.type in ("person", "man", "woman"):
        return "Who"
    return f"Which {end.type}" if end.type else "What"


def _of_tail(relation: str, head: str, tail: Placeholder) -> str:
    """What the head's relation leads to: "mother" or "was directed by"."""
    words = relation.lower().split()
    if words[:1] == ["married"]:
        return f"Who is the spouse of {head}?"
    if _active_maker(words) and _kind(tail) not in (AnswerType.DATE, AnswerType.PLACE, AnswerType.NUMBER):
        return f"Which {tail.type or 'work'} was {relation} by {head}?"
    if _turned(words):  # "son of" a father: who is the father?
        kin = tail.type.rpartition(" ")[2] in KIN
        return (
            f"Who is the {tail.type} of {head}?" if kin else f"{_which(tail)} is {head} the {' '.join(_bare(words))}?"
        )
    wording = wording_of(relation, _kind(tail))
    if wording is not None and wording.plain:
        return wording.question(head)
    if wording is not None and wording.name in _SAID:
        return _SAID[wording.name].format(head)
    if wording is not None and wording.name in _LOCATED:
        located = wording.name != "country" or "located" in words
        return f"In which {tail.type} is {head} located?" if located else f"Which {tail.type} is {head} from?"
    if not set(words) - _IDLE:
        return f"{_which(tail)} {relation} {head}?"
    if _linking(words):  # "near", "part of": no noun of the head
        which = _which(tail)
        return f"{head} {'' if words[-1] == 'by' else 'is '}{relation} {which[0].lower()}{which[1:]}?"
    if not _verbal(words):
        noun = " ".join(_bare(words))
        return f"{'Who' if names_person(noun.rpartition(' ')[2]) else 'What'} is the {noun or 'name'} of {head}?"
    return _asked_back(words, head, tail)


def _asked_back(words: list[str], head: str, tail: Placeholder) -> str:
    """The question after a verb: "graduated from" becomes "Which school did X graduate from?"."""
    when = _kind(tail) is AnswerType.DATE and words[-1] in ("in", "on", "at")
    wh = "When" if when else _which(tail)
    words = words[:-1] if when else words
    if words[0] in AUXILIARIES:
        return f"{wh} {words[0]} {head} {' '.join(words[1:])}?"
    if words[-1] == "by" or (is_participle(words[0]) and words[-1] in PREPOSITIONS and base_form(words[0]) in _STATES):
        return f"{wh} was {head} {' '.join(words)}?"
    helper = "does" if words[0].endswith("s") or is_base(words[0]) else "did"
    return f"{wh} {helper} {head} {' '.join([base_form(words[0]), *words[1:]])}?"


def _of_head(relation: str, tail: str, head: Placeholder) -> str:
    """Whose relation leads to the tail."""
    words = relation.lower().split()
    wording = wording_of(relation)
    made = _active_maker(words) and _kind(head) in (AnswerType.PERSON, None)
    if made and wording is not None and wording.plain:
        return wording.question(tail)
    if _turned(words):
        return f"Who is the {' '.join(_bare(words))} {tail}?"
    if _verbal(words):
        helper = "" if words[0] in AUXILIARIES or not (words[-1] == "by" or words[-1] in ("in", "at", "on")) else "was "
        who = "Who" if _kind(head) is AnswerType.PERSON else _which(head)
        return f"{who} {helper}{relation} {tail}?"
    if _linking(words):
        return f"{_which(head)} is {relation} {tail}?"
    noun = " ".join(_bare(words))
    return f"{_which(head)} has the {noun} {tail}?"


def _of_neither(relation: str, head: str, tail: str) -> str:
    """Whether the relation holds."""
    words = relation.lower().split()
    if words[:1] and words[0] in BE:
        return f"{words[0].capitalize()} {head} {' '.join(words[1:])} {tail}?"
    if _verbal(words) and (words[-1] not in PREPOSITIONS or (_irregular(words) and words[-1] != "by")):
        return f"Did {head} {' '.join([base_form(words[0]), *words[1:]])} {tail}?"
    if _verbal(words) or not words or _linking(words) or words[-1] in ("than", "as", "from", "of"):
        return f"Is {head} {relation} {tail}?"
    return f"Is {tail} the {' '.join(_bare(words))} of {head}?"


def _bare(words: list[str]) -> list[str]:
    kept = list(words)
    while len(kept) > 1 and kept[0] in _IDLE:
        kept.pop(0)
    return kept


def _turned(words: list[str]) -> bool:
    """Whether the head is what the relation names: "is the father of"."""
    return len(words) > 1 and words[-1] == "of" and names_person(words[-2])


def _active_maker(words: list[str]) -> bool:
    """Whether the head made the tail: "directed", and not "directed by"."""
    return len(words) == 1 and (words[0].endswith("ed") or words[0] == "wrote") and wording_of(words[0]) is not None


def _linking(words: list[str]) -> bool:
    """Whether the relation needs what it leads to and is no verb: "near", "part of", "sequel to"."""
    return bool(words) and words[-1] in PREPOSITIONS and not _verbal(words)


def _verbal(words: list[str]) -> bool:
    if not words or words[0] in PREPOSITIONS:
        return False
    known = words[0] in AUXILIARIES - {"has", "have"} or is_participle(words[0])
    return known or _finite(words) or _irregular(words)


def _irregular(words: list[str]) -> bool:
    """Whether it begins with an irregular form that no list has as finite: "kept by", "ground the lens of"."""
    first = words[0]
    irregular = base_form(first) != first and not first.endswith(("s", "ed", "ing"))
    return irregular and not is_finite(first) and (len(words) == 1 or words[-1] in PREPOSITIONS)


def _finite(words: list[str]) -> bool:
    lone = is_finite(words[0]) and words[0] not in ("has", "have", "name") and wording_of(words[0]) is None
    return lone or words[-1] == "from"
