"""Reads answers out of passages in other languages than English, by what they share with the question.

No parser and no cross-encoder helps here, so it answers with a stretch only where a sentence says nearly all that the
question does, and the stretch is written as what is asked for; otherwise with the whole sentence, or not at all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.conversations.transcripts import transcript_in
from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import AnswerType
from polyhop.indexes.folding import family, fold, pieces, unspaced
from polyhop.indexes.shared_terms import Terms
from polyhop.reading.abroad.question_words import SPECIFIC, QuestionWords
from polyhop.reading.abroad.questions import AskedAbroad
from polyhop.reading.abroad.stretches import Look, WrittenStretch, spelled, written
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.subjects import plain
from polyhop.types import Passage

_FITS: Final[Mapping[AnswerType, Mapping[Look, float]]] = {
    AnswerType.PERSON: {Look.BY: 1.0, Look.NAME: 0.9, Look.TITLE: 0.9, Look.WORD: 0.4},
    AnswerType.PLACE: {Look.PLACED: 1.0, Look.TITLE: 0.6, Look.WORD: 0.5, Look.NAME: 0.4, Look.NOUN: 0.3},
    AnswerType.DATE: {Look.DATE: 1.0},
    AnswerType.NUMBER: {Look.NUMBER: 0.9},
    AnswerType.WORK: {Look.QUOTED: 1.0, Look.TITLE: 0.7, Look.NAME: 0.7, Look.WORD: 0.5, Look.NOUN: 0.3},
    AnswerType.ORGANISATION: {Look.QUOTED: 0.9, Look.NAME: 0.8, Look.TITLE: 0.7, Look.WORD: 0.5, Look.PLACED: 0.5},
    AnswerType.THING: {Look.QUOTED: 0.5, Look.TITLE: 0.4, Look.NAME: 0.4, Look.WORD: 0.3},
}
_CALLED: Final = (AnswerType.THING, AnswerType.WORK, AnswerType.ORGANISATION, AnswerType.PLACE)
_KINDS: Final = frozenset("河川江溪湖海岛島镇町村市省县県山国城街")  # with which the names of places end
_OTHER_KIND: Final = 0.3  # what is left of the fit of another kind of thing
_ASKING: Final = ("?", "\uff1f", "\u061f")
_CLOSING: Final = " \u201c\u201d\u00bb\"')\u300d"
_OPENING: Final = ' „“«»"《》「」『』”'
_SHORTEST: Final = 2  # characters of a title that is looked for in sentences
_LINKED: Final = 0.05  # what a second sentence on the way costs, as a share of the question
_LEAST: Final = 0.5  # of the share of the question times the fit: below, the sentence answers
_QUOTED: Final = 0.6  # what the squared share is worth as a confidence, where a sentence answers
_SURE: Final = 0.9  # confidence at most
_SO: Final = 0.85  # the share of the question that a sentence says which says yes to it
_LONGEST: Final = 600  # characters of a sentence that answers, or is looked through
_MOST: Final = 8  # ways in which answers are looked for
_FAR: Final = 60  # characters
_TITLED: Final = 0.03  # what another passage about it is worth
_IN_QUOTES: Final = 0.1
_NEAR: Final = 0.5  # what standing right beside all words of the question is worth
_CLAUSE: Final = 20  # characters that a comma counts
_CLAUSES: Final = re.compile("[,;，、；،؛]")
_SAID: Final = "a sentence says so"
_YEAR: Final = re.compile(r"\d{4}年?")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with the terms of the question that it says, and those that its title says."""

    passage: Passage
    start: int
    end: int
    own: frozenset[str]
    all: frozenset[str]

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def quote(self) -> Quote:
        return Quote(self.passage, self.start, self.end)

    @property
    def only_asks(self) -> bool:
        """Whether it is a question itself, and says nothing."""
        return self.text.rstrip(_CLOSING).endswith(_ASKING)

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading, with or without its number: that says what the text below is about."""
        return any(start < self.end and self.start < end and self.end <= end for start, end in self.passage.headings)


@dataclass(frozen=True, slots=True)
class _Way:
    """A sentence that may answer, with the one that leads to its passage if another has to."""

    share: float  # of the question, that both say
    last: _Sentence
    first: _Sentence | None = None

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return (self.last.quote,) if self.first is None else (self.first.quote, self.last.quote)


@dataclass(frozen=True, slots=True)
class _Found:
    score: float
    fit: float
    text: str
    way: _Way


def read_abroad(question: str, asked: AskedAbroad, passages: Sequence[Passage]) -> Reading:
    """The answer to a question in another language, as a stretch or a whole sentence; None where neither is likely."""
    words = _Words.of(asked)
    sentences = list(words.sentences(passages))
    weights = _weights(words.terms, sentences)
    ways = sorted(_ways(sentences, weights), key=lambda way: -way.share)
    if not ways:
        return Reading(text=None, note="there is nothing to read")
    best = ways[0]
    if asked.type is AnswerType.YES_NO and best.share >= _SO and not words.denied(best.last.text):
        return Reading(text=asked.words.yes, quotes=best.quotes, confidence=_SURE * best.share, note=_SAID)
    found = list(_candidates(question, asked, ways, passages, words))
    if found:
        one = max(found, key=lambda one: one.score)
        if one.way.share * one.fit >= _LEAST:
            note = f"asked for a {asked.type}: {one.way.share:.0%} of the question is said"
            return Reading(text=one.text, quotes=one.way.quotes, confidence=_SURE * one.way.share * one.fit, note=note)
    note = f"quoted: {best.share:.0%} of the question is said"
    if len(best.last.text) > _LONGEST:
        return Reading(text=None, note=f"{note}, by what is too long to be an answer")
    return Reading(text=best.last.text, quotes=best.quotes, confidence=_QUOTED * best.share**2, note=note)


@dataclass(frozen=True, slots=True)
class _Words:
    """The terms of a question; what its language says in several ways counts as one word."""

    terms: Terms
    alike: tuple[re.Pattern[str], ...]
    language: QuestionWords

    @classmethod
    def of(cls, asked: AskedAbroad) -> _Words:
        language = asked.words
        edge = "" if asked.language in ("zh", "ja", "ko") else r"(?<!\w)"
        rest = "" if not edge else r"\w*"
        alike = tuple(re.compile(f"{edge}(?:ال)?(?:{group}){rest}", re.IGNORECASE) for group in language.alike.split())
        words = cls(Terms({}), alike, language)
        small = Terms.of(language.small).worth if edge else {}
        said = Terms.of(words.levelled(asked.said)).worth
        return cls(Terms({term: worth for term, worth in said.items() if term not in small}), alike, language)

    def levelled(self, text: str) -> str:
        """A text with one word for all that say the same."""
        for number, pattern in enumerate(self.alike):
            text = pattern.sub(f" {_level(number)} ", text)
        return text

    def places(self, text: str) -> dict[str, list[tuple[int, int]]]:
        """Where a text says each of the question's terms that it says."""
        low = fold(text)
        low = low if len(low) == len(text) else text.lower()
        levels = {_level(number): pattern for number, pattern in enumerate(self.alike)}
        found: dict[str, list[tuple[int, int]]] = {}
        for term in self.terms.worth:
            matches = levels[term].finditer(text) if term in levels else re.finditer(re.escape(term), low)
            if spans := [match.span() for match in matches]:
                found[term] = spans
        return found

    def denied(self, text: str) -> bool:
        """Whether a sentence may say the opposite."""
        denies = self.language.denies
        if not denies:
            return False
        spaced = rf"(?<!\w)(?:{denies})(?!\w)"
        return re.search(denies if unspaced(denies[0]) else spaced, text, re.IGNORECASE) is not None

    def sentences(self, passages: Sequence[Passage]) -> Iterator[_Sentence]:
        """The sentences of passages and the turns of conversations, in their order."""
        for passage in passages:
            for start, end, about in _parts(passage):
                own = self.terms.in_(self.levelled(passage.text[start:end]))
                yield _Sentence(passage, start, end, own, own | self.terms.in_(self.levelled(about)))


def _parts(passage: Passage) -> Iterator[tuple[int, int, str]]:
    """Stretches that say something, each with what it is about or who says it."""
    chat = transcript_in(passage)
    if chat is None:
        yield from ((start, end, passage.title) for start, end in sentence_spans(passage.text))
    else:
        yield from ((turn.start, turn.end, f"{passage.title} {turn.speaker}") for turn in chat.turns)


def _level(number: int) -> str:
    """The word for all that say the same: as long as what words are cut to."""
    return f"z{number:02}zz"


def _weights(terms: Terms, sentences: Sequence[_Sentence]) -> dict[str, float]:
    """What each term of the question tells: all together 1. What many sentences say tells little."""
    said = Counter(term for sentence in sentences for term in sentence.all)
    many = len(sentences) + 1
    weights = {term: worth * math.log(1 + many / max(said[term], 1)) for term, worth in terms.worth.items()}
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def _ways(sentences: Sequence[_Sentence], weights: Mapping[str, float]) -> Iterator[_Way]:
    """Each sentence that says something, alone and behind the best one elsewhere that names what its text is about."""
    leads: dict[str, list[_Sentence]] = {}
    for sentence in sentences:
        if sentence.only_asks or sentence.is_heading:
            continue
        yield _Way(_share(sentence.all, weights), sentence)
        title = plain(sentence.passage.title)
        if len(title) < _SHORTEST:
            continue
        if title not in leads:
            leads[title] = [one for one in sentences if spelled(title).search(one.text)]
        for first in leads[title]:
            if first.passage.id == sentence.passage.id or sentence.own <= first.own:
                continue
            share = _share(first.all | sentence.own, weights)
            if share > max(_share(first.all, weights), _share(sentence.all, weights)):
                yield _Way(share - _LINKED, sentence, first)


def _share(terms: frozenset[str], weights: Mapping[str, float]) -> float:
    return math.fsum(weights.get(term, 0.0) for term in terms)


def _candidates(
    question: str, asked: AskedAbroad, ways: Sequence[_Way], passages: Sequence[Passage], words: _Words
) -> Iterator[_Found]:
    """Stretches of the sentences that say most of the question; none that stands in it or only leads on."""
    titles = {plain(one.title): one for one in passages if len(plain(one.title)) >= _SHORTEST}
    named, stems = fold(question), _stems(question)
    for way in ways[:_MOST]:
        text = way.last.text[:_LONGEST]
        places = words.places(text)
        led = {plain(other.last.passage.title) for other in ways if other.first is not None and other.share > way.share}
        for one in written(text, list(titles), asked.words):
            said = text[one.start : one.end]
            title = next((title for title in titles if spelled(title).fullmatch(said)), "")
            fit = _fit(one, text, asked, titles.get(title))
            own = _stems(said)
            if not fit or fold(said) in named or (own and own <= stems) or title in led or _is_about(way, said):
                continue
            score = (
                2 * way.share
                + fit
                + _NEAR * _nearness(text, one, places)
                + _TITLED * bool(title)
                + _IN_QUOTES * (one.look is Look.QUOTED)
            )
            if asked.year and (year := _YEAR.search(said)):
                said = year[0]
            yield _Found(score, fit, said, way)


def _stems(text: str) -> set[str]:
    """The beginnings of the words of a text, where it sets them apart."""
    return {family(piece) for piece in pieces(text) if not unspaced(piece)}


def _is_about(way: _Way, said: str) -> bool:
    """Whether a stretch only names what its own passage is about, to which another sentence led."""
    return way.first is not None and spelled(plain(way.last.passage.title)).fullmatch(said) is not None


def _fit(one: WrittenStretch, text: str, asked: AskedAbroad, about: Passage | None) -> float:
    """How well a stretch fits what is asked for, 0 to 1; ``about``: the passage about it, if there is one."""
    fit = _FITS.get(asked.type, {}).get(one.look, 0.0)
    if not asked.noun:
        return fit
    before = text[: one.start].rstrip(_OPENING).lower()
    if asked.type in _CALLED and one.look not in (Look.DATE, Look.NUMBER) and _ends_in(before, asked.noun):
        return 1.0
    if asked.type is AnswerType.NUMBER:
        return 1.0 if family(asked.noun) in text[one.start : one.end + 2].lower() else fit
    if asked.type is not AnswerType.PLACE:
        return fit
    last = text[one.end - 1]
    if last in _KINDS and asked.noun in _KINDS:
        return fit if last == asked.noun else fit * _OTHER_KIND
    if about is None and not asked.noun.startswith(SPECIFIC):
        return fit
    told = family(asked.noun) in (text if about is None else f"{about.title} {about.text}").lower()
    return fit if told else fit * _OTHER_KIND


def _ends_in(before: str, noun: str) -> bool:
    """Whether a text ends in a noun, in whatever case."""
    if unspaced(noun[0]):
        return before.endswith(noun)
    last = before.rsplit(maxsplit=1)[-1:]
    return bool(last) and family(last[0]) == family(noun)


def _nearness(text: str, one: WrittenStretch, places: Mapping[str, Sequence[tuple[int, int]]]) -> float:
    """How near the words of the question stand that a sentence says, on average, 0 to 1."""
    gaps = [min(_FAR, *(_gap(text, one, place) for place in said)) for said in places.values()]
    return 1 - sum(gaps) / (_FAR * len(gaps)) if gaps else 0.0


def _gap(text: str, one: WrittenStretch, place: tuple[int, int]) -> int:
    """Characters between two stretches; what another clause says is farther."""
    start, end = place
    if end > one.start and start < one.end:
        return _FAR
    between = text[end : one.start] if end <= one.start else text[one.end : start]
    return len(between) + _CLAUSE * len(_CLAUSES.findall(between))
