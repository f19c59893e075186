"""What earlier steps found, written into the questions after them, so that these still read as questions.

A value is put in as it is where it reads as a name or a noun: "Ada Brook", "1841", "the Tide Mill", "salt". What reads
as anything else, such as a clause, a reason or "control of the council", stands in quotation marks: the sentence around
it does not go on into it, and whoever reads it sees where it begins and ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from polyhop.english.words import ARTICLES, BE, CONJUNCTIONS, HAVE, PREPOSITIONS, PRONOUNS, word_set
from polyhop.plans import PLACEHOLDER, REFERENCE, Constraint, Step, asked

_QUOTATION_MARKS: Final = frozenset('"“”„«»‹›「」')
# Forms of "do" are left out: "Rio Grande do Sul" is a name.
_VERBS: Final = BE | HAVE | word_set("will would can could should shall may might must")
_JOINING: Final = word_set("and or but nor")  # between nouns: "salt and iron" is one
_UNFIT: Final = PREPOSITIONS | (CONJUNCTIONS - _JOINING) | _VERBS
_ITEMS: Final = re.compile(r"\s*[;\n]\s*")
_LAST_WORD: Final = re.compile(r"(\w+)\s+\Z")


def rewrite(step: Step, answers: Sequence[str]) -> str:
    """The step's question with the answers found so far (by index of their step) in place of its references.

    A reference without an answer yet is left as it stands.
    """
    found = {f"#{index + 1}": answers[index] for index in step.refers_to if index < len(answers)}
    return filled(step.question, REFERENCE, found)


def asked_with(constraint: Constraint, values: Mapping[str, str]) -> str:
    """The constraint as a question in plain words, with values in place of the placeholders that have one by name."""
    return filled(asked(constraint, {name: name for name in values}), PLACEHOLDER, values)


def filled(text: str, pattern: re.Pattern[str], values: Mapping[str, str]) -> str:
    """A text with a value in place of each match that has one; the others stay. No value is looked through again."""
    parts: list[str] = []
    end = 0
    for match in pattern.finditer(text):
        before, value = text[end : match.start()], values.get(match.group())
        parts += [
            before,
            match.group() if value is None else _fitted(value, text[: match.start()], text[match.end() :]),
        ]
        end = match.end()
    return "".join((*parts, text[end:]))


def _fitted(value: str, before: str, after: str) -> str:
    """A value as it stands between these: a word that the question has is not said twice, as in "in in 1841"."""
    if before[-1:] in _QUOTATION_MARKS and after[:1] in _QUOTATION_MARKS:
        return value
    last = _LAST_WORD.search(before)
    first, _, rest = value.partition(" ")
    if last is not None and rest and _said_before(first.lower(), last[1].lower()):
        value = rest
    return _as_noun(value)


def _said_before(word: str, last: str) -> bool:
    """Whether a question that ends with ``last`` needs no such word: the same preposition, or any article."""
    return (word in ARTICLES and last in ARTICLES) or (word in PREPOSITIONS and word == last)


def _as_noun(value: str) -> str:
    items = [item for item in _ITEMS.split(value.strip()) if item]
    if len(items) > 1:
        return f"{', '.join(items[:-1])} and {items[-1]}"
    words = value.split()
    if len(words) < 2 or _QUOTATION_MARKS & set(value) or _is_noun(words):
        return value
    return f"“{value.strip().removesuffix('.')}”"


def _is_noun(words: Sequence[str]) -> bool:
    """Whether several words read as a name or a noun, by closed classes of words alone."""
    first, plain = words[0].lower(), {word for word in words if word == word.lower()}
    if first in PRONOUNS:
        return words[1] not in plain  # "It Happened" is a title, "it happened" a clause
    if first in ARTICLES:
        return True
    return not plain & (_VERBS if words[0] != first else _UNFIT)
