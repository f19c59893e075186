"""When events took place, by the dates of the conversations and of the sentences that tell of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from math import exp
from typing import Final, NamedTuple

from polyhop.documents.conversations.stamps import minute_of
from polyhop.documents.sentences import sentence_spans
from polyhop.english.dates import DATE, parse_date, time_apart
from polyhop.english.events import SPEECH, EventClause, event_clause, is_event
from polyhop.english.numbers import counted
from polyhop.english.verbs import base_form, base_of
from polyhop.english.words import FUNCTION_WORDS
from polyhop.indexes.folding import pieces
from polyhop.models.choice import Models
from polyhop.reading.asked_events import UNITS, AskedEvents, asked_events
from polyhop.reading.conversations.asked import said_when, told_as_done
from polyhop.reading.conversations.days import states_time
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.types import AnswerKind, Passage

_MOST: Final = 40  # texts that the cross-encoder reads for each event
_CLEAR: Final = 2.0  # logits below the best at which another passage tells of an event as well
_LEAST: Final = -10.0  # logit below which an event is not found
_SURE: Final = -4.0  # logit at which finding an event is as likely as not
_SPREAD: Final = 2.0
_NOT_THE_ONE: Final = 4.0  # taken off where somebody else speaks, or the one spoken to takes no part
_UNSAID: Final = 4.0  # taken off where no word of what was told or asked is said, in part where some are
_GREETING: Final = 3  # words of a sentence that tells of nothing: "Good morning everybody!"


class Moment(NamedTuple):
    """When something took place: 0 for a month or a day, and -1 for the minute of the day, where it is not known."""

    year: int
    month: int = 0
    day: int = 0
    minute: int = -1

    @classmethod
    def of(cls, day: str, minute: int = -1) -> Moment | None:
        """A moment of a day in eight digits; None where the day is not known."""
        return cls(int(day[:4]), int(day[4:6]), int(day[6:]), minute) if day else None


@dataclass(frozen=True, slots=True)
class _Text:
    """A turn of a dated conversation, or a sentence that states a date."""

    passage: Passage
    start: int
    end: int
    said: str  # as the cross-encoder reads it
    when: Moment
    speaker: str = ""
    others: tuple[str, ...] = ()  # who takes part besides
    time: Quote | None = None  # where the passage writes when it was said

    @property
    def people(self) -> tuple[str, ...]:
        """Who takes part, the speaker first; nobody in prose."""
        return (self.speaker, *self.others) if self.speaker else ()


@dataclass(frozen=True, slots=True)
class _Event:
    """An event as it is looked for: who does what to whom, and the words that say what."""

    text: str
    clause: EventClause | None
    words: frozenset[str]  # in their base forms: those that say what was told or asked, not who told whom

    @classmethod
    def of(cls, text: str) -> _Event:
        clause = None if is_event(text) else event_clause(text, base=True)
        people = pieces(f"{clause.subject} {clause.other}") if clause else []
        words = {_base(word) for word in pieces(text) if word not in FUNCTION_WORDS and word not in people}
        return cls(text, clause, frozenset(words - SPEECH))

    def share_said(self, text: _Text) -> float:
        """The share of its words that a text has."""
        said = {_base(word) for word in pieces(text.said)}
        return len(self.words & said) / len(self.words) if self.words else 1.0


@dataclass(frozen=True, slots=True)
class _Telling:
    """A text that tells of an event, and how surely it does."""

    text: _Text
    logit: float

    @property
    def place(self) -> tuple[Moment, str, int]:
        """What orders texts: their moments, and where they stand in one passage."""
        return self.text.when, self.text.passage.id, self.text.start


def ordered(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """The answer to a question about the order of two events or the time between them, by dates.

    None where it is another question, or no passage is dated. The confidence is that of the event which is less surely
    told of.
    """
    asked = asked_events(question)
    texts = list(_texts(passages)) if asked is not None else []
    if asked is None or not texts:
        return None
    first, second = _tellings(asked.first, texts, models), _tellings(asked.second, texts, models)
    if not first or not second:
        return Reading(text=None, note=f"no dated passage tells of this: {asked.second if first else asked.first}")
    one, other = _pair(asked, first, second)
    if one.text == other.text:
        missing = asked.second if other.logit <= one.logit else asked.first
        return Reading(text=None, note=f"no dated passage tells of this: {missing}")
    dates = f"dated {_shown(one.text.when)} and {_shown(other.text.when)}"
    answer = _answer(asked, one, other)
    if answer is None:
        return Reading(text=None, note=f"{dates}: that does not tell")
    return Reading(
        text=answer,
        kind=_kind(asked),
        quotes=tuple(dict.fromkeys([_sentence(asked.first, one, models), _sentence(asked.second, other, models)])),
        confidence=min(_sureness(one.logit), _sureness(other.logit)),
        note=f"{asked.first}; {asked.second}: {dates}",
    )


def when_said(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """When the turn was said that a question asks the time of; None where it asks otherwise, or nobody says such."""
    event = said_when(question)
    if event is None:
        return None
    tellings = _tellings(event, [text for text in _texts(passages) if text.speaker], models)
    if not tellings:
        return None
    best = tellings[0]
    if told_as_done(question) and states_time(best.text.said):
        return None  # "I visited Rome in May 2019": that is when it was
    time = best.text.time
    return Reading(
        text=_shown(best.text.when) if time is None else text_of(time),
        quotes=(_sentence(event, best, models), *([] if time is None else [time])),
        confidence=_sureness(best.logit),
        note=f"{best.text.speaker} says it",
    )


def _texts(passages: Sequence[Passage]) -> Iterator[_Text]:
    """The turns of dated conversations and the dated sentences of prose."""
    for passage in passages:
        spoken = SpokenPassage.of(passage)
        yield from _dated_sentences(passage) if spoken is None else _turns(spoken)


def _turns(spoken: SpokenPassage) -> Iterator[_Text]:
    """The turns of a conversation that are dated, by themselves or by its header."""
    passage, chat = spoken.passage, spoken.chat
    began = minute_of(passage.text[chat.time_start : chat.time_end])
    for turn in chat.turns:
        when = Moment.of(turn.date, turn.minute if turn.minute >= 0 else began)
        if when is not None:
            said = f"{turn.speaker}: {passage.text[turn.start : turn.end]}"
            others = tuple(name for name in chat.speakers if name != turn.speaker)
            yield _Text(passage, turn.start, turn.end, said, when, turn.speaker, others, spoken.time_of(turn))


def _dated_sentences(passage: Passage) -> Iterator[_Text]:
    for start, end in sentence_spans(passage.text):
        sentence = passage.text[start:end]
        stated = next((found for match in DATE.finditer(sentence) if (found := parse_date(match.group()))), None)
        if stated is not None:
            yield _Text(passage, start, end, f"{passage.title}: {sentence}", Moment(*stated))


def _tellings(event_text: str, texts: Sequence[_Text], models: Models) -> list[_Telling]:
    """The texts that tell of an event surely enough, the best first: of each passage the best one."""
    event = _Event.of(event_text)
    likeliest = _likeliest(event, texts)
    logits = models.reranker.score(event.text, [text.said for text in likeliest]).tolist()
    everyone = {name for text in texts for name in text.people}
    found: dict[str, _Telling] = {}
    for text, logit in zip(likeliest, logits, strict=True):
        worth = logit - _unfitting(event, text, everyone)
        if worth >= _LEAST and (text.passage.id not in found or found[text.passage.id].logit < worth):
            found[text.passage.id] = _Telling(text, worth)
    return sorted(found.values(), key=lambda one: -one.logit)


def _likeliest(event: _Event, texts: Sequence[_Text]) -> list[_Text]:
    """The texts to read closely: those that share most words with the event."""
    if len(texts) <= _MOST:
        return list(texts)
    best = sorted(range(len(texts)), key=lambda at: -event.share_said(texts[at]))[:_MOST]
    return [texts[at] for at in sorted(best)]


def _base(word: str) -> str:
    return base_form(base_of(word))


def _unfitting(event: _Event, text: _Text, everyone: set[str]) -> float:
    """What is taken off because a text is not said by the one, to the one, or in the words of the event."""
    less = _UNSAID * (1 - event.share_said(text))
    clause = event.clause
    if clause is None or not text.speaker:
        return less
    if _is_one_of(clause.subject, everyone) and not _is_one_of(clause.subject, [text.speaker]):
        less += _NOT_THE_ONE
    if _is_one_of(clause.other, everyone) and not _is_one_of(clause.other, text.people):
        less += _NOT_THE_ONE
    return less


def _is_one_of(person: str, names: Iterable[str]) -> bool:
    """Whether a name may be one of the names: the words of one are among those of the other."""
    said = set(pieces(person))
    return bool(said) and any(said <= set(pieces(name)) or set(pieces(name)) <= said for name in names)


def _pair(asked: AskedEvents, first: Sequence[_Telling], second: Sequence[_Telling]) -> tuple[_Telling, _Telling]:
    """The tellings that are compared: the earliest that are nearly as clear as the best, not one text for both."""
    clear = _clear(second)
    one, other = _clear(first)[0], clear[0]
    if asked.kind == "interval":  # the time "between" two events runs from the first to the second
        other = next((told for told in clear if told.place >= one.place and told.text != one.text), other)
    if one.text != other.text:
        return one, other
    pairs = [(told, other) for told in first] + [(one, told) for told in second]
    return max(pairs, key=lambda pair: (pair[0].text != pair[1].text, pair[0].logit + pair[1].logit))


def _clear(found: Sequence[_Telling]) -> list[_Telling]:
    """What is nearly as clear as the best, in the order of time."""
    return sorted((told for told in found if told.logit >= found[0].logit - _CLEAR), key=lambda told: told.place)


def _answer(asked: AskedEvents, first: _Telling, second: _Telling) -> str | None:
    """What the dates of two tellings say; None where they do not decide."""
    if asked.kind == "interval":
        return _measured(asked, first.text.when, second.text.when)
    sign = _compared(first, second)
    if sign is None:
        return None
    if asked.relation == "either":
        return "before" if sign < 0 else "after"
    return "yes" if (sign < 0) == (asked.relation == "before") else "no"


def _kind(asked: AskedEvents) -> AnswerKind:
    if asked.relation == "either":
        return AnswerKind.CHOICE
    return AnswerKind.VERDICT if asked.kind == "order" or asked.comparison else AnswerKind.VALUE


def _compared(first: _Telling, second: _Telling) -> int | None:
    """-1 where the first is earlier, 1 where it is later, None where their dates do not tell."""
    if first.text.passage.document_id == second.text.passage.document_id and first.text.speaker:
        places = [told.text.passage.start + told.text.start for told in (first, second)]
        return None if places[0] == places[1] else -1 if places[0] < places[1] else 1
    for one, other, unknown in zip(first.text.when, second.text.when, (None, 0, 0, -1), strict=True):
        if unknown in (one, other):
            return None
        if one != other:
            return -1 if one < other else 1
    return None


def _apart(first: Moment, second: Moment) -> float | None:
    """The days between two moments; None where the day of one is not known."""
    if not all((first.month, first.day, second.month, second.day)):
        return None
    try:
        days = (date(*second[:3]) - date(*first[:3])).days
    except ValueError:  # the calendar has no such day
        return None
    if first.minute < 0 or second.minute < 0:
        return abs(days)
    return abs(days + (second.minute - first.minute) / 1440)


def _measured(asked: AskedEvents, first: Moment, second: Moment) -> str | None:
    """The length of an interval in whole units, or whether it is what a limit asks for; None where it is not known."""
    if not asked.comparison and UNITS.get(asked.unit, 1) >= 1:  # days are counted in the calendar
        return time_apart(first[:3], second[:3], asked.unit and f"{asked.unit}s")
    apart = _apart(first, second)
    if apart is None:
        return None
    if not asked.comparison:
        minutes = round(1440 * apart)
        return counted(minutes // round(1440 * UNITS[asked.unit]), f"{asked.unit}s")
    holds = {
        "more": apart > asked.limit,
        "less": apart < asked.limit,
        "at least": apart >= asked.limit,
        "at most": apart <= asked.limit,
    }[asked.comparison]
    return "yes" if holds else "no"


def _sureness(logit: float) -> float:
    return 1 / (1 + exp((_SURE - logit) / _SPREAD))


def _sentence(event: str, told: _Telling, models: Models) -> Quote:
    """The sentence of a text that tells of the event."""
    text = told.text
    spans = [
        (text.start + start, text.start + end)
        for start, end in sentence_spans(text.passage.text[text.start : text.end])
    ]
    if len(spans) < 2:
        return Quote(text.passage, *(spans or [(text.start, text.end)])[0])
    said = [text.passage.text[start:end] for start, end in spans]
    telling = [at for at, sentence in enumerate(said) if len(sentence.split()) > _GREETING] or range(len(spans))
    logits = models.reranker.score(event, [said[at] for at in telling])
    return Quote(text.passage, *spans[telling[int(logits.argmax())]])


def _shown(when: Moment) -> str:
    known = [f"{when.year:04d}", *(f"{part:02d}" for part in (when.month, when.day) if part)]
    clock = f" {when.minute // 60:02d}:{when.minute % 60:02d}" if when.minute >= 0 else ""
    return "-".join(known) + clock
