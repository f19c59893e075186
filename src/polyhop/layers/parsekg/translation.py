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
from polyhop.indexes.substrings import SubstringGrammar, TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.span_edges import BREAK, GAP, WHOLE, WORD, edged
from polyhop.ports import ConstrainedModel, Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION = 3
SEPARATOR = "@@"
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
    mark = hashlib.sha256(f"{FORMAT_VERSION}:{model.name}".encode()).hexdigest()[:16]
    folder = kg.folder / f"tokens-{mark}"
    if not (folder / "tokens").is_dir():
        try:
            _write(kg, model, folder)
        except StorageFull as error:  # a read-only index still answers, only slower
            logger.warning("The translator's index cannot be stored (%s); it is kept in memory.", error)
            return _index(kg, model, *_built(kg, model))
    trie = TokenTrie.open(folder / "trie")
    strings = TokenStrings.open(folder / "strings")
    return _index(kg, model, trie, segments.read_arrays(folder / "tokens", ("entities",))["entities"], strings)


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


def _built(kg: ParseKG, model: ConstrainedModel) -> tuple[TokenTrie, Ints, TokenStrings]:
    pairs = [(entity, name) for entity, name in _head_names(kg)]
    rows = model.encode([name for _, name in pairs])
    fitting = [position for position, row in enumerate(rows) if 0 < len(row) <= LONGEST_NAME]
    trie = TokenTrie.build([rows[position] for position in fitting])
    entities = np.array([pairs[position][0] for position in fitting], np.int64)
    sentences = [edged(kg.hyperrelations[position], model) for position in range(len(kg.hyperrelations))]
    strings = TokenStrings.build([one.tokens for one in sentences], [one.flags for one in sentences])
    return trie, entities, strings


def _head_names(kg: ParseKG) -> Iterator[tuple[int, str]]:
    """Every spelling of every entity that leads a hyperrelation."""
    leads = np.flatnonzero(kg.out.degrees())
    for entity in leads.tolist():
        for name in dict.fromkeys(kg.aliases[entity].split("\n")):
            yield entity, name


def _write(kg: ParseKG, model: ConstrainedModel, folder: Path) -> None:
    trie, entities, strings = _built(kg, model)
    trie.save(folder / "trie")
    strings.save(folder / "strings")
    segments.write_arrays(folder / "tokens", {"entities": entities})  # last: its presence says that all is there
