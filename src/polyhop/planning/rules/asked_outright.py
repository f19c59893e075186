"""The words of a question as it would be asked outright: without those that only ask, and with what "that of" means."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.english.answer_type import outright
from polyhop.english.question import OWNS, Words, plain, read_words
from polyhop.english.words import ARTICLES, FUNCTION_WORDS, OWNERS, PRONOUNS, WH_WORDS, without_preface
from polyhop.planning.rules.clauses import first_finite, inverted


def asked_outright(text: str, names: Sequence[str]) -> Words:
    """The words of what is asked: "tell me where the mill stood" asks "where did the mill stand"."""
    asked = without_preface(text)
    words = _that_of_spelled_out(outright(read_words(asked, names)))
    return words if asked == text else _inverted(words)


def _inverted(words: Words) -> Words:
    """The words of "where the mill stood" as those of "where did the mill stand"; others as they are."""
    begins = words[1:2] and (words[1].atomic or words[1].low in ARTICLES | OWNERS | PRONOUNS)
    verb = first_finite(words, 2)
    if not begins or words[0].low not in WH_WORDS or verb is None or first_finite(words, verb + 1) is not None:
        return words
    return (*words[:1], *inverted(words[1:]))


def _that_of_spelled_out(words: Words) -> Words:
    """The words with the noun that "that of" stands for: "the age of X or that of Y" is "or the age of Y"."""
    lows = [word.low for word in words]
    at = next((at for at in range(3, len(words) - 2) if lows[at : at + 2] == ["that", "of"]), None)
    if at is None or lows[at - 1] not in ("than", "or", "and", "before", "after"):
        return words
    end = next((end for end in range(2, at) if lows[end] == "of" or words[end] == OWNS), None)
    if end is None:
        return words
    start = next((at + 1 for at in range(end - 1, -1, -1) if lows[at] in FUNCTION_WORDS or words[at].kind == "mark"), 0)
    noun = words[end + 1 : end + 2] if words[end] == OWNS else words[start:end]
    return (*words[:at], *plain("the"), *noun, *words[at + 1 :]) if noun else words
