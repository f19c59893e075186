"""ParseKG in the tokens of a translator: the names of head entities as a trie, hyperrelations as strings.

Built once for each generation of ParseKG and tokenizer, memory-mapped and shared by all questions (the paper builds the
trie for every question).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from polyhop.errors import StorageFull
from polyhop.indexes import segments
from polyhop.indexes.streamed import streamed
from polyhop.indexes.substrings import SubstringGrammar, TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.span_edges import BREAK, GAP, WHOLE, WORD, edged
from polyhop.ports import ConstrainedModel, Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION = 3
SEPARATOR = "@@"
AT_ONCE = 5000  # hyperrelations whose tokens are in memory while they are written
LONGEST_NAME = 24  # tokens; a longer name is reached through its first spelling's prefix only if it fits


@dataclass(frozen=True)
class TranslationIndex:
    """What constrained decoding needs; entities and sentences are positions in ``kg``."""

    kg: ParseKG
    model: ConstrainedModel
    trie: TokenTrie
    entities: Ints  # entity of each row of the trie
    strings: TokenStrings  # row i is the hyperrelation of sentence i
    separator: tuple[int, ...]
    end: int

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
    """The index beside its ParseKG generation; built first where it is not there yet."""
    folder = _folder(kg.folder, model)
    if not _is_there(folder):
        try:
            _write(kg, model, folder)
        except StorageFull as error:  # a read-only index still answers, only slower
            logger.warning("The translator's index cannot be stored (%s); it is kept in memory.", error)
            strings = TokenStrings.build(*_tokens(kg, model, 0, kg.firsts[-1]))
            return _index(kg, model, *_names(kg, model), strings)
    trie = TokenTrie.open(folder / "trie")
    strings = TokenStrings.open(folder / "strings")
    return _index(kg, model, trie, segments.read_arrays(folder / "tokens", ("entities",))["entities"], strings)


def carry_over(before: Path, kg: ParseKG, model: ConstrainedModel) -> None:
    """Build the index beside a new generation where the one before it had one: whoever asks next does not wait for it.

    Raises StorageFull.
    """
    folder = _folder(kg.folder, model)
    if _is_there(_folder(before, model)) and not _is_there(folder):
        _write(kg, model, folder)


def _folder(generation: Path, model: ConstrainedModel) -> Path:
    mark = hashlib.sha256(f"{FORMAT_VERSION}:{model.tokenizer}".encode()).hexdigest()[:16]
    return generation / f"tokens-{mark}"


def _is_there(folder: Path) -> bool:
    return (folder / "tokens").is_dir()


def _index(
    kg: ParseKG, model: ConstrainedModel, trie: TokenTrie, entities: Ints, strings: TokenStrings
) -> TranslationIndex:
    return TranslationIndex(
        kg=kg,
        model=model,
        trie=trie,
        entities=entities,
        strings=strings,
        separator=tuple(model.encode([SEPARATOR])[0]),
        end=model.end,
    )


def _names(kg: ParseKG, model: ConstrainedModel) -> tuple[TokenTrie, Ints]:
    """The names of entities that lead, and whose they are."""
    pairs = list(_head_names(kg))
    rows = model.encode([name for _, name in pairs])
    fitting = [position for position, row in enumerate(rows) if 0 < len(row) <= LONGEST_NAME]
    trie = TokenTrie.build([rows[position] for position in fitting])
    return trie, np.array([pairs[position][0] for position in fitting], np.int64)


def _tokens(kg: ParseKG, model: ConstrainedModel, start: int, end: int) -> tuple[list[list[int]], list[list[int]]]:
    """The tokens of some hyperrelations, and the flags of each."""
    sentences = [edged(kg.hyperrelation(position), model) for position in range(start, end)]
    return [one.tokens for one in sentences], [one.flags for one in sentences]


def _head_names(kg: ParseKG) -> Iterator[tuple[int, str]]:
    """Every spelling of every entity that leads a hyperrelation."""
    for entity in kg.entities():
        if len(kg.out.of(entity)):
            for name in kg.spellings(entity):
                yield entity, name


def _write(kg: ParseKG, model: ConstrainedModel, folder: Path) -> None:
    trie, entities = _names(kg, model)
    trie.save(folder / "trie")
    del trie
    with streamed(folder / "strings") as writer:
        text, flags = writer.array("text", np.int32), writer.array("flags", np.uint8)
        bounds, largest = writer.array("bounds"), np.zeros(1, np.int64)
        bounds.add(np.zeros(1, np.int64))
        for start in range(0, kg.firsts[-1], AT_ONCE):
            part = TokenStrings.build(*_tokens(kg, model, start, min(start + AT_ONCE, kg.firsts[-1])))
            bounds.add(text.rows + part.bounds[1:])
            text.add(part.text)
            flags.add(part.flags)
            largest = np.maximum(largest, part.size)
        writer.array("size").add(largest)
    segments.write_arrays(folder / "tokens", {"entities": entities})  # last: its presence says that all is there
