"""Fragments that take over the frame of the question before them: "And the Long Bridge?", "What about 1924?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyhop.conversation.phrases import Kind, Phrase, definite
from polyhop.english.verbs import base_of, is_finite, is_past
from polyhop.english.words import AUXILIARIES, BE, KIN, PEOPLE, PREPOSITIONS, ROLES, WH_WORDS, word_set

_LINK: Final = re.compile(r"(?:and|but|so|also|then)\b[,\s]+", re.IGNORECASE)
_ABOUT: Final = re.compile(r"(?:what|how) about\s+", re.IGNORECASE)
_NO: Final = re.compile(r"\s*no\b", re.IGNORECASE)
_ENDS: Final = " \t\r\n?.!,"
_SHORT: Final = 4  # words of a question that is nothing but its wh-phrase, at most
WITH_NOUN: Final = word_set("what which whose how")  # wh-words that a noun may follow
_TO_BE_DONE: Final = word_set(
    "can could should shall must may might would will do am is are be have need to i we one done then now next"
)
_CONTRACTED: Final = MappingProxyType({"can": "can't", "will": "won't", "shall": "shan't", "may": "may not"})
_NAMED_BRIEFLY: Final = 6  # words of an answer that can stand in a question, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A follow-up without a frame of its own: a phrase, perhaps with its preposition, or a bare wh-phrase."""

    text: str
    asks: bool  # whether it is a wh-phrase


def without_link(question: str) -> str:
    """A question without the "and" that ties it to the one before."""
    rest = _LINK.sub("", question, count=1) if _LINK.match(question) else question
    return rest[:1].upper() + rest[1:] if rest.strip(_ENDS) else question


def fragment_of(question: str) -> Fragment | None:
    """What is left of a question that has no frame; None where it has one, or no words."""
    linked = _LINK.match(question)
    rest = question[linked.end() :] if linked else question
    about = _ABOUT.match(rest)
    text = rest[about.end() if about else 0 :].strip(_ENDS)
    words = [word.strip(_ENDS).lower() for word in text.split()]
    if not words:
        return None
    if WH_WORDS.isdisjoint(words):
        framed = any(word in AUXILIARIES or (is_finite(word) and not about) for word in words)
        return Fragment(text=text, asks=False) if (about or linked) and not framed else None
    return Fragment(text=text, asks=True) if is_bare(words) else None


def is_bare(words: Sequence[str]) -> bool:
    """Whether words are a wh-phrase and nothing else: "when", "by whom", "in which year", "why not"."""
    if list(words) == ["why", "not"]:
        return True
    rest = words[1:] if words[0] in PREPOSITIONS and len(words) > 1 else words
    if rest[0] not in WITH_NOUN:
        return len(rest) == 1 and rest[0] in WH_WORDS
    return len(rest) < _SHORT and not any(word in AUXILIARIES or is_finite(word) or is_past(word) for word in rest[1:])


def names_no_matter(question: str) -> bool:
    """Whether a question asks what is to be done, and not about what: "What do I have to do?", "What can be done?"."""
    asks, *rest = [word.strip(_ENDS).lower() for word in question.split()] or [""]
    last = [word for word in rest if word not in ("then", "now", "next")][-2:]
    asks_so = asks == "what" and len(last) == 2 and (last[1] == "do" or last == ["be", "done"])
    return asks_so and _TO_BE_DONE.issuperset(rest)


def about_the_same(question: str, of_before: Sequence[Phrase]) -> str:
    """The question with what the one before was about: what that named last, or else spoke of; as it is without."""
    matter = max(of_before, key=lambda one: (one.named, one.start), default=None)
    return question if matter is None else f"{question.rstrip(_ENDS)} about {definite(matter.text)}?"


def asked_likewise(
    fragment: Fragment, phrases: Sequence[Phrase], before: str, of_before: Sequence[Phrase]
) -> str | None:
    """The question before, asked of what the fragment names; ``phrases`` are those of the fragment.

    None where nothing in it is of the fragment's kind.
    """
    words = fragment.text.split()
    preposition = words[0].lower() if len(words) > 1 and words[0].lower() in PREPOSITIONS else ""
    if preposition:
        return _at_its_place(fragment.text, preposition, before, of_before)
    kind = phrases[0].kind if phrases else Kind.THING
    named = bool(phrases) and phrases[0].named
    instead = max(of_before, key=lambda one: _likeness(one, fragment.text, kind, named=named), default=None)
    if instead is None or _likeness(instead, fragment.text, kind, named=named) <= 0:
        return f"{before.rstrip(_ENDS)} in {fragment.text}?" if kind is Kind.TIME else None
    return before[: instead.start] + fragment.text + before[_further(instead, words, before, of_before) :]


def of_owner(text: str, owner: str, before: str) -> str:
    """A question about what belongs to someone, "Ada Brisk's teacher": what was asked of the owner, or who that was."""
    if owner in before:
        return before.replace(owner, text, 1)
    noun = text.split()[-1].lower()
    return f"{'Who' if noun in PEOPLE | ROLES | KIN else 'What'} was {text}?"


def asked_further(fragment: Fragment, before: str, answer: str) -> str:
    """The question before with another wh-phrase: "When?" after "Who built it?" is "When did Ada Brisk build it?".

    "Why?" after a no, and "Why not?", ask why it is not so.
    """
    why, *denied = fragment.text.lower().split()
    asks = "Why" if why == "why" else fragment.text[:1].upper() + fragment.text[1:]
    words = before.rstrip(_ENDS).split()
    first = words[0].lower()
    if first in AUXILIARIES:
        if why == "why" and (denied or _NO.match(answer)):
            first = _CONTRACTED.get(first, f"{first}n't")
        return f"{' '.join([asks, first, *words[1:]])}?"
    verb = next((place for place, word in enumerate(words) if word.lower() in AUXILIARIES), None)
    subject = words[0].lower() in ("who", "what") and len(words) > 1 and words[1].lower() not in AUXILIARIES
    if subject and answer and len(answer.split()) <= _NAMED_BRIEFLY:
        does = "did" if is_past(words[1]) else "does"
        return f"{' '.join([asks, does, answer.strip(_ENDS), base_of(words[1]), *words[2:]])}?"
    if verb is None or subject:
        return f"{asks}: {before}"
    if first == "who" and words[verb].lower() in BE and answer and len(answer.split()) <= _NAMED_BRIEFLY:
        return f"{' '.join([asks, words[verb], answer.strip(_ENDS), *words[verb + 1 :]])}?"
    return f"{' '.join([asks, *words[verb:]])}?"


def _at_its_place(text: str, preposition: str, before: str, of_before: Sequence[Phrase]) -> str:
    for phrase in of_before:
        ahead = before[: phrase.start].rstrip()
        if ahead.lower().endswith(f" {preposition}"):
            return f"{ahead[: -len(preposition)]}{text}{before[phrase.end :]}"
    return f"{before.rstrip(_ENDS)} {text}?"


def _further(instead: Phrase, words: Sequence[str], before: str, of_before: Sequence[Phrase]) -> int:
    """Where what makes way ends: behind "on the flood", too, where it makes way for "the report on the fire"."""
    for phrase in of_before:
        between = before[instead.end : phrase.start].split()
        if len(between) == 1 and between[0].lower() in PREPOSITIONS and between[0] in words:
            return phrase.end
    return instead.end


def _likeness(phrase: Phrase, text: str, kind: Kind, *, named: bool) -> float:
    """How well a phrase of the question before makes way for a text; 0 or less: not at all."""
    same_noun = phrase.text.split()[-1].casefold() == text.split()[-1].casefold()
    times = Kind.TIME in (phrase.kind, kind) and phrase.kind is not kind
    return 3.0 * same_noun + 2.0 * (phrase.kind is kind) + 1.5 * (phrase.named and named) + 0.5 - 9.0 * times
