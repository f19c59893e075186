"""Reads the answer to a question out of conversations, with the sentence that says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.models.choice import Models
from polyhop.ports import ParsedEntity
from polyhop.reading.answer_type import AnswerType
from polyhop.reading.candidates import FITS
from polyhop.reading.conversation.asked import Asked, named_speakers, stems
from polyhop.reading.conversation.confidence import Confidence
from polyhop.reading.conversation.days import meant_day
from polyhop.reading.conversation.heard import Heard, Hearing
from polyhop.reading.conversation.told import Told, told_in
from polyhop.reading.conversation.wording import CLOCK, MOMENT, PLACE, clause_about, reason, said, spans_of
from polyhop.reading.lexicon import base_form, word_set
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.spans import Stretch, stretches
from polyhop.reading.statements import SPEECH
from polyhop.types import Passage

_FIRST_PERSON: Final = re.compile(r"\b(?:I|I['’]\w+|me|my|we|our|let['’]s|let me)\b")
_YES: Final = re.compile(
    r"\b(?:yes|yeah|yep|sure|absolutely|definitely|of course|totally|certainly|okay|ok"
    r"|sounds (?:good|great|awesome|perfect|fun)|no problem|count me in|i['’]m in|happy to|love to|glad to|great idea"
    r"|why not|you can|feel free|go ahead)\b",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(?:no(?! problem| worries| need to worry)|nope|not|never|nobody|none|unfortunately|can['’]?t|cannot|won['’]t"
    r"|don['’]t|didn['’]t|haven['’]t|hasn['’]t|isn['’]t|aren['’]t|wasn['’]t|sorry)\b",
    re.IGNORECASE,
)
_EXCITED: Final = re.compile(
    r"\b(?:can['’]t wait|don['’]t (?:worry|forget|hesitate)|not only|why not)\b", re.IGNORECASE
)
_WHO: Final = re.compile(r"\bwho(?:m)?\s+(?:\w+ly\s+)?(?:will\s+|is\s+)?(?P<verb>[a-z]+)", re.IGNORECASE)
_LATER: Final = 6  # turns in which a question is still replied to
_WHY: Final = re.compile(r"\b(?:why(?! not| don['’]t)|how come|what for)\b", re.IGNORECASE)
_ACTS: Final = word_set("propose initiate start begin consider bring volunteer buy play visit go host lead raise know")
_WORKS: Final = word_set("game movie film show series serie book novel song track album podcast anime manga")
_PEOPLE: Final = word_set("character hero superhero villain player artist singer actor actress author manager coach")
_VENUES: Final = word_set("restaurant cafe café bar shop store club hotel museum brand company website site app team")
_OPENS: Final = re.compile(r"(?:\A|[^\w\s,;'’)\"”-])\s*\Z")  # before the first word of a sentence
_CLOCK: Final = re.compile(CLOCK, re.IGNORECASE)
_FITS: Final = 6.0  # what a name of the kind asked for is worth, in logits
_TOO_FAR: Final = 8.0  # logits behind the best turn: it speaks of something else, and the best one is rather quoted
_ABOUT_AS_GOOD: Final = 4.0  # logits
_EXACT: Final = 5.0  # what a date or an hour is worth before a vague time, in logits
_LINK: Final = re.compile(r"[\"”]?(?:,\s*(?:and |or )?(?:maybe )?|\s+(?:and|or|&|or maybe)\s+)[\"“]?")
_CALL: Final = re.compile(r"\W*(?:hey|hi|hello|dear|thanks|yo)\b[ ,]*(?:[A-Z][\w’'-]*[ ,]*){1,3}[!,.]", re.IGNORECASE)
_QUOTED_WORK: Final = 1.0  # how well what stands in quotation marks fits as the title of a work
_CODES: Final = word_set("password code number address username")
_UNIT: Final = re.compile(
    r"\s?(?:[%€$£]|(?:euro|dollar|pound|cent|percent|kilo|gram|litre|liter|mile|kilomet(?:re|er)|met(?:re|er)|km|kg)s?\b)"
)
_CODE: Final = re.compile(r"[\"“]?(?P<code>(?=[\w@.-]*\d)[\w@.-]{4,}|\d+ (?:[A-Z]\w+ ?)+)[\"”]?")


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer and where it stands; the text where it is no stretch of the passage."""

    heard: Heard
    start: int
    end: int
    text: str = ""

    @property
    def answer(self) -> str:
        return self.text or self.heard.told.passage.text[self.start : self.end]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """What was heard and, where the answer stands apart from it, that, too: the time of a conversation."""
        told = self.heard.told
        apart = self.start < told.name_start
        heard = Quote(told.passage, told.start if apart else min(told.start, self.start), max(told.end, self.end))
        return (heard, Quote(told.passage, self.start, self.end)) if apart else (heard,)


def without_conversations(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that are no conversations, in their order."""
    spoken = {turn.passage.id for turn in told_in(passages)}
    return [passage for passage in passages if passage.id not in spoken]


def read_conversations(
    question: str, passages: Sequence[Passage], models: Models, *, doubtful: bool = False
) -> Reading | None:
    """The answer that the conversations among some passages give; None where none of them is a conversation.

    The quotation is the sentence, or the turn where the answer is who says it or when. ``doubtful``: whether the
    strategy that found the passages doubts that they speak of what is asked.
    """
    told = told_in(passages)
    if not told:
        return None
    asked = Asked.of(question, [turn.speaker for turn in told])
    hearing = Hearing()
    turns = hearing.of_turns(asked, told, models)
    sentences = hearing.of_sentences(asked, turns, models)
    if not sentences:
        return None
    found = _answered(asked, told, turns, sentences, models) or _stated(sentences)
    place = found.heard.told
    return Reading(
        text=found.answer,
        quotes=found.quotes,
        confidence=Confidence().of(asked, turns, sentences, doubtful=doubtful),
        note=f"{place.speaker} says it{f', {place.time}' if place.time else ''}",
    )


def _answered(
    asked: Asked, told: Sequence[Told], turns: Sequence[Heard], sentences: Sequence[Heard], models: Models
) -> _Found | None:
    match asked.wish:
        case "verdict":
            return _verdict(asked, told, turns, sentences)
        case "speaker":
            return _speaker(asked, turns, sentences, models)
        case "moment":
            return _moment(turns)
        case "done":
            return _time(asked, [one for one in sentences if _same_turn(one.told, turns[0].told)]) or _moment(turns)
        case "time":
            return _time(asked, sentences) or _moment(turns)
        case "place":
            return next((_Found(one, *span) for one in sentences for span in spans_of(PLACE, one.told, "place")), None)
        case "name":
            return _name(asked, turns, sentences, models)
        case "reason":
            return _reason(turns, sentences, told)
        case _:
            return None


def _stated(sentences: Sequence[Heard]) -> _Found:
    """What the best sentence says, with the one next to it where that is about as good."""
    best = sentences[0]
    spans = [said(best.told)]
    beside = next((one for one in sentences[1:] if _adjoins(one.told, best.told)), None)
    if beside is not None and beside.score > best.score - _ABOUT_AS_GOOD:
        spans.append(said(beside.told))
    return _Found(best, min(start for start, _ in spans), max(end for _, end in spans))


def _adjoins(one: Told, other: Told) -> bool:
    """Whether two sentences of a turn follow one another."""
    first, second = sorted((one, other), key=lambda told: told.start)
    between = one.passage.text[first.end : second.start]
    return _same_turn(one, other) and not between.strip()


def _time(asked: Asked, sentences: Sequence[Heard]) -> _Found | None:
    """The likeliest time that is told, the more exact the better: "at 7 PM" is more than "this week"."""
    found: list[tuple[float, int, int, Heard]] = []
    for one in sentences:
        for start, end in spans_of(MOMENT, one.told):
            text = one.told.passage.text[start:end]
            exact = sum(map(str.isdigit, text)) > 0
            clock = _CLOCK.search(text) is not None
            if asked.noun in ("time", "hour") and not clock:
                continue
            found.append((one.score + _EXACT * exact + _EXACT * clock, start, end, one))
    if not found:
        return None
    _, start, end, heard = max(found, key=lambda item: (item[0], item[2] - item[1], -item[1]))
    time = heard.told.passage.text[start:end]
    day = meant_day(time, heard.told.date)
    return _Found(heard, start, end, f"{time} ({day.isoformat()})" if day is not None else "")


def _moment(turns: Sequence[Heard]) -> _Found | None:
    timed = next((turn for turn in turns if turn.told.time), None)
    return _Found(timed, timed.told.time_start, timed.told.time_end) if timed is not None else None


def _verdict(asked: Asked, told: Sequence[Told], turns: Sequence[Heard], sentences: Sequence[Heard]) -> _Found:
    """Yes or no: what the reply to a question says, or whether the clause that speaks of it denies it."""
    best = turns[0]
    asking = best.told
    if asking.asks and _replies_to(asked, asking):  # it asks back: what it replies to is the question
        asking = next((turn for turn in told if _follows(asking, turn)), asking)
    reply = _reply(asking, told) if asking.asks else None
    if reply is not None:
        heard = Heard(reply, best.logit, best.score)
    else:
        heard = best if _replies_to(asked, best.told) else sentences[0]
    text = _EXCITED.sub(" ", heard.told.text)
    if reply is None and heard is not best:
        start, end = clause_about(text, asked.words)
        text = text[start:end]
    yes, no = _YES.search(text), _NO.search(text)
    denied = no is not None and (yes is None or no.start() < yes.start())
    return _Found(heard, heard.told.start, heard.told.end, "No" if denied else "Yes")


def _reply(asking: Told, told: Sequence[Told]) -> Told | None:
    """The turn that says yes or no to a question, after what is asked back; or else the next; None after the last."""
    after = [turn for turn in told if turn.passage.id == asking.passage.id and turn.turn > asking.turn][:_LATER]
    others = [turn for turn in after if turn.speaker != asking.speaker and not turn.asks]
    if after and not after[0].asks:
        return after[0]
    clear = (turn for turn in others if _YES.search(turn.text) or _NO.search(turn.text))
    return next(clear, after[0] if after else None)


def _replies_to(asked: Asked, told: Told) -> bool:
    """Whether a turn replies to what is asked, rather than saying it by itself."""
    start, end = clause_about(told.text, asked.words)
    return len(asked.words & stems(told.before)) > len(asked.words & stems(told.text[start:end]))


def _same_turn(told: Told, turn: Told) -> bool:
    return told.passage.id == turn.passage.id and told.turn == turn.turn


def _follows(turn: Told, before: Told) -> bool:
    return turn.passage.id == before.passage.id and turn.turn == before.turn + 1


def _speaker(asked: Asked, turns: Sequence[Heard], sentences: Sequence[Heard], models: Models) -> _Found | None:
    """Who says it, unless somebody else is spoken of."""
    verb = _WHO.search(asked.question)
    word = base_form(verb["verb"].lower()) if verb else ""
    others = [turn for turn in turns if turn.told.speaker not in asked.named] or list(turns)
    best = others[0]
    start, end = clause_about(best.told.text, asked.words)
    if word in SPEECH or word in _ACTS or _FIRST_PERSON.search(best.told.text[start:end]):
        return _Found(best, best.told.name_start, best.told.name_end)
    return _name(asked, turns, sentences, models)


def _reason(turns: Sequence[Heard], sentences: Sequence[Heard], told: Sequence[Told]) -> _Found | None:
    """The reason that one of the best sentences gives, or that is told when asked why."""
    for one in sentences[:3]:
        if where := reason(one.told):
            return _Found(one, *where)
    best = turns[0]
    after = [turn for turn in told if turn.passage.id == best.told.passage.id and turn.turn > best.told.turn]
    if len(after) > 1 and _WHY.search(after[0].text):
        return _Found(Heard(after[1], best.logit, best.score), *said(after[1]))
    return None


def _name(asked: Asked, turns: Sequence[Heard], sentences: Sequence[Heard], models: Models) -> _Found | None:
    """The name of the kind that is asked for, out of the best turns."""
    worth = {(turn.told.passage.id, turn.told.turn): turn.score for turn in turns}
    parses = models.parser.parse([one.told.text for one in sentences])
    best: tuple[float, _Found] | None = None
    for one, parsed in zip(sentences, parses, strict=True):
        entities = [entity for part in parsed for entity in part.entities]
        base = worth[one.told.passage.id, one.told.turn] + 0.3 * one.logit
        if worth[one.told.passage.id, one.told.turn] < turns[0].score - _TOO_FAR:
            continue
        for start, end, fit in _candidates(asked, one.told, entities):
            score = base + fit
            if best is None or score > best[0]:
                best = score, _Found(one, one.told.start + start, one.told.start + end)
    return best[1] if best else None


def _candidates(asked: Asked, told: Told, entities: Sequence[ParsedEntity]) -> Iterator[tuple[int, int, float]]:
    kind = _kind(asked)
    fits = FITS[kind]
    if asked.noun in _CODES:
        for match in _CODE.finditer(told.text):
            yield match.start("code"), match.end("code"), _FITS + 1.0 * (not match["code"].isdigit())
    for start, end, label in _joined(stretches(told.text, entities), told.text, asked.several):
        if kind is AnswerType.NUMBER and (unit := _UNIT.match(told.text, end)):
            end = unit.end()
        text = told.text[start:end]
        fit = _QUOTED_WORK if label == "QUOTED" and asked.noun in _WORKS else fits.get(label, 0.0)
        words = stems(text)
        opening = label == "NAME" and " " not in text and _OPENS.search(told.text[:start]) is not None
        if not fit or not words or words <= asked.words or opening or _is_called(told, start, end):
            continue
        yield start, end, _FITS * fit - 2.0 * len(words & asked.words) / len(words) + 0.1 * len(words)


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


def _is_called(told: Told, start: int, end: int) -> bool:
    """Whether a stretch is the name of who speaks, or of who is spoken to: "Hey Tom!"."""
    call = _CALL.match(told.text)
    return (call is not None and end <= call.end()) or bool(named_speakers(told.text[start:end], [told.speaker]))


def _kind(asked: Asked) -> AnswerType:
    if asked.noun in _WORKS:
        return AnswerType.WORK
    if asked.noun in _PEOPLE:
        return AnswerType.PERSON
    if asked.noun in _VENUES:
        return AnswerType.ORGANISATION
    return asked.kind if asked.kind not in (AnswerType.YES_NO, AnswerType.CHOICE) else AnswerType.THING
