"""ParseKG in the tokens of a translator: the names of head entities as tries, hyperrelations as strings.

Built once for each segment of ParseKG and tokenizer, memory-mapped and shared by all questions (the paper builds the
trie for every question). A segment adds the names that become names of entities that lead with it: what its passages
call entities that lead in it or in those before it, and what those before it call the ones that first lead in it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from polyhop.errors import StorageFull
from polyhop.indexes import segments
from polyhop.indexes.joined_tries import JoinedTries, LivingTrie, Nodes
from polyhop.indexes.streamed import streamed
from polyhop.indexes.substrings import JoinedStrings, SubstringGrammar, TokenStrings
from polyhop.indexes.texts import Texts
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.segment import GraphSegment
from polyhop.layers.parsekg.span_edges import BREAK, GAP, WHOLE, WORD, edged
from polyhop.ports import ConstrainedModel, Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION = 4
SEPARATOR = "@@"
AT_ONCE = 5000  # hyperrelations whose tokens are in memory while they are written
LONGEST_NAME = 24  # tokens; a longer name is reached through its first spelling's prefix only if it fits


@dataclass(frozen=True)
class TranslationIndex:
    """What constrained decoding needs; entities and sentences are positions in ``kg``."""

    kg: ParseKG
    model: ConstrainedModel
    names: JoinedTries
    entities: tuple[Ints, ...]  # of each trie, whose name each row is
    strings: JoinedStrings  # row i is the hyperrelation of sentence i
    separator: tuple[int, ...]
    end: int

    def named(self, state: Nodes) -> list[int]:
        """The entities whose names end at a state of the grammar of names, in the order of their keys."""
        found = [ids[rows] for ids, rows in zip(self.entities, self.names.rows(state), strict=True) if len(rows)]
        if len(found) == 1:
            return list(dict.fromkeys(found[0].tolist()))
        every = {entity for ids in found for entity in ids.tolist()}
        return sorted(every, key=lambda entity: self.kg.entity(entity).key)

    @property
    def longest_name(self) -> int:
        """Tokens of the longest name in the trie."""
        return LONGEST_NAME

    def spans(self, rows: Ints, *, across: bool) -> SubstringGrammar:
        """What may be said of some hyperrelations: from the beginning of a word, and never a part of a character.

        A span stays between two masked entities, unless it may go ``across`` them; then it may also begin with one, or
        with an opening bracket.
        """
        if across:
            return self.strings.grammar(rows, begins=WORD | BREAK, ends=WHOLE)
        return self.strings.grammar(rows, begins=WORD, ends=WHOLE, never=GAP)

    def neighbours(self, entity: int, direction: Literal["forward", "reverse", "both"]) -> Ints:
        """The hyperrelations an entity leads (Eq. 2), those that lead to it, or both."""
        if direction == "both":
            return np.union1d(self.kg.out.of(entity), self.kg.into.of(entity))
        return self.kg.out.of(entity) if direction == "forward" else self.kg.into.of(entity)

    def name_tokens(self, entity: int) -> list[int]:
        """The tokens of an entity's most frequent spelling."""
        return self.model.encode([self.kg.entity(entity).name])[0]


def open_or_build(kg: ParseKG, model: ConstrainedModel) -> TranslationIndex:
    """The index beside the segments of ParseKG; built first where it is not there yet."""
    parts = [_opened_or_built(kg, place, model) for place in range(len(kg.segments))]
    tries = [LivingTrie.of(part.trie, _gone(kg, part)) for part in parts]
    return TranslationIndex(
        kg=kg,
        model=model,
        names=JoinedTries(tuple(tries)),
        entities=tuple(part.entities for part in parts),
        strings=JoinedStrings(tuple(part.strings for part in parts)),
        separator=tuple(model.encode([SEPARATOR])[0]),
        end=model.end,
    )


def carry_over(before: Sequence[Path], kg: ParseKG, model: ConstrainedModel) -> None:
    """Build the index of new segments where those before had one: whoever asks next does not wait for it.

    Raises StorageFull.
    """
    if any(_is_there(_folder(segment, model)) for segment in before):
        for place, segment in enumerate(kg.segments):
            if not _is_there(folder := _folder(segment.folder, model)):
                _write(kg, place, model, folder)


@dataclass(frozen=True, eq=False)
class _Part:
    """What one segment adds."""

    trie: TokenTrie
    entities: Ints  # of each row of the trie
    names: Texts  # of each row, as it is spelled
    strings: TokenStrings


def _opened_or_built(kg: ParseKG, place: int, model: ConstrainedModel) -> _Part:
    folder = _folder(kg.segments[place].folder, model)
    if not _is_there(folder):
        try:
            _write(kg, place, model, folder)
        except StorageFull as error:  # a read-only index still answers, only slower
            logger.warning("The translator's index cannot be stored (%s); it is kept in memory.", error)
            end = len(kg.segments[place].hyperrelations)
            trie, entities, spelled = _names(kg, place, model)
            strings = TokenStrings.build(*_tokens(kg.segments[place], model, 0, end))
            return _Part(trie, entities, Texts.build(spelled), strings)
    entities = segments.read_arrays(folder / "tokens", ("entities",))["entities"]
    names = Texts.open(folder / "names")
    return _Part(TokenTrie.open(folder / "trie"), entities, names, TokenStrings.open(folder / "strings"))


def _gone(kg: ParseKG, part: _Part) -> Ints:
    """The rows of a trie that are no names of entities that lead any more."""
    rows = np.flatnonzero(np.isin(part.entities, kg.touched())) if len(part.entities) else part.entities
    return np.array([row for row in rows.tolist() if not _is_name(kg, int(part.entities[row]), part.names[row])], int)


def _is_name(kg: ParseKG, entity: int, name: str) -> bool:
    return bool(len(kg.out.of(entity))) and name in kg.spellings(entity)


def _folder(segment: Path, model: ConstrainedModel) -> Path:
    mark = hashlib.sha256(f"{FORMAT_VERSION}:{model.tokenizer}".encode()).hexdigest()[:16]
    return segment / f"tokens-{mark}"


def _is_there(folder: Path) -> bool:
    return (folder / "tokens").is_dir()


def _names(kg: ParseKG, place: int, model: ConstrainedModel) -> tuple[TokenTrie, Ints, list[str]]:
    """The names that a segment adds, and whose they are."""
    pairs = list(_added_names(kg, place))
    rows = model.encode([name for _, name in pairs])
    fitting = [position for position, row in enumerate(rows) if 0 < len(row) <= LONGEST_NAME]
    trie = TokenTrie.build([rows[position] for position in fitting])
    entities = np.array([pairs[position][0] for position in fitting], np.int64)
    return trie, entities, [pairs[position][1] for position in fitting]


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


def _tokens(
    segment: GraphSegment, model: ConstrainedModel, start: int, end: int
) -> tuple[list[list[int]], list[list[int]]]:
    """The tokens of some hyperrelations of a segment, and the flags of each."""
    sentences = [edged(segment.hyperrelations[position], model) for position in range(start, end)]
    return [one.tokens for one in sentences], [one.flags for one in sentences]


def _write(kg: ParseKG, place: int, model: ConstrainedModel, folder: Path) -> None:
    trie, entities, names = _names(kg, place, model)
    trie.save(folder / "trie")
    Texts.build(names).save(folder / "names")
    del trie, names
    segment = kg.segments[place]
    count = len(segment.hyperrelations)
    with streamed(folder / "strings") as writer:
        text, flags = writer.array("text", np.int32), writer.array("flags", np.uint8)
        bounds, largest = writer.array("bounds"), np.zeros(1, np.int64)
        bounds.add(np.zeros(1, np.int64))
        for start in range(0, count, AT_ONCE):
            part = TokenStrings.build(*_tokens(segment, model, start, min(start + AT_ONCE, count)))
            bounds.add(text.rows + part.bounds[1:])
            text.add(part.text)
            flags.add(part.flags)
            largest = np.maximum(largest, part.size)
        writer.array("size").add(largest)
    segments.write_arrays(folder / "tokens", {"entities": entities})  # last: its presence says that all is there
