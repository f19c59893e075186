"""The name, the number or the title that a question about conversations asks for, in what was heard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.english.answer_type import AnswerType
from polyhop.english.dates import MONTH, WEEKDAYS
from polyhop.english.words import word_set
from polyhop.models.choice import Models
from polyhop.ports import ParsedEntity
from polyhop.reading.conversations.asked import VENUES, ChatQuestion, named_speakers, stems
from polyhop.reading.conversations.ranking import NUMBER, Ranked
from polyhop.reading.conversations.stretches import FITS, Stretch, stretches
from polyhop.reading.conversations.utterances import Utterance

_WORKS: Final = word_set("game movie film show series serie book novel song track album podcast anime manga")
_PEOPLE: Final = word_set("character hero superhero villain player artist singer actor actress author manager coach")
_OPENING: Final = re.compile(r"(?:\A|[^\w\s,;'’)\"”-])\s*\Z")  # before the first word of a sentence
_FITS: Final = 6.0  # what a name of the kind asked for is worth, in logits
_TOO_FAR: Final = 8.0  # logits behind the best turn: it speaks of something else, and the best one is rather quoted
_NEXT: Final = 1.0  # logits by which what the next sentence says of a name counts less
_OWN: Final = 0.3  # what a sentence's own logit counts beside the worth of its turn, where a name is looked for
_LINK: Final = re.compile(r"[\"”]?(?:,\s*(?:and |or )?(?:maybe )?|\s+(?:and|or|&)\s+(?:maybe )?)[\"“]?")
_NO_NAME: Final = re.compile(
    rf"(?:(?:[ap]\.?m\.?|(?:{'|'.join(WEEKDAYS)})s?|wanna|gonna|gotta|lemme|ok|okay|lol|btw"
    rf"|\w+['’](?:ll|m|re|ve|d|t)|let['’]s|(?!(?:April|May|June)\b){MONTH})\b\W*)+",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"(?: [A-Z][\w’'-]*\w)+")
_NAMED: Final = re.compile(r"[^\W\d_a-zß-öø-ÿ]|\d")  # a capital letter or a digit
_NO_PEOPLE: Final = (AnswerType.ORGANISATION, AnswerType.WORK, AnswerType.PLACE)
_OWNS: Final = re.compile(r"['’]s\b")
_BY: Final = re.compile(r"[\"”]? by [A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w)*")
_ECHO: Final = -2.0  # what a name is worth less that the question says itself
_MAKER: Final = 2.0  # what it is worth that a title's maker is whom the question names
_COUNTED: Final = 3.0  # what it is worth, in logits, that a number counts what is asked for
_CALL: Final = re.compile(r"\W*(?:hey|hi|hello|dear|thanks|yo)\b[ ,]*(?:[A-Z][\w’'-]*[ ,]*){1,3}[!,.]", re.IGNORECASE)
_QUOTED_WORK: Final = 1.0  # how well what stands in quotation marks fits as the title of a work
_CODES: Final = word_set("password code number address username")
_UNIT: Final = re.compile(
    r"\s?(?:[%€$£]|(?:euro|dollar|pound|cent|percent|kilo|gram|litre|liter|mile|kilomet(?:re|er)|met(?:re|er)|km|kg)s?\b)"
)
_NOUN: Final = re.compile(r"\w+")
_NEAR: Final = 20  # characters after a number in which what it counts is looked for
_CODE: Final = re.compile(r"[\"“]?(?P<code>(?=[\w@.-]*\d)[\w@.-]{4,}|\d+ (?:[A-Z]\w+ ?)+)[\"”]?")


def name_asked_for(
    asked: ChatQuestion, turns: Sequence[Ranked], sentences: Sequence[Ranked], models: Models
) -> tuple[Ranked, int, int] | None:
    """The likeliest name of the kind that is asked for, with the sentence it is in; offsets into its passage.

    Turns and sentences best first; None where none of them has one.
    """
    worths = {turn.utterance.place: turn.score for turn in turns}
    parses = models.parser.parse([one.utterance.text for one in sentences])
    speakers = sorted({turn.utterance.speaker for turn in turns})
    best: tuple[float, tuple[Ranked, int, int]] | None = None
    following = {(one.utterance.place, one.utterance.before): one.logit for one in sentences}
    for one, parsed in zip(sentences, parses, strict=True):
        worth = worths[one.utterance.place]
        if worth < turns[0].score - _TOO_FAR:
            continue
        entities = [entity for part in parsed for entity in part.entities]
        for start, end, fit in _candidates(asked, one.utterance, entities, speakers):
            told_of = following.get((one.utterance.place, one.utterance.text), one.logit)  # the name first, then why
            score = worth + _OWN * max(one.logit, told_of - _NEXT) + fit
            if best is None or score > best[0]:
                best = score, (one, one.utterance.start + start, one.utterance.start + end)
    return best[1] if best else None


def _candidates(
    asked: ChatQuestion, told: Utterance, entities: Sequence[ParsedEntity], speakers: Sequence[str]
) -> Iterator[tuple[int, int, float]]:
    """The stretches of a sentence that could be the answer, each with what speaks for it, in logits."""
    kind = _kind(asked)
    fits = FITS[kind]
    if asked.noun in _CODES:
        for match in _CODE.finditer(told.text):
            yield match.start("code"), match.end("code"), _FITS + 1.0 * (not match["code"].isdigit())
    for start, end, label in _joined(stretches(told.text, entities), told.text, asked.several):
        text = told.text[start:end]
        if _NO_NAME.fullmatch(text):
            continue
        if kind is AnswerType.NUMBER:
            if NUMBER.search(text) and fits.get(label):
                yield start, *_counting(asked, told.text, end)
            continue
        if kind is not AnswerType.PERSON and _OWNS.match(told.text, end):
            continue
        if kind in _NO_PEOPLE and named_speakers(text, speakers):
            continue
        fit = _QUOTED_WORK if label == "QUOTED" and asked.noun in _WORKS else fits.get(label, 0.0)
        if asked.noun in _WORKS and label == "PERSON":
            continue
        words = stems(text)
        opening = label == "NAME" and " " not in text and _OPENING.search(told.text[:start]) is not None
        if not fit or not words or words <= asked.words or opening or _is_called(told, start, end):
            continue
        if label != "QUOTED" and not _NAMED.search(text):
            continue
        whole = _whole(told.text, end, label)
        maker = len(stems(told.text[end:whole]) & asked.words)
        echo = _ECHO * len(words & asked.words) / len(words)
        yield start, whole, _FITS * fit + echo + 0.1 * len(words) + _MAKER * (maker > 0)


def _joined(found: Sequence[Stretch], text: str, several: bool) -> Iterator[tuple[int, int, str]]:
    """Stretches and, where several are asked for, the longest lists of them: "the oak, the elm and the ash"."""
    for stretch in found:
        yield stretch.start, stretch.end, stretch.label
    if not several:
        return
    by_start = {stretch.start: stretch for stretch in sorted(found, key=lambda one: one.end)}
    for first in found:
        end, count = first.end, 1
        while (link := _LINK.match(text, end)) and link.end() in by_start:
            end, count = by_start[link.end()].end, count + 1
        if count > 1:
            yield first.start, end, first.label


def _counting(asked: ChatQuestion, text: str, end: int) -> tuple[int, float]:
    """Where a number ends with what it counts, and what speaks for it."""
    unit = _UNIT.match(text, end)
    end = unit.end() if unit else end
    counts = next((noun for noun in _NOUN.finditer(text, end, end + _NEAR) if stems(noun[0]) & asked.counted), None)
    return (counts.end(), _FITS + _COUNTED) if counts else (end, _FITS + (_COUNTED if unit else 0.0))


def _whole(text: str, end: int, label: str) -> int:
    """Where a name or a title ends with what belongs to it: "Old Harbour Rye Bread", "The Tide" by Ada Brisk."""
    more = _BY.match(text, end) or (_GOES_ON.match(text, end) if label != "QUOTED" else None)
    return more.end() if more else end


def _is_called(told: Utterance, start: int, end: int) -> bool:
    """Whether a stretch is the name of who speaks, or of who is spoken to: "Hey Tom!"."""
    call = _CALL.match(told.text)
    return (call is not None and end <= call.end()) or bool(named_speakers(told.text[start:end], [told.speaker]))


def _kind(asked: ChatQuestion) -> AnswerType:
    if asked.noun in _WORKS:
        return AnswerType.WORK
    if asked.noun in _PEOPLE:
        return AnswerType.PERSON
    if asked.noun in VENUES:
        return AnswerType.ORGANISATION
    return asked.kind if asked.kind not in (AnswerType.YES_NO, AnswerType.CHOICE) else AnswerType.THING
