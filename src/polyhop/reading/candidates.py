"""Candidates for a short answer: where they stand, and how likely each is what a question asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import AnswerType, answer_type, date_granularity
from polyhop.english.countries import countries_in
from polyhop.english.relations import Kind, Relation, asked_relation, sole_relation, without
from polyhop.indexes.folding import family, pieces
from polyhop.models.choice import Models
from polyhop.reading.spans import Stretch, stretches
from polyhop.reading.subjects import likeness, names_in, plain
from polyhop.types import Passage

FITS: Final[dict[Kind, dict[str, float]]] = {
    AnswerType.PERSON: {"PERSON": 1.0, "TITLE": 0.9, "NAME": 0.7, "ORG": 0.3, "WORK_OF_ART": 0.2, "GPE": 0.15},
    AnswerType.PLACE: {"GPE": 1.0, "LOC": 0.9, "FAC": 0.9, "TITLE": 0.6, "NAME": 0.5, "ORG": 0.4, "PERSON": 0.3},
    AnswerType.NATIONALITY: {"COUNTRY": 1.0, "NORP": 0.3, "GPE": 0.3, "LOC": 0.2, "NAME": 0.1},
    AnswerType.DATE: {"DATE": 1.0},
    AnswerType.NUMBER: {"CARDINAL": 1.0, "QUANTITY": 1.0, "PERCENT": 1.0, "MONEY": 1.0, "NUMBER": 0.8, "DATE": 0.3},
    AnswerType.ORGANISATION: {"ORG": 1.0, "TITLE": 0.8, "NAME": 0.7, "FAC": 0.7, "GPE": 0.3, "PERSON": 0.3},
    AnswerType.WORK: {
        "WORK_OF_ART": 1.0, "QUOTED": 1.0, "TITLE": 0.9, "NAME": 0.7, "PRODUCT": 0.6, "ORG": 0.5, "PERSON": 0.4,
    },
    AnswerType.THING: {
        "TITLE": 0.9, "EVENT": 0.8, "WORK_OF_ART": 0.8, "PRODUCT": 0.8, "NAME": 0.7, "ORG": 0.7, "FAC": 0.7, "LAW": 0.7,
        "LANGUAGE": 0.7, "PERSON": 0.6, "GPE": 0.6, "LOC": 0.6, "NORP": 0.6, "QUOTED": 0.5, "ROLE": 0.4, "PHRASE": 0.4,
    },
    AnswerType.YES_NO: {},
    AnswerType.CHOICE: {"TITLE": 0.9, "NAME": 0.7, "PERSON": 0.7, "ORG": 0.7, "GPE": 0.7, "WORK_OF_ART": 0.7},
    "role": {"ROLE": 1.0},
}  # fmt: skip
"""How well an entity of a label answers a question of a kind: 1 is what was asked for; what is missing never does."""

_YEAR: Final = re.compile(r"\b\d{3,4}\b")
_ASKED_NOUN: Final = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+){0,2}?([a-z]{3,})s?\s+(?:is|was|are|were|do|does|did|has|have|had|can|\0)",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(r"\bhow (?:tall|high|long|far|deep|wide|heavy|large|big|fast)\b", re.IGNORECASE)
_UNIT: Final = re.compile(r"\d\s*-?[a-z]", re.IGNORECASE)
_PERSONAL: Final = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b")
_NEUTER: Final = re.compile(r"\b[Ii]ts?\b")
_EITHER: Final = (AnswerType.PERSON, AnswerType.PLACE)  # what has a passage of its own is told by its pronouns
_MISTAKEN: Final = 0.3  # what is left of the fit of a person asked for as a place, or the other way round
_BARE: Final = 0.2  # what is left of the fit of a number without a unit where a measure is asked for
_VOUCHED: Final = 0.7  # how well a candidate fits at least behind the surest cue
_SAME: Final = 0.6  # likeness from which a title is taken to mean the thing asked about
_FAR: Final = 80  # characters from the nearest word of the question: farther makes no difference
_LOOK_BACK: Final = 120  # characters in which a cue may stand


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible answer and where it stands; offsets are relative to its passage's text."""

    text: str
    passage: Passage
    start: int
    end: int
    sentence_start: int
    sentence_end: int
    label: str
    score: float  # comparable within one question only
    logit: float  # of its sentence
    fit: float  # 0 to 1
    cue: float  # 0 to 1
    chance: float = 0.0  # that it is the answer, 0 to 1, where a model tells


class CandidateFinder(Protocol):
    """Finds what may answer a question of one step."""

    def candidates(
        self, question: str, passages: Sequence[Passage], models: Models, *, names: Sequence[str] = ()
    ) -> list[Candidate]:
        """Candidates, best first, each text once; ``names`` are answers of earlier steps that the question contains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked: in words, the kind of the answer and, where known, the relation and the thing that has it."""

    question: str
    kind: Kind
    relation: Relation | None = None
    thing: str = ""
    noun: str = ""  # what the question calls the answer, as in "which comet"
    year: bool = False  # the year of a date suffices

    @classmethod
    def of(cls, question: str, passages: Sequence[Passage], *, known: Sequence[str] = ()) -> Wanted:
        """What a question wants that is to be answered in one step; ``known`` are names that it may contain."""
        names = names_in(question, [*known, *(passage.title for passage in passages)])
        sole = sole_relation(question, names)
        relation, thing = sole if sole is not None else (asked_relation(question, names), "")
        kind: Kind = answer_type(question)
        definite = kind in (AnswerType.PERSON, AnswerType.WORK, AnswerType.YES_NO)
        if relation is not None and definite and relation.kind is not kind:
            relation, thing = None, ""  # "which film was directed by her" does not ask for a director
        if relation is not None:
            kind = relation.kind
        year = kind is AnswerType.DATE and date_granularity(question) == "year"
        noun = _ASKED_NOUN.search(without(question, names))
        return cls(
            question=question,
            kind=kind,
            relation=relation,
            thing=thing,
            noun=noun[1].lower() if noun else "",
            year=year,
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence and what is known of it before it is searched."""

    passage: Passage
    start: int
    end: int
    likeness: float  # of its passage's title to the thing asked about
    worth: float  # what its candidates inherit
    logit: float = 0.0

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, kw_only=True)
class Finder:
    """Finds and ranks candidates; the weights are in the unit of the score."""

    sentences: int = 12  # read by the cross-encoder
    parsed: int = 5  # of them, searched for candidates
    sentence: float = 0.3  # a logit of the sentence
    fit: float = 3.0  # an entity of the kind asked for
    cue: float = 4.0  # words of the relation right before it
    elsewhere: float = 0.6  # what a cue is worth where a text is about something else than the thing asked about
    about: float = 3.0  # its passage is about the thing asked about
    later: float = 0.15  # each sentence before it in its passage
    titled: float = 1.0  # another passage is about it
    noun: float = 1.5  # it says itself that it is what was asked for: "Lantern Comet"
    subject: float = 0.5  # it is what its passage is about, spelled out in the sentence or not
    near: float = 1.9  # a word of the question next to it
    named: float = -1.0  # a share of its own words in the question
    words: float = 0.4  # each doubling of its length: a full name rather than a part of it

    def candidates(
        self, question: str, passages: Sequence[Passage], models: Models, *, names: Sequence[str] = ()
    ) -> list[Candidate]:
        """Candidates, best first, each text once; none of them is named in the question."""
        wanted = Wanted.of(question, passages, known=names)
        read = self._read(wanted, passages, models)
        parses = models.parser.parse([sentence.text for sentence in read])
        titles = {plain(passage.title): is_personal(passage) for passage in passages if passage.title}
        best: dict[tuple[str, ...], Candidate] = {}
        for sentence, parsed in zip(read, parses, strict=True):
            entities = [entity for part in parsed for entity in part.entities]
            found = stretches(sentence.text, entities, titles)
            if wanted.kind is AnswerType.NATIONALITY:
                found += [Stretch(start, end, "COUNTRY") for start, end, _ in countries_in(sentence.text)]
            scored = (self._scored(stretch, sentence, wanted, titles) for stretch in found)
            for candidate in (*scored, self._reversed(sentence, wanted), self._subject(sentence, wanted)):
                if candidate is not None:
                    key = tuple(pieces(candidate.text))
                    best[key] = max(candidate, best.get(key, candidate), key=lambda one: one.score)
        return sorted(best.values(), key=lambda one: (-one.score, one.text))

    def _read(self, wanted: Wanted, passages: Sequence[Passage], models: Models) -> list[_Read]:
        """The sentences worth searching, best first: a glance at their words, then the cross-encoder."""
        asked = {word for word in pieces(wanted.question) if len(word) > 3}
        glanced: list[tuple[float, int, _Read]] = []
        for rank, passage in enumerate(passages):
            like = likeness(wanted.thing, passage.title) if wanted.thing else 0.0
            for order, (start, end) in enumerate(sentence_spans(passage.text)):
                text = passage.text[start:end]
                says = bool(wanted.thing) and plain(wanted.thing).casefold() in text.casefold()
                near = like if like >= _SAME else 0.0
                worth = self.about * max(near, 0.4 * says) - self.later * min(order, 6)
                glance = worth + 0.4 * len(asked.intersection(pieces(text))) - 0.1 * rank
                glanced.append((-glance, len(glanced), _Read(passage, start, end, like, worth)))
        chosen = [sentence for _, _, sentence in sorted(glanced, key=lambda item: item[:2])[: self.sentences]]
        if not chosen:
            return []
        texts = [f"{one.passage.title}: {one.text}" if one.passage.title else one.text for one in chosen]
        logits = models.reranker.score(wanted.question, texts).tolist()
        scored = [
            _Read(one.passage, one.start, one.end, one.likeness, one.worth + self.sentence * logit, logit)
            for one, logit in zip(chosen, logits, strict=True)
        ]
        return sorted(scored, key=lambda one: -one.worth)[: self.parsed]

    def _scored(
        self, stretch: Stretch, sentence: _Read, wanted: Wanted, titles: Mapping[str, bool | None]
    ) -> Candidate | None:
        """A stretch as a candidate, unless it cannot be an answer."""
        start, end = stretch.start, stretch.end
        if wanted.year and (year := _YEAR.search(sentence.text, start, end)):
            start, end = year.span()
        text = sentence.text[start:end]
        words, asked = set(pieces(text)), set(pieces(wanted.question)) - {wanted.noun}
        fit = _fit(text, stretch.label, wanted)
        itself = likeness(text, sentence.passage.title) > 0.8 if sentence.passage.title else False
        if not fit or not words or words <= asked or (itself and wanted.relation is not None):
            return None
        cue = wanted.relation.cue(sentence.text[max(0, start - _LOOK_BACK) : start]) if wanted.relation else 0.0
        if wanted.thing and sentence.likeness < _SAME:
            cue *= self.elsewhere
        fit = max(fit, min(cue, _VOUCHED))  # parsers mistake names for one another: a cue knows better
        title = next((title for title in titles if likeness(text, title) > 0.9), None)
        if title is not None and _mistaken(titles[title], wanted.kind):
            fit *= _MISTAKEN
        score = (
            sentence.worth
            + self.fit * fit
            + self.cue * cue
            + self.titled * (title is not None and not itself)
            + self.noun * (bool(wanted.noun) and wanted.noun in text.lower())
            + self.named * len(words & asked) / len(words)
            + self.words * math.log2(1 + len(words))
            + self.near * (1 - _distance(sentence.text, start, end, asked - words) / _FAR)
        )
        return _candidate(sentence, start, end, stretch.label, score=score, fit=fit, cue=cue)

    def _reversed(self, sentence: _Read, wanted: Wanted) -> Candidate | None:
        """What a passage is about, where it says that it has the relation to the thing asked about."""
        title, thing = plain(sentence.passage.title), plain(wanted.thing)
        if wanted.relation is None or not title or not thing or sentence.likeness > 0.9:
            return None
        at = sentence.text.casefold().find(thing.casefold())
        if at < 0 or not wanted.relation.reversed(sentence.text[max(0, at - _LOOK_BACK) : at]):
            return None
        score = sentence.worth + self.fit + 0.9 * self.cue + self.near + self.words
        return _of_title(sentence, title, score=score, fit=0.9, cue=0.9)

    def _subject(self, sentence: _Read, wanted: Wanted) -> Candidate | None:
        """What a passage is about, where it may itself be what a description in the question fits."""
        title = plain(sentence.passage.title)
        words, asked = set(pieces(title)), set(pieces(wanted.question))
        fit = FITS[wanted.kind].get("TITLE", 0.0)
        if _mistaken(is_personal(sentence.passage), wanted.kind):
            fit = 0.0
        if wanted.relation is not None or not fit or not words or words <= asked:
            return None
        distance = _distance(sentence.text, 0, 0, asked - words) / _FAR
        score = sentence.worth + self.fit * fit + self.near * (1 - distance) + self.words * math.log2(1 + len(words))
        score += self.subject + self.named * len(words & asked) / len(words)
        return _of_title(sentence, title, score=score, fit=fit, cue=0.0)


def is_personal(passage: Passage) -> bool | None:
    """Whether a passage speaks of its subject as of a person; None where it does not tell."""
    if _PERSONAL.search(passage.text):
        return True
    return False if _NEUTER.search(passage.text) else None


def _mistaken(personal: bool | None, kind: Kind) -> bool:
    """Whether a person is asked for as a place, or the other way round."""
    return kind in _EITHER and personal is not None and personal is not (kind is AnswerType.PERSON)


def _fit(text: str, label: str, wanted: Wanted) -> float:
    if wanted.kind is AnswerType.DATE and not any(character.isdigit() for character in text):
        return 0.0
    bare = wanted.kind is AnswerType.NUMBER and _MEASURED.search(wanted.question) and not _UNIT.search(text)
    return FITS[wanted.kind].get(label, 0.0) * (_BARE if bare else 1.0)


def _distance(text: str, start: int, end: int, asked: set[str]) -> int:
    """Characters to the nearest longer word of the question, at most _FAR."""
    before, after = max(0, start - _FAR), min(len(text), end + _FAR)
    stems = {family(word) for word in asked}
    gaps = [start - before - match.end() for match in _words(text[before:start], stems)]
    gaps += [match.start() for match in _words(text[end:after], stems)]
    return min((max(gap, 0) for gap in gaps), default=_FAR)


def _words(text: str, stems: set[str]) -> Iterator[re.Match[str]]:
    return (match for match in re.finditer(r"\w{4,}", text) if family(match.group().lower()) in stems)


def _of_title(sentence: _Read, title: str, *, score: float, fit: float, cue: float) -> Candidate:
    """The title as a candidate; where the sentence does not spell it, it stands nowhere: start and end are equal."""
    start = max(sentence.text.find(title), 0)
    end = start + len(title) if sentence.text.startswith(title, start) else start
    return _candidate(sentence, start, end, "TITLE", score=score, fit=fit, cue=cue, text=title)


def _candidate(
    sentence: _Read,
    start: int,
    end: int,
    label: str,
    *,
    score: float,
    fit: float,
    cue: float,
    text: str = "",
) -> Candidate:
    return Candidate(
        text=text or sentence.text[start:end],
        passage=sentence.passage,
        start=sentence.start + start,
        end=sentence.start + end,
        sentence_start=sentence.start,
        sentence_end=sentence.end,
        label=label,
        score=score,
        logit=sentence.logit,
        fit=fit,
        cue=cue,
    )
