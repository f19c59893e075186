"""Words that tell an event, without a parser: a clause, with who does what to whom, or a noun such as "discussion".

Whether it is done, or only proposed, supposed or denied, the form of the verb tells: "the fair is moved" is done. "That
the fair be moved", "to move the fair" and "the fair would be moved" are not, unless a word before them says that it was
decided, or one behind them that it was carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from polyhop.english.dates import DATE_NAMES
from polyhop.english.tables import table
from polyhop.english.verbs import is_base, is_finite, is_participle, is_past
from polyhop.english.words import (
    BE,
    DO,
    FUNCTION_WORDS,
    HAVE,
    NAME_LINKS,
    ORGANISATIONS,
    PLACES,
    THINGS,
    TITLE_NOUNS,
    word_set,
)

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
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\S")
_UNREAL: Final = word_set("would could might may can should")
_REAL: Final = (BE - {"be", "been", "being"}) | DO | HAVE | word_set("will shall must am going due need needs")
_DENYING: Final = word_set("not never cannot hardly")
_AUXILIARY: Final = _UNREAL | _REAL | _DENYING | word_set("to be been being")
_BETWEEN: Final = word_set("also now then first again soon only just all both")  # and words in -ly
_STOPS: Final = frozenset(",;:.")
_REACH: Final = 4  # words between a verb and its "instead": "be on Saturday 21 June instead"
_PROPOSING: Final = (
    r"propos\w+|suggest\w*|recommend\w*|request\w*|ask(?:s|ed|ing)?|motions?"
    r"|mov(?:es|ed)(?=[^.;:]{0,200}\bthat\b| to \Z)"
    r"|wants?|wanted|wish\w*|hop(?:e[sd]?|ing)|like|prefer\w*|consider\w*|discuss\w*|demand\w*|urg(?:e[sd]?|ing)"
    r"|petition\w*|ideas?|drafts?|oppos\w+|against|reject\w*|refus\w+|declin\w+"
)
_DECIDING: Final = (
    r"decid(?:e[sd]?|ing)|decisions?|resol(?:ve[sd]?|utions?)|agree[sd]?|vot(?:e[sd]|ing)|orders?|ordered|rul(?:es|ed)"
    r"|determined|enact(?:s|ed)|direct(?:s|ed)|confirm(?:s|ed)|announce[sd]?"
)
_SAYING: Final = r"said|says?|told|tells?|wrote|writes?|heard|hears?|learn(?:t|ed)"  # "told us that the fair would"
_GOVERNS: Final = re.compile(
    rf"\b(?:(?P<proposing>{_PROPOSING})|(?P<deciding>{_DECIDING})|(?P<saying>{_SAYING}))\b", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"\W*(?:propos\w+|suggest\w+|motions?|requests?|ideas?|drafts?)\b[^:.]{0,20}:", re.IGNORECASE
)
_ASKS: Final = re.compile(r"\W*(?:could|would|can|might|should)\b", re.IGNORECASE)  # "Could we move it, please."
_THAT: Final = re.compile(r"\bthat\b[^,]*\Z", re.IGNORECASE)
_SUPPOSED: Final = re.compile(  # "If it rains, the fair", "ask whether the fair"; not "say if you come, as the fair"
    r"\A\W*(?:if|unless|in case)\b|(?<!even )(?<!as )\b(?:if|whether|unless|in case)\b[^,]*\Z", re.IGNORECASE
)
_ON_CONDITION: Final = re.compile(r"(?:(?!\b(?:and|so|please)\b)[^,;:])*?\b(?:if|unless|provided)\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[;:]\s")
_BARE: Final = re.compile(r"(?:move|change|rise|put)\b", re.IGNORECASE)
_CARRIED: Final = "carried|adopted|passed|agreed|approved|accepted|enacted"
_OUTCOME: Final = re.compile(
    r"\b(?P<lost>lost|reject(?:s|ed)?|defeated|withdr[ae]wn?|fail(?:s|ed)|refused?|declined?|dismissed|deferred"
    rf"|adjourned|postponed|(?:not|\w+n['’]t) (?:\w+ )?(?:{_CARRIED}))\b|\b(?:{_CARRIED})\b",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(r"\b(?:mov|propos)(?:es|ed)\b", re.IGNORECASE)  # the next motion


class Mood(StrEnum):
    """How what a clause says stands to what is so."""

    DONE = "done"
    PROPOSED = "proposed"  # until somebody says that it was carried
    UNREAL = "unreal"  # denied, or supposed


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


def mood_at(said: str, place: int, *, is_verb: bool = True) -> Mood:
    """The mood of the verb at a place of a sentence, by what stands before it; if it is none, of the verb before it."""
    before = _CLAUSE.split(said[:place])[-1]
    group = _verb_group(before, 0 if is_verb else _REACH)
    denied = any(word in _DENYING or word.endswith(("n't", "n’t")) for word in group)
    if denied or _SUPPOSED.search(before) or _ON_CONDITION.match(said, place):
        return Mood.UNREAL
    *_, governor = (None, *_GOVERNS.finditer(before))
    proposing = governor is not None and governor["proposing"] is not None
    deciding = governor is not None and governor["deciding"] is not None
    after = before[governor.end() :] if governor is not None else ""
    finite = next((word for word in group if word in _UNREAL or word in _REAL), "")
    if _LABEL.match(said) or _ASKS.match(before) or (proposing and _THAT.search(after)):
        done = False
    elif finite in _UNREAL:
        done = deciding or (finite == "would" and governor is not None and not proposing)
    elif "be" in group and not finite and "to" not in group:  # the subjunctive
        done = deciding
    elif "to" in group and not finite:
        done = not proposing
    else:
        done = bool(finite) or not proposing or "," in after or (is_verb and not _BARE.match(said, place))
    return Mood.DONE if done else Mood.PROPOSED


def is_carried(rest: Iterable[str]) -> bool:
    """Whether the first that is told of a proposal's outcome, in what follows it, is that it was accepted."""
    for number, text in enumerate(rest):
        if number > 0 and _ANOTHER.search(text):
            return False
        outcome = _OUTCOME.search(text)
        if outcome is not None:
            return outcome["lost"] is None
    return False


def _verb_group(before: str, reach: int) -> list[str]:
    """The auxiliaries right before a verb, in small letters; so many other words may part them from it."""
    words = [word.lower() for word in _WORD.findall(before)]
    while reach and words and words[-1] not in _AUXILIARY and words[-1] not in _STOPS:
        words.pop()
        reach -= 1
    group: list[str] = []
    while words and (
        words[-1] in _AUXILIARY or words[-1] in _BETWEEN or words[-1].endswith(("ly", "n't", "n’t", "'ll", "’ll"))
    ):
        group.append(words.pop())
    return group[::-1]
