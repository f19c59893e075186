"""What a reference stands for: the phrase of the thread that a fitted choice among all of them prefers, or none.

Each phrase gets a score, the sum of the weights of what is true of it (``features``); ``antecedents.json`` has the
weights, which ``benchmarks/follow_ups.py`` fits. Whatever is one class of words is told by grammar, not by a weight.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from polyhop.conversation.phrases import Kind, Phrase
from polyhop.conversation.references import Reference
from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.question import mentions
from polyhop.english.words import KIN, PEOPLE, PLACES, ROLES, word_set
from polyhop.indexes.folding import standing
from polyhop.layers.grammar.lexicon import HE, IT, SHE, THEY

Features = Mapping[str, float]
_KINDS: Final = {
    AnswerType.PERSON: Kind.PERSON,
    AnswerType.PLACE: Kind.PLACE,
    AnswerType.DATE: Kind.TIME,
    AnswerType.NUMBER: Kind.TIME,
}
_ALL: Final = frozenset(Kind)
_AGREEING: Final[Mapping[str, frozenset[Kind]]] = {
    "he": frozenset({Kind.PERSON, Kind.NAME, Kind.PLACE}),  # a parser takes some people for places
    "she": frozenset({Kind.PERSON, Kind.NAME, Kind.PLACE}),
    "it": _ALL - {Kind.PERSON, Kind.TIME},
    "they": _ALL - {Kind.TIME},
    "there": _ALL - {Kind.PERSON, Kind.TIME, Kind.SEVERAL},
    "this": _ALL - {Kind.PERSON},
    "of": _ALL,
}
_SUREST: Final = {"he": Kind.PERSON, "she": Kind.PERSON, "there": Kind.PLACE}
_OF_NOUNS: Final = (
    (word_set("year day month decade century date time period season era"), frozenset({Kind.TIME})),
    (PEOPLE | ROLES | KIN, frozenset({Kind.PERSON, Kind.NAME, Kind.SEVERAL})),
    (PLACES, _ALL - {Kind.PERSON, Kind.TIME}),
)
_CARRIES: Final = {"he": HE, "she": SHE, "it": IT, "they": THEY}
_WHO_IS: Final = re.compile(r"who(?:'s| is| was) (?P<name>[^?]+?)\s*\?*$", re.IGNORECASE)
_HE_WORDS: Final = word_set("mr man boy father son brother husband king uncle nephew sir grandfather prince duke lord")
_SHE_WORDS: Final = word_set(
    "mrs ms miss woman girl mother daughter sister wife queen aunt niece dame grandmother princess duchess lady"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A question or an answer of the thread, with the phrases in it."""

    text: str
    phrases: tuple[Phrase, ...]
    age: int  # exchanges back: 1 for the newest
    answers: str = ""  # the question that it answers; empty: it is a question
    as_asked: str = ""  # of a question: as it was asked, before it stood alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedent:
    """Something that a reference may stand for; ``phrase`` is None for nothing that was said."""

    phrase: Phrase | None
    features: Features


def candidates(
    reference: Reference, question: str, own: Sequence[Phrase], thread: Sequence[Spoken]
) -> list[Antecedent]:
    """What a reference of a question may stand for: each phrase of the thread once, where it was last said; or none.

    "She" stands for a person where one is known (a "who" was answered with it, or it was "she" before), "there" for a
    place; only where there is none, for what may be one. Who was "he" before is never "she".
    """
    counts: dict[str, int] = {}
    last: dict[str, tuple[Phrase, Spoken]] = {}
    for spoken in thread:
        for phrase in spoken.phrases:
            if _only_describes(phrase, spoken, reference):
                continue
            key = _key(phrase)
            counts[key] = counts.get(key, 0) + 1
            before = last.get(key)
            if before is None or not (before[0].named and not phrase.named):
                last[key] = phrase, spoken
    said = question.casefold()
    found: list[tuple[Kind, bool, Antecedent]] = []
    for key, (phrase, spoken) in last.items():
        carried = _carried(phrase, thread)
        told = _told_kind(phrase, spoken, carried)
        kind = told or phrase.kind
        if not _says(said, key) and kind in _agreeing(reference) and {carried, reference.pointer} != {"he", "she"}:
            features = _features(reference, phrase, kind, spoken, counts[key], carried)
            found.append((kind, told is not None, Antecedent(phrase=phrase, features=features)))
    surest = _SUREST.get(reference.pointer)
    sure = [one for kind, known, one in found if kind is surest and (kind is Kind.PLACE or known)]
    if sure and not any(one.named and one.end <= reference.start for one in own):
        return sure
    nothing = Antecedent(phrase=None, features=_of_nothing(reference, question, own, thread))
    if reference.owning and any(_owns(one, reference) for one in own):
        return [nothing]  # "Did Ada sell her house?"
    return [nothing, *(one for *_, one in found)]


def chosen(reference: Reference, question: str, own: Sequence[Phrase], thread: Sequence[Spoken]) -> Phrase | None:
    """What a reference most likely stands for; None: for nothing that was said before."""
    weights = _weights()
    return max(candidates(reference, question, own, thread), key=lambda one: score(one.features, weights)).phrase


def score(features: Features, weights: Mapping[str, float]) -> float:
    """The sum of the weights of what is true."""
    return sum(value * weights.get(name, 0.0) for name, value in features.items())


@cache
def _weights() -> Mapping[str, float]:
    content: dict[str, float] = json.loads(
        files("polyhop.conversation").joinpath("antecedents.json").read_text(encoding="utf-8")
    )
    return content


def _features(
    reference: Reference, phrase: Phrase, kind: Kind, spoken: Spoken, count: int, carried: str
) -> dict[str, float]:
    pointer = reference.pointer
    place = "answer" if spoken.answers else "question"
    words = len(phrase.text.split())
    found = {
        f"{pointer}: {kind}": 1.0,
        f"{pointer}: {place}": 1.0,
        f"{pointer}: {place}, age": math.log(spoken.age),
        f"{pointer}: said often": math.log(count),
        f"{pointer}: name" if phrase.named else f"{pointer}: no name": 1.0,
        f"{place}: subject" if phrase.subject else f"{place}: no subject": 1.0,
        "words": math.log(words),
        "begins late": math.log1p(phrase.start / 20),
    }
    if _is_whole(phrase, spoken):
        found[f"{pointer}: the whole answer"] = 1.0
    if carried:
        found["carried by the same" if carried == pointer else "carried by another"] = 1.0
        if {carried, pointer} == {"he", "she"}:
            found["other sex"] = 1.0
    if _sex(phrase) not in ("", pointer) and pointer in ("he", "she"):
        found["other sex"] = 1.0
    if reference.noun and reference.noun.rstrip("s") in phrase.text.casefold():
        found[f"{pointer}: same noun"] = 1.0
    return found


def _agreeing(reference: Reference) -> frozenset[Kind]:
    """The kinds of what a reference may stand for: the agreement that grammar asks for."""
    if reference.pointer == "this" and reference.noun:
        noun = reference.noun.removesuffix("s")
        return next((kinds for nouns, kinds in _OF_NOUNS if noun in nouns or reference.noun in nouns), frozenset(Kind))
    return _AGREEING[reference.pointer]


def _only_describes(phrase: Phrase, spoken: Spoken, reference: Reference) -> bool:
    """Whether a name that is not known for a person's tells which person, so that "she" is not it but the person.

    As in "the architect of the Lisk mill". Not where the person is of the other sex: "he", after "the wife of Lisk", is
    Lisk.
    """
    if reference.pointer not in ("he", "she") or not phrase.named or phrase.kind is Kind.PERSON:
        return False
    around = (one for one in spoken.phrases if one.start < phrase.start and phrase.end <= one.end)
    return any(one.kind is Kind.PERSON and _sex(one) in ("", reference.pointer) for one in around)


def _owns(phrase: Phrase, reference: Reference) -> bool:
    """Whether a phrase of the question is what owns: the subject before it, if it agrees."""
    before = phrase.subject and phrase.end <= reference.start
    return before and phrase.named and phrase.kind in _agreeing(reference)


def _is_whole(phrase: Phrase, spoken: Spoken) -> bool:
    """Whether a phrase is all that an answer says, but for an article."""
    return bool(spoken.answers) and phrase.end - phrase.start >= len(spoken.text.strip(" .")) - len("the ")


def _told_kind(phrase: Phrase, spoken: Spoken, carried: str) -> Kind | None:
    """What kind a phrase is of by a pronoun that stood for it, or the question that it answers; None: neither tells."""
    if carried in ("he", "she"):
        return Kind.PERSON
    asked = _WHO_IS.match(spoken.answers or spoken.text)
    if asked is not None and mentions(asked[0]) == (asked["name"],):  # it is answered with what she is
        return Kind.PERSON if phrase.text == asked["name"] else None
    if not _is_whole(phrase, spoken) or phrase.kind is Kind.SEVERAL:
        return None
    return _KINDS.get(answer_type(spoken.answers))


def _of_nothing(
    reference: Reference, question: str, own: Sequence[Phrase], thread: Sequence[Spoken]
) -> dict[str, float]:
    pointer = reference.pointer
    names = sum(one.named for one in own)
    found = {
        f"{pointer}: nothing": 1.0,
        f"{pointer}: nothing, names": float(names),
        f"{pointer}: nothing, a name before": float(any(one.named and one.start < reference.start for one in own)),
        f"{pointer}: nothing, phrases": float(len(own)),
        f"{pointer}: nothing, words": math.log(1 + len(question.split())),
    }
    if pointer == "of":
        before = question[: reference.start].casefold().split()
        article = own[0].text.casefold().split()[0] if own else ""
        found |= {
            "of: nothing, definite": float(article == "the"),
            "of: nothing, no noun": float(not reference.noun),
            "of: nothing, a noun of the thread": float(
                bool(reference.noun) and any(reference.noun in spoken.text.casefold() for spoken in thread)
            ),
            "of: nothing, other or else": float("other" in before or "else" in before),
        }
    return found


def _carried(phrase: Phrase, thread: Sequence[Spoken]) -> str:
    """The pronoun that stood for a phrase in the newest question that meant it; nothing where none did."""
    for spoken in reversed(thread):
        if spoken.as_asked and phrase.text in spoken.text and not _says(spoken.as_asked, phrase.text):
            words = {word.strip("?,.!'").lower() for word in spoken.as_asked.split()}
            return next((name for name, pronouns in _CARRIES.items() if words & pronouns), "")
    return ""


def _says(text: str, words: str) -> bool:
    """Whether words stand in a text, and not only as a piece of a longer one: "Ann" is not in "annexation"."""
    return next(standing(words, text), None) is not None


def _sex(phrase: Phrase) -> str:
    words = {word.strip(".").lower() for word in phrase.text.split()}
    return "he" if words & _HE_WORDS else "she" if words & _SHE_WORDS else ""


def _key(phrase: Phrase) -> str:
    words = phrase.text.casefold().split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)
