"""Translating a question into clues on ParseKG by constrained decoding (KG-Translator, section 3.3 and appendix J)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyhop.indexes.substrings import SubstringGrammar
from polyhop.indexes.trie import TokenTrie
from polyhop.layers.parsekg.translation import TranslationIndex
from polyhop.ports import Beams, ConstrainedModel, Ints
from polyhop.strategies.translator.beam import Hypothesis, Start, beam_search

if TYPE_CHECKING:  # which makes a translator of itself
    from polyhop.strategies.translator.strategy import KGTranslator

Direction = Literal["forward", "reverse"]

# Our own words for what the paper's first prompt asks (appendix M), and for its fourth, where clues are triples.
INSTRUCTION = (
    "Name the thing that the question is about and the words that a text would use to answer it, "
    "in the form thing@@words."
)
TRIPLES_INSTRUCTION = (
    "Name the thing that the question is about, the words that a text would use to answer it, and the thing that these "
    "words lead to, in the form thing@@words@@thing."
)


@dataclass(frozen=True, slots=True)
class RawClue:
    """A clue by positions in ParseKG; ``logprob`` is that of entity and relation together."""

    entity: int
    relation: str
    direction: Direction
    logprob: float
    sentences: Ints
    tokens: tuple[int, ...] = ()  # of the relation, as it was said
    tail: int | None = None  # the entity at the other end, where clues are triples


@dataclass(frozen=True, kw_only=True)
class Translator:
    """Both stages of translation with one model, one graph and one question's prompt read once."""

    model: ConstrainedModel
    index: TranslationIndex
    question: str
    settings: KGTranslator

    def begin(self) -> Beams:
        """Read the question."""
        instruction = TRIPLES_INSTRUCTION if self.settings.triples else INSTRUCTION
        return self.model.begin(self.model.prompt(instruction, self.question))

    def entities(self, begun: Beams) -> list[tuple[int, float]]:
        """The entity stage: the entities of the ``alpha`` best names, with log-probabilities.

        A name may name several entities; of the names of one, all of which are in the trie, the best one counts.
        """
        found = beam_search(
            self.model,
            begun,
            [Start(self.index.names, 0, lambda state: tuple(self.index.named(state)))],
            width=self.settings.alpha,
            longest=self.index.longest_name,
            end=self.index.separator[0],
            penalty=self.settings.penalty,
        )[0]
        return [(entity, hypothesis.logprob) for hypothesis in found for entity in self.index.named(hypothesis.state)]

    def relations(self, begun: Beams, entities: Sequence[tuple[int, float]], direction: Direction) -> list[RawClue]:
        """The relation stage: for each entity at most ``beta`` spans of the hyperrelations next to it."""
        starts: list[Start] = []
        grammars: list[SubstringGrammar] = []
        owners: list[tuple[int, float]] = []
        for entity, logprob in entities:
            neighbours = self.index.neighbours(entity, direction if self.settings.directed else "both")
            grammar = self.index.spans(neighbours, across=self.settings.spans == "across")
            if len(neighbours) and len(grammar.allowed(grammar.root())):
                starts.append(Start(grammar, len(starts)))
                grammars.append(grammar)
                owners.append((entity, logprob))
        if not starts:
            return []
        beams = self._prefixed(begun, [entity for entity, _ in owners])
        found = beam_search(
            self.model,
            beams,
            starts,
            width=self.settings.beta,
            longest=self.settings.longest,
            end=self.index.separator[0] if self.settings.triples else self.index.end,
            penalty=self.settings.penalty,
        )
        return [
            self._clue(entity, logprob, direction, grammar, hypothesis)
            for (entity, logprob), grammar, hypotheses in zip(owners, grammars, found, strict=True)
            for hypothesis in hypotheses
        ]

    def tails(self, begun: Beams, clues: Sequence[RawClue]) -> list[RawClue]:
        """The third stage, which makes triples of clues (Eq. 12): the best entity at the other end of each.

        A clue whose sentences have nobody at the other end stays as it is.
        """
        others = [self._others(clue) for clue in clues]
        open_ends = [position for position, entities in enumerate(others) if entities]
        if not open_ends:
            return list(clues)
        names = {position: [self.index.name_tokens(entity) for entity in others[position]] for position in open_ends}
        grammars = [TokenTrie.build(names[position]) for position in open_ends]
        said = [self._said(clues[position]) for position in open_ends]
        found = beam_search(
            self.model,
            self.model.branch(begun, np.zeros(len(said), np.int64), said),
            [Start(grammar, row) for row, grammar in enumerate(grammars)],
            width=1,
            longest=self.index.longest_name,
            end=self.index.end,
            penalty=self.settings.penalty,
        )
        triples = list(clues)
        for position, grammar, hypotheses in zip(open_ends, grammars, found, strict=True):
            for best in hypotheses[:1]:
                tail = others[position][grammar.rows(best.state)[0]]
                triples[position] = self._with_tail(clues[position], tail, best.logprob)
        return triples

    def _others(self, clue: RawClue) -> list[int]:
        """The entities at the other end of a clue's sentences."""
        ends = self.index.kg.tails if clue.direction == "forward" else self.index.kg.heads
        return [entity for entity in ends.of_many(clue.sentences) if entity != clue.entity]

    def _said(self, clue: RawClue) -> list[int]:
        separator = self.index.separator
        return [*self.index.name_tokens(clue.entity), *separator, *clue.tokens, *separator]

    def _with_tail(self, clue: RawClue, tail: int, logprob: float) -> RawClue:
        ends = self.index.kg.into if clue.direction == "forward" else self.index.kg.out
        sentences = np.intersect1d(clue.sentences, ends.of(tail))
        return replace(clue, tail=tail, logprob=clue.logprob + logprob, sentences=sentences)

    def _prefixed(self, begun: Beams, entities: Sequence[int]) -> Beams:
        """One row an entity: the prompt, its name and the separator; names differ in length."""
        rows = [[*self.index.name_tokens(entity), *self.index.separator] for entity in entities]
        return self.model.branch(begun, np.zeros(len(rows), np.int64), rows)

    def _clue(
        self,
        entity: int,
        logprob: float,
        direction: Direction,
        grammar: SubstringGrammar,
        hypothesis: Hypothesis,
    ) -> RawClue:
        return RawClue(
            entity=entity,
            relation=self.model.decode(hypothesis.tokens).strip(),
            direction=direction,
            logprob=logprob + hypothesis.logprob,
            sentences=grammar.rows(hypothesis.state),
            tokens=hypothesis.tokens,
        )
