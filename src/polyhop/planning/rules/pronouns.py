"""What a pronoun in a description stands for: the one thing that the question names before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polyhop.english.question import OWNS, Word, Words, read_words
from polyhop.english.words import ARTICLES, FUNCTION_WORDS, OWNERS, PREPOSITIONS, word_set
from polyhop.plans import Step

_SUBJECTS: Final = word_set("he she it")


def resolved(words: Words, before: Words, known: Sequence[Step]) -> Words:
    """A description with its pronoun as who is meant: of "Is Ada older than her brother?", "Ada's brother".

    As it is where it names a thing before the pronoun itself, or where several are named before it.
    """
    at = next((at for at, word in enumerate(words) if word.low in OWNERS - {"their"} | _SUBJECTS), None)
    if at is None or any(word.atomic for word in words[:at]):
        return words
    places = [at for at, word in enumerate(before) if word.atomic]
    things = {before[place].text: before[place] for place in places}
    its = words[at].low in ("its", "it")
    if len(things) != 1 or (its and _is_where(before, places[0])):
        return words
    (owner,) = things.values()
    if its:
        owner = _named_in(owner, known)
    owns = words[at].low in OWNERS and not _is_object(words, at)
    ends = (OWNS,) if owns else ()
    return (*words[:at], owner, *ends, *words[at + 1 :])


def _is_object(words: Words, at: int) -> bool:
    """Whether "her" is no owner: "the composer who wrote for her", "the woman who thought her up"."""
    return words[at].low == "her" and (at + 1 == len(words) or words[at + 1].low in FUNCTION_WORDS)


def _is_where(before: Words, at: int) -> bool:
    """Whether a name only says where something is, which a pronoun then means: "the tower on Calf Rock ... its"."""
    at -= before[at - 1].low in ARTICLES
    return at > 0 and before[at - 1].low in PREPOSITIONS - {"of", "than", "by", "between", "like", "as"}


def _named_in(thing: Word, known: Sequence[Step]) -> Word:
    """What somebody is called after who was asked for: "Low Tide" of "Who is the director of Low Tide?"."""
    place = int(thing.text[1:]) - 1 if thing.kind == "step" else -1
    if not 0 <= place < len(known) or not known[place].question.startswith("Who "):
        return thing
    names = [word for word in read_words(known[place].question.rstrip("?")) if word.atomic]
    return names[0] if len(names) == 1 else thing
