"""Candidates for a short answer: where they stand, and how likely each is what a question asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.indexes.folding import pieces
from polyhop.models.choice import Models
from polyhop.reading.answer_type import AnswerType, answer_type, date_granularity
from polyhop.reading.countries import countries_in
from polyhop.reading.relations import Kind, Relation, asked_relation, path_of
from polyhop.reading.sentences import sentence_spans
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
        "LANGUAGE": 0.7, "PERSON": 0.6, "GPE": 0.6, "LOC": 0.6, "NORP": 0.6, "QUOTED": 0.5, "ROLE": 0.4,
    },
    "role": {"ROLE": 1.0},
}  # fmt: skip
"""How well an entity of a label answers a question of a kind: 1 is what was asked for; what is missing never does."""

_YEAR: Final = re.compile(r"\b\d{3,4}\b")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked: in words, the kind of the answer and, where known, the relation and the thing that has it."""

    question: str
    kind: Kind
    relation: Relation | None = None
    thing: str = ""
    year: bool = False  # the year of a date suffices
    focus: frozenset[str] = frozenset()  # ids of the passages that are likely to say it

    @classmethod
    def of(cls, question: str, passages: Sequence[Passage], focus: frozenset[str] = frozenset()) -> Wanted:
        """What a question wants that is to be answered in one step."""
        names = names_in(question, [passage.title for passage in passages])
        path = path_of(question, names)
        if path is not None and len(path.relations) == 1:
            relation: Relation | None = path.relations[0]
        else:
            relation = asked_relation(question, names)
        thing = path.start if path is not None and len(path.relations) == 1 else ""
        kind = relation.kind if relation is not None else answer_type(question)
        year = kind is AnswerType.DATE and date_granularity(question) == "year"
        return cls(question=question, kind=kind, relation=relation, thing=thing, year=year, focus=focus)

    @classmethod
    def step(cls, relation: Relation, thing: str) -> Wanted:
        """What a relation leads to from a thing."""
        return cls(question=relation.question(thing), kind=relation.kind, relation=relation, thing=thing)


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
    about: float = 3.0  # its passage is about the thing asked about
    focus: float = 2.0  # its passage is said to hold the answer
    later: float = 0.15  # each sentence before it in its passage
    titled: float = 1.0  # another passage is about it
    near: float = 1.9  # a word of the question next to it
    named: float = -1.0  # a share of its own words in the question
    words: float = 0.4  # each doubling of its length: a full name rather than a part of it

    def candidates(self, wanted: Wanted, passages: Sequence[Passage], models: Models) -> list[Candidate]:
        """Candidates, best first, each text once; none of them is named in the question."""
        read = self._read(wanted, passages, models)
        parses = models.parser.parse([sentence.text for sentence in read])
        titles = list(dict.fromkeys(plain(passage.title) for passage in passages if passage.title))
        best: dict[tuple[str, ...], Candidate] = {}
        for sentence, parsed in zip(read, parses, strict=True):
            entities = [entity for part in parsed for entity in part.entities]
            found = stretches(sentence.text, entities, titles)
            if wanted.kind is AnswerType.NATIONALITY:
                found += [Stretch(start, end, "COUNTRY") for start, end, _ in countries_in(sentence.text)]
            scored = (self._scored(stretch, sentence, wanted, titles) for stretch in found)
            for candidate in (*scored, self._reversed(sentence, wanted)):
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
                near = like if like >= 0.6 else 0.0
                worth = self.about * max(near, 0.4 * says) + self.focus * (passage.id in wanted.focus)
                worth -= self.later * min(order, 6)
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

    def _scored(self, stretch: Stretch, sentence: _Read, wanted: Wanted, titles: Sequence[str]) -> Candidate | None:
        """A stretch as a candidate, unless it cannot be an answer."""
        start, end = stretch.start, stretch.end
        if wanted.year and (year := _YEAR.search(sentence.text, start, end)):
            start, end = year.span()
        text = sentence.text[start:end]
        words, asked = set(pieces(text)), set(pieces(wanted.question))
        fit = _fit(text, stretch.label, wanted.kind)
        itself = likeness(text, sentence.passage.title) > 0.8 if sentence.passage.title else False
        if not fit or not words or words <= asked or (itself and wanted.relation is not None):
            return None
        cue = wanted.relation.cue(sentence.text[max(0, start - _LOOK_BACK) : start]) if wanted.relation else 0.0
        elsewhere = any(likeness(text, title) > 0.9 for title in titles) and not itself
        score = (
            sentence.worth
            + self.fit * fit
            + self.cue * cue
            + self.titled * elsewhere
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
        start = max(sentence.text.find(title), 0)
        end = start + len(title) if sentence.text.startswith(title, start) else start
        score = sentence.worth + self.fit + 0.9 * self.cue + self.near + self.words
        return _candidate(sentence, start, end, "TITLE", score=score, fit=0.9, cue=0.9, text=title)


def _fit(text: str, label: str, kind: Kind) -> float:
    if kind is AnswerType.DATE and not any(character.isdigit() for character in text):
        return 0.0
    return FITS.get(kind, FITS[AnswerType.THING]).get(label, 0.0)


def _distance(text: str, start: int, end: int, asked: set[str]) -> int:
    """Characters to the nearest longer word of the question, at most _FAR."""
    before, after = max(0, start - _FAR), min(len(text), end + _FAR)
    gaps = [start - before - match.end() for match in _words(text[before:start], asked)]
    gaps += [match.start() for match in _words(text[end:after], asked)]
    return min((max(gap, 0) for gap in gaps), default=_FAR)


def _words(text: str, asked: set[str]) -> Iterator[re.Match[str]]:
    return (match for match in re.finditer(r"\w{4,}", text) if match.group().lower() in asked)


def _candidate(
    sentence: _Read, start: int, end: int, label: str, *, score: float, fit: float, cue: float, text: str = ""
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
