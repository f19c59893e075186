"""The parsekg layer: sentences as hyperrelations between named entities, by parsing alone.

KG-Translator, section 3.2 and appendix F.2.
"""

from __future__ import annotations

import json
import logging
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from polyhop.errors import ModelError, ModelMissing
from polyhop.indexes import segments
from polyhop.indexes.names import normal
from polyhop.layers import covered
from polyhop.layers.generations import current_of, kept_segments, make_room, may_stay, name_of, segments_of
from polyhop.layers.layer import USUAL_MEMORY, with_rows
from polyhop.layers.parsekg import gathering, translation
from polyhop.layers.parsekg.graph import COUNTS, FORMAT_VERSION, MASK, NEVER_HEADS, ParseKG
from polyhop.layers.parsekg.segment import GraphSegment
from polyhop.models.choice import Models
from polyhop.ports import Below, Ints, ParsedEntity, ParsedSentence, ParsedWord, Rows
from polyhop.store.record import Record
from polyhop.types import Mention, Passage, Sentence

logger = logging.getLogger(__name__)

CODE_VERSION = "2"  # raise it when the same settings and models would give other rows
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
SUBJECTS = frozenset({"nsubj", "nsubjpass"})


@dataclass(frozen=True, kw_only=True)
class ParseKGLayer:
    """Sentences, named entities and the direction between them; needs no language model."""

    titles: bool = True  # a passage's title is a head entity of all its sentences: the remedy for "He was born in ..."
    promote: bool = True  # a sentence that nothing leads is led by its title, or its entities; off: it leads nowhere
    tokens: bool = True  # the translator's tokens are made while gathering; off: its first question waits for them

    name: ClassVar[str] = "parsekg"
    runs: ClassVar[Literal["threads", "processes"]] = "processes"
    reads: ClassVar[tuple[str, ...]] = ()

    def made_with(self, models: Models) -> str:
        """The parser."""
        return f"{CODE_VERSION}:{models.parser.name}"

    def extract(self, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        """For each passage its parse: sentences with their entities and words (see ``encode``)."""
        paragraphs = [(at, text) for passage in passages for at, text in paragraphs_of(passage.text)]
        parses = iter(models.parser.parse([text for _, text in paragraphs]))
        return [
            encode([row for at, _ in paragraphs_of(passage.text) for row in shifted(next(parses), at)])
            for passage in passages
        ]

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Add a segment for what is new; those that it outgrows, or that are too dead, become one with it."""
        content = json.dumps([fingerprint, self._read_as(), FORMAT_VERSION])
        kept = kept_segments(record, self.name, folder, content, _opened)
        now = covered.look(record, self.name, fingerprint, folder, kept, [_covered(folder / name) for name in kept])
        names = kept[: now.plan.keep]
        if len(now.plan.new):
            names.append(self._write_segment(record, folder, names, content, now.plan.new, memory))
        generation = name_of(json.dumps([content, names, now.digest()]), now.plan.new[:0])
        graph = ParseKG.open(folder / generation, [folder / name for name in names], now.live())
        self._make_tokens(graph, models)
        described = {"fingerprint": fingerprint, "content": content, "segments": names}
        told = {"things": COUNTS[0], **graph.counts()}
        now.settle(record, self.name, folder, generation, {**described, **told})

    def _write_segment(
        self, record: Record, folder: Path, before: Sequence[str], content: str, numbers: Ints, memory: int
    ) -> str:
        name = name_of(json.dumps([content, before]), numbers)
        if self._finished(record, folder / name):
            return name
        runs = folder / f".runs-{name_of(content, numbers[:0])}"
        make_room(folder / name)
        earlier = ParseKG.open(folder, [folder / each for each in before], numbers[:0])
        gathering.write(folder / name, numbers, partial(self._said, record), earlier=earlier, runs=runs, memory=memory)
        logger.info("parsekg: wrote segment %s of %d passages", name, len(numbers))
        return name

    def _finished(self, record: Record, segment: Path) -> bool:
        """Whether somebody finished a segment, and was killed before a generation had it."""
        current = record.generation(self.name)
        known = () if current is None else current.description.get("segments", ())
        return segment.name not in known and segment.is_dir() and may_stay(segment, _opened)

    def _read_as(self) -> dict[str, bool]:
        """The settings that determine what a segment has; whether tokens lie beside it changes nothing in it."""
        return {name: value for name, value in asdict(self).items() if name != "tokens"}

    def _make_tokens(self, graph: ParseKG, models: Models) -> None:
        """Put the graph into the translator's tokens, so that no question waits for it."""
        if self.tokens:
            try:
                translation.make(graph, models.translator)
            except (ModelMissing, ModelError) as error:  # whoever asks it will hear of it
                logger.info("parsekg: the translator's index is left to the first question: %s", error)

    def _said(self, record: Record, numbers: Ints) -> Iterator[tuple[int, Passage, list[Sentence]]]:
        for number, passage, row in chain.from_iterable(with_rows(record, self.name, numbers)):
            yield number, passage, decode(row, passage, titles=self.titles, promote=self.promote)

    def open(self, record: Record, folder: Path, models: Models) -> ParseKG:
        """The newest generation. Raises LayerMissing."""
        current = current_of(record, self.name)
        folders = [folder / name for name in segments_of(current, self.name)]
        return ParseKG.open(folder / current.name, folders, covered.live_in(record, current, folder))


def _opened(segment: Path) -> None:
    GraphSegment.open(segment, np.empty(0, np.int64))


def _covered(segment: Path) -> Ints:
    """The numbers of the passages that a segment is of."""
    return segments.read_arrays(segment / "places", ("numbers",))["numbers"]


# A sentence: [start, end, [[start, end, label, head], ...], [gap, length, governor, dependency, ...]], gap being the
# characters between a word and the one before it.
Row = list[Any]


def paragraphs_of(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a passage with their offsets: a sentence never runs over a heading or a blank line."""
    cuts = [0, *(match.end() for match in _BLANK_LINE.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in pairwise(cuts) if text[start:end].strip()]


def shifted(sentences: Sequence[ParsedSentence], offset: int) -> Iterator[Row]:
    """The parse of a paragraph as rows, with offsets into its passage."""
    for sentence in sentences:
        entities = [
            [offset + entity.start, offset + entity.end, entity.label, int(is_head(entity.label, entity.dependency))]
            for entity in sentence.entities
        ]
        yield [offset + sentence.start, offset + sentence.end, entities, list(_flat(sentence))]


def _flat(sentence: ParsedSentence) -> Iterator[int | str]:
    end = sentence.start
    for word in sentence.words:
        yield from (word.start - end, word.end - word.start, word.head, word.dependency)
        end = word.end


def encode(rows: Sequence[Row]) -> bytes:
    """The parse of a passage as its stored bytes: compressed JSON."""
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def parses_of(passages: Sequence[Passage], models: Models, below: Below) -> list[Rows]:
    """The parse of each passage: the one that this layer has stored or, where it has none, a new one."""
    stored = below.get("parsekg") or [None] * len(passages)
    lacking = [passage for passage, parse in zip(passages, stored, strict=True) if parse is None]
    made = iter(ParseKGLayer().extract(lacking, models, {}))
    return [next(made) if parse is None else parse for parse in stored]


def parse_of(payload: bytes) -> list[ParsedSentence]:
    """The parse that a passage's stored bytes hold, with offsets into the passage's text."""
    sentences = []
    for start, end, entities, *rest in json.loads(zlib.decompress(payload)):
        words = tuple(_unflattened(start, rest[0])) if rest else ()
        parsed = tuple(
            ParsedEntity(at, until, label, _dependency(at, until, words)) for at, until, label, _ in entities
        )
        sentences.append(ParsedSentence(start=start, end=end, entities=parsed, words=words))
    return sentences


def _unflattened(start: int, flat: Sequence[Any]) -> Iterator[ParsedWord]:
    end = start
    for gap, length, head, dependency in zip(*(flat[place::4] for place in range(4)), strict=True):
        start = end + gap
        end = start + length
        yield ParsedWord(start, end, head, dependency)


def _dependency(start: int, end: int, words: Sequence[ParsedWord]) -> str:
    """How a stretch hangs on its sentence: the dependency of its first word that a word outside governs."""
    for position, word in enumerate(words):
        if start <= word.start < end:
            governor = words[word.head]
            if word.head == position or not start <= governor.start < end:
                return word.dependency
    return ""


def is_head(label: str, dependency: str) -> bool:
    """Whether an entity leads its hyperrelation: a subject that is not a date, quantity or the like (appendix F.2)."""
    return dependency in SUBJECTS and label not in NEVER_HEADS


def decode(payload: bytes, passage: Passage, *, titles: bool, promote: bool = True) -> list[Sentence]:
    """The sentences of a passage.

    With ``titles`` the passage's title is a head of all of them. With ``promote`` a sentence that has none yet gets
    the title as its head or, where there is none, its entities of head types: so no passage is unreachable. Without
    both, sentences are led by their subjects alone (appendix F.2).
    """
    title = title_mention(passage)
    sentences = []
    for start, end, entities, *_ in json.loads(zlib.decompress(payload)):
        mentions = [
            Mention(name=name, key=normal(name), label=label, start=at, end=until, head=bool(head))
            for at, until, label, head in entities
            if normal(name := passage.text[at:until])
        ]
        headless = not any(mention.head for mention in mentions)
        if headless and promote and title is None:
            mentions = [replace(mention, head=mention.label not in NEVER_HEADS) for mention in mentions]
        if title is not None and (titles or (headless and promote)):
            mentions = [replace(mention, head=True) if mention.key == title.key else mention for mention in mentions]
            if all(mention.key != title.key for mention in mentions):
                mentions.insert(0, title)
        sentences.append(
            Sentence(
                start=start, end=end, hyperrelation=masked(passage.text, start, end, entities), mentions=tuple(mentions)
            )
        )
    return sentences


def title_mention(passage: Passage) -> Mention | None:
    """The passage's title as what its sentences are about, if it has one."""
    key = normal(passage.title)
    return Mention(name=passage.title, key=key, label="TITLE", start=0, end=0, head=True) if key else None


def masked(text: str, start: int, end: int, entities: Sequence[Sequence[int | str]]) -> str:
    """A sentence with each entity replaced by the mask; adjacent masks stay separate."""
    pieces, at = [], start
    for entity in entities:
        entity_start, entity_end = int(entity[0]), int(entity[1])
        if entity_start >= at:
            pieces += [text[at:entity_start] or " ", MASK]
            at = entity_end
    pieces.append(text[at:end])
    return " ".join("".join(pieces).split())
