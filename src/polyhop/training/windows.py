"""Questions and passages as windows of tokens, with what a reader is to find in them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polyhop.models.pieces import encodable, whole_tokenizer
from polyhop.training.rows import KINDS, Kind

if TYPE_CHECKING:
    from tokenizers import Encoding

MOST_TOKENS = 320
MOST_ASKED = 64  # tokens of a question
SPECIAL_TOKENS = 3  # [CLS] question [SEP] passages [SEP]

# Where a sentence ends, or a line of a conversation: coarse, since it only says what counts as evidence.
_END = re.compile(r'(?<=[.!?])["\')\]]*\s+(?=[A-Z0-9"\'(])|\n+')
_OFFERS = re.compile(r"\bor\b")  # a question that may name its own answer


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a window's text; where ``answers`` is false, as in titles, no answer is to be found."""

    text: str
    answers: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer stands: in which part, from which character, and as what."""

    part: int
    start: int
    text: str

    @property
    def end(self) -> int:
        """Behind its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Token ids with their labels; all sequences are as long as ``ids``."""

    ids: tuple[int, ...]
    asked: int  # tokens before the passages: [CLS], the question, [SEP]
    allowed: tuple[bool, ...]  # where an answer may begin and end
    spans: tuple[tuple[int, int], ...]  # first and last token of each occurrence of the answer
    evidence: tuple[bool, ...]  # tokens of sentences that hold it, or that a yes or no rests on
    told: bool  # whether all that ``evidence`` should mark is known
    kind: int  # in KINDS
    source: str


@dataclass(slots=True)
class _Tokens:
    """The passages' tokens, before a window is cut out of them."""

    ids: list[int]
    parts: list[int]
    offsets: list[tuple[int, int]]

    def within(self, part: int, start: int, end: int) -> list[int]:
        """Which tokens have a character in a stretch of a part."""
        return [
            position
            for position, (of, (first, last)) in enumerate(zip(self.parts, self.offsets, strict=True))
            if of == part and first < end and last > start
        ]


class WindowMaker:
    """Cuts windows with the tokenizer of an encoder."""

    def __init__(self, tokenizer: Path) -> None:
        self._tokenizer = whole_tokenizer(tokenizer)
        self._first, self._last = self._tokenizer.encode("").ids

    def window(
        self,
        question: str,
        parts: Sequence[Part],
        kind: Kind,
        places: Sequence[Place],
        *,
        source: str,
        rng: random.Random,
    ) -> Window | None:
        """A window; where not all fits, a random one that holds an answer. None where no answer is left in it.

        Parts that cannot answer and stand before all others, as a title does, are kept in each, up to half of the room.
        """
        question = question.strip()
        asking = self._encoded(question)
        asked = asking.ids[:MOST_ASKED]
        tokens = self._tokens(parts)
        spans = _spans(tokens, places)
        kept = _kept(tokens, parts, MOST_TOKENS - SPECIAL_TOKENS - len(asked), spans, rng)
        place_of = {position: place for place, position in enumerate(kept)}
        spans = [(place_of[first], place_of[last]) for first, last in spans if first in place_of and last in place_of]
        if kind == "span" and not spans:
            return None
        before = len(asked) + 2
        allowed = [False] * before + [parts[tokens.parts[one]].answers for one in kept] + [False]
        found = [(first + before, last + before) for first, last in spans] if kind == "span" else []
        if kind == "span" and _OFFERS.search(question):
            allowed[1 : 1 + len(asked)] = [True] * len(asked)
            found += _offered(question, asking, len(asked), places)
        marked = _evidence(tokens, parts, places)
        return Window(
            ids=(self._first, *asked, self._last, *(tokens.ids[one] for one in kept), self._last),
            asked=before,
            allowed=tuple(allowed),
            spans=tuple(sorted(set(found))),
            evidence=(*([False] * before), *(marked[one] for one in kept), False),
            told=kind in ("none", "span") or bool(spans),
            kind=KINDS.index(kind),
            source=source,
        )

    def _tokens(self, parts: Sequence[Part]) -> _Tokens:
        tokens = _Tokens([], [], [])
        for number, part in enumerate(parts):
            encoded = self._encoded(part.text)
            tokens.ids += encoded.ids
            tokens.offsets += encoded.offsets
            tokens.parts += [number] * len(encoded.ids)
        return tokens

    def _encoded(self, text: str) -> Encoding:
        return self._tokenizer.encode(encodable(text), add_special_tokens=False)


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence or line."""
    spans, start = [], 0
    for end in _END.finditer(text):
        spans.append((start, end.start()))
        start = end.end()
    return [*spans, (start, len(text))]


def _spans(tokens: _Tokens, places: Sequence[Place]) -> list[tuple[int, int]]:
    found = (tokens.within(place.part, place.start, place.end) for place in places)
    return [(positions[0], positions[-1]) for positions in found if positions]


def _kept(
    tokens: _Tokens, parts: Sequence[Part], room: int, spans: Sequence[tuple[int, int]], rng: random.Random
) -> list[int]:
    """The tokens that a window has: those of the leading parts, and as many of the others as there is room for."""
    lead = next((place for place, part in enumerate(tokens.parts) if parts[part].answers), len(tokens.parts))
    shown = min(lead, room // 2)
    start, end = _cut(len(tokens.ids) - lead, room - shown, [(first - lead, last - lead) for first, last in spans], rng)
    return [*range(shown), *range(lead + start, lead + end)]


def _cut(length: int, room: int, spans: Sequence[tuple[int, int]], rng: random.Random) -> tuple[int, int]:
    """Start and end of the stretch of tokens that is kept: as much as there is room for, around one of the spans."""
    start, latest = 0, length - room
    if latest > 0 and spans:
        first, last = rng.choice(spans)
        earliest, start = max(0, last + 1 - room), min(first, latest)
        if earliest <= start:
            start = rng.randint(earliest, start)
    elif latest > 0:
        start = rng.randint(0, latest)
    return start, min(length, start + room)


def _evidence(tokens: _Tokens, parts: Sequence[Part], places: Sequence[Place]) -> list[bool]:
    marked = [False] * len(tokens.ids)
    for place in places:
        for start, end in sentences(parts[place.part].text):
            if start < place.end and end > place.start:
                for position in tokens.within(place.part, start, end):
                    marked[position] = True
    return marked


def _offered(question: str, asking: Encoding, length: int, places: Sequence[Place]) -> list[tuple[int, int]]:
    """Where the question itself names the answer."""
    start = question.lower().find(places[0].text.lower()) if places else -1
    if start < 0:
        return []
    end = start + len(places[0].text)
    within = [n for n, (first, last) in enumerate(asking.offsets[:length]) if first < end and last > start]
    return [(within[0] + 1, within[-1] + 1)] if within else []
