"""The span model that Polyhop brings along: an encoder of our own, trained to point at answers."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.models.encoder import side_by_side
from polyhop.models.once import once
from polyhop.models.pieces import token_spans, whole_tokenizer
from polyhop.models.recent import Recent
from polyhop.models.session import feed_of, open_session
from polyhop.models.weights import check_hashes, check_sizes, mark_in, trained_folder
from polyhop.ports import Floats, PointedSpan, SpanReading, TextPart

MODEL: Final = "model.onnx"
OUTPUTS: Final = ("tokens", "kind")
LONGEST_QUESTION: Final = 64  # tokens
OVERLAP: Final = 64  # tokens that neighbouring windows of a long text share
LONGEST_SPAN: Final = 60  # tokens
SPANS: Final = 8  # of each text
TRIED: Final = 12  # likeliest starts, and ends, from which spans are made
NONE, SPAN, YES, NO = range(4)  # the order of the graph's second output
START, END, EVIDENCE = range(3)  # of its first
QUESTION: Final = -1
RECENT: Final = 64  # readings that are kept: strategy and reader look at the same passages
BLANK: Final = re.compile(r"\n[ \t]*\n")  # what parts paragraphs: no answer goes on behind it
OR: Final = re.compile(r"\bor\b", re.IGNORECASE)  # two things to choose between, named in the question itself


@dataclass(frozen=True, slots=True)
class Token:
    """A token, the part that it stands in, and its characters there."""

    id: int
    part: int
    start: int
    end: int


Key = tuple[str, tuple[TextPart, ...]]  # a question and a text


@dataclass(frozen=True, kw_only=True)
class PolyhopReader:
    """Reads a question and a text together and points at the answer, at what it rests on, or at nothing.

    A text that is too long is read in windows that overlap; its parts that cannot answer and stand before all others (a
    title) are repeated in each. A question keeps its first 64 tokens.
    """

    max_tokens: int = 320  # of question and text together, at most 512: what it was trained on
    threads: int | None = None  # none: one for each core
    folder: str | None = None  # that training wrote; none: the one in the package polyhop-weights
    _recent: Recent[Key, SpanReading] = field(
        default_factory=lambda: Recent(RECENT), init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 128 <= self.max_tokens <= 512:
            raise ValueError("max_tokens must be from 128 to 512")

    @property
    def name(self) -> str:
        """Identifies the weights. Raises ModelMissing where the folder holds no model."""
        mark = f"{mark_in(self._folder, MODEL)}-" if self.folder else ""
        return f"polyhop-reader-{mark}{self.max_tokens}"

    def forget(self) -> None:
        """Let go of the readings that are kept, so that the next question takes the time that it takes by itself."""
        self._recent.forget()

    def read(self, question: str, texts: Sequence[Sequence[TextPart]]) -> list[SpanReading]:
        """A reading of each text. Raises ModelMissing, ModelError."""
        keys = [(question, tuple(text)) for text in texts]
        return self._recent.readings(keys, lambda unread: self._read(question, [text for _, text in unread]))

    def prepare(self) -> None:
        """Load the weights, if they are not. Raises ModelMissing, ModelError."""
        _loaded(self._folder)

    @property
    def _folder(self) -> Path:
        return trained_folder(self.folder or None, "reader")

    def _read(self, question: str, texts: Sequence[Sequence[TextPart]]) -> list[SpanReading]:
        graph = _loaded(self._folder)
        asked = graph.tokens([TextPart(question)], first=QUESTION)[:LONGEST_QUESTION]
        options = OR.search(question) is not None
        windows = [(at, window) for at, text in enumerate(texts) for window in self._windows(graph, text, len(asked))]

        def reading_of(one: tuple[int, Sequence[Token]]) -> SpanReading:
            return _read(graph, asked, texts[one[0]], one[1], options)

        read = side_by_side(reading_of, windows, self.threads)
        of_text: list[list[SpanReading]] = [[] for _ in texts]
        for (at, _), reading in zip(windows, read, strict=True):
            of_text[at].append(reading)
        return [_joined(readings) for readings in of_text]

    def verify(self) -> None:
        """Read the weights and compare their sha256. Raises ModelMissing, ModelError."""
        check_hashes(self._folder)

    def _windows(self, graph: Graph, text: Sequence[TextPart], asked: int) -> Iterator[list[Token]]:
        lead = next((at for at, part in enumerate(text) if part.answers), len(text))
        room = self.max_tokens - 3 - asked
        heading = graph.tokens(text[:lead])[: room // 2]
        body = graph.tokens(text[lead:], first=lead)
        room -= len(heading)
        step = max(room - OVERLAP, room // 2)  # beside a long question and a long title, there is less to share
        for start in range(0, max(len(body), 1), step):
            yield [*heading, *body[start : start + room]]
            if start + room >= len(body):
                return


class Graph:
    """The graph with its tokenizer. Raises ModelError for files that it cannot use."""

    def __init__(self, folder: Path) -> None:
        self._session = open_session(folder / MODEL, threads=1, gives=OUTPUTS)
        self._tokenizer = whole_tokenizer(folder / "tokenizer.json")
        self._first, self._last = self._tokenizer.encode("").ids

    def tokens(self, parts: Sequence[TextPart], first: int = 0) -> list[Token]:
        """The tokens of parts, the first of which has the number ``first``."""
        found = []
        for number, part in enumerate(parts, start=first):
            ids, spans = token_spans(self._tokenizer, part.text)
            found += [Token(one, number, *span) for one, span in zip(ids, spans, strict=True)]
        return found

    def run(self, asked: Sequence[Token], text: Sequence[Token]) -> tuple[Floats, Floats]:
        """Logits of shape (len(asked) + len(text), 3) for the tokens, and of shape (4,) for the whole."""
        ids = [self._first, *(token.id for token in asked), self._last, *(token.id for token in text), self._last]
        tokens, kind = self._session.run(OUTPUTS, feed_of(ids, len(asked) + 2))
        both = [*range(1, len(asked) + 1), *range(len(asked) + 2, len(ids) - 1)]
        return tokens[0][both], kind[0]


@once
def _loaded(folder: Path) -> Graph:
    check_sizes(folder)
    return Graph(folder)


def _read(
    graph: Graph, asked: Sequence[Token], text: Sequence[TextPart], window: Sequence[Token], options: bool
) -> SpanReading:
    """What the graph makes of one window; the question's own tokens can answer where it offers ``options``."""
    tokens = [*asked, *window]
    logits, kind = graph.run(asked, window)
    chances = np.exp(_log_softmax(kind))
    can = np.array([options if token.part == QUESTION else text[token.part].answers for token in tokens], bool)
    blank = [[found.start() for found in BLANK.finditer(part.text)] for part in text]
    paragraphs = [0 if token.part == QUESTION else bisect_right(blank[token.part], token.start) for token in tokens]
    evidence = 1 / (1 + np.exp(-logits[len(asked) :, EVIDENCE]))
    return SpanReading(
        none=float(chances[NONE]),
        span=float(chances[SPAN]),
        yes=float(chances[YES]),
        no=float(chances[NO]),
        spans=_spans(tokens, paragraphs, logits, can, float(_log_softmax(kind)[SPAN])),
        evidence=tuple(
            (token.part, token.start, token.end, float(chance)) for token, chance in zip(window, evidence, strict=True)
        ),
    )


def _spans(
    tokens: Sequence[Token], paragraphs: Sequence[int], logits: Floats, can: Any, least: float
) -> tuple[PointedSpan, ...]:
    """The likeliest stretches of one paragraph of a part each, none of them across a better one's tokens."""
    if not can.any():
        return ()
    starts = _log_softmax(np.where(can, logits[:, START], -np.inf))
    ends = _log_softmax(np.where(can, logits[:, END], -np.inf))
    pairs = [
        (float(starts[first] + ends[last]), int(first), int(last))
        for first in np.argsort(-starts)[:TRIED]
        for last in np.argsort(-ends)[:TRIED]
        if first <= last < first + LONGEST_SPAN and can[first] and can[last]
        if (tokens[first].part, paragraphs[first]) == (tokens[last].part, paragraphs[last])
    ]
    taken: list[tuple[float, int, int]] = []
    for pair in sorted(pairs, reverse=True):
        if all(pair[2] < first or pair[1] > last for _, first, last in taken):
            taken.append(pair)
    return tuple(
        PointedSpan(least + score, tokens[first].part, tokens[first].start, tokens[last].end)
        for score, first, last in taken[:SPANS]
    )


def _joined(readings: Sequence[SpanReading]) -> SpanReading:
    """One reading of the windows of a text: whether it answers, by the window that most does; all their spans."""
    surest = min(readings, key=lambda reading: reading.none)
    best: dict[tuple[int, int, int], float] = {}
    read: dict[tuple[int, int, int], float] = {}
    for reading in readings:
        for span in reading.spans:
            place = (span.part, span.start, span.end)
            best[place] = max(span.score, best.get(place, -math.inf))
        for part, start, end, chance in reading.evidence:
            read[part, start, end] = max(chance, read.get((part, start, end), 0.0))
    spans = sorted((PointedSpan(score, *place) for place, score in best.items()), reverse=True)
    evidence = tuple((*place, chance) for place, chance in read.items())
    return replace(surest, spans=tuple(spans[:SPANS]), evidence=evidence)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max()
    result: Floats = shifted - np.log(np.exp(shifted).sum())
    return result
