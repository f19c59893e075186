"""Clues to learn from: which entity, and which words next to it, lead from a question to its passage (F.1).

The paper removes a passage's entities but the answer, slides a window of ten words over the rest, takes the one that,
behind the entity, is nearest to the question, and drops the answer from it. What is left may run across what was
removed, where our decoder has a mask to say. So there are two forms: ``paper``, as it was described, and ``grammar``,
whose windows are slices of the hyperrelation's tokens and whose targets are what decoding can say, token for token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from polyhop.indexes.names import normal
from polyhop.layers.parsekg.graph import MASK, NEVER_HEADS
from polyhop.layers.parsekg.layer import ParseKGLayer, decode, parse_of
from polyhop.layers.parsekg.tokenising import LONGEST_NAME
from polyhop.layers.parsekg.translation import SEPARATOR
from polyhop.models.choice import Models
from polyhop.ports import ConstrainedModel, Embedder, Floats
from polyhop.strategies.translator.translate import INSTRUCTION, TRIPLES_INSTRUCTION, Direction
from polyhop.training.asked_passages import AskedPassage
from polyhop.training.clue_windows import ClueSpan, grammar_spans, paper_spans
from polyhop.training.linked_passages import as_stored
from polyhop.types import Mention, Passage, Sentence

Spans = Literal["grammar", "paper"]
AT_ONCE: Final = 128  # rows whose windows are embedded together
MOST_HEADS: Final = 3  # entities that are tried where the question names none


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtClue:
    """A question, and the clue that is to be said of it."""

    row: AskedPassage
    name: str
    relation: str
    tokens: tuple[int, ...]  # name, separator, relation and, of a triple, separator and the other name; end
    direction: Direction
    nearness: float  # of question, and name and window: a cosine
    tail: str = ""  # of a triple, the entity that answers

    @property
    def said(self) -> str:
        """The clue in letters."""
        return SEPARATOR.join(filter(None, (self.name, self.relation, self.tail)))

    def prompt(self, model: ConstrainedModel) -> list[int]:
        """What the translator reads before it says it."""
        return prompt_of(model, self.row.question, triples=bool(self.tail))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One of the clues that could be taught of a row."""

    row: int
    direction: Direction
    name: str
    span: ClueSpan


@dataclass(frozen=True, kw_only=True)
class ClueMaker:
    """Makes clues with the parser, the embedder and the tokens that the translator itself has."""

    models: Models
    model: ConstrainedModel
    spans: Spans = "grammar"
    triples: bool = False  # clues end in what answers (Eq. 13), and are made where that is an entity

    def by_chunks(self, rows: Sequence[AskedPassage]) -> Iterator[tuple[int, list[TaughtClue]]]:
        """For each row at most a forward and a reverse clue; none where no entity leads to what answers.

        Some rows at a time: how many of them are done, and what was made of the last ones. Windows that repeat the
        entity's name are not tried where there are others: it has been said already.
        """
        for start in range(0, len(rows), AT_ONCE):
            chunk = rows[start : start + AT_ONCE]
            passages = [as_stored(row.text, title=row.title) for row in chunk]
            parses = ParseKGLayer().extract(passages, self.models, {})
            candidates = [
                candidate
                for number, (row, passage, parse) in enumerate(zip(chunk, passages, parses, strict=True))
                if isinstance(parse, bytes)
                for candidate in self._candidates(number, row, passage, parse)
            ]
            yield start + len(chunk), list(self._nearest(chunk, candidates))

    def _candidates(self, number: int, row: AskedPassage, passage: Passage, parse: bytes) -> Iterator[_Candidate]:
        sentences = decode(parse, passage, titles=True)
        stretches = [[(entity.start, entity.end) for entity in sentence.entities] for sentence in parse_of(parse)]
        asked = f" {normal(row.question)} "
        for place, sentence in enumerate(sentences):
            if row.answer and not sentence.start <= row.start < sentence.end:
                continue
            if self.triples and all(mention.key != normal(row.answer) for mention in sentence.mentions):
                continue
            named = _ends(sentence, row, asked)
            if not named:
                continue
            if self.spans == "paper":
                found = paper_spans(row, [one for each in stretches for one in each], self.model)
            else:
                found = grammar_spans(row, sentence, stretches[place], self.model)
            for direction, name in named:
                apart = [span for span in found if f" {normal(name)} " not in f" {normal(span.text)} "]
                yield from (_Candidate(number, direction, name, span) for span in apart or found)

    def _nearest(self, rows: Sequence[AskedPassage], candidates: Sequence[_Candidate]) -> Iterator[TaughtClue]:
        """The nearest candidate of each row and direction, by the embedder."""
        if not candidates:
            return
        model = self.model
        cosines = _cosines(rows, candidates, self.models.embedder)
        best: dict[tuple[int, Direction], int] = {}
        for place in np.argsort(-cosines, kind="stable").tolist():
            best.setdefault((candidates[place].row, candidates[place].direction), place)
        for (number, direction), place in sorted(best.items()):
            chosen = candidates[place]
            tail = rows[number].answer if self.triples else ""
            tokens = clue_tokens(model, chosen.name, chosen.span.tokens, tail)
            if tokens is not None:
                yield TaughtClue(
                    row=rows[number],
                    name=chosen.name,
                    relation=model.decode(chosen.span.tokens).strip(),
                    tokens=tokens,
                    direction=direction,
                    nearness=float(cosines[place]),
                    tail=tail,
                )


def clue_tokens(model: ConstrainedModel, name: str, relation: Sequence[int], tail: str = "") -> tuple[int, ...] | None:
    """What decoding a clue walks: the name, the separator, the relation and the end; None for too long a name.

    Of a triple also a separator and the name of its ``tail``, before the end.
    """
    said, separator, other = model.encode([name, SEPARATOR, tail])
    if not 0 < len(said) <= LONGEST_NAME or len(other) > LONGEST_NAME:
        return None
    return (*said, *separator, *relation, *((*separator, *other) if tail else ()), model.end)


def prompt_of(model: ConstrainedModel, question: str, *, triples: bool = False) -> list[int]:
    """What the translator reads before it speaks."""
    return model.prompt(TRIPLES_INSTRUCTION if triples else INSTRUCTION, question)


def _cosines(rows: Sequence[AskedPassage], candidates: Sequence[_Candidate], embedder: Embedder) -> Floats:
    questions = embedder.embed_questions([row.question for row in rows])
    texts = [f"{candidate.name} {candidate.span.text}" for candidate in candidates]
    once = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors = embedder.embed_passages(list(once))
    asked = questions[[candidate.row for candidate in candidates]]
    cosines: Floats = np.einsum("ij,ij->i", vectors[[once[text] for text in texts]], asked)
    return cosines


def _ends(sentence: Sentence, row: AskedPassage, asked: str) -> list[tuple[Direction, str]]:
    """The entities that a clue may name and the direction from each: the question's where it has any."""
    mentions = [mention for mention in sentence.mentions if _may_be_said(mention, row)]
    forward = [mention for mention in mentions if mention.head]
    reverse = [mention for mention in mentions if not mention.head and mention.label not in NEVER_HEADS]
    named = [mention for mention in forward if f" {mention.key} " in asked]
    backward = [mention for mention in reverse if f" {mention.key} " in asked]
    title = [mention for mention in forward if mention.start == mention.end]
    ahead = named or title or ([] if backward else forward)
    ends: list[tuple[Direction, str]] = [("forward", mention.name) for mention in ahead[:MOST_HEADS]]
    return [*ends, *(("reverse", mention.name) for mention in backward[:MOST_HEADS])]


def _may_be_said(mention: Mention, row: AskedPassage) -> bool:
    """Whether a mention is another thing than the answer."""
    apart = mention.end <= row.start or mention.start >= row.end or mention.start == mention.end
    return (
        bool(mention.key)
        and MASK not in mention.name
        and (not row.answer or (apart and mention.key != normal(row.answer)))
    )
