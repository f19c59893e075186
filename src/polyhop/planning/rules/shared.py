"""What several things share: what they have in common, and what holds of both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from polyhop.english.question import Words, plain, render
from polyhop.english.verbs import is_finite
from polyhop.english.words import ARTICLES, BE, DO, OWNERS, PREPOSITIONS, PRONOUNS, WH_WORDS, word_set
from polyhop.planning.rules.clauses import first_finite
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.measure import Measure, as_singular
from polyhop.plans import Combination, Plan, Step

_ASKING: Final = word_set("who which what")


def shared(words: Words, known: Sequence[Step]) -> Plan | None:
    """What do two things share, or what holds of both: "Where are X and Y?", "Who starred in both X and Y?"."""
    return _common(words, known) or _of_both(words, known)


def _of_both(words: Words, known: Sequence[Step]) -> Plan | None:
    """Of "Who starred in both X and Y?": who starred in the one, and who in the other."""
    lows = [word.low for word in words]
    both = lows.index("both") if "both" in lows else 0
    middle = next((at for at in range(both + 2, len(words) - 1) if lows[at] == "and"), 0) if both else 0
    asks = words[0].low in _ASKING or (words[0].low in PREPOSITIONS and words[1].low in _ASKING)
    if not middle or not asks or lows.count("and") > 1 or "," in lows or lows[both - 1] in DO | {"were", "are"}:
        return None
    sides = [words[both + 1 : middle], words[middle + 1 :]]
    begins = both > 1 and lows[both - 1] not in ARTICLES
    if (not begins and lows[0] != "who") or not {*lows[both:]}.isdisjoint(WH_WORDS | PRONOUNS | OWNERS):
        return None
    if begins and lows[both - 1] not in PREPOSITIONS and first_finite(words, 1, both) is None:
        return None
    draft = PlanDraft([*known])
    target = render(takewhile(lambda word: not is_finite(word.low), words[1:both]))
    places = tuple(int(draft.answer((*words[:both], *side), target).text[1:]) - 1 for side in sides)
    if places[0] == places[1]:
        return None
    return draft.plan("intersection", Combination(comparator="common", operands=places))


def _common(words: Words, known: Sequence[Step]) -> Plan | None:
    """What do two things share: "What language do X and Y have in common?", "Where are X and Y?"."""
    lows = [word.low for word in words]
    middle = next((i for i in range(1, len(words) - 1) if lows[i] == "and" and words[i - 1].atomic), None)
    if middle is None:
        return None
    right = next((i for i in range(middle + 1, min(middle + 4, len(words))) if words[i].atomic), None)
    both = lows.index("both") if "both" in lows else 0
    if lows[-1] in ("connected", "related", "linked"):
        return None  # to one another
    if right is None or sum(word.atomic for word in words) != 2 or (both and lows[both - 1] in PREPOSITIONS):
        return None  # "starred in both X and Y" constrains what is asked for
    before = tuple(word for word in words[: middle - 1] if word.low not in ("both", "the"))
    after = tuple(word for word in words[right + 1 :] if word.low != "both")
    options = (words[middle - 1], words[right])
    if lows[-2:] == ["in", "common"] and len(before) > 1 and before[-1].low in DO:
        before, after = before[:-1] + plain("is"), ()
    elif lows[-1] == "share" and len(before) > 2 and before[-1].low in DO and before[0].low in ("what", "which"):
        before, after = (*plain("what", "is", "the"), *before[1:-1], *plain("of")), ()
    elif (
        "both" not in lows
        and not (before and before[-1].low in BE)
        and not (not before and after and after[0].low in ("are", "were"))
    ) or (words[0].low not in WH_WORDS | PREPOSITIONS and before):
        return None
    draft = PlanDraft([*known])
    before, after = as_singular(before), as_singular(after[:1]) + after[1:]
    measure = Measure(before, after, "common", " ".join(word.low for word in before[1:-1]))
    operands = tuple(measure.ask((option,), draft) for option in options)
    return draft.plan(
        "comparison", Combination(comparator="common", operands=operands, options=tuple(o.text for o in options))
    )
