"""What a question about conversations wants: who is to have said it, when, and what kind of answer it asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from polyhop.documents.conversations.stamps import DAY, day_of, is_dated, minute_of
from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.dates import MONTH, month_number
from polyhop.english.events import SPEECH
from polyhop.english.verbs import base_form
from polyhop.english.words import (
    AUXILIARIES,
    BE,
    DO,
    FUNCTION_WORDS,
    HAVE,
    KIN,
    ORGANISATIONS,
    PEOPLE,
    ROLES,
    WH_WORDS,
    word_set,
)
from polyhop.indexes.folding import family, pieces, tokens

Wish = Literal["verdict", "speaker", "moment", "time", "name", "place", "reason", "errand", "topic", "statement"]
"""Yes or no; who says it; when the conversation took place; a time, a name, a place, a reason that is told; why
somebody turns to somebody; what a conversation is about; otherwise what is said."""

_LAST: Final = re.compile(
    r"(?:(?<!\bvs)(?<!\bDr)(?<!\bSt)(?<!\bM[rs])(?<!\bMrs)[.!]\s+|\A\s*question:\s*)(?=[^.!]*\?\s*$)", re.IGNORECASE
)
_DATE: Final = re.compile(DAY)
_WHERE_SAID: Final = re.compile(
    r",?\s*\b(?:as (?:mentioned|discussed|stated|said)|according to|in|during|from)\s+(?:the |their |his |her |an? )?"
    r"(?:[\w'’]+ ){0,3}?(?:conversation|discussion|chat)s?\b"
    r"(?: (?:with|between) [A-Z][\w-]+(?: [A-Z][\w-]+)?(?: and [A-Z][\w-]+(?: [A-Z][\w-]+)?)?)?"
    r"(?= on\b|\?|\Z)"
)
_WHEN_SAID: Final = re.compile(r"\s*\b(?:on |at )?\d{4}[-/.]?[01]\d[-/.]?[0-3]\d(?:_\d\d:?\d\d)?\b")
_MONTH: Final = re.compile(rf"\b(?:in|during|of|within|last|this) ({MONTH})\b")
_CLOCK: Final = re.compile(r"\bat (?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?:\s?(?P<half>[ap])\.?m\b)?", re.IGNORECASE)
_OF_ASKING: Final = re.compile(r"\b(?:ask|asks|asked|asking|inquires?|inquired|wonders?|wondered)\b", re.IGNORECASE)
_HOUR: Final = re.compile(
    r"\b(?:what|which) (?:(?:exact|new|other|usual|first|last|earliest|latest) )?(?:time|hour|date|day|weekday)\b"
    r"|\bhow (?:long|soon)\b",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(
    r"\b(?:(?:topic|subject|theme)s? (?:of|in) (?:the |their |this |his |her |an? )?(?:\w+ ){0,3}?"
    r"(?:conversation|discussion|chat)"
    r"|what (?:is|was) (?:the|their|this) (?:\w+ ){0,2}?(?:conversation|discussion|chat) .*?\babout)\b",
    re.IGNORECASE,
)
_ERRAND: Final = re.compile(
    r"\bwhy (?:did|does|do|is|was|are|were|has|had|would) (?:[\w'’-]+ ){1,5}?(?:(?:writ(?:e|ing|ten)|messag(?:e|ing)"
    r"|text(?:ing)?|contact(?:ing)?|reach(?:ing)? out|get(?:ting)? in touch|turn(?:ing)? to|ask(?:ing)?"
    r"|inquir(?:e|ing)|remind(?:ing)?|prais(?:e|ing)|thank(?:ing)?|inform(?:ing)?|tell(?:ing)?|congratulat(?:e|ing)"
    r"|apologi[sz](?:e|ing)|warn(?:ing)?|worried|concerned|check(?:ing)? in)\b)",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(
    r"\bwhat\b.*(?:\b(?:called|named)\W*\Z|\bto (?:call|name)\b)|\bwhat (?:do|does|did) .* (?:call|name)\b",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(
    r"\bhow (?:many|much|large|big|small|tall|high|wide|deep|heavy|fast|far|old|often)\b", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    rf"\bhow (?:many|much) (?P<counted>[\w -]+?)(?= (?:{'|'.join(sorted(AUXILIARIES))})\b|\?|,|\Z)", re.IGNORECASE
)
_AMOUNTS: Final = word_set(
    "price cost fee fare rent salary score result size amount percentage percent discount length height width weight "
    "budget age distance temperature deposit rate"
)
_KIND: Final = re.compile(r"\b(?:what|which) (?:kind|sort|type)s? of\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"\b(?:what|which) (?:is|was|are|were) the (?:name|names|title|titles) of\b", re.IGNORECASE)
_ASKED_NOUN: Final = re.compile(
    r"\b(?:what|which|whose)\s+(?:(?:kind|sort|type)s? of\s+)?(?:(?!of\b|is\b|are\b|was\b|were\b|do\b|does\b|did\b)"
    r"[\w'’-]+\s+){0,3}?(?P<noun>(?!of\b)[\w-]+?)s?\s+"
    r"(?:of\b|is|was|are|were|do|does|did|has|have|had|can|could|will|would|should|made|makes)\b"
    r"|\bwhat (?:is|are|was|were) (?:the |[\w ]+?['’]s? )(?:[\w-]+ ){0,3}?(?P<called>[\w-]+?)s?"
    r"(?= (?:of|at|for|in|on|to|that|where|which|who)\b|\?|$)",
    re.IGNORECASE,
)
_WHICH_OF: Final = re.compile(
    r"\bwhich (?:one )?of (?:the|these|those|his|her|their|our|\w+['’]s?) (?:[\w-]+ ){0,2}?(?P<noun>[\w-]+?)s\b",
    re.IGNORECASE,
)
_FAVOURITE: Final = re.compile(
    r"\bfavou?rite (?:[\w-]+ ){0,2}?(?P<noun>[\w-]+?)s?\b(?= in\b| of\b| from\b|\?|$)", re.IGNORECASE
)
VENUES: Final = word_set(
    "restaurant cafe café bar shop store club hotel museum brand company website site app team hospital clinic "
    "school university college gym studio street library airline bank"
)
_NAMES: Final = VENUES | word_set(
    "name title game movie film show series book novel song album track band artist singer actor actress author "
    "character hero superhero villain player coach platform city country town place park podcast channel console model "
    "dog cat pet password code number address username nickname"
)
"""What is called by a name, a title or a word of its own, rather than told in a clause."""

_BODIES: Final = ROLES | PEOPLE | KIN | ORGANISATIONS | _NAMES
_OF_WHOM: Final = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_NAMED_KINDS: Final = (
    AnswerType.PERSON,
    AnswerType.PLACE,
    AnswerType.WORK,
    AnswerType.ORGANISATION,
    AnswerType.NUMBER,
    AnswerType.DATE,
)
_NEGATED: Final = re.compile(
    r"(?:\A|(?<=[.!?] )|(?<=: ))(?:(?P<cut>ca|wo)|(?P<whole>is|are|was|were|do|does|did|has|have|had|would|could"
    r"|should))n['’]t\b",
    re.IGNORECASE,
)
_CUT: Final = {"ca": "can", "wo": "will"}
_FROM: Final = re.compile(r"\b(?:get|got|gets|receives?|received|hears?|heard|learns?|learned|learnt)\b", re.IGNORECASE)
_ANY_CLOCK: Final = re.compile(
    r"\b(?:at|around|from)?\s*\d{1,2}(?:[:.]\d{2})?\s*(?:[ap]\.?m\b\.?|o'clock)?", re.IGNORECASE
)
_WHOLE: Final = frozenset(
    tokens(
        "what which was were is are did do does have has had been the a an of in on at about between and with to for "
        "we they them us i he she there tell me main topic topics subject theme gist conversation conversations chat "
        "chats group discussion call meeting talk talked talking discuss discussed speak spoke said happen happened "
        "going summarise summarize summary"
    )
)
"""Words with which a whole conversation is asked for, and nothing that is said in it."""

_SMALL: Final = FUNCTION_WORDS | AUXILIARIES | word_set("according conversation discussion chat group their his her")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatQuestion:
    """A question with its speakers' names as they are spoken, and what it wants."""

    question: str  # without in which conversation and on which day it was said
    wish: Wish
    kind: AnswerType
    noun: str = ""  # what the question calls the answer, as in "which game"
    several: bool = False  # whether it asks for more than one
    named: tuple[str, ...] = ()  # the speakers that it names, in its order
    teller: str = ""  # who of them is likely to say the answer
    dates: tuple[str, ...] = ()  # the days that it names, as eight digits
    months: tuple[int, ...] = ()
    minute: int = -1  # the minute of the day that it names beside a day, -1 for none; "5 PM" is one
    measured: bool = False  # whether it asks for a number or an amount
    counted: frozenset[str] = frozenset()  # the stems of what "how many" counts
    of_question: bool = False  # whether it asks what somebody asked
    words: frozenset[str] = frozenset()  # the stems of what the question says that is not small

    @classmethod
    def of(cls, question: str, speakers: Sequence[str]) -> ChatQuestion:
        """What a question wants of conversations between these speakers."""
        whole = _affirmed(spelled(" ".join(question.split()), speakers))
        text = _LAST.split(whole)[-1]
        noun = _noun(text)
        wish = "topic" if asks_of_all(text, speakers) else _wish(text, noun)
        named = named_speakers(text, speakers)
        question = _WHEN_SAID.sub("", _WHERE_SAID.sub("", whole)).strip()
        return cls(
            question=question,
            wish=wish,
            kind=_kind(text, noun),
            noun=noun,
            several=bool(noun) and _is_plural(noun, text),
            named=tuple(named),
            teller="" if wish == "speaker" else _teller(text, named),
            dates=tuple(filter(None, (day_of(match[0]) for match in _DATE.finditer(text)))),
            months=tuple(month_number(match[1]) for match in _MONTH.finditer(text)),
            minute=minute_in(text),
            measured=_MEASURED.search(text) is not None or noun in _AMOUNTS,
            counted=_counted(text),
            of_question=wish != "errand" and _OF_ASKING.search(text) is not None,
            words=stems(question),
        )


def _is_plural(noun: str, question: str) -> bool:
    """Whether a question asks for more than one of what it calls its answer."""
    plurals = rf"\b(?:{re.escape(noun)}s|{re.escape(noun.removesuffix('y'))}ies)\b"
    plural = re.search(plurals, question, re.IGNORECASE) is not None
    return plural and _WHICH_OF.search(question) is None


def minute_in(question: str) -> int:
    """The minute of the day that a question names beside a day, -1 where it names none; "5 PM" is one."""
    if _DATE.search(question) is None:
        return -1
    found = _CLOCK.search(question)
    if found is None:
        return minute_of(question)
    hour = int(found["hour"])
    if half := (found["half"] or "").lower():
        hour = hour % 12 + 12 * (half == "p")
    return hour * 60 + int(found["minute"] or 0)


def _counted(question: str) -> frozenset[str]:
    """The stems of what "how many" asks to count: "how many new steps do you take" counts steps."""
    found = _COUNTED.search(question)
    return stems(found["counted"]) if found else frozenset()


def stems(text: str) -> frozenset[str]:
    """The first letters of the words of a text that mean something: two words of one family share them."""
    return frozenset(family(word) for word in pieces(text) if len(word) > 1 and word not in _SMALL)


def spelled(question: str, speakers: Sequence[str]) -> str:
    """A question with every speaker's name as it is spoken: ``AdaBrisk`` is Ada Brisk."""
    for speaker in sorted(speakers, key=len, reverse=True):
        question = re.sub(rf"\b{re.escape(speaker.replace(' ', ''))}\b", speaker, question)
    return question


def _affirmed(question: str) -> str:
    """A question that begins with "Isn't" or "Won't" as one with "Is" or "Will": both are answered alike."""
    return _NEGATED.sub(lambda match: match["whole"] or _CUT[match["cut"].lower()], question)


def _teller(question: str, named: Sequence[str]) -> str:
    """Who says the answer: whoever something is done by or heard from, or else the first named who is not told it."""
    joints = "by|from" if _FROM.search(question) else "by"
    forms = {speaker: rf"(?:{re.escape(speaker)}|{re.escape(speaker.split()[0])})\b" for speaker in named}
    for speaker in named:
        if re.search(rf"\b(?:{joints}) {forms[speaker]}(?!['’])", question):
            return speaker
    told = (speaker for speaker in named if not re.search(rf"\b(?:to|should) {forms[speaker]}(?!['’])", question))
    return next(told, "")


def named_speakers(question: str, speakers: Sequence[str]) -> list[str]:
    """The speakers that a question names, whole or by their first name, in its order; the longest name first."""
    found: dict[int, str] = {}
    for speaker in sorted(set(speakers), key=lambda name: (-len(name), name)):
        first = speaker.split()[0]
        for form in dict.fromkeys((speaker, first) if len(first) > 2 else (speaker,)):
            match = re.search(rf"\b{re.escape(form)}\b", question)
            if match is not None and match.start() not in found:
                found[match.start()] = speaker
                break
    return list(dict.fromkeys(found[at] for at in sorted(found)))


def _noun(question: str) -> str:
    """What a question calls its answer, in the singular, or nothing."""
    found = _FAVOURITE.search(question) or _WHICH_OF.search(question) or _ASKED_NOUN.search(question)
    parts = found.groupdict() if found else {}
    noun = (parts.get("noun") or parts.get("called") or "").lower()
    if noun.endswith(("s", "u", "i")) and re.search(rf"\b{re.escape(noun)}s\b", question, re.IGNORECASE):
        noun = f"{noun}s"  # an address, the status, a basis
    if noun.endswith("ie") and f"{noun[:-2]}y" in _BODIES:
        noun = f"{noun[:-2]}y"
    return "" if noun in AUXILIARIES or f"{noun}s" in AUXILIARIES else noun


def _wish(question: str, noun: str) -> Wish:
    """What a question asks for, told by the word that it begins with or asks with, and by what that asks about."""
    words = [word.strip(",.?!\"'“”") for word in question.split()]
    low = [word.lower() for word in words]
    if low and low[0] in AUXILIARIES:
        return "verdict"
    at = next((i for i, word in enumerate(low) if word in WH_WORDS), None)
    if at is None:
        return "statement"
    after = low[at + 1] if at + 1 < len(low) else ""
    if _TOPIC.search(question):
        return "topic"
    if _HOUR.search(question):
        return "time"
    match low[at]:
        case "when":
            return _of_when(low[at + 1 :])
        case "who" | "whom":
            return _of_who(words[at + 1 :])
        case "where":
            return "place"
        case "why":
            return "errand" if _ERRAND.search(question) else "reason"
        case "how":
            return "name" if after in ("many", "much", "old", "tall", "far") else "statement"
        case "what" | "which":
            if _KIND.search(question):
                return "statement"
            named = noun in _NAMES or _NAMED.search(question) is not None or _CALLED.search(question) is not None
            return "name" if named or _kind(question, noun) in _NAMED_KINDS else "statement"
        case _:
            return "statement"


def _kind(question: str, noun: str) -> AnswerType:
    """The kind of thing asked for; a noun that only sounds like a person's ("flavour") asks for nobody."""
    kind = answer_type(question)
    odd = kind in (AnswerType.PERSON, AnswerType.ORGANISATION) and noun in question and noun not in _BODIES
    return AnswerType.THING if noun and odd and not _OF_WHOM.search(question) else kind


def _of_who(rest: Sequence[str]) -> Wish:
    """Whether "who" asks for whoever does something, or for somebody who is spoken of.

    "Who has found it", "who is planning it" and "who can help" do; "who has Ada invited" and "who is the coach" do not.
    """
    if not rest or rest[0].lower() not in AUXILIARIES:
        return "speaker"
    if rest[0].lower() in HAVE and len(rest) > 1 and rest[1].lower() in ("the", "a", "an"):
        return "speaker"
    verb = next((word for word in rest[1:] if not word.endswith("ly")), "")
    if not verb[:1].islower() or verb in FUNCTION_WORDS - {"been"} or rest[0].lower() in DO:
        return "name"
    return "speaker" if rest[0].lower() not in BE or verb.endswith("ing") else "name"


def _of_when(rest: Sequence[str]) -> Wish:
    """Whether "when" asks for the conversation's own time: for when something was said or done in it."""
    if not rest or rest[0] not in ("did", "does", "was", "has"):
        return "time"
    said = [i for i, word in enumerate(rest) if base_form(word) in SPEECH or word in SPEECH]
    follows = rest[said[0] + 1 : said[0] + 5] if said else ()
    clause = any(word in ("is", "are", "was", "will", "can", "that") for word in follows)
    return "moment" if said and not clause else "time"


def asks_of_all(question: str, names: Sequence[str]) -> bool:
    """Whether a question asks what a conversation of a day is about, rather than for something that is said in it.

    ``names``: of those who speak in it.
    """
    if not is_dated(question):
        return False
    said = set(tokens(_ANY_CLOCK.sub(" ", _DATE.sub(" ", question))))
    return said <= _WHOLE.union(*(tokens(f"{name} {name.replace(' ', '')}") for name in names))
