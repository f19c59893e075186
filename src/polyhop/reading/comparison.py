"""Questions about two things, answered by rule: which came first, which is it, do both share something."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import choices
from polyhop.english.countries import countries_in
from polyhop.english.dates import DATE, Date, parse_date
from polyhop.english.relations import BY_NAME, Relation
from polyhop.english.words import AUXILIARIES, FUNCTION_WORDS, word_set
from polyhop.indexes.folding import pieces
from polyhop.models.choice import Models
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.subjects import about, likeness, names_in, plain
from polyhop.types import Passage

_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)
_AND: Final = re.compile(r"\b(?:and|as|with)\b")
_AMONG: Final = re.compile(r"\b(?:out of|between|among|of the two)\b", re.IGNORECASE)
_EARLY: Final = "first|earlier|earliest|before|older|oldest|elder|eldest|sooner"
_LATE: Final = "later|latest|last|recently|recent|younger|youngest|newer|newest|after"
_ORDER: Final = re.compile(rf"\b(?:(?P<early>{_EARLY})|(?P<late>{_LATE}))\b", re.IGNORECASE)
_LIFE: Final = re.compile(r"\b(?:lived? (?:\w+ )?long(?:er|est)|long(?:er|est) li\w+|lifespan)\b", re.IGNORECASE)
_MEASURES: Final = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), BY_NAME[name])
    for words, name in (
        ("die[sd]?|death|passed away|killed", "date of death"),
        ("released?|came out|come out|publish(?:ed)?|premiered?|aired|issued|broadcast", "release date"),
        ("founded|established|formed|opened|started|built|created|launched|began|completed|begun", "founding date"),
        ("born|older|oldest|elder|eldest|younger|youngest|birth", "date of birth"),
    )
)
_LIFE_DATES: Final = (BY_NAME["date of birth"], BY_NAME["date of death"])
_COUNTED: Final = re.compile(
    r"\b(?P<more>more|most|fewer|fewest|less)\s+(?:\w+\s)??(?P<noun>[a-z]{3,})\b", re.IGNORECASE
)
NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_SAME_COUNTRY: Final = re.compile(r"\b(?:same|common) (?:country|nation(?:ality)?|citizenship)\b", re.IGNORECASE)
_SAME_BIRTHPLACE: Final = re.compile(r"\bborn in the same \w+", re.IGNORECASE)
_BIRTHPLACE: Final = re.compile(
    r"\b[Bb]orn\b[^;]{0,70}?\b(?:in|at|near)\s+(?P<born>[^\W\d_a-z][^,.;()]*)"
    r"|\([^()–—]*\d{4},? ?(?:in |at )?(?P<dated>[A-Z][^,.;()–—\d]*)"
)
_ROLE: Final = re.compile(  # whose values are compared instead of the things themselves
    r"\b(?:the|whose|both|their|are|have|has)\s+(?:\w+\s)?(?P<role>director|composer|performer|author|screenwriter|producer"
    r"|founder|creator)s?\b",
    re.IGNORECASE,
)
_ENDINGS: Final = ("ses", "ies", "es", "s", "ed", "ing")
_IDLE: Final = FUNCTION_WORDS | AUXILIARIES | word_set("same both their type types kind kinds share")
_SENTENCE_END: Final = re.compile(r"(?<=\w{3}[.!?]) (?=[A-Z])")
_LOOK_BACK: Final = 160  # characters in which a cue may stand


@dataclass(frozen=True, slots=True)
class _Operand:
    """One of the things compared, as the question names it; the passage that tells, and what led to it."""

    name: str
    passage: Passage | None
    led_by: tuple[Quote, ...] = ()

    @property
    def sureness(self) -> float:
        """How sure it is that the passage is about it, 0 to 1; what led there is taken to be right."""
        if self.passage is None:
            return 0.0
        return 1.0 if self.led_by else likeness(self.name, self.passage.title)


def compare(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """The answer to a question about two things; None where it is another question, or nothing tells.

    The confidence falls with the likeness of the things' names to the titles of the passages that tell about them.
    """
    titles = [passage.title for passage in passages]
    names = options(question, titles)
    if names is None:
        return None
    frame = question
    for name in sorted(names, key=len, reverse=True):
        frame = frame.replace(name, " ", 1)
    role = _ROLE.search(frame)
    relation = BY_NAME[role["role"].lower()] if role else None
    operands = [_operand(name, relation, passages) for name in names]
    if _OR.search(frame) or not set(pieces(frame)[:1]) & AUXILIARIES:
        reading = _by_date(frame, operands) or _by_count(frame, operands) or _by_relevance(frame, operands, models)
    elif _SAME_COUNTRY.search(frame):
        reading = _agreeing(operands, _countries)
    elif _SAME_BIRTHPLACE.search(frame):
        reading = _agreeing(operands, _birthplaces)
    else:
        reading = _holding(frame, operands)
    if reading is None:
        return None
    sureness = sum(operand.sureness for operand in operands) / len(operands)
    return replace(reading, confidence=reading.confidence * sureness**2)


def options(question: str, titles: Sequence[str]) -> tuple[str, str] | None:
    """The two things that a question compares, as it names them; titles of passages tell names that contain commas."""
    places = names_in(question, titles)
    first = pieces(question)[:1]
    joints: list[re.Match[str]] = list(_OR.finditer(question))[::-1]
    if first and (first[0] in AUXILIARIES or _AMONG.search(question)):
        joints += _AND.finditer(question)
    for joint in joints:
        left = [(start, end) for start, end in places if end <= joint.start()]
        right = [(start, end) for start, end in places if start >= joint.end()]
        if left and right and all(joint.end() <= start or joint.start() >= end for start, end in places):
            (first_start, first_end), (second_start, second_end) = left[-1], right[0]
            return question[first_start:first_end], question[second_start:second_end]
    return choices(question)


def _operand(name: str, role: Relation | None, passages: Sequence[Passage]) -> _Operand:
    """The passage that tells about a thing: its own, or that of the director, author, ... whom its own names."""
    own = about(name, passages)
    if own is None or role is None:
        return _Operand(name, own)
    linked = []
    for rank, passage in enumerate(passages):
        title = plain(passage.title)
        at = own.text.find(title) if passage.id != own.id and len(title) > 2 else -1
        if at >= 0:
            linked.append((role.cue(own.text[max(0, at - _LOOK_BACK) : at]), -rank, passage, at))
    if not linked:
        return _Operand(name, None, (_sentence(own, 0),))
    _, _, passage, at = max(linked, key=lambda item: item[:2])
    return _Operand(name, passage, (_sentence(own, at),))


def _sentence(passage: Passage, at: int) -> Quote:
    spans = sentence_spans(passage.text) or [(0, len(passage.text))]
    return Quote(passage, *next(((start, end) for start, end in spans if at < end), spans[-1]))


def _by_date(frame: str, operands: Sequence[_Operand]) -> Reading | None:
    """Which of two came first or last, or lived longer; None if the question compares no dates, or none is told."""
    longer, order = _LIFE.search(frame), _ORDER.search(frame)
    if longer:
        relations: tuple[Relation, ...] = _LIFE_DATES
    else:
        relations = tuple(relation for pattern, relation in _MEASURES if order and pattern.search(frame))[:1]
    if not relations:
        return None
    if (
        relations[0] is _LIFE_DATES[0]
        and "born" not in frame.lower()
        and not any(date_of(relations[0], operand.passage) for operand in operands)
    ):
        relations = (BY_NAME["founding date"],)  # bridges and firms are older than others, too
    found = [[date_of(relation, operand.passage) for relation in relations] for operand in operands]
    dates = [[item[0] for item in items if item] for items in found]
    known = [at for at, items in enumerate(dates) if len(items) == len(relations)]
    if not known:
        return None
    quotes = [*_led(operands), *(item[1] for items in found for item in items if item)]
    names = " and ".join(relation.name for relation in relations)
    early = not longer and order is not None and order["early"] is not None
    if len(known) == 1:
        # Of whom no death is told may be alive: that is later than any date.
        other = relations[0].name == "date of death" and not early
        chosen = operands[1 - known[0] if other else known[0]].name
        return _reading(chosen, quotes, 0.4, f"only one {names} was found")
    keys = [_years(items[0], items[1]) if longer else items[0] for items in dates]
    chosen = operands[(0 if keys[0] <= keys[1] else 1) if early else (0 if keys[0] >= keys[1] else 1)].name
    return _reading(chosen, quotes, 0.9 if keys[0] != keys[1] else 0.4, f"compared by {names}")


def _years(birth: Date, death: Date) -> Date:
    return (death[0] - birth[0], death[1] - birth[1], death[2] - birth[2])


def date_of(relation: Relation, passage: Passage | None) -> tuple[Date, Quote] | None:
    """The date that a passage gives for a relation: the surest cue decides, without any the first date.

    Dates of birth and death always need a cue: the first date in a text about somebody may be any.
    """
    best: tuple[float, Date, Quote] | None = None
    for match in DATE.finditer(passage.text) if passage else ():
        date = parse_date(match.group())
        if date is None or passage is None:
            continue
        before = passage.text[max(0, match.start() - _LOOK_BACK) : match.start()]
        cue = relation.cue(_SENTENCE_END.split(before)[-1])
        if (cue or relation not in _LIFE_DATES) and (best is None or cue > best[0]):
            best = (cue, date, _sentence(passage, match.start()))
    return best[1:] if best else None


def _by_count(frame: str, operands: Sequence[_Operand]) -> Reading | None:
    """Which of two has more or fewer of something, where both numbers stand before its name."""
    asked = _COUNTED.search(frame)
    if asked is None:
        return None
    counted = re.compile(rf"\b({'|'.join(NUMBERS)}|\d[\d,]*)\s(?:[\w-]+\s)?{re.escape(_stem(asked['noun'].lower()))}")
    found = [counted.search(operand.passage.text) if operand.passage else None for operand in operands]
    if found[0] is None or found[1] is None:
        return None
    counts = [_count(match[1]) for match in found if match]
    more = 0 if counts[0] >= counts[1] else 1
    chosen = more if asked["more"].lower() in ("more", "most") else 1 - more
    quotes = [
        _sentence(operand.passage, match.start())
        for operand, match in zip(operands, found, strict=True)
        if operand.passage and match
    ]
    return _reading(
        operands[chosen].name, [*_led(operands), *quotes], 0.8, f"compared by the number of {asked['noun']}"
    )


def _count(text: str) -> int:
    return NUMBERS.index(text) if text in NUMBERS else int(text.replace(",", ""))


def _by_relevance(frame: str, operands: Sequence[_Operand], models: Models) -> Reading | None:
    """Which of two fits what is said: the cross-encoder reads it with the sentences about each."""
    asked = " ".join(_OR.sub(" ", frame).split())
    best: list[tuple[float, str, Quote]] = []
    for operand in operands:
        spans = sentence_spans(operand.passage.text) if operand.passage else []
        if operand.passage is None or not spans:
            continue
        texts = [f"{operand.passage.title}: {operand.passage.text[start:end]}" for start, end in spans]
        logits = models.reranker.score(asked, texts)
        at = int(logits.argmax())
        best.append((float(logits[at]), operand.name, Quote(operand.passage, *spans[at])))
    if not best:
        return None
    best.sort(key=lambda item: -item[0])
    lead = best[0][0] - best[1][0] if len(best) > 1 else 0.0
    quotes = [*_led(operands), *(quote for _, _, quote in best)]
    return _reading(best[0][1], quotes, min(0.9, 0.5 + 0.05 * lead), "the option that the passages fit better")


def _agreeing(
    operands: Sequence[_Operand], values: Callable[[Passage], tuple[frozenset[str], Quote] | None]
) -> Reading | None:
    """Whether the values found for two things have one in common."""
    found = [values(operand.passage) if operand.passage else None for operand in operands]
    told = [item for item in found if item is not None]
    if not told:
        return None
    quotes = [*_led(operands), *(quote for _, quote in told)]
    if len(told) < len(operands):
        return _reading("yes", quotes, 0.3, "only one of the two was found")
    same = told[0][0] & told[1][0]
    words = [" or ".join(sorted(value)) for value, _ in told]
    return _reading(
        "yes" if same else "no", quotes, 0.8, f"{operands[0].name}: {words[0]}; {operands[1].name}: {words[1]}"
    )


def _countries(passage: Passage) -> tuple[frozenset[str], Quote] | None:
    """The countries in the first sentence that names any."""
    for start, end in sentence_spans(passage.text):
        named = frozenset(country for _, _, country in countries_in(passage.text[start:end]))
        if named:
            return named, Quote(passage, start, end)
    return None


def _nations(passage: Passage | None) -> frozenset[str]:
    found = _countries(passage) if passage else None
    return found[0] if found else frozenset()


def _birthplaces(passage: Passage) -> tuple[frozenset[str], Quote] | None:
    """The words of the first place that somebody is said to be born in."""
    for start, end in sentence_spans(passage.text):
        match = _BIRTHPLACE.search(passage.text[start:end])
        if match:
            place = match["born"] or match["dated"]
            return frozenset(word for word in pieces(place) if len(word) > 2), Quote(passage, start, end)
    return None


def _holding(frame: str, operands: Sequence[_Operand]) -> Reading | None:
    """Whether something holds of both things: half of its words have to be said of each, and each nationality."""
    asked = {_stem(word) for word in pieces(frame) if word not in _IDLE and len(word) > 2}
    shares, quotes = [], []
    for operand in operands:
        spans = sentence_spans(operand.passage.text) if operand.passage else []
        if operand.passage is None or not spans or not asked:
            return None
        said = [{_stem(word) for word in pieces(operand.passage.text[start:end])} & asked for start, end in spans]
        shares.append(len(frozenset().union(*said)) / len(asked))
        quotes.append(Quote(operand.passage, *max(zip(said, spans, strict=True), key=lambda item: len(item[0]))[1]))
    nations = {country for _, _, country in countries_in(frame)}
    holds = min(shares) >= 0.5 and all(nations <= _nations(operand.passage) for operand in operands)
    return _reading("yes" if holds else "no", [*_led(operands), *quotes], 0.5, "by the words that are said of both")


def _stem(word: str) -> str:
    ending = next((ending for ending in _ENDINGS if word.endswith(ending) and len(word) > len(ending) + 3), "")
    return word.removesuffix(ending)


def _led(operands: Sequence[_Operand]) -> list[Quote]:
    return [quote for operand in operands for quote in operand.led_by]


def _reading(text: str, quotes: Sequence[Quote], confidence: float, note: str) -> Reading:
    return Reading(text=text, quotes=tuple(dict.fromkeys(quotes)), confidence=confidence, note=note)
