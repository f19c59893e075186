"""Words that tell an event, without a parser: a clause, with who does what to whom, or a noun such as "discussion"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from polyhop.english.dates import DATE_NAMES
from polyhop.english.tables import table
from polyhop.english.verbs import is_base, is_finite, is_participle, is_past
from polyhop.english.words import FUNCTION_WORDS, NAME_LINKS, ORGANISATIONS, PLACES, THINGS, TITLE_NOUNS, word_set

SPEECH: Final = word_set(table("verbs")["speech"])
"""What people do with words and appointments, as it stands after "did"."""

PERSONAL: Final = word_set("he she they it we i you")
_DETERMINERS: Final = word_set(
    "the a an his her their its both all some one two several another each every my our your"
)
_ADVERBS: Final = word_set("first also already then again later once just never even finally ever still")
_EVENTS: Final = word_set(table("nouns")["events"])
_HAPPENINGS: Final = _EVENTS | word_set(table("nouns")["happenings"])
_NO_HAPPENINGS: Final = THINGS | PLACES | ORGANISATIONS | TITLE_NOUNS | word_set("mansion pension television")
_COMPLEMENTED: Final = word_set("of about on between with for from to at by in that over regarding concerning")
_CAPITAL: Final = re.compile(r"[^\W\d_a-z]")
_POSSESSIVE: Final = re.compile(r"(?:['’]s|s['’])$")
_TOWARDS: Final = word_set("to with from by for at")
_LONGEST_SUBJECT: Final = 6  # words
_NOT_LY: Final = word_set("reply apply supply rely fly comply multiply family")
_NOT_ING: Final = word_set("thing things something anything nothing everything during morning evening king spring ring")


@dataclass(frozen=True, slots=True)
class EventClause:
    """Where a clause's words are: its subject and its verb."""

    words: tuple[str, ...]
    subject: str  # nothing where it begins with its verb
    verb: int  # index of a word
    gerund: bool  # whether the verb ends in "ing"

    @property
    def other(self) -> str:
        """The name right after the verb, or the first after a preposition such as "to"; nothing without one."""
        at = self.verb + 1
        name = _name_at(self.words, at)
        while not name and at + 1 < len(self.words):
            at += 1
            name = _name_at(self.words, at) if self.words[at - 1].lower() in _TOWARDS else ""
        return _POSSESSIVE.sub("", name)


def event_clause(text: str, *, base: bool = False) -> EventClause | None:
    """The parts of a text that begins with its subject, or with a gerund; None where it is no clause.

    ``base``: its verb is an infinitive, because it stood after "did".
    """
    words = tuple(text.split())
    low = words[0].lower() if words else ""
    if low in PERSONAL:
        ends = [1]
    elif name := _name_at(words, 0):
        ends = [len(name.split())]
    elif low in _DETERMINERS:
        ends = list(range(2, min(len(words), _LONGEST_SUBJECT + 1)))
    else:
        return EventClause(words, "", 0, gerund=True) if _is_gerund(low) and len(words) > 1 else None
    for end in ends:
        if end > 1 and words[end - 1].lower() in FUNCTION_WORDS and not words[end - 1][0].isupper():
            return None
        verb = _verb(words, end, base=base, known=low in _DETERMINERS)
        if verb is not None:
            subject = _POSSESSIVE.sub("", " ".join(words[:end]))
            return EventClause(words, subject, verb, gerund=_is_gerund(words[verb].lower()))
    return None


def is_event(text: str) -> bool:
    """Whether a text is a noun that names an event, with what it was about: "the discussion about the boats"."""
    words = text.split()
    owner = _name_at(tuple(words), 0)
    if not owner.endswith(("'s", "’s", "s'", "s’")) and (not words or words[0].lower() not in _DETERMINERS):
        return False
    head = next((at for at, word in enumerate(words) if at and word.lower() in _COMPLEMENTED), len(words))
    return not _EVENTS.isdisjoint(word.lower() for word in words[1:head])


def takes_place(noun: str) -> bool:
    """Whether a noun names something that was at some time, as "war" and "signing" do; not "bread" nor "building"."""
    if noun in _HAPPENINGS:
        return True
    doing = noun.endswith(("tion", "sion")) or (noun.endswith("ing") and is_participle(noun))
    return doing and noun not in _NO_HAPPENINGS


def _name_at(words: tuple[str, ...], at: int) -> str:
    """The name that begins with a word, or the names joined by "and"; nothing where none does."""
    end = at
    while end < len(words):
        word = words[end]
        if _CAPITAL.match(word) and word.lower().strip(",.") not in DATE_NAMES and word != "I":
            end += 1
            joined = end < len(words) and words[end] == "and"
            if _POSSESSIVE.search(word) or (word[-1] in ",.;:" and not joined):
                break
        elif end > at and word.lower() in {*NAME_LINKS, "and", "&"} and _CAPITAL.match(" ".join(words[end + 1 :])):
            end += 1
        else:
            break
    return " ".join(words[at:end]).rstrip(",;:")


def _verb(words: tuple[str, ...], at: int, *, base: bool, known: bool) -> int | None:
    while at < len(words) and (words[at].lower() in _ADVERBS or _is_adverb(words[at].lower())):
        at += 1
    if at >= len(words) or _CAPITAL.match(words[at]):
        return None
    low = words[at].lower().strip(",.")
    infinitive = low in SPEECH or is_base(low) or not (known or low in FUNCTION_WORDS)
    return at if (base and infinitive) or _is_gerund(low) or is_finite(low) or is_past(low) else None


def _is_adverb(low: str) -> bool:
    return low.endswith("ly") and low not in _NOT_LY


def _is_gerund(low: str) -> bool:
    return low.endswith("ing") and len(low) > 4 and low not in _NOT_ING
