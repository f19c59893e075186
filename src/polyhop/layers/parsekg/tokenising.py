"""A segment of ParseKG in the tokens of a model: names of head entities as a trie, hyperrelations as strings.

A segment adds the names that become names of entities that lead with it: what its passages call entities that lead in
it or in those before it, and what those before it call the ones that first lead in it. It is written a stretch at a
time; in memory are the tokens of its names, and those of the words that came last.
"""

from __future__ import annotations

import hashlib
import shutil
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Self

import numpy as np

from polyhop.indexes import segments
from polyhop.indexes.csr import Small, offsets, small
from polyhop.indexes.streamed import streamed
from polyhop.indexes.substrings import TokenKind, TokenStrings
from polyhop.indexes.texts import Texts, encoded
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.segment import GraphSegment
from polyhop.layers.parsekg.span_edges import EdgedWords
from polyhop.ports import ConstrainedModel

FORMAT_VERSION = 5
FOLDERS = "tokens-"  # begins the name of each, which goes on with the version
AT_ONCE = 5000  # hyperrelations or names whose tokens are in memory while they are written
LONGEST_NAME = 24  # tokens; a longer name is left out


@dataclass(frozen=True, eq=False)
class TokenSegment:
    """What one segment adds."""

    trie: TokenTrie
    entities: Small  # of each row of the trie
    names: Texts  # of each row, as it is spelled
    strings: TokenStrings  # row i is the hyperrelation at place i

    @classmethod
    def open(cls, folder: Path) -> Self:
        """What ``write`` wrote. Raises IndexCorrupt."""
        entities = segments.read_arrays(folder / "tokens", ("entities",))["entities"]
        names = Texts.open(folder / "names")
        return cls(TokenTrie.open(folder / "trie"), entities, names, TokenStrings.open(folder / "strings"))

    @classmethod
    def made(cls, kg: ParseKG, place: int, model: ConstrainedModel) -> Self:
        """The same in memory, for one that cannot be written."""
        rows, spelled = _Rows(), list[str]()
        for names in _named(kg, place, model):
            rows.add(names)
            spelled += names.spelled
        segment = kg.segments[place]
        strings = EdgedWords(model).strings(segment.hyperrelations.stretch(0, len(segment.hyperrelations)))
        return cls(rows.trie(), rows.whose(), Texts.build(spelled), strings)


def folder_of(segment: Path, model: ConstrainedModel) -> Path:
    """Where a segment has its tokens of a model: whoever has the same tokenizer shares them."""
    mark = hashlib.sha256(model.tokenizer.encode()).hexdigest()[:16]
    return segment / f"{FOLDERS}{FORMAT_VERSION}-{mark}"


def is_there(folder: Path) -> bool:
    """Whether all of it was written."""
    return (folder / "tokens").is_dir()


def sweep(segment: Path) -> None:
    """Remove what other versions wrote beside a segment. Only for the one writer."""
    for folder in segment.glob(f"{FOLDERS}*"):
        if not folder.name.startswith(f"{FOLDERS}{FORMAT_VERSION}-"):
            shutil.rmtree(folder, ignore_errors=True)


def write(kg: ParseKG, place: int, model: ConstrainedModel, folder: Path) -> None:
    """Write what one of the segments of a graph adds. Raises StorageFull, ModelMissing."""
    rows = _Rows()
    with streamed(folder / "names") as writer:
        texts = writer.texts()
        for names in _named(kg, place, model):
            rows.add(names)
            texts.add([encoded(name) for name in names.spelled])
    rows.trie().save(folder / "trie")
    entities = rows.whose()
    del rows
    try:
        _write_strings(kg.segments[place], model, folder / "strings", np.uint16, np.int32)
    except OverflowError:  # a model with a large vocabulary, or a very large segment
        _write_strings(kg.segments[place], model, folder / "strings", np.int32, np.int64)
    segments.write_arrays(folder / "tokens", {"entities": entities})  # last: its presence says that all is there


@dataclass(frozen=True, slots=True)
class _Names:
    """Some names that a segment adds."""

    entities: list[int]  # whose each is
    spelled: list[str]
    rows: list[list[int]]  # their tokens


@dataclass(frozen=True)
class _Rows:
    """The tokens of names that came so far, laid end to end, and whose they are."""

    tokens: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("B"))
    entities: array[int] = field(default_factory=lambda: array("q"))

    def add(self, names: _Names) -> None:
        self.tokens.extend(chain.from_iterable(names.rows))
        self.lengths.extend(map(len, names.rows))
        self.entities.extend(names.entities)

    def trie(self) -> TokenTrie:
        return TokenTrie.laid(np.frombuffer(self.tokens, np.intc), offsets(np.frombuffer(self.lengths, np.uint8)))

    def whose(self) -> Small:
        return small(np.array(self.entities, np.int64))


def _named(kg: ParseKG, place: int, model: ConstrainedModel) -> Iterator[_Names]:
    """The names that a segment adds, so many at a time; those that are too long are left out."""
    left = _added_names(kg, place)
    while pairs := list(islice(left, AT_ONCE)):
        rows = model.encode([name for _, name in pairs])
        fitting = [at for at, row in enumerate(rows) if 0 < len(row) <= LONGEST_NAME]
        yield _Names([pairs[at][0] for at in fitting], [pairs[at][1] for at in fitting], [rows[at] for at in fitting])


def _added_names(kg: ParseKG, place: int) -> Iterator[tuple[int, str]]:
    """Every spelling that a segment adds to those of entities that lead a hyperrelation; whatever is alive of it."""
    segment, before = kg.segments[place], ParseKG(kg.folder, kg.segments[:place])
    ids = segment.names.values
    leads, led = np.diff(segment.out.starts) > 0, before.leading(ids)
    for at in np.flatnonzero(leads | led).tolist():
        names = segment.ever_spelled(at)
        if not led[at]:
            names = list(dict.fromkeys([*before.ever_spelled(int(ids[at])), *names]))
        for name in names or [segment.names.keys[at]]:
            yield int(ids[at]), name


def _write_strings(
    segment: GraphSegment, model: ConstrainedModel, folder: Path, token: type[TokenKind], place: type[np.signedinteger]
) -> None:
    """Write the tokens of hyperrelations as numbers of one kind, and where they begin as those of another.

    Raises OverflowError where they do not fit.
    """
    words, count = EdgedWords(model), len(segment.hyperrelations)
    with streamed(folder) as writer:
        text, flags = writer.array("text", token), writer.array("flags", np.uint8)
        bounds, size = writer.array("bounds", place), 0
        bounds.add(np.zeros(1, place))
        for start in range(0, count, AT_ONCE):
            part = words.strings(segment.hyperrelations.stretch(start, min(start + AT_ONCE, count)), token)
            if text.rows + len(part.text) > np.iinfo(place).max:
                raise OverflowError("The places of tokens do not fit.")
            size = max(size, int(part.size[0]))
            bounds.add(text.rows + part.bounds[1:])
            text.add(part.text)
            flags.add(part.flags)
        writer.array("size").add(np.array([size]))
