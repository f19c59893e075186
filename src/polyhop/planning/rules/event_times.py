"""When things happened: whether one was before another, or by how long ("How old was Ada when the mill burnt?")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.events import takes_place
from polyhop.english.question import OWNS, Words, plain
from polyhop.english.verbs import is_base, is_participle, is_past
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DO,
    HAVE,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    WH_WORDS,
    names_person,
)
from polyhop.planning.rules.clauses import finite_at, first_finite, inverted
from polyhop.planning.rules.draft import PlanDraft
from polyhop.plans import ORDERS, Combination, Comparator, Plan, Step

_SUBJECTS: Final = frozenset({"he", "she", "it", "they"})
_OWN: Final = OWNERS | {"that", "my", "our", "your"}
_LIVING: Final = frozenset({"alive", "living"})
_LASTING: Final = frozenset({"still", "already", "yet", "not", "only"})
_AT_ONE_TIME: Final = frozenset({"when", "while"})
_PAST: Final = frozenset({"was", "were", "did", "had"})
_JOINING: Final = _AT_ONE_TIME | {"before", "after"}
_EITHER: Final = (["before", "or", "after"], ["after", "or", "before"])
_UNITS: Final = frozenset({"years", "months", "weeks", "days"})


def timed(words: Words, known: Sequence[Step]) -> Plan | None:
    """The plan of a question for a yes or no that follows from when two things happened; None where it asks no such.

    Of a clause with "when" that is so where something is said to be over by then, or not: "alive", "had been built".
    """
    if len(words) < 3 or words[0].low not in _PAST or any(word.low in WH_WORDS - _AT_ONE_TIME for word in words):
        return None
    lows = [word.low for word in words]
    if lows[-1] in DO and len(words) > 6:  # "before Ada did"
        words, lows = words[:-1], lows[:-1]
    if "," in lows or lows[1] in PRONOUNS or lows[-1] in AUXILIARIES:
        return None
    lived = _in_lifetime(words, lows, known)
    if lived is not None:
        return lived
    outlived = next((at for at, low in enumerate(lows) if low in ("outlive", "outlived")), None)
    if outlived is not None and 1 < outlived < len(words) - 1 and "by" not in lows:
        subject = words[1:outlived]
        lives = (_died(subject), _died(_owned(words[outlived + 1 :], subject)))
        return _combined("later", lives, known, whether=True)
    if (by := _by_the_time(lows)) and any(is_participle(low) for low in lows[2:by]):
        words = (*words[:by], *plain("before"), *words[by + 3 :])
        lows = [word.low for word in words]
    joints = [at for at, low in enumerate(lows) if low in _JOINING]
    if len(joints) != 1 or not 2 < joints[0] < len(words) - 1:
        return None
    before, joint = words[: joints[0]], lows[joints[0]]
    living = before[-1].low in _LIVING | {"dead"} and words[0].low in BE
    if words[0].low in DO and first_finite(before, 3 if before[1].low in ARTICLES else 2) is None:
        return None  # "Did the test after the repair succeed?"
    subject = _without(before[1:-1] if living else before[1:2] if before[1].atomic else ())
    behind = words[joints[0] + 1 :]
    said = (*plain(lows[0]), *before[1:])
    second = (None if living else _same_of(behind, said, known)) or _event(behind, subject, known)
    order = _order(lows[: joints[0]], joint)
    if second is None or order is None:
        return None
    first = _died(subject) if living else (*plain("when", words[0].low), *_without(before[1:]))
    return _combined(order, (first, second), known, whether=True)


def _order(before: list[str], joint: str) -> Comparator | None:
    """Whether the first has to be earlier or later than the second for a yes."""
    if joint == "before":
        return None if "not" in before else "earlier"
    if joint == "after" or before[-1] in _LIVING:
        return None if "not" in before else "later"
    if {"not", "yet"} <= {*before}:
        return "later"
    return "earlier" if before[0] in HAVE or not {"already", "dead"}.isdisjoint(before) else None


def _same_of(name: Words, said: Words, known: Sequence[Step]) -> Words | None:
    """When what is said of one thing was so of another; None of what is an event, or where a clause says more."""
    if is_event(name, known):
        return None
    done = said[0].low in DO or any(is_participle(word.low) for word in said[2:])  # "was Ada in Velm" is no event
    return (_likewise(name, said) if done else None) or _so_did(name, said)


def _by_the_time(lows: list[str]) -> int:
    """Where "by the time" joins a clause; 0 where nothing does."""
    return next((at for at in range(3, len(lows) - 4) if lows[at : at + 3] == ["by", "the", "time"]), 0)


def is_event(words: Words, known: Sequence[Step]) -> bool:
    """Whether words are an answer to what happened: "#1" of "Which war did Velm lose?" tells no builder of a tower."""
    if len(words) != 1 or words[0].kind != "step":
        return False
    place = int(words[0].text[1:]) - 1
    asked = plain(*known[place].question.rstrip("?").split()) if place < len(known) else ()
    noun = asked[1:]
    while noun and noun[0].low in BE | ARTICLES:
        noun = noun[1:]
    end = next(
        (at for at, word in enumerate(noun) if word.low in PREPOSITIONS | AUXILIARIES or finite_at(noun, at)), None
    )
    return bool(noun[:end]) and asked[0].low in ("what", "which") and takes_place(noun[:end][-1].low)


def _in_lifetime(words: Words, lows: list[str], known: Sequence[Step]) -> Plan | None:
    """When somebody died, and when the other was: "Did Ada live to see it open?", "Was it built in Ada's lifetime?"."""
    seen = next((at for at in range(3, len(lows) - 1) if lows[at - 2 : at] == ["live", "to"]), 0)
    if seen and lows[0] == "did" and lows[seen] in ("see", "hear", "witness"):
        subject = words[1 : seen - 2]
        when = _seen(_owned(words[seen + 1 :], subject), known)
        return None if when is None else _combined("later", (_died(subject), when), known, whether=True)
    within = next((at for at in range(len(lows) - 3, 2, -1) if lows[at] in ("in", "during", "within")), 0)
    if not within or lows[-1] not in ("lifetime", "life") or words[-2] != OWNS or not words[-3].atomic:
        return None
    first = (*plain("when", lows[0]), *words[1:within])
    return _combined("earlier", (first, _died(words[within + 1 : -2])), known, whether=True)


def _seen(words: Words, known: Sequence[Step]) -> Words | None:
    """When what somebody sees happened, as a question: "the mill open", "the mill closed", "the fall of Velm"."""
    lows = [word.low for word in words]
    if is_event(words, known):
        return (*plain("when", "was"), *words)
    if not _PAST.union(WH_WORDS, PRONOUNS, _OWN).isdisjoint(lows):
        return None
    start = 2 if lows[0] in ARTICLES else 1
    for at in range(start, len(words)):
        if words[at].kind != "word" or lows[at - 1] in ARTICLES | PREPOSITIONS:
            continue
        ends = at + 1 == len(words) or lows[at + 1] in PREPOSITIONS
        if is_participle(lows[at]) and ends and not lows[at].endswith("ing"):
            several = not words[at - 1].atomic and _head(words[:at]).endswith("s")
            return (*plain("when", "were" if several else "was"), *words)
        if is_base(lows[at]) and not is_past(lows[at]):
            return (*plain("when", "did"), *words)
    return (*plain("when", "was"), *words) if lows[0] in ARTICLES and _takes_place(words) else None


def _event(words: Words, subject: Words, known: Sequence[Step] = ()) -> Words | None:
    """When what a clause or a noun says happened, as a question; None where it cannot be asked by itself."""
    if is_event(words, known):
        return (*plain("when", "was"), *words)
    verb = first_finite(words, 1)
    if verb is None:
        happens = words[0].low in ARTICLES and _takes_place(words)
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


def before_or_after(words: Words, known: Sequence[Step]) -> Plan | None:
    """The plan of "Was the mill built before or after the inn opened?", whose answer is one of the two; else None."""
    lows = [word.low for word in words]
    at = next((at for at in range(3, len(words) - 3) if lows[at : at + 3] in _EITHER), None)
    if at is None or lows[0] not in _PAST or "," in lows or lows[1] in PRONOUNS:
        return None
    said = (*plain(lows[0]), *words[1:at])
    first = (*plain("when"), *said)
    behind = words[at + 3 :]
    second = _same_of(behind, said, known) or _event(behind, words[1:2] if words[1].atomic else (), known)
    planned = None if second is None else _combined("earlier", (first, second), known)
    if planned is None or planned.final is None:
        return None
    return replace(planned, final=replace(planned.final, options=ORDERS))


def time_between(words: Words, known: Sequence[Step]) -> Plan | None:
    """The plan of a question for how long one thing was after another, or how old somebody was then; else None."""
    lows = [word.low for word in words]
    if lows[0] != "how" or "," in lows or any(low in WH_WORDS - {"when"} for low in lows[1:]):
        return None
    if lows[1] == "old":
        return _aged(words, lows, known)
    start = 2 if lows[1] == "long" else 3 if lows[1] == "many" and lows[2] in _UNITS else 0
    if start and lows[start] in ("after", "before"):
        return _after(words[start + 1 :], known, forwards=lows[start] == "after")
    if start and "between" in lows[start : start + 3]:
        return _between(words[lows.index("between") + 1 :], known)
    return None


def _aged(words: Words, lows: list[str], known: Sequence[Step]) -> Plan | None:
    """Of "How old was Ada when she left?": when she was born, and when she left."""
    at = lows.index("when") if "when" in lows else 0
    subject = words[3:at]
    if at < 4 or lows[2] not in BE or at == len(words) - 1 or not (subject[-1].atomic or names_person(subject[-1].low)):
        return None
    event = _event(words[at + 1 :], subject)
    born = (*plain("when", "was"), *subject, *plain("born"))
    return None if event is None else _combined("apart", (born, event), known)


def _after(words: Words, known: Sequence[Step], *, forwards: bool) -> Plan | None:
    """Of "the mill burnt was the inn opened": when each of them was, the one first that is to be the earlier.

    A bare name did the same as the other. ``forwards``: what is named first is to be the earlier.
    """
    at = next((at for at in range(len(words) - 2, 0, -1) if words[at].low in _PAST), None)
    if at is None or any(word.low in _SUBJECTS | OWNERS for word in words):
        return None
    former, latter = words[:at], words[at:]
    first = _likewise(former, latter) or _so_did(former, latter) or _event(former, ())
    if first is None:
        return None
    events = (first, (*plain("when"), *latter))
    return _combined("apart", events if forwards else events[::-1], known)


def _likewise(name: Words, said: Words) -> Words | None:
    """When what is said of another thing, "was Velm Tower finished", was so of a bare name; None for anything else."""
    end = next((end for end in range(1, 4) if said[end : end + 1] and said[end].atomic), 0)
    if not end or not name[-1].atomic or len(name) != 1 + sum(word.low in ARTICLES for word in name[:1]):
        return None
    return (*plain("when"), said[0], *name, *said[end + 1 :])


def _so_did(thing: Words, said: Words) -> Words | None:
    """When what is said of one thing, "did the milk arrive", was so of another, "the bread"; None for anything else.

    A name may be somebody's, and "the bread" is not: with it that is told only by what is done to it, "was X baked".
    """
    behind = 3 if said[1].low in ARTICLES else 2
    verb = next((at for at in range(behind, len(said)) if finite_at(said, at) or is_participle(said[at].low)), 0)
    if not verb or thing[0].low not in ARTICLES or _takes_place(thing) or first_finite(thing, 1) is not None:
        return None
    alike = said[0].low in BE if behind == 2 else names_person(_head(said[1:verb])) == names_person(_head(thing))
    one = said[0].low == "were" and not _head(thing).endswith("s")
    return (*plain("when", "was" if one else said[0].low), *thing, *said[verb:]) if alike else None


def _takes_place(words: Words) -> bool:
    return takes_place(_head(words)) or words[-1].text.isdigit()  # "the year 1200"


def _head(words: Words) -> str:
    """The noun of a noun phrase: "fall" of "the fall of Velm"."""
    end = next((at for at in range(1, len(words)) if words[at].low in PREPOSITIONS), len(words))
    return words[end - 1].text.lower().rpartition(" ")[2]


def _between(words: Words, known: Sequence[Step]) -> Plan | None:
    """Of "the founding of the mill and that of the inn": when each was."""
    joints = [at for at, word in enumerate(words) if word.low == "and"]
    if len(joints) != 1 or not 0 < joints[0] < len(words) - 1:
        return None
    sides = [words[: joints[0]], words[joints[0] + 1 :]]
    of = next((at for at, word in enumerate(sides[0]) if word.low == "of"), 0)
    if of and all(word.low != "of" for word in sides[1]):  # "the founding of the mill and the inn"
        sides[1] = (*sides[0][: of + 1], *sides[1])
    return _combined("apart", [(*plain("when", "was"), *side) for side in sides], known)


def _combined(
    comparator: Comparator, events: Sequence[Words], known: Sequence[Step], *, whether: bool = False
) -> Plan | None:
    """The plan that asks when each was; None where that is the same question."""
    draft = PlanDraft([*known])
    places = tuple(int(draft.answer(event, "date").text[1:]) - 1 for event in events)
    if places[0] == places[1]:
        return None
    return draft.plan("comparison", Combination(comparator=comparator, operands=places, whether=whether))
