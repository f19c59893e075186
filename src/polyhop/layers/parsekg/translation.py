"""ParseKG in the tokens of a translator: what constrained decoding needs, memory-mapped and shared by all questions.

It is made with the segments of ParseKG, once for each and for each tokenizer (the paper builds the trie for every
question).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polyhop.errors import StorageFull
from polyhop.indexes.csr import Small
from polyhop.indexes.joined_tries import JoinedTries, LivingTrie, Nodes
from polyhop.indexes.substrings import JoinedStrings, SubstringGrammar
from polyhop.layers.parsekg import tokenising
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.span_edges import BREAK, GAP, WHOLE, WORD
from polyhop.layers.parsekg.tokenising import LONGEST_NAME, TokenSegment
from polyhop.ports import ConstrainedModel, Ints

logger = logging.getLogger(__name__)

SEPARATOR = "@@"
FEW = 2000  # sentences that are left to the first question: it has to load the tokenizer, and they take it 0.1 s more


@dataclass(frozen=True)
class TranslationIndex:
    """What constrained decoding needs; entities and sentences are positions in ``kg``."""

    kg: ParseKG
    model: ConstrainedModel
    names: JoinedTries
    entities: tuple[Small, ...]  # of each trie, whose name each row is
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
        """Tokens that a name in the trie has at most."""
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
    """The index beside the segments of ParseKG; where gathering did not make it, it is made now."""
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


def make(kg: ParseKG, model: ConstrainedModel) -> None:
    """Make the index of each segment that has none yet, and remove those of other versions. Only for the one writer.

    A small graph is left to the first question; after that, it is made like any other.

    Raises ModelMissing, ModelError, StorageFull.
    """
    for segment in kg.segments:
        tokenising.sweep(segment.folder)
    folders = [tokenising.folder_of(segment.folder, model) for segment in kg.segments]
    there = [tokenising.is_there(folder) for folder in folders]
    if any(there) or kg.firsts[-1] >= FEW:
        for place in np.flatnonzero(~np.array(there, bool)).tolist():
            tokenising.write(kg, place, model, folders[place])


def _opened_or_built(kg: ParseKG, place: int, model: ConstrainedModel) -> TokenSegment:
    segment = kg.segments[place]
    folder = tokenising.folder_of(segment.folder, model)
    if not tokenising.is_there(folder):
        logger.info(
            "Gathering did not make the translator's index of segment %s, with %d sentences: it is made now.",
            *(segment.folder.name, len(segment.hyperrelations)),
        )
        try:
            tokenising.write(kg, place, model, folder)
        except StorageFull as error:  # a read-only index still answers, only slower
            logger.warning("The translator's index cannot be stored (%s); it is kept in memory.", error)
            return TokenSegment.made(kg, place, model)
    return TokenSegment.open(folder)


def _gone(kg: ParseKG, part: TokenSegment) -> Ints:
    """The rows of a trie that are no names of entities that lead any more."""
    rows = np.flatnonzero(np.isin(part.entities, kg.touched()))
    return np.array([row for row in rows.tolist() if not _is_name(kg, int(part.entities[row]), part.names[row])], int)


def _is_name(kg: ParseKG, entity: int, name: str) -> bool:
    return bool(len(kg.out.of(entity))) and name in kg.spellings(entity)
