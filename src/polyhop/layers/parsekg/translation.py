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
from polyhop.indexes.substrings import TokenStrings
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import MASK
from polyhop.ports import Bools, ConstrainedModel, Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION = 1
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
    forbidden: Ints  # tokens of the mask: no span goes across it
    starts: Bools  # tokens that a span may begin with: those with a letter or a digit

    @property
    def longest_name(self) -> int:
        """Tokens of the longest name in the trie."""
        return LONGEST_NAME

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
            return _index(kg, model, *_built(kg, model), _speaking(model))
    trie = TokenTrie.open(folder / "trie")
    strings = TokenStrings.open(folder / "strings")
    tokens = segments.read_arrays(folder / "tokens", ("entities", "speaking"))
    return _index(kg, model, trie, tokens["entities"], strings, tokens["speaking"])


def _index(
    kg: ParseKG, model: ConstrainedModel, trie: TokenTrie, entities: Ints, strings: TokenStrings, speaking: Bools
) -> TranslationIndex:
    separator, mask = model.encode([SEPARATOR, MASK])
    spaced_mask = model.encode([f" {MASK}"])[0]
    return TranslationIndex(
        kg=kg,
        model=model,
        trie=trie,
        entities=entities,
        strings=strings,
        separator=tuple(separator),
        end=model.end,
        forbidden=np.unique(np.array([*mask, *spaced_mask], np.int64)),
        starts=speaking,
    )


def _speaking(model: ConstrainedModel) -> Bools:
    texts = (model.decode([token]) for token in range(model.vocabulary))
    return np.fromiter((any(map(str.isalnum, text)) for text in texts), np.bool_, model.vocabulary)


def _built(kg: ParseKG, model: ConstrainedModel) -> tuple[TokenTrie, Ints, TokenStrings]:
    pairs = [(entity, name) for entity, name in _head_names(kg)]
    rows = model.encode([name for _, name in pairs])
    fitting = [position for position, row in enumerate(rows) if 0 < len(row) <= LONGEST_NAME]
    trie = TokenTrie.build([rows[position] for position in fitting])
    entities = np.array([pairs[position][0] for position in fitting], np.int64)
    sentences = [kg.hyperrelations[position] for position in range(len(kg.hyperrelations))]
    return trie, entities, TokenStrings.build(model.encode(sentences))


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
    arrays = {"entities": entities, "speaking": _speaking(model)}
    segments.write_arrays(folder / "tokens", arrays)  # last: its presence says that all is there
