"""The part of what somebody says that answers: without greetings and turns of phrase, or a reason, a time, a place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.english.dates import MONTH, WEEKDAYS
from polyhop.english.words import word_set
from polyhop.reading.conversations.asked import stems
from polyhop.reading.conversations.utterances import Utterance

_FILLERS: Final = (
    "hey|hi|hello|oh|ah|well|yeah|yes|yep|sure|absolutely|definitely|totally|exactly|right|true|agreed|great|awesome"
    "|cool|nice|perfect|honestly|actually|personally|basically|plus|also|then|by the way|btw|for me|in my opinion"
    "|of course|for sure|no problem|haha|lol|wow|thanks|thank you|got it|sounds good|sounds great|okay|ok|please"
)
_TELLING: Final = (
    r"i (?:really |just |also |definitely )*(?:think|guess|believe|feel like|feel|suppose|reckon|would say|gotta say"
    r"|have to say|must say)(?: that)?|i['’]d say(?: that)?"
    r"|(?:just |i )?(?:just )?(?:want|wanted) to (?:say|let you know|mention|remind you|tell you|bring up|ask|check)"
    r"(?: that| if| about| whether)?|just a (?:quick |friendly |gentle )?(?:heads[- ]up|reminder|update|note)"
    r"(?: that| about)?|i was (?:just )?(?:wondering|thinking)(?: if| that| whether| about)?"
    r"|quick question|you know|guess what|as for me|if you ask me|and|but|so|plus"
)
_LEAD: Final = re.compile(
    rf"\A(?:[^\w\"“”'’‘«(@]+|(?:{_FILLERS})\b(?: [A-Z][\w’'-]+){{0,2}}\s*[,!.:;]\s*|(?:{_TELLING})\b[,:]?\s+)+",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(
    r"\A(?!(?:The|A|An|My|Your|Our|This|That|These|Those)\b)(?:[A-Z][\w’'-]+ ){0,2}[A-Z][\w’'-]+[,!]\s+(?=\w)"
    r"(?!(?:[A-Z][\w’'-]+,? )*(?:and|or)\b)"
)
_END: Final = re.compile(r"[^\w\"”’'»)%]+\Z")
_REASON: Final = re.compile(
    r"\b(?:because(?: of)?|since|so that|in order to|due to)\b\s+(?P<reason>\S.*)", re.IGNORECASE | re.DOTALL
)
_THEREFORE: Final = re.compile(
    r"\b(?:so|that['’]s why|which is why|therefore)\b (?!that\b|much\b|many\b|far\b)", re.IGNORECASE
)
_CLAUSE: Final = ",;.!?…"  # what ends one
_PURPOSE: Final = re.compile(
    r"(?<![\w’'-])(?P<governor>[\w’'-]+) "
    r"(?=(?:in order )?to (?!(?:the|an?|my|your|our|this|that|me|you|us|see|check)\b)[a-z]+ \w)"
)
_LOOKED_THROUGH: Final = 600  # characters of a sentence in which a purpose begins
_GOVERNS: Final = word_set(
    "want wants wanted wanna need needs needed have has had going gonna love like able used use try trying tried plan "
    "planning ready happy glad excited forward chance time way how what where when in is was be seem seems hope hoping "
    "decided decide started start supposed free sure me you us him her them everyone"
)
"""Words whose infinitive says what they want or can do, rather than what for."""

_BREAK: Final = re.compile(r"[,;:.!?…]\s+|\s(?=(?:and|but|because|so|since|though|although|while)\s)", re.IGNORECASE)

_NTH: Final = r"\d{1,2}(?:st|nd|rd|th)"
_WEEKDAY: Final = f"(?:{'|'.join(WEEKDAYS)})"
_PART_OF_DAY: Final = "(?:morning|noon|afternoon|evening|night)"
CLOCK: Final = (
    r"(?:\d{1,2}(?::\d{2})?\s?(?:[ap]\.m\.|[ap]m\b|o['’]clock)|\d{1,2}:\d{2}|noon\b|midnight\b|half past \w+"
    r"|(?:around|about|at|by) \d{1,2}(?![\w:]|\s?(?:%|[a-z])))"
)
_DAY: Final = (
    rf"(?:(?:this|next|last|every) )?{_WEEKDAY}s?(?: {_PART_OF_DAY})?"
    rf"|(?:this|next|last|tomorrow|yesterday|every) (?:{_PART_OF_DAY}|week(?:end)?|month|year|summer|winter|spring)"
    rf"|in {MONTH}(?: \d{{4}})?|today|tonight|tomorrow|yesterday|in the {_PART_OF_DAY}"
    rf"|{MONTH}\.? (?:{_NTH}|\d{{1,2}})(?:,? \d{{4}})?|(?:{_NTH}|\d{{1,2}}) (?:of )?{MONTH}(?:,? \d{{4}})?"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}|the {_NTH}"
)
_LASTING: Final = (
    r"(?:(?:about|around|at least|up to) )?(?:\d+(?:-\d+| to \d+)?|an?"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?: to \w+)?|a few"
    r"|a couple of|several)[ -](?:working |business |full |whole )?"
    r"(?:second|minute|hour|day|week|month|year)s?(?: ago\b| later\b| from now\b)?"
)
_UNIT: Final = rf"(?:{CLOCK}|(?:{_DAY})\b|{_LASTING}\b)"
_JOINED: Final = r"(?:,| at| on| from| to| until| till| and| or|\s?[-–]| around| by| between)?"
MOMENT: Final = re.compile(rf"(?<!\w){_UNIT}(?:{_JOINED}\s?(?:{_UNIT}|(?:{_NTH}|\d{{1,2}})(?![\w:])))*", re.IGNORECASE)
"""A time as people say it: "this Saturday at 7 PM", "April 15 to 17", "about 30 seconds"."""

FORMULA: Final = re.compile(
    r"\W*(?:(?:hey|hi|hello|oh|aw+|great|awesome|sure|ok|okay|haha|wow)[,!]? (?:\w+,? ){0,2})?"
    r"(?:(?:please )?let me know\b|thanks?\b|looking forward\b|can['’]t wait\b|cheers\b|bye\b|take care\b|see you\b"
    r"|(?:that )?sounds? (?:like )?(?:\w+ )?(?:good|great|awesome|perfect|fun|blast|plan|amazing|nice)\W*\Z"
    r"|(?:i )?(?:just )?hop(?:e|ing) (?:you|all|everything|this|your)\b)",
    re.IGNORECASE,
)
"""What people say out of politeness, before or after what they have to say."""

WONDERS_WHETHER: Final = re.compile(
    r"\b(?:check|ask|wonder|wondering|know|curious|see|hear) (?:if|whether|about whether)\b", re.IGNORECASE
)
"""A question that is put as a statement: "just checking if you are free"."""

_NO_TIME: Final = rf"(?!{_WEEKDAY}|{MONTH}\b)"
_SIDE: Final = r"(?:[Bb]ehind|[Bb]eside|[Nn]ext to|[Oo]pposite|[Uu]nder|[Aa]bove|[Aa]cross from) "
_SPOT: Final = (
    r"(?:(?:the|my|your|our|their|his|her|a|an|that|this) (?=[\w\"“])(?:[\w’'&-]+ ){0,4}?[\"“]?[\w’'&-]+[\"”]?"
    r"|(?:[A-Z][\w’'&-]+|[\"“][^\"”]+[\"”])(?: [A-Z][\w’'&-]+)*(?: [^\W\dA-Z_]+)?)"
)
PLACE: Final = re.compile(
    rf"\b(?:(?i:at|in|near|(?<!forward )to|outside|inside|from) |(?={_SIDE})){_NO_TIME}(?P<place>(?:{_SIDE})?{_SPOT})"
    r"(?=[,.;!?\"]| (?:at|on|for|this|that|which|where|if|so|and|but|to|with|around|before|after|near|tomorrow|today"
    r"|tonight|next|when|while|is|was|are|in|by)\b|\s*\Z|\s\W)"
)
"""A place after its preposition, "at the old boathouse"; with it where it says on which side: "behind the mill"."""


def said(told: Utterance) -> tuple[int, int]:
    """Where what a sentence says stands in its passage, without greetings, calls and what ends it."""
    text = told.text
    ending = _END.search(text)
    end = ending.start() if ending else len(text)
    start = 0
    for pattern in (_LEAD, _CALLED, _LEAD):
        match = pattern.match(text[start:])
        if match is not None and start + match.end() < end:
            start += match.end()
    return told.start + start, told.start + max(end, start)


def clause_about(text: str, words: frozenset[str]) -> tuple[int, int]:
    """Where the clause of a text stands that has most of some stems, the first of such."""
    ends = [match.span() for match in _BREAK.finditer(text)]
    clauses = list(zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)], strict=True))
    return max(clauses, key=lambda clause: len(words & stems(text[slice(*clause)])))


def reason(told: Utterance) -> tuple[int, int] | None:
    """Where the reason stands that a sentence gives with a conjunction; None where it gives none."""
    match = _REASON.search(told.text)
    if match is None:
        return None
    start, end = told.start + match.start("reason"), said(told)[1]
    return (start, end) if start < end else None


def reason_before(told: Utterance, words: frozenset[str]) -> tuple[int, int] | None:
    """Where the reason stands before "so": "the glue is wet, so do not sit down", where what follows is asked about."""
    text = told.text
    match = _THEREFORE.search(text)
    before = text[: match.start()].rstrip(f"{_CLAUSE} –-") if match else ""
    start = max((before.rfind(mark) + 1 for mark in _CLAUSE), default=0)
    if match is None or len(words & stems(text[match.end() :])) <= len(words & stems(before[start:])):
        return None
    start = max(said(told)[0], told.start + start + len(before[start:]) - len(before[start:].lstrip()))
    return (start, told.start + len(before)) if start < told.start + len(before) else None


def purpose(told: Utterance, words: frozenset[str]) -> tuple[int, int] | None:
    """Where the purpose stands, "to keep it dry": an infinitive of new words after what was asked about."""
    for match in _PURPOSE.finditer(told.text, 0, _LOOKED_THROUGH):
        if match["governor"].lower() in _GOVERNS:
            continue
        before, clause = stems(told.text[: match.start()]), stems(told.text[match.end() :])
        if len(clause) > 1 and not clause & words and before & words:
            return told.start + match.end(), said(told)[1]
    return None


def spans_of(pattern: re.Pattern[str], told: Utterance, group: str | int = 0) -> Sequence[tuple[int, int]]:
    """Where a pattern stands in a sentence, as offsets into its passage."""
    return [(told.start + match.start(group), told.start + match.end(group)) for match in pattern.finditer(told.text)]
