"""The text layer: a dense vector for each passage, and BM25 over its words."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes import lexical_runs, segments, titles, vectors
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.signs import EXACT
from polyhop.indexes.streamed import streamed
from polyhop.indexes.titles import Titles
from polyhop.indexes.vectors import Vectors
from polyhop.layers import covered
from polyhop.layers.generations import kept_segments, make_room, name_of, newest
from polyhop.layers.layer import READ_AT_ONCE, USUAL_MEMORY, words_of
from polyhop.layers.layer import fingerprint as mark_of
from polyhop.models.choice import Models
from polyhop.ports import Below, Floats, Ints, Rows
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Passage

logger = logging.getLogger(__name__)

CODE_VERSION = "1"  # raise it when the same settings and models would give other rows


@dataclass(frozen=True)
class TextIndex:
    """What strategies search: vectors, words and titles of all passages, by passage number."""

    vectors: Vectors
    lexical: Lexical
    titles: Titles


@dataclass(frozen=True, kw_only=True)
class TextLayer:
    """Dense vectors and BM25 over title and text; needs no language model."""

    name: ClassVar[str] = "text"
    runs: ClassVar[Literal["threads", "processes"]] = "threads"
    reads: ClassVar[tuple[str, ...]] = ()

    def made_with(self, models: Models) -> str:
        """The embedder."""
        return f"{CODE_VERSION}:{models.embedder.name}"

    def extract(self, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        """The unit vector of each passage as half floats: half the disk, and the ranking does not move."""
        embedded = models.embedder.embed_passages([words_of(passage) for passage in passages])
        return [vector.astype(np.float16).tobytes() for vector in embedded]

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Add a segment for what is new; those that it outgrows, or that are too dead, become one with it."""
        current = record.generation(self.name)
        embedder = models.embedder.name
        if current is not None and current.description["fingerprint"] == fingerprint:
            embedder = current.description["embedder"]  # another one may be configured now: its vectors are not these
        kept = kept_segments(record, self.name, folder, fingerprint, _opened)
        parts = [segments.read_arrays(folder / name / "vectors", ("numbers",))["numbers"] for name in kept]
        now = covered.look(record, self.name, fingerprint, folder, kept, parts)
        names = kept[: now.plan.keep]
        if len(now.plan.new):
            names.append(self._write_segment(record, folder, now.plan.new, fingerprint, memory))
        generation = hashlib.sha256("".join(names).encode()).hexdigest()[:16]
        described = {"fingerprint": fingerprint, "content": fingerprint, "segments": names, "embedder": embedder}
        now.settle(record, self.name, folder, generation, described)

    def _write_segment(self, record: Record, folder: Path, numbers: Ints, fingerprint: str, memory: int) -> str:
        name = name_of(fingerprint, numbers)
        target = folder / name
        make_room(target)
        with streamed(target) as writer:
            rows = vectors.VectorsWriter(writer.part("vectors"), signed=len(numbers) > EXACT)
            for chunk, each in self._rows(record, numbers):
                rows.add(chunk, each)
            headed: list[str] = []
            lexical_runs.write(writer.part("lexical"), _words(record, numbers, headed), memory=memory)
            titles.write(writer.part("titles"), numbers.tolist(), headed)
        logger.info("text: wrote segment %s of %d passages", name, len(numbers))
        return name

    def _rows(self, record: Record, numbers: Ints) -> Iterator[tuple[Ints, NDArray[np.float16]]]:
        """The vectors of passages, some at a time."""
        for chunk in _chunks(numbers):
            payloads = record.payloads_of(self.name, chunk.tolist())
            yield chunk, np.stack([np.frombuffer(payloads[number], np.float16) for number in chunk.tolist()])

    def open(self, record: Record, folder: Path, models: Models) -> TextIndex:
        """The newest generation, without passages deleted since. Raises LayerMissing, ModelMismatch."""
        current = newest(record, self.name, models, embedded="Passages")
        live = covered.live_in(record, current, folder)
        folders = [folder / segment for segment in current.description["segments"]]
        return TextIndex(
            vectors=Vectors.open([segment / "vectors" for segment in folders], live),
            lexical=Lexical.open([segment / "lexical" for segment in folders], live),
            titles=Titles.open([segment / "titles" for segment in folders], live),
        )


def vectors_of(record: Record, numbers: Sequence[int], texts: Sequence[str], models: Models) -> Floats:
    """The unit vectors of passages, float32, for other layers: those stored here, or else of their texts."""
    rows = record.payloads_of(TextLayer.name, numbers, mark_of(TextLayer(), models))
    lacking = [text for number, text in zip(numbers, texts, strict=True) if number not in rows]
    made = iter(PhraseStore.open(record.folder, models.embedder).vectors(lacking) if lacking else ())
    found = [np.frombuffer(rows[number], np.float16) if number in rows else next(made) for number in numbers]
    return np.stack(found).astype(np.float32)


def _words(record: Record, numbers: Ints, headed: list[str]) -> Iterator[tuple[int, str]]:
    """The words of passages with their numbers; their titles are put into a list meanwhile."""
    for chunk in _chunks(numbers):
        for number, passage in zip(chunk.tolist(), record.passages(chunk.tolist()), strict=True):
            headed.append(passage.title)
            yield number, words_of(passage)


def _chunks(numbers: Ints) -> Iterator[Ints]:
    return (numbers[start : start + READ_AT_ONCE] for start in range(0, len(numbers), READ_AT_ONCE))


def _opened(segment: Path) -> None:
    nothing = np.empty(0, np.int64)
    Vectors.open([segment / "vectors"], nothing)
    Lexical.open([segment / "lexical"], nothing)
    Titles.open([segment / "titles"], nothing)
