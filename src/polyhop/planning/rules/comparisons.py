"""Questions about two things or more: which one is older, are both the same, what have they in common."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.english.options import split_options
from polyhop.english.question import Words, plain
from polyhop.english.words import (
    BE,
    DO,
    HAVE,
)
from polyhop.planning.rules.agreement import agreement
from polyhop.planning.rules.choosing import choice
from polyhop.planning.rules.event_times import before_or_after, time_between, timed
from polyhop.planning.rules.more_than import difference, how_much_said_first, whether_more
from polyhop.planning.rules.shared import shared
from polyhop.plans import Plan, Step


def compare(words: Words, known: Sequence[Step] = ()) -> Plan | None:
    """The plan of a comparison, or None if the question compares nothing that we recognise.

    ``known``: the steps before it, whose answers the words may name.
    """
    if len(words) < 5:
        return timed(words, known)  # "Did Ada Lund outlive Oskar Vale?"
    ordered = before_or_after(words, known)
    if ordered is not None:
        return ordered
    options = split_options(words)
    if options is not None:
        return choice(options.frame, options.options, known)
    if words[0].low in BE | DO | HAVE:
        return whether_more(words, known) or timed(words, known) or agreement(words, known)
    planned = shared(words, known)
    words = how_much_said_first(words)
    if planned is None and words[0].low == "how":
        words = _with_count_apart(words)
        planned = time_between(words, known) or difference(words, known)
    return planned


def surely_compares(words: Words) -> bool:
    """Whether grammar alone is sure that two answers are put together: "How old was X when she died?"."""
    if len(words) < 5:
        return False
    if words[0].low == "how":
        return time_between(_with_count_apart(words), ()) is not None
    named = sum(word.atomic for word in words) == 2 and any(word.low == "and" for word in words)
    return words[0].low in ("where", "when") and named and shared(words, ()) is not None


def _with_count_apart(words: Words) -> Words:
    """The words of "how many years ...", of which "many years" is taken for a name, each for itself."""
    return (words[0], *plain(*words[1].text.split()), *words[2:])
