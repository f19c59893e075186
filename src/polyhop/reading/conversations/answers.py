"""Reads the answer to a question out of conversations, with the sentence that says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.english.events import SPEECH
from polyhop.english.verbs import base_form
from polyhop.english.words import word_set
from polyhop.models.choice import Models
from polyhop.reading.conversations.asked import ChatQuestion, stems
from polyhop.reading.conversations.confidence import ChatConfidence
from polyhop.reading.conversations.days import meant_day
from polyhop.reading.conversations.finding import Finding
from polyhop.reading.conversations.names import name_asked_for
from polyhop.reading.conversations.ranking import NUMBER, Ranked, Ranking
from polyhop.reading.conversations.reasons import errand, told_reason, topic
from polyhop.reading.conversations.utterances import Chats, Utterance, utterances_in
from polyhop.reading.conversations.verdict import verdict
from polyhop.reading.conversations.wording import CLOCK, MOMENT, PLACE, clause_about, said, spans_of
from polyhop.reading.reader import Reading

_FIRST_PERSON: Final = re.compile(r"\b(?:I|I['’]\w+|me|my|we|our|let['’]s|let me)\b")
_WHO: Final = re.compile(r"\bwho(?:m)?\s+(?:\w+ly\s+)?(?:will\s+|is\s+)?(?P<verb>[a-z]+)", re.IGNORECASE)
_ACTS: Final = word_set("propose initiate start begin consider bring volunteer buy play visit go host lead raise know")
_CLOCK: Final = re.compile(CLOCK, re.IGNORECASE)
_ABOUT_AS_GOOD: Final = 5.0  # logits
_EXACT: Final = 5.0  # what a date or an hour is worth before a vague time, in logits
_LEANS: Final = re.compile(
    r"\W*(?:(?:and|but|plus|also|so),? )?(?:it|they|that|this|those|these|he|she|its|their|his|her)\b", re.IGNORECASE
)
_ADDS: Final = re.compile(r"\W*(?:oh,? )?(?:and|plus|also|another|additionally|besides|then)\b", re.IGNORECASE)
_SHORT: Final = 3  # words of a sentence that is only an exclamation
_TELLS: Final = 2  # stems beyond the question's, by which a sentence tells something
_UNMET: Final = ("name", "place", "speaker")
"""Wishes for a kind of thing: where none of it is heard, what is said instead is no answer to them."""

_EXACTLY: Final = re.compile(r"\d|day\b|tomorrow|tonight", re.IGNORECASE)
_SPELL: Final = re.compile(r"\b(?:days?|weeks?|weekends?|months?|years?|hours?|minutes?|moment|time|end|future|same)\b")
_PARTNER: Final = re.compile(r"\bwho(?:m)? (?:did|does|do|is|was|will|has)\b.*|\bwith whom\b", re.IGNORECASE)
_TO_YOU: Final = re.compile(r"\b(?:you|your|want to|wanna|join|let['’]s|we|us|together)\b", re.IGNORECASE)
_PER_TURN: Final = 1.0  # logits by which a turn counts less, the farther it is from the best


def read_conversations(question: str, chats: Chats, models: Models, *, doubtful: bool = False) -> Reading | None:
    """The answer that conversations give; None where there are none.

    The quotation is the sentence, or the turn where the answer is who says it or when. ``doubtful``: whether the
    strategy that found the passages doubts that they speak of what is asked.
    """
    told = utterances_in(chats)
    if not told:
        return None
    asked = ChatQuestion.of(question, list(dict.fromkeys(turn.speaker for turn in told)))
    hearing = Ranking()
    turns = hearing.of_turns(asked, told, models)
    sentences = hearing.of_sentences(asked, turns, models)
    if not sentences:
        return None
    found = _answered(asked, told, turns, sentences, models) or _stated(asked, sentences)
    place = found.heard.utterance
    return Reading(
        text=found.answer,
        quotes=found.quotes,
        confidence=ChatConfidence().of(
            asked, turns, sentences, doubtful=doubtful, unmet=found.unmet, whole=found.whole
        ),
        note=f"{place.speaker} says it{f', {place.time}' if place.time else ''}",
    )


def _answered(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked], models: Models
) -> Finding | None:
    match asked.wish:
        case "verdict":
            return verdict(asked, told, turns, sentences)
        case "speaker":
            return _speaker(asked, told, turns, sentences, models)
        case "moment":
            return _moment(turns)
        case "time":
            return _when(asked, told, turns, sentences)
        case "place":
            return _place(sentences) or _place(_further(told, turns), surely=True)
        case "name":
            return _name(asked, told, turns, sentences, models)
        case "reason":
            return told_reason(asked, told, turns, sentences)
        case "errand":
            return errand(asked, told, turns)
        case "topic":
            return topic(asked, told, turns)
        case _:
            return None


def _stated(asked: ChatQuestion, sentences: Sequence[Ranked]) -> Finding:
    """What the best sentence says, with those next to it that are about as good, or that it needs."""
    best = sentences[0]
    turn = sorted(
        (one for one in sentences if one.utterance.place == best.utterance.place), key=lambda one: one.utterance.start
    )
    first = last = turn.index(best)
    beside = next((one for one in sentences[1:] if _adjoins(one.utterance, best.utterance)), None)
    if beside is not None and beside.score > best.score - _ABOUT_AS_GOOD:
        first, last = sorted((first, turn.index(beside)))
    if first > 0 and _LEANS.match(turn[first].utterance.text) and _is_leant_on(asked, turn[first - 1].utterance):
        first -= 1
    while (asked.several or asked.wish == "reason") and last + 1 < len(turn) and _adds(turn[last + 1].utterance):
        last += 1
    start, end = said(turn[first].utterance)[0], said(turn[last].utterance)[1]
    unmet = asked.wish in _UNMET or (asked.measured and not NUMBER.search(best.utterance.passage.text[start:end]))
    return Finding(best, start, max(start, end), unmet=unmet)


def _adjoins(one: Utterance, other: Utterance) -> bool:
    """Whether two sentences of a turn follow one another."""
    first, second = sorted((one, other), key=lambda told: told.start)
    between = one.passage.text[first.end : second.start]
    return one.place == other.place and not between.strip()


def _is_leant_on(asked: ChatQuestion, told: Utterance) -> bool:
    """Whether a sentence tells what the one after it calls "it"."""
    return not _LEANS.match(told.text) and len(stems(told.text) - asked.words) >= _TELLS


def _adds(told: Utterance) -> bool:
    """Whether a sentence adds to a list that the one before it began."""
    return not told.asks and _ADDS.match(told.text) is not None and len(told.text.split()) > _SHORT


def _further(told: Sequence[Utterance], turns: Sequence[Ranked]) -> list[Ranked]:
    """The sentences of the best turn's conversation, the nearest to it first, those after it before those before it."""
    best = turns[0]
    chat = [turn for turn in told if turn.passage.id == best.utterance.passage.id]
    chat.sort(key=lambda turn: (abs(turn.turn - best.utterance.turn), -turn.turn))
    return [
        Ranked(sentence, best.logit, best.score - _PER_TURN * abs(turn.turn - best.utterance.turn))
        for turn in chat
        for sentence in turn.sentences()
    ]


def _place(sentences: Sequence[Ranked], *, surely: bool = False) -> Finding | None:
    """The first place that is told; a time that stands like one is none; ``surely``: after "at", or with a name."""
    for one in sentences:
        for start, end in spans_of(PLACE, one.utterance, "place"):
            text = one.utterance.passage.text
            place = text[start:end]
            sure = text[:start].lower().endswith(" at ") or place[:1].isupper()
            if (sure or not surely) and not MOMENT.search(place) and not _SPELL.search(place):
                return Finding(one, start, end)
    return None


def _when(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked]
) -> Finding | None:
    """The time that is told; what the conversation goes on to say where that is vague, or nothing is told of it yet."""
    found = _time(asked, sentences)
    if found is None or (found.heard.utterance.place == turns[0].utterance.place and not _EXACTLY.search(found.answer)):
        further = _time(asked, _further(told, turns))
        found = further if further is not None and (found is None or _EXACTLY.search(further.answer)) else found
    return found or _moment(turns, unmet=True)


def _time(asked: ChatQuestion, sentences: Sequence[Ranked]) -> Finding | None:
    """The likeliest time that is told, the more exact the better: "at 7 PM" is more than "this week"."""
    found: list[tuple[float, int, int, Ranked]] = []
    for one in sentences:
        for start, end in spans_of(MOMENT, one.utterance):
            text = one.utterance.passage.text[start:end]
            exact = sum(map(str.isdigit, text)) > 0
            clock = _CLOCK.search(text) is not None
            if asked.noun in ("time", "hour") and not clock:
                continue
            found.append((one.score + _EXACT * exact + _EXACT * clock, start, end, one))
    if not found:
        return None
    _, start, end, heard = max(found, key=lambda item: (item[0], item[2] - item[1], -item[1]))
    time = heard.utterance.passage.text[start:end]
    day = meant_day(time, heard.utterance.date)
    return Finding(heard, start, end, f"{time} ({day.isoformat()})" if day is not None else "")


def _moment(turns: Sequence[Ranked], *, unmet: bool = False) -> Finding | None:
    timed = next((turn for turn in turns if turn.utterance.time or turn.utterance.date), None)
    if timed is None:
        return None
    told, day = timed.utterance, timed.utterance.date
    if told.time:
        return Finding(timed, told.time_start, told.time_end, unmet=unmet)
    said_elsewhere = f"{day[:4]}-{day[4:6]}-{day[6:]}"  # in its document
    return Finding(timed, told.start, told.end, said_elsewhere, unmet=unmet)


def _speaker(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked], models: Models
) -> Finding | None:
    """Who says it, unless somebody else is spoken of."""
    verb = _WHO.search(asked.question)
    word = base_form(verb["verb"].lower()) if verb else ""
    others = [turn for turn in turns if turn.utterance.speaker not in asked.named] or list(turns)
    best = others[0]
    start, end = clause_about(best.utterance.text, asked.words)
    if word in SPEECH or word in _ACTS:
        return Finding(best, best.utterance.name_start, best.utterance.name_end)
    clause = best.utterance.text[start:end]
    own = _FIRST_PERSON.search(clause) is not None
    if own and stems(word) <= stems(clause):
        return Finding(best, best.utterance.name_start, best.utterance.name_end)
    named = _name(asked, told, turns, sentences, models)
    spoken_of = named is not None and len(stems(named.heard.utterance.text) & asked.words) > 1
    return named if spoken_of or not own else Finding(best, best.utterance.name_start, best.utterance.name_end)


def _name(
    asked: ChatQuestion, told: Sequence[Utterance], turns: Sequence[Ranked], sentences: Sequence[Ranked], models: Models
) -> Finding | None:
    """The name that is asked for; with whom or whom somebody does it may be whoever they speak to."""
    named = name_asked_for(asked, turns, sentences, models)
    best = turns[0]
    met = named is not None and named[0].utterance.place == best.utterance.place
    spoken_to = not met and best.utterance.speaker == asked.teller and _PARTNER.search(asked.question) is not None
    partner = _partner(best, told) if spoken_to else None
    if partner is not None or named is None:
        return partner
    turn = next(turn.utterance for turn in turns if turn.utterance.place == named[0].utterance.place)
    about = asked.words - stems(" ".join(asked.named))
    return Finding(*named, unmet=not about & stems(f"{turn.before} {turn.text}"))


def _partner(heard: Ranked, told: Sequence[Utterance]) -> Finding | None:
    """Whoever a turn is said to, where it says "you" or "we" and two people speak."""
    others = [
        turn
        for turn in told
        if turn.passage.id == heard.utterance.passage.id and turn.speaker != heard.utterance.speaker
    ]
    if len({turn.speaker for turn in others}) != 1 or not _TO_YOU.search(heard.utterance.text):
        return None
    other = others[0]
    return Finding(heard, other.name_start, other.name_end, other.passage.text[other.name_start : other.name_end])
