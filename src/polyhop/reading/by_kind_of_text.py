"""Hands a question to whoever reads its kind of text: another language, the days of conversations, or all else.

What is read is held against sentences that announce a change: minutes, letters and threads of mail say first what was
planned, and some lines or days later what it has become.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.dates import DATE, DAY_IN_DIGITS, WEEKDAY, parse_date
from polyhop.english.events import Mood, is_carried, mood_at
from polyhop.english.numbers import CURRENCY, amount_in
from polyhop.indexes.folding import fold
from polyhop.models.choice import Models
from polyhop.reading.abroad.questions import asked_abroad
from polyhop.reading.conversations.of_a_day import of_the_day, read_day
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.event_order import ordered, when_said
from polyhop.reading.pointing import Pointed, point_together
from polyhop.reading.reader import Quote, Reading, headings_over, text_of
from polyhop.reading.rows import rows_counted, word_families
from polyhop.types import AnswerKind, Evidence, Passage

Reads = Callable[[str, Evidence, Sequence[Passage], Models], Reading]

ANNOUNCED: Final = 0.25  # chance that a sentence which announces a change tells what is asked, at least
LATER: Final = 0.15  # the same for a later message of the thread
LEAST: Final = 0.4  # of the confidence of a changed value; below, the other one stays
COUNTED: Final = 0.7  # chance that as many things are meant as rows have the values that are named
LONGEST: Final = 5  # words of a value: "Saturday 14 June 2031"
FOLLOWING: Final = 6  # sentences behind a proposal that may tell what became of it
OUTCOME: Final = 4  # words of one that does so in a paragraph of its own: "Carried by five votes."
SHARED: Final = 2  # words of the question in such a sentence of another document; one, where it names what was before
_CORRECTION: Final = r"(?:correction|corr|errat(?:um|a))s?\b"
_CORRECTS: Final = re.compile(  # also a callout of notes: "[!warning] Correction of 4 May"
    r"\W*(?:\[!\w+\]\W*)?"
    rf"(?:(?:update|change)\b[^:\n]{{0,20}}\d[^:\n]{{0,20}}:|{_CORRECTION}|amendment\b)",
    re.IGNORECASE,
)
_OF_CORRECTIONS: Final = re.compile(rf"\W*(?:\[!\w+\]\W*)?{_CORRECTION}", re.IGNORECASE)  # a heading or paragraph
_CHANGES: Final = re.compile(
    r"\b(?:moves?|moved(?! to [a-z]+ (?:the|an?|our|its|their)\b)|changes?|changed|extended|postponed|rescheduled"
    r"|brought forward|put (?:back|off)|shifted"
    r"|raised|lowered|reduced|increased|rises?|rose|falls|fell|goes (?:up|down)|corrected|amended|revised)\b(?! back)"
    r"(?=(?:(?!\bthat\b)(?:[^.;]|\.\d)){0,60}\b(?:to|until|till)\b)"
    r"|\bmoved? (?:it|this|that(?= to\b)|them)\b|\b(?:is|are|was|were|be|it's) now\b|\binstead\b(?! of)|\bno longer\b"
    r"|\b(?:replaced|substituted)\b(?=(?:[^.;]|\.\d){0,60}\b(?:by|with|for)\b)|\bout of date\b|\boutdated\b"
    r"|\bshould read\b(?! (?:the|an?|th[eio]se|this|that|all|its?|our|your|them|about|every|each|more)\b)"
    r"|\bgot (?:\S+ ){1,3}wrong\b|\b(?:is|was|were) wrong\b(?! way)",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\b\d{1,2}(?:[:.]\d\d(?!\d)|(?:[:.]\d\d)? ?[ap](?:\.m\.|\.?m\b))", re.IGNORECASE)
_DAY: Final = re.compile(
    rf"{DAY_IN_DIGITS.pattern}|(?:\b{WEEKDAY}s?,? )?(?:{DATE.pattern})|\b{WEEKDAY}s?\b", re.IGNORECASE
)
_FORMERLY: Final = re.compile(  # "An earlier version said that the reserve has 122 hectares."
    r"\b(?:(?:an?|the|our) (?:earlier|former|original|previous)"
    r"|(?:previous|former|original|mistaken|wrong)ly|used to)\b",
    re.IGNORECASE,
)
_INSTEAD: Final = r"instead of|in place of|in lieu of|rather than|not"  # "1838, not 1836"
_QUOTED: Final = r"[\"'“”‘’]?"
_ASKS_TIME: Final = re.compile(r"\s*(?:at |from |until )?(?:what time|when)\b", re.IGNORECASE)
_WITH_CURRENCY: Final = re.compile(rf"\A{CURRENCY}")
_AMOUNT: Final = re.compile(rf"(?:{CURRENCY})?\d+(?:[.,]\d+)*%?")
_TO: Final = re.compile(
    rf"\b(?:to|until|till|(?<=replaced )(?:by|with)|(?<=should )read) (?:the )?{_QUOTED}", re.IGNORECASE
)
_REPLY: Final = re.compile(r"\A(?:(?:re|aw|fwd?|wg)\s*:\s*)+", re.IGNORECASE)
_SENT: Final = re.compile(r"\ASubject: [^\n]*\n(?:[A-Z][a-z]+: [^\n]*\n)*?Date: ([^\n]*)")  # as mail is read


def read_by_kind_of_text(question: str, evidence: Evidence, models: Models, reads: Reads) -> Reading:
    """What dates tell where they are asked about, what rules find in other languages, and else what ``reads`` does."""
    passages = list(evidence.passages)
    if not passages:
        return Reading(text=None, note="there is nothing to read")
    abroad = asked_abroad(question)
    if abroad is not None:
        from polyhop.reading.abroad.reader import read_abroad  # tables that English questions do not need

        return read_abroad(question, abroad, passages)  # which sees by itself what is not spoken of
    dated = ordered(question, passages, models) or read_day(question, passages)
    if dated is not None and (dated.text is not None or all(map(SpokenPassage.of, passages))):
        return dated  # what the days of conversations do not tell, nothing in them does; prose may, in words
    counted = rows_counted(question, passages)
    if counted:
        quotes = tuple(row.quote for row in counted)
        return Reading(text=str(len(counted)), quotes=quotes, confidence=COUNTED, note="counted rows")
    said = when_said(question, passages, models)
    read = as_changed(question, reads(question, evidence, of_the_day(question, passages), models), passages, models)
    if dated is not None:
        read = replace(read, note=f"{dated.note}; {read.note}")
    trusted = said is not None and (read.text is None or said.confidence >= read.confidence)
    return said if said is not None and trusted else read


def as_changed(question: str, read: Reading, passages: Sequence[Passage], models: Models) -> Reading:
    """The reading, with the day, time or amount that a sentence announces instead of the one that was read.

    Such a sentence stands behind the other one in its document, in a later message of its thread, or in another
    document that speaks of what is asked. It is as sure as the other, by the share that it has of what is announced.
    """
    value = _with_currency(read.text or "", text_of(read.quotes[0])) if read.quotes else ""
    kind = _kind(value)
    if kind == "amount of " and _ASKS_TIME.match(question) is not None:  # "the first race is at 10"
        kind = "clock"
    if read.kind is not AnswerKind.VALUE or not read.text or not read.quotes or not kind:
        return read
    told, before = read.quotes[0], _core(value)
    found = point_together(question, list(_announcing(question, told, before, passages)), models)
    values = [
        one
        for one in map(_whole, found.answers)
        if one.quote is not None
        and _kind(one.text) == kind
        and (_becomes(text_of(one.quote), before, kind) or not _is_former(_core(one.text), text_of(one.quote)))
    ]
    best = next(iter(values), None)
    if best is None or best.quote is None:
        return read
    said = _becomes(text_of(best.quote), before, kind) or best.text
    least = LATER if _is_later(best.quote.passage, told.passage) else ANNOUNCED
    likely = best.chance >= least or _is_named_before(before, text_of(best.quote))
    same = fold(said) in fold(before) or fold(before) in fold(said)
    of_it = sum(one.chance for one in values if one.quote == best.quote)
    confidence = read.confidence * of_it / sum(one.chance for one in values)
    if not likely or same or confidence < LEAST:
        return read
    quotes = (best.quote, *(quote for quote in read.quotes if quote != best.quote))
    return replace(
        read, text=said, quotes=quotes, confidence=confidence, note=f"{before!r} before it was changed; {read.note}"
    )


def _announcing(question: str, told: Quote, before: str, passages: Sequence[Passage]) -> Iterator[Quote]:
    """The sentences that announce a change of what the quotation tells."""
    asked = word_families(question)
    for passage in passages:
        behind = passage.document_id == told.passage.document_id
        later = _is_later(passage, told.passage)
        spans = list(sentence_spans(passage.text))
        for number, span in enumerate(spans):
            quote = Quote(passage, *span)
            said = text_of(quote)
            named = _is_named_before(before, said)
            if said.rstrip().endswith("?") or (quote == told and not named):
                continue
            if not _announces(quote, before, spans[number + 1 : number + 1 + FOLLOWING]):
                continue
            follows = behind and quote.start + passage.start > told.passage.start + told.start
            shared = len(asked & word_families(said))
            of_it = (not behind and shared >= SHARED) or (named and (shared > 0 or _names(said, told.passage)))
            if follows or later or of_it:
                yield quote


def _names(said: str, passage: Passage) -> bool:
    """Whether a sentence names the document that a passage is of, by all words of its title."""
    called = word_families(passage.title)
    return bool(called) and called <= word_families(said)


def _announces(quote: Quote, before: str, following: Sequence[tuple[int, int]]) -> bool:
    """Whether a sentence tells that something was changed, or is instead of what was before; not what is proposed."""
    said, text = text_of(quote), quote.passage.text
    paragraph = text[text.rfind("\n\n", 0, quote.start) + 1 : quote.end]
    if _CORRECTS.match(said) or any(map(_OF_CORRECTIONS.match, (paragraph, *headings_over(quote)))):
        return True
    changes = [(match.start(), match[0].lower() != "instead") for match in _CHANGES.finditer(said)]
    changes += [(place, False) for place in _instead_of(before, said)]
    moods = [(mood_at(said, place, is_verb=is_verb), place) for place, is_verb in changes]
    return any(mood is Mood.DONE for mood, _ in moods) or any(
        is_carried(_rest(quote, place, following)) for mood, place in moods if mood is Mood.PROPOSED
    )


def _rest(quote: Quote, place: int, following: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What is said behind a place of a sentence, to the end of its paragraph and of short ones below: "Carried"."""
    text, behind = quote.passage.text, quote.end
    yield text[quote.start + place : behind]
    for start, end in following:
        if "\n\n" in text[behind:start] and len(text[start:end].split()) > OUTCOME:
            return
        yield text[start:end]
        behind = end


def _is_later(passage: Passage, other: Passage) -> bool:
    """Whether a message belongs to the thread of another one, and was sent after it."""
    ours, theirs = _SENT.match(passage.text), _SENT.match(other.text)
    if ours is None or theirs is None:
        return False
    answers = passage.thread != "" and passage.thread == other.thread  # whatever its subject has become
    return (answers or _about(passage) == _about(other)) and _moment(ours[1]) > _moment(theirs[1])


def _about(passage: Passage) -> str:
    return fold(_REPLY.sub("", passage.title))


def _moment(sent: str) -> tuple[tuple[int, int, int], str]:
    day, _, clock = sent.partition(", ")
    return parse_date(day) or (0, 0, 0), clock


def _whole(one: Pointed) -> Pointed:
    """What was pointed at, with the currency before it."""
    return one if one.quote is None else replace(one, text=_with_currency(one.text, text_of(one.quote)))


def _with_currency(value: str, said: str) -> str:
    """A value with the sign or the code for money that stands before it in a sentence: "EUR 7,400"."""
    found = re.search(rf"{CURRENCY}{re.escape(value)}(?!\w)", said) if value[:1].isdigit() else None
    return value if found is None else found[0]


def _core(text: str) -> str:
    """A day without what stands beside it: the 1836 of "b. 1836"; another value as it is."""
    day = _DAY.search(text) if _kind(text) == "day" else None
    return day[0].rstrip(".,") if day is not None else text


def _kind(text: str) -> str:
    """What kind of value a short text is: a day, a time, or an amount of something; nothing for others."""
    if len(text.split()) > LONGEST:
        return ""
    if DAY_IN_DIGITS.search(text):
        return "day"
    clock = _CLOCK.search(text)
    counted = amount_in(text, *clock.span()) if clock is not None else None
    if clock is not None and (":" in clock[0] or counted is None or not counted.kind):  # "0.25 mm" is no time
        return "clock"
    amount = amount_in(text, 0, len(text))
    if (amount is None or not amount.kind) and DATE.search(text):  # "£800" is no year
        return "day"
    if amount is None and _DAY.search(text):
        return "day of the week"
    return f"amount of {amount.kind}" if amount is not None else ""


def _is_named_before(value: str, said: str) -> bool:
    """Whether a sentence names a value as the one that was: "from 12 to 15 pounds", "15 pounds (was 12)"."""
    was = re.search(rf"\b(?:from|was|were) {_former(value)}", said, re.IGNORECASE)
    return was is not None or next(_instead_of(value, said), None) is not None


def _instead_of(value: str, said: str) -> Iterator[int]:
    """Where a sentence tells that something else is instead of a value: "not 12", "in place of 12", "replaces 12"."""
    former = _former(value)
    for pattern in (
        rf"\b(?:{_INSTEAD}|replac(?:es?|ed|ing)|substitut\w+\b[^.;]{{0,60}} for) {former}",
        rf"{former}{_QUOTED} (?:\w+ ){{0,2}}replaced\b|\bfor {former}\W{{1,3}}(?:\w+ ){{0,3}}substitut",
    ):
        yield from (match.start() for match in re.finditer(pattern, said, re.IGNORECASE))


def _former(value: str) -> str:
    """A pattern for a value that is named, perhaps in quotation marks, or with its currency written otherwise."""
    return rf"{_QUOTED}(?:{CURRENCY})?{re.escape(_WITH_CURRENCY.sub('', value))}(?!\w)"


def _is_former(value: str, said: str) -> bool:
    """Whether a sentence tells a value that was changed, or of what an earlier version said."""
    return _is_named_before(value, said) or _FORMERLY.search(said) is not None


def _becomes(said: str, before: str, kind: str) -> str:
    """The value of a kind that something is moved, raised or extended to; nothing where no such word leads to one."""
    pattern = {"day": _DAY, "day of the week": _DAY, "clock": _CLOCK}.get(kind, _AMOUNT)
    change = _CHANGES.search(said)
    for found in _TO.finditer(said, change.start()) if change is not None else ():
        value = pattern.match(said, found.end())
        if value is not None:
            unit = f" {before.split()[-1]}"
            told = value[0] if pattern is _CLOCK else value[0].rstrip(".,")
            return told + (unit if pattern is _AMOUNT and said.startswith(unit, value.end()) else "")
    return ""
