"""Whether one thing was before another: "Did Ada outlive her teacher?", "Had the mill burnt when the inn opened?"."""

from __future__ import annotations

from typing import Final

from polyhop.english.question import OWNS, Words, plain
from polyhop.english.words import ARTICLES, AUXILIARIES, BE, DO, HAVE, OWNERS, PRONOUNS, WH_WORDS, names_person
from polyhop.planning.rules.chains import answer_chain
from polyhop.planning.rules.clauses import first_finite, inverted
from polyhop.planning.rules.draft import PlanDraft
from polyhop.plans import Combination, Comparator, Plan

_SUBJECTS: Final = frozenset({"he", "she", "it", "they"})
_LASTING: Final = frozenset({"still", "already", "yet", "not", "only"})
_AT_ONE_TIME: Final = frozenset({"when", "while"})
_PAST: Final = frozenset({"was", "were", "did", "had"})
_JOINING: Final = _AT_ONE_TIME | {"before", "after"}


def timed(words: Words) -> Plan | None:
    """The plan of a question for a yes or no that follows from when two things happened; None where it asks no such.

    Of a clause with "when" that is so where something is said to be over by then, or not: "alive", "had been built".
    """
    if words[0].low not in _PAST or any(word.low in WH_WORDS - _AT_ONE_TIME for word in words):
        return None
    lows = [word.low for word in words]
    if "," in lows or lows[1] in PRONOUNS or lows[-1] in AUXILIARIES:
        return None
    outlived = next((at for at, low in enumerate(lows) if low in ("outlive", "outlived")), None)
    if outlived is not None and 1 < outlived < len(words) - 1 and "by" not in lows:
        subject = words[1:outlived]
        return _ordered("later", _died(subject), _died(_owned(words[outlived + 1 :], subject)))
    joints = [at for at, low in enumerate(lows) if low in _JOINING]
    if len(joints) != 1 or not 2 < joints[0] < len(words) - 1:
        return None
    before, joint = words[: joints[0]], lows[joints[0]]
    living = before[-1].low in ("alive", "dead") and words[0].low in BE
    if words[0].low in DO and first_finite(before, 3 if before[1].low in ARTICLES else 2) is None:
        return None  # "Did the test after the repair succeed?"
    subject = _without(before[1:-1] if living else before[1:2] if before[1].atomic else ())
    second = _event(words[joints[0] + 1 :], subject)
    order = _order(lows[: joints[0]], joint)
    if second is None or order is None:
        return None
    return _ordered(order, _died(subject) if living else (*plain("when", words[0].low), *_without(before[1:])), second)


def _order(before: list[str], joint: str) -> Comparator | None:
    """Whether the first has to be earlier or later than the second for a yes."""
    if joint == "before":
        return None if "not" in before else "earlier"
    if joint == "after" or before[-1] == "alive":
        return None if "not" in before else "later"
    if {"not", "yet"} <= {*before}:
        return "later"
    return "earlier" if before[0] in HAVE or not {"already", "dead"}.isdisjoint(before) else None


def _event(words: Words, subject: Words) -> Words | None:
    """When what a clause or a noun says happened, as a question; None where it cannot be asked by itself."""
    verb = first_finite(words, 1)
    if verb is None:
        happens = words[0].low in ARTICLES and not any(names_person(word.low) for word in words)
        return (*plain("when", "was"), *_owned(words, subject)) if happens else None
    if words[0].low in _SUBJECTS:
        if not subject:
            return None
        words = (*subject, *words[1:])
    return (*plain("when"), *inverted(_owned(words, subject)))


def _died(subject: Words) -> Words:
    return (*plain("when", "did"), *subject, *plain("die"))


def _owned(words: Words, owner: Words) -> Words:
    """The words with an owner that they begin with as who is meant: "her teacher" is "Ada Lund's teacher"."""
    return (*owner, OWNS, *words[1:]) if owner and words[0].low in OWNERS else words


def _without(words: Words) -> Words:
    return tuple(word for word in words if word.low not in _LASTING)


def _ordered(comparator: Comparator, *events: Words) -> Plan | None:
    """The plan that asks when each was, and whether the first one was earlier, or later."""
    draft = PlanDraft()
    places = [int(answer_chain(event, draft, "date").text[1:]) - 1 for event in events]
    if places[0] == places[1]:
        return None
    return draft.plan("comparison", Combination(comparator=comparator, operands=tuple(places), whether=True))
