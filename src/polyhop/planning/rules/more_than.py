"""Comparatives: whether one thing is, does or has more than another, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.degrees import FORMS, quantifier
from polyhop.english.question import Word, Words, plain, render
from polyhop.english.verbs import is_base, is_participle, past_of, third_of_base
from polyhop.english.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DO,
    FUNCTION_WORDS,
    HAVE,
    OWNERS,
    PREPOSITIONS,
    PRONOUNS,
    TIMES,
    WH_WORDS,
    word_set,
)
from polyhop.planning.rules.choosing import BORN, choice
from polyhop.planning.rules.clauses import finite_at, first_finite
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.event_times import is_event
from polyhop.planning.rules.measure import Measure
from polyhop.plans import Combination, Plan, Step

_STRENGTH: Final = word_set("much far even still any")  # before a comparative
# What is compared with no one other thing, or by how many times it is more.
_COUNTED: Final = word_set("twice times half double any anyone anybody anything else every")
_RANKED: Final = FORMS.keys() | TIMES.keys()
_BEFORE_NOUNS: Final = ARTICLES | PREPOSITIONS


def whether_more(words: Words, known: Sequence[Step]) -> Plan | None:
    """Is the one more than the other? "Was X completed before Y?", "Is X longer than Y?": asks the measure of each."""
    lows = [word.low for word in words]
    if any(lows[at] == "at" and lows[at + 1] in ARTICLES and lows[at + 2] in _RANKED for at in range(len(lows) - 2)):
        return None  # "at an earlier age"
    if "than" in lows:
        more = _more_than_placed(words, known) or _done_more(words, known)
        if more is not None:
            return more
    names = [at for at, word in enumerate(words) if word.atomic]
    middle = next((at for at, word in enumerate(words) if word.low in ("than", "before", "after")), None)
    if middle is not None and words[middle].low == "than" and _is_measured(words[middle - 1].low):
        return _more_than(words, middle, known)
    if middle is None or len(names) != 2 or not names[0] < middle < names[1]:
        return None
    left, right = (words[at] for at in names)
    if is_event((right,), known):
        return None
    between = words[names[0] + 1 : middle]
    if any(word.low not in ARTICLES for word in (*words[1 : names[0]], *words[middle + 1 : names[1]])):
        return None
    if any(word.low not in AUXILIARIES for word in words[names[1] + 1 :]):
        return None  # "before Y was"
    helper = () if words[0].low in DO else words[:1]
    order = plain({"before": "earlier", "after": "later"}[words[middle].low]) if words[middle].low != "than" else ()
    planned = choice((*plain("which"), *helper, *between, *order), (left, right), known)
    if planned is None or planned.final is None:
        return None
    return replace(planned, final=replace(planned.final, whether=True))


def _is_measured(comparative: str) -> bool:
    """Whether a comparative is of a thing itself, and not of how often, when or how much it does something."""
    adjective, _ = FORMS.get(comparative, ("", False))
    return comparative in BORN or (adjective not in ("", "much", "many", "far", "late") and comparative not in TIMES)


def _more_than(words: Words, than: int, known: Sequence[Step]) -> Plan | None:
    """What is before a comparative beside what is behind "than": "Is the author of X older than his sister?"."""
    end = next((at for at in range(than - 1, 1, -1) if words[at - 1].low not in _STRENGTH), 1)
    left, right = render(words[1:end]), render(words[than + 1 :])
    lows = {word.low for word in words[1:]}
    stop = len(words) - (words[-1].kind == "word" and words[-1] in words[:than])  # "the Pro plan" ends in no verb
    clause = words[0].low not in ("is", "was") or any(finite_at(words, at) for at in range(than + 1, stop))
    if not left or not right or clause or lows & (WH_WORDS | PRONOUNS | {"one", ","}):
        return None
    things = [Word(text, "name") for text in (left, right)]
    planned = choice((*plain("which"), words[0], words[than - 1]), things, known)
    if planned is None or planned.final is None:
        return None
    return replace(planned, final=replace(planned.final, whether=True))


def _compared(words: Words) -> tuple[int, int, int, Words] | None:
    """Where a comparative begins and ends, where "than" is, and what stands behind it; None without these."""
    lows = [word.low for word in words]
    than = lows.index("than")
    at = next((at for at in range(than - 1, 0, -1) if lows[at] in FORMS), 0)
    begin = next((begin for begin in range(at, 0, -1) if lows[begin - 1] not in _STRENGTH), at)
    right = words[than + 1 :]
    while right and right[-1].low in DO | BE | HAVE:
        right = right[:-1]
    bare = {*lows[1:], ""} & (WH_WORDS | PRONOUNS - {"there"} | {",", "one", "ones"} | _COUNTED)
    if not at or not right or lows[0] not in BE | DO | HAVE or bare or first_finite(right, 1) is not None:
        return None
    return begin, at, than, right


def _done_more(words: Words, known: Sequence[Step]) -> Plan | None:
    """Does one do or have more than another? "Did Ada win more cups than Bo?", "Has A a larger port than B?"."""
    found = _compared(words)
    if found is None or words[0].low in BE:
        return None
    begin, at, than, right = found
    begin -= words[begin - 1].low in ARTICLES
    verb = _verb_at(words, begin)
    if words[0].low in HAVE and verb is None:
        left, said = words[1:begin], words[:1]
    elif verb is not None:
        left, doing, helper = words[1:verb], words[verb + 1 : begin], words[0].low
        base = words[verb].low
        done = past_of(base) if helper == "did" else third_of_base(base)
        said = (*(plain(done) if helper in DO else words[:1] + words[verb : verb + 1]), *doing)
    else:
        return None
    if right[0].low in PREPOSITIONS | OWNERS or left[-1:] == () or left[-1].low in PREPOSITIONS:
        return None
    planned = choice((*plain("which"), *said, *words[at:than]), _called(left, right), known)
    return _whether(planned)


def _more_than_placed(words: Words, known: Sequence[Step]) -> Plan | None:
    """Is there more of something here than there? "Are there more steps in the east tower than in the west tower?"."""
    found = _compared(words)
    if found is None:
        return None
    _, at, than, right = found
    where = next((i for i in range(than - 1, at, -1) if words[i].low == right[0].low), 0)
    more = words[at].low in ("more", "fewer", "less")
    if right[0].low not in PREPOSITIONS or not at + 1 < where < than - 1 or not more or len(right) < 2:
        return None
    verb = _verb_at(words, where if at == 1 else at)
    if words[0].low in BE and words[1].low != "there":
        return None
    if words[0].low not in BE and (verb is None or (at == 1 and words[0].low in HAVE)):
        return None
    counted, done = words[at + 1 : where], (*plain(words[0].low), *words[1:at])
    if at == 1 and verb is not None:  # "did more people vote for Ada than for Bo"
        said = past_of(words[verb].low) if words[0].low == "did" else words[verb].low
        counted, done = words[2:verb], (*plain(said), *words[verb + 1 : where])
    before = (*plain("how", quantifier(counted)), *counted, *done, right[0])
    measure = Measure(before, (), "larger" if words[at].low == "more" else "smaller", render(counted))
    draft = PlanDraft([*known])
    things = _called(words[where + 1 : than], right[1:])
    operands = tuple(measure.ask((thing,), draft) for thing in things)
    options = tuple(thing.text for thing in things)
    final = Combination(comparator=measure.comparator, operands=operands, options=options, whether=True)
    return draft.plan("comparison", final)


def _called(left: Words, right: Words) -> tuple[Word, ...]:
    """Two things as names; "those in Orsa" are what stands before a preposition of the other one."""
    if right[0].low in ("that", "those") and right[1:]:
        end = next((at for at, word in enumerate(left) if word.low in PREPOSITIONS), len(left))
        right = (*left[:end], *right[1:])
    return tuple(thing[0] if len(thing) == 1 else Word(render(thing), "name") for thing in (left, right))


def _verb_at(words: Words, end: int) -> int | None:
    """Where the verb behind "did" or "has" stands; None where no word before the end is one."""
    fits = is_base if words[0].low in DO else is_participle
    start = 3 if words[1].low in ARTICLES else 2
    places = [at for at in range(start, end) if words[at].kind == "word" and words[at - 1].low not in _BEFORE_NOUNS]
    known = next((at for at in places if fits(words[at].low)), None)
    bare = next((at for at in places if words[at - 1].atomic and words[at].low not in FUNCTION_WORDS), None)
    return known if known is not None else bare


def _whether(planned: Plan | None) -> Plan | None:
    """The plan of which it is, as one whether it is the first."""
    if planned is None or planned.final is None or planned.final.comparator == "either":
        return None
    return replace(planned, final=replace(planned.final, whether=True))


def how_much_said_first(words: Words) -> Words:
    """The words of "by how many metres is X longer than Y?" as those of "how many metres longer is X than Y?"."""
    lows = [word.low for word in words]
    than = lows.index("than") if "than" in lows else 0
    verb = next((at for at in range(3, than) if lows[at] in BE), 0)
    if lows[:2] != ["by", "how"] or not 0 < verb < than - 1:
        return words
    return (*words[1:verb], words[than - 1], *words[verb : than - 1], *words[than:])


def difference(words: Words, known: Sequence[Step]) -> Plan | None:
    """By how much is one more than another? "How much longer is X than Y?", "How many more pages has X than Y?"."""
    lows = [word.low for word in words]
    than = lows.index("than") if "than" in lows else 0
    verb = next((at for at in range(3, than) if lows[at] in BE | DO | HAVE), 0)
    if lows[:2] not in (["how", "much"], ["how", "many"]) or lows[2] == "times" or not 0 < verb < than - 1:
        return None  # "how many times" asks for no difference
    asked = words[2:verb] if lows[2] in FORMS else words[3:verb]  # "how many metres longer"
    left, does = words[verb + 1 : than], lows[verb] in DO
    if does:
        left, said = left[:-1], plain(third_of_base(left[-1].low))
    frame = (*plain("which"), *(said if does else words[verb : verb + 1]), *asked)
    things = [Word(render(thing), "name") for thing in (left, words[than + 1 :])]
    planned = choice(frame, things, known) if all(thing.text for thing in things) else None
    if planned is None or planned.final is None or planned.final.comparator == "either":
        return None
    final, way = planned.final, -1 if planned.final.comparator in ("larger", "later") else 1  # the lesser first
    final = replace(final, comparator="apart", operands=final.operands[::way], options=final.options[::way])
    steps = (replace(step, question=step.question.replace(" does ", f" {lows[verb]} ")) for step in planned.steps)
    return replace(planned, steps=tuple(steps) if does else planned.steps, final=final)
