"""Whether a clause tells what is done, or only what is proposed, supposed or denied.

The form of the verb tells it: "the fair is moved" is done. "That the fair be moved", "to move the fair" and "the fair
would be moved" are not, unless a word before them says that it was decided, or one behind them that it was carried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from polyhop.english.words import BE, DO, HAVE, word_set

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
