"""Checks a fact against its passage: what the passage does not say is not stored, whoever extracted it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from polyhop.indexes.folding import pieces
from polyhop.indexes.names import normal
from polyhop.prompts.quotes import cuts_word, locate
from polyhop.types import Fact, Passage

LONGEST_RELATION = 12  # words; what is longer is a sentence
LONGEST_RELATION_WRITTEN = 120  # characters, for scripts that do not set words apart

_PARTICLES = (("\u0590", "\u05ff"), ("\u0600", "\u06ff"), ("\u0750", "\u077f"))
"""Hebrew and Arabic write short words (and, in, to, the) as one with the name that follows."""
_COMMAND = re.compile(  # what a text says to a model that reads it, not about the world
    r"""(?:\A|[.!?:;,\n>-])\W{0,9}(?:(?:and|but|now|please|then)\s+)*
        (?:ignore|disregard|forget|override)\s+(?:[\w']+\s+){0,4}?
        (?:above|previous|instructions?|rules|prompts?)\b
      | (?:\A|[.!?:;,\n>-])\W{0,9}(?:(?:and|but|now|please|then)\s+)*
        (?:output|respond|reply|answer)\b(?:\s+(?:exactly|only|the\s+following|with|that))*\s*[:{\["]
      | "(?:evidence|facts|head|relation|tail)"\s*:""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|[。！？\n]")


def fault_of(fact: Fact, passage: Passage) -> str | None:
    """Why a fact must not be stored, in one word, or None where the passage bears it out.

    ``head`` and ``tail``: the name stands neither in the text nor in the title. ``evidence``: the span is empty or not
    of this text. ``loop``: both ends are one name. ``relation``: it says nothing, or is a sentence, or repeats an end.
    ``language``: the relation is in a script that the passage does not use. ``instruction``: the evidence is a part of
    what the passage tells its reader to do or to output.
    """
    head, tail, relation = normal(fact.head), normal(fact.tail), normal(fact.relation)
    if not head or as_written(fact.head, passage) is None:
        return "head"
    if not tail or as_written(fact.tail, passage) is None:
        return "tail"
    if not 0 <= fact.start < fact.end <= len(passage.text) or not _has_words(passage.text[fact.start : fact.end]):
        return "evidence"
    if head == tail:
        return "loop"
    if relation in ("", head, tail) or _overlong(fact.relation):
        return "relation"
    if _foreign(fact.relation, passage):
        return "language"
    return "instruction" if _commanded(passage.text, fact.start, fact.end) else None


def as_written(name: str, passage: Passage) -> str | None:
    """A name as the passage's text or else its title spells it, None where neither has it.

    Case, accents, spacing and punctuation may differ, and no word is cut.
    """
    for text in (passage.text, passage.title):  # letter for letter first: folding a whole text takes its time
        if name in text and (found := _stretch(name, text)) is not None:
            return found
    for text in (passage.title, passage.text):
        if (found := _stretch(name, text)) is not None:
            return found
    return None


def whole_words(text: str, start: int, end: int) -> bool:
    """Whether a stretch holds letters or digits and cuts no word, save for a particle that it is written with."""
    if not _has_words(text[start:end]):
        return False
    joined = any(first <= text[start] <= last for first, last in _PARTICLES)
    return not cuts_word(text, end if joined else start, end)


def _stretch(name: str, text: str) -> str | None:
    span = locate(name, text)
    return " ".join(text[slice(*span)].split()) if span is not None and whole_words(text, *span) else None


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _overlong(relation: str) -> bool:
    return len(relation) > LONGEST_RELATION_WRITTEN or len(pieces(relation)) > LONGEST_RELATION


def _foreign(relation: str, passage: Passage) -> bool:
    """Whether a relation has letters, all of scripts that the passage does not use."""
    letters = {letter for letter in relation if letter.isalpha()}
    text = f"{passage.title}\n{passage.text}"
    if not letters or any(letter in text for letter in letters):
        return False
    used = {_script(character) for character in set(text) if character.isalpha()}
    return not used & {_script(letter) for letter in letters}


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """The first word of a letter's name: LATIN, CYRILLIC, CJK, ARABIC, ..."""
    plain = unicodedata.normalize("NFKD", letter)[0]
    return unicodedata.name(plain, "").partition(" ")[0]


def _commanded(text: str, start: int, end: int) -> bool:
    """Whether a command to the reader stands in the line of the evidence, before its sentence ends."""
    line = text.rfind("\n", 0, start) + 1
    over = _SENTENCE_END.search(text, end - 1)  # its full stop may be quoted with it
    return _COMMAND.search(text[line : over.end() if over else len(text)]) is not None
